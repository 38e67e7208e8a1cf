"""The sample questions, solved again from their text alone.

It shares the tables of names with the maker of the sample data, and none of its sums.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable
from fractions import Fraction

import numpy as np
import pandas as pd

from sample_data import facts

# The periodic table again, period by period.
_PERIODS = """
    H He
    Li Be B C N O F Ne
    Na Mg Al Si P S Cl Ar
    K Ca Sc Ti V Cr Mn Fe Co Ni Cu Zn Ga Ge As Se Br Kr
    Rb Sr Y Zr Nb Mo Tc Ru Rh Pd Ag Cd In Sn Sb Te I Xe
    Cs Ba La Ce Pr Nd Pm Sm Eu Gd Tb Dy Ho Er Tm Yb Lu Hf Ta W Re Os Ir Pt Au Hg Tl Pb Bi Po At Rn
    Fr Ra Ac Th Pa U Np Pu Am Cm Bk Cf Es Fm Md No Lr Rf Db Sg Bh Hs Mt Ds Rg Cn Nh Fl Mc Lv Ts Og
"""
PERIODS = [row.lower().split() for row in _PERIODS.strip().splitlines()]
SYMBOLS = [symbol for row in PERIODS for symbol in row]
NUMBER = {name: place for place, name in enumerate(facts.ELEMENT_NAMES, start=1)}
# Postal abbreviations in the order of the states' names.
_CODES = """
    AL AK AZ AR CA CO CT DE FL GA HI ID IL IN IA KS KY LA ME MD MA MI MN MS MO MT NE NV NH NJ NM NY
    NC ND OH OK OR PA RI SC SD TN TX UT VT VA WA WV WI WY
"""
CODES = _CODES.split()
CAPITALS = {country.lower(): city for country, city in facts.CAPITAL_OF.items()}
COUNTRIES = {city.lower(): country for country, city in facts.CAPITAL_OF.items()}
STATES = {state.lower(): city for state, city in facts.STATE_CAPITAL.items()}
STATE_OF = {city.lower(): state for state, city in facts.STATE_CAPITAL.items()}
# How many of a small unit of its kind each unit holds.
_SIZES = """
    inches=2.54 feet=30.48 yards=91.44 miles=160934.4 millimetres=0.1 centimetres=1 metres=100
    kilometres=100000 grams=1 kilograms=1000 tonnes=1000000 ounces=1 pounds=16 millilitres=1
    litres=1000 seconds=1 minutes=60 hours=3600 days=86400 weeks=604800
