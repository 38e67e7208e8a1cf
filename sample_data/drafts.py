"""Drafts of questions, and the small tools that topics make them with."""

from __future__ import annotations

import datetime as dt
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TypeVar

from numpy.random import Generator

T = TypeVar("T")
WEEKDAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
MONTHS = (
    *("January", "February", "March", "April", "May", "June"),
    *("July", "August", "September", "October", "November", "December"),
)
ROMAN_SIGNS = {
    "M": 1000,
    "CM": 900,
    "D": 500,
    "CD": 400,
    "C": 100,
    "XC": 90,
    "L": 50,
    "XL": 40,
    "X": 10,
    "IX": 9,
    "V": 5,
    "IV": 4,
    "I": 1,
}
BASES = {"binary": "b", "octal": "o", "hexadecimal": "X"}


@dataclass(frozen=True)
class Draft:
    """A question before its wording: `wrong` holds at least one answer that is not `answer`."""

    fields: dict[str, str]
    answer: str
    wrong: tuple[str, ...]


def draft(answer: object, wrong: Sequence[object], **fields: object) -> Draft:
    """Give a draft without the wrong answers that repeat, or happen to be right."""
    right = str(answer)
    others = tuple(dict.fromkeys(str(value) for value in wrong if str(value) != right))
    if not others:
        raise RuntimeError(f"No wrong answer is left for {fields!r}.")
    return Draft({name: str(value) for name, value in fields.items()}, right, others)


def between(rng: Generator, low: int, high: int) -> int:
    """Draw a whole number, both ends included."""
    return int(rng.integers(low, high + 1))


def one_of(rng: Generator, values: Sequence[T]) -> T:
    """Draw one of the values."""
    return values[int(rng.integers(len(values)))]


def two_of(rng: Generator, values: Sequence[T]) -> tuple[T, T]:
    """Draw two different values, in order of the draw."""
    first, second = rng.choice(len(values), size=2, replace=False)
    return values[int(first)], values[int(second)]


def plain(number: Fraction) -> str:
    """Write a number whose decimals end: 7/2 is 3.5, 4/1 is 4."""
    scaled = number * 10**6
    if scaled.denominator != 1:
        raise ValueError(f"'number' must have at most six decimals; got {number!r}.")
    text = f"{abs(scaled.numerator):07d}"
    sign = "-" if number < 0 else ""
    return sign + f"{text[:-6]}.{text[-6:]}".rstrip("0").rstrip(".")


def date_text(day: dt.date) -> str:
    return f"{day.day} {MONTHS[day.month - 1]} {day.year}"


def draw_date(rng: Generator, first_year: int = 1800, last_year: int = 2060) -> dt.date:
    first = dt.date(first_year, 1, 1).toordinal()
    last = dt.date(last_year, 12, 31).toordinal()
    return dt.date.fromordinal(between(rng, first, last))


def ordinal(number: int) -> str:
    """Write 1 as 1st, 12 as 12th, 23 as 23rd."""
    last = number % 10 if number // 10 % 10 != 1 else 0
    return f"{number}{ {1: 'st', 2: 'nd', 3: 'rd'}.get(last, 'th') }"


def roman(number: int) -> str:
    """Write 1 … 3999 in Roman numerals."""
    text = ""
    for sign, value in ROMAN_SIGNS.items():
        text += sign * (number // value)
        number %= value
    return text


def loose_roman(number: int) -> str:
    """Write a number with the mistake of never subtracting: 4 as IIII."""
    text = roman(number)
    for short, long in (("CM", "DCCCC"), ("CD", "CCCC"), ("XC", "LXXXX"), ("XL", "XXXX")):
        text = text.replace(short, long)
    return text.replace("IX", "VIIII").replace("IV", "IIII")


def swapped(number: int) -> int:
    """Exchange the last two digits, as when copying in haste."""
    tens, units = number // 10 % 10, number % 10
    return number + 9 * (units - tens)
