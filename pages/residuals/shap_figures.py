"""Figures of what drives the risk model: contributions in, Plotly figures out."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd
import plotly.graph_objects as go
from numpy.typing import NDArray

from pages.components import words
from pages.components.theme import Overlay, Palette, titled
from pages.residuals.figures import heat

Array = NDArray[np.float64]
#: Values under this share of the largest aren't printed in the cells.
PRINTED = 0.25


def by_stratum(
    table: pd.DataFrame,
    families: Sequence[tuple[str, int]],
    *,
    title: str,
    subtitle: str,
    colours: Palette,
) -> go.Figure:
    """Mean |SHAP| × 100, a row a feature and a column a stratum, rows grouped by family.

    Parameters
    ----------
    table : DataFrame
        Features by strata, mean |SHAP|; rows in the order of `families`.
    families : sequence of (str, int)
        Name and number of rows of each family, in order.
    """
    values = 100 * table.to_numpy(dtype=float)
    top = float(np.nanmax(values)) if values.size else 1.0
    texts = np.where(
        np.nan_to_num(values) >= PRINTED * top,
        np.char.mod("%.1f" if top < 10 else "%.0f", np.nan_to_num(values)),
        "",
    )
    rows = [words.short(str(one), 24) for one in table.index]
    columns = [words.short(str(one), 22) for one in table.columns]
    figure = heat(
        values, texts, rows, columns, colours, top=top, hover="%{y}, %{x}: %{z:.2f}<br>× 100"
    )
    height = 25 * len(rows) + 140
    titled(figure, title, subtitle, colours, height=height)
    figure.update_xaxes(
        side="top", tickangle=-50, showgrid=False, ticks="", showline=False, automargin=False
    )
    figure.update_yaxes(
        autorange="reversed", showgrid=False, ticks="", showline=False, automargin=True
    )
    place = 0
    notes, lines = list(figure.layout.annotations), []
    for name, size in families:
        if place:
            lines.append(
                {
                    "type": "line", "x0": -0.5, "x1": len(columns) - 0.5,
                    "y0": place - 0.5, "y1": place - 0.5,
                    "line": {"color": colours.muted, "width": 1.5},
                }
            )  # fmt: skip
        notes.append(
            {
                "text": "<br>".join(words.short(part, 12) for part in name.split(" ")[:3]),
                "x": 1, "xref": "paper", "xanchor": "left", "xshift": 6,
                "y": place + (size - 1) / 2, "yanchor": "middle", "align": "left",
                "showarrow": False, "font": {"size": 12, "color": colours.muted},
            }
        )  # fmt: skip
        place += size
    figure.update_layout(
        annotations=notes,
        shapes=lines,
        margin={"r": 84, "b": 12, "t": figure.layout.margin.t + 110},
    )
    return figure


def beeswarm(
    values: Array,
    ranks: Array,
    offsets: Array,
    names: Sequence[str],
    *,
    title: str,
    subtitle: str,
    colours: Palette,
) -> go.Figure:
    """One swarm a feature: a point a record, right where it raises the predicted residual.

    Parameters
    ----------
    values : array of shape (n, p)
        Contributions of the records drawn, features in the order of the rows.
    ranks : array of shape (n, p)
        Feature values as ranks in [0, 1] among all records; NaN is missing.
    offsets : array of shape (n, p)
        Places across the row, in [-0.4, 0.4].
    """
    figure = go.Figure()
    p = values.shape[1]
    for j in range(p):
        for missing in (False, True):
            chosen = np.isnan(ranks[:, j]) == missing
            if not chosen.any():
                continue
            colour = colours.quiet if missing else ranks[chosen, j]
            figure.add_trace(
                go.Scatter(
                    x=values[chosen, j],
                    y=p - 1 - j + offsets[chosen, j],
                    mode="markers",
                    marker={
                        "size": 5,
                        "opacity": 0.75,
                        "color": colour,
                        "cmin": 0,
                        "cmax": 1,
                        "colorscale": [(0, colours.less), (0.5, colours.quiet), (1, colours.more)],
                    },
                    name=words.short(str(names[j]), 60),
                    hovertemplate="%{x:+.3f}<extra>%{fullData.name}</extra>",
                )
            )
    over = Overlay()
    over.line((0, 0), (-0.6, p - 0.4), colours.quiet, width=1, layer="below")
    over.onto(figure)
    titled(figure, title, subtitle, colours, height=90 + 34 * max(p, 3))
    figure.update_xaxes(title_text="contribution to the score")
    figure.update_yaxes(
        tickvals=list(range(p)), ticktext=[words.short(str(one), 24) for one in reversed(names)],
        range=[-0.6, p - 0.4], showgrid=True, ticks="", automargin=True,
    )  # fmt: skip
    return figure


def dependence(
    feature: Array,
    contribution: Array,
    inside: NDArray[np.bool_],
    *,
    name: str,
    title: str,
    subtitle: str,
    colours: Palette,
) -> go.Figure:
    """A feature's value against its contribution; records of the stratum over the others."""
    figure = go.Figure()
    for chosen, colour, label in (
        (~inside, colours.quiet, "other records"),
        (inside, colours.more, "in the stratum"),
    ):
        figure.add_trace(
            go.Scatter(
                x=feature[chosen],
                y=contribution[chosen],
                mode="markers",
                marker={"size": 5, "color": colour, "opacity": 0.7},
                hovertemplate=f"%{{x:.4g}}: %{{y:+.3f}}<extra>{label}</extra>",
            )
        )
    over = Overlay()
    over.line((0, 1), (0, 0), colours.quiet, width=1, layer="below")
    over.lines[-1]["xref"] = "paper"
    over.onto(figure)
    titled(figure, title, subtitle, colours, height=330)
    figure.update_xaxes(title_text=words.short(name, 44))
    figure.update_yaxes(title_text="contribution")
    return figure


