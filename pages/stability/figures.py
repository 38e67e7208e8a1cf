"""The figures of the Stability page: tables of `core.studies` in, Plotly figures out."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd
import plotly.graph_objects as go
from plotly.subplots import make_subplots

from pages.components import words
from pages.components.theme import DASHES, Overlay, Palette, percent_axis, titled
from pages.stability.looks import Change, Look, Ticks


def by_target(
    summary: pd.DataFrame,
    value: str,
    looks: Sequence[Look],
    *,
    title: str,
    subtitle: str,
    colours: Palette,
    small: bool = False,
) -> go.Figure:
    """Mean and spread over splits of every variant against the target risk.

    Parameters
    ----------
    summary : DataFrame
        Of `core.studies.summarise`.
    value : {"risk", "coverage"}
        With "risk" the diagonal is where it equals the target.
    looks : sequence of Look
        One a variant.
    small : bool
        One of several beside each other, without room for names at the ends of its lines.
    """
    names = list(dict.fromkeys(summary["variant"]))
    targets = np.array(sorted(set(summary["alpha"])))
    gap = float(np.diff(targets).min()) if len(targets) > 1 else 0.05
    shift = min(0.08 * gap, 0.3 * gap / len(names))
    series = []
    for place, (name, look) in enumerate(zip(names, looks, strict=True)):
        rows = summary[summary["variant"] == name]
        series.append((name, rows["alpha"] + (place - (len(names) - 1) / 2) * shift, rows, look))
    over = Overlay()
    high = targets[-1] + 0.4 * gap
    if value == "risk":
        over.line((0, high), (0, high), colours.limit, dash=DASHES["limit"])
        over.note(
            "<b>risk = α</b>", targets[1 % len(targets)], targets[1 % len(targets)],
            font={"color": colours.limit}, xanchor="right", yanchor="bottom", xshift=-8,
        )  # fmt: skip
    height = 215 if small else 330
    figure = _lines(over, series, value, colours, height=height, named=not small)
    widths = {"title_width": 28, "subtitle_width": 40} if small else {}
    titled(figure, title, subtitle, colours, height=height, **widths)
    figure.update_xaxes(
        title_text="target risk α", tickvals=list(targets), tickformat=".3~%",
        range=[targets[0] - 0.4 * gap, high],
    )  # fmt: skip
    return figure


def by_setting(
    summary: pd.DataFrame,
    value: str,
    ticks: Ticks,
    *,
    title: str,
    subtitle: str,
    colours: Palette,
    bold: float,
) -> go.Figure:
    """Each target risk as a line over the settings tried, `bold` in ink; order of the table."""
    at = dict(zip(dict.fromkeys(summary["variant"]), ticks.at, strict=True))
    targets = sorted(set(summary["alpha"]))
    names = [f"α = {words.setting(target)}" for target in targets]
    series, over = [], Overlay()
    for target, name in zip(targets, names, strict=True):
        look = Look(colours.ink, width=3) if target == bold else Look(colours.person)
        rows = summary[summary["alpha"] == target]
        series.append((name, rows["variant"].map(at), rows, look))
        if value == "risk":
            over.line(
                (ticks.at[0], ticks.at[-1]), (target, target), colours.limit,
                dash=DASHES["limit"], width=1,
            )  # fmt: skip
    figure = _lines(over, series, value, colours, height=330, named=True)
    titled(figure, title, subtitle, colours, height=330)
    margin = 0.08 * (ticks.at[-1] - ticks.at[0] or 1.0)
    figure.update_xaxes(
        title_text=ticks.title, tickvals=list(ticks.at),
        ticktext=[words.short(name, 14) for name in ticks.names],
        range=[ticks.at[0] - margin, ticks.at[-1] + margin],
    )  # fmt: skip
    return figure


def _lines(
    over: Overlay,
    series: Sequence[tuple[str, pd.Series, pd.DataFrame, Look]],
    value: str,
    colours: Palette,
    *,
    height: int,
    named: bool,
) -> go.Figure:
    """Means with their spread as lines: name, places along x, rows and look of each."""
    figure = go.Figure([_line(*one, value) for one in series])
    top = 1.02
    if value == "risk":
        tops = [(rows["risk"] + rows["risk_sd"]).max() for _, _, rows, _ in series]
        highest = max(rows["alpha"].max() for _, _, rows, _ in series)
        top = float(np.nanmax([1.15 * highest, *(1.05 * one for one in tops)]))
    if named:
        ends = [
            (name, float(rows[value].dropna().iloc[-1]), look)
            for name, _, rows, look in series
            if rows[value].notna().any()
        ]
        _names_at_right(over, ends, top, height - 48, colours)
    over.onto(figure)
    longest = max(len(name) for name, *_ in series)
    figure.update_layout(margin={"r": 22 + round(7.2 * min(longest, 22)) if named else 16})
    label = {"risk": "wrong among decided, test part", "coverage": "share decided, test part"}
    step = 0.2 if top > 0.6 else 0.1 if top > 0.35 else 0.05
    figure.update_yaxes(title_text=label[value], **percent_axis(0, top, step=step))
    return figure


def _line(name: str, x: pd.Series, rows: pd.DataFrame, look: Look, value: str) -> go.Scatter:
    spread = rows[f"{value}_sd"]
    few = (value == "risk") & (rows["accepting"] < rows["splits"] / 2)
    return go.Scatter(
        x=x,
        y=rows[value],
        error_y={"array": spread, "color": look.colour, "thickness": 1, "width": 3},
        customdata=rows[[f"{value}_sd", "accepting", "splits", "alpha", "variant"]],
        mode="lines+markers",
        name=name,
        line={"color": look.colour, "dash": look.dash, "width": look.width},
        marker={
            "symbol": [look.symbol + "-open" if one else look.symbol for one in few],
            "size": 7, "color": look.colour,
        },
        cliponaxis=False,
        hovertemplate=(
            f"<b>%{{customdata[4]}}</b>, α = %{{customdata[3]:.3~%}}<br>{value} %{{y:.1%}} ± "
            "%{customdata[0]:.1%}<br>%{customdata[1]:,} of %{customdata[2]:,} splits accept "
            "anything<extra></extra>"
        ),
    )  # fmt: skip


def _names_at_right(
    over: Overlay,
    ends: Sequence[tuple[str, float, Look]],
    top: float,
    pixels: int,
    colours: Palette,
) -> None:
    """Names beside the ends of their lines, moved apart where they would meet."""
    least = 17 / pixels * top
    placed = sorted(ends, key=lambda end: end[1])
    spots = [end[1] for end in placed]
    for place in range(1, len(spots)):
        spots[place] = max(spots[place], spots[place - 1] + least)
    ceiling = 0.99 * top
    for place in range(len(spots) - 1, -1, -1):
        spots[place] = min(spots[place], ceiling)
        ceiling = spots[place] - least
    for (name, _, look), y in zip(placed, spots, strict=True):
        text = words.short(name, 22)
        over.note(
            f"<b>{text}</b>" if look.width > 2 else text, 1, y, xref="paper", xanchor="left",
            xshift=6, font={"color": look.text or _readable(look.colour, colours)},
        )  # fmt: skip


def _readable(colour: str, colours: Palette) -> str:
    """The colour for text: a quiet mark is too pale to read."""
    return colours.muted if colour == colours.quiet else colour


def routing(
    summary: pd.DataFrame, *, title: str, subtitle: str, colours: Palette, row_height: int = 104
) -> go.Figure:
    """Mean shares by route at each target, a row of bars a variant."""
    names = list(dict.fromkeys(summary["variant"]))
    figure = make_subplots(
        rows=len(names), cols=1, shared_xaxes=True, vertical_spacing=0.24 / max(len(names), 2)
    )
    parts = (
        ("share_mode1", "Mode 1", colours.mode1),
        ("share_mode2", "Mode 2", colours.mode2),
        ("share_abstain", "to a person", colours.person_area),
    )
    for row, name in enumerate(names, start=1):
        rows = summary[summary["variant"] == name]
        for column, label, fill in parts:
            share = rows[column]
            figure.add_trace(
                go.Bar(
                    x=[words.setting(alpha) for alpha in rows["alpha"]],
                    y=share,
                    marker={"color": fill, "line": {"color": colours.background, "width": 1}},
                    name=label,
                    text=[f"{one:.0%}" if one >= 0.2 else "" for one in share],
                    textposition="inside",
                    insidetextanchor="middle",
                    textangle=0,
                    textfont={"color": colours.on_fill(fill), "size": 12},
                    hovertemplate=f"{name}, α = %{{x}}<br>{label} %{{y:.1%}}<extra></extra>",
                ),
                row=row,
                col=1,
            )
    titled(figure, title, subtitle, colours, height=row_height * len(names) + 48)
    over = Overlay()
    for row, name in enumerate(names, start=1):
        domain = figure.layout[f"yaxis{row if row > 1 else ''}"].domain
        over.note(
            f"<b>{words.short(name)}</b>", 0, domain[1], xref="paper", yref="paper",
            xanchor="left", yanchor="bottom",
        )  # fmt: skip
    over.onto(figure)
    figure.update_layout(
        barmode="stack", bargap=0.12, margin={"t": figure.layout.margin.t + 14, "l": 12},
        uniformtext={"minsize": 11, "mode": "hide"},
    )  # fmt: skip
    figure.update_yaxes(visible=False, range=[0, 1])
    figure.update_xaxes(type="category", ticks="")
    figure.update_xaxes(title_text="target risk α", row=len(names), col=1)
    return figure


def misses(
    rates: pd.DataFrame,
    looks: Sequence[Look],
    delta: float,
    *,
    title: str,
    subtitle: str,
    colours: Palette,
) -> go.Figure:
    """How often the true risk exceeded the target, with intervals, beside the promise.

    Parameters
    ----------
    rates : DataFrame
        certificate, alpha, draws, missed, rate, low, high.
    """
    names = list(dict.fromkeys(rates["certificate"]))
    places = {alpha: place for place, alpha in enumerate(sorted(set(rates["alpha"])))}
    targets = list(places)
    figure, over = go.Figure(), Overlay()
    for nth, (name, look) in enumerate(zip(names, looks, strict=True)):
        rows = rates[rates["certificate"] == name]
        x = rows["alpha"].map(places) + (nth - (len(names) - 1) / 2) * 0.2
        figure.add_trace(
            go.Scatter(
                x=x,
                y=rows["rate"],
                error_y={
                    "symmetric": False, "array": rows["high"] - rows["rate"],
                    "arrayminus": rows["rate"] - rows["low"],
                    "color": look.colour, "thickness": 2, "width": 4,
                },
                customdata=rows[["missed", "draws", "low", "high"]],
                mode="markers",
                name=name,
                cliponaxis=False,
                marker={"symbol": look.symbol, "size": 9, "color": look.colour},
                hovertemplate=f"<b>{name}</b><br>%{{customdata[0]:,}} of %{{customdata[1]:,}} draws"
                " above α: %{y:.1%}<br>95% interval %{customdata[2]:.1%} to %{customdata[3]:.1%}"
                "<extra></extra>",
            )
        )  # fmt: skip
    top = min(1.02, max(1.12 * float(rates["high"].max()), 2.2 * delta))
    over.line(
        (-0.5, len(targets) - 0.5), (delta, delta), colours.limit, dash=DASHES["limit"],
        layer="above",
    )  # fmt: skip
    over.note(
        f"<b>δ = {words.setting(delta)}</b>", 1, delta, xref="paper", xanchor="left", xshift=5,
        font={"color": colours.limit},
    )  # fmt: skip
    titled(figure, title, subtitle, colours, height=330)
    over.onto(figure)
    figure.update_layout(margin={"r": 64})
    figure.update_xaxes(
        title_text="target risk α", tickvals=list(places.values()),
        ticktext=[words.setting(alpha) for alpha in targets],
        range=[-0.5, len(targets) - 0.5], showgrid=False,
    )  # fmt: skip
    step = 0.2 if top > 0.6 else 0.1 if top > 0.3 else 0.05 if top > 0.12 else 0.02
    figure.update_yaxes(title_text="draws above α", **percent_axis(0, top, step=step))
    return figure


def bars(
    groups: Sequence[tuple[str, Sequence[tuple[str, float, str]]]],
    *,
    title: str,
    subtitle: str,
    colours: Palette,
) -> go.Figure:
    """One stacked bar of shares a group; each part is a name, a share and a fill."""
    figure = go.Figure(
        [
            go.Bar(
                x=[share], y=[group], orientation="h", name=name,
                marker={"color": fill, "line": {"color": colours.background, "width": 2}},
                text=[f"{name}<br>{words.percent(share)}"],
                textposition="inside", insidetextanchor="middle", textangle=0,
                textfont={"color": colours.on_fill(fill)},
                hovertemplate=f"{group}<br>{name} {words.percent(share)}<extra></extra>",
            )
            for group, parts in groups
            for name, share, fill in parts
        ]
    )  # fmt: skip
    titled(figure, title, subtitle, colours, height=70 + 62 * len(groups))
    figure.update_layout(
        barmode="stack", bargap=0.18, uniformtext={"minsize": 12, "mode": "hide"},
        margin={"l": 8},
    )  # fmt: skip
    figure.update_xaxes(title_text="share of records", **percent_axis(0, 1, step=0.2))
    figure.update_yaxes(autorange="reversed", showgrid=False, ticks="", automargin=True)
    return figure


def drift(
    changes: Sequence[Change], alpha: float, *, title: str, subtitle: str, colours: Palette
) -> go.Figure:
    """Coverage and risk of the first snapshot's policy on both snapshots."""
    figure, over = go.Figure(), Overlay()
    for row, change in enumerate(changes):
        over.line((change.before, change.after), (row, row), colours.axis, width=3)
        for name, value, fill, size in (
            ("first", change.before, colours.background, 19),
            ("later", change.after, colours.ink, 7),
        ):
            figure.add_trace(
                go.Scatter(
                    x=[value], y=[row], mode="markers", name=name, cliponaxis=False,
                    marker={
                        "size": size, "color": fill, "line": {"color": colours.ink, "width": 2.5}
                    },
                    hovertemplate=f"{change.name}, {name} snapshot %{{x:.1%}}<extra></extra>",
                )
            )  # fmt: skip
        over.note(f"<b>{change.name}</b>", 0, row - 0.32, xanchor="left")
        if change.name == changes[-1].name and len(changes) > 1:
            over.line((alpha, alpha), (row - 0.2, row + 0.3), colours.limit, dash=DASHES["limit"])
            over.note(
                f"<b>α = {words.setting(alpha)}</b>", alpha, row + 0.3, yanchor="top",
                font={"color": colours.limit},
            )  # fmt: skip
    titled(figure, title, subtitle, colours, height=210)
    over.onto(figure)
    figure.update_layout(margin={"l": 16})
    figure.update_xaxes(title_text="○ first snapshot, ● later", **percent_axis(0, 1, step=0.2))
    figure.update_yaxes(visible=False, range=[len(changes) - 0.35, -0.55])
    return figure


