"""Parquet files, whose typed columns become the text that an export would write."""

from __future__ import annotations

import io
import json
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from core.store.csv_reader import FileTable


def read_parquet(name: str, data: bytes) -> FileTable:
    """Read a Parquet file; nested objects are laid out flat one level, lists become JSON text.

    Raises
    ------
    ValueError
        When the file isn't Parquet, or two columns have one name.
    """
    try:
        content = pq.read_table(io.BytesIO(data))
    except (pa.ArrowException, OSError) as error:
        raise ValueError(
            f"{name} isn't a readable Parquet file. Save it again, or as CSV or JSON Lines."
        ) from error
    content = content.flatten()
    columns = [str(column) for column in content.column_names]
    for column in columns:
        if columns.count(column) > 1:
            raise ValueError(f"{name} must name each column once; got {column!r} twice.")
    arrays = [_text(name, column, content.column(k)) for k, column in enumerate(columns)]
    rows = content.num_rows
    return FileTable(columns, arrays, list(range(1, rows + 1)), [False] * rows, "parquet")


def _text(name: str, column: str, values: pa.ChunkedArray) -> pa.ChunkedArray:
    kind = values.type
    if pa.types.is_dictionary(kind):
        values = values.cast(kind.value_type)
        kind = values.type
    if pa.types.is_binary(kind) or pa.types.is_large_binary(kind):
        try:
            return values.cast(pa.large_string())
        except pa.ArrowInvalid as error:
            raise ValueError(
                f"{name}, column {column!r} must hold text; got bytes that aren't UTF-8."
            ) from error
    if pa.types.is_floating(kind):
        # Python's shortest text reads back as the same number; NaN is a missing cell.
        number = np.float32 if kind.bit_width == 32 else float
        cells = [
            None if one is None or one != one else str(number(one)) for one in values.to_pylist()
        ]
        return pa.chunked_array([pa.array(cells, pa.large_string())])
    if pa.types.is_nested(kind):
        cells = [
            None if one is None else json.dumps(one, ensure_ascii=False, default=_plain)
            for one in values.to_pylist()
        ]
        return pa.chunked_array([pa.array(cells, pa.large_string())])
    return values.cast(pa.large_string())


def _plain(value: Any) -> str:
    return value.decode(errors="replace") if isinstance(value, bytes) else str(value)
