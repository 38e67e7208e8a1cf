"""Labelled records sorted once, to be calibrated at any number of targets.

A page that moves a target, or a loop over targets, asks the same records again and again; only the
table of allowed errors changes. `core.risk.calibration` is the plain way in.
"""

from __future__ import annotations

from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from core.risk.bounds import errors_allowed, min_accepted, risk_upper
from core.risk.certification import (
    START_PAIR,
    START_SINGLE,
    Tests,
    Walk,
    bonferroni_level,
    hold_out,
    n_passed,
    pair_walks,
    single_walk,
    start_share,
)
from core.risk.policy import RoutingPolicy
from core.risk.refusals import closest_test, first_test, single_modes
from core.risk.search import BestPair, SortedPair, best_pair, sort_pair
from core.validation import FloatArray

#: ``prefer="retrieval"`` keeps at least this share of the best coverage.
_KEPT = 0.95

_NOTHING = BestPair(None, None, 0, 0)


class SingleCalibrator:
    """One mode's labelled records; arguments as in `core.risk.calibration.calibrate_single`.

    Nothing is checked here.
    """

    def __init__(
        self, score: FloatArray, wrong: FloatArray, reference: FloatArray | None = None
    ) -> None:
        self.n = len(score)
        self._referred = reference is not None
        self._walk = single_walk(score, wrong, np.empty(0) if reference is None else reference)

    def policy(self, *, alpha: float, delta: float, certificate: str) -> RoutingPolicy:
        """Calibrate at one target; see `core.risk.calibration.calibrate_single`."""
        level = delta
        if certificate == "bonferroni":
            level = bonferroni_level(delta, alpha, self.n, modes=1)
        allowed = errors_allowed(self.n, alpha, level)
        every = self._walk.every
        if certificate == "fixed-sequence":
            tests = [self._walk.tests(self._start(alpha, level))]
            best, reason = _walked(tests, allowed, alpha, level, "coverage")
        else:
            passed = np.flatnonzero(every.errors <= allowed[every.accepted])
            best = _pick(every, int(passed[-1])) if passed.size else _NOTHING
            reason = None if passed.size else closest_test([every], allowed, alpha, level)
        return _policy(best, reason, alpha, delta, certificate, level, self.n, self.n)

    def _start(self, alpha: float, level: float) -> float:
        if self._referred:
            return self._walk.start(start_share(self.n, alpha, level, START_SINGLE))
        # Without other records: the first threshold that accepts enough of these.
        every = self._walk.every
        least = max(min_accepted(alpha, level), START_SINGLE * self.n)
        enough = np.flatnonzero(every.accepted >= least)
        return float(every.threshold1[enough[0] if enough.size else -1])


class PairCalibrator:
    """Both modes' labelled records; arguments as in `core.risk.calibration.calibrate_joint`.

    Nothing is checked here.
    """

    def __init__(
        self,
        score1: FloatArray,
        wrong1: FloatArray,
        score2: FloatArray,
        wrong2: FloatArray,
        *,
        reference: tuple[FloatArray, FloatArray] | None = None,
        seed: int = 0,
    ) -> None:
        self.n = len(score1)
        self._modes = (score1, wrong1, score2, wrong2)
        self._reference = reference
        self._seed = seed

    @cached_property
    def _pair(self) -> SortedPair:
        return sort_pair(*self._modes)

    @cached_property
    def _walks(self) -> list[Walk]:
        if self._reference is not None:
            return pair_walks(*self._modes, *self._reference)
        aside = hold_out(self.n, self._seed)
        score1, wrong1, score2, wrong2 = self._modes
        tested = (score1[~aside], wrong1[~aside], score2[~aside], wrong2[~aside])
        return pair_walks(*tested, score1[aside], score2[aside])

    @property
    def n_tested(self) -> int:
        """Records whose labels ``fixed-sequence`` uses."""
        return self.n if self._reference is not None else int((~hold_out(self.n, self._seed)).sum())

    def policy(
        self, *, alpha: float, delta: float, certificate: str, prefer: str = "coverage"
    ) -> RoutingPolicy:
        """Calibrate at one target; see `core.risk.calibration.calibrate_joint`."""
        if certificate == "fixed-sequence":
            return self._fixed_sequence(alpha, delta, prefer)
        level = delta
        if certificate == "bonferroni":
            level = bonferroni_level(delta, alpha, self.n, modes=2)
        allowed = errors_allowed(self.n, alpha, level)
        best = best_pair(self._pair, allowed, alpha)
        reason = None
        if not best.accepted:
            reason = closest_test(single_modes(self._pair), allowed, alpha, level)
        return _policy(best, reason, alpha, delta, certificate, level, self.n, self.n)

    def _fixed_sequence(self, alpha: float, delta: float, prefer: str) -> RoutingPolicy:
        n = self.n_tested
        level = delta / max(len(self._walks), 1)
        allowed = errors_allowed(n, alpha, level)
        tests = []
        for walk in self._walks:
            least = START_SINGLE if walk.rising == 1 else START_PAIR
            tests.append(walk.tests(walk.start(start_share(n, alpha, level, least))))
        best, reason = _walked(tests, allowed, alpha, level, prefer)
        return _policy(best, reason, alpha, delta, "fixed-sequence", level, self.n, n)


def _walked(
    tests: list[Tests], allowed: NDArray[np.int32], alpha: float, level: float, prefer: str
) -> tuple[BestPair, str | None]:
    """Choose among the pairs that the walks certified; all of them hold at once."""
    certified: list[tuple[int, BestPair]] = []
    for walk in tests:
        passed = n_passed(walk, allowed)
        for place in {0, passed - 1} if passed else ():  # the last pair, and that without Mode 2
            alone = walk.threshold2[place] == -np.inf
            certified.append((0 if alone else walk.retrievals, _pick(walk, place)))
    if not certified:
        return _NOTHING, first_test(tests, allowed, alpha, level)
    most = max(pair.accepted for _, pair in certified)
    if prefer == "retrieval":
        enough = [(calls, pair) for calls, pair in certified if pair.accepted >= _KEPT * most]
        fewest = min(calls for calls, _ in enough)
        certified = [(calls, pair) for calls, pair in enough if calls == fewest]
    return min((pair for _, pair in certified), key=_rank), None


def _rank(pair: BestPair) -> tuple[float, ...]:
    """Order pairs: most accepted, fewest errors, smaller first, then smaller second threshold."""
    first = -np.inf if pair.threshold1 is None else pair.threshold1
    second = -np.inf if pair.threshold2 is None else pair.threshold2
    return (-pair.accepted, pair.errors, first, second)


def _pick(tests: Tests, place: int) -> BestPair:
    first, second = float(tests.threshold1[place]), float(tests.threshold2[place])
    return BestPair(
        threshold1=None if first == -np.inf else first,
        threshold2=None if second == -np.inf else second,
        accepted=int(tests.accepted[place]),
        errors=int(tests.errors[place]),
    )


def _policy(
    best: BestPair,
    reason: str | None,
    alpha: float,
    delta: float,
    certificate: str,
    level: float,
    n_calib: int,
    n_tested: int,
) -> RoutingPolicy:
    return RoutingPolicy(
        threshold1=best.threshold1,
        threshold2=best.threshold2,
        alpha=alpha,
        delta=delta,
        certificate=certificate,
        accepted=best.accepted,
        errors=best.errors,
        risk_upper=float(risk_upper(best.errors, best.accepted, level)),
        n_calib=n_calib,
        reason=reason,
        n_tested=n_tested,
        level=level,
    )
