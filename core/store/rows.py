"""The mapped cells of a file's rows, with the problems found in them so far."""

from __future__ import annotations

from functools import cache
from typing import Final

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from core.store.mapping import Mapping
from core.store.parsing import FALSE_WORDS, TRUE_WORDS, numbers, point_for_comma, truth_values
from core.store.problems import Problem, shorten
from core.store.readers import RawTable

Mask = NDArray[np.bool_]
Codes = NDArray[np.int64]
Floats = NDArray[np.float64]

WORDS: Final = ", ".join(
    f"{true}/{false}" for true, false in zip(TRUE_WORDS, FALSE_WORDS, strict=True)
)


class Rows:
    """Columns by name, as text, truth values or numbers; `bad` marks rows that an error takes out.

    `counts` counts the cells that were refused, by kind.
    """

    def __init__(self, raw: RawTable, mapping: Mapping) -> None:
        self.raw = raw
        self.mapping = mapping
        self.n = len(raw.line)
        self.bad: Mask = raw.unreadable.copy()
        self.problems: list[Problem] = list(raw.problems)
        self.counts: dict[str, int] = {}
        self._text: dict[str, pd.Series] = {}
        self.constant = cache(self._constant)

    def text(self, column: str | None) -> pd.Series:
        """A column in which empty cells are missing; all missing without a column."""
        if column is None:
            return self.constant(None)
        if column not in self._text:
            given = self.raw.frame[column]
            blank = (given == "").to_numpy(dtype=bool, na_value=False)
            self._text[column] = given.mask(blank) if blank.any() else given
        return self._text[column]

    def filled(self, column: str | None) -> Mask:
        """True where a column has text."""
        return self.text(column).notna().to_numpy()

    def _constant(self, text: str | None) -> pd.Series:
        one = pd.Series([text], dtype="str")
        return one.repeat(self.n).reset_index(drop=True)

    def report(
        self, where: Mask, column: str, message: str, *, severity: str = "error", count: str = ""
    ) -> None:
        """Add a problem for each of these rows; ``{value}`` in the message is the cell.

        ``{point}`` is the number that a cell with a decimal comma means.
        """
        places = np.flatnonzero(where & ~self.raw.unreadable)
        if not len(places):
            return
        if severity == "error":
            self.bad[places] = True
        if count:
            self.counts[count] = self.counts.get(count, 0) + len(places)
        cells = self.text(column).iloc[places].to_list()
        for place, cell in zip(places, cells, strict=True):
            value = shorten(cell)
            point = point_for_comma(value) or "" if "{point}" in message else ""
            told = message.replace("{point}", point).replace("{value}", repr(value))
            self.add(int(place), column, value, told, severity)

    def add(self, place: int, column: str, value: str, message: str, severity: str) -> None:
        """Add one problem at one row."""
        file, line = self.raw.file[place], int(self.raw.line[place])
        self.problems.append(Problem(file, line, column, value, message, severity))

    def truth(self, column: str) -> pd.Series:
        """A column of labels; cells that aren't true or false are errors."""
        values, unreadable = truth_values(self.text(column))
        message = f"must be one of {WORDS}; got {{value}}"
        self.report(unreadable, column, message, count="unreadable_labels")
        return pd.Series(values)

    def numbers(self, column: str, *, finite: bool = True) -> Floats:
        """A column of numbers; cells that aren't any are errors."""
        values, unreadable = numbers(self.text(column))
        bad, requirement = unreadable, "a number"
        if finite:
            bad, requirement = unreadable | np.isinf(values), "a finite number"
        message, count = f"must be {requirement}; got {{value}}", "unreadable_numbers"
        commas = np.zeros(self.n, dtype=bool)
        refused = np.flatnonzero(bad)
        cells = self.text(column).iloc[refused].to_list()
        commas[refused] = [point_for_comma(cell) is not None for cell in cells]
        self.report(bad & ~commas, column, message, count=count)
        hint = message + "; write {point}: a decimal point, not a comma"
        self.report(commas, column, hint, count=count)
        return values

    def where(self, row: int) -> str:
        """Where a row stands, for a message about two rows."""
        line = f"line {self.raw.line[row]}"
        return line if len(self.raw.formats) == 1 else f"{self.raw.file[row]} {line}"


def codes(values: pd.Series) -> Codes:
    """A number for each distinct value; −1 where it is missing."""
    if isinstance(values.dtype, pd.StringDtype):
        return pd.factorize(values)[0].astype(np.int64)
    return pd.factorize(values.to_numpy(dtype=np.float64, na_value=np.nan))[0].astype(np.int64)


def combine(*parts: Codes) -> Codes:
    """One number, from 0, for each distinct combination of codes."""
    joined = np.zeros(len(parts[0]), dtype=np.int64)
    for part in parts:
        if len(part) and (part == part[0]).all():
            continue
        size = int(part.max(initial=-1)) + 2
        joined = pd.factorize(joined * size + part + 1)[0].astype(np.int64)
    return joined


def first_of(key: Codes) -> Codes:
    """For each position, the first position with the same key; keys are numbers from 0."""
    first = np.full(int(key.max(initial=-1)) + 1, len(key), dtype=np.int64)
    np.minimum.at(first, key, np.arange(len(key)))
    return first[key]


def is_first(key: Codes) -> Mask:
    """True at the first position of each key."""
    first: Mask = first_of(key) == np.arange(len(key))
    return first
