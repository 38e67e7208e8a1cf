"""Estimate and audit: what the labels of a batch say."""

from __future__ import annotations

import numpy as np
import pandas as pd
import streamlit as st

from core.active.audit import ADVICE
from core.active.audit import audit as compare
from core.adjudication import RULES
from core.annotation import BatchEstimate, estimate
from core.store.batches import Batch
from pages.annotation import figures
from pages.components import cached, charts, link_state, words
from pages.components.annotation_controls import (
    PAGE,
    Asked,
    batch_picker,
    chart,
    judge_note,
    offer,
    pick,
    points,
    refused,
    step_button,
)
from pages.components.annotation_labels import RULE_NAMES

TARGET_NAMES = {"process": "The process behind the records", "finite": "These records"}
_TARGET_HELP = """**The process**: what people would say of all records that come from where these
came from. **These records**: what they would say of these, were all of them labelled; the interval
is shorter, and says nothing of others."""
_HEAVIEST = 10


def draw(asked: Asked) -> None:
    """Draw the estimate."""
    batch = batch_picker(asked, needs="An estimate needs a batch, and its labels.")
    if batch is None:
        return
    grid = st.grid(2, min_column_width=200)
    target = link_state.choice("target", list(TARGET_NAMES), default="process")
    pick(grid, "Estimate of", "target", TARGET_NAMES, target, _TARGET_HELP)
    rule = link_state.choice("rule", RULES, default="majority")
    pick(grid, "What counts", "rule", RULE_NAMES, rule)
    if not batch.n_labelled:
        with st.container(border=True):
            st.markdown("**No label has come back yet**")
            st.markdown("With half of them back, people's rate and its interval show here.")
            step_button("Hand in labels", "labels")
        return
    found: BatchEstimate | None = refused(
        lambda: estimate(cached.database(), batch, rule=rule, target=target)
    )
    if found is None:
        step_button("Hand in labels", "labels")
        return
    one = found.estimates.get("batches combined", found.estimates["difference"])
    left, right = st.columns([1.3, 1], gap="medium")
    with left:
        title = (
            f"People would call {words.percent(one.value)} correct; the judge says "
            f"{words.percent(found.judge_rate)}"
        )
        forest = figures.forest(
            found.judge_rate, found.estimates, title=title, colours=charts.colours(),
            subtitle=f"{words.count(found.n_returned)} labels of "
            f"{words.count(batch.n_population)} records that could be drawn; target: "
            f"{TARGET_NAMES[target].lower()}; 95% intervals{judge_note(asked)}",
        )  # fmt: skip
        chart(forest, "forest", f"{title}. Estimates with intervals.")
    with right:
        _realised(batch, found)
    heavy = found.population.dropna(subset=["contribution"])
    heavy = heavy.loc[heavy["contribution"].abs().sort_values(ascending=False).index[:_HEAVIEST]]
    st.subheader("Records that carry the correction", anchor=False)
    st.dataframe(
        _cells(heavy), hide_index=True, width="stretch", row_height=34, key=f"{PAGE}_heavy",
        alt="Records with most weight in the estimate",
    )  # fmt: skip
    st.caption(
        "The difference estimator adds to the mean of the working prediction what each label "
        "corrects, weighted by one over its chance; offset and power were set before the labels. "
        "Horvitz–Thompson is the paper's printed form, without an offset: where the judge is "
        "biased, it needs far more labels for the same interval, so it isn't the default. Labels "
        "alone is the weighted mean of the labels, without the judge."
    )
    offer(
        asked, "estimate",
        {
            "Estimates": estimates_table(found),
            "Records": found.population,
        },
        {"Estimates": ("forest", forest)},
    )  # fmt: skip


def estimates_table(found: BatchEstimate) -> pd.DataFrame:
    """A row an estimator."""
    rows: list[dict[str, object]] = [{"estimator": "judge alone", "value": found.judge_rate}]
    for name, one in found.estimates.items():
        rows.append(
            {
                "estimator": name, "value": one.value, "low": one.low, "high": one.high,
                "standard_error": one.standard_error, "n_population": one.n_population,
                "n_labelled": one.n_labelled, "offset": one.offset, "power": one.power,
                "ess_kish": one.ess_kish, "warnings": " ".join(one.warnings),
            }
        )  # fmt: skip
    return pd.DataFrame(rows)


