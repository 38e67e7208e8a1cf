from __future__ import annotations

from itertools import permutations
from math import factorial

import numpy as np
import pandas as pd
import pytest
import xgboost

from core.residuals import explain as explain_module
from core.residuals.beeswarm import EXTREMES, beeswarm_offsets, beeswarm_sample
from core.residuals.explain import Explanation, explain, mean_abs_by_stratum, waterfall
from core.residuals.risk_model import RiskModel, fit_risk_model
from core.residuals.tree_values import _trees, tree_values


@pytest.fixture(scope="module")
def fitted() -> tuple[RiskModel, pd.DataFrame]:
    """Interactions, repeated values and gaps, in more features than a tree can use."""
    random = np.random.default_rng(0)
    x = random.normal(size=(3000, 5)).round(1)
    x[random.random(x.shape) < 0.15] = np.nan
    a, b, c = np.nan_to_num(x[:, 0]), np.nan_to_num(x[:, 1]), np.isnan(x[:, 2])
    residual = (random.random(3000) < 1 / (1 + np.exp(-a * b - c))).astype(float)
    features = pd.DataFrame(x, columns=["a[0]", "b", "b", "d<e", "e"])
    return fit_risk_model(features, residual), features


@pytest.mark.parametrize("limit", [0, 10_000])
def test_explain_adds_up_and_agrees_with_xgboost(fitted, limit: int, monkeypatch) -> None:
    model, features = fitted
    monkeypatch.setattr(explain_module, "SHAP_RECORDS", limit)
    made = explain(model, features)
    assert made.method == ("shap" if limit else "tables")
    matrix = xgboost.DMatrix(made.features)
    wanted = model.trees.booster.predict(matrix, pred_contribs=True)
    assert np.abs(made.values - wanted[:, :-1]).max() < 1e-4
    assert abs(made.base - wanted[0, -1]) < 1e-6
    assert np.abs(made.prediction - model.trees.booster.predict(matrix)).max() < 1e-4
    assert made.feature_names == tuple(features.columns)
    assert np.abs(made.values).max() > 0.05


def test_tree_values_equal_shapley_values_over_all_orders(fitted) -> None:
    """The definition: a feature's mean effect over all orders in which features become known."""
    model, features = fitted
    matrix = features.to_numpy(dtype=np.float32)[:12]
    trees = _trees(model.trees.booster)[:20]

    def value(tree: dict, row: np.ndarray, known: frozenset, node: int = 0) -> float:
        left, right = tree["left_children"][node], tree["right_children"][node]
        if left == -1:
            return tree["split_conditions"][node]
        feature = tree["split_indices"][node]
        if feature in known:
            x = row[feature]
            goes = tree["default_left"][node] if np.isnan(x) else (
                x < np.float32(tree["split_conditions"][node])
            )  # fmt: skip
            return value(tree, row, known, left if goes else right)
        cover = tree["sum_hessian"]
        return sum(
            cover[child] / cover[node] * value(tree, row, known, child) for child in (left, right)
        )

    wanted = np.zeros(matrix.shape)
    for tree in trees:
        for i, row in enumerate(matrix):
            for order in permutations(range(5)):
                for at, feature in enumerate(order):
                    before = frozenset(order[:at])
                    gain = value(tree, row, before | {feature}) - value(tree, row, before)
                    wanted[i, feature] += gain / factorial(5)
    few = model.trees.booster[:20]
    assert tree_values(few, matrix) == pytest.approx(wanted, abs=1e-6)


def test_explain_of_values_on_a_threshold_and_of_no_record(fitted) -> None:
    model, features = fitted
    cuts = sorted(
        {
            (feature, cut)
            for tree in _trees(model.trees.booster)
            for left, feature, cut in zip(
                tree["left_children"], tree["split_indices"], tree["split_conditions"], strict=True
            )
            if left != -1
        }
    )
    rows = np.full((len(cuts), 5), np.nan, dtype=np.float32)
    for at, (feature, cut) in enumerate(cuts):
        rows[at, feature] = cut
    wanted = model.trees.booster.predict(xgboost.DMatrix(rows), pred_contribs=True)[:, :-1]
    assert np.abs(tree_values(model.trees.booster, rows) - wanted).max() < 1e-5
    assert explain(model, features.iloc[:0]).values.shape == (0, 5)


def test_explain_of_a_constant_model_says_nothing_moves_it() -> None:
    features = pd.DataFrame({"x": np.arange(20.0)})
    made = explain(fit_risk_model(features, np.ones(20)), features)
    assert (made.values == 0).all()
    assert made.base == 1.0
    assert made.method == "constant"


