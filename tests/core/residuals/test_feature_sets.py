from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from core.residuals.boosting import feature_matrix, train
from core.residuals.feature_sets import (
    FeatureSetScore,
    candidate_sets,
    compare_feature_sets,
    feature_set_table,
    iterate_feature_sets,
)
from core.residuals.ranking import area_under_roc, rank_correlation
from core.residuals.risk_model import fit_risk_model


def made(n: int = 500) -> tuple[pd.DataFrame, np.ndarray]:
    random = np.random.default_rng(0)
    useful, noise, noise2 = random.normal(size=(3, n))
    residual = -(random.random(n) < 1 / (1 + np.exp(-2 * useful))).astype(float)
    return pd.DataFrame({"useful": useful, "noise": noise, "noise 2": noise2}), residual


SETS = {"all": ["useful", "noise", "noise 2"], "good": ["useful"], "bad": ["noise"]}


def test_compare_feature_sets_marks_the_small_set_that_does_as_well() -> None:
    features, residual = made()
    table = compare_feature_sets(features, residual, SETS)
    assert table["name"].tolist() == ["all", "good", "bad"]
    assert table["size"].tolist() == [3, 1, 1]
    assert table["winner"].tolist() == [False, True, False]
    assert abs(table["spearman"][2]) < 0.2 < 0.4 < table["spearman"][1]
    assert table["auroc"][1] > 0.75


def test_compare_feature_sets_equals_the_folds_one_by_one() -> None:
    features, residual = made(200)
    residual[::9] = np.nan
    row = compare_feature_sets(features, residual, {"s": ["noise 2", "useful"]}, seed=3).iloc[0]
    fold = fit_risk_model(features, residual, seed=3).fold
    matrix = feature_matrix(features[["noise 2", "useful"]])[1]
    rhos, areas = [], []
    for at in range(5):
        rest, here = (fold >= 0) & (fold != at), fold == at
        score = train(matrix[rest], residual[rest] ** 2).predict(matrix[here])
        rhos.append(rank_correlation(score, np.abs(residual[here])))
        areas.append(area_under_roc(score, residual[here] != 0))
    assert row["spearman"] == pytest.approx(np.mean(rhos))
    assert row["standard_error"] == pytest.approx(np.std(rhos, ddof=1) / np.sqrt(5))
    assert row["auroc"] == pytest.approx(np.mean(areas))


def test_iterate_feature_sets_yields_as_it_goes_and_checks_at_the_call() -> None:
    features, residual = made(100)
    scores = iterate_feature_sets(features, residual, SETS)
    first = next(scores)
    assert (first.name, first.features) == ("all", ("useful", "noise", "noise 2"))
    assert feature_set_table([first])["winner"].tolist() == [True]
    scores.close()
    with pytest.raises(ValueError, match="got the unknown 'x' in 's'"):
        iterate_feature_sets(features, residual, {"s": ["x"]})
    with pytest.raises(ValueError, match=r"a list of features a set; got .* for 's'"):
        iterate_feature_sets(features, residual, {"s": []})
    with pytest.raises(ValueError, match="got 'useful' for 's'"):
        iterate_feature_sets(features, residual, {"s": "useful"})
    with pytest.raises(ValueError, match="at least one set"):
        iterate_feature_sets(features, residual, {})
    twice = features.set_axis(["useful", "same", "same"], axis=1)
    with pytest.raises(ValueError, match="got the repeated 'same'"):
        iterate_feature_sets(twice, residual, {"s": ["same"]})


def test_compare_feature_sets_without_any_disagreement_has_no_winner() -> None:
    features, _ = made(50)
    table = compare_feature_sets(features, np.zeros(50), SETS)
    assert table[["spearman", "standard_error", "auroc"]].isna().all(axis=None)
    assert not table["winner"].any()


def test_compare_feature_sets_counts_a_constant_score_as_no_rank() -> None:
    features, residual = made(100)
    table = compare_feature_sets(features.assign(same=1.0), residual, {"s": ["same"]})
    assert table["spearman"][0] == 0
    assert table["auroc"][0] == 0.5


def scores(*rows: tuple[int, float | None, float | None]) -> list[FeatureSetScore]:
    return [
        FeatureSetScore(f"s{at}", tuple("abcdefgh"[:size]), rho, error, None)
        for at, (size, rho, error) in enumerate(rows)
    ]


@pytest.mark.parametrize(
    ("rows", "winner"),
    [
        # The smallest within one error of the best, the best one's error.
        ([(3, 0.50, 0.05), (2, 0.46, 0.0), (1, 0.44, 0.9)], 1),
        ([(3, 0.50, 0.05), (1, 0.45, 0.0)], 1),
        # Exact ties: the smaller, then the better, then the first.
        ([(3, 0.5, 0.0), (2, 0.5, 0.0)], 1),
        ([(4, 0.5, 0.1), (2, 0.41, 0.0), (2, 0.45, 0.0)], 2),
        ([(2, 0.5, 0.0), (2, 0.5, 0.0)], 0),
        # No error is known: only the best will do.
        ([(1, 0.4, None), (2, 0.5, None)], 1),
        # Unknown means are passed over, negative ones compared.
        ([(1, None, None), (2, -0.1, 0.0)], 1),
    ],
)
def test_feature_set_table_winner(rows: list, winner: int) -> None:
    table = feature_set_table(scores(*rows))
    assert np.flatnonzero(table["winner"]).tolist() == [winner]


def test_candidate_sets_names_each_set_once() -> None:
    families = {"a": "judge output", "b": "evidence", "c": "evidence", "d": "task"}
    made = candidate_sets(families, ["c", "a", "b"])
    assert made == {
        "top 1 feature": ("c",),
        "top 2 features": ("c", "a"),
        "top 3 features": ("c", "a", "b"),
        "only judge output": ("a",),
        "only evidence": ("b", "c"),
        "only task": ("d",),
        "all but judge output": ("b", "c", "d"),
        "all but evidence": ("a", "d"),
        "all features": ("a", "b", "c", "d"),
    }
    assert candidate_sets({"a": "task"}, ["a"]) == {"top 1 feature": ("a",)}
    assert candidate_sets({"a": "task"}) == {"only task": ("a",)}
    with pytest.raises(ValueError, match="got 'z'"):
        candidate_sets(families, ["z"])
    with pytest.raises(ValueError, match="at least one feature"):
        candidate_sets({})
