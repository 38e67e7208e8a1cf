"""One-step questions whose answer a few lines of code know exactly.

A topic is a function of a random generator that gives a `Draft`: the fields of the question's
wording, the exact answer, and plausible wrong answers, each made by the rule of a known mistake (a
digit off, a step forgotten, the neighbour in a table). `wording.toml` turns a draft into text.
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
    ordinal,
    plain,
    roman,
    swapped,
)
from sample_data.facts import (
    CAPITAL_OF,
    ELEMENT_NAMES,
    ELEMENT_SYMBOLS,
    OTHER_CITY_OF,
    REGION_OF,
    SPELLING_ALPHABET,
    STATE_CAPITAL,
    STATE_CODE,
    with_article,
)

# unit asked about, unit given, how many of the first make one of the second
UNITS = (
    ("inches", "feet", "12"),
    ("feet", "yards", "3"),
    ("yards", "miles", "1760"),
    ("feet", "miles", "5280"),
    ("ounces", "pounds", "16"),
    ("millimetres", "inches", "25.4"),
    ("centimetres", "metres", "100"),
    ("metres", "kilometres", "1000"),
    ("grams", "kilograms", "1000"),
    ("kilograms", "tonnes", "1000"),
    ("millilitres", "litres", "1000"),
    ("minutes", "hours", "60"),
    ("seconds", "hours", "3600"),
    ("minutes", "days", "1440"),
    ("hours", "days", "24"),
    ("hours", "weeks", "168"),
)
NOBLE_GASES = (2, 10, 18, 36, 54, 86, 118)
TRIPLES = ((3, 4, 5), (5, 12, 13), (8, 15, 17), (7, 24, 25), (20, 21, 29), (12, 35, 37))
CODES = tuple(STATE_CODE.values())

# Numbers


def product(rng: Generator) -> Draft:
    a, b = between(rng, 12, 99), between(rng, 12, 99)
    return draft(
        a * b, [a * b + 10, a * b - 10, a * (b - 1), (a + 1) * b, swapped(a * b)], a=a, b=b
    )


def difference(rng: Generator) -> Draft:
    b = between(rng, 120, 4999)
    a = b + between(rng, 15, 4999)
    return draft(a - b, [a - b + 10, a - b - 10, a - b + 100, swapped(a - b)], a=a, b=b)


def remainder(rng: Generator) -> Draft:
    a, b = between(rng, 200, 9999), between(rng, 7, 97)
    return draft(a % b, [a % b + 1, abs(a % b - 1), a // b], a=a, b=b)


def percentage(rng: Generator) -> Draft:
    p, n = 5 * between(rng, 1, 19), 20 * between(rng, 3, 250)
    part = p * n // 100
    return draft(part, [part * 10, n - part, part + 5, swapped(part)], p=p, n=n)


def divisors(rng: Generator) -> Draft:
    n = 2 * between(rng, 18, 2500)
    count = sum(2 - (d * d == n) for d in range(1, math.isqrt(n) + 1) if n % d == 0)
    return draft(count, [count - 2, count + 2, count - 1, count + 1], n=n)


def next_prime(rng: Generator) -> Draft:
    n = between(rng, 100, 5000)

    def is_prime(value: int) -> bool:
        return all(value % d for d in range(2, math.isqrt(value) + 1))

    primes = [value for value in range(n + 1, n + 120) if is_prime(value)]
    passed = [value for value in range(n + 1, primes[0]) if value % 2 and value % 5]
    return draft(primes[0], [*passed[:2], primes[1]], n=n)


def common_divisor(rng: Generator) -> Draft:
    shared = between(rng, 2, 24)
    a, b = shared * between(rng, 3, 40), shared * between(rng, 3, 40)
    right = math.gcd(a, b)
    return draft(right, [right * 2, max(right // 2, 1), right * 3, abs(a - b) or a], a=a, b=b)


def common_multiple(rng: Generator) -> Draft:
    a, b = between(rng, 6, 60), between(rng, 6, 60)
    right = math.lcm(a, b)
    return draft(right, [a * b, right * 2, right + max(a, b)], a=a, b=b)


def sum_to(rng: Generator) -> Draft:
    n = between(rng, 12, 400)
    right = n * (n + 1) // 2
    return draft(right, [right - n, right + n + 1, n * n // 2], n=n)


def sequence_term(rng: Generator) -> Draft:
    first, step, k = between(rng, 2, 40), between(rng, 3, 19), between(rng, 8, 60)
    right = first + (k - 1) * step
    return draft(
        right,
        [right + step, right - step, first * step + k],
        k=ordinal(k),
        terms=", ".join(str(first + i * step) for i in range(4)),
    )


def lowest_terms(rng: Generator) -> Draft:
    denominator = between(rng, 3, 30)
    numerator = between(rng, 2, denominator - 1)
    factor = between(rng, 3, 16)
    a, b = numerator * factor, denominator * factor
    right = Fraction(a, b)
    n, d = right.numerator, right.denominator
    return draft(f"{n}/{d}", [f"{n + 1}/{d}", f"{n}/{d + 1}", f"{d - n}/{d}"], a=a, b=b)


# Ways of writing numbers


def to_roman(rng: Generator) -> Draft:
    n = between(rng, 14, 3499)
    return draft(roman(n), [loose_roman(n), roman(n + 1), roman(n - 10), roman(n + 100)], n=n)


def from_roman(rng: Generator) -> Draft:
    n = between(rng, 14, 3499)
    return draft(n, [n + 2, n - 1, n + 10, n + 100, swapped(n)], r=roman(n))


def to_base(rng: Generator) -> Draft:
    n, base = between(rng, 21, 999), one_of(rng, tuple(BASES))
    code = BASES[base]
    return draft(
        f"{n:{code}}", [f"{n + 1:{code}}", f"{n - 2:{code}}", f"{n + 8:{code}}"], n=n, base=base
    )


def from_base(rng: Generator) -> Draft:
    n, base = between(rng, 21, 999), one_of(rng, tuple(BASES))
    return draft(
        n, [n + 1, n - 2, n + 16, n * 2, swapped(n)], digits=f"{n:{BASES[base]}}", base=base
    )


# Calendar and clock


def weekday(rng: Generator) -> Draft:
    day = draw_date(rng)
    others = [WEEKDAYS[(day.weekday() + step) % 7] for step in (1, 6, 2)]
    return draft(WEEKDAYS[day.weekday()], others, date=date_text(day))


def days_between(rng: Generator) -> Draft:
    first, days = draw_date(rng), between(rng, 20, 700)
    last = first + dt.timedelta(days=days)
    return draft(
        days,
        [days + 1, days - 1, days + 2, days - 3],
        first=date_text(first),
        last=date_text(last),
    )


def date_after(rng: Generator) -> Draft:
    first, days = draw_date(rng), between(rng, 25, 400)
    right = first + dt.timedelta(days=days)
    wrong = [date_text(right + dt.timedelta(days=step)) for step in (1, -1, 2, -3)]
    return draft(date_text(right), wrong, days=days, date=date_text(first))


def century(rng: Generator) -> Draft:
    year = between(rng, 301, 2060)
    right = (year - 1) // 100 + 1
    return draft(ordinal(right), [ordinal(right - 1), ordinal(right + 1)], year=year)


def clock(rng: Generator) -> Draft:
    start, hours, minutes = between(rng, 0, 287) * 5, between(rng, 1, 11), between(rng, 1, 11) * 5

    def at(value: int) -> str:
        return f"{value // 60 % 24:02d}:{value % 60:02d}"

    end = start + hours * 60 + minutes
    return draft(
        at(end),
        [at(end + 60), at(end - 60), at(end + 10)],
        time=at(start),
        hours=hours,
        minutes=minutes,
    )


# Measures and shapes


def unit_count(rng: Generator) -> Draft:
    small, large, size = one_of(rng, UNITS)
    amount = Fraction(between(rng, 2, 120), one_of(rng, (1, 1, 2, 4)))
    if amount.denominator == 1 and amount < 2:
        amount += 2
    right = amount * Fraction(size)
    slips = [right * 10, right / 10, right + Fraction(size), amount * (Fraction(size) - 2)]
    return draft(
        plain(right),
        [plain(slip) for slip in slips if slip > 0],
        n=plain(amount),
        small=small,
        large=large,
    )


def temperature(rng: Generator) -> Draft:
    celsius = 5 * between(rng, -16, 60)
    fahrenheit = celsius * 9 // 5 + 32
    if rng.random() < 0.5:
        slips = [celsius + 10, (fahrenheit * 5) // 9, celsius - 5]
        return draft(
            f"{celsius} °C", [f"{s} °C" for s in slips], n=fahrenheit, given="°F", asked="°C"
        )
    slips = [fahrenheit - 32, fahrenheit + 10, celsius * 2 + 30, fahrenheit - 4]
    return draft(f"{fahrenheit} °F", [f"{s} °F" for s in slips], n=celsius, given="°C", asked="°F")


def rectangle(rng: Generator) -> Draft:
    a, b = between(rng, 11, 95), between(rng, 11, 95)
    return draft(a * b, [2 * (a + b), a * b + a, a * b - b, swapped(a * b)], a=a, b=b)


def box(rng: Generator) -> Draft:
    a, b, c = (between(rng, 3, 25) for _ in range(3))
    right = a * b * c
    return draft(right, [2 * (a * b + b * c + a * c), right + a * b, a * b + c], a=a, b=b, c=c)


def hypotenuse(rng: Generator) -> Draft:
    (a, b, c), k = one_of(rng, TRIPLES), between(rng, 1, 25)
    a, b, c = a * k, b * k, c * k
    return draft(c, [a + b, c + k, c - 1, b + k], a=a, b=b)


def polygon(rng: Generator) -> Draft:
    n = between(rng, 5, 120)
    return draft((n - 2) * 180, [n * 180, (n - 1) * 180, (n - 2) * 90, 360], n=n)


# Tables


def element_symbol(rng: Generator) -> Draft:
    z = between(rng, 1, 118)
    return draft(ELEMENT_SYMBOLS[z - 1], _symbol_slips(z), element=ELEMENT_NAMES[z - 1])


def element_of_symbol(rng: Generator) -> Draft:
    z = between(rng, 1, 118)
    return draft(ELEMENT_NAMES[z - 1], _neighbours(z), symbol=ELEMENT_SYMBOLS[z - 1])


def atomic_number(rng: Generator) -> Draft:
    z = between(rng, 1, 118)
    return draft(
        z, [z + 1, max(z - 1, 2), z + 2, swapped(z) or z + 3], element=ELEMENT_NAMES[z - 1]
    )


def element_of_number(rng: Generator) -> Draft:
    z = between(rng, 1, 118)
    return draft(ELEMENT_NAMES[z - 1], _neighbours(z), z=z)


def period(rng: Generator) -> Draft:
    z = between(rng, 3, 118)
    right = sum(z > noble for noble in NOBLE_GASES) + 1
    return draft(right, [right + 1, right - 1], element=ELEMENT_NAMES[z - 1])


def capital(rng: Generator) -> Draft:
    country = one_of(rng, tuple(CAPITAL_OF))
    return draft(CAPITAL_OF[country], city_slips(rng, country), country=with_article(country))


def country_of_capital(rng: Generator) -> Draft:
    country = one_of(rng, tuple(CAPITAL_OF))
    near = [other for other in CAPITAL_OF if REGION_OF[other] == REGION_OF[country]]
    return draft(
        country, [one_of(rng, near) for _ in range(6)] + near[:2], city=CAPITAL_OF[country]
    )


def state_capital(rng: Generator) -> Draft:
    state = one_of(rng, tuple(STATE_CAPITAL))
    others = [one_of(rng, tuple(STATE_CAPITAL.values())) for _ in range(4)]
    return draft(STATE_CAPITAL[state], others, state=state)


def state_code(rng: Generator) -> Draft:
    state = one_of(rng, tuple(STATE_CODE))
    return draft(STATE_CODE[state], [*code_slips(state), one_of(rng, CODES)], state=state)


def spelling_word(rng: Generator) -> Draft:
    word = one_of(rng, SPELLING_ALPHABET)
    slips = {"A": "Adam", "B": "Baker", "D": "Dog", "N": "Nectar", "S": "Sugar", "T": "Tommy"}
    others = [slips.get(word[0], ""), *(one_of(rng, SPELLING_ALPHABET) for _ in range(3))]
    return draft(word, [other for other in others if other], letter=word[0])


def letter_count(rng: Generator) -> Draft:
    words = [w for w in (*ELEMENT_NAMES, *STATE_CODE, *CAPITAL_OF) if w.isascii() and w.isalpha()]
    word = one_of(rng, words)
    n = len(word)
    return draft(n, [n + 1, n - 1, n + 2], word=word)


def city_slips(rng: Generator, country: str) -> list[str]:
    """Give the country's better-known city, if it has one, and capitals of the region."""
    near = [CAPITAL_OF[c] for c in CAPITAL_OF if REGION_OF[c] == REGION_OF[country]]
    known = [OTHER_CITY_OF[country]] if country in OTHER_CITY_OF else []
    return known + [one_of(rng, near) for _ in range(4)] + near[:2]


def code_slips(name: str) -> list[str]:
    """Give pairs of letters of a name that could be a postal abbreviation."""
    return [(name[0] + letter).upper() for letter in (name[1], name[-1], name[3])]


def _neighbours(z: int) -> list[str]:
    return [ELEMENT_NAMES[other - 1] for other in (z + 1, z - 1, z + 2, z - 2) if 1 <= other <= 118]


def _symbol_slips(z: int) -> list[str]:
    name, symbol = ELEMENT_NAMES[z - 1], ELEMENT_SYMBOLS[z - 1]
    spelled = [name[:2].capitalize(), (name[0] + name[2]).capitalize(), name[0].upper()]
    # "Na" for natrium is right for sodium only: a slip may not be this element's own symbol.
    near = [ELEMENT_SYMBOLS[other - 1] for other in (z + 1, z - 1) if 1 <= other <= 118]
    return [slip for slip in (*spelled, *near) if slip != symbol]
