"""What the two cohorts with residuals share: exact shares, numbers tied to |Δ|, annotators.

Margins are met by construction, not on average: a group is given whole records, and the strength
of a tie is solved for on the draw itself, so that 2,000 records are enough.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray
from scipy.special import ndtri
from scipy.stats import rankdata

from core.residuals.ranking import rank_correlation
from core.store.tags import FAILURE_CLASSES

Floats = NDArray[np.float64]
Mask = NDArray[np.bool_]
Names = NDArray[np.object_]

SOURCE = "people (simulated)"
ANNOTATORS = ("Ada", "Ben", "Cleo")
THRICE, SPLIT = 400, 72


def allot(shares: Mapping[str, float], n: int, rng: Generator) -> Names:
    """Give `n` records a name each in proportion to the shares, in random order."""
    edges = np.cumsum(list(shares.values()))
    counts = np.diff(np.round(n * edges / edges[-1]).astype(int), prepend=0)
    return rng.permutation(np.repeat(np.array(list(shares), dtype=object), counts))


def members(cells: Names, rates: Mapping[str, float], rng: Generator) -> Mask:
    """Put a stated share of every cell's records into a group, whichever records they are."""
    chosen = np.zeros(len(cells), dtype=bool)
    for cell, rate in rates.items():
        places = rng.permutation(np.flatnonzero(cells == cell))
        chosen[places[: round(rate * len(places))]] = True
    return chosen


def tied(
    driver: Floats,
    size: Floats,
    target: float,
    finish: Callable[[Floats], Floats],
    rng: Generator,
    *,
    inside: Mask | None = None,
) -> Floats:
    """Draw finish(k · driver + ε) with k such that Spearman's ρ with `size` is the target.

    Bisection, on the draw itself and inside the subset. The driver goes up with `size`: then ρ
    goes up with k.
    """
    chosen = np.ones(len(size), dtype=bool) if inside is None else inside
    noise = rng.standard_normal(len(size))
    low, high = -20.0, 20.0
    for _ in range(40):
        middle = (low + high) / 2
        found = rank_correlation(finish(middle * driver + noise)[chosen], size[chosen])
        if found is not None and found < target:
            low = middle
        else:
            high = middle
    return finish(high * driver + noise)


def scores(shares: Sequence[float]) -> Callable[[Floats], Floats]:
    """Cut numbers into whole scores from 0 on, so that a score has the stated share."""

    def cut(values: Floats) -> Floats:
        edges = np.quantile(values, np.cumsum(shares)[:-1])
        return np.searchsorted(edges, values).astype(np.float64)

    return cut


def normal_scores(values: Floats) -> Floats:
    """Replace numbers by the normal quantiles of their ranks."""
    scored: Floats = ndtri((rankdata(values) - 0.5) / len(values))
    return scored


def blurred_copy(confidence: Floats, rng: Generator) -> Floats:
    """Ask for a confidence again: nearly the same number."""
    again = confidence + 0.04 * rng.standard_normal(len(confidence))
    return np.clip(again, 0, 1).astype(np.float64).round(2)


def with_gaps(values: Floats, share: float, rng: Generator) -> Floats:
    """Take out a share of the values, whichever they are."""
    kept = values.copy()
    kept[rng.random(len(values)) < share] = np.nan
    return kept


def annotate(human: Mask, rng: Generator) -> NDArray[np.object_]:
    """Draw what the annotators say: true, false, or None where one wasn't asked.

    `THRICE` records are rated by all three; on `SPLIT` of them one annotator dissents, so the
    majority is the label, and pairs agree on 1 − ⅔ · `SPLIT` ÷ `THRICE` = .88 of their records.
    Every other record has one annotator.
    """
    n = len(human)
    rated = np.full((n, len(ANNOTATORS)), None, dtype=object)
    order = rng.permutation(n)
    thrice, once = order[:THRICE], order[THRICE:]
    rated[thrice] = human[thrice, None]
    dissenter = rng.integers(0, len(ANNOTATORS), SPLIT)
    rated[thrice[:SPLIT], dissenter] = ~human[thrice[:SPLIT]]
    rated[once, np.arange(len(once)) % len(ANNOTATORS)] = human[once]
    return rated


def failure_classes(
    cells: Names, chances: Mapping[str, Sequence[float]], share: float, rng: Generator
) -> Names:
    """Tag a share of the wrong records with a reason: chances by cell, in the classes' order."""
    found = np.full(len(cells), None, dtype=object)
    for cell, chance in chances.items():
        places = rng.permutation(np.flatnonzero(cells == cell))
        places = places[: round(share * len(places))]
        found[places] = rng.choice(np.array(FAILURE_CLASSES, object), len(places), p=chance)
    return found


def word_count(text: str) -> float:
    return float(len(text.split()))
