"""Slices: what is planted is found, and noise is not believed."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from core.residuals.slices import Condition, find_slices, slice_mask


def noise(n: int, random: np.random.Generator) -> pd.DataFrame:
    return pd.DataFrame(
        {
            "length": random.random(n),
            "subject": random.choice(list("abcd"), n),
            "flag": random.choice(["true", "false"], n),
            "empty": np.full(n, np.nan),
        }
    )


def test_a_planted_slice_is_found_and_holds_on_the_other_half() -> None:
    random = np.random.default_rng(0)
    columns = noise(4000, random)
    inside = (columns["length"] > 0.75) & (columns["subject"] == "b")
    residual = (random.random(4000) < np.where(inside, 0.7, 0.1)).astype(float)
    found = find_slices(residual, columns)
    first = found.iloc[0]
    assert {one.column for one in first["conditions"]} == {"length", "subject"}
    mask = slice_mask(first["conditions"], columns)
    assert (mask & inside).sum() / (mask | inside).sum() > 0.9
    assert first["lift"] > 3
    assert first["p_holm"] < 1e-6
    assert len(found) <= 8


def test_on_noise_the_half_set_aside_shows_no_lift() -> None:
    lifts, believed, trials = [], 0, 60
    for trial in range(trials):
        random = np.random.default_rng(trial)
        residual = (random.random(800) < 0.3).astype(float)
        found = find_slices(residual, noise(800, random), seed=trial)
        lifts += list(found["lift"])
        believed += bool((found["p_holm"] < 0.05).any())
        assert (found["lift_searched"] > 1).all()
    # A slice holds 8 records or more of 400: its lift's standard deviation is below .55.
    assert np.mean(lifts) == pytest.approx(1, abs=3 * 0.55 / np.sqrt(len(lifts)))
    # At most 5 % of trials: 3 expected, and 9 exceed that with probability .004.
    assert believed <= 9


def test_missing_values_meet_no_condition() -> None:
    columns = pd.DataFrame({"x": [1.0, np.nan, 3.0], "s": ["a", None, "b"]})
    assert slice_mask([Condition("x", "≤", 2.0)], columns).tolist() == [True, False, False]
    assert slice_mask([Condition("x", ">", 2.0)], columns).tolist() == [False, False, True]
    assert slice_mask([Condition("s", "=", "a")], columns).tolist() == [True, False, False]
    assert slice_mask([], columns).all()


def test_too_few_records_are_refused_with_the_number_needed() -> None:
    with pytest.raises(ValueError, match="at least 80 scored records"):
        find_slices(np.zeros(79), pd.DataFrame({"x": np.arange(79.0)}))
