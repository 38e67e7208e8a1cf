"""Parquet files."""

from __future__ import annotations

import datetime as dt
import decimal
import io
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from core.store.csv_reader import FileTable
from core.store.parquet_reader import read_parquet


def read(**columns: Any) -> FileTable:
    out = io.BytesIO()
    pq.write_table(pa.table(columns), out)
    return read_parquet("a.parquet", out.getvalue())


def cells(table: FileTable) -> dict[str, list[str | None]]:
    return {
        name: array.to_pylist() for name, array in zip(table.columns, table.arrays, strict=True)
    }


def test_read_parquet_integers_with_gaps_keep_every_digit() -> None:
    table = read(id=pa.array([1234567890123456789, None], pa.int64()))
    assert cells(table) == {"id": ["1234567890123456789", None]}
    assert table.line == [1, 2]


def test_read_parquet_floats_read_back_as_the_same_number() -> None:
    values = [0.1, 1.0, 1e300, -0.0, None, float("nan"), 5e-324]
    got = cells(read(x=pa.array(values, pa.float64())))["x"]
    assert got == ["0.1", "1.0", "1e+300", "-0.0", None, None, "5e-324"]
    single = cells(read(x=pa.array([0.1, 3.0], pa.float32())))["x"]
    assert [np.float32(text) for text in single if text] == [np.float32(0.1), np.float32(3)]
    assert single[0] == "0.1"


def test_read_parquet_other_types() -> None:
    table = read(
        text=["007"],
        empty=[""],
        flag=[True],
        day=[dt.date(2026, 12, 1)],
        exact=[decimal.Decimal("1.50")],
        word=pa.array(["a"]).dictionary_encode(),
        raw=pa.array([b"bytes"]),
        nothing=pa.nulls(1),
    )
    assert cells(table) == {
        "text": ["007"],
        "empty": [""],
        "flag": ["true"],
        "day": ["2026-12-01"],
        "exact": ["1.50"],
        "word": ["a"],
        "raw": ["bytes"],
        "nothing": [None],
    }


def test_read_parquet_nested_columns() -> None:
    table = read(
        a=[{"b": 1, "c": {"d": "é"}}, None],
        e=[[1, 2], None],
        f=[[{"g": b"x"}], []],
    )
    assert cells(table) == {
        "a.b": ["1", None],
        "a.c": ['{"d": "é"}', None],
        "e": ["[1, 2]", None],
        "f": ['[{"g": "x"}]', "[]"],
    }


def test_read_parquet_errors() -> None:
    with pytest.raises(ValueError, match=r"a\.parquet isn't a readable Parquet file"):
        read_parquet("a.parquet", b"PAR1 and no more")
    with pytest.raises(ValueError, match=r"column 'raw' must hold text; got bytes"):
        read(raw=pa.array([b"\xff"]))
    with pytest.raises(ValueError, match=r"must name each column once; got 'a\.b' twice"):
        read(**{"a": [{"b": 1}], "a.b": [2]})