def _realised(batch: Batch, found: BatchEstimate) -> None:
    one = found.estimates["difference"]
    st.markdown("**Realised against planned**")
    planned = batch.settings["planned_half_width"]
    said = [f"{points((one.high - one.low) / 2)} realised"]
    if planned is not None:
        said.append(f"{points(planned)} planned")
    said.append(f"{words.of(found.n_returned, found.n_drawn)} labels count")
    st.markdown(" · ".join(said))
    st.caption(
        f"Kish's effective sample: {one.ess_kish:,.0f} equally weighted labels weigh as much. "
        f"λ {one.power:.2f}, a {one.offset:.2f}.".replace("-", "−")
    )
    if found.missing is not None:
        low, high = found.missing
        st.warning(
            f"{words.count(found.n_drawn - found.n_returned)} labels are missing. If all were "
            f"wrong the estimate would be {words.percent(low)}; if all were correct, "
            f"{words.percent(high)}."
        )
    for note in one.warnings:
        st.warning(words.plain(note))
    if found.n_open:
        st.info(f"{words.count(found.n_open)} records wait: annotators differ on them.")


def _cells(heavy: pd.DataFrame) -> pd.DataFrame:
    return pd.DataFrame(
        {
            "Id": heavy["item_id"],
            "People": heavy["human"].map({1.0: "correct", 0.0: "wrong"}),
            "Prediction": [f"{one:.2f}" for one in heavy["predictor"]],
            "Chance": [words.percent(one) for one in heavy["inclusion_prob"]],
            "Stands for": [f"{one:.1f} records" for one in heavy["weight"]],
            "Moves the estimate": [
                f"{100 * one:+.2f} pp".replace("-", "−") for one in heavy["contribution"]
            ],
        }
    )


def draw_audit(asked: Asked) -> None:
    """Draw the audit of the scores."""
    batch = batch_picker(asked, needs="An audit looks at the uniform slice of a batch.")
    if batch is None:
        return
    found: BatchEstimate | None = refused(lambda: estimate(cached.database(), batch))
    if found is None:
        step_button("Hand in labels", "labels")
        return
    marked = found.population[found.population["audit"] & found.population["human"].notna()]
    if marked.empty:
        with st.container(border=True):
            st.markdown("**This batch has no audit slice with labels**")
            st.markdown(
                "A uniform slice, asked for when the batch is drawn, tells whether the scores "
                "still rank where the prediction is off: after a change of the judge, of its "
                "evidence or of the questions they may not."
            )
            step_button("Draw a batch with one", "draw")
        return
    one = found.estimates["difference"]
    error = marked["human"] - one.offset - one.power * marked["predictor"]
    score, squared = marked["risk_score"].to_numpy(float), (error**2).to_numpy(float)
    result = compare(score, squared)
    grid = st.grid(4, min_column_width=135, gap="small")
    rho = words.DASH if result.spearman is None else f"{result.spearman:+.2f}".replace("-", "−")
    span = (
        "no interval"
        if result.low is None or result.high is None
        else f"{result.low:+.2f} to {result.high:+.2f}".replace("-", "−")
    )
    for label, value, pill in (
        ("Records", words.count(result.n), "uniform slice"),
        ("Spearman", rho, span),
        ("Expected", f"{result.mean_score:.3f}", "squared error"),
        ("Observed", f"{result.mean_squared:.3f}", "squared error"),
    ):
        grid.metric(label, value, pill, delta_color="off", delta_arrow="off", border=True)
    {"keep": st.success, "refit": st.error}.get(result.advice, st.info)(ADVICE[result.advice])
    title = f"Expected {result.mean_score:.3f}, observed {result.mean_squared:.3f}"
    figure = figures.audit(
        score, squared, title=title, colours=charts.colours(),
        subtitle=f"Squared errors of the working prediction on {words.count(result.n)} records of "
        f"the uniform slice, in groups by score{judge_note(asked)}",
    )  # fmt: skip
    chart(figure, "audit_plot", f"{title}. Observed against expected squared error.")
    offer(
        asked, "audit",
        {"Slice": marked.assign(squared_error=np.asarray(squared))},
        {"Audit": ("audit_plot", figure)},
    )  # fmt: skip
