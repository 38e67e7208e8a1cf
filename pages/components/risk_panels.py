"""The panels of the Risk & routing page beside the card: what surrounds the chosen policy."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import pandas as pd
import streamlit as st

from core.jobs import RoutingRequest, RoutingRun, promise, smallest_alpha
from core.risk.bounds import min_accepted
from core.risk.certification import CERTIFICATES
from core.risk.policy import RoutingPolicy
from core.risk_score import KINDS
from core.store.records import Cohort, JudgedRecords
from pages.components import badges, cached, charts, words
from pages.components.certificate_card import OtherJudge, Verdict, operating_point
from pages.components.risk_controls import ALPHAS, CERTIFICATE_NAMES, LEAST_DELTA
from pages.risk_routing import figures
from pages.risk_routing.points import Curve, JudgeRow

#: From this many records on, the slow certificates are compared on request only.
COMPARE_AT_ONCE = 200_000
_LEAST_SHOWN = 10

_CURVE_HELP = """**Mode 1** and **Mode 2**: each mode alone, its surest verdicts first, over all
labelled records. **Both**: Mode 1 up to the policy's first threshold, then Mode 2 for the rest
while its threshold rises, over the records that the certificate tested. It passes through the
policy's point (the ring) by construction. The whisker ends at the upper bound."""


def curve(judged: JudgedRecords, run: RoutingRun, *, page: str) -> Any:
    """Risk against coverage, with the operating point; returns the figure."""
    verdict = Verdict.of(run)
    request = run.request
    curves = {str(mode): cached.curve(judged, mode) for mode in (1, 2)}
    if request.mode != "both" or verdict.accepted:
        curves[request.mode] = cached.chosen(judged, run)
    if not any(len(one.accepted) for one in curves.values()):
        st.info(
            "No labelled record has both a verdict and an uncertainty, so there is no curve to "
            "draw: without an uncertainty nothing says which verdicts to trust.",
            icon=":material/show_chart:",
        )
        return None
    least = max(min_accepted(request.alpha, request.delta), _LEAST_SHOWN)
    figure = figures.risk_coverage(
        {name: one.start_at(least) for name, one in curves.items()},
        request.mode,
        operating_point(run, verdict),
        alpha=request.alpha,
        title=_curve_title(run, verdict),
        subtitle=_curve_subtitle(curves, request.mode) + _judge_note(judged),
        colours=charts.colours(),
    )
    charts.show(
        figure,
        key=f"{page}_curve",
        alt=f"{_curve_title(run, verdict)}. Risk among the records decided against coverage, "
        "for each mode and for the policy.",
        name="risk-coverage",
    )
    st.caption(
        f"From {words.count(least)} records decided on; below that, risk is mostly noise.",
        help=_CURVE_HELP,
    )
    return figure


def _curve_subtitle(curves: Mapping[str, Curve], chosen: str) -> str:
    """How many records each line stands on; the chosen one may leave out those set aside."""
    drawn = {name: one.of for name, one in curves.items() if len(one.accepted)}
    labelled = max(drawn.values())
    if set(drawn.values()) == {labelled}:
        return f"Risk against coverage, {words.count(labelled)} labelled"
    others = " and ".join(name for name in drawn if name != chosen)
    return (
        f"Mode {others}: {words.count(labelled)} labelled; "
        f"{figures.MODE_NAMES[chosen]}: {words.count(drawn[chosen])} tested"
    )


def _curve_title(run: RoutingRun, verdict: Verdict) -> str:
    alpha = words.setting(run.request.alpha)
    share = words.percent(run.coverage)
    if not verdict.accepted:
        return f"No point on the curve can be accepted at {alpha}"
    if verdict.guaranteed:
        return f"The judge can decide {share} of records within a {alpha} risk"
    return f"The judge decides {share} of records, with no guarantee for the {alpha} target"


def target_range(judged: JudgedRecords, run: RoutingRun, *, page: str) -> tuple[pd.DataFrame, Any]:
    """Coverage and shares over all targets; returns the table and the figure."""
    place, request = st.container(), run.request
    parts: list[pd.DataFrame] = []
    for part in cached.sweep(judged, request, ALPHAS):
        parts.append(part)
        # Writing anything lets a newer run take over between two parts.
        if len(parts) * len(part) < len(ALPHAS):
            place.empty()
    sweep = pd.concat(parts, ignore_index=True)
    title = _range_title(sweep)
    figure = figures.target_range(
        sweep,
        alpha=request.alpha,
        title=title,
        subtitle=f"Share by route, {_records(judged)}",
        colours=charts.colours(),
    )
    with place:
        charts.show(
            figure,
            key=f"{page}_range",
            alt=f"{title}. Shares decided by Mode 1, by Mode 2 and by a "
            "person for every target risk.",
            name="target-range",
        )
    return sweep, figure


