"""The risk model: boosted trees that predict, before a label is paid for, a squared residual."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from core.residuals.boosting import FloatMatrix, Trees, feature_matrix, matched_matrix, train
from core.residuals.folds import WORKERS, assign_folds, group_codes, scored_residuals, side_by_side
from core.residuals.ranking import area_under_roc, rank_correlation
from core.validation import FloatArray, IntArray

#: A single feature that ranks disagreement this well probably contains the human label.
LEAK = 0.99
#: With fewer records in a class than this, such an area comes about by luck.
LEAK_LEAST = 5


@dataclass(frozen=True, eq=False)
class RiskModel:
    """A risk model, its out-of-fold scores and how well they rank.

    Attributes
    ----------
    feature_names : tuple of str
    score_out_of_fold : array of shape (n,)
        Expected Δ² of each record, finite: from the trees that never saw the record's fold, or,
        for a record without a residual, from the trees trained on all the others. As the trees
        give it: it can lie a little below 0 or above 1. A sampling design sets its own floor.
    fold : int array of shape (n,)
        −1 for a record without a residual: its score comes from the full model.
    trees : Trees
        Trained on every scored record; for new records and for explanations.
    n, n_trained : int
        Records, and those of them with a residual.
    auroc : float or None
        How well the out-of-fold scores rank |Δ| > 0 above Δ = 0, over the scored records of all
        folds; None with one class only.
    spearman : float or None
        Of the out-of-fold score with |Δ|; None where either doesn't vary.
    notes : tuple of str
        What a reader of the scores must know, in sentences.
    """

    feature_names: tuple[str, ...]
    score_out_of_fold: FloatArray
    fold: IntArray
    trees: Trees
    n: int
    n_trained: int
    auroc: float | None
    spearman: float | None
    notes: tuple[str, ...]

    @property
    def out_of_fold(self) -> NDArray[np.bool_]:
        """Records of shape (n,) whose score comes from trees that never saw them in training."""
        return self.fold >= 0


@dataclass(frozen=True, eq=False)
class HeldOutScores:
    """Scores of the records that a model was not trained on.

    Attributes
    ----------
    score : array of shape (n,)
        Expected Δ²; NaN, on purpose, for the training records.
    held_out : bool array of shape (n,)
        Where there is a score.
    n_trained : int
        Records with a residual that the trees were trained on.
    auroc, spearman : float or None
        As in :class:`RiskModel`, over the held-out records that have a residual.
    trees : Trees
    notes : tuple of str
    """

    score: FloatArray
    held_out: NDArray[np.bool_]
    n_trained: int
    auroc: float | None
    spearman: float | None
    trees: Trees
    notes: tuple[str, ...]


def fit_risk_model(
    features: pd.DataFrame,
    residual: ArrayLike,
    *,
    groups: ArrayLike | None = None,
    folds: int = 5,
    seed: int = 0,
) -> RiskModel:
    """Predict Δ² from features; every scored record is scored by trees that never saw it.

    Parameters
    ----------
    features : DataFrame of shape (n, n_features)
        Numbers known before the label; NaN is missing, and each split learns where it goes.
        Values are compared in single precision (seven digits). Any column names.
    residual : array of shape (n,)
        Δ = human − judge; NaN where not scored.
    groups : array of shape (n,), optional
        Records with the same value, one question's answers for example, share a fold. A missing
        value is a group of its own.
    folds : int
    seed : int
        Settles the folds; the trees hold no chance.

    Returns
    -------
    RiskModel

    Raises
    ------
    ValueError
        If there is no feature, a value is no number or infinite (the message names feature and
        row), lengths differ, or fewer records (or groups) are scored than there are folds.

    Notes
    -----
    Gradient-boosted regression trees with squared loss on Δ²: 200 rounds of depth 3 at learning
    rate .05 (appendix A). Where residuals are −1, 0 and 1, Δ² equals |Δ|, the paper's target, and
    the score estimates P(judge and human differ). For graded labels Δ² is what the variance of
    the estimate depends on (section 2.3).

    References
    ----------
    Wang, Erickson and Small, Human-Anchored Factuality Evaluation with Strategic Annotation.

    Examples
    --------
    >>> import numpy as np, pandas as pd
    >>> support = np.tile([0.0, 1.0, 2.0, 3.0], 50)
    >>> residual = np.where(support == 0, 1.0, 0.0)
    >>> model = fit_risk_model(pd.DataFrame({"support": support}), residual)
    >>> bool(model.score_out_of_fold[0] > 0.9), model.auroc, len(model.notes)
    (True, 1.0, 2)
    """
    steps = risk_model_steps(features, residual, groups=groups, folds=folds, seed=seed)
    model = deque(steps, maxlen=1).pop()
    assert model is not None
    return model


def n_steps(folds: int = 5) -> int:
    """How many steps `risk_model_steps` takes."""
    return -(-(folds + 1) // WORKERS)


def risk_model_steps(
    features: pd.DataFrame,
    residual: ArrayLike,
    *,
    groups: ArrayLike | None = None,
    folds: int = 5,
    seed: int = 0,
) -> Iterator[RiskModel | None]:
    """Train as `fit_risk_model` does, in `n_steps` steps of about the same length.

    A long training can be watched and stopped.

    Parameters
    ----------
    all
        As in `fit_risk_model`.

    Yields
    ------
    RiskModel or None
        None until the last step, which gives the model.

    Raises
    ------
    ValueError
        As `fit_risk_model`, before the first step.
    """
    names, matrix = feature_matrix(features)
    delta, scored = scored_residuals(residual, len(matrix))
    fold = assign_folds(scored, group_codes(groups, len(matrix)), folds, seed)
    return _steps(names, matrix, delta, scored, fold, int(folds))


def _steps(
    names: tuple[str, ...],
    matrix: FloatMatrix,
    delta: FloatArray,
    scored: NDArray[np.bool_],
    fold: IntArray,
    folds: int,
) -> Iterator[RiskModel | None]:
    # The fit on all records comes first: it is the largest, and its "fold" −1 is the unscored.
    parts = [-1, *range(folds)]
    target = delta**2

    def fit(left_out: int) -> tuple[Trees, FloatArray]:
        trees = train(matrix[rows := scored & (fold != left_out)], target[rows])
        return trees, trees.predict(matrix[fold == left_out])

    fits: list[tuple[Trees, FloatArray]] = []
    for start in range(0, len(parts), WORKERS):
        fits += side_by_side(fit, parts[start : start + WORKERS])
        if len(fits) < len(parts):
            yield None
    score = np.empty(len(matrix))
    for left_out, (_, values) in zip(parts, fits, strict=True):
        score[fold == left_out] = values
    magnitude = np.abs(delta[scored])
    auroc = area_under_roc(score[scored], magnitude > 0)
    without = len(matrix) - len(magnitude)
    constant = sum(trees.booster is None for trees, _ in fits[1:])
    leaks = _leaks(names, matrix[scored], magnitude)
    notes = [*_target_notes(delta[scored], constant), *leaks]
    together = auroc is not None and auroc >= LEAK and min(_classes(magnitude)) >= LEAK_LEAST
    if together and not leaks:
        notes.append(
            f"The out-of-fold scores rank disagreement almost perfectly (AUROC {auroc:.3f}): check "
            "that no features together, a label and a verdict for example, hold the human label."
        )
    if without:
        notes.append(
            f"{without:,} of {len(matrix):,} records have no residual; their scores come from the "
            "model trained on all the others."
        )
    yield RiskModel(
        feature_names=names,
        score_out_of_fold=score,
        fold=fold,
        trees=fits[0][0],
        n=len(matrix),
        n_trained=len(magnitude),
        auroc=auroc,
        spearman=rank_correlation(score[scored], magnitude),
        notes=tuple(notes),
    )


def fit_on(
    features: pd.DataFrame,
    residual: ArrayLike,
    train_mask: ArrayLike,
    *,
    groups: ArrayLike | None = None,
) -> HeldOutScores:
    """Train on one part of the records and score the other, which the trees never saw.

    Thresholds calibrated on the scored part keep their guarantee: nothing about its labels has
    entered the score.

    Parameters
    ----------
    features, residual
        As in :func:`fit_risk_model`.
    train_mask : bool array of shape (n,)
        Records to train on; those of them without a residual are passed over.
    groups : array of shape (n,), optional
        Only looked at to warn of a group on both sides.

    Returns
    -------
    HeldOutScores

    Raises
    ------
    ValueError
        As :func:`fit_risk_model`, or if the mask isn't boolean of shape (n,), names no scored
        record, or leaves no record to score.
    """
    names, matrix = feature_matrix(features)
    delta, scored = scored_residuals(residual, len(matrix))
    mask = np.asarray(train_mask)
    if mask.dtype != np.bool_ or mask.shape != (len(matrix),):
        raise ValueError(
            f"'train_mask' must be boolean of shape ({len(matrix)},); "
            f"got {mask.dtype} of shape {mask.shape}."
        )
    rows = mask & scored
    for part, empty in (("at least one scored record", not rows.any()),
                        ("all records but some", mask.all())):  # fmt: skip
        if empty:
            raise ValueError(
                f"'train_mask' must choose {part}; got {int(mask.sum())} of {len(mask)} records, "
                f"{int(rows.sum())} of them scored. Choose a part to train on and leave a part."
            )
    trees = train(matrix[rows], delta[rows] ** 2)
    score = np.full(len(matrix), np.nan)
    score[~mask] = trees.predict(matrix[~mask])
    checked = ~mask & scored
    magnitude = np.abs(delta)
    notes = [
        *_target_notes(delta[rows], 0),
        *_leaks(names, matrix[rows], magnitude[rows]),
    ]
    if groups is not None:
        codes = group_codes(groups, len(matrix))
        shared = len(np.intersect1d(codes[rows], codes[~mask]))
        if shared:
            notes.append(
                f"{shared:,} groups have records on both sides: the scored part isn't independent "
                "of the training part. Split by group."
            )
    return HeldOutScores(
        score=score,
        held_out=~mask,
        n_trained=int(rows.sum()),
        auroc=area_under_roc(score[checked], magnitude[checked] > 0),
        spearman=rank_correlation(score[checked], magnitude[checked]),
        trees=trees,
        notes=tuple(notes),
    )


def score_unseen(model: RiskModel, features: pd.DataFrame) -> FloatArray:
    """Score records that were not there when the model was trained; shape (n_new,).

    Parameters
    ----------
    model : RiskModel
        Its full-data trees are used. For records of the training cohort this would be
        in-sample; take ``score_out_of_fold`` there.
    features : DataFrame of shape (n_new, n_features)
        The model's columns, in any order.

    Returns
    -------
    array of shape (n_new,)
        Expected Δ², unfloored.

    Raises
    ------
    ValueError
        If a feature of the model is missing, or a value is no number or infinite.
    """
    return model.trees.predict(matched_matrix(model.feature_names, features))


def _classes(magnitude: FloatArray) -> tuple[int, int]:
    positives = int((magnitude > 0).sum())
    return positives, len(magnitude) - positives


def _target_notes(delta: FloatArray, constant_folds: int) -> list[str]:
    """Say what the target is, and where it doesn't vary."""
    target = (delta**2).astype(np.float32)
    if np.all(target == target[0]):
        same = f"All {len(target):,} squared residuals are {target[0]:g}"
        return [f"{same}: there is nothing to learn, and every record has the same score."]
    notes = []
    if np.isin(target, (0.0, 1.0)).all():
        notes.append("Residuals are −1, 0 or 1: the score estimates P(judge and human differ).")
    else:
        notes.append("Residuals are graded: the score estimates the mean squared residual.")
    if constant_folds:
        notes.append(
            f"In {constant_folds} of the folds the training records have identical squared "
            "residuals; their left-out records got that constant as a score."
        )
    return notes


