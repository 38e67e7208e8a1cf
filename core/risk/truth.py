"""Known truth: a population like the cohort, in which every policy's risk can be computed.

A certificate's promise is about the true risk, which no cohort shows. Here the cohort's records
become a population: their uncertainties stay, and each mode's errors get a probability that follows
the cohort's own risk along that mode's uncertainty. Draws from it are calibrated like real records,
and the share of draws whose policy has a true risk above alpha stands beside what was promised.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from core.risk.calibrators import PairCalibrator
from core.risk.certification import CERTIFICATES
from core.risk.policy import RoutingPolicy
from core.risk.routing import Route, route
from core.validation import (
    FloatArray,
    binary,
    choice,
    open_unit,
    positive_int,
    same_length,
    uncertainties,
)


@dataclass(frozen=True, eq=False)
class Population:
    """Records with known chances of an error.

    Attributes
    ----------
    uncertainty1, uncertainty2 : arrays of shape (n,)
        As in the cohort; NaN is unscored.
    error_prob1, error_prob2 : arrays of shape (n,)
        Chance that the mode's verdict is wrong; NaN where it is unscored.
    """

    uncertainty1: FloatArray
    uncertainty2: FloatArray
    error_prob1: FloatArray
    error_prob2: FloatArray

    @property
    def n(self) -> int:
        """Number of records."""
        return len(self.uncertainty1)

    def risk(self, policy: RoutingPolicy) -> float | None:
        """Compute the true risk of a policy in this population; None where it accepts nothing."""
        routes = route(policy, self.uncertainty1, self.uncertainty2)
        wrong = np.concatenate(
            [self.error_prob1[routes == Route.MODE1], self.error_prob2[routes == Route.MODE2]]
        )
        return float(wrong.mean()) if len(wrong) else None

    def draw(
        self, n: int, random: np.random.Generator
    ) -> tuple[FloatArray, FloatArray, FloatArray, FloatArray]:
        """Draw ``n`` records with replacement: uncertainty1, is_error1, uncertainty2, is_error2."""
        chosen = random.integers(0, self.n, n)
        prob1, prob2 = self.error_prob1[chosen], self.error_prob2[chosen]
        luck = random.random((2, n))
        return (
            self.uncertainty1[chosen],
            np.where(np.isnan(prob1), np.nan, luck[0] < prob1),
            self.uncertainty2[chosen],
            np.where(np.isnan(prob2), np.nan, luck[1] < prob2),
        )


def fit_population(
    uncertainty1: ArrayLike, is_error1: ArrayLike, uncertainty2: ArrayLike, is_error2: ArrayLike
) -> Population:
    """Turn labelled records into a population whose risks are known.

    Parameters
    ----------
    uncertainty1, is_error1, uncertainty2, is_error2 : arrays of shape (n,)
        Labelled records, as in `core.risk.calibration.calibrate_joint`.

    Returns
    -------
    Population
        The chance of an error is the share of errors among the 2h + 1 records nearest in order of
        that mode's uncertainty, h = n^(2/3) / 2, fewer at the ends, the same within a tie.

    Raises
    ------
    ValueError
        If lengths differ or a value is outside its range.
    """
    score1, wrong1 = uncertainties("uncertainty1", uncertainty1), binary("is_error1", is_error1)
    score2, wrong2 = uncertainties("uncertainty2", uncertainty2), binary("is_error2", is_error2)
    same_length(uncertainty1=score1, is_error1=wrong1, uncertainty2=score2, is_error2=wrong2)
    score1 = np.where(np.isnan(wrong1), np.nan, score1)
    score2 = np.where(np.isnan(wrong2), np.nan, score2)
    return Population(score1, score2, _smooth(score1, wrong1), _smooth(score2, wrong2))


def count_misses(
    population: Population,
    *,
    alphas: Sequence[float],
    delta: float,
    certificate: str,
    n: int,
    n_draws: int = 200,
    seed: int,
) -> Iterator[pd.DataFrame]:
    """Calibrate on draws from a population, and see when the true risk exceeds the target.

    Parameters
    ----------
    population : Population
    alphas : sequence of float
        Target risks.
    delta : float
        Allowed probability of missing each.
    certificate : {"fixed-sequence", "bonferroni", "pointwise"}
    n : int
        Labelled records in a draw.
    n_draws : int
        Number of draws.
    seed : int
        The same seed gives the same draws whatever the certificate.

    Yields
    ------
    DataFrame
        One a draw, with a row an alpha: draw, alpha, true_risk (NaN where nothing is accepted),
        missed (true risk above alpha), coverage (in the draw).

    Raises
    ------
    ValueError
        If a value is outside its range.
    """
    targets = [open_unit("alphas", alpha) for alpha in alphas]
    miss = open_unit("delta", delta)
    choice("certificate", certificate, CERTIFICATES)
    size = positive_int("n", n)
    random = np.random.default_rng(seed)
    for draw in range(positive_int("n_draws", n_draws)):
        calibrator = PairCalibrator(*population.draw(size, random), seed=draw)
        rows = []
        for alpha in targets:
            policy = calibrator.policy(alpha=alpha, delta=miss, certificate=certificate)
            risk = population.risk(policy)
            rows.append(
                {
                    "draw": draw,
                    "alpha": alpha,
                    "true_risk": np.nan if risk is None else risk,
                    "missed": risk is not None and risk > alpha,
                    "coverage": policy.accepted / policy.n_tested if policy.n_tested else 0.0,
                }
            )
        yield pd.DataFrame(rows)


def _smooth(score: FloatArray, wrong: FloatArray) -> FloatArray:
    """The share of errors around each record in order of uncertainty; NaN where unscored."""
    result = np.full(len(score), np.nan)
    places = np.flatnonzero(~np.isnan(score))
    if not len(places):
        return result
    order = places[np.argsort(score[places], kind="stable")]
    # Ties share their errors before and after smoothing, so that the order of rows says nothing.
    errors = _by_tie(score[order], wrong[order])
    m = len(order)
    half = int(np.ceil(m ** (2 / 3) / 2))
    total = np.concatenate([[0.0], np.cumsum(errors)])
    low, high = np.maximum(np.arange(m) - half, 0), np.minimum(np.arange(m) + half + 1, m)
    result[order] = _by_tie(score[order], (total[high] - total[low]) / (high - low))
    return result


def _by_tie(score: FloatArray, values: FloatArray) -> NDArray[np.float64]:
    """Replace values by their mean within ties of a sorted score."""
    _, tie, size = np.unique(score, return_inverse=True, return_counts=True)
    return (np.bincount(tie, weights=values) / size)[tie]
