from __future__ import annotations

import pickle
from itertools import pairwise

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.residuals.boosting import feature_matrix, train
from core.residuals.calibration_curve import calibration_curve
from core.residuals.folds import assign_folds, group_codes
from core.residuals.ranking import area_under_roc, rank_correlation
from core.residuals.risk_model import (
    fit_on,
    fit_risk_model,
    n_steps,
    risk_model_steps,
    score_unseen,
)


def made(n: int = 400, seed: int = 0) -> tuple[pd.DataFrame, np.ndarray]:
    """Disagreement that grows with ``a``, and a feature that says nothing, with gaps."""
    random = np.random.default_rng(seed)
    a, b = random.normal(size=(2, n))
    residual = (random.random(n) < 1 / (1 + np.exp(-2 * a))) * random.choice([-1.0, 1.0], n)
    b[random.random(n) < 0.2] = np.nan
    return pd.DataFrame({"a": a, "b": b}), residual


@pytest.mark.parametrize("folds", [2, 5])
def test_training_in_steps_ends_in_the_same_model(folds: int) -> None:
    features, residual = made()
    *waiting, model = risk_model_steps(features, residual, folds=folds)
    assert waiting == [None] * (n_steps(folds) - 1)
    assert model is not None
    whole = fit_risk_model(features, residual, folds=folds)
    assert np.array_equal(model.score_out_of_fold, whole.score_out_of_fold)
    with pytest.raises(ValueError, match="'residual'"):
        risk_model_steps(features, residual[:5])


def test_fit_risk_model_scores_each_fold_by_the_trees_of_the_others() -> None:
    features, residual = made()
    model = fit_risk_model(features, residual)
    matrix = feature_matrix(features)[1]
    for left_out in range(5):
        rest = train(matrix[model.fold != left_out], residual[model.fold != left_out] ** 2)
        here = model.fold == left_out
        assert here.sum() == 80
        assert np.array_equal(model.score_out_of_fold[here], rest.predict(matrix[here]))
    assert model.n == model.n_trained == 400
    assert model.out_of_fold.all()
    assert model.auroc == area_under_roc(model.score_out_of_fold, residual != 0)
    assert model.auroc is not None
    assert 0.75 < model.auroc < 0.95
    assert model.spearman == rank_correlation(model.score_out_of_fold, np.abs(residual))
    assert model.notes == (
        "Residuals are −1, 0 or 1: the score estimates P(judge and human differ).",
    )


def test_fit_risk_model_is_the_same_for_a_seed_and_not_for_another() -> None:
    features, residual = made()
    first, again, other = (fit_risk_model(features, residual, seed=seed) for seed in (3, 3, 4))
    assert np.array_equal(first.score_out_of_fold, again.score_out_of_fold)
    assert np.array_equal(first.fold, again.fold)
    assert not np.array_equal(first.fold, other.fold)


def test_fit_risk_model_learns_nothing_from_noise() -> None:
    """In-sample the same trees look good: the scores must be out of fold."""
    random = np.random.default_rng(5)
    features = pd.DataFrame(random.normal(size=(600, 6)))
    residual = (random.random(600) < 0.4).astype(float)
    model = fit_risk_model(features, residual)
    assert model.auroc is not None
    inside = area_under_roc(score_unseen(model, features), residual > 0)
    # 3.5 standard errors of an AUROC of .5 with 240 and 360 records.
    assert abs(model.auroc - 0.5) < 3.5 * np.sqrt(601 / (12 * 240 * 360))
    assert inside is not None
    assert inside > 0.8


def test_fit_risk_model_target_is_the_square_of_graded_residuals() -> None:
    features = pd.DataFrame({"x": np.tile([0.0, 1.0], 100)})
    model = fit_risk_model(features, np.tile([0.5, -3.0], 100))
    assert score_unseen(model, pd.DataFrame({"x": [0.0, 1.0]})) == pytest.approx([0.25, 9], abs=0.1)
    assert model.notes[0].startswith("Residuals are graded")


def test_fit_risk_model_marks_records_without_a_residual_and_scores_them_by_the_full_model() -> (
    None
):
    features, residual = made()
    residual[:50] = np.nan
    model = fit_risk_model(features, residual)
    assert (model.fold[:50] == -1).all()
    assert (model.fold[50:] >= 0).all()
    assert model.n_trained == 350
    assert np.isfinite(model.score_out_of_fold).all()
    assert np.array_equal(model.score_out_of_fold[:50], score_unseen(model, features)[:50])
    assert model.notes[-1].startswith("50 of 400 records have no residual")


