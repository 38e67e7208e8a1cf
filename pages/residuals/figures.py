"""The figures of the Residuals page: tables of `core.residuals` in, Plotly figures out."""

from __future__ import annotations

import math
from collections.abc import Sequence
from string import ascii_uppercase
from typing import Any

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from pages.components import words
from pages.components.theme import DASHES, Overlay, Palette, percent_axis, titled

#: Strata that get a letter and a line of the key beneath the figure.
LETTERED = 6
_LIFT_TICKS = (0.1, 0.2, 0.5, 1, 1.5, 2, 3, 4, 6, 10, 20, 50)
_PREVALENCE_TICKS = (0.0001, 0.001, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1)

#: Features up to which cells have room for their numbers, on a phone aside.
PRINTED_UP_TO = 14


def lift(table: pd.DataFrame, *, title: str, subtitle: str, colours: Palette) -> go.Figure:
    """Prevalence against lift, size by excess residual, the strata that matter lettered.

    Parameters
    ----------
    table : DataFrame
        Of `core.residuals.strata.lift_table`, the strata to draw; lifts of 0 stand at the lower
        edge.
    """
    drawn: Any = table[table["lift"].notna() & (table["prevalence"] > 0)].reset_index(drop=True)
    letters = lettered(drawn)
    shown = [math.log10(x) for x in _span(drawn)]
    floor, over = 10 ** shown[0], Overlay()
    over.line((0, 1), (1, 1), colours.quiet, dash="4px,3px", width=1.5)
    over.lines[-1]["xref"] = "paper"
    figure = go.Figure()
    for row in drawn.itertuples():
        letter = letters.get(int(row.Index), "")
        significant = bool(row.p_holm < 0.05)
        colour = colours.quiet
        if significant:
            colour = colours.more if row.lift > 1 else colours.less
        size = 8 + 26 * math.sqrt(min(abs(row.excess), 0.5) / 0.5) if significant else 11
        y = max(row.lift, floor)
        filled = significant and not row.few
        figure.add_trace(
            go.Scatter(
                x=[row.prevalence],
                y=[y],
                mode="markers+text",
                text=[f"<b>{letter}</b>"],
                textposition="middle center" if filled and size > 16 else "middle right",
                textfont={
                    "color": colours.on_fill(colour) if filled and size > 16 else colours.ink,
                    "size": 12,
                },
                marker={
                    "symbol": "diamond-open" if row.few else "circle" if filled else "circle-open",
                    "size": size,
                    "color": colour,
                    "line": {"color": colour, "width": 0 if filled else 2},
                },
                error_y={
                    "array": [max(row.lift_high - y, 0)],
                    "arrayminus": [max(y - max(row.lift_low, floor), 0)],
                    "color": colour,
                    "thickness": 1.5,
                    "width": 0,
                },
                hovertemplate=_lift_hover(row) + "<extra></extra>",
                cliponaxis=True,
            )
        )
    titled(figure, title, subtitle, colours, height=340)
    figure.update_xaxes(
        type="log", title_text="prevalence: share of scored records in the stratum",
        tickvals=list(_PREVALENCE_TICKS), ticktext=[f"{x:.4g}%" for x in _percents()],
        range=_log_range(drawn["prevalence"], 1.0),
    )  # fmt: skip
    figure.update_yaxes(
        type="log", title_text="lift (squared residual ÷ average)",
        tickvals=list(_LIFT_TICKS), ticktext=[f"{x:g}" for x in _LIFT_TICKS], range=shown,
    )  # fmt: skip
    key = [
        f"<b>{letter}</b>  {factor(drawn.at[place, 'lift'])} "
        f"{_escaped(words.short(str(drawn.at[place, 'stratum']), 52))}"
        + (f", n {drawn.at[place, 'n']}" if drawn.at[place, "few"] else "")
        for place, letter in letters.items()
    ]
    if key:
        over.note(
            "<br>".join(key), 0, 0, xref="paper", yref="paper", xanchor="left", yanchor="top",
            yshift=-52, align="left", font={"size": 12},
        )  # fmt: skip
    over.onto(figure)
    beneath = 17 * len(key)
    figure.update_layout(
        margin={"b": 58 + beneath}, height=figure.layout.height + beneath, hovermode="closest"
    )
    return figure


