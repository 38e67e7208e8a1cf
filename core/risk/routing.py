"""Send records through a policy, and count what comes of it."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum

import numpy as np
from numpy.typing import ArrayLike, NDArray

from core.risk.policy import RoutingPolicy
from core.validation import binary, same_length, uncertainties


class Route(IntEnum):
    """Who decides a record: the judge through a mode, or a person."""

    ABSTAIN = 0
    MODE1 = 1
    MODE2 = 2


@dataclass(frozen=True)
class RoutingReport:
    """What a policy did on labelled records.

    Attributes
    ----------
    n : int
        Records routed, unscored ones included.
    accepted, errors : int
        Records that the judge decided, and those it decided wrongly.
    coverage : float
        accepted / n; 0.0 without records.
    risk : float or None
        errors / accepted; None where nothing is accepted, which is no risk of 0.
    share_mode1, share_mode2, share_abstain : float
        Shares of n by route; they sum to 1 where n is not 0.
    """

    n: int
    accepted: int
    errors: int
    coverage: float
    risk: float | None
    share_mode1: float
    share_mode2: float
    share_abstain: float


def route(
    policy: RoutingPolicy, uncertainty1: ArrayLike, uncertainty2: ArrayLike
) -> NDArray[np.int8]:
    """Route each record to Mode 1, to Mode 2, or to a person.

    Parameters
    ----------
    policy : RoutingPolicy
        The thresholds.
    uncertainty1, uncertainty2 : arrays of shape (n,)
        Both modes' uncertainties; NaN where a mode has no verdict or no uncertainty.

    Returns
    -------
    array of int8, shape (n,)
        Values of `Route`. An unscored record is not accepted by that mode.

    Raises
    ------
    ValueError
        If lengths differ or an uncertainty is infinite.

    Notes
    -----
    JRA eq. 9 (arXiv 2608.17994).

    Examples
    --------
    >>> from core.risk.calibration import calibrate_joint
    >>> import numpy as np
    >>> policy = calibrate_joint(*4 * [np.zeros(99)], alpha=0.1, delta=0.1, certificate="pointwise")
    >>> policy.threshold1, policy.threshold2
    (None, 0.0)
    >>> route(policy, [0.0, 0.0, 0.0], [0.0, 0.5, np.nan]).tolist()
    [2, 0, 0]
    """
    score1 = uncertainties("uncertainty1", uncertainty1)
    score2 = uncertainties("uncertainty2", uncertainty2)
    same_length(uncertainty1=score1, uncertainty2=score2)
    first = -np.inf if policy.threshold1 is None else policy.threshold1
    second = -np.inf if policy.threshold2 is None else policy.threshold2
    chosen = np.where(score1 <= first, Route.MODE1, np.where(score2 <= second, Route.MODE2, 0))
    return chosen.astype(np.int8)


def evaluate(
    policy: RoutingPolicy,
    uncertainty1: ArrayLike,
    is_error1: ArrayLike,
    uncertainty2: ArrayLike,
    is_error2: ArrayLike,
) -> RoutingReport:
    """Count coverage, errors and routes of a policy on labelled records.

    Parameters
    ----------
    policy : RoutingPolicy
        The thresholds.
    uncertainty1, is_error1, uncertainty2, is_error2 : arrays of shape (n,)
        As in `core.risk.calibration.calibrate_joint`.

    Returns
    -------
    RoutingReport
        A record without verdict or uncertainty in a mode is not accepted by it and stays in n.

    Raises
    ------
    ValueError
        If lengths differ, an uncertainty is infinite, or an error is not 0, 1 or NaN.
    """
    score1 = uncertainties("uncertainty1", uncertainty1)
    score2 = uncertainties("uncertainty2", uncertainty2)
    wrong1, wrong2 = binary("is_error1", is_error1), binary("is_error2", is_error2)
    n = same_length(uncertainty1=score1, is_error1=wrong1, uncertainty2=score2, is_error2=wrong2)
    scored1 = np.where(np.isnan(wrong1), np.nan, score1)
    scored2 = np.where(np.isnan(wrong2), np.nan, score2)
    routes = route(policy, scored1, scored2)
    by1, by2 = routes == Route.MODE1, routes == Route.MODE2
    n1, n2 = int(by1.sum()), int(by2.sum())
    errors = int(wrong1[by1].sum() + wrong2[by2].sum())
    total = max(n, 1)
    return RoutingReport(
        n=n,
        accepted=n1 + n2,
        errors=errors,
        coverage=(n1 + n2) / total,
        risk=errors / (n1 + n2) if n1 + n2 else None,
        share_mode1=n1 / total,
        share_mode2=n2 / total,
        share_abstain=(n - n1 - n2) / total,
    )
