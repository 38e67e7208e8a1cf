"""Estimates: by hand, against reference values, over all draws, and by simulation."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.active.combine import BatchPart, combine_batches
from core.active.draw import draw_batch
from core.active.estimate import (
    ESTIMATORS,
    Tuning,
    bounds_of_missing,
    estimate_mean,
    tune,
)
from core.active.inclusion import inclusion_probabilities
from tests.shared import reference_values


def test_difference_and_hajek_equal_the_reference() -> None:
    values = reference_values("asi_small")
    h, f, pi = (np.array(values[name]) for name in ("h", "f", "pi"))
    xi = np.array(values["xi"], dtype=bool)
    n = len(h)
    for case in values["cases"]:
        tuning = Tuning(case["a"], case["lam"])
        found = estimate_mean(h, f, pi, xi, tuning=tuning)
        assert found.value == pytest.approx(case["estimate"], rel=1e-12)
        process = case["var_iid_superpop_ddof0"] * n / (n - 1)
        assert found.standard_error**2 == pytest.approx(process, rel=1e-12)
        finite = estimate_mean(h, f, pi, xi, tuning=tuning, target="finite")
        assert finite.standard_error**2 == pytest.approx(case["var_design_poisson"], rel=1e-12)
        hajek = estimate_mean(h, f, pi, xi, tuning=tuning, estimator="hajek")
        assert hajek.value == pytest.approx(case["hajek"], rel=1e-12)
    assert tune(h, f, pi).power == pytest.approx(values["lambda_centred_wls"])


def test_uniform_draws_give_the_power_of_ppi() -> None:
    """With equal chances the best power is cov / var, PPI++'s but for its (1 + n/N)."""
    for case in reference_values("ppi_plus_plus_mean")["cases"]:
        y, g = np.array(case["Y"]), np.array(case["Yhat"])
        found = tune(y, g, np.full(len(y), 0.3)).power
        spread = np.mean((g - g.mean()) ** 2)
        expected = np.mean((g - g.mean()) * (y - y.mean())) / spread
        assert found == pytest.approx(expected)


@pytest.mark.parametrize("estimator", ["difference", "horvitz-thompson"])
@pytest.mark.parametrize("tuning", [Tuning(0.4, 0.3), Tuning(0.0, 1.0)])
def test_unbiased_over_all_poisson_draws(estimator: str, tuning: Tuning) -> None:
    h, g = np.array([1.0, 0, 1, 1, 0]), np.array([0.9, 0.4, 0.2, 1.0, 0.1])
    pi = np.array([0.3, 0.9, 0.5, 0.2, 0.7])
    mean, square, variance = 0.0, 0.0, 0.0
    for pattern in product([False, True], repeat=5):
        xi = np.array(pattern)
        chance = float(np.prod(np.where(xi, pi, 1 - pi)))
        if xi.any():
            found = estimate_mean(h, g, pi, xi, tuning=tuning, estimator=estimator, target="finite")
            value, spread = found.value, found.standard_error**2
        else:
            offset = 0.0 if estimator == "horvitz-thompson" else tuning.offset
            value, spread = float(np.mean(offset + tuning.power * g)), 0.0
        mean += chance * value
        square += chance * value**2
        variance += chance * spread
    assert mean == pytest.approx(h.mean())
    assert variance == pytest.approx(square - mean**2)


@given(
    st.lists(st.tuples(st.booleans(), st.floats(0, 1)), min_size=2, max_size=30),
    st.sampled_from(ESTIMATORS),
    st.floats(-1, 2),
)
def test_every_record_labelled_is_the_plain_mean(rows, estimator: str, power: float) -> None:
    h, g = (np.array(one, dtype=float) for one in zip(*rows, strict=True))
    n = len(h)
    found = estimate_mean(
        h, g, np.ones(n), np.ones(n, bool), tuning=Tuning(0.3, power), estimator=estimator
    )
    assert found.value == pytest.approx(h.mean())
    assert found.standard_error == pytest.approx(h.std(ddof=1) / np.sqrt(n))
    assert found.ess_kish == pytest.approx(n)
    finite = estimate_mean(
        h, g, np.ones(n), np.ones(n, bool), tuning=Tuning(0.3, power), target="finite"
    )
    assert finite.standard_error == pytest.approx(0, abs=1e-12)


def test_power_follows_the_judge() -> None:
    random = np.random.default_rng(0)
    human = (random.random(4000) < 0.7).astype(float)
    chance = random.uniform(0.1, 0.5, 4000)
    assert tune(human, human, chance).power == pytest.approx(1)
    noise = (random.random(4000) < 0.7).astype(float)
    # cov / var of independent coins: error about 1 / √n.
    assert abs(tune(human, noise, chance).power) < 5 / np.sqrt(4000) * 1.5
    assert tune(human, np.ones(4000), chance).power == 0


@pytest.mark.parametrize("target", ["process", "finite"])
@pytest.mark.parametrize(
    ("design", "tuned"), [("poisson", True), ("poisson", False), ("fixed", True)]
)
def test_intervals_hold_the_truth(target: str, design: str, tuned: bool) -> None:
    """95% intervals: within 4 standard errors of .95; a fixed size may hold more often."""
    trials, n = 600, 500
    random = np.random.default_rng(7)
    held = 0
    for trial in range(trials):
        risk = random.uniform(0.05, 0.6, n)
        human = (random.random(n) < 0.75).astype(float)
        verdict = np.where(random.random(n) < risk, 0.0, human)
        chance = inclusion_probabilities(risk, 120, mixing=0.4)
        drawn = draw_batch(chance, design=design, seed=trial)
        found = estimate_mean(
            human, verdict, chance, drawn, tuning=Tuning(0.4, 0.45) if tuned else None,
            target=target, design=design, seed=trial,
        )  # fmt: skip
        truth = 0.75 if target == "process" else human.mean()
        held += found.low <= truth <= found.high
    error = 4 * np.sqrt(0.95 * 0.05 / trials)
    assert held / trials > 0.95 - error
    if design == "poisson":
        assert held / trials < 0.95 + error


