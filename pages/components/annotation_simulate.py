"""Simulation: would it have worked? Batches drawn again and again where the labels are known."""

from __future__ import annotations

from collections.abc import Iterator

import pandas as pd
import streamlit as st

from core.active.plan import power_curve
from core.active.policies import CLASSICAL, POLICIES
from core.active.simulate import JUDGE, simulate, summarise
from pages.annotation import figures
from pages.components import cached, charts, long_work, words
from pages.components.annotation_controls import (
    PAGE,
    Asked,
    chart,
    judge_note,
    offer,
)
from pages.components.long_work import Work

TRIALS = 300
SEED = 42


def budgets(n: int) -> list[int]:
    """The paper's budgets, 50 to 1,000, as far as the population goes."""
    wanted = [one for one in range(50, 1_001, 50) if one <= 0.6 * n]
    return wanted or [max(n // 2, 1)]


def draw(asked: Asked) -> None:
    """Draw the step."""
    space, calibration = asked.space, asked.space.calibrated()
    if calibration is None or not space.rehearsal:
        with st.container(border=True):
            st.markdown("**A simulation needs the labels of the population**")
            st.markdown(
                "It draws batches again and again and counts how often the interval holds the "
                "truth. Choose a cohort on which nearly every record has a label: a part of the "
                "labels is hidden, and revealed only for the records drawn."
            )
        return
    sizes = budgets(space.n_population)

    def begin() -> Work:
        steps: Iterator[pd.DataFrame] = simulate(
            calibration, space.hidden[space.population], budgets=sizes, trials=TRIALS,
            design="poisson", seed=SEED,
        )  # fmt: skip
        return Work(steps, 1, None)

    done = long_work.draw(
        (*asked.key(), "simulation"), begin, wanted=len(sizes), unit="budgets", page=PAGE,
        quick=True,
        shows=f"For each budget {TRIALS} batches by each policy, from the population drawn anew "
        "with replacement: how often the interval holds the truth, and what each policy saves.",
    )  # fmt: skip
    if done is None:
        return
    rows = done.rows()
    table = done.result("summary", summarise)
    subtitle = (
        f"{words.of(done.units, done.wanted)} budgets, {TRIALS} trials each, Poisson draws; "
        f"{words.count(space.n_population)} records, {words.count(space.n_calibration)} "
        f"calibrate{judge_note(asked)}"
    )
    left, right = st.columns(2, gap="medium")
    known = table[table["policy"] != JUDGE]
    best = known.loc[known["ess_gain"].idxmax()]
    with left:
        title = f"{best['policy']} is worth {100 * best['ess_gain']:+.0f}% more labels on average"
        gain = figures.simulated(
            rows, "ess_gain", title=title.replace("-", "−"), subtitle=subtitle,
            colours=charts.colours(),
        )  # fmt: skip
        chart(gain, "gain", f"{title}. ESS gain by budget and policy.")
    with right:
        low, high = known["coverage"].min(), known["coverage"].max()
        title = (
            f"Intervals hold the truth {words.percent(low)} to {words.percent(high)} of the time"
        )
        held = figures.simulated(
            rows, "coverage", title=title, subtitle=f"95% is promised. {subtitle}",
            colours=charts.colours(),
        )  # fmt: skip
        chart(held, "held", f"{title}. Coverage of the intervals by budget and policy.")
    st.dataframe(
        _cells(table), hide_index=True, width="stretch", row_height=34,
        key=f"{PAGE}_simulation_table", alt="Policies with coverage and gain over all budgets",
    )  # fmt: skip
    st.caption(
        "Mean over budgets; in brackets least and most coverage, and the standard deviation of the "
        "gain over budgets. ESS gain: mean estimated variance of Classical over that of the "
        "policy, minus 1."
    )
    powers = cached.result(
        "powers", asked.key(), tuple(sizes),
        lambda: pd.DataFrame(power_curve(calibration, "FSA", sizes))
        if "FSA" in calibration.policies
        else pd.DataFrame(),
    )  # fmt: skip
    offer(
        asked, "simulation",
        {"Summary": table, "Every budget": rows, "Power": powers},
        {"ESS gain": ("gain", gain), "Coverage": ("held", held)},
    )  # fmt: skip


def _cells(table: pd.DataFrame) -> pd.DataFrame:
    order = {name: place for place, name in enumerate((JUDGE, *POLICIES))}
    shown = table.sort_values("policy", key=lambda column: column.map(order))
    return pd.DataFrame(
        {
            "Policy": shown["policy"],
            "Interval coverage": [
                "no interval" if pd.isna(mean) else f"{mean:.3f} ({low:.3f} to {high:.3f})"
                for mean, low, high in zip(
                    shown["coverage"], shown["coverage_low"], shown["coverage_high"], strict=True
                )
            ],
            "ESS gain": [
                words.DASH
                if pd.isna(gain) or name == CLASSICAL
                else f"{100 * gain:+.1f}% (± {100 * sd:.1f})".replace("-", "−")
                for name, gain, sd in zip(
                    shown["policy"], shown["ess_gain"], shown["ess_gain_sd"], strict=True
                )
            ],
            "Mean half-width": [
                words.DASH if pd.isna(one) else f"±{100 * one:.2f} pp"
                for one in shown["half_width"]
            ],
        }
    )
