"""Drift: a policy of the first snapshot's evidence, on verdicts from a later one."""

from __future__ import annotations

from dataclasses import asdict

import pandas as pd
import streamlit as st

from core.risk.drift import DriftReport, drift_by_split
from core.studies import evidence_overlap, later, snapshots
from pages.components import cached, charts, link_state, long_work, words
from pages.components.long_work import Work
from pages.components.risk_controls import CERTIFICATE_NAMES
from pages.components.stability_controls import N_SPLITS, PAGE, QUICK, SEED, Asked, over, pick
from pages.components.stability_run import chart, offer, table
from pages.stability import figures
from pages.stability.looks import Change
from pages.stability.tables import drift_cells, points

SHOWN = ("splits", "certificate", "alpha", "delta")
_MEAN = "mean over the records with evidence in both."
_ADVICE = {
    "keep": "**Keep the policy.** Its risk on the later evidence is at most α = {alpha}, even at "
    "the upper end of the interval.",
    "watch": "**Watch it.** The interval of its risk on the later evidence reaches from one side "
    "of α = {alpha} to the other: label more records of the later snapshot to decide.",
    "nothing": "**There is nothing to keep.** At α = {alpha} the policy decides no record of the "
    "later snapshot: choose a larger α.",
    "recalibrate": "**Recalibrate.** Its risk on the later evidence is above α = {alpha}, even at "
    "the lower end of the interval.",
}


def draw(asked: Asked) -> None:
    """Draw the view."""
    judged, found = asked.judged, snapshots(asked.cohort, asked.judged)
    if not found:
        with st.container(border=True):
            st.markdown(f"**{words.plain(judged.judge)} has one snapshot of Mode 2 only**")
            st.markdown(
                "Search results change. With verdicts on evidence looked up again, in a mode "
                "named `mode2:t1` beside `mode2` (and the pages in `evidence`), this shows how "
                "many pages are still the same, and whether a policy of then still holds."
            )
            if st.button("Import records", key=f"{PAGE}_drift_import"):
                st.switch_page("pages/data/page.py")
        return
    snapshot = link_state.choice("snapshot", found, default=found[-1])
    if len(found) > 1:
        pick(
            st.segmented_control, "Later snapshot", "snapshot", {one: one for one in found},
            snapshot, required=True,
        )  # fmt: skip
    overlap = _overlap(asked, snapshot)
    done = long_work.draw(
        asked.key("drift", asked.certificate, asked.delta, asked.alpha, snapshot),
        lambda: _begin(asked, snapshot),
        wanted=asked.n,
        unit="splits",
        page=PAGE,
        quick=int(judged.labelled.sum()) <= QUICK,
        shows="Each split calibrates on a random half with the first snapshot's evidence, and "
        "decides the other half with the evidence of both snapshots.",
    )
    report: DriftReport | None = None if done is None else done.last()
    _tiles(overlap, report)
    if report is None or done is None:
        return
    _advice(report, asked)
    changes = _changes(report)
    figure = _figure(asked, report, changes)
    left, right = st.columns(2, gap="medium")
    with left:
        chart(figure, "drift", "Coverage and risk of the first snapshot's policy on both snapshots")
    with right:
        table(drift_cells(changes), "drift_table", "Coverage and risk on both snapshots")
        st.caption(
            "Δ is later minus first, with a 95% interval over records, for the policies as they "
            "are: each record's decisions are averaged over the splits in which it was looked at."
        )
    row = pd.DataFrame([{"alpha": asked.alpha, "delta": asked.delta, **asdict(report)}])
    offer(
        asked,
        "drift",
        {"Drift": row, "Overlap of evidence": overlap},
        {"Drift": ("drift", figure)},
    )


