"""How far annotators agree, which is the ceiling of what a judge can reach."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.typing import ArrayLike

from core.validation import FloatArray


@dataclass(frozen=True)
class Agreement:
    """Agreement coefficients.

    Attributes
    ----------
    n_annotators : int
        Those with at least one rating.
    n_items_twice : int
        Items with two ratings or more.
    raw : float
        Share of equal ratings, over all pairs of ratings of an item; NaN without such a pair.
    cohen_kappa : float or None
        Mean over pairs of annotators, weighted by their common items; None where every pair rates
        all its items alike with one value, which leaves it undefined.
    krippendorff_alpha : float or None
        Nominal; None where the ratings don't vary or no item has two.
    """

    n_annotators: int
    n_items_twice: int
    raw: float
    cohen_kappa: float | None
    krippendorff_alpha: float | None


def agreement(ratings: ArrayLike) -> Agreement:
    """Compare annotators with each other.

    Parameters
    ----------
    ratings : array of shape (n_items, n_annotators)
        Values of any scale of names; NaN is missing.

    Raises
    ------
    ValueError
        When the array isn't two-dimensional or holds an infinite value.
    """
    table = _table(ratings)
    pairs = list(combinations(range(table.shape[1]), 2))
    return _compare(table, pairs, int((~np.isnan(table).all(axis=0)).sum()))


def judge_agreement(ratings: ArrayLike, judge: ArrayLike) -> Agreement:
    """Compare the judge with each annotator; the coefficients of :func:`agreement`.

    Parameters
    ----------
    ratings : array of shape (n_items, n_annotators)
    judge : array of shape (n_items,)
        NaN is missing. Krippendorff's α is the mean over annotators, weighted by common items.
    """
    table = np.column_stack([np.asarray(judge, dtype=np.float64), _table(ratings)])
    pairs = [(0, column) for column in range(1, table.shape[1])]
    return _compare(_table(table), pairs, table.shape[1], pairwise_alpha=True)


def _compare(
    table: FloatArray, pairs: list[tuple[int, int]], n_annotators: int, pairwise_alpha: bool = False
) -> Agreement:
    from sklearn.metrics import cohen_kappa_score

    equal, common, kappas, alphas = 0, 0, [], []
    compared = np.zeros(len(table), dtype=bool)
    for first, second in pairs:
        together = ~np.isnan(table[:, first]) & ~np.isnan(table[:, second])
        n = int(together.sum())
        if not n:
            continue
        compared |= together
        one, two = table[together, first], table[together, second]
        equal, common = equal + int((one == two).sum()), common + n
        if pairwise_alpha and (alpha := _alpha(np.column_stack([one, two]))) is not None:
            alphas.append((alpha, n))
        values = np.unique(np.concatenate([one, two]))
        if len(values) > 1:
            codes = np.searchsorted(values, one), np.searchsorted(values, two)
            kappas.append((float(cohen_kappa_score(*codes, labels=range(len(values)))), n))
    return Agreement(
        n_annotators=n_annotators,
        n_items_twice=int(compared.sum()),
        raw=equal / common if common else float("nan"),
        cohen_kappa=_weighted(kappas),
        krippendorff_alpha=_weighted(alphas) if pairwise_alpha else _alpha(table),
    )


def _alpha(table: FloatArray) -> float | None:
    import krippendorff

    several = table[(~np.isnan(table)).sum(axis=1) >= 2]
    if not len(several) or len(np.unique(several[~np.isnan(several)])) < 2:
        return None
    return float(krippendorff.alpha(reliability_data=several.T, level_of_measurement="nominal"))


def _weighted(values: list[tuple[float, int]]) -> float | None:
    if not values:
        return None
    return sum(value * n for value, n in values) / sum(n for _, n in values)


def _table(ratings: ArrayLike) -> FloatArray:
    table = np.asarray(ratings, dtype=np.float64)
    if table.ndim != 2 or np.isinf(table).any():
        raise ValueError(
            "'ratings' must be a finite array of shape (n_items, n_annotators); "
            f"got shape {table.shape}."
        )
    return table
