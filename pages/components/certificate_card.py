"""The certificate in words, for somebody who has to decide whether to rely on it."""

from __future__ import annotations

from dataclasses import dataclass

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from core.caveats import dependence, trained_on_itself
from core.jobs import PROMISES, RoutingRun, guaranteed
from core.risk.bounds import min_accepted
from core.store.records import JudgedRecords
from pages.components import badges, browser_buttons, charts, link_state, words
from pages.components.figures import OperatingPoint, certificate_strip
from pages.components.risk_controls import CERTIFICATE_NAMES

_IMPORT = {"labels": "Import more labels", "uncertainty": "Import an uncertainty column"}

HOLDS_FOR = "Holds for records drawn like these, over many of them, not for each one."


@dataclass(frozen=True)
class Verdict:
    """What may be said of a run.

    Attributes
    ----------
    accepted : bool
        The judge decides some records.
    guaranteed : bool
        Its certificate promises something.
    """

    accepted: bool
    guaranteed: bool

    @staticmethod
    def of(run: RoutingRun) -> Verdict:
        return Verdict(run.policy.accepts, guaranteed(run))


@dataclass(frozen=True)
class OtherJudge:
    """The judge that decides most when each of ``among`` judges is tested at ``delta``."""

    name: str
    label: str
    coverage: float
    delta: float
    among: int


def lacking(judged: JudgedRecords, run: RoutingRun) -> str:
    """What an import could add after a refusal: "uncertainty", "labels", or nothing ("")."""
    scored = {"1": run.n_scored1, "2": run.n_scored2}
    if not scored.get(run.request.mode, sum(scored.values())):
        return "uncertainty"
    needed = min_accepted(run.request.alpha, run.policy.level)
    return "labels" if run.n_labelled < max(judged.n, needed) else ""


def operating_point(run: RoutingRun, verdict: Verdict) -> OperatingPoint | None:
    """Where the policy stands; None where nothing is accepted."""
    policy = run.policy
    if not verdict.accepted:
        return None
    return OperatingPoint(
        decided=run.coverage,
        accepted=policy.accepted,
        errors=policy.errors,
        tested=policy.n_tested,
        bound=policy.risk_upper,
        promised=verdict.guaranteed,
    )


def draw(judged: JudgedRecords, run: RoutingRun, *, page: str) -> DeltaGenerator | None:
    """Draw the card; where nothing is accepted, return the place for what would change that."""
    verdict = Verdict.of(run)
    with st.container(border=True, gap="xsmall", key=f"{page}_card"):
        with st.container(horizontal=True, gap="small"):
            _badge(verdict, run.request.delta)
            badges.judge(judged.judge_kind)
        if not verdict.accepted:
            return _refusal(judged, run)
        _promise(judged, run, verdict, page)
    return None


def _badge(verdict: Verdict, delta: float) -> None:
    if not verdict.accepted:
        badges.nothing()
    elif verdict.guaranteed:
        badges.guaranteed(words.setting(1 - delta))
    else:
        badges.no_guarantee()


def _promise(judged: JudgedRecords, run: RoutingRun, verdict: Verdict, page: str) -> None:
    policy = run.policy
    alpha = words.setting(policy.alpha)
    risk = words.percent(policy.errors / policy.accepted) if policy.accepted else words.DASH
    if verdict.guaranteed:
        title = f"Of the {words.percent(run.coverage)} it decides, at most {alpha} are wrong"
    else:
        title = f"{risk} were wrong in this sample"
    st.subheader(title, anchor=False)
    point = operating_point(run, verdict)
    assert point is not None
    charts.show(
        certificate_strip(point, policy.alpha, charts.colours()),
        key=f"{page}_strip",
        alt=f"Observed risk {risk}, {_bound(run, verdict)}, target {alpha}",
        name="certificate",
        toolbar=False,
    )
    tested = (
        f"{CERTIFICATE_NAMES[policy.certificate]} certificate, "
        f"{words.count(policy.n_tested)} labelled records tested: of "
        f"{words.count(policy.accepted)} decided, {words.count(policy.errors)} were wrong."
    )
    if policy.certificate == "pointwise":
        after = PROMISES["pointwise"]
    elif verdict.guaranteed:
        after = HOLDS_FOR
    else:
        after = ""
    st.caption(f"{tested} {after} {_dependence(judged, run)}".strip())


def _bound(run: RoutingRun, verdict: Verdict) -> str:
    return f"bound {words.bound(run.policy.risk_upper)}" if verdict.guaranteed else "no guarantee"


def _dependence(judged: JudgedRecords, run: RoutingRun) -> str:
    if run.caveat is None:
        repeated = judged.n - judged.n_questions
        if not repeated:
            return ""
        are = "record repeats" if repeated == 1 else "records repeat"
        return (
            f"{words.count(repeated)} {are} another's question; the certificate counts such "
            "records as independent."
        )
    ways = []
    if dependence(judged) is not None:
        alone = "keep one record a question"
        ways.append("choose one candidate" if judged.candidate is None else alone)
    if trained_on_itself(judged) is not None:
        ways.append("let half of the labelled records train the score")
    return f"{run.caveat} For a guarantee {' and '.join(ways)}."


def _refusal(judged: JudgedRecords, run: RoutingRun) -> DeltaGenerator:
    alpha = words.setting(run.request.alpha)
    if run.n_labelled:
        st.subheader(f"No threshold can be shown to keep risk at or below {alpha}", anchor=False)
        reason = run.policy.reason or ""
    else:
        st.subheader("No record has a label, so no verdict can be checked", anchor=False)
        reason = "Thresholds are chosen and certified on records that people have labelled."
    st.caption(f"{reason} So all {words.count(judged.n)} go to a person.")
    return st.container(horizontal=True, gap="small")


def offer(
    place: DeltaGenerator,
    *,
    smallest: float | None,
    largest_tried: float,
    other: OtherJudge | None,
    lacks: str,
    page: str,
) -> None:
    """Fill the place that `draw` left with what would change a refusal.

    Parameters
    ----------
    smallest : float or None
        The smallest target that works for this judge.
    other : OtherJudge or None
        The judge that decides most at the current target, with the choice paid for.
    lacks : {"labels", "uncertainty", ""}
        What an import could add.
    """
    if smallest is not None:
        place.button(
            f"Set α to {words.setting(smallest)}, the smallest that works",
            key=f"{page}_set_alpha",
            on_click=link_state.put,
            args=({"alpha": link_state.text(smallest)},),
            help="A target chosen after looking at the results is not paid for by the certificate.",
        )
    if other is not None and place.button(
        f"Use {words.plain(words.short(other.label))} at δ = {words.setting(other.delta)}, which "
        f"pays for choosing among {other.among} judges; it decides {words.percent(other.coverage)}",
        key=f"{page}_use_judge",
        on_click=link_state.put,
        args=({"judge": other.name, "delta": link_state.text(other.delta)},),
        help=f"Choosing the best of {other.among} judges after looking costs: each is tested at "
        f"δ / {other.among}.",
    ):
        st.rerun()
    if lacks and place.button(_IMPORT[lacks], key=f"{page}_more_labels"):
        st.switch_page("pages/data/page.py", query_params={"view": "add"})
    with place:
        browser_buttons.jump("Compare judges", anchor="judges-compared", key=f"{page}_jump")
    if smallest is None:
        place.caption(f"No target up to {words.setting(largest_tried)} works with this judge.")
