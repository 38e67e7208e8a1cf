"""Plans: what is expected comes about; and the simulation of the paper."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from core.active.audit import audit
from core.active.draw import draw_batch
from core.active.estimate import Tuning, estimate_mean
from core.active.plan import (
    MIXINGS,
    Calibration,
    labels_needed,
    make_calibration,
    mixing_curve,
    plan_blind,
    plan_draw,
    power_curve,
)
from core.active.policies import (
    CLASSICAL,
    POLICIES,
    RECALIBRATED,
    TUNED,
    UNIFORM,
    available,
    make_part,
    score,
)
from core.active.simulate import JUDGE, simulate, summarise


def population(n: int = 1500, m: int = 1000, seed: int = 0):
    """A judge that rejects too much, and scores that know where; calibration and population."""
    random = np.random.default_rng(seed)
    accepted = random.beta(4, 1, n + m)
    human = (random.random(n + m) < accepted).astype(float)
    doubt = random.uniform(0, 0.6, n + m)
    verdict = np.where(random.random(n + m) < doubt, 0.0, human)
    risk = np.clip(doubt * accepted, 0.001, 1)
    # P(h = 1 | verdict, doubt): a verdict 1 is right, one 0 may be an over-rejection.
    chance = accepted * doubt / (accepted * doubt + 1 - accepted)
    known = np.where(verdict == 1, 1.0, chance)

    def part(where: slice):
        return make_part(
            verdict[where], doubt=doubt[where], risk=risk[where], accepted=known[where]
        )

    calibration = make_calibration(human[:m], part(slice(0, m)), part(slice(m, None)))
    return calibration, human[m:]


@pytest.fixture(scope="module")
def made() -> tuple[Calibration, np.ndarray]:
    return population()


def test_classical_is_the_variance_of_a_mean(made) -> None:
    calibration, _ = made
    plan = plan_draw(calibration, CLASSICAL, 200)
    assert plan.variance == pytest.approx(np.var(calibration.human, ddof=1) / 200, rel=2e-3)
    assert plan.half_width == pytest.approx(1.959964 * np.sqrt(plan.variance))
    assert plan.ess_gain == pytest.approx(0, abs=2e-3)
    np.testing.assert_allclose(plan.inclusion_prob, 200 / 1500)


@pytest.mark.parametrize("policy", POLICIES)
def test_what_is_planned_comes_about(made, policy: str) -> None:
    """The mean estimated variance over draws is the planned one, but for the calibration's luck."""
    calibration, human = made
    plan = plan_draw(calibration, policy, 300)
    assert plan.inclusion_prob.sum() == pytest.approx(300)
    errors = []
    for seed in range(200):
        drawn = draw_batch(plan.inclusion_prob, design="poisson", seed=seed)
        found = estimate_mean(human, plan.predictor, plan.inclusion_prob, drawn, tuning=plan.tuning)
        errors.append(found.standard_error**2)
    assert np.mean(errors) == pytest.approx(plan.variance, rel=0.12)


def test_better_scores_buy_more_and_the_best_mixing_is_chosen(made) -> None:
    calibration, _ = made
    gains = {name: plan_draw(calibration, name, 300).ess_gain for name in calibration.policies}
    assert gains[UNIFORM] > 0
    assert gains[TUNED] > gains["FSA"] > gains[UNIFORM]
    assert gains[RECALIBRATED] > gains[UNIFORM]
    rows = mixing_curve(calibration, "FSA", 300)
    assert [share for share, _ in rows] == list(MIXINGS)
    best = plan_draw(calibration, "FSA", 300)
    assert max(gain for _, gain in rows) == pytest.approx(best.ess_gain)
    assert dict(rows)[best.mixing] == pytest.approx(best.ess_gain)
    forced = plan_draw(calibration, "FSA", 300, mixing=1.0)
    assert forced.ess_gain == pytest.approx(gains[UNIFORM], abs=1e-9)


def test_a_power_of_ones_own_is_kept_and_costs(made) -> None:
    calibration, _ = made
    best = plan_draw(calibration, "FSA", 300)
    for power in (0.0, 1.0):
        own = plan_draw(calibration, "FSA", 300, power=power)
        assert own.tuning.power == power
        assert own.variance > best.variance
    same = plan_draw(calibration, "FSA", 300, power=best.tuning.power)
    assert same.variance == pytest.approx(best.variance, rel=1e-9)
    with pytest.raises(ValueError, match="'power' must be a finite number"):
        plan_draw(calibration, "FSA", 300, power=float("nan"))


