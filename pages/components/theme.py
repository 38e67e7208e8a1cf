"""The colours, marks and Plotly template that every figure shares, light and dark."""

from __future__ import annotations

import textwrap
from dataclasses import dataclass, field
from functools import cache
from typing import Any, Literal

import plotly.graph_objects as go

FONT = "'Source Sans', Arial, sans-serif"
#: Characters in a line of a figure's title and of its subtitle. Plotly never wraps them.
TITLE_WIDTH = 40
SUBTITLE_WIDTH = 56


@dataclass(frozen=True)
class Palette:
    """The tokens of one appearance. A name says what is meant, not which colour it is."""

    name: Literal["light", "dark"]
    background: str
    surface: str
    ink: str
    muted: str
    quiet: str
    axis: str
    grid: str
    border: str
    mode1: str
    mode2: str
    person: str
    person_area: str
    limit: str
    mode1_text: str
    mode2_text: str
    more: str
    less: str
    # The cells of a heat map, one hue: from nothing to most.
    heat_low: str
    heat_middle: str
    heat_high: str
    # Annotation policies, and their names as text.
    classical: str
    uniform: str
    confidence: str
    fsa: str
    tuned: str
    recalibrated: str
    confidence_text: str
    fsa_text: str
    tuned_text: str
    recalibrated_text: str

    def on_fill(self, fill: str) -> str:
        """White or near-black, whichever is easier to read on `fill`."""
        light, dark = "#FFFFFF", "#111827"
        return light if _contrast(fill, light) >= _contrast(fill, dark) else dark


LIGHT = Palette(
    name="light",
    background="#FFFFFF",
    surface="#F4F6F8",
    ink="#111827",
    muted="#55606E",
    quiet="#7B8592",
    axis="#A7AFBA",
    grid="#E8EBEF",
    border="#D9DEE5",
    mode1="#1F4B99",
    mode2="#1796A6",
    person="#4B5563",
    person_area="#D5DBE3",
    limit="#B3261E",
    mode1_text="#1F4B99",
    mode2_text="#0B6B78",
    more="#B4560E",
    less="#2548AA",
    heat_low="#F5F8FB",
    heat_middle="#7FB2D6",
    heat_high="#0C3557",
    classical="#2B323C",
    uniform="#656C77",
    confidence="#BD7E1B",
    fsa="#7B1C86",
    tuned="#0BA5A0",
    recalibrated="#4B74F0",
    confidence_text="#865A10",
    fsa_text="#7B1C86",
    tuned_text="#08706C",
    recalibrated_text="#3A5FD0",
)

DARK = Palette(
    name="dark",
    background="#12161C",
    surface="#1B212A",
    ink="#E6EAF0",
    muted="#A3ADBA",
    quiet="#6F7B8A",
    axis="#566170",
    grid="#232B35",
    border="#333D49",
    mode1="#4F83EA",
    mode2="#58D6DF",
    person="#98A2B0",
    person_area="#2E3742",
    limit="#FF6F61",
    mode1_text="#7FA6F2",
    mode2_text="#58D6DF",
    more="#FDA544",
    less="#8AADFD",
    heat_low="#1B212A",
    heat_middle="#2F79B5",
    heat_high="#B5DBF7",
    classical="#E3E9F0",
    uniform="#8C95A1",
    confidence="#E6BE3C",
    fsa="#B04FC0",
    tuned="#5CC9B4",
    recalibrated="#66A6FF",
    confidence_text="#E6BE3C",
    fsa_text="#C77AD6",
    tuned_text="#5CC9B4",
    recalibrated_text="#66A6FF",
)

#: The mark of a route: tile legend, and symbol in a figure.
MARKS = {"mode1": "●", "mode2": "◆", "person": "□"}
SYMBOLS = {"mode1": "circle", "mode2": "diamond", "person": "square-open"}
DASHES = {"mode1": "solid", "mode2": "9px,3px", "limit": "6px,4px"}


def palette(name: str | None) -> Palette:
    """The palette of an appearance; anything but "dark" is light."""
    return DARK if name == "dark" else LIGHT


