"""Which records a beeswarm draws, and how far from the line it draws them."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from core.residuals.explain import checked_values
from core.validation import FloatArray, IntArray, one_dimensional, positive_int

#: Slices of a feature's range in which density is counted.
SLICES = 100
#: Most extreme records kept on either side of each feature.
EXTREMES = 5


def beeswarm_sample(values: ArrayLike, *, most: int = 2000, seed: int = 0) -> IntArray:
    """Choose records to draw: every feature's extremes, and the rest thinned where it is dense.

    Parameters
    ----------
    values : array of shape (n, n_features)
        SHAP values, finite.
    most : int
        Records to keep.
    seed : int
        Settles which records stay where many look alike.

    Returns
    -------
    int array of shape (min(n, most),), ascending
        Positions of the chosen records.

    Raises
    ------
    ValueError
        If values aren't finite and two-dimensional, or ``most`` is below 1.

    Notes
    -----
    The five lowest and five highest of each feature stay (fewer, where ``most`` has no room for
    them in half of its places). The others are drawn without replacement, weighted by the mean over
    features of 1 / (records in the record's hundredth of the feature's range).
    """
    array = checked_values(values)
    number = positive_int("most", most)
    n, p = array.shape
    if n <= number:
        return np.arange(n, dtype=np.int64)
    random = np.random.default_rng(seed)
    kept = np.zeros(n, dtype=bool)
    each = min(EXTREMES, number // (4 * p)) if p else 0
    weight = np.full(n, 1e-12)
    for column in array.T:
        if each:
            ends = np.argpartition(column, [each - 1, n - each])
            kept[ends[:each]] = kept[ends[n - each :]] = True
        place = _slices(column)
        weight += 1 / np.bincount(place, minlength=SLICES)[place]
    # The largest of log(u) / w are a weighted sample without replacement (Efraimidis, Spirakis).
    key = np.log1p(-random.random(n)) / weight
    key[kept] = np.inf
    return np.sort(np.argpartition(key, n - number)[n - number :]).astype(np.int64)


def beeswarm_offsets(values: ArrayLike) -> FloatArray:
    """Return each point's distance from its feature's line: wide where many values are near.

    Parameters
    ----------
    values : array of shape (n,)
        One feature's SHAP values, finite.

    Returns
    -------
    array of shape (n,)
        From −1 to 1; 0 for a point alone in its hundredth of the range. Points of one slice get
        distances evenly spaced on both sides, all different.

    Raises
    ------
    ValueError
        If a value isn't finite.
    """
    x = checked_values(one_dimensional("values", values)[:, None])[:, 0]
    n = len(x)
    if n == 0:
        return np.zeros(0)
    place = _slices(x)
    order = np.argsort(place, kind="stable")
    size = np.bincount(place, minlength=SLICES)
    first = np.cumsum(size) - size
    rank = np.empty(n, dtype=np.int64)
    rank[order] = np.arange(n) - first[place[order]]
    # 0, 1, −1, 2, −2, …: from the line outwards, in turn on both sides.
    step = (rank + 1) // 2 * np.where(rank % 2 == 1, 1, -1)
    return step / max(int(np.abs(step).max()), 1)


def _slices(column: FloatArray) -> IntArray:
    low, high = column.min(), column.max()
    if low == high:
        return np.zeros(len(column), dtype=np.int64)
    share = (column - low) / (high - low)
    return np.asarray(np.minimum(share * SLICES, SLICES - 1), dtype=np.int64)
