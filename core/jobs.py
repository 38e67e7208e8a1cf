"""The routing job, for the page and the terminal alike: records in, a certified policy out.

Joins `core.store` (whose arrays it takes) and `core.risk` (whose functions it calls).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Protocol

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from core.caveats import caveat
from core.risk.calibration import PREFERENCES
from core.risk.calibrators import PairCalibrator, SingleCalibrator
from core.risk.certification import CERTIFICATES, hold_out
from core.risk.policy import RoutingPolicy
from core.risk.routing import Route, route
from core.store.records import JudgedRecords
from core.validation import choice, open_unit

MODES = ("both", "1", "2")

#: From this many unlabelled records on, they fix where the tests start, and every labelled record
#: is tested; with fewer, a tenth of the labelled ones is set aside for that.
MIN_REFERENCE = 100

ROUTE_NAMES = {Route.MODE1: "Mode 1", Route.MODE2: "Mode 2", Route.ABSTAIN: "to a person"}

#: What each certificate promises, in a sentence for somebody who has not read the formulas.
PROMISES = {
    "fixed-sequence": (
        "The true risk of what the judge decides is at most α, with confidence 1 − δ: the order of "
        "the tests was fixed before any label was looked at."
    ),
    "bonferroni": (
        "The true risk of what the judge decides is at most α, with confidence 1 − δ: every pair "
        "of thresholds that could have been tried is paid for, which makes it far more cautious."
    ),
    "pointwise": (
        "No guarantee for the thresholds chosen: they are picked and checked on the same records, "
        "and the bound holds only for thresholds fixed beforehand."
    ),
}


@dataclass(frozen=True)
class RoutingRequest:
    """What is asked of a judge: a target risk, and how it may be met.

    Attributes
    ----------
    alpha, delta : float
        Target risk, and the allowed probability of missing it.
    mode : {"both", "1", "2"}
        Both modes, or one of them alone.
    certificate : {"fixed-sequence", "bonferroni", "pointwise"}
    prefer : {"coverage", "retrieval"}
        "retrieval" needs both modes and the fixed-sequence certificate.
    seed : int
        Chooses the records set aside where there are too few unlabelled ones.

    Raises
    ------
    ValueError
        If a value is outside its range or an unknown choice.
    """

    alpha: float
    delta: float
    mode: str = "both"
    certificate: str = "fixed-sequence"
    prefer: str = "coverage"
    seed: int = 0

    def __post_init__(self) -> None:
        open_unit("alpha", self.alpha)
        open_unit("delta", self.delta)
        choice("mode", self.mode, MODES)
        choice("certificate", self.certificate, CERTIFICATES)
        choice("prefer", self.prefer, PREFERENCES)
        if self.prefer == "retrieval" and (
            self.certificate != "fixed-sequence" or self.mode != "both"
        ):
            raise ValueError(
                "'prefer' must be 'coverage' unless mode is 'both' and certificate is "
                f"'fixed-sequence'; got mode {self.mode!r}, certificate {self.certificate!r}."
            )


@dataclass(frozen=True, eq=False)
class RoutingRun:
    """A policy and what it does with every record of the selection.

    Attributes
    ----------
    request : RoutingRequest
    policy : RoutingPolicy
        Its counts and bound are over the records that the certificate tested.
    n, n_labelled : int
        Records, and those with a label.
    n_scored1, n_scored2 : int
        Records with a verdict and an uncertainty in each mode.
    route : int8 array of shape (n,)
        Values of `core.risk.routing.Route`.
    coverage, share1, share2, share_abstain : float
        Shares of n.
    retrieval_calls : int
        Records that would have to be looked up: those Mode 1 leaves, where Mode 2 is used at all.
    retrievals_avoided : int
        n - retrieval_calls.
    reference_source : str
        Which records fixed where the tests start.
    caveat : str or None
        Why the certificate can promise nothing on these records, whatever it found.
    """

    request: RoutingRequest
    policy: RoutingPolicy
    n: int
    n_labelled: int
    n_scored1: int
    n_scored2: int
    route: NDArray[np.int8]
    coverage: float
    share1: float
    share2: float
    share_abstain: float
    retrieval_calls: int
    retrievals_avoided: int
    reference_source: str
    caveat: str | None


class _Calibrate(Protocol):
    def __call__(self, request: RoutingRequest) -> RoutingPolicy: ...


class RoutingJob:
    """One judge's records, sorted once, for any number of requests in one mode.

    Parameters
    ----------
    records : JudgedRecords
        Labelled records calibrate; all of them are routed.
    mode : {"both", "1", "2"}
    seed : int
        As in `RoutingRequest`.
    """

    def __init__(self, records: JudgedRecords, mode: str = "both", seed: int = 0) -> None:
        self.records = records
        self.mode = choice("mode", mode, MODES)
        self.seed = seed
        self._labelled = records.labelled
        n_labelled = int(self._labelled.sum())
        others = ~self._labelled
        self._by_unlabelled = int(others.sum()) >= MIN_REFERENCE
        if self._by_unlabelled:
            self._source = f"{int(others.sum()):,} unlabelled records fixed where the tests start"
        else:
            aside = int(hold_out(n_labelled, seed).sum())
            self._source = (
                f"a random tenth of the labelled records ({aside:,}) fixed where the tests start; "
                "the tests leave them out"
            )
        self._calibrate = self._pair() if mode == "both" else self._single()

    def run(self, request: RoutingRequest) -> RoutingRun:
        """Calibrate at ``request`` and route every record.

        Raises
        ------
        ValueError
            If the request is for another mode or seed than this job was prepared for.
        """
        if (request.mode, request.seed) != (self.mode, self.seed):
            raise ValueError(
                f"'request' must have mode {self.mode!r} and seed {self.seed}, as the job has; got "
                f"{request.mode!r} and {request.seed}."
            )
        records = self.records
        policy = self._calibrate(request)
        routes = route_records(records, policy)
        by1 = int(np.count_nonzero(routes == Route.MODE1))
        by2 = int(np.count_nonzero(routes == Route.MODE2))
        n = records.n
        calls = n - by1 if policy.threshold2 is not None else 0
        total = max(n, 1)
        by_walk = request.certificate == "fixed-sequence"
        return RoutingRun(
            request=request,
            policy=policy,
            n=n,
            n_labelled=int(self._labelled.sum()),
            n_scored1=int((~np.isnan(records.uncertainty1)).sum()),
            n_scored2=int((~np.isnan(records.uncertainty2)).sum()),
            route=routes,
            coverage=(by1 + by2) / total,
            share1=by1 / total,
            share2=by2 / total,
            share_abstain=(n - by1 - by2) / total,
            retrieval_calls=calls,
            retrievals_avoided=n - calls,
            reference_source=self._source if by_walk else "every labelled record is tested",
            caveat=caveat(records),
        )

    def sweep(self, request: RoutingRequest, alphas: Sequence[float]) -> pd.DataFrame:
        """Run ``request`` at each of ``alphas``; see `alpha_sweep`."""
        rows = []
        for alpha in alphas:
            run = self.run(replace(request, alpha=alpha))
            accepted = run.policy.accepted
            rows.append(
                {
                    "alpha": alpha,
                    "coverage": run.coverage,
                    "share_mode1": run.share1,
                    "share_mode2": run.share2,
                    "share_abstain": run.share_abstain,
                    "risk": run.policy.errors / accepted if accepted else np.nan,
                    "risk_upper": run.policy.risk_upper,
                }
            )
        return pd.DataFrame(rows)

    def _pair(self) -> _Calibrate:
        records, labelled = self.records, self._labelled
        reference = None
        if self._by_unlabelled:
            reference = (records.uncertainty1[~labelled], records.uncertainty2[~labelled])
        calibrator = PairCalibrator(
            records.uncertainty1[labelled],
            records.is_error1[labelled],
            records.uncertainty2[labelled],
            records.is_error2[labelled],
            reference=reference,
            seed=self.seed,
        )
        return lambda request: calibrator.policy(
            alpha=request.alpha,
            delta=request.delta,
            certificate=request.certificate,
            prefer=request.prefer,
        )

    def _single(self) -> _Calibrate:
        records, labelled = self.records, self._labelled
        first = self.mode == "1"
        every = records.uncertainty1 if first else records.uncertainty2
        score = every[labelled]
        wrong = (records.is_error1 if first else records.is_error2)[labelled]
        whole = SingleCalibrator(score, wrong)
        if self._by_unlabelled:
            walked = SingleCalibrator(score, wrong, every[~labelled])
        else:
            aside = hold_out(len(score), self.seed)
            walked = SingleCalibrator(score[~aside], wrong[~aside], score[aside])

        def calibrate(request: RoutingRequest) -> RoutingPolicy:
            by_walk = request.certificate == "fixed-sequence"
            policy = (walked if by_walk else whole).policy(
                alpha=request.alpha, delta=request.delta, certificate=request.certificate
            )
            policy = replace(policy, n_calib=len(score))
            if first:
                return policy
            return replace(policy, threshold1=None, threshold2=policy.threshold1)

        return calibrate


def guaranteed(run: RoutingRun) -> bool:
    """Tell whether the certificate promises anything for the thresholds of a run."""
    valid = run.policy.certificate != "pointwise"
    return valid and run.policy.accepts and run.caveat is None


def promise(run: RoutingRun) -> str:
    """Say what a run promises, in a sentence for somebody who has not read the formulas."""
    if not run.policy.accepts:
        return "Nothing is promised, since nothing is accepted: every record goes to a person."
    if run.caveat is not None:
        return f"Nothing is promised. {run.caveat}"
    return PROMISES[run.policy.certificate]


def run_routing(records: JudgedRecords, request: RoutingRequest) -> RoutingRun:
    """Calibrate on the labelled records at ``request`` and route all of them.

    Parameters
    ----------
    records : JudgedRecords
        Of `core.store.records.load_judged`: ordered by id, so that the result does not depend on
        the order of a file.
    request : RoutingRequest

    Returns
    -------
    RoutingRun
    """
    return RoutingJob(records, request.mode, request.seed).run(request)


def alpha_sweep(
    records: JudgedRecords, request: RoutingRequest, alphas: Sequence[float]
) -> pd.DataFrame:
    """Run ``request`` at each target risk, its own one aside.

    Returns
    -------
    DataFrame
        A row an alpha: alpha, coverage, share_mode1, share_mode2, share_abstain, risk (NaN where
        nothing is accepted), risk_upper. Every row is certified alone: choosing the alpha after
        looking at the rows is not covered by the certificate.
    """
    return RoutingJob(records, request.mode, request.seed).sweep(request, alphas)


def smallest_alpha(sweep: pd.DataFrame) -> float | None:
    """Give the smallest target risk of a sweep at which something is accepted, or None."""
    works = sweep.loc[sweep["coverage"] > 0, "alpha"]
    return float(works.min()) if len(works) else None


def route_records(records: JudgedRecords, policy: RoutingPolicy) -> NDArray[np.int8]:
    """Route records, calibrated on or new, through a policy; values of `Route`, shape (n,)."""
    return route(policy, records.uncertainty1, records.uncertainty2)


def routed_table(records: JudgedRecords, routes: NDArray[np.int8]) -> pd.DataFrame:
    """List every record with its route and the verdict that decides it.

    Parameters
    ----------
    records : JudgedRecords
    routes : int8 array of shape (n,)
        Of a `RoutingRun`, or of `route_records`.

    Returns
    -------
    DataFrame
        id, route ("Mode 1", "Mode 2", "to a person"), verdict (of the deciding mode; missing for a
        person), verdict1, uncertainty1, verdict2, uncertainty2, label.
    """
    decided = np.select(
        [routes == Route.MODE1, routes == Route.MODE2],
        [records.verdict1, records.verdict2],
        np.nan,
    )
    names = pd.Series(routes).map({int(key): name for key, name in ROUTE_NAMES.items()})
    return pd.DataFrame(
        {
            "id": pd.Series(records.item_id, dtype="str"),
            "route": names.astype("str"),
            "verdict": _truth(decided),
            "verdict1": _truth(records.verdict1),
            "uncertainty1": records.uncertainty1,
            "verdict2": _truth(records.verdict2),
            "uncertainty2": records.uncertainty2,
            "label": _truth(records.human),
        }
    )


def _truth(values: NDArray[np.float64]) -> pd.Series[bool]:
    return pd.Series(values).astype("boolean")
