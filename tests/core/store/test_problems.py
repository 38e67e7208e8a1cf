"""Problems as sentences and as a table."""

from __future__ import annotations

import math

import pytest

from core.store.problems import SHOWN_VALUE, Problem, counted, problem_table, shorten

CELL = Problem("a.csv", 3, "label", "maybe", "must be one of yes/no")
ROW = Problem("a.csv", 4, "", "", "isn't JSON", "note")


def test_problem_says_where_it_is() -> None:
    assert str(CELL) == "a.csv, line 3, column 'label': must be one of yes/no"
    assert str(ROW) == "a.csv, line 4: isn't JSON"


@pytest.mark.parametrize("value", [None, math.nan, ""])
def test_shorten_missing(value: object) -> None:
    assert shorten(value) == ""


def test_shorten_keeps_what_fits() -> None:
    assert shorten("x" * SHOWN_VALUE) == "x" * SHOWN_VALUE
    assert shorten("x" * (SHOWN_VALUE + 1)) == "x" * (SHOWN_VALUE - 1) + "…"


def test_problem_table_has_a_row_for_each() -> None:
    table = problem_table([CELL, ROW])
    assert table["severity"].tolist() == ["error", "note"]
    assert table["line"].tolist() == [3, 4]
    assert list(problem_table([]).columns) == list(table.columns)


def test_counted() -> None:
    assert [counted(n, "row") for n in (0, 1, 1566)] == ["0 rows", "1 row", "1,566 rows"]
