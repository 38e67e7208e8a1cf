"""The one boosted-tree setting of the project: what goes into XGBoost, and what comes out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from core.validation import FloatArray

ROUNDS = 200
LEARNING_RATE = 0.05
DEPTH = 3
#: XGBoost computes in single precision; a value that is infinite there is refused like infinity.
LARGEST = float(np.finfo(np.float32).max)

FloatMatrix = NDArray[np.float32]


@dataclass(frozen=True, eq=False)
class Trees:
    """Boosted trees, or the constant that stands for them where the target doesn't vary.

    Attributes
    ----------
    booster : xgboost.Booster or None
        None for the constant model.
    constant : float
        The target's mean over the training records: the constant model's prediction.
    n_features : int
    """

    booster: Any
    constant: float
    n_features: int

    def predict(self, matrix: FloatMatrix) -> FloatArray:
        """Predict for rows of a matrix of shape (n, n_features); shape (n,)."""
        if self.booster is None or not len(matrix):
            return np.full(len(matrix), self.constant)
        self.booster.set_param({"nthread": 1})
        return np.asarray(self.booster.inplace_predict(matrix), dtype=np.float64)


def train(matrix: FloatMatrix, target: FloatArray) -> Trees:
    """Fit the trees to a target of shape (n,), on one thread.

    Parameters
    ----------
    matrix : float32 array of shape (n, n_features)
        NaN is a missing value: each split learns which way it goes.
    target : array of shape (n,)
        Finite. Values that are identical in single precision, on which XGBoost fails, give the
        constant model.

    Returns
    -------
    Trees

    Notes
    -----
    One thread, so that the sums, and with them the trees, are the same in every run; callers with
    several fits to do run them side by side (:func:`core.residuals.folds.side_by_side`). Nothing
    is sampled, so no seed enters.
    """
    constant = float(target.mean())
    label = target.astype(np.float32)
    if np.all(label == label[0]):
        return Trees(None, constant, matrix.shape[1])
    import xgboost

    data = xgboost.QuantileDMatrix(matrix, label=label, nthread=1)
    booster = xgboost.train(
        {
            "objective": "reg:squarederror",
            "eta": LEARNING_RATE,
            "max_depth": DEPTH,
            "tree_method": "hist",
            "nthread": 1,
            "verbosity": 0,
        },
        data,
        ROUNDS,
    )
    return Trees(booster, constant, matrix.shape[1])


def feature_matrix(features: pd.DataFrame) -> tuple[tuple[str, ...], FloatMatrix]:
    """Return the names of a table's columns, as text, and its values as XGBoost takes them.

    Parameters
    ----------
    features : DataFrame of shape (n, n_features)
        Numbers; None and NaN are missing. Any column names, repeated ones too.

    Returns
    -------
    names : tuple of str
    matrix : float32 array of shape (n, n_features)

    Raises
    ------
    ValueError
        If it is no DataFrame, has no column, or holds something that is no number, infinite, or
        too large for single precision; the message names the feature and the row.
    """
    if not isinstance(features, pd.DataFrame):
        raise ValueError(
            f"'features' must be a DataFrame, a column a feature; got {type(features).__name__}."
        )
    names = tuple(str(name) for name in features.columns)
    if not names:
        raise ValueError(
            "'features' must have at least one column; got none. "
            "Choose a feature, or import records with a numeric column."
        )
    matrix = np.empty(features.shape, dtype=np.float32, order="C")
    for column, name in enumerate(names):
        values = _numbers(name, features.iloc[:, column])
        bad = np.abs(values) > LARGEST
        if bad.any():
            first = int(np.flatnonzero(bad)[0])
            raise ValueError(
                f"'features' must be finite or missing; got {values[first].item()!r} in feature "
                f"'{name}', row {first} ({bad.sum()} such value{'s' if bad.sum() > 1 else ''}). "
                "Leave such a value blank, or leave the feature out."
            )
        matrix[:, column] = values
    return names, matrix


def matched_matrix(names: Sequence[str], features: pd.DataFrame) -> FloatMatrix:
    """Return the values of the features that a model was trained on, in its order.

    Raises
    ------
    ValueError
        As :func:`feature_matrix`, or if a feature of the model is missing from the table.
    """
    found, matrix = feature_matrix(features)
    if found == tuple(names):
        return matrix
    repeated = len(set(names)) < len(names) or len(set(found)) < len(found)
    missing = [name for name in names if name not in set(found)]
    if missing or repeated:
        what = f"'{missing[0]}' missing" if missing else "repeated names in another order"
        raise ValueError(
            f"'features' must have the model's columns {list(names)}; got {what}. "
            "Pass the columns that the model was trained on."
        )
    place = {name: at for at, name in enumerate(found)}
    return np.ascontiguousarray(matrix[:, [place[name] for name in names]])


def _numbers(name: str, column: pd.Series[Any]) -> FloatArray:
    try:
        return np.asarray(column.to_numpy(dtype=np.float64, na_value=np.nan))
    except (TypeError, ValueError):
        pass
    numeric = pd.to_numeric(column, errors="coerce").to_numpy(dtype=np.float64, na_value=np.nan)
    bad = np.isnan(numeric) & column.notna().to_numpy()
    first = int(np.flatnonzero(bad)[0]) if bad.any() else 0
    raise ValueError(
        f"'features' must hold numbers only; got {column.iloc[first]!r} in feature '{name}', "
        f"row {first}. Make it numeric, or leave the feature out."
    )
