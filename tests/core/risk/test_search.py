from __future__ import annotations

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from core.risk import search
from core.risk.bounds import errors_allowed
from core.risk.search import best_pair, sort_pair
from tests.core.risk import brute

score = st.one_of(st.integers(0, 5).map(float), st.just(np.nan), st.floats(0, 1))
error = st.sampled_from([0.0, 0.0, 0.0, 1.0, np.nan])
record = st.tuples(score, error, score, error)


def columns(rows):
    return np.array(rows, dtype=float).reshape(-1, 4).T


@settings(max_examples=400)
@given(
    st.lists(record, max_size=60),
    st.sampled_from([0.01, 0.1, 0.2, 0.3, 0.5, 0.8]),
    st.sampled_from([0.01, 0.05, 0.2, 0.5]),
)
@example([], 0.2, 0.05)
@example([(0.5, 1.0, 0.5, 1.0)] * 30, 0.2, 0.05)  # all wrong
@example([(0.5, 0.0, 0.5, 0.0)] * 30, 0.2, 0.05)  # all right, all tied
@example([(np.nan, 0.0, np.nan, 0.0)] * 30, 0.2, 0.05)  # nothing scored
@example([(float(i), 0.0, np.nan, 0.0) for i in range(30)], 0.2, 0.05)  # one mode only
def test_best_pair_equals_brute_force(rows, alpha, delta):
    u1, e1, u2, e2 = columns(rows)
    allowed = errors_allowed(len(rows), alpha, delta)
    found = best_pair(sort_pair(u1, e1, u2, e2), allowed, alpha)
    expected = brute.pair(u1, e1, u2, e2, allowed)
    assert (found.accepted, found.errors, found.threshold1, found.threshold2) == expected


@pytest.mark.parametrize("seed", range(40))
def test_best_pair_equals_brute_force_where_luck_decides(seed):
    # Useless scores with a risk at alpha: the hardest case for passing nodes over.
    random = np.random.default_rng(seed)
    n = 60
    u1, u2 = random.integers(0, 40, n) / 40.0, random.random(n)
    e1, e2 = (random.random((2, n)) < 0.3).astype(float)
    allowed = errors_allowed(n, 0.3, 0.4)
    found = best_pair(sort_pair(u1, e1, u2, e2), allowed, 0.3)
    assert (
        found.accepted, found.errors, found.threshold1, found.threshold2
    ) == brute.pair(u1, e1, u2, e2, allowed)  # fmt: skip


def test_best_pair_prefers_fewer_errors_then_smaller_thresholds():
    # Both modes accept all 20 records; Mode 2 makes the fewer errors, so Mode 1 is not needed.
    u = np.repeat([1.0, 2.0], 10)
    one_wrong = np.r_[1.0, np.zeros(19)]
    found = best_pair(sort_pair(u, one_wrong, u, 0 * u), errors_allowed(20, 0.5, 0.05), 0.5)
    assert (found.accepted, found.errors) == (20, 0)
    assert (found.threshold1, found.threshold2) == (None, 2.0)


def test_best_pair_is_the_same_without_a_compiler(monkeypatch):
    random = np.random.default_rng(5)
    u1, u2 = random.random((2, 50))
    e1, e2 = (random.random((2, 50)) < 0.1).astype(float)
    pair, allowed = sort_pair(u1, e1, u2, e2), errors_allowed(50, 0.3, 0.1)
    fast = best_pair(pair, allowed, 0.3)
    for name in ("_sweep", "_plant", "_take", "_largest"):
        monkeypatch.setattr(search, name, getattr(search, name).py_func)
    assert best_pair(pair, allowed, 0.3) == fast
    assert fast.accepted > 0
