"""Drawing a batch with given chances."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from core.active.inclusion import inclusion_probabilities
from core.validation import FloatArray, choice, one_dimensional

DESIGNS = ("fixed", "poisson")


def draw_batch(inclusion_prob: ArrayLike, *, design: str = "fixed", seed: int) -> NDArray[np.bool_]:
    """Draw records with given chances.

    Parameters
    ----------
    inclusion_prob : array of shape (n,)
        In (0, 1].
    design : {"fixed", "poisson"}
        "poisson": each record by itself, the paper's; the number drawn varies. "fixed": exactly
        as many as the chances add up to, which has to be a whole number.
    seed : int

    Returns
    -------
    bool array of shape (n,)

    Raises
    ------
    ValueError
        If a chance is outside (0, 1], or "fixed" is asked for with a sum that isn't whole.

    Notes
    -----
    "fixed" is systematic sampling over the records in the order of their chances, equal ones in
    random order, from a random start: a record of chance π is drawn with exactly that chance, and
    the batch has its share of every level of risk. Two records close in that order are never drawn
    together, so a variance formula for independent draws errs on the safe side where risk matters.

    Examples
    --------
    >>> int(draw_batch([0.5, 0.5, 0.25, 0.75], seed=0).sum())
    2
    """
    chance = chances(inclusion_prob)
    choice("design", design, DESIGNS)
    random = np.random.default_rng(seed)
    if design == "poisson":
        return np.asarray(random.random(len(chance)) < chance)
    total = float(chance.sum())
    n = round(total)
    if abs(total - n) > 1e-6 * max(total, 1.0):
        raise ValueError(
            f"'inclusion_prob' must add up to a whole number for a fixed size; got {total:.6f}. "
            "Use a whole budget, or design='poisson'."
        )
    shuffled = random.permutation(len(chance))
    order = shuffled[np.argsort(chance[shuffled], kind="stable")]
    drawn = np.zeros(len(chance), dtype=bool)
    drawn[order] = systematic(chance[order], n, float(random.random()))
    return drawn


def systematic(chance: FloatArray, n: int, start: float) -> NDArray[np.bool_]:
    """Take each record whose stretch of the cumulated chances holds start + 0, 1, 2 or so on."""
    ends = np.cumsum(chance)
    ends *= n / ends[-1] if n else 0.0
    ends[-1] = n
    return np.asarray(np.diff(np.floor(ends - start), prepend=np.floor(-start)) > 0)


def audit_slice(
    inclusion_prob: ArrayLike, drawn: ArrayLike, size: float, *, seed: int
) -> NDArray[np.bool_]:
    """Mark drawn records so that each record of the population is marked with the same chance.

    Parameters
    ----------
    inclusion_prob, drawn : arrays of shape (n,)
    size : float
        Expected number marked.
    seed : int

    Returns
    -------
    bool array of shape (n,)
        A part of `drawn`: each is kept with chance (size / n) / π.

    Raises
    ------
    ValueError
        If the size asks for more than the smallest chance gives: n times that is the most.
    """
    chance = chances(inclusion_prob)
    inside = np.asarray(drawn, dtype=bool)
    most = float(chance.min()) * len(chance)
    if not 0 <= size <= most * (1 + 1e-9):
        raise ValueError(
            f"'size' must be from 0 to {most:.1f}, n times the smallest chance; got {size!r}. Mix "
            "more of the budget evenly, or ask for a smaller slice."
        )
    kept = np.random.default_rng(seed).random(len(chance)) < size / len(chance) / chance
    return np.asarray(inside & kept)


def top_up_probabilities(
    risk_score: ArrayLike, drawn: ArrayLike, budget: float, *, mixing: float
) -> FloatArray:
    """Chances of a further batch among the records not drawn yet; 0 for the drawn ones.

    Parameters
    ----------
    risk_score, drawn : arrays of shape (n,)
    budget, mixing
        As in `inclusion_probabilities`.

    Raises
    ------
    ValueError
        As `inclusion_probabilities`.
    """
    score, known = one_dimensional("risk_score", risk_score), np.asarray(drawn, dtype=bool)
    result = np.zeros(len(score))
    result[~known] = inclusion_probabilities(score[~known], budget, mixing=mixing)
    return result


def chances(inclusion_prob: ArrayLike) -> FloatArray:
    """Return chances in (0, 1]."""
    chance = one_dimensional("inclusion_prob", inclusion_prob)
    if not ((chance > 0) & (chance <= 1)).all():
        place = int(np.flatnonzero(~((chance > 0) & (chance <= 1)))[0])
        raise ValueError(
            f"'inclusion_prob' must be above 0 and at most 1; got {chance[place]} at place {place}."
        )
    return chance
