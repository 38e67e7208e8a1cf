"""Any table as CSV, JSON Lines or Parquet."""

from __future__ import annotations

import csv
import io
import json
import math
from json.encoder import encode_basestring
from typing import Any, Final

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from core.store.layout import FORMULA

_PLAIN_NUMBER: Final = r"\A[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?\z"


def to_csv(frame: pd.DataFrame, *, bom: bool = False) -> bytes:
    r"""Write a table as CSV that a spreadsheet opens without running anything in it.

    A cell that a spreadsheet would take for a formula gets one apostrophe in front; plain numbers
    such as −0.02 stay as they are. Importing a CSV in the records format takes it off again.

    Parameters
    ----------
    frame : DataFrame
        The index isn't written. Missing values become empty cells.
    bom : bool
        Put a byte order mark in front, by which Excel recognises UTF-8.

    Returns
    -------
    bytes
        UTF-8, comma separated, lines ended by CR LF.

    Examples
    --------
    >>> to_csv(pd.DataFrame({"id": ["007"], "answer": ["=1+1"], "score": [-0.02]}))
    b"id,answer,score\r\n007,'=1+1,-0.02\r\n"
    """
    out = io.StringIO(newline="")
    # CR LF also makes the writer quote cells that hold a lone carriage return.
    writer = csv.writer(out, lineterminator="\r\n")
    header = pa.array([str(column) for column in frame.columns], pa.large_string())
    writer.writerow(_safe(header))
    columns = [_cells(frame.iloc[:, k]) for k in range(frame.shape[1])]
    writer.writerows(zip(*columns, strict=True))
    return out.getvalue().encode("utf-8-sig" if bom else "utf-8")


def to_jsonl(frame: pd.DataFrame) -> bytes:
    r"""Write a table as JSON Lines, an object for each row.

    Parameters
    ----------
    frame : DataFrame
        The index isn't written. Missing values, NaN and infinities become null, for JSON has no
        other word for them.

    Returns
    -------
    bytes
        UTF-8.

    Examples
    --------
    >>> to_jsonl(pd.DataFrame({"id": ["007"], "score": [float("nan")]}))
    b'{"id": "007", "score": null}\n'
    """
    columns = []
    for k, column in enumerate(frame.columns):
        name = encode_basestring(str(column))
        columns.append([f"{name}: {value}" for value in _json_values(frame.iloc[:, k])])
    return "".join(f"{{{', '.join(row)}}}\n" for row in zip(*columns, strict=True)).encode()


def to_parquet(frame: pd.DataFrame) -> bytes:
    """Write a table as Parquet; a column of mixed types is written as text.

    Parameters
    ----------
    frame : DataFrame
        The index isn't written.

    Returns
    -------
    bytes
    """
    columns = {
        str(column): _parquet_column(frame.iloc[:, k]) for k, column in enumerate(frame.columns)
    }
    out = io.BytesIO()
    pq.write_table(pa.table(columns), out)
    return out.getvalue()


def _cells(column: pd.Series) -> list[str]:
    """A column as CSV cells."""
    kind = column.dtype
    if isinstance(kind, pd.StringDtype):
        return _safe(pa.array(column.fillna(""), pa.large_string()))
    if isinstance(kind, np.dtype) and kind.kind == "f":
        return ["" if value != value else repr(value) for value in column.to_list()]
    if isinstance(kind, np.dtype) and kind.kind in "iu":
        return [str(value) for value in column.to_list()]
    if pd.api.types.is_bool_dtype(kind):
        return [_text(value) for value in column.to_list()]
    return _safe(pa.array([_text(value) for value in column.astype(object)], pa.large_string()))


def _json_values(column: pd.Series) -> list[str]:
    """A column as JSON values."""
    kind = column.dtype
    if isinstance(kind, pd.StringDtype):
        texts = pa.array(column, pa.large_string(), from_pandas=True).to_pylist()
        return ["null" if text is None else encode_basestring(text) for text in texts]
    if isinstance(kind, np.dtype) and kind.kind == "f":
        return [repr(value) if math.isfinite(value) else "null" for value in column.to_list()]
    if isinstance(kind, np.dtype) and kind.kind in "iu":
        return [str(value) for value in column.to_list()]
    return [
        json.dumps(_plain(value), ensure_ascii=False, allow_nan=False)
        for value in column.astype(object)
    ]


def _parquet_column(column: pd.Series) -> pa.Array:
    if column.dtype != object:
        return pa.array(column, from_pandas=True)
    values = [_none(value) for value in column]
    kinds = {type(value) for value in values if value is not None}
    # Arrow would turn 1 beside 1.5 or True into one of them, or refuse.
    if len(kinds) <= 1 and not kinds & {dict, list, tuple, np.ndarray}:
        return pa.array(values, pa.large_string() if not kinds or kinds == {str} else None)
    texts = [None if value is None else _text(value) for value in values]
    return pa.array(texts, pa.large_string())


def _safe(texts: pa.Array) -> list[str]:
    """Texts with an apostrophe before each one that would run as a formula."""
    if isinstance(texts, pa.ChunkedArray):
        texts = texts.combine_chunks()
    formula = pc.and_not(
        pc.match_substring_regex(texts, rf"\A{FORMULA}"),
        pc.match_substring_regex(texts, _PLAIN_NUMBER),
    )
    empty, apostrophe = (pa.scalar(text, pa.large_string()) for text in ("", "'"))
    marked = pc.binary_join_element_wise(apostrophe, texts, empty)
    safe: list[str] = pc.if_else(formula, marked, texts).to_pylist()
    return safe


def _text(value: Any) -> str:
    """A single value as text; a missing one is empty."""
    value = _none(value)
    if value is None:
        return ""
    if isinstance(value, bool | np.bool_):
        return "true" if value else "false"
    if isinstance(value, dict | list | tuple | np.ndarray):
        return json.dumps(_plain(value), ensure_ascii=False)
    return value.isoformat() if isinstance(value, pd.Timestamp) else str(value)


def _none(value: Any) -> Any:
    """None for every kind of missing value."""
    if isinstance(value, dict | list | tuple | np.ndarray):
        return value
    return None if pd.isna(value) else value


def _plain(value: Any) -> Any:
    """A value that JSON can hold."""
    if isinstance(value, dict):
        return {str(key): _plain(inner) for key, inner in value.items()}
    if isinstance(value, list | tuple | np.ndarray):
        return [_plain(inner) for inner in value]
    value = _none(value)
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value if value is None or isinstance(value, str | bool | int | float) else _text(value)
