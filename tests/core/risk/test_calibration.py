from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.risk.bounds import errors_allowed, max_errors, min_accepted, risk_upper
from core.risk.calibration import calibrate_joint, calibrate_single
from core.risk.certification import CERTIFICATES, bonferroni_level, hold_out
from core.risk.routing import evaluate
from tests.core.risk import brute
from tests.core.risk.test_search import columns, record

ALL = pytest.mark.parametrize("certificate", CERTIFICATES)
N = 400
GRID = np.arange(N) / N


def simulated(n=2000, seed=0):
    random = np.random.default_rng(seed)
    u1, u2 = random.random((2, n))
    e1, e2 = random.random(n) < 0.15 + 0.4 * u1, random.random(n) < 0.05 + 0.35 * u2
    return u1, e1.astype(float), u2, e2.astype(float)


def brute_single(u, e, alpha, level):
    """The largest threshold that passes, looked for from the top."""
    for t in np.unique(u)[::-1]:
        m, w = int((u <= t).sum()), int(e[u <= t].sum())
        if risk_upper(w, m, level) <= alpha:
            return float(t), m, w
    return None, 0, 0


@pytest.mark.parametrize("certificate", ["pointwise", "bonferroni"])
@pytest.mark.parametrize("alpha", [0.1, 0.2, 0.3])
def test_calibrate_single_takes_the_largest_threshold_that_passes(certificate, alpha):
    u, e, _, _ = simulated(300)
    u = np.round(u, 2)
    policy = calibrate_single(u, e, alpha=alpha, delta=0.05, certificate=certificate)
    level = 0.05 if certificate == "pointwise" else 0.05 * (1 - alpha) / 301
    assert policy.level == pytest.approx(level)
    found = (policy.threshold1, policy.accepted, policy.errors)
    assert found == brute_single(u, e, alpha, level)


def test_calibrate_single_fixed_sequence_starts_at_a_tenth_and_stops_at_the_first_failure():
    # 40 right, then 60 wrong, then 300 right: only the start of the walk can pass.
    e = np.r_[np.zeros(40), np.ones(60), np.zeros(300)]
    policy = calibrate_single(GRID, e, alpha=0.3, delta=0.05)
    allowed = errors_allowed(N, 0.3, 0.05)
    stop = next(m for m in range(40, N) if max(0, m - 40) > allowed[m])
    assert (policy.accepted, policy.errors) == (stop - 1, stop - 41)
    assert policy.threshold1 == GRID[stop - 2]
    # Pointwise jumps over the failure.
    over = calibrate_single(GRID, e, alpha=0.3, delta=0.05, certificate="pointwise")
    assert over.accepted == N


def test_calibrate_single_starts_at_min_accepted_where_a_tenth_is_less():
    e = np.zeros(N)
    e[0] = 1  # with min_accepted records not even one error is allowed
    policy = calibrate_single(GRID, e, alpha=0.05, delta=0.05)
    assert min_accepted(0.05, 0.05) == 59 > N / 10
    assert not policy.accepts
    assert policy.reason.startswith("The first test takes the 59 surest records: 1 are wrong, 0")


def test_calibrate_single_reference_fixes_the_start():
    e = np.r_[np.zeros(200), np.ones(200)]
    # By these reference records a tenth lies at 0.9, where half the calibration records are wrong.
    policy = calibrate_single(GRID, e, alpha=0.2, delta=0.05, reference=np.full(50, 0.9))
    assert not policy.accepts
    assert calibrate_single(GRID, e, alpha=0.2, delta=0.05, reference=GRID).accepts


@settings(max_examples=60)
@given(st.lists(record, max_size=40), st.sampled_from([0.1, 0.3, 0.5]))
def test_calibrate_joint_equals_brute_force(rows, alpha):
    u1, e1, u2, e2 = columns(rows)
    n = len(u1)
    for certificate, level in (
        ("pointwise", 0.2),
        ("bonferroni", 0.2 * (1 - alpha) ** 2 / (n + 1) ** 2),
    ):
        policy = calibrate_joint(u1, e1, u2, e2, alpha=alpha, delta=0.2, certificate=certificate)
        m, w, t1, t2 = brute.pair(u1, e1, u2, e2, errors_allowed(n, alpha, level))
        assert (policy.accepted, policy.errors) == (m, w)
        assert (policy.threshold1, policy.threshold2) == (t1, t2)
        assert policy.accepts == (policy.reason is None) == (m > 0)