def routes_small(
    summary: pd.DataFrame, judges: Sequence[str], *, title: str, subtitle: str, colours: Palette
) -> go.Figure:
    """Shares decided by each mode: a group of bars a target, in it one a judge."""
    names, figure = list(dict.fromkeys(summary["variant"])), go.Figure()
    targets, width = sorted(set(summary["alpha"])), 0.84 / len(names)
    parts = (("share_mode1", "Mode 1", colours.mode1), ("share_mode2", "Mode 2", colours.mode2))
    for nth, (name, judge) in enumerate(zip(names, judges, strict=True)):
        rows = summary[summary["variant"] == name]
        x = [place + (nth - (len(names) - 1) / 2) * width for place in range(len(targets))]
        base = np.zeros(len(rows))
        for column, label, fill in parts:
            figure.add_trace(
                go.Bar(
                    x=x, y=rows[column], base=base, width=0.88 * width,
                    marker={"color": fill}, name=label, customdata=rows["alpha"],
                    hovertemplate=f"<b>{judge}</b>, α = %{{customdata:.3~%}}<br>{label} %{{y:.1%}}"
                    "<extra></extra>",
                )
            )  # fmt: skip
            base = base + rows[column].to_numpy()
    titled(figure, title, subtitle, colours, height=215, title_width=28, subtitle_width=40)
    figure.update_layout(barmode="overlay")
    figure.update_xaxes(
        title_text="target risk α", tickvals=list(range(len(targets))),
        ticktext=[words.setting(alpha) for alpha in targets], showgrid=False,
    )  # fmt: skip
    figure.update_yaxes(title_text="share of records", **percent_axis(0, 1, step=0.2))
    return figure
