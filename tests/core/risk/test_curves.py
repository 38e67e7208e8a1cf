from __future__ import annotations

from itertools import pairwise, permutations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.risk.curves import aurc, risk_coverage_curve


def test_risk_coverage_curve_by_hand_with_a_tie_and_a_missing_verdict():
    curve = risk_coverage_curve([0.3, 0.1, 0.3, np.nan, 0.2], [1, 0, 0, np.nan, np.nan])
    assert curve.threshold.tolist() == [0.1, 0.3]
    assert curve.accepted.tolist() == [1, 3]
    assert curve.errors.tolist() == [0, 1]
    assert curve.coverage.tolist() == [0.2, 0.6]  # of five records, two of them unscored
    assert curve.risk.tolist() == pytest.approx([0, 1 / 3])


def test_risk_coverage_curve_of_nothing_is_empty():
    assert risk_coverage_curve([], []).threshold.tolist() == []
    assert risk_coverage_curve([np.nan], [0]).coverage.tolist() == []


@given(st.lists(st.tuples(st.integers(0, 4), st.booleans()), min_size=1, max_size=30), st.randoms())
def test_order_of_the_records_changes_nothing(rows, random):
    shuffled = rows.copy()
    random.shuffle(shuffled)
    one, two = (np.array(r, dtype=float).T for r in (rows, shuffled))
    first, second = risk_coverage_curve(*one), risk_coverage_curve(*two)
    assert first.errors.tolist() == second.errors.tolist()
    assert first.threshold.tolist() == second.threshold.tolist()
    assert aurc(*one) == aurc(*two)


@given(st.lists(st.tuples(st.integers(0, 2), st.booleans()), min_size=1, max_size=6))
def test_aurc_is_the_mean_over_all_orders_within_ties(rows):
    u, e = np.array(rows, dtype=float).T
    values = [
        np.mean(np.cumsum(e[list(order)]) / np.arange(1, len(e) + 1))
        for order in permutations(range(len(e)))
        if all(u[a] <= u[b] for a, b in pairwise(order))
    ]
    assert aurc(u, e) == pytest.approx(np.mean(values))


def test_aurc_of_a_perfect_and_a_useless_order():
    assert aurc([1, 2, 3, 4], [0, 0, 0, 0]) == 0
    assert aurc([1, 1, 1, 1], [1, 0, 0, 0]) == pytest.approx(0.25)


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: aurc([np.nan], [1]), "at least one record"),
        (lambda: aurc([1, 2], [1]), "'uncertainty' has 2, 'is_error' has 1"),
        (lambda: risk_coverage_curve([np.inf], [1]), "'uncertainty' must be finite or NaN"),
        (lambda: risk_coverage_curve([1, 1], [0, 2]), "got 2.0 at position 1"),
        (lambda: risk_coverage_curve([[1]], [[0]]), "one-dimensional"),
        (lambda: risk_coverage_curve(["a"], [0]), "'uncertainty' must hold numbers only"),
    ],
)
def test_bad_input_is_named(call, words):
    with pytest.raises(ValueError, match=words):
        call()
