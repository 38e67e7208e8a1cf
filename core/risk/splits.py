"""Calibrate on one part, look at the other, many times: does the risk stay as promised."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from core.risk.calibrators import PairCalibrator
from core.risk.certification import CERTIFICATES
from core.risk.routing import evaluate
from core.validation import binary, choice, open_unit, positive_int, same_length, uncertainties

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
    score1, wrong1 = uncertainties("uncertainty1", uncertainty1), binary("is_error1", is_error1)
    score2, wrong2 = uncertainties("uncertainty2", uncertainty2), binary("is_error2", is_error2)
    n = same_length(uncertainty1=score1, is_error1=wrong1, uncertainty2=score2, is_error2=wrong2)
    targets = [open_unit("alphas", alpha) for alpha in alphas]
    miss, fraction = open_unit("delta", delta), open_unit("calib_fraction", calib_fraction)
    choice("certificate", certificate, CERTIFICATES)
    n_calib = round(fraction * n)
    if not 0 < n_calib < n:
        raise ValueError(
            f"'calib_fraction' must leave a record on both sides; got {fraction!r} of {n} records."
        )
    random = np.random.default_rng(seed)
    modes = (score1, wrong1, score2, wrong2)
    rows = []
    for split in range(positive_int("n_splits", n_splits)):
        order = random.permutation(n)
        calib = [values[order[:n_calib]] for values in modes]
        test = [values[order[n_calib:]] for values in modes]
        calibrator = PairCalibrator(*calib, reference=(test[0], test[2]))
        for alpha in targets:
            policy = calibrator.policy(alpha=alpha, delta=miss, certificate=certificate)
            report = evaluate(policy, *test)
            rows.append(
                (split, alpha, report.coverage, report.risk, report.share_mode1,
                 report.share_mode2, report.share_abstain, policy.threshold1, policy.threshold2)
            )  # fmt: skip
    frame = pd.DataFrame(rows, columns=list(COLUMNS))
    numbers = [column for column in COLUMNS if column != "split"]
    return frame.astype(dict.fromkeys(numbers, np.float64))
