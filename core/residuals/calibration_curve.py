"""Whether risk scores mean what they say: mean squared residual by score."""

from __future__ import annotations

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike
from scipy.stats import norm, t

from core.validation import FloatArray, one_dimensional, positive_int, same_length

LEVEL = 0.95


def calibration_curve(
    score: ArrayLike, squared_residual: ArrayLike, *, bins: int = 10
) -> pd.DataFrame:
    """Compare the mean squared residual with the mean score, in bins of equal counts.

    Parameters
    ----------
    score : array of shape (n,)
        Out-of-fold scores; NaN leaves the record out.
    squared_residual : array of shape (n,)
        Δ², at least 0; NaN (not scored) leaves the record out.
    bins : int
        At most; records with equal scores stay in one bin, so that there can be fewer.

    Returns
    -------
    DataFrame, a row a bin, from the lowest scores up
        bin (from 1), n, mean_score, mean_residual (the mean of Δ²), low, high: 95 % interval for
        it, by Wilson where every Δ² is 0 or 1, else by Student's t from 0 up. NaN in low and high
        where graded residuals don't vary within the bin: their spread isn't known.

    Raises
    ------
    ValueError
        If lengths differ, a value is infinite or a squared residual negative, or no record has
        both.

    Examples
    --------
    >>> curve = calibration_curve([0.1, 0.1, 0.8, 0.9], [0, 0, 0, 1], bins=2)
    >>> curve[["bin", "n", "mean_residual"]].values.tolist()
    [[1.0, 2.0, 0.0], [2.0, 2.0, 0.5]]
    """
    x, y = one_dimensional("score", score), one_dimensional("squared_residual", squared_residual)
    same_length(score=x, squared_residual=y)
    number = positive_int("bins", bins)
    for name, values in (("score", x), ("squared_residual", y)):
        if np.isinf(values).any():
            first = int(np.flatnonzero(np.isinf(values))[0])
            raise ValueError(f"'{name}' must be finite or NaN; got infinity at position {first}.")
    if (y < 0).any():
        first = int(np.flatnonzero(y < 0)[0])
        raise ValueError(
            f"'squared_residual' must be at least 0; got {y[first].item()!r} at position {first}. "
            "Pass the residual squared."
        )
    kept = ~(np.isnan(x) | np.isnan(y))
    if not kept.any():
        raise ValueError(
            f"'score' and 'squared_residual' must have a record with both; got {len(x)} without. "
            "Label some records."
        )
    x, y = x[kept], y[kept]
    _, tie, size = np.unique(x, return_inverse=True, return_counts=True)
    # A group of ties goes where its middle falls among the equal shares.
    middle = np.cumsum(size) - size / 2
    share = np.minimum(middle * number / len(x), number - 1).astype(np.int64)
    place = np.unique(share[tie], return_inverse=True)[1]
    n = np.bincount(place)
    mean = np.bincount(place, weights=y) / n
    low, high = _wilson(mean, n) if np.isin(y, (0.0, 1.0)).all() else _student(y, place, mean, n)
    return pd.DataFrame(
        {
            "bin": np.arange(1, len(n) + 1),
            "n": n,
            "mean_score": np.bincount(place, weights=x) / n,
            "mean_residual": mean,
            "low": low,
            "high": high,
        }
    )


def _wilson(share: FloatArray, n: np.ndarray) -> tuple[FloatArray, FloatArray]:
    z = norm.ppf(0.5 + LEVEL / 2)
    centre = (share + z**2 / (2 * n)) / (1 + z**2 / n)
    half = z / (1 + z**2 / n) * np.sqrt(share * (1 - share) / n + z**2 / (4 * n**2))
    # Rounding must not put the interval's end inside the share at 0 and at 1.
    return np.clip(centre - half, 0, share), np.clip(centre + half, share, 1)


def _student(
    y: FloatArray, place: np.ndarray, mean: FloatArray, n: np.ndarray
) -> tuple[FloatArray, FloatArray]:
    squares = np.bincount(place, weights=(y - mean[place]) ** 2)
    varies = (n > 1) & (squares > 0)
    half = np.full(len(n), np.nan)
    m = n[varies]
    half[varies] = t.ppf(0.5 + LEVEL / 2, m - 1) * np.sqrt(squares[varies] / (m - 1) / m)
    return np.maximum(mean - half, 0), mean + half
