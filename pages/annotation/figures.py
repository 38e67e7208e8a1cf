"""The figures of the Annotation page: plans, estimates and simulations in, Plotly figures out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from core.active import policies
from core.active.estimate import MeanEstimate
from pages.components import words
from pages.components.theme import DASHES, Overlay, Palette, percent_axis, titled

ROW_NAMES = {
    "labels alone": "Labels alone",
    "difference": "Difference",
    "hajek": "Hájek",
    "horvitz-thompson": "Horvitz–Thompson",
    "batches combined": "Batches combined",
}
_TICKS = (1, 1.5, 2, 3, 5, 7, 10, 15, 20, 30, 50)
_BUDGETS = (10, 20, 50, 100, 200, 500, 1_000, 2_000, 5_000, 10_000, 50_000, 100_000)


@dataclass(frozen=True)
class Look:
    """How a policy is drawn everywhere."""

    colour: str
    text: str
    dash: str
    symbol: str
    width: float = 2


def look(policy: str, colours: Palette) -> Look:
    """The look of a policy."""
    found = {
        policies.CLASSICAL: (
            colours.classical, colours.classical, "2px,3px", "circle-open", 2,
        ),
        policies.UNIFORM: (colours.uniform, colours.uniform, "7px,4px", "square-open", 2),
        policies.CONFIDENCE: (
            colours.confidence, colours.confidence_text, "9px,3px,2px,3px", "diamond-open", 2,
        ),
        policies.FSA: (colours.fsa, colours.fsa_text, "14px,4px", "triangle-up", 2),
        policies.TUNED: (colours.tuned, colours.tuned_text, "solid", "square", 2),
        policies.RECALIBRATED: (
            colours.recalibrated, colours.recalibrated_text, "solid", "circle", 3.5,
        ),
    }  # fmt: skip
    return Look(*found[policy])


def plan(
    table: pd.DataFrame,
    *,
    budget: int,
    half_width: float,
    title: str,
    subtitle: str,
    colours: Palette,
) -> go.Figure:
    """Half-width of the interval against the budget, a line a policy; both axes logarithmic.

    Parameters
    ----------
    table : DataFrame
        policy, budget, half_width: many budgets, and `budget` among them.
    """
    figure = go.Figure()
    over = Overlay()
    ends: list[tuple[float, str, Look]] = []
    for policy, rows in table.groupby("policy", sort=False):
        drawn = look(str(policy), colours)
        points = 100 * rows["half_width"]
        figure.add_trace(
            go.Scatter(
                x=rows["budget"], y=points, mode="lines", name=str(policy),
                line={"color": drawn.colour, "dash": drawn.dash, "width": drawn.width},
                hovertemplate="%{fullData.name}: ±%{y:.2f} pp with %{x:,} labels<extra></extra>",
            )
        )  # fmt: skip
        here = rows[rows["budget"] == budget]
        figure.add_trace(
            go.Scatter(
                x=here["budget"], y=100 * here["half_width"], mode="markers", hoverinfo="skip",
                marker={
                    "symbol": drawn.symbol, "size": 10, "color": drawn.colour,
                    "line": {"color": drawn.colour, "width": 2},
                },
            )
        )  # fmt: skip
        ends.append((float(np.log10(points.iloc[-1])), str(policy), drawn))
    low, high = np.log10(table["budget"].min()), np.log10(table["budget"].max())
    bottom = float(np.log10(100 * table["half_width"].min())) - 0.08
    top = float(np.log10(100 * table["half_width"].max())) + 0.06
    step = 0.055 * (top - bottom)
    places = _apart([end for end, _, _ in ends], step)
    bottom = min(bottom, *(place - step / 2 for place in places))
    for (end, name, drawn), place in zip(ends, places, strict=True):
        over.line((10**high, 10 ** (high + 0.05)), (10**end, 10**place), drawn.colour, width=1)
        over.note(f"<b>{name}</b>", high + 0.055, place, xanchor="left", font={"color": drawn.text})
    over.line((budget, budget), (10**bottom, 10**top), colours.quiet, width=1.5, dash="4px,3px")
    over.note(
        f"budget {words.count(budget)}", float(np.log10(budget)), top, yanchor="bottom",
        font={"size": 12, "color": colours.muted},
    )  # fmt: skip
    target = 100 * half_width
    if 10**bottom < target < 10**top:
        over.line((10**low, 10**high), (target, target), colours.quiet, width=1.5, dash="4px,3px")
        over.note(
            f"target ±{target:g} pp", low, float(np.log10(target)), xanchor="left",
            yanchor="bottom", font={"size": 12, "color": colours.muted},
        )  # fmt: skip
    over.onto(figure)
    titled(figure, title, subtitle, colours, height=360)
    figure.update_xaxes(
        type="log", title_text="labels bought", range=[low, high + 0.34 * (high - low)],
        tickvals=[one for one in _BUDGETS if 10**low <= one <= 10**high * 1.01],
        ticktext=[words.count(one) for one in _BUDGETS if 10**low <= one <= 10**high * 1.01],
    )  # fmt: skip
    figure.update_yaxes(
        type="log", title_text="half-width of the 95% interval, pp", range=[bottom, top],
        tickvals=list(_TICKS), ticktext=[f"±{one:g}" for one in _TICKS],
    )  # fmt: skip
    figure.update_layout(showlegend=False, hovermode="closest")
    return figure


def needed(
    labels: Mapping[str, int | None], *, title: str, subtitle: str, colours: Palette
) -> go.Figure:
    """Labels that each policy needs, as dots with numbers; "not within" where it can't."""
    figure, over = go.Figure(), Overlay()
    names = list(labels)
    known = [count for count in labels.values() if count is not None]
    top = max(known, default=1)
    base = labels.get(policies.CLASSICAL)
    for place, name in enumerate(reversed(names)):
        drawn, count = look(name, colours), labels[name]
        if count is None:
            over.note("not even with all", 0, place, xanchor="left", font={"color": colours.muted})
            continue
        over.line((0, count), (place, place), colours.grid, width=6)
        figure.add_trace(
            go.Scatter(
                x=[count], y=[place], mode="markers", name=name,
                marker={
                    "symbol": drawn.symbol, "size": 13, "color": drawn.colour,
                    "line": {"color": drawn.colour, "width": 2},
                },
                hovertemplate="%{fullData.name}: %{x:,} labels<extra></extra>",
            )
        )  # fmt: skip
        change = ""
        if base and name != policies.CLASSICAL:
            change = f"  {100 * (count / base - 1):+.0f}%".replace("-", "−")
        over.note(f"<b>{words.count(count)}</b>{change}", count, place, xanchor="left", xshift=12)
    over.onto(figure)
    titled(figure, title, subtitle, colours, height=70 + 46 * len(names))
    figure.update_xaxes(title_text="labels needed", range=[0, 1.35 * top], tickformat=",")
    figure.update_yaxes(
        tickvals=list(range(len(names))), ticktext=list(reversed(names)), ticks="",
        range=[-0.6, len(names) - 0.4], showgrid=False, automargin=True,
    )  # fmt: skip
    figure.update_layout(showlegend=False, hovermode="closest")
    return figure


