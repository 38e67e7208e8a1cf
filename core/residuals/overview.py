"""The judge's rate beside that of people, and the two ways to disagree."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike
from scipy.stats import norm

from core.residuals.residual import judge_residual
from core.validation import open_unit


@dataclass(frozen=True)
class Overview:
    """Rates of scored records.

    Attributes
    ----------
    n, n_scored : int
    judge_rate, judge_low, judge_high : float
        Share called correct by the judge, with its Wilson interval.
    human_rate, human_low, human_high : float
    gap, gap_low, gap_high : float
        Judge minus human, with Newcombe's interval for paired shares (method 10).
    table : mapping of {"correct", "wrong", "unknown"} to mapping of {"correct", "wrong"} to int
        Scored records, the judge's own verdict by the label; with ``unknown_as="excluded"`` the
        row of unknowns counts labelled records that aren't scored.
    disagreements : int
        Scored records with a residual.
    over_rejections, over_acceptances : int
        Of them: Δ = 1, the judge rejects what people accept; and Δ = −1.
    """

    n: int
    n_scored: int
    judge_rate: float
    judge_low: float
    judge_high: float
    human_rate: float
    human_low: float
    human_high: float
    gap: float
    gap_low: float
    gap_high: float
    table: Mapping[str, Mapping[str, int]]
    disagreements: int
    over_rejections: int
    over_acceptances: int


def overview(
    human: ArrayLike,
    verdict: ArrayLike,
    unknown: ArrayLike | None = None,
    *,
    unknown_as: str = "wrong",
    confidence_level: float = 0.95,
) -> Overview:
    """Summarise where judge and people agree.

    Parameters
    ----------
    human, verdict, unknown, unknown_as
        As in :func:`core.residuals.residual.judge_residual`.
    confidence_level : float

    Returns
    -------
    Overview

    Raises
    ------
    ValueError
        As `judge_residual`, or when no record is scored.
    """
    level = open_unit("confidence_level", confidence_level)
    found = judge_residual(human, verdict, unknown, unknown_as=unknown_as)
    n = int(found.scored.sum())
    if not n:
        raise ValueError(
            "'human' and 'verdict' must share at least one record; got none with both. "
            "Import labels of judged records."
        )
    judge, people = found.judge[found.scored], found.human[found.scored]
    both, judge_only = int((judge * people).sum()), int((judge * (1 - people)).sum())
    human_only = int(((1 - judge) * people).sum())
    neither = n - both - judge_only - human_only
    low1, high1 = wilson(both + judge_only, n, level)
    low2, high2 = wilson(both + human_only, n, level)
    gap, low, high = paired_difference(both, judge_only, human_only, neither, level)
    labels = np.asarray(human, dtype=np.float64)
    said = np.asarray(verdict, dtype=np.float64)
    unsure = np.zeros(len(labels), bool) if unknown is None else np.asarray(unknown)
    cells = {"correct": said == 1, "wrong": said == 0, "unknown": unsure}
    return Overview(
        n=len(labels),
        n_scored=n,
        judge_rate=(both + judge_only) / n,
        judge_low=low1,
        judge_high=high1,
        human_rate=(both + human_only) / n,
        human_low=low2,
        human_high=high2,
        gap=gap,
        gap_low=low,
        gap_high=high,
        table={
            name: {
                "correct": int((mask & (labels == 1)).sum()),
                "wrong": int((mask & (labels == 0)).sum()),
            }
            for name, mask in cells.items()
        },
        disagreements=judge_only + human_only,
        over_rejections=human_only,
        over_acceptances=judge_only,
    )


def wilson(successes: int, n: int, confidence_level: float = 0.95) -> tuple[float, float]:
    """Wilson's score interval of a share.

    Examples
    --------
    >>> [round(end, 4) for end in wilson(0, 10)]
    [0.0, 0.2775]
    """
    z = float(norm.isf((1 - confidence_level) / 2))
    share = successes / n
    centre = (share + z * z / (2 * n)) / (1 + z * z / n)
    half = z / (1 + z * z / n) * math.sqrt(share * (1 - share) / n + z * z / (4 * n * n))
    # Rounding must not put an end inside the share at 0 and at 1.
    return min(max(centre - half, 0.0), share), max(min(centre + half, 1.0), share)


def paired_difference(
    both: int, first_only: int, second_only: int, neither: int, confidence_level: float = 0.95
) -> tuple[float, float, float]:
    """First share minus second share of the same records, with Newcombe's interval (method 10).

    Parameters
    ----------
    both, first_only, second_only, neither : int
        Records that both, one or none call correct; at least one in all.

    Returns
    -------
    difference, low, high : float

    References
    ----------
    Newcombe, Improved confidence intervals for the difference between binomial proportions based
    on paired data, Statistics in Medicine 17, 1998.

    Examples
    --------
    >>> [round(end, 4) for end in paired_difference(20, 12, 2, 16)]
    [0.2, 0.0562, 0.3292]
    """
    n = both + first_only + second_only + neither
    first, second = (both + first_only) / n, (both + second_only) / n
    low1, high1 = wilson(both + first_only, n, confidence_level)
    low2, high2 = wilson(both + second_only, n, confidence_level)
    margins = (
        (both + first_only)
        * (second_only + neither)
        * (both + second_only)
        * (first_only + neither)
    )
    product = both * neither - first_only * second_only
    if margins == 0:
        phi = 0.0
    elif product > n / 2:
        phi = (product - n / 2) / math.sqrt(margins)
    elif product >= 0:
        phi = 0.0
    else:
        phi = product / math.sqrt(margins)
    below1, above1 = first - low1, high1 - first
    below2, above2 = second - low2, high2 - second
    low = below1**2 - 2 * phi * below1 * above2 + above2**2
    high = above1**2 - 2 * phi * above1 * below2 + below2**2
    difference = first - second
    return (
        difference,
        difference - math.sqrt(max(low, 0.0)),
        difference + math.sqrt(max(high, 0.0)),
    )
