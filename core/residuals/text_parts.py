"""What the text features count in a text: words, numbers, dates, quotations, syllables.

Every pattern here is matched in time linear in the text: bounded repeats, or character classes
that a failed match can't start over.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import lru_cache
from typing import Any, Generic, TypeVar

from core.residuals.wordlists import MONTHS, NUMBER_WORDS

# Chinese and Japanese write no spaces: each character is a word. The marks of scripts whose vowels
# or accents are characters of their own belong to the word around them.
_UNSPACED = "\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
_MARKS = "\u0300-\u036f\u0591-\u05c7\u0610-\u061a\u064b-\u065f\u0900-\u0963\u0966-\u0e7f"
_LETTER = f"[\\w{_MARKS}]"
_WORD = re.compile(f"{_LETTER}++(?:'{_LETTER}++)*+")
_ASCII_WORD = re.compile(r"[a-z0-9]++(?:'[a-z0-9]++)*+")
# Bytes tables for text in ASCII, several times faster than patterns.
_ASCII_SPACES = bytes(code if chr(code).isalnum() else 32 for code in range(256))
_NO_ASCII_LETTERS = bytes(code for code in range(128) if not chr(code).isalpha())
_UNSPACED_RUN = re.compile(f"[{_UNSPACED}]+")
_ALPHABETIC = re.compile(r"[^\W\d_]+")
_NON_ASCII_ALPHABETIC = re.compile(r"[^\W\d_\x00-\x7f]+")
_SENTENCE_END = re.compile(r"[.!?。！？](?:(?<=[。！？])|(?=\s)|\Z)")
_QUOTED = re.compile('"[^"]*"|“[^“”]*”|«[^«»]*»|„[^„“”]*[“”]|「[^「」]*」')
_VOWELS = re.compile("[aeiouy]+")
_NUMBER = re.compile(r"\d\d*+(?:[.,]\d++)*+")

# The ways to write a date. Patterns start with a figure or a month's letters, for which the
# matcher skips ahead; that no figure stands before is therefore asked after the first one.
_MONTH = "(?:" + "|".join(sorted(MONTHS, key=len, reverse=True)) + r")\b\.?"
_GAP = r"[\s,]{1,3}"
_FIRST = r"\d(?<![\d.,]\d)"
_DAY_FIRST = re.compile(
    rf"{_FIRST}\d?(?:st|nd|rd|th)?{_GAP}(?:of\s)?{_MONTH}(?:{_GAP}\d{{4}}(?!\d))?"
)
_MONTH_FIRST = {
    month: re.compile(
        rf"{month}(?<!\w{month})\b\.?{_GAP}"
        rf"(?:(?P<day>\d{{1,2}})(?!\d)(?:st|nd|rd|th)?(?:{_GAP}\d{{4}}(?!\d))?|\d{{4}}(?!\d))"
    )
    for month in MONTHS
}
_FIGURES = re.compile(
    rf"{_FIRST}(?:(?P<iso>\d{{3}}[-/.]\d{{1,2}}[-/.]\d{{1,2}})(?!\d)"
    r"|(?P<slashed>\d?[-/.]\d{1,2}[-/.]\d{4})(?!\d)"
    r"|(?P<year>(?<=1)\d{3}|(?<=2)0\d{2})(?!\d|[.,]\d))"
)

#: A date: year, month, day, None for what isn't said.
Date = tuple[int | None, int | None, int | None]


Part = TypeVar("Part")


class part(Generic[Part]):  # noqa: N801
    """A value computed once per object: functools' own takes a lock each time, in Python 3.11."""

    def __init__(self, compute: Callable[[Any], Part]) -> None:
        self.compute = compute
        self.__doc__ = compute.__doc__

    def __get__(self, owner: Any, kind: type) -> Part:
        value = self.compute(owner)
        owner.__dict__[self.compute.__name__] = value
        return value