def forest(
    judge_rate: float,
    estimates: Mapping[str, MeanEstimate],
    *,
    title: str,
    subtitle: str,
    colours: Palette,
) -> go.Figure:
    """Estimates with intervals, a row each; the judge's rate has none."""
    figure, over = go.Figure(), Overlay()
    names = ["Judge alone", *estimates]
    low = min(judge_rate, *(one.low for one in estimates.values()))
    high = max(judge_rate, *(one.high for one in estimates.values()))
    room = max(high - low, 0.02)
    edge = high + 0.06 * room
    for place, name in enumerate(reversed(names)):
        if name == "Judge alone":
            figure.add_trace(_mark(judge_rate, place, "x-thin", colours.person, name))
            said = f"<b>{words.percent(judge_rate)}</b>  no interval"
        else:
            one = estimates[name]
            main = name == "difference"
            colour = colours.ink if main else colours.person
            dash = DASHES["limit"] if name == "horvitz-thompson" else "solid"
            over.line(
                (one.low, one.high), (place, place), colour, width=3 if main else 2, dash=dash
            )
            symbol = "circle" if main else "circle-open"
            figure.add_trace(_mark(one.value, place, symbol, colour, name))
            reach = 100 * (one.high - one.low) / 2
            said = f"<b>{words.percent(one.value)}</b>  ±{reach:.1f} pp"
        over.note(said, edge, place, xanchor="left")
    over.onto(figure)
    titled(figure, title, subtitle, colours, height=80 + 40 * len(names))
    figure.update_xaxes(
        title_text="share of answers that people call correct", tickformat=".0%",
        range=[low - 0.05 * room, edge + 0.75 * room],
        tickvals=[one for one in np.arange(0, 1.001, _step(room)) if one <= 1 + 1e-9],
    )  # fmt: skip
    figure.update_yaxes(
        tickvals=list(range(len(names))),
        ticktext=[ROW_NAMES.get(name, name) for name in reversed(names)], ticks="",
        range=[-0.6, len(names) - 0.4], showgrid=False, automargin=True,
    )  # fmt: skip
    figure.update_layout(showlegend=False, hovermode="closest")
    return figure


