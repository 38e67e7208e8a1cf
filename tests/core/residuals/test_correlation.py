"""Features against the residual: SciPy's ρ on the pairs that are there."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from scipy.stats import spearmanr

from core.residuals.correlation import feature_correlations, redundancy


@pytest.fixture
def data() -> tuple[pd.DataFrame, np.ndarray]:
    random = np.random.default_rng(0)
    n = 300
    residual = random.choice([-1.0, 0.0, 1.0], n)
    residual[:20] = np.nan
    follows = np.abs(np.nan_to_num(residual)) + random.random(n)
    follows[30:60] = np.nan
    features = pd.DataFrame(
        {"follows": follows, "opposite": -follows, "noise": random.random(n), "same": 1.0}
    )
    return features, residual


def test_is_scipys_over_the_pairs_present(data) -> None:
    features, residual = data
    table = feature_correlations(features, residual).set_index("feature")
    for name in ("follows", "opposite", "noise"):
        both = ~np.isnan(features[name]) & ~np.isnan(residual)
        known = spearmanr(features[name][both], np.abs(residual[both])).statistic
        assert table.loc[name, "spearman"] == pytest.approx(known)
        assert table.loc[name, "n"] == both.sum()
        assert table.loc[name, "low"] < known < table.loc[name, "high"]
    assert table.loc["follows", "missing"] == pytest.approx(30 / 280)
    assert table.loc["same", "note"] == "no variation"
    assert np.isnan(table.loc["same", "spearman"])


def test_a_subset_says_its_size(data) -> None:
    features, residual = data
    subset = np.arange(300) >= 200
    table = feature_correlations(features, residual, subset=subset).set_index("feature")
    known = spearmanr(features["noise"][subset], np.abs(residual[subset])).statistic
    assert table.loc["noise", "spearman"] == pytest.approx(known)
    assert table.loc["noise", "note"] == "subset of 100"


def test_interval_covers_in_simulation() -> None:
    random = np.random.default_rng(4)
    truth, n, trials, inside = 6 / np.pi * np.arcsin(0.5 / 2), 200, 1000, 0
    for _ in range(trials):
        x, y = random.multivariate_normal([0, 0], [[1, 0.5], [0.5, 1]], n).T
        # Residuals of one sign, so that their size keeps their order.
        table = feature_correlations(pd.DataFrame({"x": x}), y - y.min() + 1)
        inside += table["low"][0] <= truth <= table["high"][0]
    # Three standard errors of .95 in 1,000 trials are .021.
    assert abs(inside / trials - 0.95) < 0.021


def test_redundancy_is_absolute_and_pairwise(data) -> None:
    features, _ = data
    table = redundancy(features)
    assert table.loc["follows", "opposite"] == pytest.approx(1)
    both = ~np.isnan(features["follows"])
    known = abs(spearmanr(features["follows"][both], features["noise"][both]).statistic)
    assert table.loc["follows", "noise"] == pytest.approx(known)
    assert np.isnan(table.loc["same", "noise"])
    np.testing.assert_array_equal(np.diag(table), 1)


def test_an_infinite_value_is_named_with_its_row() -> None:
    features = pd.DataFrame({"a": [1.0, 2.0], "b [c]": [0.0, np.inf]})
    with pytest.raises(ValueError, match=r"'b \[c\]', row 1"):
        feature_correlations(features, [0, 1])
    with pytest.raises(ValueError, match="a value a record, 2"):
        feature_correlations(features[["a"]], [0, 1, 1])


def test_a_residual_without_variation_is_said() -> None:
    table = feature_correlations(pd.DataFrame({"a": [1.0, 2.0, 3.0]}), [1, -1, 1])
    assert table["note"][0] == "the residual doesn't vary"
