"""Thresholds from labelled records, with the certificate that was asked for."""

from __future__ import annotations

from numpy.typing import ArrayLike

from core.risk.calibrators import PairCalibrator, SingleCalibrator
from core.risk.certification import CERTIFICATES
from core.risk.policy import RoutingPolicy
from core.validation import binary, choice, open_unit, same_length, uncertainties

PREFERENCES = ("coverage", "retrieval")


def calibrate_single(
    uncertainty: ArrayLike,
    is_error: ArrayLike,
    *,
    alpha: float,
    delta: float,
    certificate: str = "fixed-sequence",
    reference: ArrayLike | None = None,
) -> RoutingPolicy:
    """Choose the largest threshold of one mode that its certificate allows.

    Parameters
    ----------
    uncertainty : array of shape (n_calib,)
        The judge's uncertainty on labelled records; NaN where it gave none.
    is_error : array of shape (n_calib,)
        1 where verdict and human label differ, 0 where they agree, NaN where there is no verdict.
    alpha, delta : float
        Target risk, and the allowed probability of missing it, both in (0, 1).
    certificate : {"fixed-sequence", "bonferroni", "pointwise"}
        "fixed-sequence": start at the first threshold that accepts max(`min_accepted`, a tenth of
        the records), go up, stop at the first that fails. "bonferroni": the largest threshold
        whose bound at the corrected level is at most alpha. "pointwise": the same at level delta,
        a bound that does not hold for the threshold chosen.
    reference : array of shape (n_reference,), optional
        Uncertainties of records outside the calibration set, labels not needed; they fix where
        "fixed-sequence" starts, which makes its probability of missing alpha at most delta.
        Without them the calibration records place the start, and, without ties, that probability
        is at most delta / (1 - alpha).

    Returns
    -------
    RoutingPolicy
        ``threshold1`` is the threshold, ``threshold2`` is None. Both None, with a ``reason``, where
        nothing can be accepted. An unscored record is never accepted and stays in n_calib.

    Raises
    ------
    ValueError
        If lengths differ, a value is outside its range, or ``certificate`` is unknown.

    Notes
    -----
    JRA section 3.3. Its eq. 8 asks that the bound hold at every smaller threshold too, which never
    happens (one accepted record has a bound of at least 1 - delta): read literally it accepts
    nothing.

    References
    ----------
    Badshah, Emami, Sajjad, Judge, Retrieve, or Abstain, arXiv 2608.17994 ("JRA").

    Examples
    --------
    >>> import numpy as np
    >>> u = np.arange(400) / 400
    >>> policy = calibrate_single(u, (u > 0.5) * (u * 400 % 4 == 0), alpha=0.1, delta=0.05)
    >>> policy.accepted, policy.errors, round(policy.risk_upper, 3)
    (304, 21, 0.098)
    >>> calibrate_single([0.1, 0.2], [0, 0], alpha=0.1, delta=0.05).reason
    "29 accepted records without an error are needed at α = 10% and this certificate's level (0.05); there are 2."
    """  # noqa: E501 - the reason is one line
    score, wrong = uncertainties("uncertainty", uncertainty), binary("is_error", is_error)
    same_length(uncertainty=score, is_error=wrong)
    target, miss = open_unit("alpha", alpha), open_unit("delta", delta)
    choice("certificate", certificate, CERTIFICATES)
    others = None if reference is None else uncertainties("reference", reference)
    calibrator = SingleCalibrator(score, wrong, others)
    return calibrator.policy(alpha=target, delta=miss, certificate=certificate)