def test_labels_needed_is_the_smallest_budget_that_reaches_the_target(made) -> None:
    calibration, _ = made
    found = labels_needed(calibration, "FSA", 0.03)
    assert found is not None
    assert plan_draw(calibration, "FSA", found).half_width <= 0.03
    assert plan_draw(calibration, "FSA", found - 1).half_width > 0.03
    assert labels_needed(calibration, "FSA", 0.001) is None


def test_power_without_an_offset_is_least_at_its_best(made) -> None:
    calibration, _ = made
    for row in power_curve(calibration, "FSA", [50, 200]):
        assert row["best"] <= min(row["power_0"], row["power_1"]) + 1e-12


def test_tuned_scores_are_the_expected_squares() -> None:
    part = make_part([1.0, 0.0], accepted=[0.9, 0.2])
    found = score(TUNED, part, Tuning(0.5, 0.4))
    np.testing.assert_allclose(found, [0.09 + (0.9 - 0.9) ** 2, 0.16 + (0.2 - 0.5) ** 2])


def test_without_models_fewer_policies_are_there() -> None:
    bare = make_part([1.0, 0.0, 1.0], doubt=[0.2, 0.8, 0.5])
    assert available(bare) == POLICIES[:3]
    plan = plan_blind(bare, "Confidence", 2)
    assert plan.inclusion_prob.sum() == pytest.approx(2)
    assert plan.inclusion_prob[1] > plan.inclusion_prob[2] > plan.inclusion_prob[0]
    assert np.isnan(plan.half_width)
    with pytest.raises(ValueError, match="'policy' must be one of"):
        plan_blind(bare, "FSA", 2)
    with pytest.raises(ValueError, match="at least two labels"):
        make_calibration([1.0], make_part([1.0]), bare)
    with pytest.raises(ValueError, match="'risk' must be finite"):
        make_part([1.0, 0.0], risk=[0.1, np.nan])


def test_simulation_covers_and_ranks(made) -> None:
    calibration, human = made
    trials, budgets = 400, (100, 300)
    rows = pd.concat(
        list(simulate(calibration, human, budgets=budgets, trials=trials, design="poisson", seed=1))
    )
    judged = rows[rows["policy"] == JUDGE]
    assert judged["coverage"].isna().all()
    assert (judged["bias"] < -0.1).all()
    drawn = rows[rows["policy"] != JUDGE]
    error = np.sqrt(0.95 * 0.05 / trials)
    # The Wald interval of a plain mean holds a little less often at 100 labels.
    assert (np.abs(drawn["coverage"] - 0.95) < 4 * error + 0.005).all()
    assert (drawn["bias"].abs() < 5 * np.sqrt(drawn["spread"] / trials)).all()
    np.testing.assert_allclose(drawn["spread"], drawn["variance"], rtol=5 * np.sqrt(2 / trials))
    table = summarise(rows).set_index("policy")
    gain = table["ess_gain"]
    assert gain[CLASSICAL] == 0
    assert gain[TUNED] > gain["FSA"] > gain[UNIFORM] > 0
    assert table.loc["FSA", "budgets"] == 2
    again = next(simulate(calibration, human, budgets=budgets[:1], trials=trials,
                          design="poisson", seed=1))  # fmt: skip
    pd.testing.assert_frame_equal(again, rows[rows["budget"] == 100])


def test_simulation_of_fixed_batches_holds_at_least_as_often(made) -> None:
    calibration, human = made
    (rows,) = simulate(calibration, human, budgets=[200], trials=400, seed=2)
    drawn = rows[rows["policy"] != JUDGE]
    assert (drawn["coverage"] > 0.95 - 4 * np.sqrt(0.95 * 0.05 / 400)).all()


def test_simulation_names_bad_input(made) -> None:
    calibration, human = made
    with pytest.raises(ValueError, match="a label of each of the 1500 records"):
        simulate(calibration, human[:5], budgets=[10], seed=0)
    with pytest.raises(ValueError, match="'policies' must be one of"):
        simulate(calibration, human, budgets=[10], policies=["Best"], seed=0)


@pytest.mark.parametrize(
    ("slope", "n", "advice"),
    [(1.0, 200, "keep"), (-1.0, 200, "refit"), (0.0, 200, "mix more"), (1.0, 5, "wait")],
)
def test_audit_says_whether_scores_still_rank(slope: float, n: int, advice: str) -> None:
    random = np.random.default_rng(5)
    rank = random.random(n)
    squared = (random.random(n) < np.clip(0.5 + slope * (rank - 0.5), 0, 1)).astype(float)
    found = audit(rank, squared)
    assert found.advice == advice
    assert found.n == n
    assert audit(np.full(50, 0.3), np.ones(50)).advice == "wait"
    with pytest.raises(ValueError, match="must be finite"):
        audit([np.nan], [1.0])
