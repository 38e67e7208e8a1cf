"""Two-step questions: the answer to one lookup or sum is what the next one starts from.

Each topic here gives a `Draft` as in `topics.py`; comparisons and yes/no questions are among them.
"""

from __future__ import annotations

import datetime as dt
import math
from fractions import Fraction

from numpy.random import Generator

from sample_data.drafts import (
    BASES,
    WEEKDAYS,
    Draft,
    between,
    date_text,
    draft,
    draw_date,
    loose_roman,
    one_of,
    plain,
    roman,
    swapped,
    two_of,
)
from sample_data.facts import (
    CAPITAL_OF,
    ELEMENT_NAMES,
    ELEMENT_SYMBOLS,
    STATE_CAPITAL,
    STATE_CODE,
    with_article,
)
from sample_data.topics import CODES, code_slips

PLAIN_CAPITALS = {c: city for c, city in CAPITAL_OF.items() if city.isascii() and city.isalpha()}
# unit, its size in a common small unit; pairs of one kind are compared
LENGTHS = (
    ("inches", 254),
    ("feet", 3048),
    ("yards", 9144),
    ("centimetres", 100),
    ("metres", 10000),
)
SPANS = (("seconds", 1), ("minutes", 60), ("hours", 3600), ("days", 86400), ("weeks", 604800))


def capital_letters(rng: Generator) -> Draft:
    country = one_of(rng, tuple(PLAIN_CAPITALS))
    n = len(PLAIN_CAPITALS[country])
    return draft(n, [n + 1, n - 1, n + 2], country=with_article(country))


def longer_capital(rng: Generator) -> Draft:
    while True:
        one, two = two_of(rng, tuple(PLAIN_CAPITALS))
        if len(PLAIN_CAPITALS[one]) != len(PLAIN_CAPITALS[two]):
            break
    right, other = sorted((one, two), key=lambda c: -len(PLAIN_CAPITALS[c]))
    return draft(right, [other], one=with_article(one), two=with_article(two))


def same_initial(rng: Generator) -> Draft:
    same = bool(rng.random() < 0.5)
    while True:
        one, two = two_of(rng, tuple(CAPITAL_OF))
        if (CAPITAL_OF[one][0] == CAPITAL_OF[two][0]) == same:
            break
    return draft(
        "yes" if same else "no",
        ["no" if same else "yes"],
        one=with_article(one),
        two=with_article(two),
    )


def code_of_capital(rng: Generator) -> Draft:
    state = one_of(rng, tuple(STATE_CODE))
    city = STATE_CAPITAL[state]
    wrong = [*code_slips(city), *code_slips(state), one_of(rng, CODES)]
    return draft(STATE_CODE[state], wrong, city=city)


def atomic_sum(rng: Generator) -> Draft:
    one, two = two_of(rng, range(1, 119))
    right = one + two
    return draft(
        right,
        [right + 1, right - 1, right + 10, abs(one - two)],
        one=ELEMENT_NAMES[one - 1],
        two=ELEMENT_NAMES[two - 1],
    )


def heavier_element(rng: Generator) -> Draft:
    one, two = two_of(rng, range(1, 119))
    right, other = max(one, two), min(one, two)
    return draft(
        ELEMENT_NAMES[right - 1],
        [ELEMENT_NAMES[other - 1]],
        one=ELEMENT_NAMES[one - 1],
        symbol=ELEMENT_SYMBOLS[two - 1],
    )


def element_after(rng: Generator) -> Draft:
    z, steps = between(rng, 1, 108), between(rng, 1, 5)
    right = z + steps
    wrong = [ELEMENT_NAMES[other - 1] for other in (right + 1, right - 1, right + 2)]
    words = ("one place", "two places", "three places", "four places", "five places")
    return draft(
        ELEMENT_NAMES[right - 1], wrong, steps=words[steps - 1], symbol=ELEMENT_SYMBOLS[z - 1]
    )


