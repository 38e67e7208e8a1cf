"""A simulated judge's one-sentence explanation, put together from its verdict by rule."""

from __future__ import annotations

import math

AGREE = {
    1: (
        "I work it out as “{answer}” as well.",
        "From what I know, “{answer}” is correct.",
        "“{answer}” fits the question.",
    ),
    2: (
        "The search results support “{answer}”.",
        "A result states “{answer}”, as the candidate does.",
        "“{answer}” is what the evidence gives.",
    ),
}
DISAGREE = {
    1: (
        "I work it out as “{believed}”, not “{answer}”.",
        "From what I know, it should be “{believed}”.",
        "“{answer}” does not fit; I expect “{believed}”.",
    ),
    2: (
        "The search results give “{believed}”, not “{answer}”.",
        "A result states “{believed}”, unlike the candidate.",
        "The evidence points to “{believed}”.",
    ),
}
# Above this share of the largest uncertainty, ln 2, a judge says that it is unsure.
UNSURE = 0.9


def explain(
    mode: int,
    *,
    verdict: bool,
    answer: str,
    believed: str,
    uncertainty: float,
    raised: bool,
    choice: int,
) -> str:
    """Explain a verdict: `believed` is the answer that a judge who disagrees takes for right.

    `raised` says that this mode is less sure than the other one; `choice` picks the template.
    """
    templates = (AGREE if verdict else DISAGREE)[mode]
    text = templates[choice % len(templates)].format(answer=answer, believed=believed)
    if mode == 2 and raised:
        return f"Part of the evidence is beside the point. {text}"
    if uncertainty > UNSURE * math.log(2):
        return f"I am not sure. {text}"
    return text