def lettered(drawn: Any) -> dict[int, str]:
    """Rows that get a letter: significant ones by excess, then the rare one with most lift."""
    significant = drawn[(drawn["p_holm"] < 0.05) & ~drawn["few"]]
    order = significant["excess"].abs().sort_values(ascending=False, kind="stable")
    chosen = [int(place) for place in order.index[:LETTERED]]
    few = drawn[drawn["few"]]
    if len(few):
        chosen.append(int(few["lift"].idxmax()))
    return dict(zip(chosen, ascii_uppercase, strict=False))


def factor(value: float) -> str:
    """A lift as people read it: 1.7×."""
    if math.isnan(value):
        return words.DASH
    return f"{value:.1f}×" if value >= 0.95 or value == 0 else f"{value:.2g}×"


def correlations(
    table: pd.DataFrame, families: dict[str, str], *, title: str, subtitle: str, colours: Palette
) -> go.Figure:
    """|Spearman| of every feature with |residual|, with its interval, best first."""
    rows = table[table["spearman"].notna()].copy()
    rows["size"] = rows["spearman"].abs()
    rows = rows.sort_values("size", kind="stable")
    rising = rows["spearman"] >= 0
    # The interval of |ρ|: folded where the signed one holds 0.
    high = np.maximum(rows["low"].abs(), rows["high"].abs())
    low = np.where(
        (rows["low"] <= 0) & (rows["high"] >= 0),
        0,
        np.minimum(rows["low"].abs(), rows["high"].abs()),
    )
    figure = go.Figure(
        go.Scatter(
            x=rows["size"],
            y=[words.short(str(one), 30) for one in rows["feature"]],
            mode="markers",
            marker={
                "symbol": np.where(rising, "circle", "circle-open"),
                "size": 10,
                "color": colours.ink,
                "line": {"color": colours.ink, "width": 2},
            },
            error_x={
                "array": high - rows["size"],
                "arrayminus": rows["size"] - low,
                "color": colours.ink,
                "thickness": 1.5,
                "width": 0,
            },
            customdata=np.column_stack(
                [
                    [words.short(str(one), 80) for one in rows["feature"]],
                    rows["spearman"],
                    rows["n"],
                    [families.get(str(one), "") for one in rows["feature"]],
                ]
            ),
            hovertemplate="%{customdata[0]} (%{customdata[3]})<br>ρ = %{customdata[1]:.2f}, "
            "n = %{customdata[2]:,}<extra></extra>",
        )
    )
    height = 70 + 24 * max(len(rows), 3)
    titled(figure, title, subtitle, colours, height=height)
    top = max(0.2, float(high.max()) * 1.05) if len(rows) else 1.0
    figure.update_xaxes(title_text="|Spearman| with |residual|; hollow: falls", range=[0, top])
    figure.update_yaxes(automargin=True, gridcolor=colours.grid, ticks="")
    return figure


def redundancy(table: pd.DataFrame, *, title: str, subtitle: str, colours: Palette) -> go.Figure:
    """|Spearman| between features as a heat map."""
    names = [words.short(str(one), 26) for one in table.index]
    values = table.to_numpy(dtype=float)
    printed = (values >= 0.3) & (len(names) <= PRINTED_UP_TO)
    texts = np.where(printed, np.char.mod("%.1f", np.nan_to_num(values)), "")
    np.fill_diagonal(texts, "")
    figure = heat(values, texts, names, names, colours, top=1.0)
    side = max(24 * len(names), 140)
    titled(figure, title, subtitle, colours, height=side + 130)
    figure.update_xaxes(tickangle=-50, showgrid=False, ticks="", automargin=True)
    figure.update_yaxes(autorange="reversed", showgrid=False, ticks="", automargin=True)
    return figure


def heat(
    values: np.ndarray,
    texts: np.ndarray,
    rows: Sequence[str],
    columns: Sequence[str],
    colours: Palette,
    *,
    top: float,
    hover: str = "%{y}, %{x}: %{z:.2f}",
) -> go.Figure:
    """Cells of one hue; a text in each is white or black, whichever reads better."""
    figure = go.Figure(
        go.Heatmap(
            z=values,
            x=list(range(len(columns))),
            y=list(range(len(rows))),
            zmin=0,
            zmax=top or 1.0,
            colorscale=[
                (0, colours.heat_low),
                (0.5, colours.heat_middle),
                (1, colours.heat_high),
            ],
            showscale=False,
            xgap=2,
            ygap=2,
            customdata=np.array([[f"{row}, {column}" for column in columns] for row in rows]),
            hovertemplate=hover.replace("%{y}, %{x}", "%{customdata}") + "<extra></extra>",
        )
    )
    over = Overlay()
    dark_end = colours.name == "light"
    for i, row in enumerate(texts):
        for j, text in enumerate(row):
            if text:
                deep = values[i][j] > 0.45 * (top or 1.0)
                white = deep if dark_end else not deep
                over.note(
                    str(text), j, i, font={"size": 12, "color": "#FFFFFF" if white else "#111827"}
                )
    over.onto(figure)
    figure.update_xaxes(tickvals=list(range(len(columns))), ticktext=list(columns))
    figure.update_yaxes(tickvals=list(range(len(rows))), ticktext=list(rows))
    return figure


