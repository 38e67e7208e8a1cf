"""The recalibrated verdict: how likely people are to accept an answer, given what is known."""

from __future__ import annotations

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from core.residuals.boosting import FloatMatrix, feature_matrix
from core.residuals.folds import assign_folds, group_codes, scored_residuals
from core.residuals.risk_model import fit_risk_model
from core.validation import FloatArray


def fit_acceptance(
    features: pd.DataFrame,
    human: ArrayLike,
    *,
    groups: ArrayLike | None = None,
    folds: int = 5,
    seed: int = 0,
) -> FloatArray:
    """Predict labels; every labelled record is predicted by models that never saw it.

    Parameters
    ----------
    features : DataFrame of shape (n, n_features)
        Known before the label, the judge's verdict among them; NaN is missing.
    human : array of shape (n,)
        Labels, 1 or 0; NaN where there is none: such a record gets the models of all the others.
    groups, folds, seed
        As in `core.residuals.risk_model.fit_risk_model`.

    Returns
    -------
    array of shape (n,)
        P(label = 1), in [0, 1].

    Raises
    ------
    ValueError
        As `fit_risk_model`, or if a label is neither 1 nor 0.

    Notes
    -----
    The mean of boosted trees and a logistic regression. Trees find interactions and overfit a few
    hundred labels; the regression is steady and straight. On PandaLM's pairs (400 labels, ten
    splits) a batch drawn and corrected by either alone is worth 58 % and 51 % more labels, by their
    mean 63 %.
    """
    label, scored = scored_residuals(human, len(features))
    if not np.isin(label[scored], (0.0, 1.0)).all():
        raise ValueError("'human' must hold 1, 0 or NaN; it holds something else.")
    # A label is its own square, so that the risk model predicts P(label = 1).
    trees = fit_risk_model(features, label, groups=groups, folds=folds, seed=seed)
    _, matrix = feature_matrix(features)
    fold = assign_folds(scored, group_codes(groups, len(matrix)), folds, seed)
    straight = np.empty(len(matrix))
    for left_out in (-1, *range(folds)):
        asked = fold == left_out
        if asked.any():
            rows = scored & ~asked
            straight[asked] = _logistic(matrix[rows], label[rows], matrix[asked])
    return np.asarray((np.clip(trees.score_out_of_fold, 0.0, 1.0) + straight) / 2)


def _logistic(matrix: FloatMatrix, label: FloatArray, asked: FloatMatrix) -> FloatArray:
    from sklearn.impute import SimpleImputer
    from sklearn.linear_model import LogisticRegression
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    if len(np.unique(label)) < 2:
        return np.full(len(asked), label[0] if len(label) else 0.5)
    model = make_pipeline(
        SimpleImputer(strategy="median", add_indicator=True, keep_empty_features=True),
        StandardScaler(),
        LogisticRegression(max_iter=1000),
    )
    model.fit(matrix, label)
    return np.asarray(model.predict_proba(asked)[:, 1])
