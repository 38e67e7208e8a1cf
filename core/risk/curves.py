"""Risk against coverage, one point for every distinct uncertainty."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from core.validation import FloatArray, IntArray, binary, same_length, uncertainties


@dataclass(frozen=True)
class RiskCoverageCurve:
    """Risk and coverage of accepting everything up to each distinct uncertainty.

    Attributes
    ----------
    threshold : array of shape (n_thresholds,)
        Distinct uncertainties of the scored records, ascending.
    coverage : array of shape (n_thresholds,)
        Accepted records as a share of all of them, unscored ones included.
    risk : array of shape (n_thresholds,)
        Errors as a share of the accepted records.
    accepted, errors : arrays of int, shape (n_thresholds,)
        The counts behind both.
    """

    threshold: FloatArray
    coverage: FloatArray
    risk: FloatArray
    accepted: IntArray
    errors: IntArray


def risk_coverage_curve(uncertainty: ArrayLike, is_error: ArrayLike) -> RiskCoverageCurve:
    """Compute the risk at every threshold that the records distinguish.

    Parameters
    ----------
    uncertainty : array of shape (n,)
        The judge's uncertainty; NaN where it gave none.
    is_error : array of shape (n,)
        1 where verdict and human label differ, 0 where they agree, NaN where there is no verdict.

    Returns
    -------
    RiskCoverageCurve
        Empty arrays where no record is scored. Records of equal uncertainty are accepted together,
        so that their order changes nothing. A record without verdict or uncertainty is never
        accepted and stays in n.

    Raises
    ------
    ValueError
        If lengths differ, an uncertainty is infinite, or ``is_error`` holds anything but 0, 1, NaN.

    Notes
    -----
    JRA eq. 5 and 6 (arXiv 2608.17994), at every observed threshold.

    Examples
    --------
    >>> curve = risk_coverage_curve([0.1, 0.2, 0.2, 0.4], [0, 1, 0, 1])
    >>> curve.coverage.tolist(), curve.errors.tolist()
    ([0.25, 0.75, 1.0], [0, 1, 2])
    """
    score = uncertainties("uncertainty", uncertainty)
    wrong = binary("is_error", is_error)
    n = same_length(uncertainty=score, is_error=wrong)
    order, ends = tie_groups(score, wrong)
    errors = np.cumsum(wrong[order]).astype(np.int64)[ends]
    accepted = (ends + 1).astype(np.int64)
    return RiskCoverageCurve(
        threshold=score[order][ends],
        coverage=accepted / max(n, 1),
        risk=errors / np.maximum(accepted, 1),
        accepted=accepted,
        errors=errors,
    )


def aurc(uncertainty: ArrayLike, is_error: ArrayLike) -> float:
    """Average the risk over all coverages: the area under the risk-coverage curve.

    The mean over k = 1 ... n of the expected risk of the k least uncertain records, the expectation
    taken over all orders within ties, so that shuffling the records changes nothing.

    Parameters
    ----------
    uncertainty, is_error : arrays of shape (n,)
        As in `risk_coverage_curve`. Records without verdict or uncertainty can't be accepted and
        are left out of the average.

    Returns
    -------
    float
        Between 0 and 1; smaller is better.

    Raises
    ------
    ValueError
        As `risk_coverage_curve`, and if no record is scored.

    References
    ----------
    Y. Geifman, G. Uziel, R. El-Yaniv, Bias-reduced uncertainty estimation for deep neural
    classifiers, ICLR 2019.

    Examples
    --------
    >>> round(aurc([0.1, 0.2, 0.3, 0.4], [0, 0, 1, 0]), 6)
    0.145833
    """
    score = uncertainties("uncertainty", uncertainty)
    wrong = binary("is_error", is_error)
    same_length(uncertainty=score, is_error=wrong)
    order, ends = tie_groups(score, wrong)
    if not len(order):
        raise ValueError(
            "'uncertainty' must hold at least one record with both a verdict and an uncertainty; "
            "got none. Choose a judge or a mode that has been scored."
        )
    at_end = np.concatenate([[0.0], np.cumsum(wrong[order])[ends]])
    k_end = np.concatenate([[0.0], ends + 1.0])
    k = np.arange(1, len(order) + 1)
    # Within a tie, the expected number of errors rises linearly.
    return float(np.mean(np.interp(k, k_end, at_end) / k))


def tie_groups(
    score: FloatArray, wrong: FloatArray | None = None
) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Order the scored records by uncertainty and find the last place of each tie.

    Parameters
    ----------
    score : array of shape (n,)
        Uncertainties; NaN is unscored.
    wrong : array of shape (n,), optional
        Errors; a NaN there is unscored too.

    Returns
    -------
    order : array of shape (n_scored,)
        Positions of the scored records, least uncertain first.
    ends : array of shape (n_thresholds,)
        Place in ``order`` of the last record of each group of equal uncertainty.
    """
    scored = ~np.isnan(score) if wrong is None else ~(np.isnan(score) | np.isnan(wrong))
    places = np.flatnonzero(scored)
    order = places[np.argsort(score[places], kind="stable")]
    ordered = score[order]
    last = np.ones(len(ordered), dtype=bool)
    last[:-1] = ordered[1:] != ordered[:-1]
    return order, np.flatnonzero(last)
