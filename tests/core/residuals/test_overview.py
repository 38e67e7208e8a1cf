"""Rates, their intervals, and the two ways to disagree."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binomtest

from core.residuals.overview import overview, paired_difference, wilson

NAN = float("nan")


def test_hand_worked_counts() -> None:
    # Scored: 5 of 7. Unknown counts as wrong.
    human = [1, 1, 0, 0, 1, NAN, 1]
    verdict = [1, 0, 1, 0, NAN, 1, NAN]
    unknown = [False, False, False, False, True, False, False]
    found = overview(human, verdict, unknown)
    assert (found.n, found.n_scored) == (7, 5)
    assert (found.judge_rate, found.human_rate) == (pytest.approx(0.4), pytest.approx(0.6))
    assert found.gap == pytest.approx(-0.2)
    assert (found.disagreements, found.over_rejections, found.over_acceptances) == (3, 2, 1)
    assert found.table == {
        "correct": {"correct": 1, "wrong": 1},
        "wrong": {"correct": 1, "wrong": 1},
        "unknown": {"correct": 1, "wrong": 0},
    }


@given(st.integers(1, 400).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n))))
def test_wilson_is_scipys(counts: tuple[int, int]) -> None:
    successes, n = counts
    known = binomtest(successes, n).proportion_ci(0.95, method="wilson")
    low, high = wilson(successes, n)
    assert low == pytest.approx(known.low, abs=1e-12)
    assert high == pytest.approx(known.high, abs=1e-12)
    assert 0 <= low <= successes / n <= high <= 1


@given(st.tuples(*[st.integers(0, 60)] * 4).filter(any))
def test_paired_difference_turns_round_with_its_sides(cells: tuple[int, ...]) -> None:
    both, first, second, neither = cells
    difference, low, high = paired_difference(both, first, second, neither)
    turned = paired_difference(both, second, first, neither)
    assert turned == pytest.approx((-difference, -high, -low))
    assert -1 - 1e-9 <= low <= difference <= high <= 1 + 1e-9


def test_paired_interval_covers_in_simulation() -> None:
    random = np.random.default_rng(5)
    cells, n, trials = [0.55, 0.05, 0.15, 0.25], 200, 2000
    truth = cells[1] - cells[2]
    inside = 0
    for drawn in random.multinomial(n, cells, size=trials):
        _, low, high = paired_difference(*map(int, drawn))
        inside += low <= truth <= high
    # Three standard errors of a share of .95 in 2,000 trials are .0146.
    assert abs(inside / trials - 0.95) < 0.0146


def test_without_a_scored_record_there_is_no_overview() -> None:
    with pytest.raises(ValueError, match="at least one record"):
        overview([1, NAN], [NAN, 0])