def element_of_sum(rng: Generator) -> Draft:
    z = between(rng, 8, 118)
    b = between(rng, 2, min(z // 2, 9))
    a = (z - 1) // b
    c = z - a * b
    wrong = [ELEMENT_NAMES[other - 1] for other in (z - 1, min(z + 1, 118), a * b) if other != z]
    return draft(ELEMENT_NAMES[z - 1], wrong, a=a, b=b, c=c)


def atomic_number_written(rng: Generator) -> Draft:
    z, way = between(rng, 4, 118), one_of(rng, ("Roman numerals", *BASES))
    near = (z, z + 1, z - 1, z + 2)
    if way in BASES:
        right, *wrong = (f"{n:{BASES[way]}}" for n in near)
    else:
        right, *wrong = (*(roman(n) for n in near), loose_roman(z))
    return draft(right, wrong, way=way, element=ELEMENT_NAMES[z - 1])


def weekday_after(rng: Generator) -> Draft:
    first, days = draw_date(rng), between(rng, 20, 400)
    day = (first + dt.timedelta(days=days)).weekday()
    wrong = [WEEKDAYS[(day + step) % 7] for step in (1, 6, 2)]
    return draft(WEEKDAYS[day], wrong, days=days, date=date_text(first))


def same_weekday(rng: Generator) -> Draft:
    same, first = bool(rng.random() < 0.5), draw_date(rng)
    days = 7 * between(rng, 3, 60) + (0 if same else between(rng, 1, 6))
    return draft(
        "yes" if same else "no",
        ["no" if same else "yes"],
        one=date_text(first),
        two=date_text(first + dt.timedelta(days=days)),
    )


def square_of_rectangle(rng: Generator) -> Draft:
    a = between(rng, 3, 70)
    b = a + 2 * between(rng, 1, 20)
    side = (a + b) // 2
    return draft(side * side, [a * b, (a + b) ** 2, side * 4, (side + 1) ** 2], a=a, b=b)


def roman_sum(rng: Generator) -> Draft:
    one, two = between(rng, 14, 1400), between(rng, 14, 1400)
    n = one + two
    return draft(
        roman(n), [loose_roman(n), roman(n + 1), roman(n - 10)], one=roman(one), two=roman(two)
    )


def product_remainder(rng: Generator) -> Draft:
    a, b, c = between(rng, 12, 99), between(rng, 12, 99), between(rng, 7, 60)
    right = a * b % c
    return draft(right, [right + 1, abs(right - 1), (a % c) * (b % c)], a=a, b=b, c=c)


def divisor_multiple(rng: Generator) -> Draft:
    shared = between(rng, 2, 12)
    a, b = shared * between(rng, 2, 15), shared * between(rng, 2, 15)
    right = math.lcm(a, b) // math.gcd(a, b)
    return draft(right, [right * math.gcd(a, b), a * b, right + 1, math.lcm(a, b)], a=a, b=b)


def longer_measure(rng: Generator) -> Draft:
    units = one_of(rng, (LENGTHS, SPANS))
    while True:
        (unit1, size1), (unit2, size2) = two_of(rng, units)
        n1 = between(rng, 2, 90)
        n2 = round(n1 * size1 / size2 * rng.uniform(0.6, 1.6))
        if 2 <= n2 <= 9000 and n1 * size1 != n2 * size2:
            break
    one, two = f"{n1} {unit1}", f"{n2} {unit2}"
    right, other = (one, two) if n1 * size1 > n2 * size2 else (two, one)
    return draft(right, [other], one=one, two=two)


def percent_then_part(rng: Generator) -> Draft:
    p, q, n = 10 * between(rng, 1, 9), 10 * between(rng, 1, 9), 100 * between(rng, 2, 60)
    part = Fraction(p * q * n, 10000)
    slips = [part * 10, Fraction((p + q) * n, 100), Fraction(p * n, 100), part + 10]
    return draft(plain(part), [plain(slip) for slip in slips], p=p, q=q, n=n)


def digit_sum(rng: Generator) -> Draft:
    a, b = between(rng, 24, 99), between(rng, 24, 99)
    right = sum(int(digit) for digit in str(a * b))
    return draft(right, [right + 1, right - 1, right + 9, swapped(right)], a=a, b=b)
