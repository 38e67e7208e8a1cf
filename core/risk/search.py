"""The exact search for the pair of thresholds that accepts the most, in near-linear time.

The paper's search tries every pair, O(N^2) (JRA algorithm 1, arXiv 2608.17994). The same optimum
comes from one sweep. The first threshold goes up through the ties of the first uncertainty, and
each record that Mode 1 takes over leaves a tree over the ties of the second one. A node of the tree
knows how many records and errors lie below it, and the lowest ``errors - alpha * records`` over its
prefixes. "Which is the largest second threshold whose errors are allowed?" is answered from the
right: a node is passed over when even that lowest value exceeds what the table of allowed errors
leaves at any size the node can reach.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from core.risk.compiled import compiled
from core.risk.curves import tie_groups
from core.validation import FloatArray

#: Far above the rounding of ``errors - alpha * records``, far below one record.
_ROUNDING = 1e-6


@dataclass(frozen=True)
class SortedPair:
    """Two modes' records, sorted once for any number of searches.

    ``ends1[g]`` is one past the last place of tie group g of the first uncertainty; ``group2``,
    ``error1`` and ``error2`` are in the order of the places. Records that only Mode 2 scored come
    last, beyond every tie group. ``group2`` is -1 where Mode 2 has no score.
    """

    threshold1: FloatArray
    threshold2: FloatArray
    ends1: NDArray[np.int64]
    group2: NDArray[np.int32]
    error1: NDArray[np.int32]
    error2: NDArray[np.int32]
    n: int


@dataclass(frozen=True)
class BestPair:
    """The pair found: None as a threshold accepts nothing in that mode."""

    threshold1: float | None
    threshold2: float | None
    accepted: int
    errors: int


def sort_pair(
    uncertainty1: FloatArray, is_error1: FloatArray, uncertainty2: FloatArray, is_error2: FloatArray
) -> SortedPair:
    """Sort checked arrays of shape (n,) for `best_pair`; NaN is unscored."""
    order1, last1 = tie_groups(uncertainty1, is_error1)
    scored1 = np.zeros(len(uncertainty1), dtype=bool)
    scored1[order1] = True
    order2, last2 = tie_groups(uncertainty2, is_error2)
    group_of = np.full(len(uncertainty2), -1, dtype=np.int32)
    group_of[order2] = np.repeat(np.arange(len(last2)), np.diff(last2, prepend=-1))
    order = np.concatenate([order1, np.flatnonzero(~scored1)])
    return SortedPair(
        threshold1=uncertainty1[order1][last1],
        threshold2=uncertainty2[order2][last2],
        ends1=(last1 + 1).astype(np.int64),
        group2=group_of[order],
        error1=np.nan_to_num(is_error1[order]).astype(np.int32),
        error2=np.nan_to_num(is_error2[order]).astype(np.int32),
        n=len(uncertainty1),
    )


def best_pair(pair: SortedPair, allowed: NDArray[np.int32], alpha: float) -> BestPair:
    """Find the pair that accepts the most records with no more errors than allowed.

    Parameters
    ----------
    pair : SortedPair
        The records.
    allowed : array of int, shape (n + 1,)
        Errors allowed at each number of accepted records, -1 where none are
        (`core.risk.bounds.errors_allowed`).
    alpha : float
        The risk behind ``allowed``: it steers the search, and changes no answer.

    Returns
    -------
    BestPair
        The largest number accepted; of equals the one with fewer errors, then the smaller first
        threshold, then the smaller second one. "None" is a candidate for either mode. Nothing
        accepted when no pair is allowed.

    Notes
    -----
    JRA eq. 14, with "accept nothing" added to both grids. O(N log N) time apart from the nodes
    that can't be passed over, O(N) memory.
    """
    slack = allowed - alpha * np.arange(len(allowed))
    reachable = np.maximum.accumulate(slack[::-1])[::-1].copy()
    accepted, errors, group1 = _sweep(
        pair.ends1, pair.group2, pair.error1, pair.error2,
        len(pair.threshold2), allowed, reachable, alpha, _ROUNDING,
    )  # fmt: skip
    if accepted == 0:
        return BestPair(None, None, 0, 0)
    taken1 = int(pair.ends1[group1]) if group1 >= 0 else 0
    rest = pair.group2[taken1:]
    from_mode2 = accepted - taken1
    last = int(np.sort(rest[rest >= 0])[from_mode2 - 1]) if from_mode2 else -1
    return BestPair(
        threshold1=float(pair.threshold1[group1]) if group1 >= 0 else None,
        threshold2=float(pair.threshold2[last]) if last >= 0 else None,
        accepted=int(accepted),
        errors=int(errors),
    )


@compiled
def _sweep(
    ends1: NDArray[np.int64],
    group2: NDArray[np.int32],
    error1: NDArray[np.int32],
    error2: NDArray[np.int32],
    n_groups2: int,
    allowed: NDArray[np.int32],
    reachable: NDArray[np.float64],
    alpha: float,
    rounding: float,
) -> tuple[int, int, int]:
    """Sweep the first threshold; give the best (accepted, errors, tie group of mode 1)."""
    count, wrong, lowest = _plant(group2, error2, n_groups2, alpha)
    best, best_wrong, best_group = 0, 0, -1
    taken, taken_wrong = 0, 0
    for group in range(-1, len(ends1)):
        if group >= 0:
            for i in range(taken, ends1[group]):
                taken_wrong += error1[i]
                if group2[i] >= 0:
                    _take(count, wrong, lowest, group2[i], error2[i], alpha)
            taken = ends1[group]
        m, w = _largest(
            count, wrong, lowest, taken, taken_wrong, best, allowed, reachable, alpha, rounding
        )
        if m > best or (m == best and m > 0 and w < best_wrong):
            best, best_wrong, best_group = m, w, group
    return best, best_wrong, best_group


@compiled
def _plant(
    group2: NDArray[np.int32], error2: NDArray[np.int32], n_groups2: int, alpha: float
) -> tuple[NDArray[np.int32], NDArray[np.int32], NDArray[np.float64]]:
    """Build the tree over the ties of the second uncertainty: node 1 is the root.

    A node holds its records, their errors, and the lowest ``errors - alpha * records`` over the
    prefixes that end at one of its ties (infinite where it holds no record).
    """
    leaves = 1
    while leaves < n_groups2:
        leaves *= 2
    count = np.zeros(2 * leaves, dtype=np.int32)
    wrong = np.zeros(2 * leaves, dtype=np.int32)
    lowest = np.full(2 * leaves, np.inf)
    for i in range(len(group2)):
        if group2[i] >= 0:
            count[leaves + group2[i]] += 1
            wrong[leaves + group2[i]] += error2[i]
    for leaf in range(leaves, 2 * leaves):
        if count[leaf] > 0:
            lowest[leaf] = wrong[leaf] - alpha * count[leaf]
    for node in range(leaves - 1, 0, -1):
        left, right = 2 * node, 2 * node + 1
        count[node] = count[left] + count[right]
        wrong[node] = wrong[left] + wrong[right]
        lowest[node] = min(lowest[left], wrong[left] - alpha * count[left] + lowest[right])
    return count, wrong, lowest


@compiled
def _take(
    count: NDArray[np.int32],
    wrong: NDArray[np.int32],
    lowest: NDArray[np.float64],
    group: int,
    error: int,
    alpha: float,
) -> None:
    """Take one record out of its tie."""
    node = len(count) // 2 + group
    count[node] -= 1
    wrong[node] -= error
    lowest[node] = wrong[node] - alpha * count[node] if count[node] > 0 else np.inf
    node >>= 1
    while node >= 1:
        left = 2 * node
        count[node] -= 1
        wrong[node] -= error
        lowest[node] = min(lowest[left], wrong[left] - alpha * count[left] + lowest[left + 1])
        node >>= 1


@compiled
def _largest(
    count: NDArray[np.int32],
    wrong: NDArray[np.int32],
    lowest: NDArray[np.float64],
    taken: int,
    taken_wrong: int,
    best: int,
    allowed: NDArray[np.int32],
    reachable: NDArray[np.float64],
    alpha: float,
    rounding: float,
) -> tuple[int, int]:
    """Find the allowed acceptance of at least ``best`` records with the largest second threshold.

    ``taken`` records with ``taken_wrong`` errors come from Mode 1. Gives (accepted, errors), and
    (0, 0) where there is none.
    """
    if taken + count[1] < best:
        return 0, 0
    leaves = len(count) // 2
    nodes = np.empty(64, dtype=np.int64)
    before = np.empty((64, 2), dtype=np.int64)  # records and errors of everything left of the node
    nodes[0], before[0, 0], before[0, 1] = 1, taken, taken_wrong
    top = 1
    while top > 0:
        top -= 1
        node, m, w = nodes[top], before[top, 0], before[top, 1]
        if count[node] == 0 or m + count[node] < best:
            continue
        if w - alpha * m + lowest[node] > reachable[max(m + 1, best)] + rounding:
            continue
        if node >= leaves:
            m += count[node]
            w += wrong[node]
            if w <= allowed[m]:
                return m, w
            continue
        left = 2 * node
        nodes[top], before[top, 0], before[top, 1] = left, m, w
        nodes[top + 1] = left + 1
        before[top + 1, 0], before[top + 1, 1] = m + count[left], w + wrong[left]
        top += 2
    if taken >= best and taken_wrong <= allowed[taken]:
        return taken, taken_wrong
    return 0, 0