def test_two_batches_hold_the_truth_and_beat_the_first() -> None:
    trials, n = 500, 500
    random = np.random.default_rng(3)
    held = shorter = 0
    for trial in range(trials):
        risk = random.uniform(0.05, 0.6, n)
        human = (random.random(n) < 0.75).astype(float)
        verdict = np.where(random.random(n) < risk, 0.0, human)
        tuning = Tuning(0.4, 0.45)
        first_chance = inclusion_probabilities(risk, 80, mixing=0.4)
        first = draw_batch(first_chance, design="poisson", seed=2 * trial)
        one = estimate_mean(human, verdict, first_chance, first, tuning=tuning, target="finite")
        rest = ~first
        chance = inclusion_probabilities(risk[rest], 80, mixing=0.4)
        second = draw_batch(chance, design="poisson", seed=2 * trial + 1)
        two = estimate_mean(
            human[rest], verdict[rest], chance, second, tuning=tuning, target="finite"
        )
        parts = [
            BatchPart(one, n, 0.0, int(first.sum())),
            BatchPart(two, int(rest.sum()), float(human[first].sum()), int(second.sum())),
        ]
        both = combine_batches(parts, n, target="finite")
        held += both.low <= human.mean() <= both.high
        shorter += both.standard_error < one.standard_error
    error = 4 * np.sqrt(0.95 * 0.05 / trials)
    assert abs(held / trials - 0.95) < error
    assert shorter == trials


def test_combining_one_batch_is_that_batch() -> None:
    random = np.random.default_rng(1)
    human, chance = (random.random(200) < 0.6).astype(float), np.full(200, 0.4)
    drawn = draw_batch(chance, design="poisson", seed=0)
    one = estimate_mean(human, human, chance, drawn, tuning=Tuning(0.3, 0.4), target="finite")
    both = combine_batches([BatchPart(one, 200, 0.0, 80)], 200, target="finite")
    assert (both.value, both.standard_error) == pytest.approx((one.value, one.standard_error))
    process = combine_batches([BatchPart(one, 200, 0.0, 80)], 200)
    added = one.value * (1 - one.value) / 200
    assert process.standard_error**2 == pytest.approx(one.standard_error**2 + added)
    with pytest.raises(ValueError, match="at least one batch"):
        combine_batches([], 200)


def test_labels_that_are_missing_are_bounded_and_said() -> None:
    human = np.array([1, 1, np.nan, 0, 1, np.nan, 1, 1], dtype=float)
    chance, drawn = np.full(8, 0.5), np.array([1, 1, 1, 1, 0, 0, 1, 0], dtype=bool)
    found = estimate_mean(human, np.ones(8), chance, drawn, tuning=Tuning(0.0, 0.0))
    assert found.n_labelled == 4
    assert "1 of 5 labels did not come back" in found.warnings[0]
    # The four that came back stand for the five: chance 0.4.
    assert found.value == pytest.approx(3 / 0.4 / 8)
    low, high = bounds_of_missing(human, np.ones(8), chance, drawn, tuning=Tuning(0.0, 0.0))
    assert (low, high) == (pytest.approx(3 / 0.5 / 8), pytest.approx(4 / 0.5 / 8))


def test_equal_residuals_never_give_a_point() -> None:
    n = 100
    drawn = np.zeros(n, bool)
    drawn[:20] = True
    found = estimate_mean(
        np.ones(n), np.ones(n), np.full(n, 0.2), drawn, tuning=Tuning(0.0, 1.0), target="finite"
    )
    assert found.standard_error == 0
    assert found.value == 1
    assert found.low == pytest.approx(1 - (1 - 0.025 ** (1 / 20)))
    assert "All residuals of the batch are equal" in found.warnings[0]


def test_a_heavy_record_is_named() -> None:
    human, chance = np.ones(100), np.full(100, 0.5)
    human[::3] = 0
    chance[0] = 0.001
    drawn = np.zeros(100, bool)
    drawn[:50] = True
    found = estimate_mean(human, np.zeros(100), chance, drawn, tuning=Tuning(0.5, 0.0))
    assert "One record stands for 500 times the average" in found.warnings[0]


def test_bad_input_is_named() -> None:
    good = ([1.0, 0.0], [1.0, 0.0], [0.5, 0.5], np.array([True, False]))
    with pytest.raises(ValueError, match="'estimator' must be one of"):
        estimate_mean(*good, estimator="ratio")
    with pytest.raises(ValueError, match="'target' must be one of"):
        estimate_mean(*good, target="all")
    with pytest.raises(ValueError, match="none came back"):
        estimate_mean([np.nan, 0.0], *good[1:])
    with pytest.raises(ValueError, match="'predictor' must be finite; got nan at place 1"):
        estimate_mean(good[0], [1.0, np.nan], *good[2:])
    with pytest.raises(ValueError, match="truth values"):
        estimate_mean(*good[:3], np.array([1, 0]))
    with pytest.raises(ValueError, match="same length"):
        estimate_mean([1.0], *good[1:])
