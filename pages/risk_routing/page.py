"""Risk & routing: how much a judge can decide at a target risk, and through which mode."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pandas as pd
import streamlit as st

from core.jobs import RoutingRun, routed_table, smallest_alpha
from core.policy_file import policy_document, policy_text
from core.store.records import JudgedRecords
from pages.components import (
    cached,
    certificate_card,
    downloads,
    link_state,
    record_browser,
    risk_controls,
    risk_panels,
    routing_tiles,
    words,
)
from pages.components.header import Selection, page_header

PAGE = "risk"


def show() -> None:
    """Draw the page."""
    selection = page_header(
        "Risk & routing",
        page=PAGE,
        shows="This page shows how many records a judge can decide at a risk you choose, and "
        "which ones go to a person.",
        helps="It needs records with a judge's verdicts and, for some of them, labels from people.",
    )
    risk_controls.read()
    link_state.notices()
    if selection is not None:
        judged = cached.records(
            selection.cohort, selection.judge.name, selection.candidate, selection.label_source
        )
        _results(selection, judged)


@st.fragment
def _results(selection: Selection, judged: JudgedRecords) -> None:
    """Everything that a control changes; quick parts first, so that they are seen first."""
    request = risk_controls.read()
    offered = judged.labelled.any() and cached.has_features(judged)
    score = risk_controls.read_score() if offered else None
    risk_controls.draw(request, page=PAGE, score=score)
    if score not in (None, "recorded"):
        judged = _scored(judged, score)
    run = cached.routing(judged, request)
    left, right = st.columns(2, gap="medium")
    with left:
        refused = certificate_card.draw(judged, run, page=PAGE)
        routing_tiles.draw(judged, run, page=PAGE)
    with right:
        curve = risk_panels.curve(judged, run, page=PAGE)
    left, right = st.columns(2, gap="medium")
    range_place, certificates_place, judges_place = left.container(), st.container(), st.container()
    records_place, downloads_place = st.container(), st.container()
    with right:
        plane = risk_panels.plane(judged, run, page=PAGE)
    with range_place:
        sweep, target_range = risk_panels.target_range(judged, run, page=PAGE)
    with judges_place:
        judges, compared = risk_panels.judges(selection.cohort, judged, run, page=PAGE)
    if refused is not None:
        certificate_card.offer(
            refused,
            smallest=smallest_alpha(sweep),
            largest_tried=risk_controls.ALPHAS[-1],
            other=risk_panels.best_other(selection.cohort, judged, run),
            lacks=certificate_card.lacking(judged, run),
            page=PAGE,
        )
    with certificates_place:
        certificates = risk_panels.certificates(judged, run, page=PAGE)
    with records_place:
        record_browser.draw(judged, run, page=PAGE)
    with downloads_place:
        _downloads(
            judged,
            run,
            {"Targets": sweep, "Judges": judges, "Certificates": certificates},
            {
                "Risk and coverage": ("curve", curve),
                "Targets": ("range", target_range),
                "Plane": ("plane", plane),
                "Judges": ("judges", compared),
            },
        )


def _scored(judged: JudgedRecords, way: str) -> JudgedRecords:
    """The records with the risk score as uncertainty, and what that costs; or why not."""
    try:
        found = cached.risk_scored(judged, way)
    except ValueError as error:
        st.warning(f"No risk score: {words.plain(str(error))} Shown as recorded.")
        return judged
    for note in found.notes:
        st.warning(words.plain(note), icon=":material/key:")
    if found.n_trained:
        labelled = int(judged.labelled.sum())
        st.caption(
            f"{words.of(found.n_trained, labelled)} labelled records trained the risk score and "
            f"are left out below: {words.of(found.scored.n, judged.n)} records are left. The score "
            "is of this cohort's own features; a policy on it routes these records only."
        )
    return found.scored


def _downloads(
    judged: JudgedRecords,
    run: RoutingRun,
    tables: Mapping[str, pd.DataFrame | None],
    figures: Mapping[str, tuple[str, Any]],
) -> None:
    stem = words.file_stem(
        judged.cohort_id, judged.judge, judged.candidate, f"alpha{run.request.alpha:g}"
    )
    st.subheader("Downloads", anchor=False)
    with st.container(horizontal=True, gap="small"):
        downloads.document(
            "Policy (JSON)",
            lambda: policy_text(policy_document(judged, run)),
            file_name=f"{stem}_policy.json",
            key=f"{PAGE}_policy",
        )
        downloads.tables(
            "Routed records",
            {
                "Routes": lambda: routed_table(judged, run.route),
                "Routes with texts": lambda: record_browser.everything(judged, run),
            },
            stem=stem,
            key=f"{PAGE}_routed",
        )
        downloads.tables(
            "Tables",
            {name: table for name, table in tables.items() if table is not None},
            stem=stem,
            key=f"{PAGE}_tables",
        )
        downloads.figures(
            "Figures",
            {
                name: (f"{PAGE}_{element}", figure)
                for name, (element, figure) in figures.items()
                if figure is not None
            },
            stem=stem,
            key=f"{PAGE}_figures",
        )


show()
