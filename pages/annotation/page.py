"""Annotation: which records people label next, and the accuracy that their labels anchor."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import streamlit as st

from pages.components import (
    annotation_controls,
    annotation_draw,
    annotation_estimate,
    annotation_labels,
    annotation_plan,
    annotation_simulate,
    badges,
    link_state,
    words,
)
from pages.components.annotation_controls import PAGE, Asked
from pages.components.header import page_header
from pages.components.residuals_controls import mode_name


class Step(NamedTuple):
    """A step of the loop: its name, and what draws it."""

    name: str
    draw: Callable[[Asked], None]


STEPS = {
    "plan": Step("Plan", annotation_plan.draw),
    "draw": Step("Draw", annotation_draw.draw),
    "labels": Step("Labels", annotation_labels.draw),
    "estimate": Step("Estimate", annotation_estimate.draw),
    "audit": Step("Audit", annotation_estimate.draw_audit),
    "simulation": Step("Simulation", annotation_simulate.draw),
}


def show() -> None:
    """Draw the page."""
    selection = page_header(
        "Annotation",
        page=PAGE,
        shows="This page plans and draws the records that people should label next, and gives the "
        "accuracy that their labels anchor.",
        helps="It needs records with a judge's verdicts; labels on some of them make it better.",
    )
    if selection is None:
        link_state.notices()
        return
    asked = annotation_controls.read(selection)
    chosen = link_state.choice("step", list(STEPS), default="plan")
    link_state.notices()
    space = asked.space
    with st.container(horizontal=True, gap="small"):
        badges.judge(space.records.judge_kind)
        st.caption(
            f"{words.count(len(space.predictor))} records · {words.count(space.n_population)} to "
            f"draw from · {words.count(space.n_calibration)} labelled for calibration"
        )
    for note in space.notes:
        st.caption(words.plain(note))
    modes = selection.judge.modes
    if len(modes) > 1:
        names = {mode: mode_name(mode) for mode in modes}
        annotation_controls.pick(
            st, "Verdicts", "verdicts", names, space.records.mode, "Whose verdicts are corrected."
        )
    key = f"{PAGE}_step"
    link_state.keep(key, chosen)
    st.segmented_control(
        "Step", list(STEPS), format_func=lambda one: STEPS[one].name, key=key, required=True,
        label_visibility="collapsed", on_change=link_state.changed,
        args=(key, lambda one: {"step": one}),
    )  # fmt: skip
    if not space.n_population:
        st.info("Every record has a label: there is nothing left to draw.")
        return
    STEPS[chosen].draw(asked)


show()
