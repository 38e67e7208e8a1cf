"""How well a score ranks residuals: Spearman's correlation and the area under the ROC curve."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.stats import rankdata

from core.validation import FloatArray


def rank_correlation(first: FloatArray, second: FloatArray) -> float | None:
    """Return Spearman's ρ of two arrays of shape (n,) without NaN; ties share their mean rank.

    None where one of them doesn't vary.

    Examples
    --------
    >>> import numpy as np
    >>> rank_correlation(np.array([1.0, 2.0, 3.0]), np.array([5.0, 7.0, 100.0]))
    1.0
    """
    if len(first) < 2 or np.all(first == first[0]) or np.all(second == second[0]):
        return None
    x, y = rankdata(first), rankdata(second)
    x -= x.mean()
    y -= y.mean()
    value = float(x @ y / np.sqrt((x @ x) * (y @ y)))
    return max(-1.0, min(1.0, value))


def area_under_roc(score: FloatArray, positive: NDArray[np.bool_]) -> float | None:
    """Return P(a positive record scores higher than another one), ties counted half.

    None where there is one class only.

    Examples
    --------
    >>> import numpy as np
    >>> area_under_roc(np.array([0.1, 0.4, 0.4, 0.8]), np.array([False, False, True, True]))
    0.875
    """
    positives = int(positive.sum())
    negatives = len(positive) - positives
    if positives == 0 or negatives == 0:
        return None
    ranks = float(rankdata(score)[positive].sum())
    return (ranks - positives * (positives + 1) / 2) / (positives * negatives)
