"""The first import steps: files taken in and kept, and what their rows read as.

The bytes live in the session, not in the uploader, so that nothing is lost when the person looks
at another page and comes back.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

import pandas as pd
import streamlit as st

from core.store.csv_reader import SEPARATOR_NAMES
from core.store.imports import Problem, RawTable, problem_table, read_records
from core.store.problems import counted
from core.store.readers import EXTENSIONS
from pages.components import words

EXAMPLE = Path(__file__).resolve().parents[2] / "sample_data" / "own_records_example.csv"
MAX_MEGABYTES = 200
PREVIEW_ROWS = 8
PROBLEMS_A_PAGE = 10

T = TypeVar("T")


@dataclass(frozen=True)
class File:
    """An upload, with the hash of its content, by which a changed file is told apart."""

    name: str
    content: bytes
    digest: str


_FILES = "data_files"
_ROUND = "data_round"
_MEMORY = "data_memory"


def kept() -> list[File]:
    """The files that the person has given, in order."""
    files: list[File] = st.session_state.setdefault(_FILES, [])
    return files


def forget() -> None:
    """Let go of every file, and of what was read from them."""
    st.session_state[_FILES] = []
    st.session_state[_MEMORY] = {}


def take() -> list[File]:
    """Draw the uploader and the files that are kept; return them."""
    turn = st.session_state.setdefault(_ROUND, 0)
    key = f"data_upload_{turn}"
    st.file_uploader(
        "CSV, JSONL, JSON or Parquet; several files are read as one",
        type=sorted(EXTENSIONS),
        accept_multiple_files=True,
        max_upload_size=MAX_MEGABYTES,
        key=key,
        on_change=_keep_uploads,
        args=(key,),
    )
    files = kept()
    if not files:
        with st.container(horizontal=True):
            st.button("Try it with the example", key="data_example", on_click=_keep_example)
            template()
        return files
    for place, file in enumerate(files):
        with st.container(horizontal=True, vertical_alignment="center"):
            size = _size(len(file.content))
            st.markdown(f"**{words.plain(file.name)}** · {size}", width="stretch")
            st.button(
                "Remove", key=f"data_remove_{place}", on_click=_remove, args=(place,),
                type="tertiary",
            )  # fmt: skip
    return files


def template() -> None:
    """Offer the example as a file to fill in."""
    st.download_button(
        "Download the example as a template",
        EXAMPLE.read_bytes(),
        EXAMPLE.name,
        "text/csv",
        key="data_template",
        on_click="ignore",
    )


def read(files: list[File]) -> RawTable | None:
    """Read the files and show their first rows; where they can't be read, say why."""
    try:
        raw = remember(
            "raw",
            fingerprint(files),
            lambda: read_records([(file.name, file.content) for file in files]),
        )
    except ValueError as error:
        st.error(f"{words.plain(str(error))} Remove the file, or add it again once corrected.")
        return None
    st.dataframe(
        _formats(raw), hide_index=True, placeholder=words.DASH, alt="Files as read",
        column_config={"Rows": st.column_config.NumberColumn(format="localized")},
    )  # fmt: skip
    if raw.frame.empty:
        st.warning("There are no rows below the header. Remove the file, or add rows to it.")
        return None
    st.caption(
        f"The first {min(PREVIEW_ROWS, len(raw.frame))} of {counted(len(raw.frame), 'row')}, as "
        "read. Every cell is text so far."
    )
    first = raw.frame.head(PREVIEW_ROWS)
    first.insert(0, "line", raw.line[:PREVIEW_ROWS])
    st.dataframe(first, hide_index=True, placeholder="", alt="First rows as read")
    return raw


def problems(found: tuple[Problem, ...], key: str) -> None:
    """List problems by file, line, column and value, a page at a time."""
    pages = -(-len(found) // PROBLEMS_A_PAGE)
    # The pager stands below the table; its value is known before it is drawn.
    page = min(st.session_state.get(f"data_page_{key}", 1), pages)
    shown = found[(page - 1) * PROBLEMS_A_PAGE : page * PROBLEMS_A_PAGE]
    st.dataframe(
        problem_table(shown).rename(columns=str.capitalize),
        column_order=["File", "Line", "Column", "Value", "Message"],
        hide_index=True,
        placeholder="",
        alt="Problems in the files",
    )
    if pages > 1:
        st.pagination(pages, key=f"data_page_{key}")


def remember(name: str, key: object, compute: Callable[[], T]) -> T:
    """Return what `compute` gave for this key, computing it only when the key has changed."""
    memory = st.session_state.setdefault(_MEMORY, {})
    if name not in memory or memory[name][0] != key:
        memory.pop(name, None)
        memory[name] = (key, compute())
    result: T = memory[name][1]
    return result


def fingerprint(files: list[File]) -> str:
    """A short text that changes when a file or its name does."""
    named = repr([(file.name, file.digest) for file in files])
    return hashlib.sha256(named.encode()).hexdigest()[:16]


def _keep_uploads(key: str) -> None:
    """Move what was uploaded into the session, and give the uploader a fresh start."""
    for upload in st.session_state[key] or []:
        _add(upload.name, upload.getvalue())
    st.session_state[_ROUND] += 1


def _keep_example() -> None:
    _add(EXAMPLE.name, EXAMPLE.read_bytes())


def _add(name: str, content: bytes) -> None:
    """Keep a file; one of the same name is most likely its older version, and gives way."""
    file = File(name, content, hashlib.sha256(content).hexdigest())
    others = [one for one in kept() if one.name != name]
    if len(others) < len(kept()) and file not in kept():
        st.toast(f"{words.plain(name)} replaces the file of that name.")
    st.session_state[_FILES] = [*others, file]


def _remove(place: int) -> None:
    del kept()[place]


def _size(n_bytes: int) -> str:
    if n_bytes < 1_000:
        return f"{n_bytes} bytes"
    if n_bytes < 1_000_000:
        return f"{n_bytes / 1_000:.0f} kB"
    return f"{n_bytes / 1_000_000:.1f} MB"


def _formats(raw: RawTable) -> pd.DataFrame:
    return pd.DataFrame(
        [
            {
                "File": one.file,
                "Read as": one.format.upper() if one.format != "parquet" else "Parquet",
                "Separator": SEPARATOR_NAMES.get(one.separator, one.separator) or None,
                "Encoding": one.encoding.upper() or None,
                "Rows": one.rows,
                "Columns": "the records format" if one.records_format else "to be mapped",
            }
            for one in raw.formats
        ]
    )
