"""Badges that say what a number is worth."""

from __future__ import annotations

import streamlit as st

#: What every view of a judge that is no language model has to say.
JUDGE_KINDS = {"simulated": "Simulated judge", "rule": "Rule judge, not an LLM"}

_HELP = {
    "simulated": "Its verdicts and uncertainties were drawn from a stated model; no language "
    "model was asked. See the description of the cohort.",
    "rule": "Its verdicts are computed by fixed rules; no language model was asked.",
}


def judge(kind: str) -> None:
    """A grey badge where the judge is no language model; nothing otherwise."""
    if kind in JUDGE_KINDS:
        st.badge(JUDGE_KINDS[kind], color="gray", help=_HELP[kind])


def guaranteed(confidence: str) -> None:
    st.badge(
        f"Guaranteed with {confidence} confidence", color="green", icon=":material/check_circle:"
    )


def no_guarantee() -> None:
    st.badge("Not a guarantee", color="orange", icon=":material/warning:")


def nothing() -> None:
    st.badge("Nothing can be accepted", color="orange", icon=":material/block:")


def judge_name(name: str, kind: str) -> str:
    """A judge's name where a badge has no room, with its kind said once."""
    if kind in JUDGE_KINDS and kind not in name.lower():
        return f"{name} ({kind})"
    return name
