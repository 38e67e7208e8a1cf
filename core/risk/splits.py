"""Calibrate on one part, look at the other, many times: does the risk stay as promised."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from core.risk.calibrators import PairCalibrator, SingleCalibrator
from core.risk.certification import CERTIFICATES
from core.risk.routing import evaluate
from core.validation import (
    FloatArray,
    binary,
    choice,
    open_unit,
    positive_int,
    same_length,
    uncertainties,
)

MODES = ("both", "1", "2")

COLUMNS = (
    "split", "alpha", "coverage", "risk", "share_mode1", "share_mode2", "share_abstain",
    "threshold1", "threshold2",
)  # fmt: skip


def repeated_splits(
    uncertainty1: ArrayLike,
    is_error1: ArrayLike,
    uncertainty2: ArrayLike,
    is_error2: ArrayLike,
    *,
    alphas: Sequence[float],
    delta: float,
    certificate: str = "fixed-sequence",
    n_splits: int = 100,
    calib_fraction: float = 0.5,
    seed: int,
) -> pd.DataFrame:
    """Calibrate on random parts of the labelled records and evaluate on the rest of each.

    Parameters
    ----------
    uncertainty1, is_error1, uncertainty2, is_error2 : arrays of shape (n,)
        Labelled records, as in `core.risk.calibration.calibrate_joint`.
    alphas : sequence of float
        Target risks, each in (0, 1).
    delta : float
        Allowed probability of missing each of them.
    certificate : {"fixed-sequence", "bonferroni", "pointwise"}
        For "fixed-sequence" the uncertainties of the test part, never its labels, fix lines and
        starts.
    n_splits : int
        Number of random splits.
    calib_fraction : float
        Share of the records that calibrates, in (0, 1).
    seed : int
        The same seed gives the same splits whatever the certificate, so that they can be compared.

    Returns
    -------
    DataFrame
        A row a split and alpha: split, alpha, coverage, risk, share_mode1, share_mode2,
        share_abstain, threshold1, threshold2, all but the thresholds measured on the test part.
        ``risk`` is NaN where nothing was accepted, a threshold where its mode accepts nothing.

    Raises
    ------
    ValueError
        If lengths differ, a value is outside its range, or a part would hold no record.

    Notes
    -----
    The protocol of JRA section 4 (arXiv 2608.17994). The splits overlap: their spread is
    descriptive and gives no interval.
    """
    parts = split_by_split(
        uncertainty1, is_error1, uncertainty2, is_error2, alphas=alphas, delta=delta,
        certificate=certificate, n_splits=n_splits, calib_fraction=calib_fraction, seed=seed,
    )  # fmt: skip
    return pd.concat(list(parts), ignore_index=True)


def split_by_split(
    uncertainty1: ArrayLike,
    is_error1: ArrayLike,
    uncertainty2: ArrayLike,
    is_error2: ArrayLike,
    *,
    alphas: Sequence[float],
    delta: float,
    certificate: str = "fixed-sequence",
    n_splits: int = 100,
    calib_fraction: float = 0.5,
    mode: str = "both",
    seed: int,
) -> Iterator[pd.DataFrame]:
    """Give the rows of `repeated_splits` one split at a time, so that a long run can be stopped.

    Parameters
    ----------
    mode : {"both", "1", "2"}
        Both modes, or one of them alone, calibrated as `calibrate_single` does.
    others
        As in `repeated_splits`.

    Yields
    ------
    DataFrame
        The rows of one split.

    Raises
    ------
    ValueError
        As `repeated_splits`, before the first split.
    """
    score1, wrong1 = uncertainties("uncertainty1", uncertainty1), binary("is_error1", is_error1)
    score2, wrong2 = uncertainties("uncertainty2", uncertainty2), binary("is_error2", is_error2)
    n = same_length(uncertainty1=score1, is_error1=wrong1, uncertainty2=score2, is_error2=wrong2)
    targets = [open_unit("alphas", alpha) for alpha in alphas]
    miss, fraction = open_unit("delta", delta), open_unit("calib_fraction", calib_fraction)
    choice("certificate", certificate, CERTIFICATES)
    choice("mode", mode, MODES)
    n_calib = round(fraction * n)
    if not 0 < n_calib < n:
        raise ValueError(
            f"'calib_fraction' must leave a record on both sides; got {fraction!r} of {n} records."
        )
    times = positive_int("n_splits", n_splits)
    return _splits(
        (score1, wrong1, score2, wrong2), targets, miss, certificate, times, n_calib, mode, seed
    )


def _splits(
    modes: tuple[FloatArray, FloatArray, FloatArray, FloatArray],
    alphas: list[float],
    delta: float,
    certificate: str,
    n_splits: int,
    n_calib: int,
    mode: str,
    seed: int,
) -> Iterator[pd.DataFrame]:
    random = np.random.default_rng(seed)
    for split in range(n_splits):
        order = random.permutation(len(modes[0]))
        score1, wrong1, score2, wrong2 = (values[order[:n_calib]] for values in modes)
        test = [values[order[n_calib:]] for values in modes]
        calibrator: PairCalibrator | SingleCalibrator
        if mode == "both":
            calibrator = PairCalibrator(
                score1, wrong1, score2, wrong2, reference=(test[0], test[2])
            )
        elif mode == "1":
            calibrator = SingleCalibrator(score1, wrong1, test[0])
        else:
            calibrator = SingleCalibrator(score2, wrong2, test[2])
        rows = []
        for alpha in alphas:
            policy = calibrator.policy(alpha=alpha, delta=delta, certificate=certificate)
            if mode == "2":
                policy = replace(policy, threshold1=None, threshold2=policy.threshold1)
            report = evaluate(policy, *test)
            rows.append(
                (split, alpha, report.coverage, report.risk, report.share_mode1,
                 report.share_mode2, report.share_abstain, policy.threshold1, policy.threshold2)
            )  # fmt: skip
        frame = pd.DataFrame(rows, columns=list(COLUMNS))
        yield frame.astype(dict.fromkeys(COLUMNS[1:], np.float64))
