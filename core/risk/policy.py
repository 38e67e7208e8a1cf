"""The routing policy: two thresholds, and everything its certificate stands on."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class RoutingPolicy:
    """Thresholds with their certificate; says why where nothing can be accepted.

    Attributes
    ----------
    threshold1, threshold2 : float or None
        Accept the verdict of Mode 1 up to ``threshold1``, else that of Mode 2 up to
        ``threshold2``; None where that mode accepts nothing.
    alpha, delta : float
        Target risk, and the probability of missing it that was allowed.
    certificate : str
        "fixed-sequence", "bonferroni" or "pointwise". The first two hold for the thresholds chosen;
        the bound of the last one holds only for thresholds fixed beforehand.
    accepted, errors : int
        Accepted records among those tested, and the wrong ones of them.
    risk_upper : float
        Upper bound of the risk at the level of one test; 1.0 when nothing is accepted.
    n_calib : int
        Records given for calibration.
    reason : str or None
        Why nothing is accepted; None when something is.
    n_tested : int
        Records whose labels the certificate used: ``n_calib`` without those set aside to fix where
        the tests start.
    level : float
        Level of one test: ``delta`` after the certificate's correction.
    """

    threshold1: float | None
    threshold2: float | None
    alpha: float
    delta: float
    certificate: str
    accepted: int
    errors: int
    risk_upper: float
    n_calib: int
    reason: str | None
    n_tested: int
    level: float

    @property
    def accepts(self) -> bool:
        """Whether any record can be decided by the judge."""
        return self.threshold1 is not None or self.threshold2 is not None
