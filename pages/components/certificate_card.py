"""The certificate in words, for somebody who has to decide whether to rely on it."""

from __future__ import annotations

from dataclasses import dataclass

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from core.jobs import PROMISES, RoutingRun
from core.store.records import JudgedRecords
from pages.components import badges, browser_buttons, charts, link_state, words
from pages.components.figures import OperatingPoint, certificate_strip
from pages.components.risk_controls import CERTIFICATE_NAMES

HOLDS_FOR = "Holds for records drawn like these, over many of them, not for each one."


@dataclass(frozen=True)
class Verdict:
    """What may be said of a run.

    Attributes
    ----------
    accepted : bool
        The judge decides some records.
    promises : bool
        The certificate can promise something on these records.
    repeats : int
        Records whose question another record asks too.
    """

    accepted: bool
    promises: bool
    repeats: int

    @property
    def guaranteed(self) -> bool:
        return self.accepted and self.promises

    @staticmethod
    def of(judged: JudgedRecords, run: RoutingRun) -> Verdict:
        repeats = judged.n - judged.n_questions
        # Answers of several candidates to one question are wrong together more often than apart.
        dependent = repeats > 0 and judged.candidate is None
        promises = run.policy.certificate != "pointwise" and not dependent
        return Verdict(run.policy.accepts, promises, repeats)


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
    verdict = Verdict.of(judged, run)
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
    st.caption(f"{tested} {after} {_dependence(judged, verdict)}".strip())


def _bound(run: RoutingRun, verdict: Verdict) -> str:
    return f"bound {words.bound(run.policy.risk_upper)}" if verdict.guaranteed else "no guarantee"


def _dependence(judged: JudgedRecords, verdict: Verdict) -> str:
    if not verdict.repeats:
        return ""
    said = (
        f"{words.count(judged.n)} records share {words.count(judged.n_questions)} questions, and "
        "records of one question are not independent"
    )
    if judged.candidate is None:
        return f"{said}, which a certificate needs: choose one candidate for a guarantee."
    return f"{said}; the certificate counts them as if they were."


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
    other: tuple[str, str, float] | None,
    page: str,
) -> None:
    """Fill the place that `draw` left with what would change a refusal.

    Parameters
    ----------
    smallest : float or None
        The smallest target that works for this judge.
    other : (name, label, coverage) or None
        The judge that decides most at the current target.
    """
    if smallest is not None:
        place.button(
            f"Set α to {words.setting(smallest)}, the smallest that works",
            key=f"{page}_set_alpha",
            on_click=link_state.put,
            args=({"alpha": link_state.text(smallest)},),
        )
    if other is not None:
        name, label, coverage = other
        if place.button(
            f"Use {words.plain(words.short(label))}, which decides {words.percent(coverage)}",
            key=f"{page}_use_judge",
            on_click=link_state.put,
            args=({"judge": name},),
        ):
            st.rerun()
    if place.button("Import more labels", key=f"{page}_more_labels"):
        st.switch_page("pages/data/page.py")
    with place:
        browser_buttons.jump("Compare judges", anchor="judges-compared", key=f"{page}_jump")
    if smallest is None:
        place.caption(f"No target up to {words.setting(largest_tried)} works with this judge.")
