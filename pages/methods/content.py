"""The text of the Methods page: ``text.md``, with every number in it computed.

In that file ``## Title {#anchor}`` starts a section, a ``math`` fence holds a formula, ``[[name]]``
on a line of its own is a table or the calculator, and ``{name}`` in prose is a value of `values`.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Literal

import pandas as pd

from core.jobs import MIN_REFERENCE
from core.risk.bounds import max_errors, min_accepted, risk_upper
from core.risk.certification import START_PAIR, START_SINGLE, bonferroni_level
from pages.methods import examples
from pages.methods.simulation import DELTA, N_RECORDS, load
from pages.methods.tiles import tiles_table

TEXT = Path(__file__).with_name("text.md")
#: Share of the best coverage that is kept where few retrievals are preferred.
KEPT = 0.95

_SECTION = re.compile(r"^## (?P<title>.+) \{#(?P<anchor>[a-z-]+)\}$", re.MULTILINE)
_PIECE = re.compile(
    r"^```math\n(?P<formula>.*?)\n```$|^\[\[(?P<name>\w+)\]\]$", re.MULTILINE | re.DOTALL
)
_VALUE = re.compile(r"\{(\w+)\}")


@dataclass(frozen=True)
class Block:
    """One piece of a section: prose, a formula, or the name of something to draw."""

    kind: Literal["text", "formula", "named"]
    body: str


@dataclass(frozen=True)
class Section:
    """A titled part of the page, reached by its anchor."""

    anchor: str
    title: str
    blocks: tuple[Block, ...]


@cache
def sections() -> tuple[Section, ...]:
    """Return the page in reading order."""
    parts = _SECTION.split(TEXT.read_text(encoding="utf-8"))
    found = zip(parts[1::3], parts[2::3], parts[3::3], strict=True)
    return tuple(Section(anchor, title, _blocks(body)) for title, anchor, body in found)


def tables() -> dict[str, pd.DataFrame]:
    """Return the tables that the text names."""
    return {
        "errors_allowed": examples.errors_allowed_table(),
        "misses": examples.misses_table(),
        "tiles": tiles_table(),
    }


def values() -> dict[str, str]:
    """Return every number and sentence that stands in the prose."""
    alpha, alpha_small, delta = 0.20, 0.05, 0.05
    n_records, accepted = 2_000, 1_000
    corrected = bonferroni_level(delta, alpha, n_records, modes=2)
    return {
        "alpha": examples.level(alpha),
        "alpha_small": examples.level(alpha_small),
        "delta": examples.level(delta),
        "min_accepted": str(min_accepted(alpha_small, delta)),
        "n_records": f"{n_records:,}",
        "n_pairs": f"{(n_records + 1) ** 2:,}",
        "accepted": f"{accepted:,}",
        "start_pair": examples.level(START_PAIR),
        "start_single": examples.level(START_SINGLE),
        "kept": examples.level(KEPT),
        "min_reference": str(MIN_REFERENCE),
        "bonferroni_level": examples.scientific(corrected),
        "bonferroni_errors": str(max_errors(accepted, alpha, corrected)),
        "full_errors": str(max_errors(accepted, alpha, delta)),
        "smallest_level": examples.scientific(bonferroni_level(delta, alpha, 1_000_000, modes=2)),
        "one_record": examples.percent(float(risk_upper(0, 1, delta))),
        "lost_digits": examples.lost_digits(),
        "repetitions": f"{load()[0].repetitions:,}",
        "n_simulated": f"{N_RECORDS:,}",
        "delta_simulated": examples.level(DELTA),
        "missed_hard": examples.misses_range("pointwise", hard=True),
        "missed_useless": examples.misses_range("pointwise", hard=False),
        "models": examples.models_sentence(),
    }


def _blocks(body: str) -> tuple[Block, ...]:
    known = values()
    found: list[Block] = []
    end = 0
    for piece in _PIECE.finditer(body):
        found += _prose(body[end : piece.start()], known)
        if piece["name"]:
            found.append(Block("named", piece["name"]))
        else:
            found.append(Block("formula", piece["formula"]))
        end = piece.end()
    return (*found, *_prose(body[end:], known))


def _prose(text: str, known: dict[str, str]) -> list[Block]:
    filled = _VALUE.sub(lambda match: known[match[1]], text.strip())
    return [Block("text", filled)] if filled else []
