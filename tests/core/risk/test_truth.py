from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
import pytest

from core.risk.calibration import calibrate_joint
from core.risk.truth import Population, count_misses, fit_population
from tests.core.risk.test_calibration import simulated

POPULATION = Population(
    np.array([0.1, 0.2, np.nan, 0.4]), np.array([0.5, 0.1, 0.1, np.nan]),
    np.array([0.1, 0.3, np.nan, 0.9]), np.array([0.2, 0.4, 0.6, np.nan]),
)  # fmt: skip
POLICY = replace(
    calibrate_joint(*4 * [np.zeros(1)], alpha=0.1, delta=0.1), threshold1=0.1, threshold2=0.1
)


def test_risk_by_hand():
    assert POPULATION.risk(POLICY) == pytest.approx((0.1 + 0.4 + 0.6) / 3)
    assert POPULATION.risk(replace(POLICY, threshold1=None, threshold2=None)) is None


def test_draw_follows_the_chances_and_keeps_the_unscored():
    u1, e1, _, e2 = POPULATION.draw(40_000, np.random.default_rng(0))
    assert np.isnan(e1).tolist() == np.isnan(u1).tolist()
    tolerance = 3.5 * np.sqrt(0.25 / 9_000)
    assert e1[u1 == 0.2].mean() == pytest.approx(0.3, abs=tolerance)
    assert np.nanmean(e2[u1 == 0.1]) == pytest.approx(0.2, abs=tolerance)


def test_fit_population_follows_the_risk_along_uncertainty():
    u1, e1, u2, e2 = simulated(20_000)
    found = fit_population(u1, e1, u2, e2)
    middle = (u1 > 0.05) & (u1 < 0.95)
    assert np.abs(found.error_prob1 - (0.15 + 0.4 * u1))[middle].max() < 0.09
    assert np.nanmean(found.error_prob2) == pytest.approx(e2.mean(), abs=0.002)


def test_fit_population_gives_ties_one_chance_in_any_order():
    u = np.repeat([0.0, 1.0], 200)
    e = np.r_[np.zeros(150), np.ones(50), np.ones(200)]
    missing = np.full(400, np.nan)
    found = fit_population(u, e, missing, missing)
    assert len(np.unique(found.error_prob1)) == 2
    order = np.random.default_rng(0).permutation(400)
    again = fit_population(u[order], e[order], missing, missing)
    assert again.error_prob1.tolist() == pytest.approx(found.error_prob1[order].tolist())
    assert np.isnan(found.error_prob2).all()


def test_count_misses_judges_each_draw_by_the_true_risk():
    population = fit_population(*simulated(1000))
    options: dict[str, Any] = {
        "alphas": [0.05, 0.2], "delta": 0.1, "n": 500, "n_draws": 3, "seed": 1,
    }  # fmt: skip
    found = pd.concat(list(count_misses(population, certificate="pointwise", **options)))
    assert found[["draw", "alpha"]].values.tolist() == [
        [d, a] for d in range(3) for a in (0.05, 0.2)
    ]
    random = np.random.default_rng(1)
    policy = calibrate_joint(
        *population.draw(500, random), alpha=0.2, delta=0.1, certificate="pointwise"
    )
    assert policy.accepts
    assert found.true_risk.iloc[1] == population.risk(policy)
    assert found.missed.tolist() == (found.true_risk > found.alpha).tolist()
    again = pd.concat(list(count_misses(population, certificate="pointwise", **options)))
    assert found.equals(again)


def test_a_draw_of_one_record_accepts_nothing():
    (found,) = count_misses(
        POPULATION, alphas=[0.1], delta=0.1, certificate="fixed-sequence", n=1, n_draws=1, seed=0
    )
    assert (found["coverage"].tolist(), found["missed"].tolist()) == ([0.0], [False])


def test_bad_input_is_named():
    with pytest.raises(ValueError, match="'n' must be a whole number"):
        next(count_misses(
            POPULATION, alphas=[0.1], delta=0.1, certificate="pointwise", n=0, seed=0
        ))  # fmt: skip
