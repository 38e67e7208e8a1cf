"""Chances of being drawn."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import brentq

from core.active.inclusion import FLOOR, inclusion_probabilities, water_fill
from tests.shared import reference_values

SIZES = st.lists(st.floats(1e-3, 1e3), min_size=1, max_size=30)


def test_water_filling_equals_the_reference() -> None:
    for case in reference_values("water_filling")["cases"]:
        found = water_fill(case["r"], case["n"])
        np.testing.assert_allclose(found, case["pi"], rtol=0, atol=1e-12)


@given(SIZES, st.floats(0.01, 1))
def test_water_filling_solves_the_equation_that_a_root_finder_solves(
    size: list[float], share: float
) -> None:
    values, total = np.array(size), share * len(size)
    found = water_fill(values, total)
    assert found.sum() == pytest.approx(total, rel=1e-12)
    assert ((found > 0) & (found <= 1)).all()
    if total < len(size) * (1 - 1e-9):
        excess = lambda log: np.minimum(np.exp(log) * values, 1).sum() - total  # noqa: E731
        constant = np.exp(brentq(excess, -30, 30, xtol=1e-14))
        np.testing.assert_allclose(found, np.minimum(constant * values, 1), rtol=1e-8)


@given(SIZES, st.floats(0.01, 1), st.floats(0, 1))
def test_chances_add_up_and_mixing_bounds_every_weight(
    score: list[float], share: float, mixing: float
) -> None:
    n = len(score)
    found = inclusion_probabilities(score, share * n, mixing=mixing)
    assert found.sum() == pytest.approx(share * n, rel=1e-9)
    assert (found <= 1).all()
    assert (found >= mixing * share * (1 - 1e-9)).all()


def test_by_hand() -> None:
    np.testing.assert_allclose(
        inclusion_probabilities([0.01, 0.04, 0.16, 0.25], 2, mixing=0.5),
        [(1 / 6 + 0.5) / 2, (1 / 3 + 0.5) / 2, (2 / 3 + 0.5) / 2, (5 / 6 + 0.5) / 2],
    )
    # Below the floor nothing is certain: a score under 0 counts as the floor.
    low = inclusion_probabilities([-0.5, 0.0, FLOOR, 4 * FLOOR], 2, mixing=0)
    np.testing.assert_allclose(low, [0.4, 0.4, 0.4, 0.8])
    assert inclusion_probabilities([0.1, 0.9], 2, mixing=0.3).tolist() == [1.0, 1.0]


@pytest.mark.parametrize(
    ("score", "budget", "mixing", "words"),
    [
        ([0.1, np.nan], 1, 0.5, "'risk_score' must be finite; got nan at place 1"),
        ([0.1, 0.2], 3, 0.5, "above 0 and at most 2; got 3"),
        ([0.1, 0.2], 0, 0.5, "above 0 and at most 2; got 0"),
        ([0.1, 0.2], 1, 1.5, "'mixing' must be a number from 0 to 1; got 1.5"),
        ([0.1, 0.2], 1, "much", "'mixing' must be a number from 0 to 1"),
    ],
)
def test_bad_input_is_named(score, budget, mixing, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        inclusion_probabilities(score, budget, mixing=mixing)
    with pytest.raises(ValueError, match="finite numbers from 0 on"):
        water_fill([1.0, -1.0], 1)
    with pytest.raises(ValueError, match="at most 1; got 2"):
        water_fill([1.0, 0.0], 2)
