"""The searches as the formulas say them, by trying everything; slow on purpose."""

from __future__ import annotations

from fractions import Fraction
from math import comb

import numpy as np


def probability_at_most(w: int, m: int, alpha: Fraction) -> Fraction:
    """P(Bin(m, alpha) <= w), exactly."""
    return sum(
        (comb(m, k) * alpha**k * (1 - alpha) ** (m - k) for k in range(w + 1)), start=Fraction(0)
    )


def max_errors(m: int, alpha: str, delta: str) -> int:
    """The definition, in the decimals that were asked for."""
    w = -1
    while w + 1 < m and probability_at_most(w + 1, m, Fraction(alpha)) <= Fraction(delta):
        w += 1
    return w


def pair(u1, e1, u2, e2, allowed, none=True):
    """(accepted, errors, t1, t2) of the best pair; thresholds of None accept nothing."""
    has1, has2 = ~(np.isnan(u1) | np.isnan(e1)), ~(np.isnan(u2) | np.isnan(e2))
    nothing = [-np.inf] if none else []
    best = None
    for t1 in [*nothing, *np.unique(u1[has1])]:
        by1 = has1 & (u1 <= t1)
        for t2 in [*nothing, *np.unique(u2[has2])]:
            by2 = ~by1 & has2 & (u2 <= t2)
            m, w = int(by1.sum() + by2.sum()), int(e1[by1].sum() + e2[by2].sum())
            if m and w <= allowed[m]:
                rank = (-m, w, t1, t2)
                best = rank if best is None else min(best, rank)
    if best is None:
        return (0, 0, None, None)
    t1, t2 = (None if t == -np.inf else float(t) for t in best[2:])
    return (-best[0], best[1], t1, t2)
