"""The three certificates: the level of one of their tests, and the walk that stays valid.

A bound that is right for thresholds fixed beforehand is not right for the best of many thresholds
tried on the same records. ``pointwise`` ignores that (the main choice of the JRA paper, arXiv
2608.17994); ``bonferroni`` pays for every pair that could have been tried; ``fixed-sequence`` fixes
the order of its tests beforehand and stops at the first that fails.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from core.risk.bounds import min_accepted
from core.risk.curves import tie_groups
from core.validation import FloatArray, IntArray

CERTIFICATES = ("fixed-sequence", "bonferroni", "pointwise")

#: Share of the records that the first test of a walk accepts, for a pair and for a single mode.
START_PAIR, START_SINGLE = 0.3, 0.1
#: Shares of the records at which a line fixes the first threshold, besides "none".
_LINES = (0.25, 0.5)
#: The share of the calibration records that fixes the lines where no other records can.
_HELD_OUT = 0.1


@dataclass(frozen=True)
class Tests:
    """The tests of one walk in their order: thresholds (-inf accepts nothing) and counts.

    ``retrievals`` is the number of records that need Mode 2 where the second threshold is not -inf.
    """

    threshold1: FloatArray
    threshold2: FloatArray
    accepted: IntArray
    errors: IntArray
    retrievals: int


@dataclass(frozen=True)
class Walk:
    """One line of tests, fixed by reference records before any label is looked at.

    With ``rising`` 2, Mode 1 accepts up to a fixed threshold while that of Mode 2 rises; with
    ``rising`` 1 the threshold of Mode 1 rises and Mode 2 is not used. ``every`` holds all places
    where the walk could start, the first of which accepts nothing in the rising mode;
    ``reference`` the sorted uncertainties, in that mode, of the reference records that the fixed
    threshold leaves over, ``n_taken`` how many it takes of ``n_reference``.
    """

    rising: int
    every: Tests
    reference: FloatArray
    n_taken: int
    n_reference: int

    def start(self, share: float) -> float:
        """Find the threshold that accepts ``share`` of the reference records.

        -inf where the fixed threshold accepts enough already, or leaves nothing that is scored;
        the largest reference uncertainty where even all are too few.
        """
        wanted = int(np.ceil(min(share, 1.0) * self.n_reference)) - self.n_taken
        if wanted <= 0 or not len(self.reference):
            return -np.inf
        return float(self.reference[min(wanted, len(self.reference)) - 1])

    def tests(self, start: float) -> Tests:
        """List the tests from ``start`` on, in the order they are made.

        Why stopping at the first failure is valid: to certify a threshold whose risk exceeds alpha,
        the walk must pass the first such threshold from its start on. That is a fixed number, and
        the errors below it are binomial, so the chance is at most the level of one test. That risk
        rises with uncertainty is not assumed.
        """
        rises = self.every.threshold1 if self.rising == 1 else self.every.threshold2
        at = int(np.searchsorted(rises, start, side="right")) - 1
        rises = rises[at:].copy()
        rises[0] = start  # the number that was fixed, not the nearest record below it
        fixed = self.every.threshold2 if self.rising == 1 else self.every.threshold1
        return Tests(
            threshold1=rises if self.rising == 1 else fixed[at:],
            threshold2=fixed[at:] if self.rising == 1 else rises,
            accepted=self.every.accepted[at:],
            errors=self.every.errors[at:],
            retrievals=self.every.retrievals,
        )


def bonferroni_level(delta: float, alpha: float, n: int, *, modes: int) -> float:
    """Give the level of one test when every threshold that ``n`` records offer may be tried.

    Each mode offers at most n thresholds and "none". A threshold is itself set by a record, which
    then is no random one of those accepted; leaving it out costs at most a factor 1 - alpha a mode,
    since P(Bin(m - 1) <= w) is at most P(Bin(m) <= w) / (1 - alpha).
    """
    return float(delta * ((1.0 - alpha) / (n + 1.0)) ** modes)


def hold_out(n: int, seed: int) -> NDArray[np.bool_]:
    """Choose the random tenth of ``n`` records that only fixes the lines and is not tested."""
    chosen = np.zeros(n, dtype=bool)
    chosen[np.random.default_rng(seed).permutation(n)[: int(np.ceil(_HELD_OUT * n))]] = True
    return chosen


def single_walk(score: FloatArray, wrong: FloatArray, reference: FloatArray) -> Walk:
    """Let Mode 1's threshold rise alone; arrays of shape (n,), (n,) and (n_reference,)."""
    threshold, accepted, errors = _rise(score, wrong)
    every = Tests(threshold, np.full(len(threshold), -np.inf), accepted, errors, retrievals=0)
    scored = np.sort(reference[~np.isnan(reference)])
    return Walk(1, every, scored, n_taken=0, n_reference=len(reference))


