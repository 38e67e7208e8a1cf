"""Questions whose answer changes by the hour, as people put them to a voice assistant.

The places are real cities with made-up shops, ferries and results in them; values are drawn. An
answer is right when it gives the drawn value, and the wrong ones are near it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from numpy.random import Generator

from sample_data.drafts import between, one_of, two_of
from sample_data.facts import CAPITAL_OF, OTHER_CITY_OF
from sample_data.questions import Question

CITIES = tuple(sorted({*CAPITAL_OF.values(), *OTHER_CITY_OF.values()}))
VENUES = (
    "Harbour Museum", "Old Mill Library", "Lantern Cinema", "Riverside Pool", "Orchard Market",
    "Clock Tower Café", "Northgate Ice Rink", "Willow Street Pharmacy", "Glasshouse Garden",
    "Station Bakery",
)  # fmt: skip


@dataclass(frozen=True)
class Live:
    """A kind of question: wordings, the claim that answers it, and how a value is drawn.

    `draw` gives the value and the values near it; texts take {city}, {other}, {venue}, {value}.
    """

    subject: str
    asks: tuple[str, ...]
    claim: str
    draw: Callable[[Generator], tuple[str, ...]]


def _clock(rng: Generator) -> tuple[str, ...]:
    hour, minute = between(rng, 9, 21), 5 * between(rng, 0, 11)
    near = ((hour, minute), (hour + 1, minute), (hour - 1, minute), (hour, (minute + 30) % 60))
    return tuple(f"{h}:{m:02d}" for h, m in near)


def _number(low: int, high: int, unit: str, step: int) -> Callable[[Generator], tuple[str, ...]]:
    def draw(rng: Generator) -> tuple[str, ...]:
        value = between(rng, low, high)
        return tuple(f"{value + off * step}{unit}" for off in (0, 1, -1, 2))

    return draw


def _score(rng: Generator) -> tuple[str, ...]:
    ours, theirs = between(rng, 2, 5), between(rng, 0, 1)
    return f"{ours} to {theirs}", f"{ours - 1} to {theirs}", f"{ours} to {theirs + 1}"


LIVE = (
    Live(
        "weather",
        ("What's today's high in {city}?", "How warm does it get in {city} today?"),
        "Today's high in {city} is {value}.",
        _number(12, 34, " °C", 3),
    ),
    Live(
        "opening hours",
        ("When does the {venue} in {city} close today?", "Until when is {city}'s {venue} open?"),
        "The {venue} in {city} closes at {value} today.",
        _clock,
    ),
    Live(
        "prices",
        ("What is a ticket for the {venue} in {city} now?", "What does {city}'s {venue} charge?"),
        "The {venue} in {city} currently charges {value}.",
        _number(6, 30, " dollars", 2),
    ),
    Live(
        "transport",
        ("When is the next ferry from {city} to {other}?", "Next coach from {city} to {other}?"),
        "The next departure from {city} to {other} is at {value}.",
        _clock,
    ),
    Live(
        "queues",
        ("How long is the wait at the {venue} in {city} right now?",),
        "The wait at the {venue} in {city} is {value} at present.",
        _number(15, 55, " minutes", 5),
    ),
    Live(
        "results",
        ("How did {city} do against {other} last night?", "Latest score of {city} and {other}?"),
        "{city} beat {other} {value} last night.",
        _score,
    ),
)


def live_questions(n: int, rng: Generator) -> list[tuple[Question, str]]:
    """Draw `n` different questions, each with the claim that answers it, {value} left open."""
    found: dict[str, tuple[Question, str]] = {}
    while len(found) < n:
        kind = one_of(rng, LIVE)
        city, other = two_of(rng, CITIES)
        fields = {"city": city, "other": other, "venue": one_of(rng, VENUES)}
        text = one_of(rng, kind.asks).format(**fields)
        value, *near = kind.draw(rng)
        claim = kind.claim.format(**fields, value="{value}")
        found.setdefault(text, (Question(kind.subject, text, value, tuple(near)), claim))
    return list(found.values())
