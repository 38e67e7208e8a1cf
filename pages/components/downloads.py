"""Take away what a page shows. Files are made when they are asked for, and no run starts anew."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import pandas as pd
import streamlit as st

from core.store.exports import to_csv, to_jsonl, to_parquet
from pages.components import browser_buttons

Table = pd.DataFrame | Callable[[], pd.DataFrame]


def tables(label: str, offered: Mapping[str, Table], *, stem: str, key: str) -> None:
    """A menu with every table as CSV, CSV for Excel, JSONL and Parquet.

    Parameters
    ----------
    offered : mapping of name to DataFrame, or to a function that gives one
        A function is called when the file is asked for.
    stem : str
        Start of the file names.
    """
    with st.popover(label, key=f"{key}_menu"):
        for name, table in offered.items():
            st.markdown(f"**{name}**")
            slug = name.lower().replace(" ", "-")
            with st.container(horizontal=True, gap="xsmall"):
                for kind, ending, write in _FORMATS:
                    st.download_button(
                        kind,
                        _deferred(table, write),
                        file_name=f"{stem}_{slug}{ending}",
                        mime="application/octet-stream",
                        on_click="ignore",
                        key=f"{key}_{slug}_{kind}",
                    )


def figures(label: str, offered: Mapping[str, tuple[str, Any]], *, stem: str, key: str) -> None:
    """A menu with every figure as a picture and as a page that can be opened anywhere.

    Parameters
    ----------
    offered : mapping of name to (element key, figure, or a function that gives it)
        The element key is that of the chart on this page: its own camera makes the picture, in the
        browser, so that the server needs none. A function is called when the file is asked for: a
        fragment may have drawn another figure since.
    """
    with st.popover(label, key=f"{key}_menu"):
        for name, (element, figure) in offered.items():
            st.markdown(f"**{name}**")
            slug = name.lower().replace(" ", "-")
            with st.container(horizontal=True, gap="xsmall"):
                browser_buttons.picture("PNG", element=element, key=f"{key}_{slug}_png")
                st.download_button(
                    "HTML",
                    _page(figure),
                    file_name=f"{stem}_{slug}.html",
                    mime="text/html",
                    on_click="ignore",
                    key=f"{key}_{slug}_html",
                )


def document(label: str, text: Callable[[], str], *, file_name: str, key: str) -> None:
    """A button for one text file."""
    st.download_button(
        label, text, file_name=file_name, mime="application/json", on_click="ignore", key=key
    )


def _deferred(table: Table, write: Callable[[pd.DataFrame], bytes]) -> Callable[[], bytes]:
    def make() -> bytes:
        try:
            return write(table() if callable(table) else table)
        except ValueError as error:
            # Another session has deleted the cohort. A run could show it, but a download starts
            # none; raised here, it would only be a traceback on the console.
            return f"This file can't be made: {error} Reload the page.\n".encode()

    return make


def _page(figure: Any) -> Callable[[], str]:
    # The library is in the file: it opens without a network, for years.
    return lambda: (figure() if callable(figure) else figure).to_html(
        include_plotlyjs=True, full_html=True
    )


_FORMATS: tuple[tuple[str, str, Callable[[pd.DataFrame], bytes]], ...] = (
    ("CSV", ".csv", to_csv),
    ("CSV for Excel", "_excel.csv", lambda frame: to_csv(frame, bom=True)),
    ("JSONL", ".jsonl", to_jsonl),
    ("Parquet", ".parquet", to_parquet),
)