@cache
def template(colours: Palette) -> go.layout.Template:
    """The Plotly template: painted paper, quiet axes, one font."""
    axis = {
        "gridcolor": colours.grid,
        "gridwidth": 1,
        "zeroline": False,
        "linecolor": colours.axis,
        "showline": True,
        "ticks": "outside",
        "ticklen": 4,
        "tickcolor": colours.axis,
        "tickfont": {"size": 12, "color": colours.muted},
        "title": {"font": {"size": 13, "color": colours.muted}, "standoff": 8},
        "fixedrange": True,
    }
    return go.layout.Template(
        layout={
            "font": {"family": FONT, "size": 13, "color": colours.ink},
            "paper_bgcolor": colours.background,
            "plot_bgcolor": colours.background,
            "colorway": [colours.mode1, colours.mode2, colours.person, colours.ink],
            "title": {
                "font": {"size": 16, "weight": 600, "color": colours.ink},
                "x": 0,
                "xref": "container",
                "xanchor": "left",
                "y": 1,
                "yref": "container",
                "yanchor": "top",
                "pad": {"t": 20, "l": 2},
            },
            "xaxis": axis,
            "yaxis": axis,
            "margin": {"l": 52, "r": 16, "b": 48, "t": 64},
            "showlegend": False,
            "dragmode": False,
            "hovermode": "closest",
            "hoverlabel": {
                "bgcolor": colours.surface,
                "bordercolor": colours.axis,
                "font": {"family": FONT, "size": 13, "color": colours.ink},
                "align": "left",
            },
            "modebar": {
                "bgcolor": "rgba(0,0,0,0)",
                "color": colours.quiet,
                "activecolor": colours.ink,
            },
        }
    )


def titled(
    figure: go.Figure,
    title: str,
    subtitle: str,
    colours: Palette,
    *,
    height: int,
    title_width: int = TITLE_WIDTH,
    subtitle_width: int = SUBTITLE_WIDTH,
) -> go.Figure:
    """Give a figure its template, its title and subtitle broken into lines, and a top margin.

    `height` is that of the plot area and its axis labels; the title comes on top, so that
    a figure with a longer title is taller, not flatter.
    """
    lines = textwrap.wrap(title, title_width) or [""]
    small = textwrap.wrap(subtitle, subtitle_width) if subtitle else []
    text = "<br>".join(lines)
    if small:
        style = f"font-size:13px;font-weight:400;color:{colours.muted}"
        text += f"<br><span style='{style}'>" + "<br>".join(small) + "</span>"
    top = 20 + 21 * len(lines) + 18 * len(small) + 10
    figure.update_layout(
        template=template(colours),
        title={"text": text},
        margin={"t": top},
        height=height + top,
    )
    return figure


def bare(figure: go.Figure, colours: Palette, *, height: int) -> go.Figure:
    """Give a strip the template without title, axes or margins."""
    figure.update_layout(
        template=template(colours),
        margin={"l": 0, "r": 0, "t": 0, "b": 0},
        height=height,
    )
    figure.update_xaxes(visible=False)
    figure.update_yaxes(visible=False)
    return figure


@dataclass
class Overlay:
    """Lines and notes over a figure, added in one go: one at a time Plotly copies all of them."""

    lines: list[dict[str, Any]] = field(default_factory=list)
    notes: list[dict[str, Any]] = field(default_factory=list)

    def line(
        self,
        xs: tuple[float, float],
        ys: tuple[float, float],
        colour: str,
        *,
        width: float = 2,
        dash: str = "solid",
        layer: str = "between",
    ) -> None:
        """A straight line, under the marks but over the grid unless `layer` says otherwise."""
        self.lines.append(
            {
                "type": "line",
                "x0": xs[0],
                "x1": xs[1],
                "y0": ys[0],
                "y1": ys[1],
                "line": {"color": colour, "width": width, "dash": dash},
                "layer": layer,
            }
        )

    def note(self, text: str, x: Any, y: Any, **look: Any) -> None:
        """A text at a point, without an arrow."""
        self.notes.append({"text": text, "x": x, "y": y, "showarrow": False, **look})

    def onto(self, figure: go.Figure) -> None:
        """Put everything on the figure."""
        figure.update_layout(shapes=self.lines, annotations=self.notes)


def percent_axis(low: float, high: float, *, step: float) -> dict[str, Any]:
    """Axis settings for shares: fixed range, a tick each `step`, whole percents."""
    return {
        "range": [low, high],
        "tick0": 0,
        "dtick": step,
        "tickformat": ".0%" if step >= 0.01 else ".1%",
    }


def _contrast(first: str, second: str) -> float:
    """WCAG contrast ratio of two #rrggbb colours."""
    high, low = sorted((_luminance(first), _luminance(second)), reverse=True)
    return (high + 0.05) / (low + 0.05)


def _luminance(colour: str) -> float:
    channels = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]
