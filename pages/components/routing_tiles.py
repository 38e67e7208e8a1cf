"""Six tiles and a bar: what the policy does with the records."""

from __future__ import annotations

import numpy as np
import streamlit as st

from core.jobs import RoutingRun
from core.store.records import JudgedRecords
from pages.components import charts, words
from pages.components.certificate_card import Verdict
from pages.components.figures import split_bar
from pages.components.theme import MARKS, Palette


def draw(judged: JudgedRecords, run: RoutingRun, *, page: str) -> None:
    """Draw the tiles, the split bar and how many records were scored."""
    colours = charts.colours()
    n, policy = run.n, run.policy
    has_mode2 = not np.isnan(judged.verdict2).all()
    retrieves = policy.accepts and has_mode2
    decided = round(run.coverage * n)
    grid = st.grid(3, min_column_width=135, gap="small")
    _tile(
        grid,
        "Coverage",
        words.percent(run.coverage),
        words.of(decided, n),
        "Share of all records that the judge decides, through either mode.",
    )
    _tile(
        grid,
        "Risk",
        words.percent(policy.errors / policy.accepted) if policy.accepted else words.DASH,
        f"{words.of(policy.errors, policy.accepted)} tested"
        if policy.accepted
        else "none accepted",
        f"Share of wrong verdicts among the tested records that the judge decides; {_bound(run)}. "
        "The bound is what the true share stays below, with the confidence chosen.",
    )
    _tile(
        grid,
        "Retrievals avoided",
        words.percent(run.retrievals_avoided / n if retrieves else None),
        words.of(run.retrievals_avoided, n)
        if retrieves
        else "none decided"
        if has_mode2
        else "no Mode 2",
        "Records that need no evidence looked up: Mode 1 decides them, or Mode 2 is not used.",
    )
    for look, label, share, tip in (
        ("mode1", "Mode 1", run.share1, "Decided from what the judge knows, without evidence."),
        ("mode2", "Mode 2", run.share2, "Mode 1 was not sure; decided with retrieved evidence."),
        ("person", "To a person", run.share_abstain, "Neither mode is sure enough."),
    ):
        _tile(
            grid,
            f"{_mark(look, colours)} {label}",
            words.percent(share),
            f"{words.count(round(share * n))} records",
            tip,
        )
    shares = {
        "mode1": (run.share1, round(run.share1 * n)),
        "mode2": (run.share2, round(run.share2 * n)),
        "person": (run.share_abstain, round(run.share_abstain * n)),
    }
    charts.show(
        split_bar(shares, colours),
        key=f"{page}_split",
        alt=f"Mode 1 decides {words.percent(run.share1)}, Mode 2 {words.percent(run.share2)}, "
        f"a person {words.percent(run.share_abstain)} of {words.count(n)} records",
        name="routing-split",
        toolbar=False,
    )
    st.caption(scored(run, judged.label_source))


def scored(run: RoutingRun, labels: str | None) -> str:
    """How many records the figures stand on."""
    if run.n_scored1 == run.n_scored2:
        text = f"Scored {words.of(run.n_scored1, run.n)} records in both modes"
    else:
        text = (
            f"Scored {words.of(run.n_scored1, run.n)} records in Mode 1, "
            f"{words.of(run.n_scored2, run.n)} in Mode 2"
        )
    source = f" ({words.plain(words.short(labels, 40))})" if labels else ""
    return f"{text}; {words.of(run.n_labelled, run.n)} have a label{source}."


def _bound(run: RoutingRun) -> str:
    verdict = Verdict.of(run)
    if not verdict.accepted:
        return "none are accepted"
    return f"bound {words.bound(run.policy.risk_upper)}" if verdict.guaranteed else "no guarantee"


def _tile(grid, label: str, value: str, pill: str, tip: str) -> None:
    grid.metric(label, value, pill, delta_color="off", delta_arrow="off", border=True, help=tip)


def _mark(look: str, colours: Palette) -> str:
    colour = {
        "mode1": colours.mode1_text,
        "mode2": colours.mode2,
        "person": colours.person,
    }[look]
    return f':color[{MARKS[look]}]{{foreground="{colour}"}}'
