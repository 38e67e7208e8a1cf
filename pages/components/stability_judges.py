"""Every judge on every candidate's answers: coverage, risk and routes at the same targets."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pandas as pd
import streamlit as st

from core.studies import ALPHAS, Variant
from pages.components import badges, cached, charts, link_state, words
from pages.components.long_work import Done
from pages.components.risk_controls import CERTIFICATE_NAMES
from pages.components.stability_controls import PAGE, Asked, judge_note, pick
from pages.components.stability_run import chart, offer, splits, summary_of, table
from pages.stability import figures
from pages.stability.grid import Cell, accuracy_columns, coverage_grid, least_labelled
from pages.stability.looks import plain_looks

SHOWN = ("splits", "certificate", "delta")
SCOPES = {"cohort": "This cohort", "all": "All cohorts"}
VALUES = {"coverage": "Coverage", "risk": "Risk", "routes": "Routing"}
#: The symbols of the small figures as text, for the key above them.
_MARKS = {
    "circle": "●", "square": "■", "diamond": "◆", "triangle-up": "▲", "x": "✕", "star": "★",
}  # fmt: skip


def draw(asked: Asked) -> None:
    """Draw the view."""
    scope = link_state.choice("scope", list(SCOPES), default="cohort")
    with st.container(horizontal=True, gap="medium", vertical_alignment="bottom"):
        pick(st.segmented_control, "Cohorts", "scope", SCOPES, scope, required=True)
        value = st.segmented_control(
            "Figures", list(VALUES), format_func=lambda one: VALUES[one], default="coverage",
            required=True, key=f"{PAGE}_grid_value", persist_state="session",
        )  # fmt: skip
    cohorts = cached.cohorts() if scope == "all" else [asked.cohort]
    cells = [
        Cell(cohort.cohort_id, cohort.name, candidate, judge.name, judge.kind, cohort.data_hash)
        for cohort in cohorts
        for candidate in cohort.candidates or (None,)
        for judge in cohort.judges
    ]
    done = splits(
        asked,
        "judges",
        lambda: _variants(asked, cells),
        settings=(asked.certificate, asked.delta, tuple(cells)),
        shows=f"{words.count(len(cells))} combinations of cohort, candidate and judge, each over "
        "the same splits: what every judge would decide at each target, and how often its two "
        "modes are right without any calibration.",
    )
    if done is None:
        return
    by_name = {cell.key: cell for cell in cells}
    ran: dict[str, Variant] = {one.name: one for one in done.about}
    summary = summary_of(done)
    shown = _figures(asked, done, summary, [by_name[name] for name in ran], value)
    names = CERTIFICATE_NAMES[asked.certificate]
    st.subheader("Coverage at each target, and accuracy before calibration", anchor=False)
    frame = coverage_grid(summary, by_name).merge(
        accuracy_columns({name: one.records for name, one in ran.items()}), on="key"
    )
    table(
        _cells(frame), "judges_table",
        "Cohort, candidate and judge with coverage at each target and accuracy of both modes",
        most=20,
    )  # fmt: skip
    left_out = [cell for cell in cells if cell.key not in ran]
    st.caption(
        f"{names} certificate, mean coverage over {words.count(done.units)} splits, half of the "
        "labelled records calibrate. Accuracy is the share of right verdicts of those with a "
        "label."
        + (
            f" Left out for want of labels: {'; '.join(words.plain(c.label) for c in left_out)}."
            if left_out
            else ""
        )
    )
    raw = summary.rename(columns={"variant": "key"}).merge(
        frame[["key", "cohort", "candidate", "judge", "judge_kind"]], on="key"
    )
    offer(
        asked,
        "judges",
        {
            "Grid": frame.drop(columns="key"),
            "Summary": raw.drop(columns="key"),
            "Every split": done.rows,
        },
        shown,
    )


def _variants(asked: Asked, cells: Sequence[Cell]) -> list[Variant]:
    known = {cohort.cohort_id: cohort for cohort in cached.cohorts()}
    variants = []
    for cell in cells:
        cohort, source = known[cell.cohort_id], asked.judged.label_source
        # A cohort without the source chosen has its own.
        source = source if source in cohort.label_sources else None
        records = cached.records(cohort, cell.judge, cell.candidate, source)
        if records.labelled.sum() >= least_labelled(asked.delta):
            variants.append(Variant(cell.key, records, asked.certificate, asked.delta))
    if not variants:
        raise ValueError("No combination has enough labelled records to calibrate on.")
    return variants


def _figures(
    asked: Asked, done: Done, summary: pd.DataFrame, cells: Sequence[Cell], value: str
) -> dict[str, tuple[str, Any]]:
    """A small figure a cohort and candidate, in a grid that wraps on a phone."""
    colours = charts.colours()
    judges = list(dict.fromkeys(cell.judge for cell in cells))
    looks = dict(zip(judges, plain_looks(judges, colours, bold=asked.judged.judge), strict=True))
    kinds = {cell.judge: cell.judge_kind for cell in cells}
    if value == "routes":
        text = "Bars at each target, left to right: " + ", ".join(
            words.plain(badges.judge_name(name, kinds[name])) for name in judges
        )
        text += ". Mode 1 below, then Mode 2; the rest goes to a person."
    else:
        text = "  ".join(
            f"{_MARKS[looks[name].symbol]} "
            + ("**{}**" if looks[name].width > 2 else "{}").format(
                words.plain(badges.judge_name(name, kinds[name]))
            )
            for name in judges
        )
    st.markdown(text)
    shown: dict[str, tuple[str, Any]] = {}
    groups: dict[tuple[str, str | None], list[Cell]] = {}
    for cell in cells:
        groups.setdefault((cell.cohort, cell.candidate), []).append(cell)
    with st.grid(min(4, max(len(groups), 2)), min_column_width=265):
        for place, ((cohort, candidate), group) in enumerate(groups.items()):
            n = max(int(one.records.labelled.sum()) for one in done.about
                    if one.name in {cell.key for cell in group})  # fmt: skip
            kinds_here = {cell.judge_kind for cell in group}
            note = judge_note(kinds_here.pop()) if len(kinds_here) == 1 else ""
            look: dict[str, Any] = {
                "title": ", ".join(part for part in (cohort, candidate) if part),
                "subtitle": f"{words.count(done.units)} splits, {words.count(n)} labelled{note}",
                "colours": colours,
            }
            rows = summary[summary["variant"].isin([cell.key for cell in group])]
            if value == "routes":
                figure = figures.routes_small(rows, [c.judge for c in group], **look)
            else:
                figure = figures.by_target(
                    rows, value, [looks[cell.judge] for cell in group], small=True, **look
                )
            with st.container():
                chart(
                    figure, f"grid_{place}",
                    f"{cohort}, {candidate or 'all answers'}: {VALUES[value].lower()} of each "
                    "judge against the target risk.",
                )  # fmt: skip
            shown[f"{VALUES[value]} {cohort} {candidate or ''}".strip()] = (f"grid_{place}", figure)
    return shown


def _cells(frame: pd.DataFrame) -> pd.DataFrame:
    shown = pd.DataFrame(
        {
            "Cohort": frame["cohort"],
            "Candidate": frame["candidate"].fillna("all answers"),
            "Judge": [
                badges.judge_name(name, kind)
                for name, kind in zip(frame["judge"], frame["judge_kind"], strict=True)
            ],
        }
    )
    for alpha in ALPHAS:
        name = words.setting(alpha)
        shown[f"α = {name}"] = [words.percent(one) for one in frame[f"coverage at {name}"]]
    shown["Mode 1 right"] = [words.percent(one) for one in frame["accuracy1"]]
    shown["Mode 2 right"] = [words.percent(one) for one in frame["accuracy2"]]
    shown["Labelled"] = [words.count(one) for one in frame["labelled"]]
    return shown
