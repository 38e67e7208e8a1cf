"""Made-up places, texts about them, and answers whose doubtful spans are known to the letter.

A place is a handful of drawn facts. A fact can be said literally, loosely (a paraphrase or an
inference that people accept), or wrongly. Loose and wrong wordings mark their span with braces.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from numpy.random import Generator

from sample_data.drafts import WEEKDAYS, between, one_of
from sample_data.live_questions import CITIES

Span = list[int]
TASKS = ("question answering", "summarization", "data-to-text")
FIRST = (
    "Amber", "Blue", "Copper", "Crooked", "Dappled", "Golden", "Green", "Grey", "Hidden", "Ivory",
    "Little", "Long", "Merry", "Old", "Painted", "Quiet", "Red", "Round", "Silver", "Stone",
)  # fmt: skip
SECOND = (
    "Anchor", "Apple", "Badger", "Bell", "Bridge", "Candle", "Cedar", "Comet", "Fox", "Heron",
    "Kettle", "Lantern", "Mill", "Orchard", "Otter", "Parrot", "Sparrow", "Thistle", "Violin",
    "Wheel",
)  # fmt: skip
SIGHTS = {
    "pear trees": "a garden with old pear trees",
    "mosaic": "a floor mosaic from its first year",
    "roof terrace": "a roof terrace",
    "ship models": "a case of ship models",
    "tiled stove": "a tiled stove in the front room",
    "clock": "a clock that still strikes the hours",
}


@dataclass(frozen=True)
class Place:
    """The facts of a place: hours and price are whole numbers, `shut` a weekday."""

    name: str
    kind: str
    city: str
    year: int
    seats: int
    opens: int
    closes: int
    shut: str
    price: int
    sight: str

    @property
    def title(self) -> str:
        return f"{self.name} {self.kind}"


@dataclass(frozen=True)
class Fact:
    """One fact in the three ways to say it, and the question that asks for it.

    `loose` and `wrong` have the doubtful span in braces.
    """

    asks: str
    literal: str
    loose: str
    wrong: str


def draw_place(kind: str, rng: Generator) -> Place:
    """Draw a place of a kind."""
    return Place(
        name=f"{one_of(rng, FIRST)} {one_of(rng, SECOND)}",
        kind=kind,
        city=one_of(rng, CITIES),
        year=between(rng, 1890, 2015),
        seats=between(rng, 12, 180),
        opens=between(rng, 7, 11),
        closes=between(rng, 16, 23),
        shut=one_of(rng, WEEKDAYS),
        price=between(rng, 3, 28),
        sight=one_of(rng, tuple(SIGHTS)),
    )


def facts(place: Place) -> list[Fact]:
    """Give the six facts that answers speak of."""
    p = place
    swapped = p.seats % 10 * 10 + p.seats // 10 % 10 + p.seats // 100 * 100
    seats = swapped if swapped != p.seats else p.seats + 9
    other_day = WEEKDAYS[(WEEKDAYS.index(p.shut) + 2) % 7]
    other_sight = tuple(SIGHTS.values())[(tuple(SIGHTS).index(p.sight) + 1) % len(SIGHTS)]
    return [
        Fact(
            "when did it open its doors",
            f"It opened in {p.year}.",
            "It is {well established in the city}."
            if p.year < 1985
            else "It is {one of the younger addresses in the city}.",
            f"It {{opened in {p.year + 11}}}.",
        ),
        Fact(
            "how many people does it seat",
            f"It seats {p.seats} people.",
            "It {has room for large parties}."
            if p.seats > 60
            else "It {suits a small circle of guests}.",
            f"It {{seats {seats} people}}.",
        ),
        Fact(
            "what are its hours",
            f"It is open from {p.opens}:00 to {p.closes}:00.",
            "You can {drop by after an ordinary day at work}."
            if p.closes > 18
            else "It {is a daytime affair}.",
            f"It is open {{from {p.opens}:00 to {p.closes - 2}:00}}.",
        ),
        Fact(
            "on which day is it shut",
            f"It is closed on {p.shut}s.",
            f"The staff {{take their weekly rest on {p.shut}s}}.",
            f"It is {{closed on {other_day}s}}.",
        ),
        Fact(
            "what does a visit cost",
            f"A visit costs {p.price} dollars.",
            "A visit is {easy on the purse}."
            if p.price < 12
            else "A visit is {something to save up for}.",
            f"A visit costs {{{p.price + 4} dollars}}.",
        ),
        Fact(
            "what is there to see",
            f"It has {SIGHTS[p.sight]}.",
            f"The {p.sight} {{make it worth a detour}}."
            if p.sight.endswith("s")
            else f"The {p.sight} {{makes it worth a detour}}.",
            f"It has {{{other_sight}}}.",
        ),
    ]


def source_text(place: Place, task: str, rng: Generator) -> str:
    """Write what the answer must stay with: an entry for data-to-text, else a passage."""
    p = place
    if task == "data-to-text":
        return (
            f"name: {p.name}\nkind: {p.kind}\ncity: {p.city}\nopened: {p.year}\n"
            f"seats: {p.seats}\nhours: {p.opens}:00-{p.closes}:00\nclosed: {p.shut}\n"
            f"price: {p.price} dollars\nfeature: {SIGHTS[p.sight]}"
        )
    said = [fact.literal for fact in facts(place)]
    shown = [said[int(k)] for k in rng.permutation(len(said))]
    return f"The {p.title} is in {p.city}. " + " ".join(shown)


def question_text(place: Place, task: str, asked: Sequence[Fact]) -> str:
    """Write the task as the candidate got it."""
    if task == "question answering":
        wanted = " and ".join(fact.asks for fact in asked[:2])
        return f"About the {place.title} in {place.city}: {wanted}?"
    if task == "summarization":
        return f"Summarise the text on the {place.title} in {place.city} in a few sentences."
    return f"Write a short text from the entry on the {place.title} in {place.city}."


def answer_text(place: Place, task: str, sentences: Sequence[str]) -> tuple[str, list[Span]]:
    """Join sentences, and give the spans that braces mark: [start, end), from 0."""
    lead = "" if task == "question answering" else f"The {place.title} is in {place.city}. "
    text, spans = lead, []
    for letter in " ".join(sentences):
        if letter == "{":
            spans.append([len(text), -1])
        elif letter == "}":
            spans[-1][1] = len(text)
        else:
            text += letter
    return text, spans


def unmarked(sentence: str) -> str:
    return sentence.replace("{", "").replace("}", "")
