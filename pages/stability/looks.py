"""How lines are told apart, and what else a figure of this page is given besides its table."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from core.risk.certification import CERTIFICATES
from pages.components.theme import DASHES, Palette


@dataclass(frozen=True)
class Look:
    """How a line is drawn."""

    colour: str
    dash: str = "solid"
    symbol: str = "circle"
    width: float = 2
    text: str | None = None


@dataclass(frozen=True)
class Ticks:
    """Places and names on an axis that is not a scale of shares."""

    at: tuple[float, ...]
    names: tuple[str, ...]
    title: str


def plain_looks(names: Sequence[str], colours: Palette, *, bold: str | None = None) -> list[Look]:
    """Looks that differ in dash and mark, none of which means anything; `bold` is in ink."""
    dashes = ("solid", "7px,4px", "2px,3px", "9px,3px,2px,3px", "14px,4px")
    symbols = ("circle", "square", "diamond", "triangle-up", "x", "star")
    greys = (colours.person, colours.quiet)
    chosen = bold if bold in names else names[0]
    others = [name for name in names if name != chosen]
    looks = {chosen: Look(colours.ink, width=3)}
    for place, name in enumerate(others):
        mark = place + 1
        looks[name] = Look(
            greys[place % 2], dashes[mark % len(dashes)], symbols[mark % len(symbols)]
        )
    return [looks[name] for name in names]


@dataclass(frozen=True)
class Change:
    """One number in both snapshots; ``low``, ``high`` is the interval of the change."""

    name: str
    before: float
    after: float
    low: float
    high: float


def certificate_looks(colours: Palette) -> list[Look]:
    """The three certificates; the one that promises nothing is dotted."""
    looks = {
        "fixed-sequence": Look(colours.ink, "solid", "circle", 3),
        "bonferroni": Look(colours.person, "7px,4px", "square"),
        "pointwise": Look(colours.quiet, "2px,3px", "diamond"),
    }
    return [looks[name] for name in CERTIFICATES]


def baseline_look(name: str, colours: Palette) -> Look:
    """The pair in ink, a mode alone in its colour, the controls without evidence in grey."""
    looks = {
        "Pair": Look(colours.ink, "solid", "circle", 3),
        "Mode 1 only": Look(colours.mode1, DASHES["mode1"], "circle", 2, text=colours.mode1_text),
        "Always retrieve": Look(
            colours.mode2, DASHES["mode2"], "diamond", 2, text=colours.mode2_text
        ),
        "Self-evaluation": Look(colours.person, "2px,3px", "square"),
    }
    return looks.get(name, Look(colours.quiet, "7px,4px", "triangle-up"))
