"""Repeated splits: does the risk on records not calibrated on stay where it should."""

from __future__ import annotations

import streamlit as st

from core.studies import by_certificate
from pages.components import charts
from pages.components.risk_controls import CERTIFICATE_NAMES
from pages.components.stability_controls import Asked, over, targets
from pages.components.stability_run import (
    RISK_NOTE,
    SPLITS_NOTE,
    chart,
    offer,
    splits,
    summary_of,
    table,
)
from pages.stability import figures, tables
from pages.stability.looks import certificate_looks

SHOWN = ("splits", "delta")
#: The target that titles speak of.
TITLE_ALPHA = 0.20


def draw(asked: Asked) -> None:
    """Draw the view."""
    done = splits(
        asked,
        "splits",
        lambda: by_certificate(asked.judged, delta=asked.delta),
        settings=(asked.delta,),
        shows="Each split calibrates on a random half of the labelled records, with each of the "
        "three certificates, and looks at the other half: the risk there against its target, how "
        f"much is decided, and through which mode, at α = {targets()}.",
    )
    if done is None:
        return
    colours = charts.colours()
    summary = summary_of(done, CERTIFICATE_NAMES)
    subtitle = f"{over(asked, done.units)}, ± sd"
    looks = certificate_looks(colours)
    left, right = st.columns(2, gap="medium")
    title = tables.risk_title(summary)
    risk = figures.by_target(
        summary, "risk", looks, title=title, subtitle=subtitle, colours=colours
    )
    with left:
        chart(risk, "risk", f"{title}. Realised risk against the target risk by certificate.")
    title = tables.coverage_title(summary, TITLE_ALPHA)
    coverage = figures.by_target(
        summary, "coverage", looks, title=title, subtitle=subtitle, colours=colours
    )
    with right:
        chart(coverage, "coverage", f"{title}. Coverage against the target risk by certificate.")
    left, right = st.columns([1, 1.35], gap="medium")
    title = "Who decides, by certificate and target"
    below = "From below: Mode 1, Mode 2, to a person"
    routing = figures.routing(
        summary, title=title, subtitle=f"{below}. {over(asked, done.units)}", colours=colours
    )
    with left:
        chart(routing, "routing", f"{title}: mean shares of Mode 1, Mode 2 and a person.")
    with right:
        table(
            tables.summary_cells(summary, "Certificate"),
            "splits_table",
            "Certificates and targets with coverage, risk, splits above the target and routes",
        )
        st.caption(f"{SPLITS_NOTE} {RISK_NOTE} {tables.nothing_accepted(summary)}")
    offer(
        asked,
        "splits",
        {"Summary": summary, "Every split": done.rows},
        {
            "Realised risk": ("risk", risk),
            "Coverage": ("coverage", coverage),
            "Routing": ("routing", routing),
        },
    )
