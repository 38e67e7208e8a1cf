"""Chances, draws and the paper's simulation, beside the obvious ways to get them."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np
import pandas as pd
from scipy.optimize import brentq

from benchmarks.table import Row, once, seconds
from core.active.draw import draw_batch
from core.active.estimate import estimate_mean
from core.active.inclusion import inclusion_probabilities
from core.active.plan import Calibration, make_calibration, plan_draw
from core.active.policies import POLICIES, make_part
from core.active.simulate import simulate

N, BUDGET = 1_000_000, 10_000
BUDGETS, TRIALS = range(50, 1_001, 50), 300
#: Trials of the slow way, whose time is multiplied up.
FEW = 3


def root_finder(score: np.ndarray) -> np.ndarray:
    """The same chances from a root finder over the constant."""
    size = np.sqrt(np.maximum(score, 1e-3))
    constant = brentq(lambda c: np.minimum(c * size, 1).sum() - BUDGET, 0, 1e6, xtol=1e-14)
    return np.minimum(constant * size, 1)


def pivotal(chance: np.ndarray) -> np.ndarray:
    """A fixed-size draw one pair of records after another, as it is usually written."""
    random, pi = np.random.default_rng(0), chance.copy()
    i = 0
    for j in range(1, len(pi)):
        a, b = pi[i], pi[j]
        if a + b < 1:
            keep = random.random() < b / (a + b)
            pi[j if keep else i], pi[i if keep else j] = a + b, 0.0
        else:
            keep = random.random() < (1 - b) / (2 - a - b)
            pi[i if keep else j], pi[j if keep else i] = 1.0, a + b - 1
        if pi[i] in (0.0, 1.0):
            i = j
    return pi > 0.5


def made(n: int, m: int) -> tuple[Calibration, np.ndarray]:
    """A population of the size of the RAGTruth-like one, with all that the policies need."""
    random = np.random.default_rng(1)
    accepted = random.beta(4, 1, n + m)
    human = (random.random(n + m) < accepted).astype(float)
    doubt = random.uniform(0, 0.6, n + m)
    verdict = np.where(random.random(n + m) < doubt, 0.0, human)

    def part(where: slice):
        return make_part(
            verdict[where], doubt=doubt[where], risk=(doubt * accepted)[where],
            accepted=accepted[where],
        )  # fmt: skip

    return make_calibration(human[:m], part(slice(0, m)), part(slice(m, None))), human[m:]


def one_by_one(calibration: Calibration, human: np.ndarray) -> None:
    """The same simulation with a loop over trials."""
    random = np.random.default_rng(0)
    g = calibration.population.verdict
    for budget in BUDGETS:
        for policy in POLICIES:
            plan = plan_draw(calibration, policy, budget)
            for trial in range(FEW):
                rows = random.integers(0, len(human), len(human))
                chance = inclusion_probabilities(plan.risk_score[rows], budget, mixing=plan.mixing)
                drawn = draw_batch(chance, design="poisson", seed=trial)
                estimate_mean(human[rows], g[rows], chance, drawn, tuning=plan.tuning)


def all_of(steps: Callable[[], object]) -> pd.DataFrame:
    return pd.concat(list(steps()))  # type: ignore[call-overload]


def run() -> list[Row]:
    score = np.random.default_rng(0).beta(1, 5, N)
    chance = inclusion_probabilities(score, BUDGET, mixing=0.3)
    calibration, human = made(1_762, 1_175)
    trials = partial(
        simulate, calibration, human, budgets=BUDGETS, trials=TRIALS, design="poisson", seed=0
    )
    loop = once(partial(one_by_one, calibration, human)) * TRIALS / FEW
    return [
        Row("chances of being drawn", f"{N:,}",
            seconds(partial(inclusion_probabilities, score, BUDGET, mixing=0.3)),
            "root finder", seconds(partial(root_finder, score)), "1 s"),
        Row("draw of a fixed size", f"{N:,}", seconds(partial(draw_batch, chance, seed=0)),
            "pivotal, a loop", once(partial(pivotal, chance)), "1 s"),
        Row(f"simulation: {len(BUDGETS)} budgets × {TRIALS} × {len(POLICIES)}", f"{len(human):,}",
            once(partial(all_of, trials)), f"trial by trial, from {FEW}", loop, "20 s"),
    ]  # fmt: skip
