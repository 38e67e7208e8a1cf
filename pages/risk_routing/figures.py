"""The figures of the Risk & routing page: results in, Plotly figures out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from pages.components import words
from pages.components.figures import OperatingPoint, ring
from pages.components.theme import DASHES, SYMBOLS, Overlay, Palette, percent_axis, titled
from pages.risk_routing.labels import Box, clear_spot
from pages.risk_routing.points import Curve, JudgeRow, PlanePoints

MODE_NAMES = {"1": "Mode 1", "2": "Mode 2", "both": "Both"}


def risk_coverage(
    curves: Mapping[str, Curve],
    chosen: str,
    point: OperatingPoint | None,
    *,
    alpha: float,
    title: str,
    subtitle: str,
    colours: Palette,
) -> go.Figure:
    """Risk against coverage of each mode ("1", "2") and of the pair ("both").

    `chosen` is drawn in ink, through `point` where anything is accepted.
    """
    look = {
        "1": (colours.mode1, DASHES["mode1"], colours.mode1_text),
        "2": (colours.mode2, DASHES["mode2"], colours.mode2_text),
    }
    curves = {name: curve for name, curve in curves.items() if len(curve.accepted)}
    top = _risk_top(curves, alpha, point)
    figure = go.Figure(
        [
            _curve(name, curves[name], name == chosen, look, colours)
            for name in sorted(curves, key=lambda one: one == chosen)
        ]
    )
    over = Overlay()
    paths = {
        name: np.column_stack([curve.coverage, curve.risk / top]) for name, curve in curves.items()
    }
    obstacles = list(paths.values())
    taken = [_target_line(over, alpha, top, obstacles, colours)]
    obstacles.append(np.array([[x, alpha / top] for x in np.linspace(0, 1, 51)]))
    if point is not None:
        taken.append(_operating_point(over, point, top, obstacles, taken, colours))
        hover = "<br>".join([*_note(point), f"{words.of(point.errors, point.accepted)} wrong"])
        figure.add_trace(ring(point.coverage, point.risk, colours, hover))
    for name in curves:
        _, _, text_colour = look.get(name, (colours.ink, "solid", colours.ink))
        box = clear_spot(paths[name], obstacles, taken, width=0.14, height=0.06)
        taken.append(box)
        over.note(f"<b>{MODE_NAMES[name]}</b>", box.x, box.y * top, font={"color": text_colour})
    titled(figure, title, subtitle, colours, height=456)
    over.onto(figure)
    figure.update_xaxes(
        title_text="coverage: share of records the judge decides",
        **percent_axis(0, 1.005, step=0.2),
    )
    figure.update_yaxes(
        title_text="risk: share wrong among decided", **percent_axis(0, top, step=_nice_step(top))
    )
    return figure


def _curve(
    name: str, curve: Curve, bold: bool, look: Mapping[str, tuple[str, str, str]], colours: Palette
) -> go.Scatter:
    colour, dash, _ = look.get(name, (colours.ink, "solid", colours.ink))
    return go.Scatter(
        x=curve.coverage,
        y=curve.risk,
        customdata=np.column_stack([curve.errors, curve.accepted]),
        mode="lines+markers" if len(curve.accepted) == 1 else "lines",
        name=MODE_NAMES[name],
        line={"color": colour, "dash": dash, "width": 3 if bold else 2},
        hovertemplate=(
            f"<b>{MODE_NAMES[name]}</b><br>decides %{{x:.1%}}, %{{y:.1%}} of these wrong"
            "<br>%{customdata[0]:,} of %{customdata[1]:,}<extra></extra>"
        ),
    )


def _note(point: OperatingPoint) -> list[str]:
    return [
        f"<b>{words.percent(point.decided)} decided</b>",
        f"{words.percent(point.risk)} of {words.count(point.accepted)} tested wrong",
        f"bound {words.bound(point.bound)}" if point.promised else "no guarantee",
    ]


def _operating_point(
    over: Overlay,
    point: OperatingPoint,
    top: float,
    obstacles: list[np.ndarray],
    taken: list[Box],
    colours: Palette,
) -> Box:
    """Whisker to the bound, drop line and note; returns where the note stands."""
    x, y, bound = point.coverage, point.risk, min(point.bound, top)
    over.line((x, x), (0, y), colours.axis, width=1.5)
    over.line((x, x), (y, bound), colours.ink, dash="solid" if point.promised else "dot")
    over.line((x - 0.012, x + 0.012), (bound, bound), colours.ink)
    left = x > 0.45
    width, height = 0.36, 0.16
    centre = x - width / 2 - 0.01 if left else x + width / 2 + 0.01
    spots = [Box(centre, height / 2 + 0.01, width, height), Box(centre, 0.9, width, height)]
    box = max(spots, key=lambda spot: min(spot.clearance(obstacles, taken), 0.02))
    over.note(
        "<br>".join(_note(point)),
        x - 0.012 if left else x + 0.012,
        box.y * top,
        xanchor="right" if left else "left",
        yanchor="middle",
        align="right" if left else "left",
        bgcolor=colours.background,
        opacity=0.92,
        borderpad=2,
    )
    return box


def _target_line(
    over: Overlay, alpha: float, top: float, obstacles: list[np.ndarray], colours: Palette
) -> Box:
    """The target as a dashed line with its name; returns where the name stands."""
    over.line((0, 1), (alpha, alpha), colours.limit, dash=DASHES["limit"], layer="above")
    path = np.column_stack([np.linspace(0, 1, 101), np.full(101, alpha / top)])
    box = clear_spot(path, [*obstacles, path], [], width=0.28, height=0.055)
    text = f"<b>target α = {words.setting(alpha)}</b>"
    over.note(text, box.x, box.y * top, font={"color": colours.limit})
    return box


def _risk_top(curves: Mapping[str, Curve], alpha: float, point: OperatingPoint | None) -> float:
    highest = [float(curve.risk.max()) for curve in curves.values()]
    if point is not None:
        highest.append(min(point.bound, 1.0))
    top = max([1.15 * alpha, 0.02, *(1.08 * high for high in highest)])
    step = _nice_step(top)
    return min(1.0, float(np.ceil(round(top / step, 6)) * step))


def _nice_step(top: float) -> float:
    for step in (0.005, 0.01, 0.02, 0.05, 0.1, 0.2):
        if top / step <= 5.001:
            return step
    return 0.2


def target_range(
    sweep: pd.DataFrame,
    *,
    alpha: float,
    title: str,
    subtitle: str,
    colours: Palette,
) -> go.Figure:
    """Shares of the records by route at every target risk, with the current one marked.

    Parameters
    ----------
    sweep : DataFrame
        Columns alpha, coverage, share_mode1, share_mode2, share_abstain; a row a target.
    """
    figure, over = go.Figure(), Overlay()
    targets = sweep["alpha"].to_numpy()
    edges = np.zeros(len(sweep))
    parts = (
        ("share_mode1", "Mode 1", colours.mode1),
        ("share_mode2", "Mode 2", colours.mode2),
        ("share_abstain", "to a person", colours.person_area),
    )
    for column, name, fill in parts:
        share = sweep[column].to_numpy()
        figure.add_trace(
            go.Scatter(
                x=targets,
                y=share,
                stackgroup="routes",
                mode="lines",
                line={"width": 0},
                fillcolor=fill,
                name=name,
                hovertemplate=f"{name} %{{y:.1%}}<extra></extra>",
            )
        )
        _name_band(over, targets, edges, edges + share, name, fill, avoid=alpha, colours=colours)
        edges = edges + share
    figure.add_trace(
        go.Scatter(
            x=targets,
            y=sweep["coverage"],
            mode="lines",
            line={"color": colours.ink, "width": 3},
            name="decided",
            hovertemplate="<b>decided %{y:.1%}</b><extra></extra>",
        )
    )
    over.line((alpha, alpha), (0, 1), colours.limit, dash=DASHES["limit"], layer="above")
    over.note(
        f"<b>α = {words.setting(alpha)}</b>",
        alpha,
        1,
        yanchor="bottom",
        xanchor="left" if alpha < 0.06 else "right" if alpha > 0.44 else "center",
        font={"color": colours.limit},
    )
    titled(figure, title, subtitle, colours, height=330)
    over.onto(figure)
    figure.update_layout(hovermode="x unified", margin={"t": figure.layout.margin.t + 14})
    figure.update_xaxes(
        title_text="target risk α",
        hoverformat=".3~%",
        **percent_axis(0, 0.5, step=0.1),
    )
    figure.update_yaxes(title_text="share of records", **percent_axis(0, 1, step=0.2))
    return figure


def plane(
    points: PlanePoints,
    thresholds: tuple[float | None, float | None],
    *,
    title: str,
    subtitle: str,
    colours: Palette,
) -> go.Figure:
    """Records by both uncertainties, coloured by route, with the policy's thresholds."""
    figure, over = go.Figure(), Overlay()
    looks = (
        (0, "person", "to a person", colours.person),
        (1, "mode1", "Mode 1 decides", colours.mode1),
        (2, "mode2", "Mode 2 decides", colours.mode2),
    )
    for route, look, name, colour in looks:
        here = (points.route == route) & ~points.wrong
        figure.add_trace(
            go.Scatter(
                x=points.x[here],
                y=points.y[here],
                mode="markers",
                marker={
                    "symbol": SYMBOLS[look],
                    "size": 6,
                    "color": colour,
                    "opacity": 0.6 if route else 0.8,
                },
                name=name,
                hovertemplate=f"{name}<br>surer by Mode 1: %{{x:.0%}}, by Mode 2: %{{y:.0%}}"
                "<extra></extra>",
            )
        )
    figure.add_trace(
        go.Scatter(
            x=points.x[points.wrong],
            y=points.y[points.wrong],
            mode="markers",
            marker={
                "symbol": "x-thin",
                "size": 7,
                "line": {"color": colours.limit, "width": 2},
            },
            name="wrong",
            hovertemplate="decided wrongly<br>surer by Mode 1: %{x:.0%}, by Mode 2: %{y:.0%}"
            "<extra></extra>",
        )
    )
    first, second = points.line1 or 0.0, points.line2 or 0.0
    _threshold(over, "t1", thresholds[0], points.line1, (first, first), (0, 1), colours)
    _threshold(over, "t2", thresholds[1], points.line2, (first, 1), (second, second), colours)
    areas = (
        ("<b>Mode 1<br>decides</b>", colours.mode1_text, (0, first), (0, 1), 0.9),
        ("<b>Mode 2 decides</b>", colours.mode2_text, (first, 1), (0, second), 0.3),
        ("<b>to a person</b>", colours.person, (first, 1), (second, 1), 0.5),
    )
    for text, colour, (x0, x1), (y0, y1), height in areas:
        if x1 - x0 < 0.16 or y1 - y0 < 0.08:
            continue
        over.note(
            text,
            (x0 + x1) / 2,
            y0 + height * (y1 - y0),
            font={"color": colour},
            bgcolor=colours.background,
            opacity=0.9,
            borderpad=2,
        )
    titled(figure, title, subtitle, colours, height=344)
    over.onto(figure)
    axis = percent_axis(-0.015, 1.015, step=0.2)
    figure.update_xaxes(title_text="Mode 1 uncertainty, percentile", **axis)
    figure.update_yaxes(title_text="Mode 2 uncertainty, percentile", **axis)
    return figure