def waterfall(
    rows: pd.DataFrame, base: float, *, title: str, subtitle: str, colours: Palette
) -> go.Figure:
    """From the average to one record's prediction, a step a feature.

    Parameters
    ----------
    rows : DataFrame
        Columns feature, value, contribution; largest first.
    """
    steps: Any = rows.iloc[::-1]
    contributions = steps["contribution"].to_numpy(dtype=float)
    ends = base + np.cumsum(contributions)
    names = [
        words.short(str(row.feature), 24)
        + ("" if _rest(row.feature) else f" = {_number(row.value)}")
        for row in steps.itertuples()
    ]
    figure = go.Figure(
        go.Bar(
            y=names,
            x=contributions,
            base=ends - contributions,
            orientation="h",
            marker={"color": [colours.more if one > 0 else colours.less for one in contributions]},
            text=[f"{one:+.3f}".replace("-", "−") for one in contributions],
            textposition="outside",
            cliponaxis=False,
            hovertemplate="%{y}: %{x:+.4f}<extra></extra>",
        )
    )
    over = Overlay()
    final = float(ends[-1]) if len(ends) else base
    over.line((base, base), (-0.5, len(names) - 0.5), colours.quiet, width=1, dash="4px,3px")
    over.line((final, final), (-0.5, len(names) - 0.5), colours.ink, width=1)
    over.onto(figure)
    titled(figure, title, subtitle, colours, height=80 + 28 * max(len(names), 3))
    low, high = min(base, final, *ends), max(base, final, *ends)
    room = 0.18 * (high - low or 1)
    figure.update_xaxes(title_text="predicted squared residual", range=[low - room, high + room])
    figure.update_yaxes(automargin=True, ticks="")
    figure.update_layout(bargap=0.35)
    return figure


def _rest(feature: str) -> bool:
    """Whether a row sums the features that aren't named."""
    return bool(re.fullmatch(r"\d+ other features?", feature))


def _number(value: float) -> str:
    return "missing" if np.isnan(value) else f"{value:.4g}"
