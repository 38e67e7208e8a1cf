from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from core.risk.bounds import errors_allowed, max_errors, min_accepted, risk_upper
from tests.core.risk import brute

levels = st.floats(1e-9, 0.999)


@pytest.mark.parametrize(("errors", "accepted"), [(0, 1), (1, 10), (5, 100), (99, 100), (7, 2000)])
@pytest.mark.parametrize("delta", [0.001, 0.05, 0.5])
def test_risk_upper_equals_scipys_exact_interval(errors, accepted, delta):
    peer = stats.binomtest(errors, accepted, alternative="less").proportion_ci(1 - delta).high
    assert risk_upper(errors, accepted, delta) == pytest.approx(peer, rel=1e-10)


def test_risk_upper_of_no_records_and_of_all_wrong_is_one():
    assert risk_upper(0, 0, 0.05) == 1.0
    assert risk_upper(3, 3, 0.05) == 1.0
    assert risk_upper([0, 3, 0], [0, 3, 1], 0.05).tolist() == pytest.approx([1, 1, 0.95])


def test_risk_upper_keeps_its_digits_at_tiny_levels():
    # No error in m: the bound is 1 - delta^(1/m), at any delta.
    for delta in (1e-12, 1e-17, 1e-100):
        assert risk_upper(0, 1000, delta) == pytest.approx(
            -np.expm1(np.log(delta) / 1000), rel=1e-9
        )


@given(st.integers(0, 300), st.integers(0, 300), st.floats(1e-9, 0.35))
def test_risk_upper_is_ordered(a, b, delta):
    errors, accepted = min(a, b), max(a, b)
    bound = risk_upper(errors, accepted, delta)
    assert (errors / accepted if accepted else 0) <= bound <= 1
    assert risk_upper(2 * errors, 2 * accepted, delta) <= bound + 1e-12
    assert bound <= risk_upper(errors, accepted, delta / 2)


@given(st.integers(0, 400), st.integers(1, 999), st.integers(1, 999))
def test_max_errors_is_where_the_bound_crosses_alpha(m, alpha, delta):
    alpha, delta = alpha / 1000, delta / 1000
    w = max_errors(m, alpha, delta)
    assert -1 <= w < max(m, 1)
    if w >= 0:
        assert risk_upper(w, m, delta) <= alpha * (1 + 1e-9)
    if w + 1 <= m:
        assert risk_upper(w + 1, m, delta) >= alpha * (1 - 1e-9)


@pytest.mark.parametrize("alpha", ["0.005", "0.05", "0.1", "0.2", "0.5"])
@pytest.mark.parametrize("delta", ["0.001", "0.05", "0.25", "0.81"])
def test_max_errors_equals_exact_rationals(alpha, delta):
    sizes = np.arange(0, 81)
    expected = [brute.max_errors(int(m), alpha, delta) for m in sizes]
    assert errors_allowed(80, float(alpha), float(delta)).tolist() == expected
    assert [max_errors(int(m), float(alpha), float(delta)) for m in sizes] == expected


@pytest.mark.parametrize("delta", [0.25, 0.05, 1e-6, 5e-14])
@pytest.mark.parametrize("alpha", [0.005, 0.2, 0.5])
def test_errors_allowed_does_not_drift_over_a_million_records(alpha, delta):
    table = errors_allowed(1_000_000, alpha, delta)
    places = np.random.default_rng(1).integers(0, 1_000_001, 60)
    exact = [max_errors(int(m), alpha, delta) for m in [*places, 1_000_000]]
    assert table[[*places, 1_000_000]].tolist() == exact


def test_errors_allowed_can_not_be_changed_by_a_caller():
    with pytest.raises(ValueError, match="read-only"):
        errors_allowed(10, 0.1, 0.1)[3] = 7


@given(levels.filter(lambda a: a > 1e-4), levels)
def test_min_accepted_is_the_first_size_that_allows_no_error(alpha, delta):
    m = min_accepted(alpha, delta)
    assert max_errors(m, alpha, delta) == 0
    assert m == 1 or max_errors(m - 1, alpha, delta) == -1


@pytest.mark.parametrize(
    ("alpha", "delta", "smallest"),
    [(0.05, 0.1, 45), (0.05, 0.05, 59), (0.01, 0.1, 230), (0.01, 0.01, 459), (0.1, 0.81, 2)],
)
def test_min_accepted_of_known_cases(alpha, delta, smallest):
    assert min_accepted(alpha, delta) == smallest


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: risk_upper(3, 2, 0.05), "'errors' must be at most 'accepted'; got 3 of 2"),
        (lambda: risk_upper(-1, 2, 0.05), "'errors' must be a whole number of at least 0"),
        (lambda: risk_upper([1, 0.5], 2, 0.05), "0.5 at position 1"),
        (lambda: risk_upper(1, 2, 0), "'delta' must be strictly between 0 and 1; got 0"),
        (lambda: max_errors(10, 1.0, 0.05), "'alpha' must be strictly between 0 and 1; got 1.0"),
        (lambda: max_errors(np.nan, 0.1, 0.05), "'accepted' must be a whole number"),
        (lambda: min_accepted("5%", 0.05), "got '5%'"),
    ],
)
def test_bad_input_is_named(call, words):
    with pytest.raises(ValueError, match=words):
        call()