def calibration(table: pd.DataFrame, *, title: str, subtitle: str, colours: Palette) -> go.Figure:
    """Predicted against observed residual, a point a bin of equally many records."""
    figure = go.Figure(
        go.Scatter(
            x=table["mean_score"],
            y=table["mean_residual"],
            mode="lines+markers",
            line={"color": colours.ink, "width": 2},
            marker={"size": 8, "color": colours.ink},
            error_y={
                "array": table["high"] - table["mean_residual"],
                "arrayminus": table["mean_residual"] - table["low"],
                "color": colours.ink,
                "thickness": 1,
                "width": 3,
            },
            customdata=table["n"],
            hovertemplate="predicted %{x:.1%}, observed %{y:.1%}, n = %{customdata:,}"
            "<extra></extra>",
        )
    )
    top = 1.05 * max(float(table["high"].max()), float(table["mean_score"].max()), 0.1)
    bottom = min(0.0, float(table["mean_score"].min()))
    over = Overlay()
    over.line((max(bottom, 0), top), (max(bottom, 0), top), colours.quiet, dash=DASHES["limit"])
    over.note(
        "predicted = observed", top, top, xanchor="right", yanchor="top", xshift=-30,
        font={"color": colours.muted, "size": 12},
    )  # fmt: skip
    over.onto(figure)
    titled(figure, title, subtitle, colours, height=330)
    step = 0.2 if top > 0.6 else 0.1 if top > 0.25 else 0.05
    figure.update_xaxes(
        title_text="predicted squared residual", **percent_axis(bottom, top, step=step)
    )
    figure.update_yaxes(title_text="observed, out of fold", **percent_axis(0, top, step=step))
    return figure


def feature_sets(table: pd.DataFrame, *, title: str, subtitle: str, colours: Palette) -> go.Figure:
    """Cross-validated Spearman of every feature set, the parsimonious winner in ink."""
    rows = table.iloc[::-1]
    colour = [colours.ink if one else colours.quiet for one in rows["winner"]]
    figure = go.Figure(
        go.Scatter(
            x=rows["spearman"],
            y=[
                f"{words.short(str(name), 28)} ({size})"
                for name, size in zip(rows["name"], rows["size"], strict=True)
            ],
            mode="markers",
            marker={"size": 10, "color": colour},
            error_x={
                "array": rows["standard_error"],
                "color": colours.quiet,
                "thickness": 1.5,
                "width": 0,
            },
            hovertemplate="%{y}: %{x:.3f}<extra></extra>",
        )
    )
    titled(figure, title, subtitle, colours, height=80 + 24 * max(len(rows), 3))
    figure.update_xaxes(title_text="Spearman with |residual|; ± standard error")
    figure.update_yaxes(automargin=True, ticks="")
    return figure


def _span(drawn: pd.DataFrame) -> tuple[float, float]:
    lifts = drawn["lift"][drawn["lift"] > 0]
    if lifts.empty:
        return 0.5, 2.0
    low = min(0.5, float(lifts.min()) * 0.8)
    high = max(2.0, float(drawn["lift_high"].clip(upper=4 * lifts.max()).max()) * 1.1)
    return max(low, 0.05), high


def _log_range(values: pd.Series, top: float) -> list[float]:
    low = float(values.min()) * 0.7 if len(values) else 0.01
    return [math.log10(max(min(low, 0.3), 1e-5)), math.log10(top * 1.15)]


def _percents() -> list[float]:
    return [100 * one for one in _PREVALENCE_TICKS]


def _lift_hover(row) -> str:
    return (
        f"{_escaped(words.short(str(row.stratum), 80))}<br>lift {factor(row.lift)} "
        f"({row.lift_low:.2f} to {row.lift_high:.2f})<br>{words.percent(row.prevalence)} of "
        f"records, n = {words.count(row.n)}"
    )


def _escaped(text: str) -> str:
    """Text from records where Plotly would read tags."""
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
