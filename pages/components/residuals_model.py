"""Risk model: how well features predict the residual, and which of them it takes."""

from __future__ import annotations

from dataclasses import dataclass

import pandas as pd
import streamlit as st

from core.residuals.calibration_curve import calibration_curve
from core.residuals.correlation import feature_correlations
from core.residuals.feature_sets import candidate_sets, feature_set_table, iterate_feature_sets
from core.residuals.risk_model import RiskModel, n_steps, risk_model_steps
from pages.components import cached, charts, long_work, words
from pages.components.long_work import Work
from pages.components.residuals_controls import PAGE, SEED, Asked, chart, offer
from pages.residuals import figures, tables

#: Cells (records × features) up to which a model is trained without being asked for.
AT_ONCE = 300_000
#: Seconds a cell takes, with five folds, measured on two cores.
_SECONDS = 8e-6


@dataclass(frozen=True, eq=False)
class Trained:
    """A model, and the features that it was trained on."""

    model: RiskModel
    features: pd.DataFrame


def trained(asked: Asked, *, place: str) -> Trained | None:
    """The model of all features; where it can't be had at once, say why, or offer it."""
    features = usable(asked)
    if features.shape[1] == 0:
        with st.container(border=True):
            st.markdown("**No feature varies, so nothing can predict the residual**")
            st.markdown(
                "Choose *With computed* above for features that follow from the texts, or import "
                "records with numeric columns (`feature:<family>:<name>`)."
            )
        return None
    cells = features.shape[0] * features.shape[1]
    try:
        if cells > AT_ONCE:
            return _watched(asked, features, place)
        with st.spinner(f"Training on {words.count(len(features))} records …"):
            model = cached.risk_model(asked.key(), asked.space, tuple(map(str, features)), SEED)
    except ValueError as error:
        st.warning(words.plain(str(error)), icon=":material/block:")
        return None
    return Trained(model, features)


def _watched(asked: Asked, features: pd.DataFrame, place: str) -> Trained | None:
    """Train where it takes long: offered with the time it takes, watched, and kept."""

    def begin() -> Work:
        space = asked.space
        steps = risk_model_steps(
            features, space.residuals.residual, groups=space.records.question, seed=SEED
        )
        cells = features.shape[0] * features.shape[1]
        return Work(steps, 1, None, step_seconds=_SECONDS * cells / n_steps())

    done = long_work.draw(
        (*asked.key(), "model"), begin, wanted=n_steps(), unit="parts of the training",
        page=f"{PAGE}_{place}", quick=False, figures_of_part=False,
        shows=f"A risk model over {words.count(features.shape[1])} features and "
        f"{words.count(len(features))} records says which features predict the residual.",
    )  # fmt: skip
    if done is None or done.units < done.wanted:
        return None
    return Trained(done.last(), features)


def usable(asked: Asked) -> pd.DataFrame:
    """Features that vary among the scored records."""
    return asked.space.features[asked.space.varying()]


def draw(asked: Asked) -> None:
    """Draw the view."""
    found = trained(asked, place="model")
    if found is None:
        return
    model = found.model
    squared = asked.space.residuals.residual**2
    curve = calibration_curve(model.score_out_of_fold, squared)
    _tiles(asked, found)
    for note in model.notes:
        st.info(words.plain(note), icon=":material/info:")
    left, right = st.columns(2, gap="medium")
    with left:
        title = _calibration_title(curve)
        calibration = figures.calibration(
            curve, title=title, subtitle=f"Out-of-fold scores, 5 folds. {asked.note}",
            colours=charts.colours(),
        )  # fmt: skip
        chart(calibration, "calibration", f"{title}. Predicted against observed residual.")
    with right:
        sets, drawn, cells = _sets(asked, found.features)
    if cells is not None:
        st.dataframe(
            cells, hide_index=True, width="stretch", row_height=34,
            height=38 + 34 * len(cells), key=f"{PAGE}_sets_table",
            alt="Feature sets with size, cross-validated Spearman and AUROC",
        )  # fmt: skip
        st.caption(
            "Spearman of out-of-fold scores with the size of the residual, mean ± standard error "
            "over five folds. The smallest set within one standard error of the best is as good "
            "as any: fewer features are easier to make and to explain."
        )
    scores = pd.DataFrame(
        {
            "id": asked.space.records.item_id,
            "risk_score": model.score_out_of_fold,
            "out_of_fold": model.out_of_fold,
            "residual": asked.space.residuals.residual,
        }
    )
    offered = {"Scores": scores, "Calibration": curve}
    if sets is not None:
        offered["Feature sets"] = sets
    offer(
        asked, "model", offered,
        {"Calibration": ("calibration", calibration), "Feature sets": ("sets", drawn)},
    )  # fmt: skip


