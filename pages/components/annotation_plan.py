"""Plan: what a budget buys with each policy, and what a target costs."""

from __future__ import annotations

import numpy as np
import pandas as pd
import streamlit as st

from core.active.plan import labels_needed, mixing_curve
from core.active.policies import CLASSICAL
from pages.annotation import figures
from pages.components import cached, charts, words
from pages.components.annotation_controls import (
    MIXING_NAMES,
    PAGE,
    POLICY_HELP,
    POWER_NAMES,
    Asked,
    budget_and_width,
    chart,
    judge_note,
    offer,
    pick,
    points,
    step_button,
)

#: Budgets of the curves.
_CURVE = 12


def draw(asked: Asked) -> None:
    """Draw the step."""
    grid = budget_and_width(asked)
    price = grid.number_input(
        "Price per label", 0.0, value=1.2, step=0.1, key=f"{PAGE}_price", persist_state="session",
        help="In any currency.",
    )  # fmt: skip
    rate = grid.number_input(
        "Labels per day", 1, value=120, step=10, key=f"{PAGE}_rate", persist_state="session"
    )
    calibration = asked.space.calibrated()
    if calibration is None:
        with st.container(border=True):
            st.markdown("**No plan without labels**")
            st.markdown(
                f"What a batch will bring is worked out on labelled records: "
                f"{words.count(asked.space.n_calibration)} are here, and about 50 are needed. Draw "
                "a first batch, Uniform or by the judge's confidence; its labels bring the rest."
            )
            step_button("Draw a first batch", "draw")
        return
    curves = _curves(asked)
    needed: dict[str, int | None] = cached.result(
        "labels needed", asked.key(), (asked.half_width,),
        lambda: {
            name: labels_needed(calibration, name, asked.half_width) for name in asked.policies
        },
    )  # fmt: skip
    note = judge_note(asked)
    left, right = st.columns(2, gap="medium")
    with left:
        title = _title(needed, asked.half_width)
        plan = figures.plan(
            curves, budget=asked.budget, half_width=asked.half_width, title=title,
            subtitle="Expected half-width of the 95% interval, both axes logarithmic; worked out "
            f"on {words.count(asked.space.n_calibration)} labelled records{note}",
            colours=charts.colours(),
        )  # fmt: skip
        chart(plan, "plan", f"{title}. Half-width against budget for each policy.")
    with right:
        title = f"Labels needed for {points(asked.half_width)}"
        dots = figures.needed(
            needed, title=title, colours=charts.colours(),
            subtitle=f"Of {words.count(asked.space.n_population)}; change against Classical{note}",
        )  # fmt: skip
        chart(dots, "needed", f"{title}, for each policy.")
    table = _table(asked, needed)
    st.dataframe(
        _cells(table, price, rate), hide_index=True, width="stretch", row_height=34,
        key=f"{PAGE}_plan_table", alt="Policies with expected interval, gain, labels, cost, days",
    )  # fmt: skip
    st.caption(
        "Expected, not promised: from out-of-fold scores on the labelled records. τ is the share "
        "of the budget spread evenly, λ how far the verdict is trusted, a the offset. ESS gain: "
        "how many more labels without the judge give the same interval."
    )
    curve = _mixing(asked)
    drawn = {"Plan": ("plan", plan), "Labels needed": ("needed", dots)}
    offered = {"Plan": table, "Curves": curves}
    if curve is not None:
        drawn["Mixing"] = ("mixing_curve", curve)
    offer(asked, "plan", offered, drawn)