def pair_walks(
    score1: FloatArray,
    wrong1: FloatArray,
    score2: FloatArray,
    wrong2: FloatArray,
    reference1: FloatArray,
    reference2: FloatArray,
) -> list[Walk]:
    """Fix the walks of a pair from the uncertainties of records that are not tested.

    Parameters
    ----------
    score1, wrong1, score2, wrong2 : arrays of shape (n,)
        Both modes of the tested records; a NaN in score or error is unscored.
    reference1, reference2 : arrays of shape (n_reference,)
        Both modes' uncertainties of the reference records; NaN is unscored.

    Returns
    -------
    list of Walk
        One without Mode 1, and one for each distinct quarter and half of Mode 1's uncertainties.
        Where Mode 2 scored no reference record, one walk in which Mode 1 rises alone. Empty where
        neither mode scored any.
    """
    n_reference = len(reference1)
    scored = np.sort(reference1[~np.isnan(reference1)])
    if np.isnan(reference2).all():
        return [single_walk(score1, wrong1, reference1)] if len(scored) else []
    firsts = [-np.inf]
    for share in _LINES:
        place = int(np.ceil(share * n_reference)) - 1
        if place < len(scored) and scored[place] not in firsts:
            firsts.append(float(scored[place]))
    walks = []
    for first in firsts:
        taken = (score1 <= first) & ~np.isnan(wrong1)
        threshold, accepted, errors = _rise(score2[~taken], wrong2[~taken])
        every = Tests(
            threshold1=np.full(len(threshold), first),
            threshold2=threshold,
            accepted=accepted + int(taken.sum()),
            errors=errors + int(wrong1[taken].sum()),
            retrievals=int((~taken).sum()),
        )
        rest = reference2[~(reference1 <= first)]
        left = np.sort(rest[~np.isnan(rest)])
        walks.append(Walk(2, every, left, n_reference - len(rest), n_reference))
    return walks


def start_share(n: int, alpha: float, level: float, least: float) -> float:
    """Give the share of ``n`` records that the first test is to accept.

    At least ``least``, and enough for the test to be able to pass: the smallest size that allows no
    error, with two standard deviations for the luck of the draw where that size decides.
    """
    smallest = min_accepted(alpha, level)
    if smallest <= least * n:
        return least
    return float((smallest + 2.0 * np.sqrt(smallest)) / max(n, 1))


def n_passed(tests: Tests, allowed: NDArray[np.int32]) -> int:
    """Count the tests passed before the first failure."""
    failed = tests.errors > allowed[tests.accepted]
    return int(np.argmax(failed)) if failed.any() else len(failed)


def _rise(score: FloatArray, wrong: FloatArray) -> tuple[FloatArray, IntArray, IntArray]:
    """Let a threshold rise from -inf through the ties of the scored records."""
    order, ends = tie_groups(score, wrong)
    threshold = np.concatenate([[-np.inf], score[order][ends]])
    accepted = np.concatenate([[0], ends + 1]).astype(np.int64)
    errors = np.concatenate([[0.0], np.cumsum(wrong[order])[ends]]).astype(np.int64)
    return threshold, accepted, errors
