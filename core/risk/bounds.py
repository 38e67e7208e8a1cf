"""The exact upper bound of a risk, and how many errors it allows.

Both sides of one test: the bound of ``w`` errors among ``m`` accepted records is at most ``alpha``
exactly when P(Bin(m, alpha) <= w) <= delta.

References
----------
C. J. Clopper and E. S. Pearson, The use of confidence or fiducial limits illustrated in the case
of the binomial, Biometrika 26 (1934).
Badshah, Emami, Sajjad, Judge, Retrieve, or Abstain, arXiv 2608.17994, eq. 7 and 13 ("JRA").
"""

from __future__ import annotations

import math
from functools import lru_cache

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import special

from core.risk.compiled import compiled
from core.validation import counts, open_unit, whole

#: Relative slack of the test, so that a case that is equal in decimals (alpha .1, delta .81, two
#: records) is not refused for the last bit of a float.
SLACK = 1e-13

#: A table entry whose probability lies this close (relatively) to delta is computed again exactly.
_NEAR = 1e-7

#: From this many distinct sizes on, the whole table costs less than one evaluation per size.
_FEW = 64


def risk_upper(errors: ArrayLike, accepted: ArrayLike, delta: float) -> float | NDArray[np.float64]:
    """Bound the risk from above: it is larger with probability at most ``delta``.

    The one-sided Clopper-Pearson bound for a number of accepted records that was fixed before
    their errors were looked at.

    Parameters
    ----------
    errors : int or array of int
        Wrong verdicts among the accepted ones.
    accepted : int or array of int
        Accepted verdicts; broadcast with ``errors``.
    delta : float
        Allowed probability that the risk exceeds the bound, in (0, 1).

    Returns
    -------
    float or array
        The bound, in [0, 1]; 1.0 where every accepted verdict is wrong, and where none is accepted.

    Raises
    ------
    ValueError
        If a count is negative, fractional, or errors exceed acceptances; if ``delta`` is outside
        (0, 1).

    Notes
    -----
    JRA eq. 7 and 13, as ``beta.isf(delta, w + 1, m - w)``: the paper's ``1 - delta`` quantile loses
    digits for a small delta and is exactly 1.0 below 1e-17.

    Examples
    --------
    >>> round(risk_upper(0, 59, 0.05), 4)
    0.0495
    >>> risk_upper(0, 0, 0.05)
    1.0
    """
    level = open_unit("delta", delta)
    wrong, taken = counts(errors, accepted)
    wrong, taken = np.broadcast_arrays(wrong, taken)
    full = wrong == taken
    a, b = np.where(full, 1.0, wrong + 1.0), np.where(full, 1.0, taken - wrong)
    bound = np.where(full, 1.0, special.betainccinv(a, b, level)).astype(np.float64)
    return float(bound) if bound.ndim == 0 else bound


def max_errors(accepted: ArrayLike, alpha: float, delta: float) -> int | NDArray[np.int64]:
    """Count the errors that are allowed among ``accepted`` records for the bound to stay at alpha.

    Parameters
    ----------
    accepted : int or array of int
        Numbers of accepted records.
    alpha : float
        Target risk, in (0, 1).
    delta : float
        Level of the bound, in (0, 1).

    Returns
    -------
    int or array
        The largest w with ``risk_upper(w, accepted, delta) <= alpha``; -1 where not even zero
        errors would do.

    Raises
    ------
    ValueError
        If a count is negative or fractional, or ``alpha`` or ``delta`` is outside (0, 1).

    Examples
    --------
    >>> [max_errors(m, 0.05, 0.05) for m in (58, 59, 93, 2000)]
    [-1, 0, 1, 83]
    """
    target, level = open_unit("alpha", alpha), open_unit("delta", delta)
    sizes = whole("accepted", accepted)
    if sizes.ndim == 0:
        return int(_exact(sizes.reshape(1), target, level)[0])
    if sizes.size == 0:
        return sizes.copy()
    if sizes.size <= _FEW:
        return _exact(sizes.ravel(), target, level).reshape(sizes.shape)
    return errors_allowed(int(sizes.max()), target, level)[sizes].astype(np.int64)


