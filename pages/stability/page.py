"""Stability: is the guarantee real, on these records, and what does it hang on."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np
import streamlit as st

from core.store.records import JudgedRecords
from core.studies import ALPHAS
from pages.components import (
    badges,
    cached,
    link_state,
    stability_controls,
    stability_drift,
    stability_judges,
    stability_retrieval,
    stability_splits,
    stability_truth,
    stability_variants,
    words,
)
from pages.components.header import page_header
from pages.components.stability_controls import PAGE, SEED, Asked
from pages.stability.grid import least_labelled


class View(NamedTuple):
    """A view: its name, the controls it has, what draws it, and whether it needs Mode 2."""

    name: str
    controls: Sequence[str] | Callable[[], Sequence[str]]
    draw: Callable[[Asked], None]
    needs_mode2: bool = False

    def shown(self) -> Sequence[str]:
        """The controls that this view has now."""
        return self.controls() if callable(self.controls) else self.controls


VIEWS = {
    "splits": View("Repeated splits", stability_splits.SHOWN, stability_splits.draw),
    "judges": View("Judges", stability_judges.SHOWN, stability_judges.draw),
    "truth": View("Known truth", stability_truth.SHOWN, stability_truth.draw),
    "sensitivity": View(
        "Sensitivity", stability_variants.sensitivity_controls, stability_variants.sensitivity
    ),
    "baselines": View(
        "Baselines", stability_variants.SHOWN, stability_variants.draw_baselines, True
    ),
    "retrieval": View(
        "Effect of retrieval", stability_retrieval.SHOWN, stability_retrieval.draw, True
    ),
    "scores": View("Other scores", stability_variants.SHOWN, stability_variants.draw_scores),
    "drift": View("Drift", stability_drift.SHOWN, stability_drift.draw, True),
}


def show() -> None:
    """Draw the page."""
    selection = page_header(
        "Stability",
        page=PAGE,
        shows="This page shows whether the risk stays as promised on records that a policy was "
        "not calibrated on, and what coverage hangs on.",
        helps="It needs records with a judge's verdicts and labels from people.",
    )
    if selection is None:
        link_state.notices()
        return
    judged = cached.records(
        selection.cohort, selection.judge.name, selection.candidate, selection.label_source
    )
    asked = stability_controls.read(selection.cohort, judged)
    chosen = link_state.choice("view", list(VIEWS), default="splits")
    view = VIEWS[chosen]
    link_state.notices()
    stability_controls.pick(
        st.segmented_control,
        "View",
        "view",
        {name: one.name for name, one in VIEWS.items()},
        chosen,
        required=True,
        label_visibility="collapsed",
    )
    if not _possible(judged, asked, view):
        return
    if view.controls:
        stability_controls.draw(asked, view.shown())
    _standing(judged, asked, view)
    view.draw(asked)


def _possible(judged: JudgedRecords, asked: Asked, view: View) -> bool:
    """Say why a view can't be drawn, and what would change that."""
    labelled, least = int(judged.labelled.sum()), least_labelled(asked.delta)
    highest = words.setting(max(ALPHAS))
    if view.draw is stability_judges.draw:
        return True
    if not labelled:
        title = "No record has a label, so no verdict can be checked"
        text = "Splits calibrate on labelled records, and look at other labelled ones."
    elif np.isnan([judged.uncertainty1, judged.uncertainty2]).all():
        title = f"{words.plain(judged.judge)} never says how unsure it is"
        text = (
            "Thresholds are set on uncertainties, and no verdict has one. Import them with the "
            "verdicts, or choose another judge above."
        )
    elif view.needs_mode2 and np.isnan(judged.uncertainty2).all():
        title = "Mode 2 has no scored record"
        text = (
            f"“{view.name}” compares verdicts with and without retrieved evidence, and "
            f"{words.plain(judged.judge)} has none with it that has an uncertainty too. Import "
            "verdicts of mode `mode2`, or choose another judge above."
        )
    elif labelled < least and view.controls:
        title = f"Only {words.of(labelled, judged.n)} records have a label"
        text = (
            f"Half of them can't certify anything, even at α = {highest} without an error: "
            f"{words.count(least // 2)} are needed there, so {words.count(least)} in all."
        )
    else:
        return True
    with st.container(border=True, key=f"{PAGE}_refused"):
        st.markdown(f"**{title}**")
        st.markdown(text)
        if st.button("Import more labels or verdicts", key=f"{PAGE}_import"):
            st.switch_page("pages/data/page.py")
    return False


def _standing(judged: JudgedRecords, asked: Asked, view: View) -> None:
    """What holds for everything below: whose verdicts, the seed, and what they are not."""
    with st.container(horizontal=True, gap="small"):
        badges.judge(judged.judge_kind)
        if asked.certificate == "pointwise" and "certificate" in view.shown():
            badges.no_guarantee()
        said = ""
        if view.controls:
            unit = "draws" if "draws" in view.shown() else "splits"
            said = f"Seed {SEED}; the same {unit} for everything compared. "
        if judged.label_source and len(asked.cohort.label_sources) > 1:
            said += f"Labels: {words.plain(judged.label_source)}. "
        if view.controls and np.isnan(judged.uncertainty2).all():
            said += "Mode 2 has no scored record: the pair is Mode 1 alone. "
        if judged.candidate is None and judged.n_questions < judged.n:
            said += (
                f"{words.count(judged.n)} records share {words.count(judged.n_questions)} "
                "questions, so both halves of a split hold some of the same ones: choose one "
                "candidate for a fair look. "
            )
        if said:
            st.caption(said.strip())


show()
