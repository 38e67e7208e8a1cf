"""The paper's simulation: many batches from a population whose labels are known."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike
from scipy import stats

from core.active.draw import DESIGNS
from core.active.plan import Calibration, Plan, plan_draw
from core.validation import FloatArray, choice, one_dimensional, open_unit, positive_int

#: The judge's verdict alone, which has no interval.
JUDGE = "Judge alone"


@dataclass(frozen=True, eq=False)
class _Trials:
    """Bootstrapped populations, shape (trials, n): what a policy sees of them, sorted by chance."""

    size: FloatArray | None
    human: FloatArray
    predictor: FloatArray


def simulate(
    calibration: Calibration,
    human: ArrayLike,
    *,
    budgets: Sequence[int],
    policies: Sequence[str] | None = None,
    trials: int = 300,
    design: str = "fixed",
    confidence_level: float = 0.95,
    seed: int,
) -> Iterator[pd.DataFrame]:
    """Draw batches by each policy from bootstrapped populations, a budget at a time.

    Parameters
    ----------
    calibration : Calibration
        Chooses mixing and tuning; its labels are no part of the population.
    human : array of shape (n,)
        Labels of the population, which the draws reveal.
    budgets : sequence of int
    policies : sequence of str, optional
        All that the calibration allows, by default.
    trials : int
    design : {"fixed", "poisson"}
    confidence_level : float
    seed : int

    Yields
    ------
    DataFrame
        One a budget, a row a policy: policy, budget, trials, mean (of the estimates), bias,
        coverage (share of intervals that hold the population's mean), half_width (mean), variance
        (mean of the estimated ones), spread (variance of the estimates), ess_gain (mean variance
        of Classical over this one, minus 1), planned_half_width, mixing, power.

    Raises
    ------
    ValueError
        If lengths differ, a label is missing, or a value is outside its range.

    Notes
    -----
    Each trial draws the population's records with replacement, then a batch from those, then the
    difference estimate with its Wald interval for the process. The same bootstrapped populations
    serve every policy and budget.
    """
    label = one_dimensional("human", human)
    n = len(calibration.population.verdict)
    if len(label) != n or np.isnan(label).any():
        raise ValueError(
            f"'human' must hold a label of each of the {n} records of the population; got "
            f"{len(label)} with {int(np.isnan(label).sum())} missing."
        )
    names = tuple(calibration.policies if policies is None else policies)
    for name in names:
        choice("policies", name, calibration.policies)
    sizes = [positive_int("budgets", budget) for budget in budgets]
    choice("design", design, DESIGNS)
    level, count = open_unit("confidence_level", confidence_level), positive_int("trials", trials)
    return _rows(calibration, label, names, sizes, count, design, level, seed)


def _rows(
    calibration: Calibration,
    label: FloatArray,
    names: tuple[str, ...],
    budgets: Sequence[int],
    trials: int,
    design: str,
    level: float,
    seed: int,
) -> Iterator[pd.DataFrame]:
    random = np.random.default_rng(seed)
    picked = random.integers(0, len(label), (trials, len(label)))
    z = float(stats.norm.isf((1 - level) / 2))
    truth = float(label.mean())
    for budget in budgets:
        rows = []
        for name in names:
            plan = plan_draw(calibration, name, budget)
            value, variance = _estimates(plan, label, picked, design, random)
            reach = z * np.sqrt(variance)
            rows.append(
                {
                    "policy": name,
                    "budget": budget,
                    "trials": trials,
                    "mean": float(value.mean()),
                    "bias": float(value.mean()) - truth,
                    "coverage": float(np.mean(np.abs(value - truth) <= reach)),
                    "half_width": float(reach.mean()),
                    "variance": float(variance.mean()),
                    "spread": float(value.var(ddof=1)) if trials > 1 else np.nan,
                    "planned_half_width": plan.half_width,
                    "mixing": plan.mixing,
                    "power": plan.tuning.power,
                }
            )
        judge = calibration.population.verdict[picked].mean(axis=1)
        rows.append(
            {
                "policy": JUDGE, "budget": budget, "trials": trials, "mean": float(judge.mean()),
                "bias": float(judge.mean()) - truth, "spread": float(judge.var(ddof=1)),
            }
        )  # fmt: skip
        table = pd.DataFrame(rows)
        classical = float(np.var(label, ddof=1)) / budget
        plain = table.loc[table["policy"] == "Classical", "variance"]
        base = float(plain.iloc[0]) if len(plain) else classical
        table.insert(9, "ess_gain", base / table["variance"] - 1)
        yield table


def _estimates(
    plan: Plan,
    label: FloatArray,
    picked: np.ndarray,
    design: str,
    random: np.random.Generator,
) -> tuple[FloatArray, FloatArray]:
    """Estimate and its variance in each trial, shape (trials,)."""
    trials, n = picked.shape
    size = np.sqrt(plan.risk_score)
    even = bool(np.ptp(size) == 0)
    # The chances of a bootstrapped population add up to the budget in it.
    if even:
        order = picked
        chance = np.full((trials, n), plan.budget / n)
    else:
        # Equal sizes in the random order of the bootstrap.
        place = np.argsort(-size[picked], axis=1, kind="stable")
        order = np.take_along_axis(picked, place, axis=1)
        filled = _fill(size[order], plan.budget)
        chance = (1 - plan.mixing) * filled + plan.mixing * plan.budget / n
    start = random.random((trials, 1))
    if design == "fixed":
        ends = np.cumsum(chance, axis=1)
        ends *= plan.budget / ends[:, -1:]
        ends[:, -1] = plan.budget
        before = np.concatenate([np.floor(-start), np.floor(ends[:, :-1] - start)], axis=1)
        drawn = np.floor(ends - start) > before
    else:
        drawn = random.random((trials, n)) < chance
    base = plan.tuning.offset + plan.tuning.power * plan.predictor[order]
    terms = base + np.where(drawn, (label[order] - base) / chance, 0.0)
    return terms.mean(axis=1), terms.var(axis=1, ddof=1) / n


def _fill(ordered: FloatArray, total: float) -> FloatArray:
    """`core.active.inclusion.water_fill` of each row, sizes in falling order."""
    n = ordered.shape[1]
    if total >= n:
        return np.ones_like(ordered)
    rest = np.cumsum(ordered[:, ::-1], axis=1)[:, ::-1]
    constants = (total - np.arange(n)) / rest
    first = np.argmax(constants * ordered <= 1.0, axis=1)
    chosen = np.take_along_axis(constants, first[:, None], axis=1)
    return np.minimum(ordered * chosen, 1.0)


def summarise(rows: pd.DataFrame) -> pd.DataFrame:
    """Average a simulation over its budgets.

    Returns
    -------
    DataFrame
        A row a policy: policy, budgets, coverage (mean), coverage_low, coverage_high (least and
        most over budgets), ess_gain, ess_gain_sd, half_width.
    """
    groups = rows.groupby("policy", sort=False)
    return pd.DataFrame(
        {
            "policy": list(groups.groups),
            "budgets": groups["budget"].nunique().to_numpy(),
            "coverage": groups["coverage"].mean().to_numpy(),
            "coverage_low": groups["coverage"].min().to_numpy(),
            "coverage_high": groups["coverage"].max().to_numpy(),
            "ess_gain": groups["ess_gain"].mean().to_numpy(),
            "ess_gain_sd": groups["ess_gain"].std(ddof=1).to_numpy(),
            "half_width": groups["half_width"].mean().to_numpy(),
        }
    )
