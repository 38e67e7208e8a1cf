"""Which features follow the size of the residual, and which of them say the same."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike
from scipy.stats import norm, rankdata

from core.residuals.ranking import rank_correlation
from core.validation import FloatArray, open_unit

NO_VARIATION = "no variation"
#: Fewer pairs give no interval.
_LEAST = 5


def feature_correlations(
    features: pd.DataFrame,
    residual: ArrayLike,
    *,
    subset: ArrayLike | None = None,
    confidence_level: float = 0.95,
) -> pd.DataFrame:
    """Correlate every feature with the size of the residual.

    Parameters
    ----------
    features : DataFrame of shape (n, p)
        Numbers; NaN is missing.
    residual : array of shape (n,)
        Δ; NaN where not scored.
    subset : bool array of shape (n,), optional
        Only these records; their number stands in the note.
    confidence_level : float

    Returns
    -------
    DataFrame, a row a feature, in the order given
        feature, spearman (signed, with |Δ|, over the records that have both; NaN where either
        doesn't vary; pages rank by its size), n, note, low, high (Fisher's z with the
        Bonett–Wright standard error), missing (share of scored records without a value),
        distinct (values).

    Raises
    ------
    ValueError
        If lengths differ, or a feature holds an infinite value; feature and row are named.

    References
    ----------
    Wang, Erickson and Small, Human-Anchored Factuality Evaluation with Strategic Annotation,
    Table 3. Bonett and Wright, Sample size requirements for estimating Pearson, Kendall and
    Spearman correlations, Psychometrika 65, 2000.
    """
    level = open_unit("confidence_level", confidence_level)
    size = np.abs(np.asarray(residual, dtype=np.float64))
    if len(size) != len(features):
        raise ValueError(
            f"'residual' must have a value a record, {len(features)}; got {len(size)}."
        )
    inside = ~np.isnan(size)
    said = ""
    if subset is not None:
        chosen = np.asarray(subset)
        if chosen.dtype != np.bool_ or chosen.shape != size.shape:
            raise ValueError(
                f"'subset' must be boolean of shape {size.shape}; got {chosen.dtype} of shape "
                f"{chosen.shape}."
            )
        inside &= chosen
        said = f"subset of {int(inside.sum()):,}"
    rows = []
    for at, name in enumerate(features.columns):
        values = finite(str(name), features.iloc[:, at])[inside]
        present = ~np.isnan(values)
        x, y = values[present], size[inside][present]
        rho = rank_correlation(x, y)
        distinct = len(np.unique(x))
        notes = [said] if said else []
        if distinct < 2:
            notes.append(NO_VARIATION)
        elif rho is None:
            notes.append("the residual doesn't vary")
        low, high = _interval(rho, len(x), level)
        rows.append(
            {
                "feature": str(name),
                "spearman": np.nan if rho is None else rho,
                "n": len(x),
                "note": "; ".join(notes),
                "low": low,
                "high": high,
                "missing": 1 - present.mean() if len(present) else 0.0,
                "distinct": distinct,
            }
        )
    names = ["feature", "spearman", "n", "note", "low", "high", "missing", "distinct"]
    return pd.DataFrame(rows, columns=names)


def redundancy(features: pd.DataFrame) -> pd.DataFrame:
    """Absolute rank correlations between features, each over the records that have both.

    Returns
    -------
    DataFrame of shape (p, p)
        1 on the diagonal; NaN where one doesn't vary among the common records.

    Raises
    ------
    ValueError
        If a value is infinite.
    """
    columns = [finite(str(name), features.iloc[:, at]) for at, name in enumerate(features.columns)]
    p = len(columns)
    result = np.eye(p)
    whole = [not np.isnan(column).any() for column in columns]
    ranks = [
        rankdata(column) - (len(column) + 1) / 2 if one else None
        for column, one in zip(columns, whole, strict=True)
    ]
    for i in range(p):
        for j in range(i):
            first, second = ranks[i], ranks[j]
            if first is not None and second is not None:
                scale = np.sqrt((first @ first) * (second @ second))
                rho = float(first @ second / scale) if scale > 0 else None
            else:
                both = ~np.isnan(columns[i]) & ~np.isnan(columns[j])
                rho = rank_correlation(columns[i][both], columns[j][both])
            result[i, j] = result[j, i] = np.nan if rho is None else min(abs(rho), 1.0)
    names = [str(name) for name in features.columns]
    return pd.DataFrame(result, index=pd.Index(names, name="feature"), columns=names)


def finite(name: str, column: pd.Series[Any]) -> FloatArray:
    """Return a feature's values; an infinite one is refused, named with its row."""
    values = np.asarray(column.to_numpy(dtype=np.float64, na_value=np.nan))
    bad = np.isinf(values)
    if bad.any():
        raise ValueError(
            f"'features' must be finite or missing; got infinity in feature {name!r}, row "
            f"{int(np.flatnonzero(bad)[0])}. Leave it blank, or leave the feature out."
        )
    return values


def _interval(rho: float | None, n: int, level: float) -> tuple[float, float]:
    if rho is None or n < _LEAST:
        return float("nan"), float("nan")
    if abs(rho) == 1:
        return rho, rho
    error = np.sqrt((1 + rho**2 / 2) / (n - 3))
    half = float(norm.isf((1 - level) / 2)) * error
    centre = np.arctanh(rho)
    return float(np.tanh(centre - half)), float(np.tanh(centre + half))