def _leaks(names: tuple[str, ...], matrix: FloatMatrix, magnitude: FloatArray) -> list[str]:
    """Warn of features that, alone, all but tell which records disagree."""
    positive = magnitude > 0
    if min(_classes(magnitude)) < LEAK_LEAST:
        return []
    look = partial(_leak, matrix, positive)
    found = zip(names, side_by_side(look, list(range(len(names)))), strict=True)
    return [
        f"Feature '{name}' alone ranks disagreement with AUROC {area:.3f}{how}: it may contain the "
        "human label. Leave it out unless it is known before annotation."
        for name, (area, how) in found
        if area is not None and not 1 - LEAK < area < LEAK
    ]


def _leak(
    matrix: FloatMatrix, positive: NDArray[np.bool_], column: int
) -> tuple[float | None, str]:
    values = matrix[:, column].astype(np.float64)
    missing = np.isnan(values)
    if missing.any():
        by_absence = area_under_roc(missing.astype(np.float64), positive)
        if by_absence is not None and not 1 - LEAK < by_absence < LEAK:
            return by_absence, " by being missing"
    kept = positive[~missing]
    if min(int(kept.sum()), int((~kept).sum())) < LEAK_LEAST:
        return None, ""
    return area_under_roc(values[~missing], kept), ""