def _curves(asked: Asked) -> pd.DataFrame:
    n = asked.space.n_population
    low = min(50, max(n // 20, 2))
    grid = np.unique(np.geomspace(low, min(max(1_000, 2 * asked.budget), n), _CURVE).round())
    budgets = sorted({*map(int, grid), asked.budget})

    def made() -> pd.DataFrame:
        rows = []
        for name in asked.policies:
            for budget in budgets:
                plan = asked.plan(name, budget)
                rows.append((name, budget, plan.half_width, plan.ess_gain))
        return pd.DataFrame(rows, columns=["policy", "budget", "half_width", "ess_gain"])

    found: pd.DataFrame = cached.result("plan curves", asked.key(), tuple(budgets), made)
    return found


def _table(asked: Asked, needed: dict[str, int | None]) -> pd.DataFrame:
    plans = [asked.plan(name) for name in asked.policies]
    return pd.DataFrame(
        {
            "policy": [plan.policy for plan in plans],
            "budget": [plan.budget for plan in plans],
            "half_width": [plan.half_width for plan in plans],
            "ess_gain": [plan.ess_gain for plan in plans],
            "mixing": [plan.mixing for plan in plans],
            "offset": [plan.tuning.offset for plan in plans],
            "power": [plan.tuning.power for plan in plans],
            "labels_needed": pd.array([needed[plan.policy] for plan in plans], "Int64"),
        }
    )


def _cells(table: pd.DataFrame, price: float, rate: float) -> pd.DataFrame:
    known = [None if pd.isna(one) else int(one) for one in table["labels_needed"]]
    return pd.DataFrame(
        {
            "Policy": table["policy"],
            f"With {words.count(table['budget'].iloc[0])} labels": [
                points(one) for one in table["half_width"]
            ],
            "ESS gain": [f"{100 * one:+.0f}%".replace("-", "−") for one in table["ess_gain"]],
            "τ": [f"{one:.2f}" for one in table["mixing"]],
            "λ": [f"{one:.2f}".replace("-", "−") for one in table["power"]],
            "a": [f"{one:.2f}".replace("-", "−") for one in table["offset"]],
            "Labels needed": [words.DASH if one is None else words.count(one) for one in known],
            "Cost": [words.DASH if one is None else f"{price * one:,.2f}" for one in known],
            "Days": [words.DASH if one is None else f"{one / rate:.1f}" for one in known],
        }
    )


def _title(needed: dict[str, int | None], half_width: float) -> str:
    known = {name: count for name, count in needed.items() if count is not None}
    if not known:
        return f"No policy reaches {points(half_width)}, not even with every label"
    best = min(known, key=lambda name: known[name])
    base = known.get(CLASSICAL)
    if base is None or best == CLASSICAL:
        return f"{best} reaches {points(half_width)} with {words.count(known[best])} labels"
    share = known[best] / base
    return f"{best} reaches {points(half_width)} with {words.percent(share)} of the labels"


def _mixing(asked: Asked):
    """The share that is spread evenly: the best one, or one's own."""
    names = {name: name for name in asked.policies}
    grid = st.grid(3, min_column_width=200)
    pick(grid, "Policy", "policy", names, asked.policy, POLICY_HELP)
    best = asked.plan(asked.policy)
    shown = {
        one: f"Best for this budget ({best.mixing:.2f})" if one == "best" else one
        for one in MIXING_NAMES
    }
    value = "best" if asked.mixing is None else f"{asked.mixing:.2f}"
    pick(
        grid, "Spread evenly, τ", "mixing", shown, value,
        "More of it keeps every weight small; less follows the scores more closely.",
    )  # fmt: skip
    trusted = {
        one: f"Best for this budget ({best.tuning.power:.2f})" if one == "best" else one
        for one in POWER_NAMES
    }
    pick(
        grid, "Trust in the prediction, λ", "power", trusted,
        "best" if asked.power is None else f"{asked.power:.1f}",
        "0: labels alone; 1: the prediction counts in full. The estimate is unbiased either way.",
    )  # fmt: skip
    if float(np.ptp(best.risk_score)) == 0:
        st.caption(f"{asked.policy} spreads the whole budget evenly: there is no τ to choose.")
        return None
    calibration = asked.space.calibrated()
    assert calibration is not None
    rows = cached.result(
        "mixing", asked.key(), (asked.policy, asked.budget),
        lambda: mixing_curve(calibration, asked.policy, asked.budget),
    )  # fmt: skip
    chosen = best.mixing if asked.mixing is None else asked.mixing
    plan = asked.chosen()
    trust = "" if asked.power is None else f", λ = {asked.power:.1f}"
    gain = f"{100 * plan.ess_gain:+.0f}%"
    title = f"At τ = {chosen:.2f}{trust}, {asked.policy} is worth {gain} more labels"
    figure = figures.mixing(
        rows, chosen, title=title.replace("-", "−"), colours=charts.colours(),
        subtitle=f"{words.count(asked.budget)} labels; expected{judge_note(asked)}",
    )  # fmt: skip
    chart(figure, "mixing_curve", f"{title}. Expected gain against the share spread evenly.")
    return figure
