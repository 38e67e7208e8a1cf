"""The settings of the Annotation page, kept in the URL, and what they choose."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import streamlit as st

from core.active.plan import Plan
from core.active.policies import POLICIES
from core.annotation import earlier_batches
from core.annotation_space import AnnotationSpace
from core.store.batches import Batch
from pages.components import badges, cached, charts, downloads, link_state, words
from pages.components.header import Selection
from pages.components.risk_controls import slider

PAGE = "annotation"
HALF_WIDTHS = (0.005, 0.0075, 0.01, 0.015, 0.02, 0.025, 0.03, 0.035, 0.04, 0.05, 0.075, 0.1)
_BUDGETS = (
    10, 20, 30, 50, 75, 100, 150, 200, 250, 300, 400, 500, 600, 700, 800, 900, 1_000, 1_250, 1_500,
    2_000, 2_500, 3_000, 4_000, 5_000, 7_500, 10_000, 20_000, 50_000,
)  # fmt: skip
_BUDGET_HELP = "Labels that you buy now."
_WIDTH_HELP = """How far the true share may be from the estimate, either way, with 95% confidence:
±2.5 points for example."""
POLICY_HELP = """**Classical**: a random sample, without the judge. **Uniform**: the judge's
verdicts, corrected by a random sample. **Confidence**: more labels where the judge is unsure.
**FSA**: more where features predict a disagreement (the paper's). **Tuned**: more where the
correction that is really made varies. **Recalibrated**: as Tuned, with a verdict that is learnt
from the labelled records in place of the judge's."""


@dataclass(frozen=True)
class Asked:
    """What is planned for, and the settings."""

    selection: Selection
    space: AnnotationSpace
    budget: int
    half_width: float
    policy: str
    mixing: float | None
    power: float | None

    def key(self) -> tuple[str | None, ...]:
        """What tells two populations apart."""
        records = self.space.records
        return (
            records.data_hash, records.cohort_id, records.judge, records.mode, records.candidate,
            records.label_source,
        )  # fmt: skip

    @property
    def policies(self) -> tuple[str, ...]:
        """Policies that can be drawn here."""
        return policies_of(self.space)

    def plan(
        self,
        policy: str,
        budget: int | None = None,
        mixing: float | None = None,
        power: float | None = None,
    ) -> Plan:
        """A plan, made once for the session."""
        size = self.budget if budget is None else budget
        found: Plan = cached.result(
            "annotation plan", self.key(), (policy, size, mixing, power),
            lambda: self.space.plan(policy, size, mixing=mixing, power=power),
        )  # fmt: skip
        return found

    def chosen(self) -> Plan:
        """The plan that a draw would follow."""
        return self.plan(self.policy, mixing=self.mixing, power=self.power)

    def batches(self) -> list[Batch]:
        """The cohort's batches by this judge, mode, candidate and label source."""
        return earlier_batches(cached.database(), self.space.records)


def policies_of(space: AnnotationSpace) -> tuple[str, ...]:
    """Policies that there is enough for."""
    calibration = space.calibrated()
    return POLICIES[:3] if calibration is None else calibration.policies


def read(selection: Selection) -> Asked:
    """The settings as the URL has them; what a link has wrong is replaced, and noted."""
    modes = selection.judge.modes
    mode = link_state.choice("verdicts", modes, default="mode1" if "mode1" in modes else modes[0])
    space = cached.annotation_space(
        selection.cohort, selection.judge.name, mode, selection.candidate, selection.label_source
    )
    n = max(space.n_population, 1)
    budget = round(link_state.number("budget", low=1, high=n, default=min(300, max(n // 4, 1))))
    names = policies_of(space)
    return Asked(
        selection,
        space,
        budget,
        link_state.number("half_width", low=HALF_WIDTHS[0], high=HALF_WIDTHS[-1], default=0.025),
        link_state.choice("policy", names, default=names[-1]),
        _best_or("mixing", MIXING_NAMES),
        _best_or("power", POWER_NAMES),
    )


def _best_or(name: str, options: tuple[str, ...]) -> float | None:
    value = link_state.choice(name, options, default="best")
    return None if value == "best" else float(value)


MIXING_NAMES = ("best", *(f"{step / 20:.2f}" for step in range(1, 21)))
POWER_NAMES = ("best", *(f"{step / 10:.1f}" for step in range(11)))


def budget_and_width(asked: Asked) -> Any:
    """Draw the two sliders; give the grid that they are in, for more."""
    grid = st.grid(4, min_column_width=150)
    n = asked.space.n_population
    budgets = tuple(float(one) for one in _BUDGETS if one <= n)
    steps = budgets or (float(n),)
    options = link_state.grid("budget", steps, float(asked.budget))
    key = f"{PAGE}_budget"
    link_state.keep(key, float(asked.budget))
    grid.select_slider(
        "Budget (labels)", options, format_func=lambda one: words.count(round(one)), key=key,
        help=_BUDGET_HELP, on_change=link_state.changed,
        args=(key, lambda chosen: {"budget": link_state.text(chosen)}),
    )  # fmt: skip
    slider(
        grid, "Target half-width", f"{PAGE}_half_width", "half_width", HALF_WIDTHS,
        asked.half_width, _WIDTH_HELP,
    )  # fmt: skip
    return grid


def pick(
    parent: Any,
    label: str,
    name: str,
    options: dict[str, str],
    value: str,
    tip: str | None = None,
) -> None:
    """A box of choices whose parameter in the URL is `name`."""
    key = f"{PAGE}_{name}"
    link_state.keep(key, value)
    parent.selectbox(
        label, list(options), format_func=lambda one: options.get(one, one), key=key, help=tip,
        on_change=link_state.changed, args=(key, lambda chosen: {name: chosen}),
    )  # fmt: skip


def batch_picker(asked: Asked, *, needs: str) -> Batch | None:
    """Draw the picker of a batch; where there is none, say how to get one."""
    batches = asked.batches()
    if not batches:
        with st.container(border=True):
            st.markdown("**No batch has been drawn here**")
            st.markdown(needs)
            step_button("Draw one", "draw")
        return None
    names = {
        batch.batch_id: f"Batch {batch.number}: {words.count(batch.n_drawn)} records, "
        f"{batch.settings['policy']}, {batch.created_at:%d %b %Y %H:%M}"
        for batch in reversed(batches)
    }
    first = next(iter(names))
    value = link_state.choice("batch", list(names), default=first)
    pick(st, "Batch", "batch", names, value)
    return next(batch for batch in batches if batch.batch_id == value)


def step_button(label: str, step: str) -> None:
    """A button that shows another step of the page."""
    st.button(label, key=f"{PAGE}_to_{step}", on_click=link_state.put, args=({"step": step},))


def judge_note(asked: Asked) -> str:
    """The end of a subtitle: how many were scored and by whom."""
    said = badges.JUDGE_KINDS.get(asked.space.records.judge_kind)
    return f"; {said[0].lower()}{said[1:]}" if said else ""


def chart(figure: Any, element: str, alt: str) -> None:
    """Draw a figure of the page."""
    charts.show(figure, key=f"{PAGE}_{element}", alt=alt, name=f"annotation-{element}")


def offer(
    asked: Asked, view: str, tables: dict[str, Any], figures: dict[str, tuple[str, Any]]
) -> None:
    """The downloads of a step."""
    records = asked.space.records
    stem = words.file_stem(
        records.cohort_id, records.judge, records.candidate, records.mode, "annotation", view
    )
    with st.container(horizontal=True, gap="small"):
        downloads.tables("Tables", tables, stem=stem, key=f"{PAGE}_{view}_tables")
        if figures:
            downloads.figures(
                "Figures",
                {name: (f"{PAGE}_{element}", one) for name, (element, one) in figures.items()},
                stem=stem, key=f"{PAGE}_{view}_figures",
            )  # fmt: skip


def refused(say: Callable[[], Any]) -> Any:
    """What a job gives; where it refuses, its sentence, and None."""
    try:
        return say()
    except ValueError as error:
        st.warning(words.plain(str(error)), icon=":material/block:")
        return None


def points(share: float) -> str:
    """A half-width as people read it: ±2.5 pp."""
    return words.DASH if np.isnan(share) else f"±{100 * share:.1f} pp"