def calibrate_joint(
    uncertainty1: ArrayLike,
    is_error1: ArrayLike,
    uncertainty2: ArrayLike,
    is_error2: ArrayLike,
    *,
    alpha: float,
    delta: float,
    certificate: str = "fixed-sequence",
    prefer: str = "coverage",
    reference: tuple[ArrayLike, ArrayLike] | None = None,
    seed: int = 0,
) -> RoutingPolicy:
    """Choose the pair of thresholds that decides the most records under the certificate.

    Parameters
    ----------
    uncertainty1, is_error1, uncertainty2, is_error2 : arrays of shape (n_calib,)
        Both modes on the same labelled records, as in `calibrate_single`.
    alpha, delta : float
        Target risk, and the allowed probability of missing it, both in (0, 1).
    certificate : {"fixed-sequence", "bonferroni", "pointwise"}
        "fixed-sequence": three lines, the first threshold at none, a quarter and a half of the
        reference records; on each the second one rises at level delta / 3 from where three tenths
        are accepted, and stops at the first failure; the risk of the pair exceeds alpha with
        probability at most delta. "bonferroni": the best pair at level
        delta (1 - alpha)^2 / (n + 1)^2; the same promise, far more cautious. "pointwise": the best
        pair at level delta; its bound holds for a pair fixed beforehand, not for the one chosen.
    prefer : {"coverage", "retrieval"}
        "retrieval" (fixed-sequence only): of the certified pairs with at least 95 % of the best
        coverage, the one with the fewest retrievals.
    reference : pair of arrays of shape (n_reference,), optional
        Both uncertainties of records outside the calibration set, labels not needed: they fix
        lines and starts. Without them a random tenth of the calibration records does, which the
        tests then leave out.
    seed : int
        Chooses that tenth.

    Returns
    -------
    RoutingPolicy
        Counts and bound are those of the tested records. Both thresholds None, with a ``reason``,
        where nothing can be accepted. Of pairs with equal coverage: fewer errors, then the smaller
        first threshold, then the smaller second one.

    Raises
    ------
    ValueError
        If lengths differ, a value is outside its range, a choice is unknown, or
        ``prefer="retrieval"`` is asked of another certificate.

    Notes
    -----
    JRA eq. 10 to 14 and appendix D.4. The paper's appendix B.2 maximises the rightly accepted
    records, its eq. 14 all accepted ones; this is eq. 14. Its grid has no "accept nothing" for a
    single mode; this one has.

    References
    ----------
    Badshah, Emami, Sajjad, Judge, Retrieve, or Abstain, arXiv 2608.17994 ("JRA").

    Examples
    --------
    >>> import numpy as np
    >>> u = np.arange(400) / 400
    >>> hard = (u > 0.3) * (u * 400 % 3 == 0)
    >>> policy = calibrate_joint(
    ...     u, hard, u[::-1], 0 * u, alpha=0.1, delta=0.05, certificate="pointwise"
    ... )
    >>> policy.accepted, policy.errors, policy.threshold1
    (400, 0, None)
    """
    score1, wrong1 = uncertainties("uncertainty1", uncertainty1), binary("is_error1", is_error1)
    score2, wrong2 = uncertainties("uncertainty2", uncertainty2), binary("is_error2", is_error2)
    same_length(uncertainty1=score1, is_error1=wrong1, uncertainty2=score2, is_error2=wrong2)
    target, miss = open_unit("alpha", alpha), open_unit("delta", delta)
    choice("certificate", certificate, CERTIFICATES)
    choice("prefer", prefer, PREFERENCES)
    if prefer == "retrieval" and certificate != "fixed-sequence":
        raise ValueError(
            "'prefer' must be 'coverage' unless 'certificate' is 'fixed-sequence': only there all "
            f"pairs certified on the way hold at once; got certificate {certificate!r}."
        )
    others = None
    if reference is not None:
        others1 = uncertainties("reference[0]", reference[0])
        others2 = uncertainties("reference[1]", reference[1])
        same_length(**{"reference[0]": others1, "reference[1]": others2})
        others = (others1, others2)
    calibrator = PairCalibrator(score1, wrong1, score2, wrong2, reference=others, seed=seed)
    return calibrator.policy(alpha=target, delta=miss, certificate=certificate, prefer=prefer)
