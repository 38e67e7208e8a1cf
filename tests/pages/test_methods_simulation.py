"""The simulation of missed targets: its truth, its stored results, and what is said of them."""

from __future__ import annotations

import math

import numpy as np
import pytest

from core.jobs import PROMISES
from core.risk.bounds import max_errors
from pages.methods import examples
from pages.methods.simulation import (
    CERTIFICATES,
    DELTA,
    MODELS,
    N_RECORDS,
    SEED,
    Model,
    load,
    simulate,
)

RESULTS = {(row.model, row.certificate): row for row in load()}


@pytest.mark.parametrize("model", MODELS, ids=lambda model: model.name)
@pytest.mark.parametrize("thresholds", [(0.3, 0.5), (None, 0.7), (0.9, None)])
def test_true_risk_is_that_of_many_records(
    model: Model, thresholds: tuple[float | None, float | None]
) -> None:
    n = 400_000
    rng = np.random.default_rng(1)
    u1, u2 = rng.random((2, n))
    t1, t2 = (-1.0 if t is None else t for t in thresholds)
    first, second = u1 <= t1, (u1 > t1) & (u2 <= t2)
    chance = np.where(first, model.base1 + model.slope1 * u1, model.base2 + model.slope2 * u2)
    accepted = first | second
    seen = (rng.random(n) < chance)[accepted].mean()
    error = math.sqrt(seen * (1 - seen) / accepted.sum())
    assert model.risk(*thresholds) == pytest.approx(seen, abs=3.5 * error)


def test_risk_of_accepting_nothing_is_no_miss() -> None:
    assert MODELS[0].risk(None, None) == 0.0


def test_stored_results_cover_every_model_and_certificate() -> None:
    assert set(RESULTS) == {(model.name, one) for model in MODELS for one in CERTIFICATES}
    assert set(CERTIFICATES) == set(PROMISES)
    for row in RESULTS.values():
        assert (row.n_records, row.delta, row.seed) == (N_RECORDS, DELTA, SEED)
        assert row.alpha == next(m.alpha for m in MODELS if m.name == row.model)


@pytest.mark.parametrize("certificate", CERTIFICATES)
@pytest.mark.parametrize("model", MODELS, ids=lambda model: model.name)
def test_stored_shares_come_again_on_fresh_records(model: Model, certificate: str) -> None:
    stored = RESULTS[model.name, certificate]
    fresh = simulate(model, certificate, repetitions=150, seed=5)
    spread = math.sqrt(
        stored.share_missed * (1 - stored.share_missed) * (1 / 150 + 1 / stored.repetitions)
    )
    # One repetition's worth is added, since a share near 0 has no spread of its own.
    assert abs(fresh.share_missed - stored.share_missed) <= 3.5 * spread + 1 / 150
    assert fresh.mean_coverage == pytest.approx(stored.mean_coverage, abs=0.08)


def test_same_seed_gives_the_same_result() -> None:
    first = simulate(MODELS[0], "pointwise", repetitions=20, seed=3)
    assert simulate(MODELS[0], "pointwise", repetitions=20, seed=3) == first


def test_guarantees_hold_and_pointwise_does_not() -> None:
    for (_, certificate), row in RESULTS.items():
        allowed = DELTA + 3.5 * math.sqrt(DELTA * (1 - DELTA) / row.repetitions)
        if certificate == "pointwise":
            assert row.share_missed > allowed
        else:
            assert row.share_missed <= allowed


def test_hard_cohorts_are_hard_but_not_hopeless() -> None:
    """Accepting everything misses alpha, and something can be accepted within it."""
    for model in MODELS:
        assert model.risk(None, 1.0) > model.alpha or model.risk(1.0, None) > model.alpha
        if model.slope2:
            assert model.risk(None, 0.3) < model.alpha
            assert max_errors(300, model.alpha, DELTA) > 300 * model.risk(None, 0.3)


def test_ranges_in_the_text_are_those_of_the_stored_results() -> None:
    hard = [RESULTS[m.name, "pointwise"].share_missed for m in MODELS if m.slope1]
    assert examples.misses_range("pointwise", hard=True) == f"{min(hard):.0%} to {max(hard):.0%}"
    (useless,) = [RESULTS[m.name, "pointwise"].share_missed for m in MODELS if not m.slope1]
    assert examples.misses_range("pointwise", hard=False) == f"{useless:.0%}"
    table = examples.misses_table()
    assert table.shape == (len(MODELS), 1 + len(CERTIFICATES))
    assert table.iloc[0]["Pointwise"].startswith(
        examples.percent(RESULTS[MODELS[0].name, "pointwise"].share_missed)
    )
