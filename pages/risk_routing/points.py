"""The points that the figures of this page draw, thinned to what a screen can show."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from core.jobs import RoutingRun
from core.risk.certification import hold_out
from core.risk.curves import RiskCoverageCurve, risk_coverage_curve
from core.store.records import JudgedRecords

#: Points of a curve, and records on the plane, that are drawn at most.
CURVE_POINTS = 1_000
PLANE_RECORDS = 1_000

FloatArray = NDArray[np.float64]


@dataclass(frozen=True)
class Curve:
    """A thinned risk–coverage curve; `of` is the number of records that coverage is a share of."""

    coverage: FloatArray
    risk: FloatArray
    accepted: NDArray[np.int64]
    errors: NDArray[np.int64]
    of: int

    def start_at(self, least: int) -> Curve:
        """The part that accepts at least `least` records: below it, risk is mostly noise."""
        kept = self.accepted >= least
        return Curve(
            self.coverage[kept], self.risk[kept], self.accepted[kept], self.errors[kept], self.of
        )


#: With fewer distinct uncertainties than this the plane says that ties are spread.
FEW_VALUES = 20


@dataclass(frozen=True)
class PlanePoints:
    """Records on the plane of both uncertainties, each axis the share that is surer.

    Attributes
    ----------
    x, y : arrays of shape (n_drawn,)
        Percentiles of Mode 1 and Mode 2 uncertainty, in [0, 1]; ties are spread over their range.
    route : array of int, shape (n_drawn,)
        1 and 2 for the mode that decides, 0 for a person.
    wrong : array of bool, shape (n_drawn,)
        The deciding verdict is known to be wrong.
    place : array of int, shape (n_drawn,)
        Position in the records.
    scored, n : int
        Records that both modes scored, and all of them.
    line1, line2 : float or None
        Percentile of each threshold; None where the mode accepts nothing.
    tied : bool
        A mode's uncertainty takes so few values that most of what is seen is spread by chance.
    """

    x: FloatArray
    y: FloatArray
    route: NDArray[np.int8]
    wrong: NDArray[np.bool_]
    place: NDArray[np.intp]
    scored: int
    n: int
    line1: float | None
    line2: float | None
    tied: bool


@dataclass(frozen=True)
class JudgeRow:
    """A judge's routing split at the page's settings; `chosen` is the page's own judge."""

    name: str
    label: str
    chosen: bool
    coverage: float
    share1: float
    share2: float
    share_abstain: float


def mode_curve(records: JudgedRecords, mode: int) -> Curve:
    """Risk against coverage of one mode alone, over the labelled records."""
    kept = records.labelled
    uncertainty, is_error = (
        (records.uncertainty1, records.is_error1)
        if mode == 1
        else (records.uncertainty2, records.is_error2)
    )
    return _thinned(risk_coverage_curve(uncertainty[kept], is_error[kept]), int(kept.sum()))


def chosen_curve(records: JudgedRecords, run: RoutingRun) -> Curve:
    """Risk against coverage of what the policy stands on, through its operating point.

    Over the records that the certificate tested. For both modes: Mode 1 up to the policy's first
    threshold, then Mode 2 for the rest while its threshold rises.
    """
    policy = run.policy
    kept = np.flatnonzero(records.labelled)
    if policy.n_tested < policy.n_calib:
        kept = kept[~hold_out(len(kept), run.request.seed)]
    u1, e1 = records.uncertainty1[kept], records.is_error1[kept]
    u2, e2 = records.uncertainty2[kept], records.is_error2[kept]
    if run.request.mode == "1":
        curve = risk_coverage_curve(u1, e1)
    elif run.request.mode == "2":
        curve = risk_coverage_curve(u2, e2)
    else:
        by_mode1 = u1 <= (-np.inf if policy.threshold1 is None else policy.threshold1)
        curve = _joined(
            risk_coverage_curve(u1[by_mode1], e1[by_mode1]),
            risk_coverage_curve(u2[~by_mode1], e2[~by_mode1]),
            len(kept),
        )
    return _thinned(curve, len(kept), keep=policy.accepted)


def plane_points(records: JudgedRecords, run: RoutingRun, *, seed: int = 0) -> PlanePoints:
    """A random sample of the records that both modes scored, on percentile axes."""
    u1, u2 = records.uncertainty1, records.uncertainty2
    both = ~(np.isnan(u1) | np.isnan(u2))
    rng = np.random.default_rng(seed)
    places = np.flatnonzero(both)
    drawn = places
    if len(places) > PLANE_RECORDS:
        drawn = np.sort(rng.choice(places, PLANE_RECORDS, replace=False))
    route = np.asarray(run.route)[drawn]
    deciding = np.select(
        [route == 1, route == 2], [records.is_error1[drawn], records.is_error2[drawn]], np.nan
    )
    return PlanePoints(
        x=_percentile(u1[both], u1[drawn], rng),
        y=_percentile(u2[both], u2[drawn], rng),
        route=route,
        wrong=deciding == 1,
        place=drawn,
        scored=len(places),
        n=records.n,
        line1=_line(u1[both], run.policy.threshold1),
        line2=_line(u2[both], run.policy.threshold2),
        tied=min(len(np.unique(u1[both])), len(np.unique(u2[both]))) < min(FEW_VALUES, len(places)),
    )


def _thinned(curve: RiskCoverageCurve, n: int, *, keep: int = 0) -> Curve:
    """At most `CURVE_POINTS` points, evenly over the accepted records, and the one at `keep`."""
    accepted = curve.accepted
    chosen = np.arange(len(accepted))
    if len(accepted) > CURVE_POINTS:
        targets = np.linspace(accepted[0], accepted[-1], CURVE_POINTS)
        chosen = np.searchsorted(accepted, targets).clip(max=len(accepted) - 1)
        chosen = np.union1d(chosen, np.flatnonzero(accepted == keep))
    return Curve(
        curve.coverage[chosen], curve.risk[chosen], accepted[chosen], curve.errors[chosen], n
    )


def _joined(first: RiskCoverageCurve, then: RiskCoverageCurve, n: int) -> RiskCoverageCurve:
    """A curve that goes on with `then` once all of `first` is accepted, as shares of n."""
    before = first.accepted[-1] if len(first.accepted) else 0
    wrong = first.errors[-1] if len(first.errors) else 0
    accepted = np.concatenate([first.accepted, then.accepted + before])
    errors = np.concatenate([first.errors, then.errors + wrong])
    return RiskCoverageCurve(
        threshold=np.concatenate([first.threshold, then.threshold]),
        coverage=accepted / max(n, 1),
        risk=errors / np.maximum(accepted, 1),
        accepted=accepted,
        errors=errors,
    )


def _percentile(everything: FloatArray, values: FloatArray, rng: np.random.Generator) -> FloatArray:
    """Share of `everything` that is smaller, with ties spread evenly over their range."""
    ordered = np.sort(everything)
    low = np.searchsorted(ordered, values, side="left")
    high = np.searchsorted(ordered, values, side="right")
    return (low + rng.random(len(values)) * (high - low)) / max(len(ordered), 1)


def _line(everything: FloatArray, threshold: float | None) -> float | None:
    if threshold is None or not len(everything):
        return None
    return float(np.mean(everything <= threshold))