"""
SIZES = {unit: Fraction(text) for unit, text in (pair.split("=") for pair in _SIZES.split())}
BASE = {"binary": 2, "octal": 8, "hexadecimal": 16}
_UNITS, _TENS = "- I II III IV V VI VII VIII IX", "- X XX XXX XL L LX LXX LXXX XC"
_HUNDREDS, _THOUSANDS = "- C CC CCC CD D DC DCC DCCC CM", "- M MM MMM"
ROMAN_DIGITS = [row.split() for row in (_UNITS, _TENS, _HUNDREDS, _THOUSANDS)]
_WEEKDAYS = "saturday sunday monday tuesday wednesday thursday friday"
_MONTHS = "jan feb mar apr may jun jul aug sep oct nov dec"
_STEPS = "zero one two three four five"


def roman(n: int) -> str:
    places = [ROMAN_DIGITS[place][int(digit)] for place, digit in enumerate(reversed(str(n)))]
    return "".join(reversed(places)).replace("-", "")


ROMAN = {roman(n): n for n in range(1, 3500)}


def decimal(value: Fraction) -> str:
    return f"{float(value):.6f}".rstrip("0").rstrip(".")


def ordinal(n: int) -> str:
    ending = "th" if 10 < n % 100 < 20 else {1: "st", 2: "nd", 3: "rd"}.get(n % 10, "th")
    return f"{n}{ending}"


def day(text: str) -> np.datetime64:
    number, month, year = text.split()
    place = _MONTHS.split().index(month[:3]) + 1
    return np.datetime64(f"{year}-{place:02d}-{int(number):02d}")


def weekday(date: np.datetime64) -> str:
    """Zeller's congruence."""
    year, month, number = (int(part) for part in str(date).split("-"))
    if month < 3:
        year, month = year - 1, month + 12
    place = (number + 13 * (month + 1) // 5 + year + year // 4 - year // 100 + year // 400) % 7
    return _WEEKDAYS.split()[place]


def common(a: int, b: int) -> int:
    return max(d for d in range(1, min(a, b) + 1) if a % d == 0 == b % d)


def multiple(a: int, b: int) -> int:
    return next(m for m in itertools.count(a, a) if m % b == 0)


def prime(n: int) -> bool:
    return sum(n % d == 0 for d in range(1, n + 1)) == 2


def named(symbol: str) -> str:
    return facts.ELEMENT_NAMES[SYMBOLS.index(symbol)]


def bare(country: str) -> str:
    return country.removeprefix("the ")


def size(measure: str) -> Fraction:
    amount, unit = measure.split()
    return Fraction(amount) * SIZES[unit]


def clock(time: str, hours: int, minutes: int) -> str:
    start = np.datetime64(f"2000-01-01T{time}")
    return str(start + np.timedelta64(hours, "h") + np.timedelta64(minutes, "m"))[11:16]


def term(k: str, terms: str) -> int:
    known = [int(one) for one in terms.split(", ")]
    while len(known) < int(k[:-2]):
        known.append(known[-1] + known[1] - known[0])
    return known[-1]


def yes(truth: bool) -> str:
    return "yes" if truth else "no"


def heat(n: int, given: str, asked: str) -> str:
    value = Fraction(n - 32) * 5 / 9 if given == "f" else Fraction(n) * 9 / 5 + 32
    return f"{decimal(value)} °{asked}"


def code(state: str) -> str:
    return CODES[sorted(STATES).index(state)]


def period(symbol: str) -> int:
    return next(place for place, row in enumerate(PERIODS, start=1) if symbol in row)


def countries(both: str) -> tuple[str, str]:
    """Split "a and b", where Trinidad and Tobago has an "and" of its own."""
    parts = both.split(" and ")
    splits = [(" and ".join(parts[:k]), " and ".join(parts[k:])) for k in range(1, len(parts))]
    (pair,) = [(bare(a), bare(b)) for a, b in splits if {bare(a), bare(b)} <= CAPITALS.keys()]
    return pair


# A wording a line; N is a whole number, A an amount, D a date, W a word and X any text.
SOLVERS: dict[str, Callable[..., object]] = {
    """
    (?:what is )?N (?:×|times|multiplied by) N
    what do you get if you multiply N by N
    what is the product of N and N
    """: lambda a, b: a * b,
    """
    (?:what is )?N (?:−|minus|take away) N
    by how much is N greater than N
    what is the difference of N and N
    """: lambda a, b: a - b,
    """
    what remainder is left when N is divided by N
    (?:what is the )?remainder of N divided by N
    what is N mod N
    """: lambda a, b: a - a // b * b,
    "(?:how much is |what is )?N(?:%| percent) of N": lambda p, n: decimal(Fraction(p * n, 100)),
    """
    how many (?:positive )?divisors does N have
    what is the number of positive divisors of N
    """: lambda n: sum(n % d == 0 for d in range(1, n + 1)),
    """
    which prime number comes next after N
    what is the (?:next prime number after|smallest prime above) N
    """: lambda n: next(m for m in itertools.count(n + 1) if prime(m)),
    """
    what is the largest whole number that divides both N and N
    (?:what is the )?greatest common (?:factor|divisor) of N and N
    """: common,
    """
    what is the smallest positive number divisible by both N and N
    (?:lcm|what is the least common multiple) of N and N
    """: multiple,
    """
    (?:what do all whole|sum of the) numbers from 1 to N(?: add up to)?
    what is the sum of the whole numbers up to N
    """: lambda n: sum(range(n + 1)),
    """
    what is the W number in the sequence X, … with equal steps
    what is the W term of the arithmetic sequence X(?:, …)
    what is the W term of the arithmetic sequence X
    """: term,
    """
    what is the fraction N/N in its lowest terms
    simplify N/N
    what is the lowest form of N/N
    """: lambda a, b: f"{a // common(a, b)}/{b // common(a, b)}",
    """
    how (?:is|do you write) N (?:written )?in roman numerals
    N in roman numerals
    what is the roman numeral of N
    """: roman,
    """
    which number do the roman numerals W stand for
    what number is W in roman numerals
    what is the value of the roman numeral W
    """: lambda r: ROMAN[r.upper()],
    """
    how is the decimal number N written in W
    convert N to (?!°)W
    """: lambda n, base: np.base_repr(n, BASE[base]),
    "what is the W form of N": lambda base, n: np.base_repr(n, BASE[base]),
    "which decimal number is written W in W": lambda digits, base: int(digits, BASE[base]),
    """
    what is W W in decimal
    what is the decimal value of the W number W
    """: lambda base, digits: int(digits, BASE[base]),
    """
    on which day of the week does D fall
    (?:which|what) day of the week is D(?: in the gregorian calendar)?
    D day of the week
    what is the weekday of D
    """: weekday,
    """
    how many days after D is D
    how many days from D to D
    what is the number of days from D to D
    """: lambda first, last: (last - first).astype(int),
    """
    (?:which date comes|what date is) N days after D
    what is the date of the day N days after D
    N days from D
    """: lambda n, date: pd.Timestamp(date + n).strftime("%d %B %Y").lstrip("0"),
    """
    to which century does the year N belong
    what century is the year N
    what is the century of the year N
    """: lambda year: ordinal(-(-year // 100)),
    "a clock shows X. what does it show N h N min later .24-hour clock.": clock,
    "what time is it N hours and N minutes after X .24-hour clock.": lambda h, m, t: clock(t, h, m),
    """
    how many W (?:are there )?in A
    what is the number of W in A
    """: lambda unit, amount: decimal(size(amount) / SIZES[unit]),
    "A (?:are how many|to) W": lambda amount, unit: decimal(size(amount) / SIZES[unit]),
    """
    what is a temperature of N °W in °W
    (?:convert )?N °W to °W
    """: heat,
    "what is the value in °W of N °W": lambda asked, n, given: heat(n, given, asked),
    """
    what is the area of a rectangle (?:with sides )?of N (?:and|by) N
    area of a N by N rectangle
    """: lambda a, b: a * b,
    """
    what is the volume of a box that measures N by N by N
    (?:what is the )?volume of a box (?:of )?N by N by N
    """: lambda a, b, c: a * b * c,
    """
    how long is the hypotenuse of a right triangle with legs of N and N
    (?:what is the )?hypotenuse of a right triangle with legs N and N
    """: lambda a, b: next(c for c in range(a + b) if c * c == a * a + b * b),
    """
    how many degrees do the interior angles of a polygon with N sides add up to
    (?:what is the )?sum (?:in degrees )?of (?:the )?interior angles of a polygon with N sides
    """: lambda n: 180 * n - 360,
    """
    which chemical symbol does W have
    symbol for W on the periodic table
    what is the chemical symbol of W
    """: lambda element: SYMBOLS[NUMBER[element] - 1],
    """
    which chemical element has the symbol W
    what element is W on the periodic table
    what is the name of the element with the symbol W
    """: named,
    """
    how many protons does (?:an atom of )?W have
    what is the atomic number of W
    """: lambda element: NUMBER[element],
    """
    which chemical element has atomic number N
    what element has N protons
    what is the name of the element with atomic number N
    """: lambda z: facts.ELEMENT_NAMES[z - 1],
    """
    in which period of the periodic table does W stand
    what period is W in
    what is the period of W
    """: lambda element: period(SYMBOLS[NUMBER[element] - 1]),
    """
    which city is the capital of the us state of X
    capital of the state of X
    what is the capital of the us state X
    """: lambda state: STATES[state],
    """
    which two letters stand for X in a us postal address
    (?:what is the )?postal abbreviation (?:for|of) (?!the us)X
    """: code,
    """
    which city is the capital of X
    what is the capital(?: city)? of X
    """: lambda country: CAPITALS[bare(country)],
    """
    X is the capital of (?:which|what) country
    what is the country of the capital X
    """: lambda city: COUNTRIES[city],
    """
    which word stands for W in the nato spelling alphabet
    what is W in the nato phonetic alphabet
    what is the nato spelling word of the letter W
    """: lambda letter: next(w for w in facts.SPELLING_ALPHABET if w.lower()[0] == letter),
    """
    how many letters (?:are there in the word “|in )W”?
    what is the number of letters in “W”
    """: len,
    "how many letters are in the name of the capital of X": lambda c: len(CAPITALS[bare(c)]),
    "which country's capital has the longer name: X or X": lambda a, b: max(
        bare(a), bare(b), key=lambda country: len(CAPITALS[country])
    ),
    "do the names of the capitals of X begin with the same letter": lambda both: yes(
        len({CAPITALS[country][0] for country in countries(both)}) == 1
    ),
    "what is the postal abbreviation of the us state whose capital is X": lambda city: code(
        STATE_OF[city].lower()
    ),
    "what is the sum of the atomic numbers of W and W": lambda a, b: NUMBER[a] + NUMBER[b],
    "which has more protons: W or the element with the symbol W": lambda element, symbol: max(
        element, named(symbol), key=NUMBER.__getitem__
    ),
    "which element stands W places? after the element with the symbol W in order .* number": (
        lambda steps, symbol: named(SYMBOLS[SYMBOLS.index(symbol) + _STEPS.split().index(steps)])
    ),
    "which element has the atomic number N × N . N": lambda a, b, c: facts.ELEMENT_NAMES[
        a * b + c - 1
    ],
    "how is the atomic number of W written in roman numerals": lambda element: roman(
        NUMBER[element]
    ),
    "how is the atomic number of W written in W": lambda element, base: np.base_repr(
        NUMBER[element], BASE[base]
    ),
    "what is W plus W, written in roman numerals": lambda a, b: roman(
        ROMAN[a.upper()] + ROMAN[b.upper()]
    ),
    "on which day of the week is the date that comes N days after D": lambda n, date: weekday(
        date + n
    ),
    "do D and D fall on the same day of the week": lambda a, b: yes(weekday(a) == weekday(b)),
    "what is the area of the square whose perimeter equals that of a N by N rectangle": (
        lambda a, b: decimal(Fraction(2 * (a + b), 4) ** 2)
    ),
    "what remainder does the product of N and N leave when divided by N": lambda a, b, c: (
        sum([a] * b) % c
    ),
    "how much is N% of N% of N": lambda p, q, n: decimal(Fraction(p, 100) * q / 100 * n),
    "what is the sum of the digits of N × N": lambda a, b: sum(
        a * b // 10**place % 10 for place in range(5)
    ),
    "how many times does the greatest common divisor of N and N go into their least .* multiple": (
        lambda a, b: multiple(a, b) // common(a, b)
    ),
    "which is longer: A or A": lambda a, b: max(a, b, key=size),
}


READERS: dict[str, tuple[str, Callable[[str], object]]] = {
    "N": (r"(?P<N{}>-?\d+)", int),
    "A": (r"(?P<A{}>[\d.]+ \w+)", str),
    "D": (r"(?P<D{}>\d+ [a-z]+ \d{{4}})", day),
    "W": (r"(?P<W{}>\w+)", str),
    "X": (r"(?P<X{}>.+)", str),
}


def compiled(wording: str) -> re.Pattern[str]:
    count = itertools.count()
    return re.compile(
        re.sub(r"\b[NADWX]\b", lambda found: READERS[found[0]][0].format(next(count)), wording)
    )


COMPILED = [
    (compiled(wording.strip()), answer)
    for wordings, answer in SOLVERS.items()
    for wording in wordings.strip().splitlines()
]


def solve(question: str) -> str:
    """Work out the answer of a sample question, in lower case."""
    text = question.lower().removesuffix("?")
    for pattern, answer in COMPILED:
        found = pattern.fullmatch(text)
        if found is not None:
            values = [READERS[name[0]][1](value) for name, value in found.groupdict().items()]
            return str(answer(*values)).lower()
    raise LookupError(f"No solver reads {question!r}.")