def min_accepted(alpha: float, delta: float) -> int:
    """Count the records, all judged rightly, below which nothing can be accepted.

    Parameters
    ----------
    alpha : float
        Target risk, in (0, 1).
    delta : float
        Level of the bound, in (0, 1).

    Returns
    -------
    int
        The smallest m with (1 - alpha)^m <= delta.

    Raises
    ------
    ValueError
        If ``alpha`` or ``delta`` is outside (0, 1).

    Examples
    --------
    >>> min_accepted(0.05, 0.05), min_accepted(0.01, 0.1)
    (59, 230)
    """
    target, level = open_unit("alpha", alpha), open_unit("delta", delta)
    size = max(1, math.ceil(math.log(level) / math.log1p(-target)))
    while size > 1 and _exact(np.array([size - 1]), target, level)[0] >= 0:
        size -= 1  # the logarithms may be off by a last bit, the test decides
    while _exact(np.array([size]), target, level)[0] < 0:
        size += 1
    return size


@lru_cache(maxsize=128)
def errors_allowed(n: int, alpha: float, delta: float) -> NDArray[np.int32]:
    """Tabulate ``max_errors`` for every number of accepted records from 0 to ``n``.

    One table replaces every quantile of a search. It is read-only, and kept for the next call.

    Parameters
    ----------
    n : int
        Largest number of accepted records.
    alpha, delta : float
        As in `max_errors`; not checked here.

    Returns
    -------
    array of int32, shape (n + 1,)
        ``max_errors(m, alpha, delta)`` at position m.

    Notes
    -----
    The table rises by 0 or 1 from m to m + 1, so it is walked with the recurrences
    P(Bin(m+1) <= k) = P(Bin(m) <= k) - alpha P(Bin(m) = k) and their like for one more error.
    Entries that rounding could decide are computed again with the incomplete beta function.
    """
    table, near = _walk(n, alpha, delta, _NEAR)
    doubtful = np.flatnonzero(near)
    if doubtful.size:
        table[doubtful] = _exact(doubtful, alpha, delta)
    table.setflags(write=False)
    return table


@compiled
def _walk(
    n: int, alpha: float, delta: float, near: float
) -> tuple[NDArray[np.int32], NDArray[np.bool_]]:
    """Walk the table; the second array marks entries too close to call in floats."""
    table = np.full(n + 1, -1, dtype=np.int32)
    doubtful = np.zeros(n + 1, dtype=np.bool_)
    k = 0  # the first count of errors that is not allowed yet
    equal = 1.0  # P(Bin(m, alpha) = k)
    below = 1.0  # P(Bin(m, alpha) <= k)
    odds = alpha / (1.0 - alpha)
    for m in range(1, n + 1):
        below -= alpha * equal
        equal *= m / (m - k) * (1.0 - alpha)
        if k == 0:  # the same number, without the rounding of 1 - alpha - alpha ...
            below = equal
        if abs(below - delta) <= near * delta:
            doubtful[m] = True
        while below <= delta and k < m:
            k += 1
            equal *= (m - k + 1) / k * odds
            below += equal
            if abs(below - delta) <= near * delta:
                doubtful[m] = True
        table[m] = k - 1
    return table, doubtful


def _exact(sizes: NDArray[np.integer], alpha: float, delta: float) -> NDArray[np.int64]:
    """Invert P(Bin(m, alpha) <= w) <= delta one size at a time."""
    m = sizes.astype(np.float64)
    guess = np.floor(np.nan_to_num(special.bdtrik(delta, m, alpha), nan=-1.0))
    w = np.clip(guess, -1, m - 1).astype(np.int64)
    while True:  # the quantile function may be off by one either way
        down = (w >= 0) & ~_allowed(w, sizes, alpha, delta)
        if not down.any():
            break
        w[down] -= 1
    while True:
        up = (w + 1 < sizes) & _allowed(w + 1, sizes, alpha, delta)
        if not up.any():
            return w
        w[up] += 1


def _allowed(
    w: NDArray[np.int64], m: NDArray[np.integer], alpha: float, delta: float
) -> NDArray[np.bool_]:
    """P(Bin(m, alpha) <= w) <= delta, for 0 <= w < m; elsewhere the value is not used."""
    inside = (w >= 0) & (w < m)
    a, b = np.where(inside, w + 1.0, 1.0), np.where(inside, m - w, 1.0)
    result: NDArray[np.bool_] = inside & (special.betaincc(a, b, alpha) <= delta * (1.0 + SLACK))
    return result
