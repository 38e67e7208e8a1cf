"""What active annotation saves on PandaLM: a part of `python -m tests.real.report`."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import pandas as pd

from core.active.plan import Calibration, make_calibration
from core.active.policies import Part, make_part
from core.active.simulate import JUDGE, simulate, summarise
from core.residuals.acceptance import fit_acceptance
from core.residuals.risk_model import fit_risk_model
from tests.real.convert import pandalm
from tests.real.report_residuals import PANDALM, Table

JUDGE_NAME = "gpt-3.5-turbo"
BUDGETS, TRIALS, SEED = (50, 100, 150), 1_000, 0
CALIBRATION_SHARE = 0.4


@cache
def records() -> tuple[Calibration, np.ndarray]:
    """Split the pairs 40/60, train on the first part; give it and the labels of the second.

    h is 1 where most annotators prefer response 1, f where GPT-3.5 does; ties and garbage are 0.
    """
    frame = pandalm(PANDALM)
    frame = frame[frame["judge"] == JUDGE_NAME].reset_index(drop=True)
    votes = frame.filter(like="label:").astype(float).mean(axis=1).to_numpy()
    human = (votes > 0.5).astype(float)
    verdict = (frame["verdict"] == True).to_numpy(dtype=float)  # noqa: E712 - missing is no True
    features = frame.filter(like="feature:").astype(float)
    known = np.zeros(len(frame), dtype=bool)
    order = np.random.default_rng(SEED).permutation(len(frame))
    known[order[: round(CALIBRATION_SHARE * len(frame))]] = True
    target = np.where(known, human, np.nan)
    risk = fit_risk_model(features, target - verdict, seed=SEED).score_out_of_fold
    accepted = fit_acceptance(features.assign(verdict=verdict), target, seed=SEED)

    def part(chosen: np.ndarray) -> Part:
        return make_part(
            verdict[chosen], risk=np.maximum(risk[chosen], 0), accepted=accepted[chosen]
        )

    return make_calibration(human[known], part(known), part(~known)), human[~known]


@cache
def simulation() -> pd.DataFrame:
    """Run the simulation: a row a budget and policy."""
    calibration, human = records()
    steps = simulate(
        calibration, human, budgets=BUDGETS, trials=TRIALS, design="poisson", seed=SEED
    )
    return pd.concat(list(steps), ignore_index=True)


def rows() -> Table:
    """Give coverage and ESS gain, budget by budget and on average."""
    table = simulation()
    made: Table = [
        ("Policy", *(f"gain, {one} labels" for one in BUDGETS), "mean gain", "interval coverage")
    ]
    row: Any
    for row in summarise(table).itertuples():
        if row.policy == JUDGE:
            continue
        own = table[table["policy"] == row.policy]
        made.append(
            (
                str(row.policy),
                *(f"{100 * gain:+.0f} %" for gain in own["ess_gain"]),
                f"{100 * row.ess_gain:+.0f} %",
                f"{row.coverage:.3f} ({row.coverage_low:.3f} to {row.coverage_high:.3f})",
            )
        )
    return made


TEXT = f"""\
**Annotation** on PandaLM: GPT-3.5's verdicts on 999 pairs, the majority of three annotators, nine
features that need no model call; 40 % calibrate, batches of the rest are drawn {TRIALS:,} times a
budget from the population drawn anew (seed {SEED}). ESS gain over Classical, and how often a 95 %
interval holds the truth, with least and most over budgets:"""