class Text:
    """A text and its parts, each found once and only when asked for."""

    def __init__(self, text: str) -> None:
        self.raw = text
        self.lower = text.lower()

    @part
    def words(self) -> list[str]:
        """Lower-case words; a Chinese or Japanese character is one."""
        if self.lower.isascii():
            if "'" not in self.lower:
                return self.lower.encode().translate(_ASCII_SPACES).decode().split()
            return _ASCII_WORD.findall(self.lower)
        text = self.lower.replace("’", "'").replace("_", " ")
        if self.has_unspaced:
            text = _UNSPACED_RUN.sub(lambda run: f" {' '.join(run.group())} ", text)
        return _WORD.findall(text)

    @part
    def distinct(self) -> frozenset[str]:
        """The different words."""
        return frozenset(self.words)

    @part
    def _split(self) -> tuple[list[tuple[Date, ...]], str]:
        """The dates, each with its possible readings, and the text without them."""
        dates: list[tuple[Date, ...]] = []

        def take(match: re.Match[str]) -> str:
            readings = _readings(match)
            if readings:
                dates.append(readings)
                return " "
            return match.group()

        text = self.lower
        if not _NUMBER.search(text):
            return [], text
        months = self.distinct & MONTHS.keys()
        for pattern in (_DAY_FIRST, *(_MONTH_FIRST[month] for month in sorted(months))):
            text = pattern.sub(take, text) if months else text
        return dates, _FIGURES.sub(take, text)

    @part
    def dates(self) -> list[tuple[Date, ...]]:
        """Its dates and years; 3/4/2021 has two readings."""
        return self._split[0]

    @part
    def numbers(self) -> frozenset[str]:
        """Its different numbers in figures, dates left out; "1,500.0" is "1500"."""
        return frozenset(plain_number(found) for found in _NUMBER.findall(self._split[1]))

    @part
    def quoted(self) -> int:
        """Characters between quotation marks, the marks left out."""
        return sum(len(found) - 2 for found in _QUOTED.findall(self.raw))

    @part
    def sentences(self) -> int:
        """Sentences, by their full stops, question and exclamation marks; at least 1."""
        return max(len(_SENTENCE_END.findall(self.raw.rstrip())), 1)

    @part
    def letters(self) -> int:
        """Letters of any script."""
        if self.raw.isascii():
            return len(self.raw.encode().translate(None, _NO_ASCII_LETTERS))
        return sum(map(len, _ALPHABETIC.findall(self.raw)))

    @part
    def foreign_letters(self) -> int:
        """Letters outside a–z and A–Z, é and ж alike."""
        if self.raw.isascii():
            return 0
        return sum(map(len, _NON_ASCII_ALPHABETIC.findall(self.raw)))

    @part
    def has_unspaced(self) -> bool:
        """Whether Chinese or Japanese characters occur."""
        return not self.raw.isascii() and bool(_UNSPACED_RUN.search(self.raw))

    @part
    def known_numbers(self) -> frozenset[str]:
        """What supports a number elsewhere: its own, its years, and numbers written as words."""
        years = {str(year) for readings in self.dates for year, _, _ in readings if year}
        written = {NUMBER_WORDS[word] for word in self.distinct & NUMBER_WORDS.keys()}
        return self.numbers | years | written

    @part
    def known_dates(self) -> frozenset[Date]:
        """What supports a date elsewhere: its own, and what they imply (a date its year)."""
        known: set[Date] = set()
        for readings in self.dates:
            for year, month, day in readings:
                known |= {(year, month, day), (year, month, None), (year, None, None)}
                known |= {(None, month, day), (None, month, None)}
        known |= {(int(number), None, None) for number in self.numbers
                  if len(number) == 4 and number.isdecimal()}  # fmt: skip
        return frozenset(known)


def plain_number(found: str) -> str:
    """Return a number in one form: no thousands separators, no idle zeros, western figures.

    Examples
    --------
    >>> [plain_number(text) for text in ("1,500", "1.500.000", "3.50", "3,5", "007", "٣")]
    ['1500', '1500000', '3.5', '3.5', '7', '3']
    """
    text = found if found.isascii() else "".join(_western(character) for character in found)
    for mark, other in ((",", "."), (".", ",")):
        head, *rest = text.split(mark)
        groups = bool(rest) and len(head) <= 3 and all(
            len(group.split(other)[0]) == 3 for group in rest
        )  # fmt: skip
        # A lone "1.500" is a decimal number, a lone "1,500" is not.
        if groups and other not in head and (mark == "," or len(rest) > 1 or other in text):
            text = text.replace(mark, "")
            break
    whole, _, fraction = text.replace(",", ".").partition(".")
    fraction = fraction.rstrip("0")
    return (whole.lstrip("0") or "0") + (f".{fraction}" if fraction else "")


@lru_cache(maxsize=32_768)
def syllables(word: str) -> int:
    """Return an English word's syllables by rule: vowel runs, less a silent final e; at least 1.

    Right for most words, and off by one for the rest: "create" gets one.

    Examples
    --------
    >>> [syllables(word) for word in ("the", "table", "annotation", "rate", "x", "create")]
    [1, 2, 4, 1, 1, 1]
    """
    count = len(_VOWELS.findall(word))
    if word.endswith("e") and not word.endswith(("le", "ee", "ie", "oe", "ue", "ye")):
        count -= 1
    return max(count, 1)


def _western(character: str) -> str:
    return str(int(character)) if character.isdecimal() else character


def _readings(match: re.Match[str]) -> tuple[Date, ...]:
    """Return the dates that a match can stand for; none if there is no such day."""
    text = match.group()
    kind = match.lastgroup
    if kind == "year":
        return ((int(text), None, None),)
    if kind in ("iso", "slashed"):
        first, second, third = (int(figure) for figure in re.split("[-/.]", text))
        found = [(first, second, third)]
        if kind == "slashed":
            found = [(third, second, first), (third, first, second)]
        real = [date for date in found if 1 <= date[1] <= 12 and 1 <= date[2] <= 31]
        return tuple(dict.fromkeys(real))
    month = next(MONTHS[word] for word in re.findall("[a-z]+", text) if word in MONTHS)
    figures = [int(found) for found in re.findall(r"\d+", text)]
    year = next((figure for figure in figures if figure > 99), None)
    day = next((figure for figure in figures if figure <= 99), None)
    return ((year, month, day),) if day is None or 1 <= day <= 31 else ()