def _range_title(sweep: pd.DataFrame) -> str:
    smallest = smallest_alpha(sweep)
    if smallest is None:
        return f"No target up to {words.setting(ALPHAS[-1])} can be accepted"
    if smallest > ALPHAS[0]:
        return f"Below α = {words.setting(smallest)} nothing can be accepted"
    first = sweep.iloc[0]
    return (
        f"Even at α = {words.setting(smallest)} the judge decides {words.percent(first.coverage)}"
    )


def plane(judged: JudgedRecords, run: RoutingRun, *, page: str) -> Any:
    """Both uncertainties, with routes and thresholds; None where no record has both."""
    points = cached.plane(judged, run)
    if not points.scored:
        st.info(
            "No record has an uncertainty in both modes, so there is no plane to draw.",
            icon=":material/scatter_plot:",
        )
        return None
    title = _plane_title(run)
    drawn = f"{words.of(len(points.place), points.n)} drawn"
    unscored = points.n - points.scored
    subtitle = f"× wrong; {drawn}" if points.wrong.any() else drawn
    if points.tied:
        subtitle += ", ties spread at random"
    if unscored:
        subtitle += f", {words.count(unscored)} lack a score"
    figure = figures.plane(
        points,
        (run.policy.threshold1, run.policy.threshold2),
        title=title,
        subtitle=subtitle + _judge_note(judged),
        colours=charts.colours(),
    )
    charts.show(
        figure,
        key=f"{page}_plane",
        alt=f"{title}. Records by Mode 1 and Mode 2 uncertainty, with the thresholds.",
        name="plane",
    )
    return figure


def _plane_title(run: RoutingRun) -> str:
    if not run.policy.accepts:
        return "Every record goes to a person"
    if run.policy.threshold1 is None:
        return f"Mode 2 decides {words.percent(run.share2)}, Mode 1 is not used"
    if run.share2:
        return f"Evidence settles {words.percent(run.share2)} that Mode 1 can't"
    return f"Mode 1 decides {words.percent(run.coverage)} of records alone"


def certificates(judged: JudgedRecords, run: RoutingRun, *, page: str) -> pd.DataFrame | None:
    """What each certificate gives at the same target; returns the table."""
    request = run.request
    st.subheader(f"Certificates compared at α = {words.setting(request.alpha)}", anchor=False)
    if judged.n >= COMPARE_AT_ONCE and not st.toggle(
        f"Compare on {words.count(judged.n)} records (takes some seconds)",
        key=f"{page}_compare",
    ):
        return None
    rows, runs = [], []
    for certificate in CERTIFICATES:
        if certificate == request.certificate:
            one = run
        else:
            one = cached.routing(
                judged, replace(request, certificate=certificate, prefer="coverage")
            )
        runs.append(one)
        rows.append(_certificate_row(one, chosen=one is run))
    table = pd.DataFrame(rows)
    left, right = st.columns(2, gap="medium")
    left.table(table, border="horizontal", hide_index=True)
    promises = {CERTIFICATE_NAMES[one.policy.certificate]: promise(one) for one in runs}
    right.caption("\n\n".join(f"**{name}.** {said}" for name, said in promises.items()))
    table["Promise"] = list(promises.values())
    return table


def _certificate_row(run: RoutingRun, *, chosen: bool) -> dict[str, str]:
    policy, verdict = run.policy, Verdict.of(run)
    name = CERTIFICATE_NAMES[policy.certificate]
    if run.request.prefer == "retrieval":
        name += ", fewer retrievals"
    bound = words.bound(policy.risk_upper) if verdict.guaranteed else "no guarantee"
    return {
        "Certificate": f"**{name}**" if chosen else name,
        "Decided": words.percent(run.coverage),
        "Wrong": _wrong(policy),
        "Upper bound": bound if policy.accepted else words.DASH,
    }