def test_fit_risk_model_keeps_groups_in_one_fold() -> None:
    features, residual = made()
    question = np.repeat([f"q{i}" for i in range(80)], 5).astype(object)
    question[:3] = None
    model = fit_risk_model(features, residual, groups=question)
    for name in set(question[3:]):
        assert len(set(model.fold[question == name])) == 1
    assert np.bincount(model.fold).min() >= 78
    assert len(set(fit_risk_model(features, residual).fold[5:10])) > 1


@settings(max_examples=40)
@given(st.lists(st.integers(0, 9), min_size=1, max_size=60), st.integers(2, 6), st.integers(0, 9))
def test_assign_folds_deals_whole_groups_evenly(codes: list[int], folds: int, seed: int) -> None:
    code = np.array(codes)
    scored = np.ones(len(code), dtype=bool)
    scored[::7] = False
    kept = code[scored]
    if len(set(kept.tolist())) < folds:
        with pytest.raises(ValueError, match=f"at least {folds} scored records"):
            assign_folds(scored, code, folds, seed)
        return
    fold = assign_folds(scored, code, folds, seed)
    assert (fold[~scored] == -1).all()
    assert set(fold[scored].tolist()) == set(range(folds))
    for group in set(kept.tolist()):
        assert len(set(fold[scored & (code == group)].tolist())) == 1
    sizes = np.bincount(fold[scored])
    assert sizes.max() - sizes.min() <= np.bincount(kept).max()


def test_group_codes_of_missing_groups_are_all_different() -> None:
    assert len(set(group_codes([None, "a", np.nan, "a", None], 5).tolist())) == 4
    with pytest.raises(ValueError, match="'groups' must have a value a record, 3; got 2"):
        group_codes(["a", "b"], 3)


@pytest.mark.parametrize("value", [0.0, 1.0, -1.0, 0.3])
def test_fit_risk_model_with_identical_residuals_gives_a_constant(value: float) -> None:
    features, _ = made(50)
    model = fit_risk_model(features, np.full(50, value))
    assert model.score_out_of_fold == pytest.approx(np.full(50, value**2))
    assert model.auroc is None
    assert model.spearman is None
    assert model.notes[0].startswith("All 50 squared residuals are")


def test_fit_risk_model_with_residuals_that_differ_by_rounding_gives_a_constant() -> None:
    features, _ = made(50)
    model = fit_risk_model(features, np.r_[np.full(25, 0.3), np.full(25, 0.1 + 0.2)])
    assert model.score_out_of_fold == pytest.approx(np.full(50, 0.09))
    assert model.trees.booster is None


def test_fit_risk_model_with_identical_residuals_inside_one_fold_only() -> None:
    """The one disagreement is left out once: the rest of that fold's records all agree."""
    features, _ = made(50)
    residual = np.zeros(50)
    residual[7] = 1.0
    model = fit_risk_model(features, residual)
    alone = model.fold[7]
    assert (model.score_out_of_fold[model.fold == alone] == 0).all()
    assert any(note.startswith("In 1 of the folds") for note in model.notes)


def test_fit_risk_model_takes_any_column_names_and_empty_features() -> None:
    features, residual = made(100)
    features["empty"] = np.nan
    features["same"] = 1.0
    features.columns = ["a[0]", "b<1", "b<1", "[a, b]"]
    model = fit_risk_model(features, residual)
    assert model.feature_names == ("a[0]", "b<1", "b<1", "[a, b]")
    assert np.isfinite(score_unseen(model, features)).all()
    plain = fit_risk_model(features.set_axis(["a", "b", "c", "d"], axis=1), residual)
    assert np.array_equal(model.score_out_of_fold, plain.score_out_of_fold)


def test_fit_risk_model_takes_missing_values_of_every_kind() -> None:
    features, residual = made(60)
    objects = features["a"].astype(object)
    objects[3] = None
    mixed = pd.DataFrame({
        "object": objects, "nullable": pd.array([None, *range(59)], dtype="Int64"),
        "bool": np.tile([True, False], 30),
    })  # fmt: skip
    names, matrix = feature_matrix(mixed)
    assert np.isnan(matrix[3, 0])
    assert np.isnan(matrix[0, 1])
    assert matrix[:2, 2].tolist() == [1, 0]
    assert fit_risk_model(mixed, residual).feature_names == names