def by_hand() -> Explanation:
    values = np.array([[0.5, -0.1, 0.0], [-0.3, 0.2, 0.1]])
    features = np.array([[1, np.nan, 3], [4, 5, 6]], dtype=np.float32)
    return Explanation(values, 0.4, ("p", "q", "r"), features, "tables")


def test_mean_abs_by_stratum_by_hand() -> None:
    table = mean_abs_by_stratum(
        by_hand(), {"second": np.array([False, True]), "none": np.zeros(2, bool)}
    )
    assert table.columns.tolist() == ["All records", "second", "none"]
    assert table.index.tolist() == ["p", "q", "r"]
    assert table["All records"].tolist() == pytest.approx([0.4, 0.15, 0.05])
    assert table["second"].tolist() == pytest.approx([0.3, 0.2, 0.1])
    assert table["none"].isna().all()


def test_mean_abs_by_stratum_refuses_bad_masks() -> None:
    with pytest.raises(ValueError, match=r"boolean arrays of shape \(2,\).*for 's'"):
        mean_abs_by_stratum(by_hand(), {"s": np.ones(3, bool)})
    with pytest.raises(ValueError, match="boolean"):
        mean_abs_by_stratum(by_hand(), {"s": np.array([0, 1])})
    with pytest.raises(ValueError, match="must not use the name 'All records'"):
        mean_abs_by_stratum(by_hand(), {"All records": np.ones(2, bool)})


def test_waterfall_folds_the_small_ones_and_adds_up() -> None:
    made = by_hand()
    table = waterfall(made, 0, most=1)
    assert table["feature"].tolist() == ["p", "2 other features"]
    assert table["contribution"].tolist() == pytest.approx([0.5, -0.1])
    assert table["value"].tolist()[0] == 1.0
    assert np.isnan(table["value"][1])
    assert waterfall(made, 1)["feature"].tolist() == ["p", "q", "r"]
    assert waterfall(made, 1, most=2)["feature"].tolist()[-1] == "1 other feature"
    assert made.base + table["contribution"].sum() == pytest.approx(made.prediction[0])
    for row in (-1, 2):
        with pytest.raises(ValueError, match="'row' must be from 0 to 1"):
            waterfall(made, row)


def test_beeswarm_sample_keeps_extremes_and_thins_the_middle() -> None:
    random = np.random.default_rng(0)
    values = random.normal(size=(20_000, 3)) * [1, 0.01, 1]
    values[:, 2] = random.exponential(size=20_000)
    kept = beeswarm_sample(values, most=500)
    assert len(kept) == 500
    assert (np.diff(kept) > 0).all()
    assert np.array_equal(kept, beeswarm_sample(values, most=500))
    assert not np.array_equal(kept, beeswarm_sample(values, most=500, seed=1))
    for column in values.T:
        order = np.argsort(column)
        assert set(order[:EXTREMES]) | set(order[-EXTREMES:]) <= set(kept)
    far = np.abs(values[:, 0]) > 2
    assert far[kept].mean() > 2 * far.mean()


def test_beeswarm_sample_keeps_all_where_there_is_room() -> None:
    assert beeswarm_sample(np.zeros((3, 2)), most=3).tolist() == [0, 1, 2]
    assert len(beeswarm_sample(np.zeros((50, 2)), most=7)) == 7
    assert len(beeswarm_sample(np.random.default_rng(0).normal(size=(50, 30)), most=9)) == 9
    assert len(beeswarm_sample(np.zeros((0, 2)))) == 0
    with pytest.raises(ValueError, match=r"finite; got nan at \(1, 0\)"):
        beeswarm_sample([[1.0], [np.nan]])


def test_beeswarm_offsets_are_wide_where_values_are_dense() -> None:
    values = np.r_[np.zeros(9), 10.0]
    offsets = beeswarm_offsets(values)
    assert offsets[-1] == 0
    assert sorted(offsets[:9]) == pytest.approx(np.linspace(-1, 1, 9))
    assert beeswarm_offsets([3.0]).tolist() == [0.0]
    assert len(beeswarm_offsets([])) == 0
    random = np.random.default_rng(0).normal(size=5_000)
    offsets = beeswarm_offsets(random)
    assert np.abs(offsets).max() == 1
    assert np.abs(offsets[np.abs(random) > 3]).max() < 0.2