def judges(
    cohort: Cohort, judged: JudgedRecords, run: RoutingRun, *, page: str
) -> tuple[pd.DataFrame | None, Any]:
    """Every judge of the cohort at the same settings; returns table and figure."""
    st.subheader("Judges compared", anchor="judges-compared")
    if scored(judged):
        st.caption("Judges are compared by the uncertainties they record: choose *As recorded*.")
        return None, None
    runs, rows, table = [], [], []
    kinds = {info.kind for info in cohort.judges}
    same_kind = len(kinds) == 1  # then the subtitle says it once
    for info in cohort.judges:
        chosen = info.name == judged.judge
        theirs = (
            judged
            if chosen
            else cached.records(cohort, info.name, judged.candidate, judged.label_source)
        )
        one = run if chosen else cached.routing(theirs, run.request)
        label = info.name if same_kind else badges.judge_name(info.name, info.kind)
        runs.append(one)
        rows.append(
            JudgeRow(
                info.name,
                words.short(label, 26),
                chosen,
                one.coverage,
                one.share1,
                one.share2,
                one.share_abstain,
            )
        )
        table.append(_judge_row(one, label, chosen=chosen))
    title = _judges_title(rows, run.request)
    kind = badges.JUDGE_KINDS.get(kinds.pop(), "").lower() if same_kind else ""
    simulated = f", {kind.replace(' judge', '')}" if kind else ""
    figure = figures.judges_compared(
        rows,
        title=title,
        subtitle=f"Share decided at right; {words.count(run.n)} records{simulated}",
        colours=charts.colours(),
    )
    left, right = st.columns(2, gap="medium")
    with left:
        charts.show(
            figure,
            key=f"{page}_judges",
            alt=f"{title}. Routing split of each judge.",
            name="judges",
        )
    frame = pd.DataFrame(table)
    with right:
        st.table(frame, border="horizontal", hide_index=True)
        if len(runs) > 1:
            st.caption(
                "Each certificate holds for a judge chosen beforehand. Choosing the best of these "
                f"{len(runs)} after looking needs δ / {len(runs)}, here "
                f"{words.setting(_shared(run.request.delta, len(runs)))}."
            )
        if len({(one.n_scored1, one.n_scored2) for one in runs}) > 1:
            st.caption(
                f"Of {words.count(run.n)} records, scored or not. The judges scored different "
                "numbers of them: "
                + "; ".join(_scored(*pair) for pair in zip(rows, runs, strict=True))
            )
    return frame, figure


def _judge_row(run: RoutingRun, label: str, *, chosen: bool) -> dict[str, str]:
    policy, verdict = run.policy, Verdict.of(run)
    bound = words.bound(policy.risk_upper) if verdict.guaranteed else "no guarantee"
    return {
        "Judge": f"**{words.plain(label)}**" if chosen else words.plain(label),
        "Decided": words.percent(run.coverage),
        "Wrong": _wrong(policy),
        "Upper bound": bound if policy.accepted else words.DASH,
    }


def _wrong(policy: RoutingPolicy) -> str:
    if not policy.accepted:
        return words.DASH
    return f"{words.percent(policy.errors / policy.accepted)} of {words.count(policy.accepted)}"


def _scored(row: JudgeRow, run: RoutingRun) -> str:
    by1, by2 = words.count(run.n_scored1), words.count(run.n_scored2)
    return f"{words.plain(row.label)} {by1} in Mode 1, {by2} in Mode 2"


def _judges_title(rows: Sequence[JudgeRow], request: RoutingRequest) -> str:
    best = max(rows, key=lambda row: row.coverage)
    alpha = words.setting(request.alpha)
    if not best.coverage:
        return f"No judge can decide anything at α = {alpha}"
    if len(rows) == 1:
        return f"{best.label} is the only judge here"
    equal = sum(row.coverage == best.coverage for row in rows)
    who = best.label if equal == 1 else f"{equal} of {len(rows)} judges"
    decides = "decides" if equal == 1 else "decide"
    return f"{who} {decides} most: {words.percent(best.coverage)}"


def best_other(cohort: Cohort, judged: JudgedRecords, run: RoutingRun) -> OtherJudge | None:
    """The other judge that decides most, if any decides something at the level that pays for it."""
    if scored(judged):
        return None
    among = len(cohort.judges)
    delta = _shared(run.request.delta, among)
    if delta < LEAST_DELTA:
        return None
    best: OtherJudge | None = None
    for info in cohort.judges:
        if info.name == judged.judge:
            continue
        theirs = cached.records(cohort, info.name, judged.candidate, judged.label_source)
        coverage = cached.routing(theirs, replace(run.request, delta=delta)).coverage
        if coverage and (best is None or coverage > best.coverage):
            label = badges.judge_name(info.name, info.kind)
            best = OtherJudge(info.name, label, coverage, delta, among)
    return best


def _shared(delta: float, among: int) -> float:
    """Delta's share for each of several, to three digits and rounded down: they sum to delta."""
    digits = 2 - math.floor(math.log10(delta / among))
    # Nine more decimals first: 0.0125 must not become 0.0124 through its binary tail.
    return round(math.floor(round(delta / among * 10**digits, 9)) / 10**digits, digits)


def _records(judged: JudgedRecords) -> str:
    return f"{words.count(judged.n)} records" + _judge_note(judged)


def _judge_note(judged: JudgedRecords) -> str:
    kind = badges.JUDGE_KINDS.get(judged.judge_kind)
    score = ", risk score as uncertainty" if scored(judged) else ""
    return (f", {kind[0].lower()}{kind[1:]}" if kind else "") + score


def scored(judged: JudgedRecords) -> bool:
    """Whether the risk model's score stands as uncertainty."""
    return bool({judged.uncertainty_kind1, judged.uncertainty_kind2}.intersection(KINDS.values()))
