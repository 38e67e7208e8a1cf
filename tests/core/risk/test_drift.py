from __future__ import annotations

import numpy as np
import pytest

from core.risk.drift import drift_by_split, drift_splits, jaccard, ranked_jaccard
from tests.core.risk.test_calibration import simulated

OPTIONS = {"alpha": 0.3, "delta": 0.05, "n_splits": 20, "seed": 0}


def test_jaccards_by_hand():
    assert ranked_jaccard("abc", "abc") == jaccard("abc", "abc") == 1.0
    assert ranked_jaccard("abc", "acb") == pytest.approx(1 / 5)
    assert jaccard("abc", "acb") == 1.0
    assert ranked_jaccard("abc", "abd") == jaccard("abc", "abd") == 0.5
    assert ranked_jaccard("abc", "a") == jaccard("abc", "a") == pytest.approx(1 / 3)
    assert ranked_jaccard("", "") == jaccard("", "") == 1.0
    assert ranked_jaccard("ab", "") == jaccard("ab", "") == 0.0


def test_no_change_is_no_drift():
    u1, e1, u2, e2 = simulated(1000)
    report = drift_splits(u1, e1, u2, e2, u2, e2, **OPTIONS)
    assert (report.coverage_change, report.risk_change) == (0.0, 0.0)
    assert (report.risk_low, report.risk_high) == (0.0, 0.0)
    assert report.coverage_before == report.coverage_after > 0.5
    assert report.advice == "keep"


def test_stopped_after_some_splits_is_the_report_over_those():
    u1, e1, u2, e2 = simulated(400)
    so_far = list(drift_by_split(u1, e1, u2, e2, u2 / 2, e2, **{**OPTIONS, "n_splits": 5}))
    assert [report.n_splits for report in so_far] == [1, 2, 3, 4, 5]
    assert so_far[2] == drift_splits(u1, e1, u2, e2, u2 / 2, e2, **{**OPTIONS, "n_splits": 3})


def test_evidence_that_got_worse_is_seen():
    u1, e1, u2, e2 = simulated(1000)
    worse = np.maximum(e2, (np.arange(1000) % 3 == 0).astype(float))
    report = drift_splits(u1, e1, u2, e2, u2, worse, **OPTIONS)
    assert report.coverage_change == 0.0
    assert report.risk_low > 0
    assert report.risk_after - report.risk_before == pytest.approx(report.risk_change)
    assert report.advice == "recalibrate"


def test_surer_evidence_raises_coverage():
    u1, e1, u2, e2 = simulated(1000)
    report = drift_splits(u1, e1, u2, e2, u2 / 2, e2, **{**OPTIONS, "alpha": 0.2})
    assert report.coverage_low > 0


def test_where_nothing_is_accepted_there_is_no_risk():
    u1, e1, u2, e2 = simulated(300)
    report = drift_splits(u1, e1, u2, e2, u2, e2, **{**OPTIONS, "alpha": 0.01})
    assert (report.risk_before, report.risk_after, report.risk_change) == (None, None, None)
    assert report.advice == "watch"


def test_intervals_hold_the_change_as_often_as_they_say():
    # Truth: the second snapshot errs 0.06 more often everywhere, at unchanged uncertainty.
    random = np.random.default_rng(0)
    inside, repeats = 0, 120
    for repeat in range(repeats):
        _, _, u2, e2 = simulated(500, seed=repeat)
        after = np.where((e2 == 0) & (random.random(500) < 0.06), 1.0, e2)
        policy_like = drift_splits(
            np.full(500, np.nan), np.full(500, np.nan), u2, e2, u2, after,
            alpha=0.45, delta=0.05, n_splits=4, seed=repeat,
        )  # fmt: skip
        # Everything is accepted at this target: the true change is .06 (1 - E[error]).
        truth = 0.06 * (1 - (0.05 + 0.35 / 2))
        inside += policy_like.risk_low <= truth <= policy_like.risk_high
    assert inside / repeats >= 0.95 - 3.5 * np.sqrt(0.95 * 0.05 / repeats)


def test_bad_input_is_named():
    u1, e1, u2, e2 = simulated(10)
    with pytest.raises(ValueError, match="same length"):
        drift_splits(u1, e1, u2, e2, u2[:5], e2, **OPTIONS)
    with pytest.raises(ValueError, match="at least two labelled records; got 1"):
        drift_splits(*(a[:1] for a in (u1, e1, u2, e2, u2, e2)), **OPTIONS)


def test_few_decided_records_are_no_reason_to_keep() -> None:
    random = np.random.default_rng(0)
    n = 300
    u, wrong = random.random(n), np.zeros(n)
    wrong[u > 0.5] = random.random((u > 0.5).sum()) < 0.5
    # Later the judge is unsure nearly everywhere, and right on the few records left.
    after = np.where(np.arange(n) < 4, 0.0, 2.0)
    report = drift_splits(
        np.full(n, np.nan), np.full(n, np.nan), u, wrong, after, np.zeros(n),
        alpha=0.15, delta=0.05, certificate="pointwise", n_splits=50, seed=1,
    )  # fmt: skip
    assert report.risk_after == 0
    assert report.risk_after_high > 0.4
    assert report.advice == "watch"
