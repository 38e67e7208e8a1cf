"""Residuals: where judge and people disagree, and what predicts it."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
import streamlit as st

from pages.components import (
    badges,
    link_state,
    residuals_controls,
    residuals_features,
    residuals_model,
    residuals_overview,
    residuals_shap,
    residuals_strata,
    words,
)
from pages.components.header import page_header
from pages.components.residuals_controls import PAGE, Asked


class View(NamedTuple):
    """A view: its name, what draws it, and whether it shows strata."""

    name: str
    draw: Callable[[Asked], None]
    strata: bool


VIEWS = {
    "overview": View("Overview", residuals_overview.draw, True),
    "strata": View("Strata", residuals_strata.draw, True),
    "features": View("Features", residuals_features.draw, False),
    "model": View("Risk model", residuals_model.draw, False),
    "shap": View("What drives it", residuals_shap.draw, True),
}


def show() -> None:
    """Draw the page."""
    selection = page_header(
        "Residuals",
        page=PAGE,
        shows="This page shows where judge and people disagree, and what predicts it.",
        helps="It needs records with a judge's verdicts and labels from people; strata and "
        "features say more.",
    )
    if selection is None:
        link_state.notices()
        return
    asked = residuals_controls.read(selection)
    chosen = link_state.choice("view", list(VIEWS), default="overview")
    view = VIEWS[chosen]
    link_state.notices()
    key = f"{PAGE}_view"
    link_state.keep(key, chosen)
    st.segmented_control(
        "View", list(VIEWS), format_func=lambda one: VIEWS[one].name, key=key, required=True,
        label_visibility="collapsed", on_change=link_state.changed,
        args=(key, lambda one: {"view": one}),
    )  # fmt: skip
    if not _possible(asked):
        return
    residuals_controls.draw(asked, cuts=view.strata)
    with st.container(horizontal=True, gap="small"):
        badges.judge(asked.space.records.judge_kind)
        st.caption(f"{words.plain(asked.note)}.")
    full = residuals_controls.complete(asked)
    if full is not None:
        view.draw(full)


def _possible(asked: Asked) -> bool:
    """Say why nothing can be shown, and what would change that."""
    records = asked.space.records
    if asked.space.residuals.scored.any():
        return True
    if records.tied.any() and np.isnan(records.human).all():
        title = "Annotators tie on every labelled record"
        text = (
            "A residual needs a label that most of them give: one more label a record settles it."
        )
    elif np.isnan(records.human).all():
        title = "No record has a label, so no verdict can be checked"
        text = "A residual is a label minus a verdict: import labels with the records."
    else:
        title = "No labelled record has a verdict"
        text = (
            f"{words.plain(records.judge)} has no verdict in "
            f"{residuals_controls.mode_name(records.mode)} on the records that people labelled. "
            "Import some, or choose another judge above."
        )
    with st.container(border=True, key=f"{PAGE}_refused"):
        st.markdown(f"**{title}**")
        st.markdown(text)
        if st.button("Import labels or verdicts", key=f"{PAGE}_import"):
            st.switch_page("pages/data/page.py")
    return False


show()