def _begin(asked: Asked, snapshot: str) -> Work:
    before, after = asked.judged, later(cached.database(), asked.judged, snapshot)
    known = before.labelled
    steps = drift_by_split(
        before.uncertainty1[known], before.is_error1[known],
        before.uncertainty2[known], before.is_error2[known],
        after.uncertainty2[known], after.is_error2[known],
        alpha=asked.alpha, delta=asked.delta, certificate=asked.certificate,
        n_splits=int(N_SPLITS[-1]), seed=SEED,
    )  # fmt: skip
    return Work(steps, 1, None)


def _overlap(asked: Asked, snapshot: str) -> pd.DataFrame:
    frame: pd.DataFrame = cached.result(
        "overlap", cached.key(asked.judged), (snapshot,),
        lambda: evidence_overlap(cached.database(), asked.judged, snapshot),
    )  # fmt: skip
    return frame


def _tiles(overlap: pd.DataFrame, report: DriftReport | None) -> None:
    n = len(overlap)
    pill = f"{words.count(n)} records" if n else "no evidence listed"
    grid = st.grid(4, min_column_width=150, gap="small")

    def tile(label: str, value: str, said: str, tip: str) -> None:
        grid.metric(label, value, said, delta_color="off", delta_arrow="off", border=True, help=tip)

    for label, name, tip in (
        (
            "Ranked Jaccard", "ranked",
            "Places that hold the same page in both snapshots, of all different pairs of place "
             "and page; " + _MEAN,
        ),
        (
            "Unranked Jaccard", "unranked",
            "Pages in both snapshots of those in either, whatever their places; " + _MEAN,
        ),
    ):  # fmt: skip
        tile(label, f"{overlap[name].mean():.2f}" if n else words.DASH, pill, tip)
    if report is None:
        return
    tile(
        "Coverage, later", words.percent(report.coverage_after),
        f"first {words.percent(report.coverage_before)}",
        "Share of test records that the first snapshot's policy decides, by the evidence of each.",
    )  # fmt: skip
    tile(
        "Risk, later", words.percent(report.risk_after),
        f"first {words.percent(report.risk_before)}",
        "Share of wrong verdicts among those, over the decisions of all splits together; repeated "
        "splits average a risk a split.",
    )  # fmt: skip


def _advice(report: DriftReport, asked: Asked) -> None:
    alpha = words.setting(asked.alpha)
    look = {"keep": st.success, "recalibrate": st.error}.get(report.advice, st.warning)
    text = _ADVICE["nothing" if report.risk_after is None else report.advice].format(alpha=alpha)
    if report.risk_after is not None:
        low, high = max(report.risk_after_low or 0.0, 0.0), report.risk_after_high
        text += (
            f" Risk there: {words.percent(report.risk_after)} ({words.percent(low)} to "
            f"{words.bound(high)})."
        )
    look(text)


def _changes(report: DriftReport) -> list[Change]:
    """Coverage, and risk where something is decided in both snapshots."""
    changes = [
        Change(
            "Decided", report.coverage_before, report.coverage_after, report.coverage_low,
            report.coverage_high,
        )
    ]  # fmt: skip
    if (
        report.risk_before is not None
        and report.risk_after is not None
        and report.risk_low is not None
        and report.risk_high is not None
    ):
        changes.append(
            Change(
                "Wrong of these", report.risk_before, report.risk_after, report.risk_low,
                report.risk_high,
            )
        )  # fmt: skip
    return changes


def _figure(asked: Asked, report: DriftReport, changes: list[Change]):
    moved = [f"{points(one.after - one.before)} pp" for one in changes]
    title = f"Coverage moves by {moved[0]}" + (f", risk by {moved[1]}" if moved[1:] else "")
    return figures.drift(
        changes,
        asked.alpha,
        title=title.replace(" pp", "\u00a0pp"),
        subtitle=f"{CERTIFICATE_NAMES[asked.certificate]}, α = {words.setting(asked.alpha)}. "
        f"{over(asked, report.n_splits)}",
        colours=charts.colours(),
    )
