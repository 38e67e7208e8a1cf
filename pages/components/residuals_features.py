"""Features: which follow the residual, which say the same, and what is missing."""

from __future__ import annotations

import numpy as np
import streamlit as st

from pages.components import cached, charts, words
from pages.components.residuals_controls import PAGE, Asked, chart, offer
from pages.residuals import figures, tables

_ALL = "All scored records"
#: Features in the figures; tables have all.
DRAWN = 30


def draw(asked: Asked) -> None:
    """Draw the view."""
    space = asked.space
    if space.features.shape[1] == 0:
        with st.container(border=True):
            st.markdown("**These records have no numeric feature**")
            st.markdown(
                "Choose *With computed* above for features that follow from the texts, or import "
                "records with columns `feature:<family>:<name>`."
            )
            if st.button("Import records", key=f"{PAGE}_import_features"):
                st.switch_page("pages/data/page.py")
        return
    columns = space.columns(asked.cuts)
    subsets = {_ALL: None} | {
        f"{name} = {level}": (name, level)
        for name in space.strata
        if name in columns
        for level in _levels(columns[str(name)])
    }
    chosen = st.selectbox(
        "On", list(subsets), key=f"{PAGE}_subset", persist_state="session",
        help="A feature may matter on some records only: those that the judge flagged, for "
        "example.",
    )  # fmt: skip
    picked = subsets[str(chosen)]
    inside = None if picked is None else columns[str(picked[0])] == picked[1]
    if inside is not None and not (inside & space.residuals.scored).any():
        st.info("No scored record is in this subset.", icon=":material/filter_alt_off:")
        return
    table = cached.correlations(asked.key(), space, str(chosen), inside)
    families = {str(name): family for name, family in space.families.items()}
    n = int((space.residuals.scored if inside is None else space.residuals.scored & inside).sum())
    subtitle = f"{words.short(str(chosen), 40)}, n = {words.count(n)}; 95% intervals. {asked.note}"
    title = tables.correlation_title(table)
    order = table["spearman"].abs().sort_values(ascending=False, kind="stable").index
    left, right = st.columns(2, gap="medium")
    with left:
        figure = figures.correlations(
            table.loc[order[:DRAWN]], families, title=title, subtitle=subtitle,
            colours=charts.colours(),
        )  # fmt: skip
        chart(figure, "correlations", f"{title}. Absolute rank correlation of each feature.")
    with right:
        ordered = table.loc[order]
        varying = [str(one) for one in ordered.loc[ordered["spearman"].notna(), "feature"]]
        matrix = cached.redundancy(asked.key(), space, tuple(varying[:DRAWN]))
        pair = _closest(matrix)
        same = figures.redundancy(
            matrix, title=pair, subtitle="|Spearman| between features; "
            + ("under .3 left blank" if len(matrix) <= figures.PRINTED_UP_TO else "lighter: more"
               if charts.colours().name == "dark" else "darker: more"),
            colours=charts.colours(),
        )  # fmt: skip
        chart(same, "redundancy", f"{pair}. Rank correlations between features.")
    st.dataframe(
        tables.correlation_cells(table, families), hide_index=True, width="stretch",
        row_height=34, height=38 + 34 * min(len(table), 15), key=f"{PAGE}_features_table",
        alt="Features with family, rank correlation, interval, records and missing share",
    )  # fmt: skip
    st.caption(
        "Spearman's ρ with the size of the residual, over the records that have both; the interval "
        "is Fisher's with the Bonett–Wright error. A feature without variation has none."
    )
    offer(
        asked, "features", {"Correlations": table, "Redundancy": matrix.reset_index()},
        {"Correlations": ("correlations", figure), "Redundancy": ("redundancy", same)},
    )  # fmt: skip


def _levels(column: np.ndarray) -> list[str]:
    """Levels of a text column worth a subset: not one a record."""
    levels = sorted({str(one) for one in column if one is not None})
    return levels if len(levels) <= 30 else []


def _closest(matrix) -> str:
    values = matrix.to_numpy(dtype=float).copy()
    np.fill_diagonal(values, np.nan)
    if np.isnan(values).all():
        return "No two features to compare"
    i, j = np.unravel_index(int(np.nanargmax(values)), values.shape)
    names = list(matrix.index)
    one, two = words.short(str(names[i]), 26), words.short(str(names[j]), 26)
    if values[i, j] < 0.7:
        return f"No two features say the same (highest {values[i, j]:.2f})"
    return f"{one} and {two} say nearly the same ({values[i, j]:.2f})"