def mixing(
    rows: Sequence[tuple[float, float]], chosen: float, *, title: str, subtitle: str,
    colours: Palette,
) -> go.Figure:  # fmt: skip
    """Expected ESS gain against the share that is spread evenly."""
    share, gain = [one for one, _ in rows], [one for _, one in rows]
    figure = go.Figure(
        go.Scatter(
            x=share, y=gain, mode="lines+markers", line={"color": colours.ink, "width": 2},
            marker={"size": 6, "color": colours.ink},
            hovertemplate="τ = %{x:.2f}: %{y:+.1%}<extra></extra>",
        )
    )  # fmt: skip
    over = Overlay()
    over.line((chosen, chosen), (min(gain), max(gain)), colours.quiet, width=1.5, dash="4px,3px")
    over.onto(figure)
    titled(figure, title, subtitle, colours, height=260)
    figure.update_xaxes(title_text="τ: share of the budget spread evenly", range=[0, 1.03])
    figure.update_yaxes(title_text="expected ESS gain", tickformat="+.0%")
    return figure


def simulated(
    rows: pd.DataFrame, column: str, *, title: str, subtitle: str, colours: Palette
) -> go.Figure:
    """A line a policy over the budgets: "coverage" or "ess_gain"."""
    figure, over = go.Figure(), Overlay()
    coverage = column == "coverage"
    for policy, part in rows[rows[column].notna()].groupby("policy", sort=False):
        if policy == policies.CLASSICAL and not coverage:
            continue
        drawn = look(str(policy), colours)
        figure.add_trace(
            go.Scatter(
                x=part["budget"], y=part[column], mode="lines+markers", name=str(policy),
                line={"color": drawn.colour, "dash": drawn.dash, "width": drawn.width},
                marker={"symbol": drawn.symbol, "size": 7, "color": drawn.colour},
                hovertemplate="%{fullData.name}, %{x:,} labels: %{y:.1%}<extra></extra>",
            )
        )  # fmt: skip
    low, high = float(rows["budget"].min()), float(rows["budget"].max())
    over.line(
        (low, high), (0.95, 0.95) if coverage else (0, 0), colours.quiet, width=1.5,
        dash="4px,3px",
    )  # fmt: skip
    over.onto(figure)
    titled(figure, title, subtitle, colours, height=320)
    figure.update_xaxes(title_text="labels bought", tickformat=",")
    if coverage:
        figure.update_yaxes(
            title_text="intervals that hold the truth", **percent_axis(0.85, 1.0, step=0.05)
        )
    else:
        figure.update_yaxes(title_text="ESS gain over Classical", tickformat="+.0%")
    figure.update_layout(
        showlegend=True, legend={"orientation": "h", "y": -0.28, "x": 0, "title": None},
        margin={"b": 90}, hovermode="closest",
    )  # fmt: skip
    return figure