def judges_compared(
    judges: Sequence[JudgeRow], *, title: str, subtitle: str, colours: Palette
) -> go.Figure:
    """Each judge's routing split at the same target, one above the other."""
    figure, over = go.Figure(), Overlay()
    parts = (
        ("share1", "Mode 1", colours.mode1),
        ("share2", "Mode 2", colours.mode2),
        ("share_abstain", "to a person", colours.person_area),
    )
    names = [f"<b>{row.label}</b>" if row.chosen else row.label for row in judges]
    for field, name, fill in parts:
        figure.add_trace(
            go.Bar(
                x=[getattr(row, field) for row in judges],
                y=names,
                orientation="h",
                marker={"color": fill, "line": {"color": colours.background, "width": 1}},
                name=name,
                hovertemplate=f"%{{y}}<br>{name} %{{x:.1%}}<extra></extra>",
            )
        )
    for row, name in zip(judges, names, strict=True):
        text = f"<b>{words.percent(row.coverage)}</b>"
        over.note(text, 1.01, name, xref="paper", xanchor="left")
    titled(figure, title, subtitle, colours, height=58 + 34 * len(judges))
    over.onto(figure)
    figure.update_layout(barmode="stack", bargap=0.3, margin={"l": 8, "r": 64})
    figure.update_xaxes(title_text="share of records", **percent_axis(0, 1, step=0.2))
    figure.update_yaxes(autorange="reversed", showgrid=False, ticks="", automargin=True)
    return figure


