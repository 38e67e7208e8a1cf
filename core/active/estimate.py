"""The human-anchored mean: a judge's verdicts, corrected by the labels of a batch."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import stats

from core.active.draw import DESIGNS, chances
from core.validation import FloatArray, choice, one_dimensional, open_unit, same_length

ESTIMATORS = ("difference", "hajek", "horvitz-thompson")
TARGETS = ("process", "finite")
#: A record that stands for this many times the average is named in a warning.
WEIGHT_LIMIT = 20.0
#: Halves of the batch that tune each other where no calibration records do.
_PARTS = 2
#: Labels below which a half can't tune: power 0 then, and an offset of ½.
_LEAST = 5


class Tuning(NamedTuple):
    """Offset a and power λ of the working prediction a + λg."""

    offset: float
    power: float


@dataclass(frozen=True)
class MeanEstimate:
    """An estimate of the mean label of a population.

    Attributes
    ----------
    value, low, high : float
        The interval is kept within [0, 1] where all labels are.
    standard_error : float
    n_population, n_labelled : int
    offset, power : float
        Of the working prediction; averages of the parts' where the batch tuned itself.
    ess_kish : float
        (Σw)² / Σw² over the labelled records: how many equally weighted labels weigh as much.
    warnings : tuple of str
    """

    value: float
    low: float
    high: float
    standard_error: float
    n_population: int
    n_labelled: int
    offset: float
    power: float
    ess_kish: float
    warnings: tuple[str, ...]


def tune(
    human_calib: ArrayLike, predictor_calib: ArrayLike, inclusion_prob_calib: ArrayLike
) -> Tuning:
    """Choose offset and power so that the correction varies least.

    Parameters
    ----------
    human_calib, predictor_calib : arrays of shape (n,)
        Labels and predictions of records that the batch can't draw.
    inclusion_prob_calib : array of shape (n,)
        The chances that these records would have.

    Returns
    -------
    Tuning
        Power 0 where the predictions don't vary.

    Raises
    ------
    ValueError
        If lengths differ, a value is missing, or there is no record.

    Notes
    -----
    Minimises Σ(1/π − 1)(h − a − λg)², the part of the variance that the batch adds. With a = 0 it
    is the paper's power tuning (eq. 6), which loses to the plain mean where the judge is biased.

    Examples
    --------
    >>> tune([1, 1, 0, 0], [1, 1, 0, 0], [0.5] * 4)
    Tuning(offset=0.0, power=1.0)
    """
    human, predictor = (
        _given("human_calib", human_calib),
        _given("predictor_calib", predictor_calib),
    )
    chance = chances(inclusion_prob_calib)
    n = same_length(human_calib=human, predictor_calib=predictor, inclusion_prob_calib=chance)
    if n == 0:
        raise ValueError("'human_calib' must hold at least one label; got none.")
    return least_squares(human, predictor, 1 / chance - 1)


def estimate_mean(
    human: ArrayLike,
    predictor: ArrayLike,
    inclusion_prob: ArrayLike,
    included: ArrayLike,
    *,
    tuning: Tuning | None = None,
    estimator: str = "difference",
    target: str = "process",
    design: str = "poisson",
    confidence_level: float = 0.95,
    seed: int = 0,
) -> MeanEstimate:
    """Estimate the mean label of a population from the labels of a batch.

    Parameters
    ----------
    human : array of shape (n,)
        Labels; looked at where `included` only. NaN there is a label that did not come back.
    predictor : array of shape (n,)
        What stands in for a label everywhere: the judge's verdict, or a recalibrated one. Any
        numbers that were fixed before the labels came.
    inclusion_prob : array of shape (n,)
    included : bool array of shape (n,)
    tuning : Tuning, optional
        From calibration records. Without one, each half of the batch tunes the other.
    estimator : {"difference", "hajek", "horvitz-thompson"}
        "horvitz-thompson" is the paper's (eq. 3): no offset. "hajek" divides by the weights drawn.
    target : {"process", "finite"}
        The process that the records come from, or these n records.
    design : {"poisson", "fixed"}
        How the batch was drawn; matters for "finite".
    confidence_level : float
    seed : int
        Splits the batch where it tunes itself.

    Returns
    -------
    MeanEstimate

    Raises
    ------
    ValueError
        If lengths differ, a value is missing or out of range, or no label came back.

    Notes
    -----
    θ = mean of a + λg + ξ/π · (h − a − λg). Its variance for the process is the sample variance of
    these n terms over n (appendix B); for these records Σξ(1 − π)e²/π² / n², e being h − a − λg,
    centred as Hájek and Deville do where the size of the batch is fixed. Where labels are missing,
    the chances are scaled by the share that came back, as if that were up to luck.

    Examples
    --------
    >>> import numpy as np
    >>> human = np.array([1.0, 0.0, 1.0, 1.0])
    >>> found = estimate_mean(human, np.ones(4), np.ones(4), np.ones(4, bool))
    >>> found.value
    0.75
    """
    choice("estimator", estimator, ESTIMATORS)
    choice("target", target, TARGETS)
    choice("design", design, DESIGNS)
    level = open_unit("confidence_level", confidence_level)
    label, prediction = one_dimensional("human", human), _given("predictor", predictor)
    chance, drawn = chances(inclusion_prob), np.asarray(included)
    n = same_length(human=label, predictor=prediction, inclusion_prob=chance, included=drawn)
    if drawn.dtype != np.bool_:
        raise ValueError(f"'included' must be an array of truth values; got {drawn.dtype}.")
    known = drawn & ~np.isnan(label)
    if not known.any():
        raise ValueError("'human' must hold a label of a drawn record; none came back.")
    notes = []
    back = float(known.sum() / drawn.sum())
    if back < 1:
        missing = int(drawn.sum() - known.sum())
        notes.append(
            f"{missing:,} of {int(drawn.sum()):,} labels did not come back; the others stand for "
            "them, as if it were up to luck."
        )
        chance = chance * back
    weight = np.where(known, 1 / chance, 0.0)
    offset, power = _working(label, prediction, chance, known, tuning, estimator, seed)
    base = offset + power * prediction
    error = np.where(known, np.where(known, label, 0.0) - base, 0.0)
    scale = 1.0
    if estimator == "hajek":
        # Relative to the weights drawn: the offset cancels.
        scale = n / float(weight.sum())
        plain = np.where(known, np.where(known, label, 0.0) - power * prediction, 0.0)
        centre = scale * float(np.mean(weight * plain))
        base = centre + power * prediction
        error = np.where(known, plain - centre, 0.0)
    terms = base + scale * weight * error
    value = float(terms.mean())
    variance = _variance(terms, scale * error, chance, known, n, target, design)
    z = float(stats.norm.isf((1 - level) / 2))
    error_bar = float(np.sqrt(variance))
    reach = z * error_bar
    ess = float(weight.sum() ** 2 / (weight**2).sum())
    if not known.all() and np.ptp(error[known]) < 1e-12:
        # No spread among the labels seen is no proof of none: the share that may differ.
        reach += 1 - ((1 - level) / 2) ** (1 / max(ess, 1.0))
        notes.append(
            "All residuals of the batch are equal, so that they show no variance; the interval is "
            "widened by the exact binomial bound on the share of records that may differ."
        )
    heaviest = float(weight.max() / (n / known.sum()))
    if heaviest > WEIGHT_LIMIT:
        notes.append(
            f"One record stands for {heaviest:.0f} times the average: mix more of the next budget "
            "evenly."
        )
    low, high = value - reach, value + reach
    seen = label[known]
    if seen.min() >= 0 and seen.max() <= 1:
        low, high = max(low, 0.0), min(high, 1.0)
    return MeanEstimate(
        value=value,
        low=low,
        high=high,
        standard_error=error_bar,
        n_population=n,
        n_labelled=int(known.sum()),
        offset=float(np.mean(offset)),
        power=float(np.mean(power)),
        ess_kish=ess,
        warnings=tuple(notes),
    )


def bounds_of_missing(
    human: ArrayLike,
    predictor: ArrayLike,
    inclusion_prob: ArrayLike,
    included: ArrayLike,
    *,
    tuning: Tuning | None = None,
) -> tuple[float, float]:
    """Give the estimates if every label that is missing were 0, and if it were 1.

    Parameters
    ----------
    all
        As in `estimate_mean`, for its "difference".

    Raises
    ------
    ValueError
        As `estimate_mean`.
    """
    label, drawn = one_dimensional("human", human), np.asarray(included, dtype=bool)
    low, high = (
        estimate_mean(
            np.where(drawn & np.isnan(label), filled, label), predictor, inclusion_prob, drawn,
            tuning=tuning,
        ).value
        for filled in (0.0, 1.0)
    )  # fmt: skip
    return low, high


def _variance(
    terms: FloatArray,
    error: FloatArray,
    chance: FloatArray,
    known: NDArray[np.bool_],
    n: int,
    target: str,
    design: str,
) -> float:
    if target == "process":
        return float(np.var(terms, ddof=1) / n) if n > 1 else float("inf")
    inside, pi = error[known], chance[known]
    if design == "poisson":
        return float(np.sum((1 - pi) * (inside / pi) ** 2)) / n**2
    drawn = len(inside)
    if drawn < 2 or (pi >= 1).all():
        return 0.0
    weight = 1 - pi
    centre = float(np.sum(weight * inside / pi) / np.sum(weight))
    return float(drawn / (drawn - 1) * np.sum(weight * (inside / pi - centre) ** 2)) / n**2


def _working(
    label: FloatArray,
    prediction: FloatArray,
    chance: FloatArray,
    known: NDArray[np.bool_],
    tuning: Tuning | None,
    estimator: str,
    seed: int,
) -> tuple[FloatArray, FloatArray]:
    """Offset and power of each record, shape (n,)."""
    n = len(label)
    plain = estimator == "horvitz-thompson"
    if tuning is not None:
        return np.full(n, 0.0 if plain else tuning.offset), np.full(n, tuning.power)
    part = np.random.default_rng(seed).integers(0, _PARTS, n)
    offset, power = np.empty(n), np.empty(n)
    for one in range(_PARTS):
        others = known & (part != one)
        found = Tuning(0.0 if plain else 0.5, 0.0)
        if others.sum() >= _LEAST:
            pi = chance[others]
            found = least_squares(
                label[others], prediction[others], (1 / pi - 1) / pi, through_origin=plain
            )
        offset[part == one], power[part == one] = found
    return offset, power


def least_squares(
    human: FloatArray,
    predictor: FloatArray,
    weight: FloatArray,
    *,
    through_origin: bool = False,
) -> Tuning:
    """Weighted least squares of the labels on the predictions; no check of the input."""
    if weight.sum() <= 0:
        weight = np.ones_like(weight)
    if through_origin:
        square = float(np.sum(weight * predictor**2))
        return Tuning(0.0, float(np.sum(weight * predictor * human)) / square if square else 0.0)
    total = float(weight.sum())
    mean_h, mean_g = (
        float(np.sum(weight * human) / total),
        float(np.sum(weight * predictor) / total),
    )
    spread = float(np.sum(weight * (predictor - mean_g) ** 2))
    power = 0.0
    if spread > 1e-12 * total:
        power = float(np.sum(weight * (predictor - mean_g) * (human - mean_h))) / spread
    return Tuning(mean_h - power * mean_g, power)


def _given(name: str, values: ArrayLike) -> FloatArray:
    array = one_dimensional(name, values)
    if not np.isfinite(array).all():
        place = int(np.flatnonzero(~np.isfinite(array))[0])
        raise ValueError(f"'{name}' must be finite; got {array[place]} at place {place}.")
    return array
