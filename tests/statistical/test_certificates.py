"""Do the certificates keep what they promise? Truth is known here, in closed form."""

from __future__ import annotations

import numpy as np
import pytest

from core.risk.calibration import calibrate_joint, calibrate_single
from core.risk.policy import RoutingPolicy

ALPHA, DELTA, N, REPEATS = 0.20, 0.05, 1000, 1000
#: 3.5 binomial standard errors of a share of DELTA over the repeats.
TOLERANCE = 3.5 * np.sqrt(DELTA * (1 - DELTA) / REPEATS)

#: The chance of an error at uncertainty u is a + b u, in Mode 1 and in Mode 2. Uncertainties are
#: uniform on [0, 1] and independent, so the risk of any pair of thresholds is an integral by hand.
COHORTS = {
    "hard": ((0.30, 0.20), (0.17, 0.08)),  # risk passes alpha where it rises slowly
    "useless": ((0.201, 0.0), (0.201, 0.0)),  # just above alpha everywhere: accepting is missing
    "falling": ((0.28, -0.12), (0.26, -0.10)),  # the surest are the worst
}


def draw(cohort: str, random: np.random.Generator, n: int):
    (a1, b1), (a2, b2) = COHORTS[cohort]
    u1, u2 = random.random((2, n))
    e1, e2 = random.random(n) < a1 + b1 * u1, random.random(n) < a2 + b2 * u2
    return u1, e1.astype(float), u2, e2.astype(float)


def true_risk(cohort: str, policy: RoutingPolicy) -> float:
    (a1, b1), (a2, b2) = COHORTS[cohort]
    t1 = 0.0 if policy.threshold1 is None else policy.threshold1
    t2 = 0.0 if policy.threshold2 is None else policy.threshold2
    wrong1 = a1 * t1 + b1 * t1**2 / 2
    wrong2 = (1 - t1) * (a2 * t2 + b2 * t2**2 / 2)
    return (wrong1 + wrong2) / (t1 + (1 - t1) * t2)


def share_of_misses(cohort: str, seed: int, repeats: int = REPEATS, **options) -> float:
    random = np.random.default_rng(seed)
    missed = 0
    for repeat in range(repeats):
        policy = calibrate_joint(
            *draw(cohort, random, N), alpha=ALPHA, delta=DELTA, seed=repeat, **options
        )
        missed += policy.accepts and true_risk(cohort, policy) > ALPHA
    return missed / repeats


@pytest.mark.parametrize("cohort", COHORTS)
def test_fixed_sequence_misses_alpha_no_more_often_than_promised(cohort):
    assert share_of_misses(cohort, 1) <= DELTA + TOLERANCE


@pytest.mark.parametrize("cohort", COHORTS)
def test_fixed_sequence_that_prefers_few_retrievals_keeps_the_promise(cohort):
    assert share_of_misses(cohort, 2, prefer="retrieval") <= DELTA + TOLERANCE


@pytest.mark.parametrize("cohort", COHORTS)
def test_bonferroni_misses_alpha_no_more_often_than_promised(cohort):
    assert share_of_misses(cohort, 3, certificate="bonferroni") <= DELTA + TOLERANCE


def test_pointwise_misses_alpha_far_more_often_than_its_bound_says():
    # By how much: two to five times as often on the hard cohort, six to fifteen on the useless.
    hard = share_of_misses("hard", 4, certificate="pointwise")
    useless = share_of_misses("useless", 4, certificate="pointwise")
    assert 2 * DELTA < hard < 5 * DELTA, hard
    assert 6 * DELTA < useless < 15 * DELTA, useless


@pytest.mark.parametrize("cohort", ["useless", "falling"])
@pytest.mark.parametrize(
    ("certificate", "referred", "promise"),
    [
        ("fixed-sequence", True, DELTA),
        ("fixed-sequence", False, DELTA / (1 - ALPHA)),  # the start comes from the same records
        ("bonferroni", False, DELTA),
    ],
)
def test_single_mode_keeps_the_promise(cohort, certificate, referred, promise):
    random = np.random.default_rng(5)
    (a, b), _ = COHORTS[cohort]
    missed = 0
    for _ in range(REPEATS):
        u, e, _, _ = draw(cohort, random, N)
        reference = random.random(100) if referred else None
        policy = calibrate_single(
            u, e, alpha=ALPHA, delta=DELTA, certificate=certificate, reference=reference
        )
        missed += policy.accepts and a + b * policy.threshold1 / 2 > ALPHA
    assert missed / REPEATS <= promise + TOLERANCE
