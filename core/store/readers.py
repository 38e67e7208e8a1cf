"""Files, folders, globs and uploads, read into one table of text."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import numpy as np
import pandas as pd
import pyarrow as pa
from numpy.typing import NDArray

from core.store.csv_reader import FileTable, read_csv
from core.store.json_reader import read_json, read_jsonl
from core.store.parquet_reader import read_parquet
from core.store.problems import Problem

Source = str | Path | tuple[str, bytes]

READERS: Final[dict[str, Callable[[str, bytes], FileTable]]] = {
    "csv": read_csv,
    "jsonl": read_jsonl,
    "json": read_json,
    "parquet": read_parquet,
}
EXTENSIONS: Final = {
    ".csv": "csv",
    ".tsv": "csv",
    ".tab": "csv",
    ".txt": "csv",
    ".jsonl": "jsonl",
    ".ndjson": "jsonl",
    ".json": "json",
    ".parquet": "parquet",
    ".pq": "parquet",
}


@dataclass(frozen=True)
class FileFormat:
    """How a file was read.

    Attributes
    ----------
    file : str
    format : {"csv", "jsonl", "json", "parquet"}
    separator, encoding : str
        Empty where the format has none.
    rows : int
    records_format : bool
        True for a CSV in exactly the records format, in which formula apostrophes are taken off.
    """

    file: str
    format: str
    separator: str
    encoding: str
    rows: int
    records_format: bool


@dataclass(frozen=True, eq=False)
class RawTable:
    """Every row of every file, each cell as the text that stands there.

    Attributes
    ----------
    frame : DataFrame of shape (rows, columns)
        Text columns; a missing cell (``isna``) is one that the file doesn't have, or null.
    line : int array of shape (rows,)
        Line on which the row begins; record number for JSON and Parquet. Both from 1.
    file : object array of shape (rows,)
    unreadable : bool array of shape (rows,)
        True for rows that an error in `problems` makes unusable.
    formats : tuple of FileFormat
    problems : tuple of Problem
    """

    frame: pd.DataFrame
    line: NDArray[np.int64]
    file: NDArray[np.object_]
    unreadable: NDArray[np.bool_]
    formats: tuple[FileFormat, ...]
    problems: tuple[Problem, ...]

    @property
    def columns(self) -> list[str]:
        """Column names, in the order in which files bring them."""
        return [str(column) for column in self.frame.columns]


def read_records(sources: Sequence[Source]) -> RawTable:
    r"""Read files, every file of folders, globs, and uploads, as text.

    Parameters
    ----------
    sources : sequence of str, Path or (name, bytes)
        A folder stands for all CSV, JSONL, JSON and Parquet files below it, in order of name.
        A file met twice is read once.

    Returns
    -------
    RawTable

    Raises
    ------
    ValueError
        When a source doesn't exist, holds no such files, or a file can't be read as a whole.

    Examples
    --------
    >>> raw = read_records([("mine.csv", "id;label\n007;yes\n".encode())])
    >>> raw.frame.to_dict("records"), raw.line.tolist()
    ([{'id': '007', 'label': 'yes'}], [2])
    """
    uploads: list[tuple[str, bytes | Path]] = []
    seen: set[Path] = set()
    for source in sources:
        if isinstance(source, tuple):
            uploads.append(source)
            continue
        for path in _paths(source):
            if path.resolve() not in seen:
                seen.add(path.resolve())
                uploads.append((str(path), path))
    if not uploads:
        raise ValueError("No file was named. Name at least one file, folder or pattern.")
    tables = []
    for name, content in uploads:
        data = content.read_bytes() if isinstance(content, Path) else content
        tables.append((name, READERS[_format(name, data)](name, data)))
    return _join(tables)


def _paths(source: str | Path) -> list[Path]:
    path = Path(source).expanduser()
    if path.is_file():
        return [path]
    if path.is_dir():
        found = [one for one in path.rglob("*") if one.is_file() and _known(one, path)]
        if not found:
            raise ValueError(
                f"The folder {str(source)!r} holds no CSV, JSONL, JSON or Parquet file. "
                "Name another folder, or the files themselves."
            )
        return sorted(found)
    files = sorted(one for one in _matches(path) if one.is_file())
    if not files:
        raise ValueError(f"There is no file {str(source)!r}. Check its name and folder.")
    return files


def _matches(pattern: Path) -> Iterator[Path]:
    """Paths that a pattern such as ``runs/*/judged-*.csv`` stands for."""
    fixed = 0
    while fixed < len(pattern.parts) and not re.search(r"[*?\[]", pattern.parts[fixed]):
        fixed += 1
    if fixed == len(pattern.parts):
        return iter(())
    return Path(*pattern.parts[:fixed]).glob("/".join(pattern.parts[fixed:]))


def _known(path: Path, folder: Path) -> bool:
    hidden = any(part.startswith(".") for part in path.relative_to(folder).parts)
    return not hidden and path.suffix.lower() in EXTENSIONS


def _format(name: str, data: bytes) -> str:
    known = EXTENSIONS.get(Path(name).suffix.lower())
    if data.startswith(b"PAR1"):
        return "parquet"
    if known is not None:
        return known
    start = data.lstrip()[:1]
    return "json" if start in (b"{", b"[") else "csv"


def _join(tables: list[tuple[str, FileTable]]) -> RawTable:
    formats = tuple(
        FileFormat(name, t.format, t.separator, t.encoding, len(t.line), t.records_format)
        for name, t in tables
    )
    parts = []
    for _, table in tables:
        # A file in which every line is broken has rows, but no columns.
        if table.columns:
            parts.append(pa.table(dict(zip(table.columns, table.arrays, strict=True))))
        else:
            parts.append(pa.table({"": pa.nulls(len(table.line), pa.large_string())}))
    joined = pa.concat_tables(parts, promote_options="default")
    if "" in joined.column_names and joined.num_columns > 1:
        joined = joined.drop_columns([""])
    return RawTable(
        frame=joined.to_pandas().astype("str"),
        line=np.array([one for _, t in tables for one in t.line], dtype=np.int64),
        file=np.repeat(
            np.array([name for name, _ in tables], dtype=object), [len(t.line) for _, t in tables]
        ),
        unreadable=np.array([one for _, t in tables for one in t.unreadable], dtype=bool),
        formats=formats,
        problems=tuple(problem for _, t in tables for problem in t.problems),
    )