@pytest.mark.parametrize("bad", [np.inf, -np.inf, 1e39])
def test_fit_risk_model_refuses_an_infinite_feature_by_name_and_row(bad: float) -> None:
    features, residual = made(30)
    features.loc[17, "b"] = bad
    with pytest.raises(ValueError, match=r"finite or missing; got .* in feature 'b', row 17"):
        fit_risk_model(features, residual)


def test_fit_risk_model_refuses_what_it_cannot_use() -> None:
    features, residual = made(30)
    with pytest.raises(ValueError, match="at least one column; got none"):
        fit_risk_model(features[[]], residual)
    with pytest.raises(ValueError, match="must be a DataFrame"):
        fit_risk_model(features.to_numpy(), residual)
    with pytest.raises(ValueError, match="got 'high' in feature 'word', row 1"):
        fit_risk_model(features.assign(word=["1", "high"] * 15), residual)
    with pytest.raises(ValueError, match=r"shape \(30,\).*got \(29,\)"):
        fit_risk_model(features, residual[1:])
    with pytest.raises(ValueError, match=r"within ±1e9 or NaN .not scored.; got inf at position 2"):
        fit_risk_model(features, np.r_[0, 1, np.inf, residual[3:]])
    with pytest.raises(ValueError, match=r"at least 5 scored records.*got 4 scored records"):
        fit_risk_model(features, np.r_[residual[:4], np.full(26, np.nan)])
    with pytest.raises(ValueError, match="got 30 scored records in 3 groups"):
        fit_risk_model(features, residual, groups=np.tile(["a", "b", "c"], 10))
    with pytest.raises(ValueError, match="'folds' must be at least 2"):
        fit_risk_model(features, residual, folds=1)


@pytest.mark.parametrize("sign", [1, -1])
def test_fit_risk_model_warns_of_a_feature_that_holds_the_label(sign: int) -> None:
    features, residual = made(200)
    random = np.random.default_rng(1)
    features["x[1]"] = sign * (np.abs(residual) + 0.1 * random.random(200))
    notes = fit_risk_model(features, residual).notes
    assert len(notes) == 2
    assert "'x[1]' alone ranks disagreement with AUROC" in notes[1]
    features["x[1]"] = np.where(residual != 0, np.nan, 5.0)
    assert "by being missing" in fit_risk_model(features, residual).notes[1]


def test_fit_risk_model_warns_of_features_that_hold_the_label_together() -> None:
    """The label and the verdict: neither ranks disagreement alone."""
    random = np.random.default_rng(2)
    human, judge = (random.random((2, 400)) < 0.5).astype(float)
    model = fit_risk_model(pd.DataFrame({"human": human, "judge": judge}), human - judge)
    assert len(model.notes) == 2
    assert "rank disagreement almost perfectly" in model.notes[1]


def test_fit_risk_model_does_not_call_luck_a_leak() -> None:
    features = pd.DataFrame({"x": np.arange(10.0)})
    residual = np.zeros(10)
    residual[-1] = 1
    assert not any("label" in note for note in fit_risk_model(features, residual).notes)


def test_fit_on_never_sees_the_labels_of_the_part_it_scores() -> None:
    features, residual = made()
    mask = np.arange(400) < 250
    first = fit_on(features, residual, mask)
    changed = np.where(mask, residual, 1 - np.abs(residual))
    assert np.array_equal(first.score, fit_on(features, changed, mask).score, equal_nan=True)
    assert np.isnan(first.score[mask]).all()
    assert np.isfinite(first.score[~mask]).all()
    assert np.array_equal(first.held_out, ~mask)
    assert first.n_trained == 250
    assert first.auroc == area_under_roc(first.score[~mask], residual[~mask] != 0)


