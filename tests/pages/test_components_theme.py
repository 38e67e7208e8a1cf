"""The look that all figures share."""

from __future__ import annotations

from dataclasses import fields

import plotly.graph_objects as go
import pytest

from pages.components import theme
from pages.components.theme import DARK, LIGHT, Overlay, Palette

BOTH = pytest.mark.parametrize("colours", [LIGHT, DARK], ids=["light", "dark"])


@BOTH
def test_text_is_readable_on_the_page(colours: Palette) -> None:
    for name in ("ink", "muted", "limit", "mode1_text", "mode2_text", "person"):
        assert theme._contrast(getattr(colours, name), colours.background) >= 4.5, name


@BOTH
def test_text_on_a_fill_is_the_more_readable_of_two(colours: Palette) -> None:
    for fill in (colours.mode1, colours.mode2, colours.person_area):
        chosen = colours.on_fill(fill)
        assert theme._contrast(fill, chosen) >= 4.0
        other = {"#FFFFFF": "#111827", "#111827": "#FFFFFF"}[chosen]
        assert theme._contrast(fill, chosen) >= theme._contrast(fill, other)


def test_contrast_of_black_and_white_is_21() -> None:
    assert theme._contrast("#000000", "#FFFFFF") == pytest.approx(21)


def test_palettes_hold_colours_only() -> None:
    for colours in (LIGHT, DARK):
        for field in fields(Palette):
            value = getattr(colours, field.name)
            assert field.name == "name" or (value.startswith("#") and len(value) == 7)


def test_unknown_appearance_is_light() -> None:
    assert theme.palette("dark") is DARK
    assert theme.palette(None) is theme.palette("light") is LIGHT


def test_title_is_broken_and_the_top_margin_follows() -> None:
    short = theme.titled(go.Figure(), "Short", "", LIGHT, height=300)
    long = theme.titled(go.Figure(), "Word " * 12, "small words " * 8, LIGHT, height=300)
    assert "<br>" not in short.layout.title.text
    title, _, subtitle = long.layout.title.text.partition("<br><span")
    assert all(len(line) <= theme.TITLE_WIDTH for line in title.split("<br>"))
    assert subtitle.count("<br>") == 1
    assert long.layout.margin.t > short.layout.margin.t
    # The plot keeps its height whatever the title takes.
    assert long.layout.height - long.layout.margin.t == short.layout.height - short.layout.margin.t


@BOTH
def test_template_paints_the_paper_and_never_drags(colours: Palette) -> None:
    layout = theme.template(colours).layout
    assert layout.paper_bgcolor == layout.plot_bgcolor == colours.background
    assert layout.dragmode is False


def test_overlay_puts_every_line_and_note_on_the_figure() -> None:
    over = Overlay()
    over.line((0, 1), (2, 3), "#000000", dash="dot")
    over.note("here", 1, 2, xanchor="left")
    figure = go.Figure()
    over.onto(figure)
    line, note = figure.layout.shapes[0], figure.layout.annotations[0]
    assert (line.x0, line.x1, line.y0, line.y1, line.line.dash) == (0, 1, 2, 3, "dot")
    assert (note.text, note.x, note.y, note.showarrow) == ("here", 1, 2, False)
