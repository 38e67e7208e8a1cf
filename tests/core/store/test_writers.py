"""Tables as CSV, JSON Lines and Parquet."""

from __future__ import annotations

import csv
import io
import json
import math
from typing import Any

import numpy as np
import pandas as pd
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.store.writers import to_csv, to_jsonl, to_parquet

MIXED = pd.DataFrame(
    {
        "id": ["9007199254740993", "007"],
        "flag": pd.array([True, None], dtype="boolean"),
        "plain": [True, False],
        "count": [2**62, -3],
        "gap": pd.array([12, None], dtype="Int64"),
        "score": [-0.02, float("nan")],
        "mixed": [1, {"a": 1.5}],
        "list": [[1, None], None],
        "day": [pd.Timestamp("2026-12-01T04:00:00Z"), pd.NaT],
        "text": ["naïve 東京 🙂", None],
        "none": [None, None],
    }
)


def cells(content: bytes) -> list[list[str]]:
    return list(csv.reader(io.StringIO(content.decode("utf-8-sig"), newline="")))


def test_to_csv_cells_of_every_type() -> None:
    header, first, second = cells(to_csv(MIXED))
    assert header == list(MIXED.columns)
    assert first == [
        *("9007199254740993", "true", "true", "4611686018427387904", "12", "-0.02", "1"),
        *("[1, null]", "2026-12-01T04:00:00+00:00", "naïve 東京 🙂", ""),
    ]
    assert second == ["007", "", "false", "-3", "", "", '{"a": 1.5}', "", "", "", ""]


def test_to_csv_byte_order_mark_is_an_option() -> None:
    assert to_csv(MIXED, bom=True) == b"\xef\xbb\xbf" + to_csv(MIXED)


@pytest.mark.parametrize(
    "text",
    [
        *('=HYPERLINK("http://x")', "+1+1", "-2+3", "@SUM(A1)", "\t=1", "\r=1", "\n=1", "-", "="),
        *("'=1", "''=1", "-0.02x", "- item", "+49 30", "-inf", "＝1"),
    ],
)
def test_to_csv_marks_formulas(text: str) -> None:
    assert cells(to_csv(pd.DataFrame({"a": [text]}))) == [["a"], ["'" + text]]
    assert cells(to_csv(pd.DataFrame({"a": [text, 1]})))[1] == ["'" + text]
    assert cells(to_csv(pd.DataFrame({text: ["x"]}))) == [["'" + text], ["x"]]


@pytest.mark.parametrize(
    "text", ["-0.02", "+1", "-1e-5", "-.5", "x=1", "'", "'x", " =1", "a@b", "1-2", "007"]
)
def test_to_csv_leaves_the_rest_alone(text: str) -> None:
    assert cells(to_csv(pd.DataFrame({"a": [text]}))) == [["a"], [text]]


@given(st.lists(st.floats(), min_size=1))
def test_to_csv_floats_read_back_exactly(values: list[float]) -> None:
    frame = pd.DataFrame({"i": range(len(values)), "x": values})
    got = [float(cell) if cell else math.nan for _, cell in cells(to_csv(frame))[1:]]
    assert np.array_equal(got, values, equal_nan=True)


def test_to_jsonl_values_of_every_type() -> None:
    first, second = (json.loads(line) for line in to_jsonl(MIXED).decode().splitlines())
    assert list(first) == list(MIXED.columns)
    assert first == {
        "id": "9007199254740993",
        "flag": True,
        "plain": True,
        "count": 2**62,
        "gap": 12,
        "score": -0.02,
        "mixed": 1,
        "list": [1, None],
        "day": "2026-12-01T04:00:00+00:00",
        "text": "naïve 東京 🙂",
        "none": None,
    }
    assert second["score"] is second["flag"] is second["gap"] is second["day"] is None


def test_to_jsonl_is_valid_json_whatever_the_numbers() -> None:
    frame = pd.DataFrame(
        {"x": [math.nan, math.inf, -math.inf, 1e300], "y": [[math.nan], {"a": math.inf}, None, 1]}
    )

    def refuse(word: str) -> Any:
        raise AssertionError(word)

    rows = [json.loads(line, parse_constant=refuse) for line in to_jsonl(frame).splitlines()]
    assert [row["x"] for row in rows] == [None, None, None, 1e300]
    assert [row["y"] for row in rows] == [[None], {"a": None}, None, 1]


@given(st.text(st.characters(exclude_categories=["Cs"])))
def test_to_jsonl_texts_read_back(text: str) -> None:
    content = to_jsonl(pd.DataFrame({text: [text]}))
    assert content.count(b"\n") == 1
    assert json.loads(content) == {text: text}


def test_to_parquet_values_of_every_type() -> None:
    table = pq.read_table(io.BytesIO(to_parquet(MIXED)))
    got = table.to_pylist()
    assert table.column_names == list(MIXED.columns)
    assert [row["id"] for row in got] == ["9007199254740993", "007"]
    assert [row["mixed"] for row in got] == ["1", '{"a": 1.5}']
    assert [row["count"] for row in got] == [2**62, -3]
    assert [row["gap"] for row in got] == [12, None]
    assert [row["flag"] for row in got] == [True, None]
    assert [row["score"] for row in got] == [-0.02, None]
    assert [row["none"] for row in got] == [None, None]


@pytest.mark.parametrize("values", [[1, "1", None, {"a": 1}], [1, True], [1.5, 1], [b"x", "x"]])
def test_to_parquet_mixed_columns_become_text(values: list[Any]) -> None:
    frame = pd.DataFrame({"a": pd.Series(values, dtype=object)})
    got = pq.read_table(io.BytesIO(to_parquet(frame)))["a"].to_pylist()
    assert all(cell is None or isinstance(cell, str) for cell in got)
    assert [cell is None for cell in got] == [value is None for value in values]


def test_writers_of_an_empty_table() -> None:
    empty = MIXED.head(0)
    assert cells(to_csv(empty)) == [list(MIXED.columns)]
    assert to_jsonl(empty) == b""
    assert pq.read_table(io.BytesIO(to_parquet(empty))).num_rows == 0
