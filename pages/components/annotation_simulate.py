"""Simulation: would it have worked? Batches drawn again and again where the labels are known."""

from __future__ import annotations

from collections.abc import Iterator

import pandas as pd
import streamlit as st

from core.active.plan import power_curve
from core.active.policies import CLASSICAL, FSA, POLICIES
from core.active.simulate import JUDGE, simulate, summarise
from core.annotation_space import feature_set_gains
from core.residuals.correlation import feature_correlations
from core.residuals.feature_sets import candidate_sets
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
    left, right = st.columns(2, gap="medium")
    with left:
        powers, drawn = _powers(asked, sizes)
    with right:
        # One long work at a time: the page's run goes on with the one that it drew last.
        sets = None if done.work.running else _sets(asked)
    offered = {"Summary": table, "Every budget": rows, "Power": powers}
    if sets is not None:
        offered["Feature sets"] = sets
    offer(
        asked, "simulation", offered,
        {"ESS gain": ("gain", gain), "Coverage": ("held", held), "Power": ("powers", drawn)},
    )  # fmt: skip


def _powers(asked: Asked, sizes: list[int]):
    """What the printed form's power does to the error (the paper's figure 5)."""
    calibration = asked.space.calibrated()
    assert calibration is not None
    powers: pd.DataFrame = cached.result(
        "powers", asked.key(), tuple(sizes),
        lambda: pd.DataFrame(power_curve(calibration, FSA, sizes)),
    )  # fmt: skip
    loses = int((powers["best"] > powers["classical"]).sum())
    low, high = powers["power"].min(), powers["power"].max()
    best = f"{low:.2f}" if f"{low:.2f}" == f"{high:.2f}" else f"{low:.2f} to {high:.2f}"
    title = f"Without an offset the best λ is {best}, and " + (
        f"loses to labels alone at {words.of(loses, len(powers))} budgets"
        if loses
        else "saves labels at every budget"
    )
    figure = figures.powers(
        powers, title=title, colours=charts.colours(),
        subtitle="FSA, the estimator as printed; expected, from the calibration records"
        + judge_note(asked),
    )  # fmt: skip
    chart(figure, "powers", f"{title}. Expected error against budget for several powers.")
    return powers, figure


def _sets(asked: Asked) -> pd.DataFrame | None:
    """What fewer features buy (the paper's Table 5)."""
    space = asked.space
    names = list(space.feature_names)
    ranked = feature_correlations(space.features[names], space.human - space.predictor)
    known = ranked[ranked["spearman"].notna()]
    order = known["spearman"].abs().sort_values(ascending=False, kind="stable").index
    families = {name: space.families.get(name, "other") for name in names}
    sets = candidate_sets(families, [str(one) for one in known.loc[order, "feature"]])
    st.subheader("Feature sets", anchor=False)
    done = long_work.draw(
        (*asked.key(), "sets", asked.budget),
        lambda: Work(feature_set_gains(space, sets, asked.budget), 1, None),
        wanted=len(sets), unit="feature sets", page=f"{PAGE}_sets", quick=True,
        shows="What the paper's policy gains with fewer features: a feature that has to be made "
        "by hand or by a model should earn it.",
    )  # fmt: skip
    if done is None:
        return None
    table = pd.DataFrame(done.work.parts[: done.units])
    st.dataframe(
        pd.DataFrame(
            {
                "Set": table["name"],
                "Size": table["size"],
                "Spearman": [words.DASH if pd.isna(one) else f"{one:.2f}" for one in
                             table["spearman"]],
                "τ": [f"{one:.2f}" for one in table["mixing"]],
                "Expected gain": [f"{100 * one:+.0f}%".replace("-", "−") for one in
                                  table["ess_gain"]],
            }
        ),
        hide_index=True, width="stretch", row_height=34, key=f"{PAGE}_sets_table",
        alt="Feature sets with rank correlation, mixing and expected gain",
    )  # fmt: skip
    st.caption(
        f"FSA with {words.count(asked.budget)} labels, expected from the calibration records."
    )
    return table


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