def _tiles(asked: Asked, found: Trained) -> None:
    model = found.model
    grid = st.grid(4, min_column_width=135, gap="small")
    for label, value, pill, tip in (
        (
            "AUROC", _decimal(model.auroc), "out of fold",
            "Chance that a disagreement scores higher than an agreement.",
        ),
        (
            "Spearman", _decimal(model.spearman), "with |residual|",
            "Rank correlation of the out-of-fold score with the size of the residual.",
        ),
        (
            "Features", words.count(found.features.shape[1]),
            f"of {words.count(asked.space.features.shape[1])}",
            "Features that vary among the scored records.",
        ),
        (
            "Trained on", words.count(model.n_trained), f"of {words.count(model.n)}",
            "Records with a residual. Each is scored by trees that never saw it.",
        ),
    ):  # fmt: skip
        grid.metric(label, value, pill, delta_color="off", delta_arrow="off", border=True, help=tip)


def _sets(asked: Asked, features: pd.DataFrame):
    """Compare feature sets as far as asked for; the table, the figure, and the table in words."""
    space = asked.space
    residual = space.residuals.residual
    families = {str(name): space.families.get(str(name), "other") for name in features}

    def ranking() -> list[str]:
        table = feature_correlations(features, residual)
        known = table[table["spearman"].notna()]
        order = known["spearman"].abs().sort_values(ascending=False, kind="stable").index
        return [str(one) for one in known.loc[order, "feature"]]

    sets = candidate_sets(families, ranking())

    def begin() -> Work:
        steps = iterate_feature_sets(
            features, residual, sets, groups=space.records.question, seed=SEED
        )
        return Work(steps, 1, None)

    done = long_work.draw(
        (*asked.key(), "sets", tuple(features)),
        begin,
        wanted=len(sets),
        unit="feature sets",
        page=PAGE,
        quick=features.shape[0] * features.shape[1] <= AT_ONCE,
        shows="How well smaller sets of features predict the residual: fewer are easier to make, "
        "and to explain.",
    )
    if done is None:
        return None, None, None
    table = feature_set_table(done.work.parts[: done.units])
    winner = table[table["winner"]]
    title = (
        f"“{words.short(str(winner.iloc[0]['name']), 30)}” is as good as any"
        if len(winner)
        else "No set of features predicts the residual"
    )
    figure = figures.feature_sets(
        table, title=title, colours=charts.colours(),
        subtitle="The smallest set within one standard error of the best is in ink. "
        f"{words.of(done.units, done.wanted)} sets",
    )  # fmt: skip
    chart(figure, "sets", f"{title}. Cross-validated Spearman of each feature set.")
    return table, figure, tables.set_cells(table, sets)


def _calibration_title(curve: pd.DataFrame) -> str:
    low, high = curve["mean_residual"].iloc[0], curve["mean_residual"].iloc[-1]
    return f"From {words.percent(low)} where it is low to {words.percent(high)} where it is high"


def _decimal(value: float | None) -> str:
    return words.DASH if value is None else f"{value:.2f}"