def audit(
    score: np.ndarray, squared: np.ndarray, *, title: str, subtitle: str, colours: Palette
) -> go.Figure:
    """Expected against observed squared error, in up to five groups of equal size."""
    order = np.argsort(score, kind="stable")
    groups = [one for one in np.array_split(order, min(5, max(len(order) // 8, 1))) if len(one)]
    x = [float(score[one].mean()) for one in groups]
    y = [float(squared[one].mean()) for one in groups]
    error = [float(squared[one].std() / len(one) ** 0.5) for one in groups]
    figure = go.Figure(
        go.Scatter(
            x=x, y=y, mode="markers+lines", line={"color": colours.ink, "width": 2},
            marker={"size": 9, "color": colours.ink},
            error_y={"array": error, "color": colours.ink, "thickness": 1.5, "width": 0},
            customdata=[len(one) for one in groups],
            hovertemplate="expected %{x:.3f}, observed %{y:.3f}, n = %{customdata}<extra></extra>",
        )
    )  # fmt: skip
    over = Overlay()
    top = max(*x, *y, 0.01)
    over.line((0, top), (0, top), colours.quiet, width=1.5, dash="4px,3px")
    over.onto(figure)
    titled(figure, title, subtitle, colours, height=280)
    figure.update_xaxes(title_text="expected squared error", rangemode="tozero")
    figure.update_yaxes(title_text="observed, ± standard error", rangemode="tozero")
    return figure


def powers(table: pd.DataFrame, *, title: str, subtitle: str, colours: Palette) -> go.Figure:
    """Expected standard error with power 0, 1 and the best, without offset, against the budget."""
    figure = go.Figure()
    for column, name, colour, dash, width in (
        ("classical", "Classical", colours.classical, "2px,3px", 2),
        ("power_0", "λ = 0", colours.person, "7px,4px", 2),
        ("power_1", "λ = 1", colours.limit, "14px,4px", 2),
        ("best", "best λ", colours.ink, "solid", 3),
    ):
        figure.add_trace(
            go.Scatter(
                x=table["budget"], y=100 * table[column] ** 0.5, mode="lines", name=name,
                line={"color": colour, "dash": dash, "width": width},
                hovertemplate="%{fullData.name}, %{x:,} labels: %{y:.2f} pp<extra></extra>",
            )
        )  # fmt: skip
    titled(figure, title, subtitle, colours, height=300)
    figure.update_xaxes(title_text="labels bought", tickformat=",")
    figure.update_yaxes(title_text="expected standard error, pp", rangemode="tozero")
    figure.update_layout(
        showlegend=True, legend={"orientation": "h", "y": -0.3, "x": 0, "title": None},
        margin={"b": 90}, hovermode="closest",
    )  # fmt: skip
    return figure


def _step(room: float) -> float:
    """Distance of ticks for an axis of about this length."""
    return next((one for one in (0.01, 0.02, 0.05, 0.1) if room / one <= 6), 0.2)


def _mark(x: float, y: float, symbol: str, colour: str, name: str) -> Any:
    return go.Scatter(
        x=[x], y=[y], mode="markers", name=name,
        marker={"symbol": symbol, "size": 11, "color": colour,
                "line": {"color": colour, "width": 2}},
        hovertemplate="%{fullData.name}: %{x:.1%}<extra></extra>",
    )  # fmt: skip


def _apart(places: Sequence[float], step: float) -> list[float]:
    """The same places, moved as little as it takes to keep `step` between neighbours."""
    order = np.argsort(places, kind="stable")
    spread = np.array(places, dtype=float)[order]
    for _ in range(200):
        gaps = np.diff(spread)
        close = gaps < step - 1e-9
        if not close.any():
            break
        push = np.where(close, (step - gaps) / 2, 0.0)
        spread[:-1] -= push
        spread[1:] += push
    result = np.empty(len(spread))
    result[order] = spread
    return result.tolist()
