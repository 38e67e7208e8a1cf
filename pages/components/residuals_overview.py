"""Overview: the judge's rate beside that of people, and where the difference sits."""

from __future__ import annotations

import pandas as pd
import streamlit as st

from core.residuals.overview import Overview
from pages.components import cached, charts, residuals_model, residuals_shap, words
from pages.components.residuals_controls import Asked, chart, offer
from pages.residuals import figures, tables

#: Strata drawn and listed here; the Strata view has all.
DRAWN = 24


def draw(asked: Asked) -> None:
    """Draw the view."""
    overview = asked.space.overview()
    _tiles(asked, overview)
    lift = cached.lift(asked.key(), asked.space, asked.cuts)
    left, right = st.columns(2, gap="medium")
    shown = tables.most_telling(lift, DRAWN)
    with left:
        figure = lift_figure(asked, shown)
    with right:
        heat = _shap(asked, lift)
    left, right = st.columns([1, 1.6], gap="medium")
    with left:
        st.subheader("Judge against people", anchor=False)
        st.table(tables.confusion_cells(overview), border="horizontal")
        reasons = asked.space.missing()
        if reasons:
            st.caption(
                f"Not scored: {words.count(asked.space.n - overview.n_scored)} of "
                f"{words.count(asked.space.n)} records ("
                + "; ".join(f"{words.plain(why)} {words.count(n)}" for why, n in reasons.items())
                + ")."
            )
        _agreement(asked)
    with right:
        st.subheader("Strata by what they add", anchor=False)
        st.dataframe(
            tables.lift_cells(shown), hide_index=True, width="stretch", row_height=34,
            height=38 + 34 * min(max(len(shown), 1), 12), key="residuals_overview_table",
            alt="Strata with lift, prevalence, records and adjusted p",
        )  # fmt: skip
        st.caption(tables.LIFT_NOTE)
    offer(
        asked, "overview",
        {
            "Overview": tables.overview_table(overview, asked.space.agreement()),
            "Strata": lift,
        },
        {"Lift": ("lift", figure), "SHAP by stratum": ("heat", heat)},
    )  # fmt: skip


def lift_figure(asked: Asked, shown: pd.DataFrame):
    """Draw prevalence against lift; give the figure."""
    title = tables.lift_title(shown)
    figure = figures.lift(
        shown, title=title, colours=charts.colours(),
        subtitle="Filled: Holm p < .05; letters: those with most excess, and a rare one. "
        f"Size: excess residual. {asked.note}",
    )  # fmt: skip
    chart(figure, "lift", f"{title}. Prevalence against lift of {len(shown)} strata.")
    return figure


def _shap(asked: Asked, lift: pd.DataFrame):
    trained = residuals_model.trained(asked, place="overview")
    if trained is None:
        return None
    return residuals_shap.heat(asked, trained, lift, element="heat")


def _tiles(asked: Asked, overview: Overview) -> None:
    grid = st.grid(6, min_column_width=135, gap="small")
    for label, value, pill, tip in tables.tiles(overview, asked.space.agreement()):
        grid.metric(label, value, pill, delta_color="off", delta_arrow="off", border=True, help=tip)


def _agreement(asked: Asked) -> None:
    found = asked.space.agreement()
    if found is None:
        return
    st.subheader("Agreement", anchor=False)
    st.table(tables.agreement_cells(*found), border="horizontal", hide_index=True)
    among, _ = found
    st.caption(
        f"{words.count(among.n_annotators)} annotators, "
        f"{words.of(among.n_items_twice, asked.space.n)} records with two labels or more. People "
        "among themselves are the ceiling for a judge."
    )
