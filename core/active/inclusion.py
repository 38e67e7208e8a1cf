"""Chances of being drawn: more where judge and people are expected to differ."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from core.validation import FloatArray, one_dimensional

#: Expected squared residuals below this count as this: a model can be wrong about certainty.
FLOOR = 1e-3


def inclusion_probabilities(risk_score: ArrayLike, budget: float, *, mixing: float) -> FloatArray:
    """Give each record a chance of being drawn; they add up to the budget.

    Parameters
    ----------
    risk_score : array of shape (n,)
        Expected squared residual of each record; values under .001 count as .001.
    budget : float
        Number of labels, in (0, n].
    mixing : float
        Share τ of the budget that is spread evenly, in [0, 1]. It bounds every weight: no record
        has a chance under τ · budget / n.

    Returns
    -------
    array of shape (n,)
        In (0, 1].

    Raises
    ------
    ValueError
        If a score isn't finite, or a value is outside its range.

    Notes
    -----
    π ∝ √E[Δ²], which minimises the variance of the estimate (eq. 4), filled up so that no chance
    exceeds 1 and all still add up (`water_fill`); then (1 − τ)π + τ · budget / n (appendix B).

    References
    ----------
    Wang, Erickson and Small, Human-Anchored Factuality Evaluation with Strategic Annotation.

    Examples
    --------
    >>> inclusion_probabilities([0.01, 0.04, 0.16, 0.25], 2, mixing=0.0).round(3).tolist()
    [0.167, 0.333, 0.667, 0.833]
    """
    size = sizes(risk_score)
    share = fraction("mixing", mixing)
    return mixed(water_fill(size, budget), share, float(budget))


def water_fill(size: ArrayLike, total: float) -> FloatArray:
    """Chances min(1, c · size), with the c that makes them add up to the total.

    Parameters
    ----------
    size : array of shape (n,)
        Finite and not negative; a record of size 0 is never drawn.
    total : float
        Above 0, and at most the number of positive sizes.

    Raises
    ------
    ValueError
        If a size is negative or not finite, or the total is outside its range.

    Examples
    --------
    >>> water_fill([10, 1, 1, 1, 1], 2).tolist()
    [1.0, 0.25, 0.25, 0.25, 0.25]
    """
    values = one_dimensional("size", size)
    positive = values > 0
    if not positive.any() or not (np.isfinite(values) & (values >= 0)).all():
        raise ValueError("'size' must hold finite numbers from 0 on, one above 0; it doesn't.")
    wanted = within_population("total", total, int(positive.sum()))
    result = np.zeros(len(values))
    constant = fill_constant(values[positive], wanted)
    result[positive] = np.minimum(values[positive] * constant, 1.0)
    return result


def fill_constant(size: FloatArray, total: float) -> float:
    """The c of `water_fill`; infinite where every record is drawn."""
    ordered = np.sort(size)[::-1]
    n = len(ordered)
    if total >= n:
        return float("inf")
    # With the k largest certain, the rest share total − k in proportion to their sizes.
    rest = np.cumsum(ordered[::-1])[::-1]
    constants = (total - np.arange(n)) / rest
    fits = constants * ordered <= 1.0
    return float(constants[int(np.argmax(fits))])


def mixed(probabilities: FloatArray, mixing: float, budget: float) -> FloatArray:
    """Spread a share of the budget evenly."""
    n = len(probabilities)
    return np.minimum((1.0 - mixing) * probabilities + mixing * budget / n, 1.0)


def sizes(risk_score: ArrayLike) -> FloatArray:
    """Square roots of the floored scores."""
    score = one_dimensional("risk_score", risk_score)
    if not np.isfinite(score).all():
        place = int(np.flatnonzero(~np.isfinite(score))[0])
        raise ValueError(
            f"'risk_score' must be finite; got {score[place]} at place {place}. Score every record."
        )
    return np.asarray(np.sqrt(np.maximum(score, FLOOR)))


def fraction(name: str, value: Any) -> float:
    """Return a number in [0, 1] as a float."""
    if isinstance(value, bool) or not isinstance(value, (int, float, np.number)):
        raise ValueError(f"'{name}' must be a number from 0 to 1; got {value!r}.")
    if not 0 <= value <= 1:
        raise ValueError(f"'{name}' must be a number from 0 to 1; got {value!r}.")
    return float(value)


def within_population(name: str, value: Any, n: int) -> float:
    """Return a number in (0, n] as a float."""
    number = isinstance(value, (int, float, np.number)) and not isinstance(value, bool)
    if not number or not 0 < value <= n:
        raise ValueError(f"'{name}' must be a number above 0 and at most {n:,}; got {value!r}.")
    return float(value)
