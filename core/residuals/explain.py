"""What each feature adds to each record's risk score, and tables of it for pictures."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from core.residuals.boosting import FloatMatrix, matched_matrix
from core.residuals.risk_model import RiskModel
from core.residuals.tree_values import tree_values
from core.validation import FloatArray

ALL_RECORDS = "All records"
#: Up to here the shap package computes the values (under a second); beyond, the same values come
#: from tables: 100,000 records × 12 features take it about 30 s, the tables under 2 s.
SHAP_RECORDS = 2_000


@dataclass(frozen=True, eq=False)
class Explanation:
    """SHAP values: a record's score is the base plus the sum of its features' contributions.

    Attributes
    ----------
    values : array of shape (n, n_features)
        Contributions, in units of the score (expected Δ²).
    base : float
        The mean prediction over the training records.
    feature_names : tuple of str
    features : float32 array of shape (n, n_features)
        The values that were explained; NaN where missing.
    method : str
        "shap", "tables" (the same values, faster) or "constant" (nothing was learnt: all are 0).
    """

    values: FloatArray
    base: float
    feature_names: tuple[str, ...]
    features: FloatMatrix
    method: str

    @property
    def prediction(self) -> FloatArray:
        """The explained scores, shape (n,)."""
        return np.asarray(self.base + self.values.sum(axis=1))


def explain(model: RiskModel, features: pd.DataFrame) -> Explanation:
    """Split each record's score into the contributions of its features.

    Parameters
    ----------
    model : RiskModel
        Its full-data trees are explained: what they learnt, not what the out-of-fold trees did.
    features : DataFrame of shape (n, n_features)
        The model's columns; NaN is missing.

    Returns
    -------
    Explanation
        Of no record, if there is none.

    Raises
    ------
    ValueError
        If a feature of the model is missing, or a value is no number or infinite.

    Notes
    -----
    TreeSHAP, "tree path dependent"; by ``shap.TreeExplainer`` up to ``SHAP_RECORDS`` records. The
    values say how the model comes to its score, not what causes disagreement; of two features that
    say the same, either may get the credit.

    References
    ----------
    Lundberg and Lee, A Unified Approach to Interpreting Model Predictions, 2017, arXiv 1705.07874.
    """
    matrix = matched_matrix(model.feature_names, features)
    booster, method = model.trees.booster, "tables"
    if booster is None:
        values, base = np.zeros(matrix.shape), model.trees.constant
        return Explanation(values, base, model.feature_names, matrix, "constant")
    import xgboost

    booster.set_param({"nthread": 1})
    # The last column is the base, the same for every record.
    probe = xgboost.DMatrix(np.zeros((1, matrix.shape[1]), dtype=np.float32), nthread=1)
    base = float(booster.predict(probe, pred_contribs=True)[0, -1])
    if 0 < len(matrix) <= SHAP_RECORDS:
        import shap

        method = "shap"
        values = np.asarray(shap.TreeExplainer(booster).shap_values(matrix), dtype=np.float64)
    else:
        values = tree_values(booster, matrix)
    return Explanation(values, base, model.feature_names, matrix, method)


def mean_abs_by_stratum(
    explanation: Explanation, strata: Mapping[str, NDArray[np.bool_]]
) -> pd.DataFrame:
    """Return how much each feature moves the score, on average, within each stratum.

    Parameters
    ----------
    explanation : Explanation
        Of n records.
    strata : mapping of name to bool array of shape (n,)
        They may overlap.

    Returns
    -------
    DataFrame of shape (n_features, 1 + number of strata)
        Mean |SHAP value|; "All records" is the first column. NaN for a stratum without records.

    Raises
    ------
    ValueError
        If a mask isn't boolean with a value a record, or a stratum is called "All records".
    """
    size = np.abs(explanation.values)
    n = len(size)
    columns = {ALL_RECORDS: _mean(size)}
    for name, mask in strata.items():
        chosen = np.asarray(mask)
        if chosen.dtype != np.bool_ or chosen.shape != (n,):
            raise ValueError(
                f"'strata' must hold boolean arrays of shape ({n},); "
                f"got {chosen.dtype} of shape {chosen.shape} for '{name}'."
            )
        if name in columns:
            raise ValueError(f"'strata' must not use the name '{ALL_RECORDS}'; got it. Rename it.")
        columns[name] = _mean(size[chosen])
    return pd.DataFrame(columns, index=pd.Index(explanation.feature_names, name="feature"))


def waterfall(explanation: Explanation, row: int, *, most: int = 10) -> pd.DataFrame:
    """Return one record's contributions, the largest first, the small ones folded together.

    Parameters
    ----------
    explanation : Explanation
    row : int
        Position of the record, from 0.
    most : int
        Features shown by name; one more row sums the rest.

    Returns
    -------
    DataFrame
        feature, value (NaN where missing, and for the rest), contribution. The contributions and
        ``explanation.base`` add up to the score.

    Raises
    ------
    ValueError
        If there is no such row, or ``most`` is below 1.
    """
    if not 0 <= row < len(explanation.values):
        raise ValueError(
            f"'row' must be from 0 to {len(explanation.values) - 1}; got {row!r}. "
            "Choose a record that was explained."
        )
    if most < 1:
        raise ValueError(f"'most' must be at least 1; got {most!r}.")
    contribution = explanation.values[row]
    order = np.argsort(-np.abs(contribution), kind="stable")
    shown, rest = order[:most], order[most:]
    rows = [
        (explanation.feature_names[at], float(explanation.features[row, at]),
         float(contribution[at]))
        for at in shown
    ]  # fmt: skip
    if len(rest):
        name = f"{len(rest)} other feature{'s' * (len(rest) > 1)}"
        rows.append((name, float("nan"), float(contribution[rest].sum())))
    return pd.DataFrame(rows, columns=["feature", "value", "contribution"])


def _mean(size: FloatArray) -> FloatArray:
    return size.mean(axis=0) if len(size) else np.full(size.shape[1], np.nan)


def checked_values(values: ArrayLike) -> FloatArray:
    """Return SHAP values as a finite float array of shape (n, n_features).

    Raises
    ------
    ValueError
        If they have another number of dimensions or aren't finite.
    """
    array = np.asarray(values, dtype=np.float64)
    if array.ndim != 2:
        raise ValueError(f"'values' must have shape (n, n_features); got {array.shape}.")
    if not np.isfinite(array).all():
        row, column = (int(at[0]) for at in np.nonzero(~np.isfinite(array)))
        raise ValueError(f"'values' must be finite; got {array[row, column]} at ({row}, {column}).")
    return array
