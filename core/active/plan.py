"""What a budget buys: expected interval, best mixing, labels needed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import ArrayLike
from scipy import stats

from core.active.estimate import Tuning, least_squares
from core.active.inclusion import fill_constant, fraction, mixed, sizes, within_population
from core.active.policies import Part, available, predictor, score
from core.validation import FloatArray, choice, one_dimensional, open_unit, same_length

#: Shares of the budget spread evenly that are tried.
MIXINGS: Final = tuple(step / 20 for step in range(1, 21))
#: Share spread evenly where no label is there to choose it by.
DEFAULT_MIXING: Final = 0.5
#: How often tuning and chances are fitted to each other.
_ROUNDS = 3


@dataclass(frozen=True, eq=False)
class Plan:
    """A draw that is planned, and what it is expected to bring.

    Attributes
    ----------
    policy : str
    budget : int
    mixing : float
    tuning : Tuning
    plain_power : float
        The best power without an offset, for the paper's estimator as printed.
    inclusion_prob : float array of shape (n,)
        Of the population; adds up to the budget.
    risk_score : float array of shape (n,)
        What the chances follow; ones for an even spread.
    predictor : float array of shape (n,)
    variance : float
        Expected variance of the estimate, for the process behind the records.
    half_width : float
        Of its interval.
    ess_gain : float
        Variance of as many labels without the judge, over this one, minus 1.
    """

    policy: str
    budget: int
    mixing: float
    tuning: Tuning
    plain_power: float
    inclusion_prob: FloatArray
    risk_score: FloatArray
    predictor: FloatArray
    variance: float
    half_width: float
    ess_gain: float


@dataclass(frozen=True, eq=False)
class Calibration:
    """Labelled records that a plan learns from, and the population that it is for.

    Attributes
    ----------
    human : float array of shape (m,)
    known : Part
        Of the labelled records; its scores must not have seen their labels (out of fold).
    population : Part
    """

    human: FloatArray
    known: Part
    population: Part

    @property
    def policies(self) -> tuple[str, ...]:
        """Policies that can be planned."""
        return tuple(name for name in available(self.population) if name in available(self.known))


def make_calibration(human: ArrayLike, known: Part, population: Part) -> Calibration:
    """Put labels and what is known together.

    Raises
    ------
    ValueError
        If lengths differ, there are fewer than two labels, or one is missing.
    """
    label = one_dimensional("human", human)
    same_length(human=label, known=known.verdict)
    if len(label) < 2 or np.isnan(label).any():
        raise ValueError(
            f"'human' must hold at least two labels and no gap; got {len(label)} with "
            f"{int(np.isnan(label).sum())} missing."
        )
    return Calibration(label, known, population)


def plan_draw(
    calibration: Calibration,
    policy: str,
    budget: int,
    *,
    mixing: float | None = None,
    power: float | None = None,
    confidence_level: float = 0.95,
) -> Plan:
    """Plan a draw: chances for the population, mixing and tuning from the calibration records.

    Parameters
    ----------
    calibration : Calibration
    policy : {"Classical", "Uniform", "Confidence", "FSA", "Tuned", "Recalibrated"}
    budget : int
        Labels, at most as many as the population has records.
    mixing : float, optional
        Share spread evenly; by default the one of `MIXINGS` with the least expected variance.
    power : float, optional
        How far the prediction is trusted; by default the one with the least expected variance.
    confidence_level : float

    Returns
    -------
    Plan

    Raises
    ------
    ValueError
        If the policy needs a model that isn't there, or a value is outside its range.

    Notes
    -----
    With chances π at the calibration records, the expected variance is
    [Var h + mean((1/π − 1)(h − a − λg)²)] / n for a population of n; offset and power minimise the
    second term (`core.active.estimate.tune`), and mixing is chosen jointly with them.
    """
    choice("policy", policy, calibration.policies)
    level = open_unit("confidence_level", confidence_level)
    n = len(calibration.population.verdict)
    total = within_population("budget", budget, n)
    tried = MIXINGS if mixing is None else (fraction("mixing", mixing),)
    known_g = predictor(policy, calibration.known)
    if power is not None and not np.isfinite(power):
        raise ValueError(f"'power' must be a finite number; got {power!r}.")
    tuning = _tuned(calibration.human, known_g, np.full(len(known_g), 0.5), power)
    best = _try(calibration, policy, total, tried, tuning, power)
    for _ in range(_ROUNDS - 1):
        if score(policy, calibration.known, best[2]) is None:
            break
        again = _try(calibration, policy, total, tried, best[2], power)
        if again[0] >= best[0]:
            break
        best = again
    variance, share, tuning, shape = best
    even = shape is None
    chance = (
        np.full(n, total / n)
        if shape is None
        else mixed(_filled(shape, shape, total), share, total)
    )
    follows = None if shape is None else score(policy, calibration.known, tuning)
    filled = np.full(len(known_g), total / n)
    if follows is not None and shape is not None:
        filled = (1 - share) * _filled(sizes(follows), shape, total) + share * total / n
    plain = least_squares(
        calibration.human, known_g, np.maximum(1 / filled - 1, 0.0), through_origin=True
    )
    z = float(stats.norm.isf((1 - level) / 2))
    classical = float(np.var(calibration.human, ddof=1)) / total
    return Plan(
        policy=policy,
        budget=int(budget),
        mixing=1.0 if even else share,
        tuning=tuning,
        plain_power=plain.power,
        inclusion_prob=chance,
        risk_score=np.ones(n) if shape is None else shape**2,
        predictor=predictor(policy, calibration.population),
        variance=variance,
        half_width=z * float(np.sqrt(variance)),
        ess_gain=classical / variance - 1 if variance > 0 else 0.0,
    )


def plan_blind(
    population: Part, policy: str, budget: int, *, mixing: float = DEFAULT_MIXING
) -> Plan:
    """Plan a draw where no label is there yet; nothing can be said of what it brings.

    Parameters
    ----------
    population : Part
    policy : {"Classical", "Uniform", "Confidence"}
    budget, mixing
        As in `plan_draw`.

    Raises
    ------
    ValueError
        As `plan_draw`.
    """
    choice("policy", policy, [name for name in available(population) if name[0] in "CU"])
    n = len(population.verdict)
    total, share = within_population("budget", budget, n), fraction("mixing", mixing)
    follows = score(policy, population, Tuning(0.0, 1.0))
    even = follows is None
    size = np.ones(n) if follows is None else sizes(follows)
    return Plan(
        policy=policy,
        budget=int(budget),
        mixing=1.0 if even else share,
        tuning=Tuning(float("nan"), float("nan")),
        plain_power=float("nan"),
        inclusion_prob=mixed(_filled(size, size, total), 1.0 if even else share, total),
        risk_score=size**2,
        predictor=predictor(policy, population),
        variance=float("nan"),
        half_width=float("nan"),
        ess_gain=float("nan"),
    )


def mixing_curve(calibration: Calibration, policy: str, budget: int) -> list[tuple[float, float]]:
    """Give mixing and expected ESS gain for each of `MIXINGS` (the paper's figure 4)."""
    plans = [plan_draw(calibration, policy, budget, mixing=one) for one in MIXINGS]
    return [(plan.mixing if plan.mixing < 1 else one, plan.ess_gain)
            for one, plan in zip(MIXINGS, plans, strict=True)]  # fmt: skip


def power_curve(
    calibration: Calibration, policy: str, budgets: Sequence[int]
) -> list[dict[str, float]]:
    """Expected variance with power 0, 1 and the best, without offset (the paper's figure 5).

    Returns
    -------
    list of dict
        budget, classical, power_0, power_1, best, power: a row a budget.
    """
    rows = []
    for budget in budgets:
        plan = plan_draw(calibration, policy, budget)
        chance = _known_chance(calibration, policy, plan)
        human, g = calibration.human, predictor(policy, calibration.known)
        best = least_squares(human, g, 1 / chance - 1, through_origin=True).power
        n, row = len(plan.inclusion_prob), {"budget": float(budget), "power": best}
        row["classical"] = float(np.var(human, ddof=1)) / budget
        for name, power in (("power_0", 0.0), ("power_1", 1.0), ("best", best)):
            row[name] = _expected(human, chance, human - power * g, n)
        rows.append(row)
    return rows


def labels_needed(
    calibration: Calibration, policy: str, half_width: float, *, confidence_level: float = 0.95
) -> int | None:
    """Give the smallest budget whose expected half-width is at most the one asked for.

    Returns
    -------
    int or None
        None where labelling the whole population doesn't reach it.

    Raises
    ------
    ValueError
        As `plan_draw`, or if the half-width isn't in (0, 1).
    """
    wanted = open_unit("half_width", half_width)

    def reached(budget: int) -> bool:
        plan = plan_draw(calibration, policy, budget, confidence_level=confidence_level)
        return plan.half_width <= wanted

    low, high = 1, len(calibration.population.verdict)
    if not reached(high):
        return None
    while low < high:
        middle = (low + high) // 2
        low, high = (low, middle) if reached(middle) else (middle + 1, high)
    return low


def _try(
    calibration: Calibration,
    policy: str,
    total: float,
    mixings: Sequence[float],
    tuning: Tuning,
    power: float | None,
) -> tuple[float, float, Tuning, FloatArray | None]:
    """The best of some mixings: variance, mixing, tuning, and the sizes of the population."""
    human, g = calibration.human, predictor(policy, calibration.known)
    n = len(calibration.population.verdict)
    known = score(policy, calibration.known, tuning)
    follows = score(policy, calibration.population, tuning)
    if known is None or follows is None:
        chance = np.full(len(human), total / n)
        found = _tuned(human, g, chance, power)
        error = human - found.offset - found.power * g
        return _expected(human, chance, error, n), 1.0, found, None
    size = sizes(follows)
    filled = _filled(sizes(known), size, total)
    best: tuple[float, float, Tuning] | None = None
    for share in mixings:
        chance = (1 - share) * filled + share * total / n
        found = _tuned(human, g, chance, power)
        error = human - found.offset - found.power * g
        variance = _expected(human, chance, error, n)
        if best is None or variance < best[0]:
            best = variance, share, found
    assert best is not None
    return (*best, size)


def _tuned(human: FloatArray, g: FloatArray, chance: FloatArray, power: float | None) -> Tuning:
    weight = np.maximum(1 / chance - 1, 0.0)
    if power is None:
        return least_squares(human, g, weight)
    offset = least_squares(human - power * g, np.zeros(len(g)), weight).offset
    return Tuning(offset, float(power))


def _expected(human: FloatArray, chance: FloatArray, error: FloatArray, n: int) -> float:
    spread = float(np.var(human, ddof=1))
    return (spread + float(np.mean(np.maximum(1 / chance - 1, 0.0) * error**2))) / n


def _filled(size: FloatArray, population: FloatArray, total: float) -> FloatArray:
    """Chances before mixing, of any records, filled up over the population."""
    constant = fill_constant(population, total)
    return np.minimum(size * constant, 1.0)


def _known_chance(calibration: Calibration, policy: str, plan: Plan) -> FloatArray:
    known = score(policy, calibration.known, plan.tuning)
    n, total = len(plan.inclusion_prob), float(plan.budget)
    if known is None:
        return np.full(len(calibration.human), total / n)
    filled = _filled(sizes(known), np.sqrt(plan.risk_score), total)
    return (1 - plan.mixing) * filled + plan.mixing * total / n
