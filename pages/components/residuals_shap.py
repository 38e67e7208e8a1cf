"""What drives the risk score: by stratum, over records, and for one record."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import streamlit as st

from core.residuals.beeswarm import beeswarm_offsets, beeswarm_sample
from core.residuals.explain import ALL_RECORDS, Explanation, mean_abs_by_stratum, waterfall
from pages.components import cached, charts, residuals_records, words
from pages.components.residuals_controls import PAGE, Asked, chart, offer
from pages.components.residuals_model import Trained, trained
from pages.residuals import shap_figures, tables

#: Strata in the heat map beside all records.
COLUMNS = 6
#: Points of all swarms together; more are slow to draw and hide each other.
POINTS = 6_000
#: Features in the heat map; the table has all.
ROWS = 15
#: Features with a swarm of their own.
SWARMS = 12


def explanation(asked: Asked, found: Trained) -> Explanation:
    """SHAP values of every record, computed once."""
    return cached.explanation(asked.key(), found.model, found.features)


def heat(asked: Asked, found: Trained, lift: pd.DataFrame, *, element: str):
    """Draw mean |SHAP| by stratum; give the figure."""
    figure, _ = _heat(asked, found, lift, element)
    return figure


def draw(asked: Asked) -> None:
    """Draw the view."""
    found = trained(asked, place="shap")
    if found is None:
        return
    lift = cached.lift(asked.key(), asked.space, asked.cuts)
    with st.spinner("Explaining the scores …"):
        explained = explanation(asked, found)
    left, right = st.columns(2, gap="medium")
    with left:
        heat_figure, by_stratum = _heat(asked, found, lift, "heat_view")
    inside, name = residuals_records.chosen_stratum(asked, lift, everything=True)
    with right:
        swarm = _swarm(explained, inside, name)
    left, right = st.columns(2, gap="medium")
    drawn: dict[str, Any] = {}  # a fragment draws again by itself
    with left:
        _dependence(explained, inside, name, drawn)
    with right:
        _waterfall(asked, explained, inside, name, drawn)
    table = pd.DataFrame(explained.values, columns=list(explained.feature_names))
    table.insert(0, "id", asked.space.records.item_id)
    table.insert(1, "base", explained.base)
    offer(
        asked, "shap",
        {"Mean by stratum": by_stratum.reset_index(), "SHAP values": table},
        {
            "SHAP by stratum": ("heat_view", heat_figure), "Beeswarm": ("swarm", swarm),
            "Dependence": ("dependence", lambda: drawn["dependence"]),
            "One record": ("waterfall", lambda: drawn["waterfall"]),
        },
    )  # fmt: skip
    st.caption(
        "SHAP values add up to the score of the model trained on all scored records. They say how "
        "the model comes to its score, not what causes a disagreement; of two features that say "
        "the same, either may get the credit."
    )


def _heat(asked: Asked, found: Trained, lift: pd.DataFrame, element: str):
    explained = explanation(asked, found)
    shown = tables.most_telling(lift, COLUMNS)
    strata = {}
    for row in shown.itertuples():
        mask = asked.space.inside(str(row.stratum), asked.cuts)
        if mask.any() and row.stratum != ALL_RECORDS:
            strata[str(row.stratum)] = mask
    table = mean_abs_by_stratum(explained, strata)
    families = asked.space.families
    shown_rows = table.max(axis=1).sort_values(ascending=False, kind="stable").index[:ROWS]
    drawn = table[table.index.isin(shown_rows)]
    kinds = [families.get(str(name), "other") for name in drawn.index]
    order = sorted(
        range(len(kinds)), key=lambda i: (kinds.index(kinds[i]), -float(drawn.to_numpy()[i, 0]))
    )
    drawn = drawn.iloc[order]
    grouped = [kinds[i] for i in order]
    counts = [(kind, grouped.count(kind)) for kind in dict.fromkeys(grouped)]
    title = _heat_title(drawn)
    some = f" of the {ROWS} features with most" if len(table) > ROWS else ""
    figure = shap_figures.by_stratum(
        drawn, counts, title=title, colours=charts.colours(),
        subtitle=f"Mean |SHAP| × 100{some}; small values left blank. {asked.note}",
    )  # fmt: skip
    chart(figure, element, f"{title}. Mean absolute SHAP value, features by strata.")
    return figure, table


def _heat_title(table: pd.DataFrame) -> str:
    if not table.to_numpy().any():
        return "Nothing drives the risk score: every record has the same"
    tops = table.idxmax()
    name = words.short(str(tops.iloc[0]), 30)
    if (tops == tops.iloc[0]).all() and len(tops) > 1:
        return f"{name} drives the risk score in every stratum"
    return f"{name} drives the risk score most"


def _swarm(explained: Explanation, inside: np.ndarray, name: str):
    size = np.abs(explained.values[inside]).mean(axis=0)
    top = np.argsort(-size, kind="stable")[:SWARMS]
    values = explained.values[inside][:, top]
    kept = beeswarm_sample(values, most=max(POINTS // max(len(top), 1), 50))
    ranks = pd.DataFrame(explained.features[:, top]).rank(pct=True).to_numpy()[inside][kept]
    drawn = values[kept]
    offsets = 0.4 * np.column_stack([beeswarm_offsets(column) for column in drawn.T])
    names = [explained.feature_names[at] for at in top]
    moved = float(np.abs(drawn).max()) if drawn.size else 0.0
    title = f"{words.short(names[0], 28)} moves the score most" if moved else "Nothing moves it"
    figure = shap_figures.beeswarm(
        drawn, ranks, offsets, names, title=title, colours=charts.colours(),
        subtitle=f"{words.short(name, 40)}: {words.of(len(kept), int(inside.sum()))} records drawn "
        "(extremes kept). Orange: high value of the feature, blue: low",
    )  # fmt: skip
    chart(figure, "swarm", f"{title}. SHAP values of the records, a swarm a feature.")
    return figure


@st.fragment
def _dependence(
    explained: Explanation, inside: np.ndarray, name: str, drawn: dict[str, Any]
) -> None:
    order = np.argsort(-np.abs(explained.values).mean(axis=0), kind="stable")
    names = [explained.feature_names[at] for at in order]
    feature = st.selectbox(
        "Feature", names, key=f"{PAGE}_dependence_feature", persist_state="session"
    )
    at = explained.feature_names.index(feature if feature in names else names[0])
    value, contribution = explained.features[:, at], explained.values[:, at]
    pairs = np.column_stack([np.nan_to_num(value, nan=0.0), contribution])
    kept = beeswarm_sample(pairs, most=2_000)
    missing = np.isnan(value[kept])
    kept = kept[~missing]
    title = f"How {words.short(names[0] if feature is None else feature, 30)} moves the score"
    figure = shap_figures.dependence(
        value[kept].astype(float), contribution[kept], inside[kept],
        name=explained.feature_names[at], title=title, colours=charts.colours(),
        subtitle=f"{words.of(len(kept), len(value))} records drawn"
        + ("" if inside.all() else f". Orange: {words.short(name, 36)}; grey: the others"),
    )  # fmt: skip
    chart(figure, "dependence", f"{title}. Feature value against SHAP value.")
    drawn["dependence"] = figure


@st.fragment
def _waterfall(
    asked: Asked, explained: Explanation, inside: np.ndarray, name: str, drawn: dict[str, Any]
) -> None:
    where = np.flatnonzero(inside)
    score = explained.prediction[where]
    order = where[np.argsort(-score, kind="stable")]
    number = int(
        st.number_input(
            "Record, highest score first", 1, len(order), 1, key=f"{PAGE}_waterfall_record",
            persist_state="session",
        )
    )  # fmt: skip
    row = int(order[min(number, len(order)) - 1])
    residual = asked.space.residuals.residual[row]
    said = "not scored" if np.isnan(residual) else f"residual {residual:+g}".replace("-", "−")
    title = f"Score {explained.prediction[row]:.2f}, average {explained.base:.2f}"
    figure = shap_figures.waterfall(
        waterfall(explained, row, most=9), explained.base, title=title, colours=charts.colours(),
        subtitle=f"{words.short(str(asked.space.records.item_id[row]), 40)}: {said}; "
        f"{words.of(number, len(order))} in {words.short(name, 30)}",
    )  # fmt: skip
    chart(figure, "waterfall", f"{title}. Contribution of each feature to one record's score.")
    drawn["waterfall"] = figure
