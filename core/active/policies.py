"""Six ways to spend a budget: what stands in for a label, and which records are looked at."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import ArrayLike

from core.active.estimate import Tuning
from core.validation import FloatArray, one_dimensional, same_length

CLASSICAL: Final = "Classical"
UNIFORM: Final = "Uniform"
CONFIDENCE: Final = "Confidence"
FSA: Final = "FSA"
TUNED: Final = "Tuned"
RECALIBRATED: Final = "Recalibrated"
POLICIES: Final = (CLASSICAL, UNIFORM, CONFIDENCE, FSA, TUNED, RECALIBRATED)


@dataclass(frozen=True, eq=False)
class Part:
    """What is known of some records before their labels.

    Attributes
    ----------
    verdict : float array of shape (n,)
        The judge's, as a number.
    doubt : float array of shape (n,), optional
        Expected squared residual by the judge's own confidence alone.
    risk : float array of shape (n,), optional
        Expected squared residual by the failure-space features.
    accepted : float array of shape (n,), optional
        Probability that people accept the answer.
    """

    verdict: FloatArray
    doubt: FloatArray | None = None
    risk: FloatArray | None = None
    accepted: FloatArray | None = None


def make_part(
    verdict: ArrayLike,
    *,
    doubt: ArrayLike | None = None,
    risk: ArrayLike | None = None,
    accepted: ArrayLike | None = None,
) -> Part:
    """Check what is known of some records and keep it as arrays.

    Raises
    ------
    ValueError
        If lengths differ, or a value is missing.
    """
    given = {"verdict": verdict, "doubt": doubt, "risk": risk, "accepted": accepted}
    arrays = {
        name: one_dimensional(name, values) for name, values in given.items() if values is not None
    }
    for name, values in arrays.items():
        if not np.isfinite(values).all():
            raise ValueError(f"'{name}' must be finite for every record; it isn't for some.")
    same_length(**arrays)
    return Part(**arrays)


def available(part: Part) -> tuple[str, ...]:
    """Policies that what is known allows, in their usual order."""
    needs = {
        CONFIDENCE: (part.doubt,),
        FSA: (part.risk,),
        TUNED: (part.accepted,),
        RECALIBRATED: (part.accepted,),
    }
    return tuple(name for name in POLICIES if all(one is not None for one in needs.get(name, ())))


def predictor(policy: str, part: Part) -> FloatArray:
    """Give what stands in for the labels: nothing, the verdict, or the recalibrated verdict."""
    if policy == CLASSICAL:
        return np.zeros(len(part.verdict))
    if policy == RECALIBRATED:
        return _has(part.accepted, policy)
    return part.verdict


def score(policy: str, part: Part, tuning: Tuning) -> FloatArray | None:
    """Give the expected squared error that a label would correct; None for an even spread.

    Notes
    -----
    The chance that minimises the variance is proportional to √E[(h − a − λg)² | X]. The paper's
    E[Δ²] is that for a = 0, λ = 1 only. With q = P(h = 1 | X) it is q(1 − q) + (q − a − λg)².
    """
    if policy == CONFIDENCE:
        return _has(part.doubt, policy)
    if policy == FSA:
        return _has(part.risk, policy)
    if policy in (TUNED, RECALIBRATED):
        q = _has(part.accepted, policy)
        return q * (1 - q) + (q - tuning.offset - tuning.power * predictor(policy, part)) ** 2
    return None


def _has(values: FloatArray | None, policy: str) -> FloatArray:
    if values is None:
        raise ValueError(f"Policy {policy!r} needs a model: label some records first.")
    return values
