"""Evidence that changes: whether a policy of one snapshot still holds on the next.

Retrieval is not fixed: the same query brings other pages later. Two snapshots of Mode 2 are
compared by the pages they used and by what the policy of the first one does on the second.

References
----------
Badshah, Emami, Sajjad, Judge, Retrieve, or Abstain, arXiv 2608.17994, section 5.5 ("JRA").
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import zip_longest

import numpy as np
from numpy.typing import ArrayLike
from scipy import stats

from core.risk.calibrators import PairCalibrator
from core.risk.certification import CERTIFICATES
from core.risk.routing import Route, route
from core.validation import (
    FloatArray,
    binary,
    choice,
    open_unit,
    positive_int,
    same_length,
    uncertainties,
)

#: With fewer errors than this the later risk has the exact binomial interval.
_FEW_ERRORS = 30


@dataclass(frozen=True)
class DriftReport:
    """What the policy of the first snapshot does on both, averaged over random splits.

    Attributes
    ----------
    n : int
        Labelled records.
    n_splits : int
    coverage_before, coverage_after : float
        Share of the test records that the policy decides.
    risk_before, risk_after : float or None
        Share of wrong ones among those; None where nothing is decided in any split.
    coverage_change, risk_change : float or None
        After minus before.
    coverage_low, coverage_high, risk_low, risk_high : float or None
        Interval of the change at ``confidence_level``, over records, for the policies as they are.
    risk_after_low, risk_after_high : float or None
        Interval of the risk on the second snapshot.
    advice : {"keep", "watch", "recalibrate"}
        "recalibrate" where the risk after is above alpha with confidence, "keep" where it is at
        most alpha with confidence, else "watch".
    """

    n: int
    n_splits: int
    coverage_before: float
    coverage_after: float
    risk_before: float | None
    risk_after: float | None
    coverage_change: float
    coverage_low: float
    coverage_high: float
    risk_change: float | None
    risk_low: float | None
    risk_high: float | None
    risk_after_low: float | None
    risk_after_high: float | None
    advice: str


def ranked_jaccard(before: Sequence[str], after: Sequence[str]) -> float:
    """Share of places that hold the same page, of all different pairs of place and page.

    Parameters
    ----------
    before, after : sequence of str
        URLs of one record's evidence, best first.

    Returns
    -------
    float
        In [0, 1]; 1.0 for two empty lists.

    Examples
    --------
    >>> ranked_jaccard(["a", "b", "c"], ["a", "c", "b"])
    0.2
    """
    same = sum(a == b for a, b in zip_longest(before, after))
    every = len(before) + len(after) - same
    return same / every if every else 1.0


def jaccard(before: Sequence[str], after: Sequence[str]) -> float:
    """Share of pages in both lists, of the pages in either, whatever their places.

    Examples
    --------
    >>> jaccard(["a", "b", "c"], ["a", "c", "d"])
    0.5
    """
    one, two = set(before), set(after)
    return len(one & two) / len(one | two) if one | two else 1.0


def drift_splits(
    uncertainty1: ArrayLike,
    is_error1: ArrayLike,
    uncertainty2_before: ArrayLike,
    is_error2_before: ArrayLike,
    uncertainty2_after: ArrayLike,
    is_error2_after: ArrayLike,
    *,
    alpha: float,
    delta: float,
    certificate: str = "fixed-sequence",
    n_splits: int = 100,
    confidence_level: float = 0.95,
    seed: int,
) -> DriftReport:
    """Calibrate on the first snapshot, decide test records of both, over random halves.

    Parameters
    ----------
    uncertainty1, is_error1 : arrays of shape (n,)
        Mode 1 on labelled records, the same in both snapshots.
    uncertainty2_before, is_error2_before : arrays of shape (n,)
        Mode 2 with the evidence of the first snapshot; NaN is unscored.
    uncertainty2_after, is_error2_after : arrays of shape (n,)
        Mode 2 with the evidence of the second one.
    alpha, delta : float
        Target risk, and the allowed probability of missing it.
    certificate : {"fixed-sequence", "bonferroni", "pointwise"}
    n_splits : int
        Number of random halves.
    confidence_level : float
        Of the intervals.
    seed : int

    Returns
    -------
    DriftReport

    Raises
    ------
    ValueError
        If lengths differ or a value is outside its range.

    Notes
    -----
    The splits overlap, so their spread is no interval. Each record's decisions are averaged over
    the splits in which it is a test record; the intervals come from the spread of those averages
    over records (the risks, being ratios, by their linear parts). They take the policies as given.
    """
    reports = drift_by_split(
        uncertainty1, is_error1, uncertainty2_before, is_error2_before,
        uncertainty2_after, is_error2_after, alpha=alpha, delta=delta, certificate=certificate,
        n_splits=n_splits, confidence_level=confidence_level, seed=seed,
    )  # fmt: skip
    return deque(reports, maxlen=1).pop()


def drift_by_split(
    uncertainty1: ArrayLike,
    is_error1: ArrayLike,
    uncertainty2_before: ArrayLike,
    is_error2_before: ArrayLike,
    uncertainty2_after: ArrayLike,
    is_error2_after: ArrayLike,
    *,
    alpha: float,
    delta: float,
    certificate: str = "fixed-sequence",
    n_splits: int = 100,
    confidence_level: float = 0.95,
    seed: int,
) -> Iterator[DriftReport]:
    """Give what `drift_splits` would return so far, after each split.

    A long run can be stopped and keeps what it has.

    Parameters
    ----------
    all
        As in `drift_splits`.

    Yields
    ------
    DriftReport
        Over the splits until then.

    Raises
    ------
    ValueError
        As `drift_splits`, before the first split.
    """
    columns = [
        uncertainties("uncertainty1", uncertainty1),
        binary("is_error1", is_error1),
        uncertainties("uncertainty2_before", uncertainty2_before),
        binary("is_error2_before", is_error2_before),
        uncertainties("uncertainty2_after", uncertainty2_after),
        binary("is_error2_after", is_error2_after),
    ]
    n = same_length(**{f"array {place + 1}": column for place, column in enumerate(columns)})
    if n < 2:
        raise ValueError(f"'uncertainty1' must hold at least two labelled records; got {n}.")
    target, miss = open_unit("alpha", alpha), open_unit("delta", delta)
    level = open_unit("confidence_level", confidence_level)
    choice("certificate", certificate, CERTIFICATES)
    splits = positive_int("n_splits", n_splits)
    return _reports(columns, target, miss, certificate, splits, level, seed)


def _reports(
    columns: list[FloatArray],
    target: float,
    miss: float,
    certificate: str,
    n_splits: int,
    level: float,
    seed: int,
) -> Iterator[DriftReport]:
    n = len(columns[0])
    first = (columns[0], columns[1])
    snapshots = ((columns[2], columns[3]), (columns[4], columns[5]))
    random = np.random.default_rng(seed)
    times = np.zeros(n)
    decided, wrong = np.zeros((2, n)), np.zeros((2, n))
    for split in range(n_splits):
        order = random.permutation(n)
        calib, test = order[: n // 2], order[n // 2 :]
        calibrator = PairCalibrator(
            *(values[calib] for values in (*first, *snapshots[0])),
            reference=(first[0][test], snapshots[0][0][test]),
        )
        policy = calibrator.policy(alpha=target, delta=miss, certificate=certificate)
        times[test] += 1
        for k, second in enumerate(snapshots):
            score1, error1, score2, error2 = (v[test] for v in (*first, *second))
            score1 = np.where(np.isnan(error1), np.nan, score1)
            score2 = np.where(np.isnan(error2), np.nan, score2)
            routes = route(policy, score1, score2)
            decided[k, test] += routes != Route.ABSTAIN
            wrong[k, test] += np.select(
                [routes == Route.MODE1, routes == Route.MODE2], [error1, error2], 0.0
            )
        yield _report(decided, wrong, times, target, level, split + 1)


def _report(
    decided: FloatArray,
    wrong: FloatArray,
    times: FloatArray,
    alpha: float,
    level: float,
    n_splits: int,
) -> DriftReport:
    seen = times > 0
    decided, wrong = decided[:, seen] / times[seen], wrong[:, seen] / times[seen]
    z = float(stats.norm.isf((1 - level) / 2))
    n = int(seen.sum())

    def error(parts: FloatArray) -> float:
        return z * float(np.std(parts, ddof=1)) / float(np.sqrt(n)) if n > 1 else float("inf")

    coverage = decided.mean(axis=1)
    change = float(coverage[1] - coverage[0])
    about = error(decided[1] - decided[0])
    risk: list[float | None] = [None, None]
    spread: dict[str, float | None] = dict.fromkeys(
        ("risk_change", "risk_low", "risk_high", "risk_after_low", "risk_after_high")
    )
    advice = "watch"
    parts = []
    for k in (0, 1):
        if coverage[k] > 0:
            ratio = float(wrong[k].mean() / coverage[k])
            risk[k] = ratio
            parts.append((wrong[k] - ratio * decided[k]) / coverage[k])
    if risk[1] is not None:
        after = error(parts[-1])
        low, high = risk[1] - after, risk[1] + after
        accepted, errors = float(decided[1].sum()), float(wrong[1].sum())
        if errors < _FEW_ERRORS:
            # The spread seen among few errors says little, and none among no error.
            tail, right = (1 - level) / 2, accepted - errors
            low = float(stats.beta.ppf(tail, errors, right + 1)) if errors > 0 else 0.0
            high = float(stats.beta.isf(tail, errors + 1, right)) if right > 0 else 1.0
        spread["risk_after_low"], spread["risk_after_high"] = low, high
        if high <= alpha:
            advice = "keep"
        elif low > alpha:
            advice = "recalibrate"
    if risk[0] is not None and risk[1] is not None:
        moved, by = risk[1] - risk[0], error(parts[1] - parts[0])
        spread |= {"risk_change": moved, "risk_low": moved - by, "risk_high": moved + by}
    return DriftReport(
        n=len(times),
        n_splits=n_splits,
        coverage_before=float(coverage[0]),
        coverage_after=float(coverage[1]),
        risk_before=risk[0],
        risk_after=risk[1],
        coverage_change=change,
        coverage_low=change - about,
        coverage_high=change + about,
        advice=advice,
        **spread,
    )
