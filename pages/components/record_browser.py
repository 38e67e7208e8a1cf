"""The records behind the figures, a page at a time."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd
import streamlit as st
from numpy.typing import NDArray
from streamlit.elements.lib.column_types import ColumnConfig

from core.jobs import ROUTE_NAMES, RoutingRun
from core.risk.routing import Route
from core.store.records import JudgedRecords
from pages.components import cached, words

PAGE_SIZE = 20
_ALL = "All"
_ROUTES = {"Mode 1": Route.MODE1, "Mode 2": Route.MODE2, "To a person": Route.ABSTAIN}


def places(
    judged: JudgedRecords, run: RoutingRun, route: str, wrong_only: bool
) -> NDArray[np.intp]:
    """Positions of the records that a filter leaves, in the order of their ids."""
    kept = np.ones(judged.n, dtype=bool)
    if route != _ALL:
        kept &= run.route == _ROUTES[route]
    if wrong_only:
        kept &= deciding_error(judged, run) == 1
    return np.flatnonzero(kept)


def deciding_error(judged: JudgedRecords, run: RoutingRun) -> NDArray[np.float64]:
    """1 where the deciding verdict is wrong; NaN where a person decides or there is no label."""
    return np.select(
        [run.route == Route.MODE1, run.route == Route.MODE2],
        [judged.is_error1, judged.is_error2],
        np.nan,
    )


def everything(judged: JudgedRecords, run: RoutingRun) -> pd.DataFrame:
    """All records with texts, both verdicts, label and route."""
    return _routed(cached.all_texts(judged, list(judged.item_id)), run, np.arange(judged.n))


def _routed(table: pd.DataFrame, run: RoutingRun, where: NDArray[np.intp]) -> pd.DataFrame:
    table.insert(1, "route", [ROUTE_NAMES[Route(int(one))] for one in run.route[where]])
    return table


@st.fragment
def draw(judged: JudgedRecords, run: RoutingRun, *, page: str) -> None:
    """Draw filter, table and pages."""
    st.subheader("Records", anchor="records")
    with st.container(horizontal=True, vertical_alignment="center", gap="medium"):
        route = st.segmented_control(
            "Route",
            [_ALL, *_ROUTES],
            default=_ALL,
            required=True,
            key=f"{page}_records_route",
            label_visibility="collapsed",
            persist_state="session",
        )
        wrong_only = st.toggle(
            "Wrong only",
            key=f"{page}_records_wrong",
            help="Records whose deciding verdict differs from the label.",
            persist_state="session",
        )
    where = places(judged, run, route, wrong_only)
    if not len(where):
        st.info("No record is left by this filter.", icon=":material/filter_alt_off:")
        return
    pages = -(-len(where) // PAGE_SIZE)
    shown = st.container()
    with st.container(horizontal=True, horizontal_alignment="distribute"):
        counted = st.empty()
        number = st.pagination(pages, key=f"{page}_records_page") if pages > 1 else 1
    start = (min(number, pages) - 1) * PAGE_SIZE
    here = where[start : start + PAGE_SIZE]
    counted.caption(
        f"{words.count(start + 1)}–{words.count(start + len(here))} of "
        f"{words.count(len(where))} records"
    )
    try:
        texts = cached.texts(judged, list(judged.item_id[here]))
    except ValueError as error:  # deleted in another session since the page was drawn
        shown.error(words.plain(str(error)))
        return
    shown.dataframe(
        display(_routed(texts, run, here)),
        hide_index=True,
        width="stretch",
        row_height=34,
        height=38 + 34 * min(len(here), 10),
        column_config=COLUMNS,
        placeholder=words.DASH,
        key=f"{page}_records_table",
        alt="Records with route, question, answer, verdicts, label and explanations",
    )


def display(table: pd.DataFrame, columns: Sequence[str] | None = None) -> pd.DataFrame:
    """The records as the table shows them: truth values and missing verdicts in words."""
    shown = table.copy()
    for name in ("label", "verdict1", "verdict2"):
        shown[name] = shown[name].map({True: "correct", False: "wrong"}).astype(object)
    for mode in ("1", "2"):
        failed = shown[f"failure_cause{mode}"].notna() & shown[f"verdict{mode}"].isna()
        shown.loc[failed, f"verdict{mode}"] = "no verdict"
        # Why is a sentence, and stands where there is room for one.
        silent = failed & shown[f"explanation{mode}"].isna()
        shown[f"explanation{mode}"] = shown[f"explanation{mode}"].astype(object)
        shown.loc[silent, f"explanation{mode}"] = shown.loc[silent, f"failure_cause{mode}"]
    return shown[list(columns or COLUMNS)]


def _uncertainty(mode: str) -> ColumnConfig:
    return st.column_config.NumberColumn(
        f"U{mode}",
        width=72,
        format="%.4g",
        help=f"Mode {mode} uncertainty: larger means less sure.",
    )


COLUMNS = {
    "id": st.column_config.TextColumn("Id", width=200),
    "question": st.column_config.TextColumn("Question", width=220),
    "route": st.column_config.TextColumn("Route", width=100),
    "answer": st.column_config.TextColumn("Answer", width=160),
    "label": st.column_config.TextColumn("Label", width="small", help="What people say."),
    "verdict1": st.column_config.TextColumn("Mode 1 says", width=100),
    "uncertainty1": _uncertainty("1"),
    "verdict2": st.column_config.TextColumn("Mode 2 says", width=100),
    "uncertainty2": _uncertainty("2"),
    "reference": st.column_config.TextColumn("Reference", width="medium"),
    "explanation1": st.column_config.TextColumn("Mode 1 explains", width="large"),
    "explanation2": st.column_config.TextColumn("Mode 2 explains", width="large"),
}
