"""Which features to use: candidate sets, compared on records that were left out."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from core.residuals.boosting import feature_matrix, train
from core.residuals.folds import assign_folds, group_codes, scored_residuals, side_by_side
from core.residuals.ranking import area_under_roc, rank_correlation

#: Sizes of the "top k features" candidates.
TOP = (1, 2, 3, 5, 8)
ALL_FEATURES = "all features"


@dataclass(frozen=True)
class FeatureSetScore:
    """How well one set of features ranks residuals of records left out.

    Attributes
    ----------
    name : str
    features : tuple of str
    spearman : float or None
        Mean over folds of Spearman's ρ between score and |Δ|; a fold where all scores are equal
        counts 0, a fold where |Δ| doesn't vary is passed over. None if all were.
    standard_error : float or None
        Of that mean, from its spread over folds; None with fewer than two of them.
    auroc : float or None
        Mean over folds of the AUROC for |Δ| > 0; None where no fold has both classes.
    """

    name: str
    features: tuple[str, ...]
    spearman: float | None
    standard_error: float | None
    auroc: float | None


def iterate_feature_sets(
    features: pd.DataFrame,
    residual: ArrayLike,
    sets: Mapping[str, Sequence[str]],
    *,
    groups: ArrayLike | None = None,
    folds: int = 5,
    seed: int = 0,
) -> Iterator[FeatureSetScore]:
    """Yield each set's score as soon as it is known, so that a caller can show it, or stop.

    All sets meet the same folds. Parameters, errors and method are those of
    :func:`compare_feature_sets`; input is checked before the first score is yielded, at the call.
    """
    names, matrix = feature_matrix(features)
    delta, scored = scored_residuals(residual, len(matrix))
    fold = assign_folds(scored, group_codes(groups, len(matrix)), folds, seed)
    chosen = {name: _columns(name, members, names) for name, members in sets.items()}
    if not chosen:
        raise ValueError("'sets' must hold at least one set of features; got none. Name one.")

    def scores() -> Iterator[FeatureSetScore]:
        for name, columns in chosen.items():
            part = np.ascontiguousarray(matrix[:, columns])

            def fit(left_out: int, part: np.ndarray = part) -> tuple[float | None, float | None]:
                rows = scored & (fold != left_out)
                score = train(part[rows], delta[rows] ** 2).predict(part[fold == left_out])
                magnitude = np.abs(delta[fold == left_out])
                ranked = rank_correlation(score, magnitude)
                if ranked is None and np.ptp(magnitude) > 0:
                    ranked = 0.0
                return ranked, area_under_roc(score, magnitude > 0)

            results = side_by_side(fit, list(range(int(folds))))
            ranked = [rho for rho, _ in results if rho is not None]
            areas = [area for _, area in results if area is not None]
            error = np.std(ranked, ddof=1) / np.sqrt(len(ranked)) if len(ranked) > 1 else None
            yield FeatureSetScore(
                name=name,
                features=tuple(names[column] for column in columns),
                spearman=float(np.mean(ranked)) if ranked else None,
                standard_error=None if error is None else float(error),
                auroc=float(np.mean(areas)) if areas else None,
            )

    return scores()


def feature_set_table(scores: Iterable[FeatureSetScore]) -> pd.DataFrame:
    """Return the scores as a table, the parsimonious winner marked.

    Parameters
    ----------
    scores : iterable of FeatureSetScore
        All of a comparison's, or those that were there when it was stopped.

    Returns
    -------
    DataFrame, a row a set, in the order given
        name, size, spearman, standard_error, auroc (NaN where there is none), winner (bool): the
        smallest set whose mean is within one standard error of the best mean, the error being the
        best set's; among equally small ones the better, then the first. None is marked where no
        set has a mean.
    """
    rows = list(scores)
    table = pd.DataFrame(
        {
            "name": [row.name for row in rows],
            "size": np.array([len(row.features) for row in rows], dtype=np.int64),
            "spearman": np.array([row.spearman for row in rows], dtype=np.float64),
            "standard_error": np.array([row.standard_error for row in rows], dtype=np.float64),
            "auroc": np.array([row.auroc for row in rows], dtype=np.float64),
            "winner": np.zeros(len(rows), dtype=bool),
        }
    )
    known = [row for row in rows if row.spearman is not None]
    if known:
        best = max(known, key=lambda row: (row.spearman or 0.0, -len(row.features)))
        least = (best.spearman or 0.0) - (best.standard_error or 0.0)
        near = [at for at, row in enumerate(rows)
                if row.spearman is not None and row.spearman >= least]  # fmt: skip
        winner = min(near, key=lambda at: (len(rows[at].features), -(rows[at].spearman or 0.0), at))
        table.loc[winner, "winner"] = True
    return table


def compare_feature_sets(
    features: pd.DataFrame,
    residual: ArrayLike,
    sets: Mapping[str, Sequence[str]],
    *,
    groups: ArrayLike | None = None,
    folds: int = 5,
    seed: int = 0,
) -> pd.DataFrame:
    """Compare sets of features by how well their risk model ranks records left out.

    Parameters
    ----------
    features : DataFrame of shape (n, n_features)
        As :func:`core.residuals.risk_model.fit_risk_model` takes it.
    residual : array of shape (n,)
        Δ = human − judge; NaN where not scored.
    sets : mapping of a set's name to its features
    groups : array of shape (n,), optional
        Records with the same value share a fold.
    folds, seed : int
        The same folds for every set.

    Returns
    -------
    DataFrame
        As :func:`feature_set_table` makes it.

    Raises
    ------
    ValueError
        As :func:`core.residuals.risk_model.fit_risk_model`, or if there is no set, a set is empty,
        or names a feature that is missing, or that several columns bear.

    Notes
    -----
    The paper's two criteria are a high cross-validated Spearman correlation and few features
    (appendix B); "within one standard error" is our rule for weighing one against the other. A
    score's standard error over few folds is rough. The winner was chosen on these records: its own
    figure is a little optimistic.
    """
    return feature_set_table(
        iterate_feature_sets(features, residual, sets, groups=groups, folds=folds, seed=seed)
    )


def candidate_sets(
    families: Mapping[str, str], ranking: Sequence[str] = ()
) -> dict[str, tuple[str, ...]]:
    """Propose sets worth comparing: the best few, each family, all but a family, all.

    Parameters
    ----------
    families : mapping of feature to family
    ranking : sequence of str
        Features by |Spearman| with |Δ|, the highest first; those without one left out.

    Returns
    -------
    dict of name to features
        Each set once, under the first name that fits.

    Raises
    ------
    ValueError
        If there is no feature, or the ranking names an unknown one.

    Examples
    --------
    >>> families = {"confidence": "judge output", "support": "evidence", "age": "evidence"}
    >>> for name, features in candidate_sets(families, ["support", "confidence"]).items():
    ...     print(name, features)
    top 1 feature ('support',)
    top 2 features ('support', 'confidence')
    only judge output ('confidence',)
    only evidence ('support', 'age')
    all features ('confidence', 'support', 'age')
    """
    if not families:
        raise ValueError("'families' must name at least one feature; got none. Choose a feature.")
    unknown = [name for name in ranking if name not in families]
    if unknown:
        raise ValueError(f"'ranking' must hold features of 'families'; got {unknown[0]!r}.")
    every = tuple(families)
    kinds = list(dict.fromkeys(families.values()))
    proposed = {
        f"top {size} feature{'s' * (size > 1)}": tuple(ranking[:size])
        for size in TOP
        if size <= len(ranking)
    }
    proposed |= {
        f"only {kind}": tuple(name for name in every if families[name] == kind) for kind in kinds
    }
    proposed |= {
        f"all but {kind}": tuple(name for name in every if families[name] != kind) for kind in kinds
    }
    proposed[ALL_FEATURES] = every
    result: dict[str, tuple[str, ...]] = {}
    seen: set[frozenset[str]] = set()
    for name, members in proposed.items():
        if members and frozenset(members) not in seen:
            seen.add(frozenset(members))
            result[name] = members
    return result


def _columns(name: str, members: Sequence[str], names: tuple[str, ...]) -> list[int]:
    if isinstance(members, str) or not len(members):
        raise ValueError(
            f"'sets' must give a list of features a set; got {members!r} for '{name}'. Name one."
        )
    columns = []
    for member in dict.fromkeys(members):
        if names.count(str(member)) != 1:
            what = "repeated" if str(member) in names else "unknown"
            raise ValueError(
                f"'sets' must hold columns of 'features'; got the {what} {member!r} in '{name}'. "
                "Rename it, or leave it out."
            )
        columns.append(names.index(str(member)))
    return columns