def brute_fixed_sequence(u1, e1, u2, e2, ref1, ref2, alpha, delta):
    """The walks as the text says them, on complete scores without ties."""
    n, q = len(u1), np.sort(ref1)
    firsts = [-np.inf, q[int(np.ceil(0.25 * len(q))) - 1], q[int(np.ceil(0.5 * len(q))) - 1]]
    level, found = delta / 3, [(0, 0, None)]
    need = min_accepted(alpha, level)
    share = 0.3 if need <= 0.3 * n else (need + 2 * np.sqrt(need)) / n
    for t1 in firsts:
        wanted = int(np.ceil(min(share, 1) * len(q))) - int((ref1 <= t1).sum())
        start = np.sort(ref2[ref1 > t1])[wanted - 1] if wanted > 0 else -np.inf
        for t2 in [start, *np.sort(u2[u2 > start])]:
            by1 = u1 <= t1
            by2 = ~by1 & (u2 <= t2)
            m, w = int(by1.sum() + by2.sum()), int(e1[by1].sum() + e2[by2].sum())
            if risk_upper(w, m, level) > alpha:
                break
            found.append((m, w, None if t1 == -np.inf else t1))
    return min(found, key=lambda one: (-one[0], one[1], -np.inf if one[2] is None else one[2]))


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("alpha", [0.12, 0.2, 0.3])
def test_calibrate_joint_fixed_sequence_walks_three_lines(seed, alpha):
    u1, e1, u2, e2 = simulated(300, seed)
    ref1, _, ref2, _ = simulated(80, seed + 100)
    policy = calibrate_joint(
        u1, e1, u2, e2, alpha=alpha, delta=0.1, reference=(ref1, ref2)
    )  # fmt: skip
    m, w, t1 = brute_fixed_sequence(u1, e1, u2, e2, ref1, ref2, alpha, 0.1)
    # A record that Mode 1 took can not move the second threshold: compare what is accepted.
    assert (policy.accepted, policy.errors, policy.threshold1) == (m, w, t1)
    report = evaluate(policy, u1, e1, u2, e2)
    assert (report.accepted, report.errors) == (m, w)
    assert policy.level == pytest.approx(0.1 / 3)
    assert policy.n_tested == policy.n_calib == 300


def test_calibrate_joint_sets_a_tenth_aside_without_reference():
    u1, e1, u2, e2 = simulated()
    policy = calibrate_joint(u1, e1, u2, e2, alpha=0.2, delta=0.05, seed=3)
    aside = hold_out(2000, 3)
    same = calibrate_joint(
        *(a[~aside] for a in (u1, e1, u2, e2)),
        alpha=0.2, delta=0.05, reference=(u1[aside], u2[aside]),
    )  # fmt: skip
    assert (policy.n_calib, policy.n_tested) == (2000, 1800)
    assert (policy.threshold1, policy.threshold2) == (same.threshold1, same.threshold2)
    assert policy.accepted == same.accepted > 0
    other = calibrate_joint(u1, e1, u2, e2, alpha=0.2, delta=0.05, seed=4)
    assert other.threshold2 != policy.threshold2


def test_prefer_retrieval_saves_retrievals_and_keeps_95_percent_of_the_coverage():
    u1, _, u2, _ = simulated()
    right = np.zeros(2000)
    ref = simulated(500, 9)[0], simulated(500, 9)[2]
    options = {"alpha": 0.1, "delta": 0.05, "reference": ref}
    most = calibrate_joint(u1, right, u2, right, **options)
    cheap = calibrate_joint(u1, right, u2, right, prefer="retrieval", **options)
    assert most.threshold1 is None  # all certified lines reach everything: the smaller threshold
    assert cheap.threshold1 == pytest.approx(np.median(ref[0]), abs=0.02)
    assert cheap.accepted >= 0.95 * most.accepted


def test_calibrate_joint_without_mode_2_is_mode_1_alone():
    u1, e1, _, _ = simulated()
    missing = np.full(2000, np.nan)
    pair = calibrate_joint(u1, e1, missing, missing, alpha=0.3, delta=0.05, reference=(u1, missing))
    single = calibrate_single(u1, e1, alpha=0.3, delta=0.05, reference=u1)
    assert pair.threshold2 is None
    assert (pair.threshold1, pair.accepted) == (single.threshold1, single.accepted)
    assert pair.level == 0.05


