"""What annotation saves on the two cohorts with residuals: a table of README.md."""

from __future__ import annotations

from functools import cache

import pandas as pd

from core.active.simulate import JUDGE, simulate, summarise
from core.annotation_space import load_annotation_space
from sample_data.residual_report import AUTOFA, JUDGES, RAGTRUTH, store

BUDGETS, TRIALS, SEED = range(100, 1_001, 300), 300, 42
#: The features that the paper selects for its own policy.
SELECTED = {
    AUTOFA: ("ref-support-strength",),
    RAGTRUTH: ("self-confidence", "flag-reliability"),
}
#: Published ESS gains in percent, over budgets of 50 to 1,000.
PUBLISHED = {
    AUTOFA: {"Uniform": 13.3, "Confidence": 17.0, "FSA": 40.3},
    RAGTRUTH: {"Uniform": 11.3, "Confidence": 22.6, "FSA": 27.1},
}


@cache
def simulated(cohort: str, *, selected: bool) -> pd.DataFrame:
    """Simulate batches: a row a policy, averaged over budgets."""
    space = load_annotation_space(
        store(), cohort.lower(), JUDGES[cohort], features=SELECTED[cohort] if selected else None
    )
    calibration = space.calibrated()
    assert calibration is not None
    steps = simulate(
        calibration, space.hidden[space.population], budgets=BUDGETS, trials=TRIALS,
        policies=["Classical", "FSA"] if selected else None, design="poisson", seed=SEED,
    )  # fmt: skip
    return summarise(pd.concat(list(steps))).set_index("policy")


def annotation_table() -> list[tuple[str, ...]]:
    """Give coverage and ESS gain of every policy, beside the published gains."""
    rows: list[tuple[str, ...]] = [
        ("Cohort", "Policy", "Interval coverage", "ESS gain", "Published gain")
    ]
    for cohort in (AUTOFA, RAGTRUTH):
        every, chosen = simulated(cohort, selected=False), simulated(cohort, selected=True)
        found = [(str(name), every.loc[name]) for name in every.index if name != JUDGE]
        place = 1 + [name for name, _ in found].index("FSA")
        found.insert(place, ("FSA, the paper's features", chosen.loc["FSA"]))
        for name, row in found:
            span = f"{row['coverage_low']:.3f} to {row['coverage_high']:.3f}"
            published = PUBLISHED[cohort].get(name.split(",")[0])
            rows.append(
                (
                    cohort, name,
                    f"{row['coverage']:.3f} ({span})",
                    "–" if name == "Classical"
                    else f"{100 * row['ess_gain']:+.1f} ± {100 * row['ess_gain_sd']:.1f} %",
                    "–" if published is None else f"{published:+.1f} %",
                )
            )  # fmt: skip
    return rows
