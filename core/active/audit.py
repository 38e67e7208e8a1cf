"""Do the risk scores still rank the residuals? Asked of a uniform slice of the batch."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike
from scipy import stats

from core.validation import one_dimensional, open_unit, same_length

#: Records below which nothing is said.
LEAST = 10
ADVICE = {
    "keep": "The scores still rank the residuals: go on as planned.",
    "mix more": "The scores say little here: spread more of the next budget evenly.",
    "refit": "The scores rank the residuals the wrong way round: train the model anew.",
    "wait": "Too few labels, or residuals that don't vary: nothing can be said yet.",
}


@dataclass(frozen=True)
class Audit:
    """How well scores rank squared residuals.

    Attributes
    ----------
    n : int
        Records looked at.
    spearman, low, high : float or None
        Rank correlation with its interval; None where it can't be computed.
    mean_score, mean_squared : float
        Expected and observed squared residual.
    advice : {"keep", "mix more", "refit", "wait"}
    """

    n: int
    spearman: float | None
    low: float | None
    high: float | None
    mean_score: float
    mean_squared: float
    advice: str


def audit(
    risk_score: ArrayLike, squared_residual: ArrayLike, *, confidence_level: float = 0.95
) -> Audit:
    """Compare scores with the squared residuals of a uniform slice.

    Parameters
    ----------
    risk_score, squared_residual : arrays of shape (n,)
        Of the slice's records with a label.
    confidence_level : float

    Returns
    -------
    Audit
        "keep" where the interval of the rank correlation is above 0, "refit" where it is below,
        else "mix more".

    Raises
    ------
    ValueError
        If lengths differ or a value is missing.

    Notes
    -----
    Fisher's interval with the Bonett–Wright error √((1 + ρ²/2) / (n − 3)).
    """
    level = open_unit("confidence_level", confidence_level)
    score, squared = (
        one_dimensional("risk_score", risk_score),
        one_dimensional("squared_residual", squared_residual),
    )
    n = same_length(risk_score=score, squared_residual=squared)
    if not (np.isfinite(score).all() and np.isfinite(squared).all()):
        raise ValueError("'risk_score' and 'squared_residual' must be finite; some aren't.")
    mean_score = float(score.mean()) if n else float("nan")
    mean_squared = float(squared.mean()) if n else float("nan")
    if n < LEAST or np.ptp(score) == 0 or np.ptp(squared) == 0:
        return Audit(n, None, None, None, mean_score, mean_squared, "wait")
    rho = float(stats.spearmanr(score, squared).statistic)
    reach = float(stats.norm.isf((1 - level) / 2)) * np.sqrt((1 + rho**2 / 2) / (n - 3))
    bounded = np.arctanh(np.clip(rho, -1 + 1e-12, 1 - 1e-12))
    low, high = float(np.tanh(bounded - reach)), float(np.tanh(bounded + reach))
    advice = "keep" if low > 0 else "refit" if high < 0 else "mix more"
    return Audit(n, rho, low, high, mean_score, mean_squared, advice)
