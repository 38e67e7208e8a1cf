"""Strata: every one with its lift, pairs of them, slices that were searched for, and records."""

from __future__ import annotations

import pandas as pd
import streamlit as st

from core.store.tags import FAILURE_CLASS
from pages.components import cached, residuals_overview, residuals_records, words
from pages.components.residuals_controls import PAGE, SEED, Asked, offer
from pages.residuals import tables

_NONE = "none"
#: Rows of the table; the download has all.
LISTED = 300


def draw(asked: Asked) -> None:
    """Draw the view."""
    space = asked.space
    names = sorted(space.columns(asked.cuts), key=str.casefold)
    with st.container(horizontal=True, vertical_alignment="bottom"):
        first = st.selectbox(
            "Combine", [_NONE, *names], key=f"{PAGE}_pair1", persist_state="session",
            help="Combinations of two columns' levels instead of single strata.",
        )  # fmt: skip
        second = st.selectbox(
            "with", [_NONE, *(one for one in names if one != first)], key=f"{PAGE}_pair2",
            persist_state="session", disabled=first == _NONE,
        )  # fmt: skip
    pair = None if _NONE in (first, second) else (str(first), str(second))
    lift = cached.lift(asked.key(), space, asked.cuts, pair)
    if lift.empty:
        st.info(
            "No column sorts these records into groups. Import one as `stratum:<name>`, or choose "
            "*With computed* features above."
        )
        return
    left, right = st.columns([1, 1.25], gap="medium")
    with left:
        figure = residuals_overview.lift_figure(asked, tables.most_telling(lift, 40))
    with right:
        rows = lift.head(LISTED)
        st.dataframe(
            tables.lift_cells(rows), hide_index=True, width="stretch", row_height=34,
            height=38 + 34 * min(len(rows), 13), key=f"{PAGE}_strata_table",
            alt="Every stratum with lift, interval, prevalence, records and adjusted p",
        )  # fmt: skip
        more = f" Listed: {words.of(len(rows), len(lift))}." if len(lift) > len(rows) else ""
        st.caption(tables.LIFT_NOTE + more)
    slices = _slices(asked)
    inside, name = residuals_records.chosen_stratum(
        asked, cached.lift(asked.key(), space, asked.cuts), everything=False
    )
    residuals_records.draw(asked, inside, name)
    classes = _classes(asked)
    offered = {"Strata": lift}
    if slices is not None:
        offered["Slices"] = slices.drop(columns="conditions")
    if classes is not None:
        offered["Failure classes"] = classes
    offer(asked, "strata", offered, {"Lift": ("lift", figure)})


def _slices(asked: Asked) -> pd.DataFrame | None:
    st.subheader("Slices found by search", anchor="slices")
    try:
        found = cached.slices(asked.key(), asked.space, SEED)
    except ValueError as error:
        st.info(words.plain(str(error)))
        return None
    if found.empty:
        st.info("No slice of one or two conditions stands out on the half that was searched.")
        return found
    st.dataframe(
        tables.slice_cells(found), hide_index=True, width="stretch", row_height=34,
        height=38 + 34 * len(found), key=f"{PAGE}_slices_table",
        alt="Slices with their lift on the half searched and on the other half",
    )  # fmt: skip
    st.caption(
        "A tree proposes slices on a random half of the scored records; lift, interval and p are "
        f"of the other half, which it never saw. Seed {SEED}."
    )
    return found


def _classes(asked: Asked) -> pd.DataFrame | None:
    """Failure classes of wrong records, counted by another column."""
    strata, residual = asked.space.strata, asked.space.residuals.residual
    if FAILURE_CLASS not in strata or strata[FAILURE_CLASS].isna().all():
        return None
    st.subheader("Why verdicts are wrong", anchor="classes")
    names = [str(one) for one in strata if one != FAILURE_CLASS]
    by = st.selectbox("Counted by", names, key=f"{PAGE}_classes_by", persist_state="session")
    wrong = (residual != 0) & ~pd.isna(residual)
    chosen = strata.loc[wrong]
    counts = pd.crosstab(chosen[FAILURE_CLASS].fillna("not said"), chosen[by].fillna("missing"))
    counts.insert(0, "All", counts.sum(axis=1))
    shown = counts.reset_index().rename(columns={FAILURE_CLASS: "Class"})
    st.dataframe(
        shown.iloc[:, :40], hide_index=True, width="stretch", key=f"{PAGE}_classes_table",
        alt=f"Failure classes of wrong records by {by}",
    )  # fmt: skip
    st.caption(f"{words.count(int(wrong.sum()))} records where judge and people differ.")
    return shown
