"""A hash of a cohort's content, whatever the order of its rows and the format of its file."""

from __future__ import annotations

import hashlib
from typing import Final

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc

from core.store.layout import LATER_COLUMNS

# What identifies a row of each table, so that sorting by it leaves nothing to chance.
KEYS: Final = {
    "items": ("item_id",),
    "verdicts": ("item_id", "judge", "mode"),
    "labels": ("item_id", "source", "annotator"),
    "features": ("item_id", "family", "name"),
    "strata": ("item_id", "name"),
}


def content_hash(frames: dict[str, pd.DataFrame]) -> str:
    """SHA-256 over the cells of all tables, in the order of their keys.

    Parameters
    ----------
    frames : dict of str to DataFrame
        The tables of `KEYS`; columns of text, truth values or floats.

    Returns
    -------
    str
        64 hexadecimal digits. Equal for equal records: a float counts by its value, not by how
        it was written, and a missing cell isn't an empty one.
    """
    digest = hashlib.sha256()
    for name, keys in KEYS.items():
        frame = frames[name]
        for column in LATER_COLUMNS.intersection(frame.columns):
            if frame[column].isna().all():
                frame = frame.drop(columns=column)
        digest.update(f"{name}:{len(frame)}:{','.join(map(str, frame.columns))}\n".encode())
        if not len(frame):
            continue
        table = pa.table({key: pa.array(frame[key], pa.large_string()) for key in keys})
        order = pc.sort_indices(table, [(key, "ascending") for key in keys]).to_numpy()
        for column in frame.columns:
            for part in _canonical(frame[column], order):
                digest.update(part)
    return digest.hexdigest()


def _canonical(cells: pd.Series, order: np.ndarray) -> list[bytes | memoryview]:
    """A column's cells as bytes that no other column's cells give; little-endian everywhere."""
    if pd.api.types.is_float_dtype(cells.dtype):
        values = cells.to_numpy(dtype=np.float64, na_value=np.nan)[order] + 0.0  # −0.0 is 0.0
        values[np.isnan(values)] = np.nan  # one NaN of the many
        return [values.astype("<f8").tobytes()]
    if pd.api.types.is_bool_dtype(cells.dtype):
        return [cells.astype("Int8").to_numpy(dtype="i1", na_value=-1)[order].tobytes()]
    texts = pa.array(cells, pa.large_string(), from_pandas=True)
    if isinstance(texts, pa.ChunkedArray):
        texts = texts.combine_chunks()
    places = pa.array(order)
    lengths = pc.fill_null(pc.binary_length(texts), -1).take(places).to_numpy()
    filled = pc.fill_null(texts, pa.scalar("", pa.large_string())).take(places)
    _, offsets, data = filled.buffers()
    bounds = np.frombuffer(offsets, dtype=np.int64)[filled.offset : filled.offset + len(order) + 1]
    start, end = int(bounds[0]), int(bounds[-1])
    return [lengths.astype("<i8").tobytes(), memoryview(data)[start:end] if data else b""]
