"""Lift by stratum: by hand, by brute force, and where numbers run out."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import fisher_exact, ttest_ind

from core.residuals.levels import cross, cut_at_quantiles
from core.residuals.strata import fisher, holm, lift_table, stratum_lift

NAN = float("nan")


def test_hand_worked_lift() -> None:
    residual = [1, -1, 0, 0, 1, 0, 0, 0, NAN]
    stratum = ["a", "a", "a", "b", "b", "b", "b", None, "a"]
    table = stratum_lift(residual, stratum).set_index("stratum")
    # Eight scored, three with a residual: mean 3/8. a: 2 of 3, b: 1 of 4, one without a level.
    assert table.loc["a", "n"] == 3
    assert table.loc["a", "prevalence"] == pytest.approx(3 / 8)
    assert table.loc["a", "lift"] == pytest.approx((2 / 3) / (3 / 8))
    assert table.loc["b", "lift"] == pytest.approx((1 / 4) / (3 / 8))
    assert table.loc["a", "excess"] == pytest.approx(2 / 3 - 3 / 8)
    assert table["few"].all()


@given(
    st.lists(
        st.tuples(st.sampled_from([0, 1, -1]), st.sampled_from("abc")), min_size=1, max_size=60
    )
)
@settings(deadline=None, max_examples=40)
def test_prevalence_weighs_the_lifts_to_one(rows) -> None:
    residual, stratum = zip(*rows, strict=True)
    table = stratum_lift(residual, stratum, n_boot=50)
    if not any(residual):
        assert table["lift"].isna().all()
        return
    assert (table["prevalence"] * table["lift"]).sum() == pytest.approx(1)
    assert table["excess"].sum() == pytest.approx(0, abs=1e-12)
    assert (table["lift_low"] <= table["lift"]).all()
    assert (table["lift"] <= table["lift_high"]).all()


def test_interval_is_that_of_resampled_records() -> None:
    random = np.random.default_rng(1)
    stratum = np.where(random.random(500) < 0.3, "a", "b")
    residual = (random.random(500) < np.where(stratum == "a", 0.5, 0.2)).astype(float)
    table = stratum_lift(residual, stratum, n_boot=4000).set_index("stratum")
    ratios = []
    for _ in range(4000):
        chosen = random.integers(0, 500, 500)
        squared, group = residual[chosen] ** 2, stratum[chosen]
        ratios.append(squared[group == "a"].mean() / squared.mean())
    low, high = np.quantile(ratios, [0.025, 0.975])
    # A quantile of 4,000 resamples has a standard error near .006 here.
    assert table.loc["a", "lift_low"] == pytest.approx(low, abs=0.03)
    assert table.loc["a", "lift_high"] == pytest.approx(high, abs=0.03)


def test_graded_residuals_are_resampled_by_record() -> None:
    random = np.random.default_rng(2)
    stratum = np.repeat(["a", "b"], 200)
    residual = random.normal(0, np.where(stratum == "a", 2.0, 1.0))
    table = stratum_lift(residual, stratum, n_boot=400).set_index("stratum")
    expected = (residual[:200] ** 2).mean() / (residual**2).mean()
    assert table.loc["a", "lift"] == pytest.approx(expected)
    assert table.loc["a", "lift_low"] < expected < table.loc["a", "lift_high"]
    known = ttest_ind(residual[:200] ** 2, residual[200:] ** 2, equal_var=False).pvalue
    assert table.loc["a", "p_value"] == pytest.approx(known)


def test_a_stratum_without_residual_is_not_certain() -> None:
    residual = np.r_[np.zeros(10), np.ones(30), np.zeros(60)]
    stratum = np.repeat(["none", "rest"], [10, 90])
    table = stratum_lift(residual, stratum).set_index("stratum")
    assert table.loc["none", "lift"] == 0
    # Exact upper bound of 0 in 10 is .308, over a mean of .30.
    assert table.loc["none", "lift_high"] == pytest.approx(0.3085 / 0.3, abs=1e-3)


def test_fisher_is_never_below_scipys_one_sided_and_holm_adjusts() -> None:
    p = fisher([8, 1], [10, 10], 9, 20)
    for one, inside in zip(p, (8, 1), strict=True):
        table = [[inside, 10 - inside], [9 - inside, 1 + inside]]
        sides = [fisher_exact(table, alternative=side).pvalue for side in ("less", "greater")]
        assert one == pytest.approx(min(1, 2 * min(sides)))
    np.testing.assert_allclose(holm([0.01, NAN, 0.04, 0.03]), [0.03, NAN, 0.06, 0.06])


def test_many_columns_share_one_adjustment() -> None:
    random = np.random.default_rng(0)
    residual = (random.random(400) < 0.3).astype(float)
    columns = {
        "flagged": np.where(random.random(400) < 0.5, "true", "false"),
        "length": cut_at_quantiles(random.random(400)),
        "subject": random.choice(["a", "b"], 400),
    }
    table = lift_table(residual, columns)
    assert len(table) == 1 + 4 + 2
    assert "flagged" in set(table["stratum"])
    assert any(name.startswith("length ≤ ") for name in table["stratum"])
    assert "subject = a" in set(table["stratum"])
    np.testing.assert_allclose(table["p_holm"], holm(table["p_value"]))
    assert lift_table(residual, {}).empty


def test_thousands_of_levels_and_single_records() -> None:
    random = np.random.default_rng(3)
    residual = (random.random(20_000) < 0.2).astype(float)
    table = stratum_lift(residual, random.integers(0, 5000, 20_000).astype(str), n_boot=2000)
    assert table["n"].sum() == 20_000
    assert table[["lift", "lift_low", "lift_high", "p_holm"]].notna().all().all()


def test_cuts_state_where_they_are() -> None:
    values = [0.0, 1.0, 2.0, 3.0, NAN]
    assert list(cut_at_quantiles(values)) == ["≤ 0", "0 to 1", "1 to 2", "> 2", None]
    assert list(cut_at_quantiles([5, 5, 5])) == ["all"] * 3
    close = cut_at_quantiles([1.00001, 1.00002, 1.00003, 1.00004], (0.25, 0.5))
    assert len(set(close)) == 3
    assert list(cross(["x", "y", None], ["1", None, "2"])) == ["x × 1", None, None]


@pytest.mark.parametrize(
    ("residual", "stratum", "words"),
    [([1, 0], ["a"], "one length"), ([1, np.inf], ["a", "b"], "infinity at position 1")],
)
def test_wrong_input_is_named(residual, stratum, words) -> None:
    with pytest.raises(ValueError, match=words):
        stratum_lift(residual, stratum)


def test_missing_levels_of_any_kind_are_no_level() -> None:
    stratum = pd.Series(["a", None, NAN, "", "a"], dtype=object)
    assert list(stratum_lift([1, 0, 0, 1, 0], stratum)["n"]) == [2]