def test_fit_on_scores_unlabelled_records_and_warns_of_shared_groups() -> None:
    features, residual = made()
    residual[390:] = np.nan
    mask = np.arange(400) < 250
    held = fit_on(features, residual, mask, groups=np.arange(400) // 100)
    assert np.isfinite(held.score[390:]).all()
    assert held.notes[-1].startswith("1 groups have records on both sides")


def test_fit_on_refuses_a_mask_that_leaves_nothing() -> None:
    features, residual = made(30)
    for mask in (np.zeros(30, bool), np.ones(30, bool), np.ones(30), np.ones(3, bool)):
        with pytest.raises(ValueError, match="'train_mask' must"):
            fit_on(features, residual, mask)


def test_score_unseen_matches_columns_by_name() -> None:
    features, residual = made()
    model = fit_risk_model(features, residual)
    assert np.array_equal(score_unseen(model, features[["b", "a"]]), score_unseen(model, features))
    assert len(score_unseen(model, features.iloc[:0])) == 0
    with pytest.raises(ValueError, match="got 'b' missing"):
        score_unseen(model, features[["a"]])


def test_risk_model_survives_pickling() -> None:
    features, residual = made()
    model = fit_risk_model(features, residual)
    copy = pickle.loads(pickle.dumps(model))
    assert np.array_equal(score_unseen(copy, features), score_unseen(model, features))


def test_area_under_roc_counts_pairs() -> None:
    random = np.random.default_rng(0)
    score, positive = random.integers(0, 5, 60).astype(float), random.random(60) < 0.3
    pairs = [(a > b) + (a == b) / 2 for a in score[positive] for b in score[~positive]]
    assert area_under_roc(score, positive) == pytest.approx(np.mean(pairs), abs=1e-12)
    assert area_under_roc(score, np.ones(60, bool)) is None


def test_calibration_curve_by_hand() -> None:
    curve = calibration_curve([0.1, 0.2, 0.3, 0.4, np.nan], [0, 1, 1, 1, 1], bins=2)
    assert curve["n"].tolist() == [2, 2]
    assert curve["mean_score"].tolist() == pytest.approx([0.15, 0.35])
    assert curve["mean_residual"].tolist() == [0.5, 1.0]
    # Wilson for 1 of 2 and 2 of 2, from SciPy.
    from scipy.stats import binomtest

    for row, count in zip(curve.itertuples(), (1, 2), strict=True):
        wanted = binomtest(count, 2).proportion_ci(method="wilson")
        assert (row.low, row.high) == pytest.approx((wanted.low, wanted.high), abs=1e-12)


def test_calibration_curve_of_graded_residuals_uses_t() -> None:
    from scipy.stats import t, tstd

    y = np.array([1.0, 2.0, 4.0, 0.5, 0.5])
    curve = calibration_curve([1, 1, 1, 2, 2], y, bins=2)
    half = t.ppf(0.975, 2) * tstd(y[:3]) / np.sqrt(3)
    assert curve["high"][0] == pytest.approx(7 / 3 + half)
    assert curve["low"][0] == max(7 / 3 - half, 0)
    assert np.isnan(curve["low"][1])
    assert np.isnan(curve["high"][1])


@given(
    st.lists(st.tuples(st.integers(0, 6), st.booleans()), min_size=1, max_size=80),
    st.integers(1, 12),
)
def test_calibration_curve_keeps_ties_together(rows: list, bins: int) -> None:
    score, y = (np.array(part, dtype=float) for part in zip(*rows, strict=True))
    curve = calibration_curve(score, y, bins=bins)
    assert len(curve) <= min(bins, len(set(score)))
    assert curve["n"].sum() == len(score)
    assert curve["bin"].tolist() == list(range(1, len(curve) + 1))
    assert all(a < b for a, b in pairwise(curve["mean_score"]))
    assert (curve["mean_residual"] * curve["n"]).sum() == pytest.approx(y.sum())
    assert ((curve["low"] >= 0) & (curve["low"] <= curve["mean_residual"])).all()
    assert ((curve["mean_residual"] <= curve["high"]) & (curve["high"] <= 1)).all()
    # No value of the score in two bins: the bins' sizes are sums of tie groups.
    ends = np.cumsum(np.unique(score, return_counts=True)[1])
    assert set(np.cumsum(curve["n"])) <= set(ends)


def test_calibration_curve_refuses_bad_input() -> None:
    with pytest.raises(ValueError, match=r"at least 0; got -1\.0 at position 1"):
        calibration_curve([1, 2], [0, -1])
    with pytest.raises(ValueError, match="must have a record with both"):
        calibration_curve([1, np.nan], [np.nan, 0])
    with pytest.raises(ValueError, match="'score' must be finite or NaN; got infinity"):
        calibration_curve([np.inf, 1], [0, 0])
