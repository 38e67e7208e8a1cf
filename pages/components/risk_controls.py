"""The controls of a routing request, kept in the URL."""

from __future__ import annotations

import streamlit as st

from core.jobs import MODES, RoutingRequest
from core.risk.certification import CERTIFICATES
from pages.components import link_state, words

ALPHAS = tuple(step / 200 for step in range(1, 101))
DELTAS = (0.001, 0.002, 0.005, 0.01, 0.02, 0.03, 0.04, 0.05, 0.075, 0.1, 0.15, 0.2, 0.25)
#: A link may go below the slider: the choice among several judges has to be paid for.
LEAST_DELTA = 1e-5
DEFAULT_ALPHA, DEFAULT_DELTA = 0.2, 0.05

CERTIFICATE_NAMES = {
    "fixed-sequence": "Fixed sequence",
    "bonferroni": "Bonferroni",
    "pointwise": "Pointwise",
}
_FEWER_RETRIEVALS = "fixed-sequence, retrieval"
_MODE_LABELS = {"both": "Both", "1": "1", "2": "2"}

ALPHA_HELP = """The largest share of wrong verdicts you accept among the records that the judge
decides. Records it can't decide within this go to a person."""
DELTA_HELP = """How often, over repetitions of the whole procedure on new calibration records, the
true risk may be above α. 5% means 95% confidence."""
_MODE_HELP = """**Mode 1**: the judge answers from what it knows. **Mode 2**: it first retrieves
evidence. **Both**: Mode 1 where it is sure, else Mode 2 where that is sure, else a person."""
_CERTIFICATE_HELP = """How the thresholds are certified. **Fixed sequence** and **Bonferroni**
guarantee α with confidence 1 − δ; Bonferroni is far more cautious. **Pointwise** is no guarantee:
it picks and checks on the same records. **Fewer retrievals** takes, among the certified pairs with
at least 95% of the best coverage, the one that looks up least."""

SCORES = {
    "recorded": "As recorded",
    "half": "Risk score, half trains it",
    "out-of-fold": "Risk score, out of fold (approximate)",
}
_SCORE_HELP = """What thresholds are set on. The **risk score** is the *Residuals* page's model: it
learns from imported features where the judge is wrong. Trained on a random half of the labelled
records, it leaves the other half for a certificate that holds as for any uncertainty. **Out of
fold** uses all of them, and promises nothing."""


def read_score() -> str:
    """What stands as uncertainty, as the URL has it."""
    return link_state.choice(
        "score", list(SCORES), default="recorded", aliases={"features": "recorded"}
    )


def read() -> RoutingRequest:
    """The request as the URL has it; what a link has wrong is replaced, and noted."""
    alpha = link_state.number("alpha", low=ALPHAS[0], high=ALPHAS[-1], default=DEFAULT_ALPHA)
    delta = link_state.number("delta", low=LEAST_DELTA, high=DELTAS[-1], default=DEFAULT_DELTA)
    mode = link_state.choice("mode", MODES, default="both")
    certificate = link_state.choice("certificate", CERTIFICATES, default="fixed-sequence")
    open_choice = mode == "both" and certificate == "fixed-sequence"
    prefer = link_state.choice(
        "prefer", ("coverage", "retrieval") if open_choice else ("coverage",), default="coverage"
    )
    return RoutingRequest(alpha, delta, mode=mode, certificate=certificate, prefer=prefer)


def draw(request: RoutingRequest, *, page: str, score: str | None) -> None:
    """Draw the controls, showing `request`; a change is in the URL at the next run.

    `score` is what stands as uncertainty; None where there is nothing to choose.
    """
    grid = st.grid(4 if score is None else 5, min_column_width=150)
    slider(grid, "Target risk α", f"{page}_alpha", "alpha", ALPHAS, request.alpha, ALPHA_HELP)
    slider(
        grid,
        "Chance of missing it, δ",
        f"{page}_delta",
        "delta",
        DELTAS,
        request.delta,
        DELTA_HELP,
    )
    mode_key = f"{page}_mode"
    link_state.keep(mode_key, request.mode)
    grid.segmented_control(
        "Mode",
        MODES,
        format_func=lambda mode: _MODE_LABELS[mode],
        required=True,
        key=mode_key,
        help=_MODE_HELP,
        on_change=link_state.changed,
        args=(mode_key, _mode_settings),
    )
    names = dict(CERTIFICATE_NAMES)
    if request.mode == "both":
        names[_FEWER_RETRIEVALS] = "Fixed sequence, fewer retrievals"
    certificate_key = f"{page}_certificate"
    chosen = _FEWER_RETRIEVALS if request.prefer == "retrieval" else request.certificate
    link_state.keep(certificate_key, chosen)
    grid.selectbox(
        "Certificate",
        list(names),
        format_func=lambda option: names.get(option, option),
        key=certificate_key,
        help=_CERTIFICATE_HELP,
        on_change=link_state.changed,
        args=(certificate_key, _certificate_settings),
    )

    if score is not None:
        score_key = f"{page}_score"
        link_state.keep(score_key, score)
        grid.selectbox(
            "Uncertainty",
            list(SCORES),
            format_func=lambda way: SCORES[way],
            key=score_key,
            help=_SCORE_HELP,
            on_change=link_state.changed,
            args=(score_key, lambda chosen: {"score": chosen}),
        )


def slider(
    parent,
    label: str,
    key: str,
    name: str,
    steps: tuple[float, ...],
    value: float,
    tip: str,
) -> None:
    """A slider over `steps` whose parameter in the URL is `name`."""
    options = link_state.grid(name, steps, value)
    link_state.keep(key, value)
    parent.select_slider(
        label,
        options,
        format_func=words.setting,
        key=key,
        help=tip,
        on_change=link_state.changed,
        args=(key, lambda chosen: {name: link_state.text(chosen)}),
    )


def _mode_settings(mode: str) -> dict[str, str]:
    return {"mode": mode} if mode == "both" else {"mode": mode, "prefer": "coverage"}


def _certificate_settings(chosen: str) -> dict[str, str]:
    if chosen == _FEWER_RETRIEVALS:
        return {"certificate": "fixed-sequence", "prefer": "retrieval"}
    return {"certificate": chosen, "prefer": "coverage"}