@ALL
def test_tied_uncertainties_are_accepted_together(certificate):
    u1 = np.repeat([0.0, 1.0], 500)
    e1 = np.r_[np.zeros(500), np.ones(250), np.zeros(250)]
    policy = calibrate_joint(
        u1, e1, np.full(1000, np.nan), np.full(1000, np.nan),
        alpha=0.2, delta=0.05, certificate=certificate, reference=(u1, np.full(1000, np.nan)),
    )  # fmt: skip
    assert (policy.threshold1, policy.accepted) == (0.0, 500)


@ALL
def test_order_of_the_records_changes_nothing(certificate):
    data = simulated(600)
    data = (np.round(data[0], 1), data[1], np.round(data[2], 1), data[3])
    order = np.random.default_rng(1).permutation(600)
    options = {
        "alpha": 0.2, "delta": 0.05, "certificate": certificate, "reference": (data[0], data[2]),
    }  # fmt: skip
    assert calibrate_joint(*data, **options) == calibrate_joint(
        *(a[order] for a in data), **options
    )


@ALL
def test_unscored_records_stay_in_n_and_are_never_accepted(certificate):
    u1, e1, u2, e2 = simulated(3000)
    u1[:1000], e2[500:1500] = np.nan, np.nan
    policy = calibrate_joint(u1, e1, u2, e2, alpha=0.3, delta=0.05, certificate=certificate)
    report = evaluate(policy, u1, e1, u2, e2)
    assert policy.n_calib == report.n == 3000
    assert 0 < report.accepted <= 2500  # 500 records have neither mode
    everything = calibrate_joint(u1, e1, u2, e2, alpha=0.99, delta=0.05, certificate=certificate)
    assert everything.accepted <= 2500


@ALL
@pytest.mark.parametrize("case", ["all wrong", "none", "unscored", "too few"])
def test_where_nothing_can_be_accepted_the_policy_says_why(certificate, case):
    n = {"none": 0, "too few": 20}.get(case, 500)
    u = np.full(n, np.nan) if case == "unscored" else np.arange(n) / 500
    e = np.ones(n) if case == "all wrong" else np.zeros(n)
    for policy in (
        calibrate_joint(u, e, u, e, alpha=0.1, delta=0.05, certificate=certificate),
        calibrate_single(u, e, alpha=0.1, delta=0.05, certificate=certificate),
    ):
        assert not policy.accepts
        assert (policy.accepted, policy.errors, policy.risk_upper) == (0, 0, 1.0)
        words = {
            "all wrong": "are wrong",
            "none": "No record has both a verdict and an uncertainty",
            "unscored": "No record has both a verdict and an uncertainty",
            "too few": "accepted records without an error are needed at α = 10%",
        }[case]
        assert words in policy.reason


def test_the_bound_of_an_accepted_policy_is_within_alpha():
    for certificate in CERTIFICATES:
        policy = calibrate_joint(*simulated(), alpha=0.2, delta=0.05, certificate=certificate)
        assert policy.errors / policy.accepted < policy.risk_upper <= 0.2
        assert policy.errors <= max_errors(policy.accepted, 0.2, policy.level)


def test_bonferroni_level_counts_none_and_pays_for_the_records_that_set_thresholds():
    assert bonferroni_level(0.05, 0.2, 9, modes=2) == pytest.approx(0.05 * 0.64 / 100)
    assert bonferroni_level(0.05, 0.2, 9, modes=1) == pytest.approx(0.05 * 0.8 / 10)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"alpha": 0}, "'alpha' must be strictly between 0 and 1; got 0"),
        ({"delta": 2}, "'delta' must be strictly between 0 and 1; got 2"),
        ({"certificate": "exact"}, "'certificate' must be one of 'fixed-sequence', 'bonferroni'"),
        ({"prefer": "speed"}, "'prefer' must be one of 'coverage', 'retrieval'; got 'speed'"),
        ({"prefer": "retrieval", "certificate": "pointwise"}, "'prefer' must be 'coverage' unless"),
        ({"reference": ([0.1], [0.1, 0.2])}, r"'reference\[0\]' has 1, 'reference\[1\]' has 2"),
    ],
)
def test_bad_input_is_named(change, words):
    with pytest.raises(ValueError, match=words):
        calibrate_joint(*simulated(10), **{"alpha": 0.2, "delta": 0.05, **change})
