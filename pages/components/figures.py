"""Figures that several pages show: the certificate as a strip, the routing split as a bar."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import plotly.graph_objects as go

from pages.components import words
from pages.components.theme import DASHES, Overlay, Palette, bare


@dataclass(frozen=True)
class OperatingPoint:
    """Where the policy stands: counts over the records that its certificate tested.

    `decided` is the share of all records that it decides, labelled or not.
    """

    decided: float
    accepted: int
    errors: int
    tested: int
    bound: float
    promised: bool

    @property
    def coverage(self) -> float:
        return self.accepted / max(self.tested, 1)

    @property
    def risk(self) -> float:
        return self.errors / max(self.accepted, 1)


def certificate_strip(point: OperatingPoint, alpha: float, colours: Palette) -> go.Figure:
    """Observed risk, the bar to its bound, and the target, on one strip of risk."""
    top = min(1.0, max(0.01, 1.5 * max(point.bound, point.risk, alpha)))
    over = Overlay()
    over.line((0, top), (0.5, 0.5), colours.grid, width=18, layer="below")
    over.line((alpha, alpha), (0.26, 0.76), colours.limit, dash=DASHES["limit"], layer="below")
    dash = "solid" if point.promised else "dot"
    over.line((point.risk, point.bound), (0.5, 0.5), colours.ink, width=4, dash=dash, layer="below")
    share = alpha / top
    over.note(
        f"target α = {words.setting(alpha)}",
        alpha,
        1,
        yanchor="top",
        xanchor="left" if share < 0.15 else "right" if share > 0.85 else "center",
        font={"color": colours.limit},
    )
    # Both texts stand below, away from each other: at the ends where there is no room beside.
    low, high = sorted((point.risk, point.bound))
    crowded = low < 0.28 * top
    observed = f"observed {words.percent(point.risk)}"
    over.note(
        observed,
        low if not crowded else 0,
        0,
        yanchor="bottom",
        xanchor="left" if crowded else "right",
        xshift=0 if crowded else 4,
    )
    at_end = crowded or high > 0.78 * top
    over.note(
        f"bound {words.bound(point.bound)}" if point.promised else "no guarantee",
        top if at_end else high,
        0,
        yanchor="bottom",
        xanchor="right" if at_end else "left",
        xshift=0 if at_end else 6,
    )
    figure = go.Figure(
        ring(point.risk, 0.5, colours, f"{words.of(point.errors, point.accepted)} wrong")
    )
    bare(figure, colours, height=74)
    over.onto(figure)
    figure.update_xaxes(range=[-0.02 * top, 1.02 * top])
    figure.update_yaxes(range=[0, 1])
    return figure


def split_bar(shares: Mapping[str, tuple[float, int]], colours: Palette) -> go.Figure:
    """The records by route as one bar; `shares` maps mode1, mode2, person to share and count."""
    look = {
        "mode1": (colours.mode1, "Mode 1"),
        "mode2": (colours.mode2, "Mode 2"),
        "person": (colours.person_area, "to a person"),
    }
    figure = go.Figure()
    for name, (fill, label) in look.items():
        share, number = shares[name]
        if not number:
            continue
        figure.add_trace(
            go.Bar(
                x=[share],
                y=[""],
                orientation="h",
                marker={"color": fill, "line": {"color": colours.background, "width": 2}},
                text=[f"<b>{label}</b>"],
                textposition="inside",
                insidetextanchor="middle",
                textangle=0,
                textfont={"color": colours.on_fill(fill)},
                hovertemplate=(
                    f"{label}: {words.percent(share)}, {words.count(number)} records<extra></extra>"
                ),
            )
        )
    bare(figure, colours, height=44)
    # A name that does not fit inside its part is hidden; the tiles carry it anyway.
    figure.update_layout(barmode="stack", bargap=0, uniformtext={"minsize": 13, "mode": "hide"})
    figure.update_xaxes(range=[0, 1])
    return figure


def ring(x: float, y: float, colours: Palette, hover: str) -> go.Scatter:
    """The operating point's mark."""
    return go.Scatter(
        x=[x],
        y=[y],
        mode="markers",
        marker={
            "symbol": "circle",
            "size": 14,
            "color": colours.background,
            "line": {"color": colours.ink, "width": 3},
        },
        name="chosen",
        cliponaxis=False,
        hovertemplate=hover + "<extra></extra>",
    )
