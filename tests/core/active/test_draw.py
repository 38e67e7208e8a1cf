"""Drawing: the right records at the right rate."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import norm

from core.active.draw import DESIGNS, audit_slice, draw_batch, top_up_probabilities
from core.active.inclusion import inclusion_probabilities

TIMES = 20_000
#: Chance 1e-6 that any of the records of a test strays by more, were all as they should be.
LIMIT = norm.isf(0.5e-6 / 12)


@pytest.mark.parametrize("design", DESIGNS)
def test_records_are_drawn_as_often_as_their_chance_says(design: str) -> None:
    chance = inclusion_probabilities(np.linspace(0.01, 1, 12) ** 3, 5, mixing=0.2)
    drawn = np.mean([draw_batch(chance, design=design, seed=k) for k in range(TIMES)], axis=0)
    error = np.sqrt(chance * (1 - chance) / TIMES) + 1e-12
    assert (np.abs(drawn - chance) <= LIMIT * error).all()


@given(st.lists(st.floats(1e-3, 1), min_size=2, max_size=60), st.integers(1, 60), st.integers(0, 9))
def test_fixed_draws_exactly_the_budget(score: list[float], budget: int, seed: int) -> None:
    size = min(budget, len(score))
    chance = inclusion_probabilities(score, size, mixing=0.1)
    assert draw_batch(chance, seed=seed).sum() == size


def test_same_seed_same_batch_and_order_of_rows_does_not_bias() -> None:
    chance = np.full(100, 0.3)
    assert np.array_equal(draw_batch(chance, seed=4), draw_batch(chance, seed=4))
    assert not np.array_equal(draw_batch(chance, seed=4), draw_batch(chance, seed=5))
    # Equal chances: any two records are drawn together about as often as any other two.
    both = np.zeros((6, 6))
    for seed in range(4000):
        drawn = draw_batch(np.full(6, 0.5), seed=seed)
        both += np.outer(drawn, drawn)
    pairs = both[np.triu_indices(6, 1)] / 4000
    assert np.ptp(pairs) < 6 * np.sqrt(0.2 * 0.8 / 4000)


def test_audit_slice_is_uniform_over_the_population() -> None:
    chance = inclusion_probabilities(np.linspace(0.01, 1, 12) ** 2, 6, mixing=0.4)
    marked = np.zeros(12)
    for seed in range(TIMES):
        drawn = draw_batch(chance, seed=seed)
        inside = audit_slice(chance, drawn, 2, seed=seed + TIMES)
        assert not (inside & ~drawn).any()
        marked += inside
    error = np.sqrt(2 / 12 * 10 / 12 / TIMES)
    assert (np.abs(marked / TIMES - 2 / 12) <= LIMIT * error).all()
    with pytest.raises(ValueError, match="'size' must be from 0 to"):
        audit_slice(chance, drawn, 6, seed=0)


def test_top_up_leaves_out_what_was_drawn() -> None:
    drawn = np.array([True, False, False, True, False])
    chance = top_up_probabilities([0.5, 0.1, 0.4, 0.9, 0.2], drawn, 2, mixing=0.5)
    assert chance[drawn].tolist() == [0, 0]
    assert chance.sum() == pytest.approx(2)


def test_bad_input_is_named() -> None:
    with pytest.raises(ValueError, match=r"above 0 and at most 1; got 0.0 at place 1"):
        draw_batch([0.5, 0.0], seed=0)
    with pytest.raises(ValueError, match=r"whole number for a fixed size; got 0.9"):
        draw_batch([0.5, 0.4], seed=0)
    with pytest.raises(ValueError, match="'design' must be one of"):
        draw_batch([0.5, 0.5], design="random", seed=0)
