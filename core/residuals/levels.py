"""Columns as levels: numbers cut at quantiles, two columns crossed."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from core.validation import IntArray

Labels = NDArray[np.object_]


def cut_at_quantiles(values: ArrayLike, quantiles: Sequence[float] = (0.25, 0.5, 0.75)) -> Labels:
    """Cut numbers into levels at quantiles of those present; the labels state the cuts.

    Parameters
    ----------
    values : array of shape (n,)
        NaN is missing.
    quantiles : sequence of float
        In (0, 1), rising. Cuts that fall together are one.

    Returns
    -------
    object array of shape (n,)
        "≤ a", "a to b" (above a, up to b), "> b"; None where missing.

    Examples
    --------
    >>> list(cut_at_quantiles([1, 2, 3, 4], (0.5,)))
    ['≤ 2', '≤ 2', '> 2', '> 2']
    """
    numbers = np.asarray(values, dtype=np.float64)
    present = ~np.isnan(numbers)
    labels = np.full(len(numbers), None, dtype=object)
    if not present.any():
        return labels
    cuts = np.unique(np.quantile(numbers[present], quantiles, method="inverted_cdf"))
    cuts = cuts[cuts < numbers[present].max()]
    names = [f"{cut:.4g}" for cut in cuts]
    if len(set(names)) < len(names):  # too close for four digits
        names = [repr(float(cut)) for cut in cuts]
    if not names:
        labels[present] = "all"
        return labels
    text = np.array(
        [
            f"≤ {names[0]}",
            *(f"{low} to {high}" for low, high in pairwise(names)),
            f"> {names[-1]}",
        ],
        dtype=object,
    )
    labels[present] = text[np.searchsorted(cuts, numbers[present], side="left")]
    return labels


def cross(first: ArrayLike, second: ArrayLike) -> Labels:
    """Levels of two columns together: "a × b"; None where either is missing.

    Examples
    --------
    >>> list(cross(["x", None], ["y", "z"]))
    ['x × y', None]
    """
    codes1, levels1 = codes_of(first)
    codes2, levels2 = codes_of(second)
    labels = np.full(len(codes1), None, dtype=object)
    known = (codes1 >= 0) & (codes2 >= 0)
    together = codes1[known] * max(len(levels2), 1) + codes2[known]
    values, place = np.unique(together, return_inverse=True)
    names = [f"{levels1[one // len(levels2)]} × {levels2[one % len(levels2)]}" for one in values]
    labels[known] = np.array(names, dtype=object)[place] if len(values) else []
    return labels


def codes_of(column: ArrayLike) -> tuple[IntArray, list[Any]]:
    """Number the levels of a column in the order of appearance; None, NaN and "" are −1."""
    values = pd.Series(np.asarray(column, dtype=object).ravel())
    codes, levels = pd.factorize(values.where(values.notna() & (values != ""), None))
    return np.asarray(codes, dtype=np.int64), list(levels)
