"""Residuals: what people say minus what the judge says."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import ArrayLike, NDArray

from core.validation import FloatArray, binary, choice, same_length

#: What a verdict "unknown" counts as.
UNKNOWN_AS: Final = ("wrong", "zero", "excluded")


@dataclass(frozen=True, eq=False)
class Residuals:
    """Residuals of n records.

    Attributes
    ----------
    residual : array of shape (n,)
        Δ = human − judge: −1, 0 or 1; NaN where not scored.
    judge, human : arrays of shape (n,)
        1 where the answer is called correct, else 0; NaN where not scored.
    scored : bool array of shape (n,)
    """

    residual: FloatArray
    judge: FloatArray
    human: FloatArray
    scored: NDArray[np.bool_]


def judge_residual(
    human: ArrayLike,
    verdict: ArrayLike,
    unknown: ArrayLike | None = None,
    *,
    unknown_as: str = "wrong",
) -> Residuals:
    """Compute Δ = human − judge, with a stated meaning of "unknown".

    Parameters
    ----------
    human, verdict : arrays of shape (n,)
        1, 0, or NaN where missing. A missing label or verdict is not scored.
    unknown : bool array of shape (n,), optional
        Where the judge said that it can't tell; `verdict` is NaN there.
    unknown_as : {"wrong", "zero", "excluded"}
        "wrong": the judge did not accept the answer, so its value is 0. "zero": no residual, the
        judge's value is the label. "excluded": not scored.

    Returns
    -------
    Residuals

    Raises
    ------
    ValueError
        If lengths differ, a value is none of 0, 1 and NaN, or a verdict stands at an unknown.

    Notes
    -----
    The paper's figures for three-valued verdicts mix the three meanings: a disagreement of 28.2 %
    counts unknown as wrong, a gap of 13.3 points excludes it, and the lifts of Table 2 fit no
    residual. Hence a switch, and its setting beside every figure.

    References
    ----------
    Wang, Erickson and Small, Human-Anchored Factuality Evaluation with Strategic Annotation,
    Section 4.2.

    Examples
    --------
    >>> nan = float("nan")
    >>> judge_residual([1, 0, 1, 1], [1, 1, nan, nan], [False, False, True, False]).residual
    array([ 0., -1.,  1., nan])
    """
    people, judge = binary("human", human), binary("verdict", verdict)
    choice("unknown_as", unknown_as, UNKNOWN_AS)
    n = same_length(human=people, verdict=judge)
    if unknown is None:
        unsure = np.zeros(n, dtype=bool)
    else:
        unsure = np.asarray(unknown)
        if unsure.dtype != np.bool_ or unsure.shape != (n,):
            raise ValueError(
                f"'unknown' must be boolean of shape ({n},); got {unsure.dtype} of shape "
                f"{unsure.shape}."
            )
        both = unsure & ~np.isnan(judge)
        if both.any():
            raise ValueError(
                "'verdict' must be missing where 'unknown' is true; got a verdict at position "
                f"{int(np.flatnonzero(both)[0])}."
            )
    if unknown_as == "wrong":
        judge = np.where(unsure, 0.0, judge)
    elif unknown_as == "zero":
        judge = np.where(unsure, people, judge)
    scored = ~np.isnan(people) & ~np.isnan(judge)
    judge, people = np.where(scored, judge, np.nan), np.where(scored, people, np.nan)
    return Residuals(people - judge, judge, people, scored)
