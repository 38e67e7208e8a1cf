"""The settings of the Stability page, kept in the URL, and what every view of it says."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass

import streamlit as st

from core.risk.certification import CERTIFICATES
from core.store.records import Cohort, JudgedRecords
from core.studies import ALPHAS
from pages.components import badges, cached, link_state, words
from pages.components.risk_controls import (
    ALPHA_HELP,
    CERTIFICATE_NAMES,
    DEFAULT_ALPHA,
    DEFAULT_DELTA,
    DELTA_HELP,
    DELTAS,
    slider,
)
from pages.components.risk_controls import ALPHAS as TARGETS

PAGE = "stability"
SEED = 42
N_SPLITS = ("20", "100", "500")
#: Labelled records up to which a step is tried before it is asked for, to say how long all take.
QUICK = 20_000

_SPLITS_HELP = """How many times the labelled records are split at random into a part that
calibrates and a part that is looked at. More splits steady the means; they add no records."""
_DRAWS_HELP = """How many cohorts are drawn from the model and calibrated. Unlike splits, draws are
independent, so the interval of a share among them is a real one: more draws narrow it."""
_CERTIFICATE_HELP = """How thresholds are certified in every calibration. **Fixed sequence** and
**Bonferroni** guarantee α with confidence 1 − δ; **Pointwise** is no guarantee."""


@dataclass(frozen=True)
class Asked:
    """The records and settings of a view."""

    cohort: Cohort
    judged: JudgedRecords
    n: int
    certificate: str
    delta: float
    alpha: float

    def key(self, view: str, *settings: Hashable) -> Hashable:
        """What tells one piece of work from another, however many splits of it are wanted."""
        return (view, cached.key(self.judged), settings)


def read(cohort: Cohort, judged: JudgedRecords) -> Asked:
    """The settings as the URL has them; what a link has wrong is replaced, and noted."""
    delta = link_state.number("delta", low=DELTAS[0], high=DELTAS[-1], default=DEFAULT_DELTA)
    alpha = link_state.number("alpha", low=TARGETS[0], high=TARGETS[-1], default=DEFAULT_ALPHA)
    certificate = link_state.choice("certificate", CERTIFICATES, default=CERTIFICATES[0])
    n = int(link_state.choice("splits", N_SPLITS, default="100"))
    return Asked(cohort, judged, n, certificate, delta, alpha)


def draw(asked: Asked, shown: Sequence[str]) -> None:
    """Draw the controls named: splits or draws, certificate, delta, alpha."""
    grid = st.grid(4, min_column_width=150)
    for name in shown:
        if name in {"splits", "draws"}:
            pick(
                grid.segmented_control,
                "Splits" if name == "splits" else "Draws",
                "splits",
                {one: one for one in N_SPLITS},
                str(asked.n),
                tip=_SPLITS_HELP if name == "splits" else _DRAWS_HELP,
                required=True,
            )
        elif name == "certificate":
            pick(
                grid.selectbox, "Certificate", "certificate", CERTIFICATE_NAMES,
                asked.certificate, tip=_CERTIFICATE_HELP, also={"prefer": "coverage"},
            )  # fmt: skip
        elif name == "delta":
            slider(
                grid, "Chance of missing it, δ", f"{PAGE}_delta", "delta", DELTAS, asked.delta,
                DELTA_HELP,
            )  # fmt: skip
        else:
            slider(
                grid, "Target risk α", f"{PAGE}_alpha", "alpha", TARGETS, asked.alpha, ALPHA_HELP
            )


def pick(
    widget,
    label: str,
    name: str,
    options: Mapping[str, str],
    value: str,
    *,
    tip: str | None = None,
    also: Mapping[str, str] | None = None,
    **look,
) -> None:
    """A widget of choices whose parameter in the URL is `name`; `also` is set with it."""
    key = f"{PAGE}_{name}"
    link_state.keep(key, value)
    widget(
        label,
        list(options),
        format_func=lambda option: options.get(option, option),
        key=key,
        help=tip,
        on_change=link_state.changed,
        args=(key, lambda chosen: {name: chosen, **(also or {})}),
        **look,
    )


def over(
    asked: Asked, units: int, *, fraction: str = "half calibrate", used: Sequence[int] = ()
) -> str:
    """What the means of a figure are over: splits, records (all, or `used`), and who judged."""
    numbers = sorted(set(used) or {int(asked.judged.labelled.sum())})
    labelled = " to ".join(words.count(one) for one in dict.fromkeys((numbers[0], numbers[-1])))
    text = f"Mean of {words.count(units)} splits of {labelled} labelled records"
    return f"{text}, {fraction}{judge_note(asked.judged.judge_kind)}"


def judge_note(kind: str) -> str:
    """The end of a subtitle: the judge's kind, where it is no language model."""
    said = badges.JUDGE_KINDS.get(kind)
    return f"; {said[0].lower()}{said[1:]}" if said else ""


def targets() -> str:
    """The target risks of every view: 5%, 10%, …"""
    return ", ".join(words.setting(alpha) for alpha in ALPHAS)
