"""What is wrong with a cell of somebody's file, in a sentence that says where it is."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import pandas as pd

SHOWN_VALUE = 80


@dataclass(frozen=True)
class Problem:
    """A finding about one cell, or one row.

    Attributes
    ----------
    file : str
    line : int
        Line of the file on which the row begins (record number for JSON and Parquet).
    column : str
        Empty when the whole row is meant.
    value : str
        The cell, shortened.
    message : str
    severity : str
        ``"error"``: the row can't be used. ``"note"``: it is used, as the message says.
    """

    file: str
    line: int
    column: str
    value: str
    message: str
    severity: str = "error"

    def __str__(self) -> str:
        where = f"{self.file}, line {self.line}"
        if self.column:
            where += f", column {self.column!r}"
        return f"{where}: {self.message}"


def shorten(value: object) -> str:
    """A cell as it is shown in a message."""
    text = "" if value is None or value != value else str(value)
    return text if len(text) <= SHOWN_VALUE else text[: SHOWN_VALUE - 1] + "…"


def counted(number: int, noun: str) -> str:
    """A number with its noun: 1 row, 1,566 rows."""
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"


def problem_table(problems: Sequence[Problem]) -> pd.DataFrame:
    """Problems as a table: severity, file, line, column, value, message."""
    names = ("severity", "file", "line", "column", "value", "message")
    return pd.DataFrame(
        {name: [getattr(problem, name) for problem in problems] for name in names},
        columns=list(names),
    )