def _name_band(
    over: Overlay,
    targets: np.ndarray,
    low: np.ndarray,
    high: np.ndarray,
    name: str,
    fill: str,
    *,
    avoid: float,
    colours: Palette,
) -> None:
    """Write a band's name where it is thickest over the name's width and clear of `avoid`."""
    # Shares of the axis that a letter takes on a phone; wider screens have room to spare.
    width = 0.028 * len(name) * (targets[-1] - targets[0])
    best, place = 0.0, None
    for at in targets:
        near = np.abs(targets - at) <= width / 2
        if at - width / 2 < targets[0] or at + width / 2 > targets[-1]:
            continue
        floor, ceiling = float(low[near].max()), float(high[near].min())
        crossed = abs(at - avoid) <= width / 2
        worth = (ceiling - floor) * (0.3 if crossed else 1)
        if ceiling - floor >= 0.08 and worth > best + 1e-9:
            best, place = worth, (float(at), (floor + ceiling) / 2)
    if place is not None:
        over.note(f"<b>{name}</b>", *place, font={"color": colours.on_fill(fill)})


def _threshold(
    over: Overlay,
    name: str,
    raw: float | None,
    at: float | None,
    xs: tuple[float, float],
    ys: tuple[float, float],
    colours: Palette,
) -> None:
    if raw is None or at is None:
        return
    over.line(xs, ys, colours.ink, layer="above")
    upright = xs[0] == xs[1]
    over.note(
        f"{name} = {raw:.3g}",
        xs[0] if upright else 1,
        0 if upright else at,
        xanchor=("left" if at < 0.7 else "right") if upright else "right",
        yanchor="bottom" if upright or at < 0.85 else "top",
        bgcolor=colours.background,
        opacity=0.9,
        borderpad=2,
    )
