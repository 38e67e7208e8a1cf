"""Search for slices of one or two conditions with a high residual, checked on records set aside."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from core.residuals.strata import holm, stratum_lift
from core.validation import FloatArray, positive_int

Mask = NDArray[np.bool_]
#: Levels of a text column, most frequent first, that may become a condition.
LEVELS: Final = 30
#: Quantiles at which a numeric column may be cut.
CUTS: Final = (0.1, 0.25, 0.5, 0.75, 0.9)
#: A condition must stand out this much on the half searched (Welch's t) to be proposed.
_LEAST_T: Final = 2.0


@dataclass(frozen=True)
class Condition:
    """One condition of a slice: ``=`` a level, or ``≤`` or ``>`` a number."""

    column: str
    op: str
    value: str | float

    def __str__(self) -> str:
        value = self.value if isinstance(self.value, str) else f"{self.value:.4g}"
        return f"{self.column} {self.op} {value}"


def find_slices(
    residual: ArrayLike,
    columns: pd.DataFrame,
    *,
    max_slices: int = 8,
    min_share: float = 0.02,
    seed: int = 0,
) -> pd.DataFrame:
    """Propose slices on a random half of the records and show their lift on the other half.

    Parameters
    ----------
    residual : array of shape (n,)
        Δ; NaN where not scored.
    columns : DataFrame of shape (n, q)
        Numbers are cut at quantiles, anything else is taken by level; missing fits no condition.
    max_slices : int
    min_share : float
        Smallest share of the searched half that a slice may have, and that it must leave out; at
        least 20 records.
    seed : int
        Settles the halves.

    Returns
    -------
    DataFrame, a row a slice, in the order found
        slice (text), conditions (tuple of `Condition`), n, prevalence, lift, lift_low, lift_high,
        p_value, p_holm: all on the half set aside; lift_searched: on the half searched, too high
        by the search. Empty where nothing stands out.

    Raises
    ------
    ValueError
        When lengths differ, or fewer than 80 records are scored.

    Notes
    -----
    A tree of depth two that grows one branch: the condition whose records have the largest Welch t
    against the rest, then, inside it, the second condition that raises t further. A slice's records
    are put aside and the tree grows again.
    """
    number = positive_int("max_slices", max_slices)
    delta = np.asarray(residual, dtype=np.float64)
    if delta.shape != (len(columns),):
        raise ValueError(
            f"'residual' must have a value a record, {len(columns)}; got shape {delta.shape}."
        )
    scored = np.flatnonzero(~np.isnan(delta))
    if len(scored) < 80:
        raise ValueError(
            f"'residual' must have at least 80 scored records to search one half; got "
            f"{len(scored)}. Label more records."
        )
    random = np.random.default_rng(seed)
    searched = random.permutation(scored)[: len(scored) // 2]
    aside = np.setdiff1d(scored, searched)
    squared = delta[searched] ** 2
    candidates = _candidates(columns, searched)
    least = max(20, round(min_share * len(searched)))
    left = np.ones(len(searched), dtype=bool)
    found: list[tuple[Condition, ...]] = []
    searched_lift: list[float] = []
    for _ in range(number):
        branch = _grow(squared, candidates, left, least)
        if branch is None:
            break
        conditions, inside = branch
        found.append(conditions)
        searched_lift.append(float(squared[inside].mean() / squared.mean()))
        left &= ~inside
    rows = []
    for conditions, before in zip(found, searched_lift, strict=True):
        inside = slice_mask(conditions, columns)[aside]
        table = stratum_lift(delta[aside], np.where(inside, "in", "out"), seed=seed)
        row = table[table["stratum"] == "in"]
        if row.empty:
            continue
        one = row.iloc[0]
        rows.append(
            {
                "slice": " and ".join(map(str, conditions)),
                "conditions": conditions,
                "lift_searched": before,
                **{
                    name: one[name]
                    for name in ("n", "prevalence", "lift", "lift_low", "lift_high", "p_value")
                },
            }
        )
    names = [
        "slice", "conditions", "n", "prevalence", "lift", "lift_low", "lift_high", "p_value",
        "lift_searched",
    ]  # fmt: skip
    table = pd.DataFrame(rows, columns=names)
    return table.assign(p_holm=holm(table["p_value"].to_numpy(dtype=float)))


def slice_mask(conditions: Sequence[Condition], columns: pd.DataFrame) -> Mask:
    """Tell which records meet all conditions; bool array of shape (n,)."""
    inside = np.ones(len(columns), dtype=bool)
    for one in conditions:
        inside &= _meets(one, columns[one.column])
    return inside


def _meets(condition: Condition, column: pd.Series[Any]) -> Mask:
    if condition.op == "=":
        return np.asarray((column.astype(object) == condition.value).fillna(False), dtype=bool)
    values = column.to_numpy(dtype=np.float64, na_value=np.nan)
    with np.errstate(invalid="ignore"):
        return values <= condition.value if condition.op == "≤" else values > condition.value


def _candidates(columns: pd.DataFrame, where: NDArray[np.intp]) -> list[tuple[Condition, Mask]]:
    """Every condition and the searched records that meet it."""
    part = columns.iloc[where]
    found: list[tuple[Condition, Mask]] = []
    for name in columns.columns:
        column = part[name]
        conditions: list[Condition]
        if pd.api.types.is_numeric_dtype(column) and not pd.api.types.is_bool_dtype(column):
            values = column.to_numpy(dtype=np.float64, na_value=np.nan)
            values = values[~np.isnan(values)]
            if len(values) < 2:
                continue
            cuts = np.unique(np.quantile(values, CUTS, method="inverted_cdf"))
            cuts = cuts[cuts < values.max()]
            conditions = [Condition(str(name), op, float(cut)) for cut in cuts for op in ("≤", ">")]
        else:
            levels = column.dropna().value_counts().index[:LEVELS]
            conditions = [Condition(str(name), "=", level) for level in levels if level != ""]
        found += [(one, _meets(one, column)) for one in conditions]
    return found


def _grow(
    squared: FloatArray, candidates: list[tuple[Condition, Mask]], left: Mask, least: int
) -> tuple[tuple[Condition, ...], Mask] | None:
    """Grow the branch with the largest t among the records left."""
    first = _best(squared, [(one, mask & left) for one, mask in candidates], left, least)
    if first is None or first[2] < _LEAST_T:
        return None
    condition, inside, score = first
    others = [(one, mask & inside) for one, mask in candidates if one.column != condition.column]
    second = _best(squared, others, left, least)
    if second is not None and second[2] > score:
        return (condition, second[0]), second[1]
    return (condition,), inside


def _best(
    squared: FloatArray, candidates: list[tuple[Condition, Mask]], left: Mask, least: int
) -> tuple[Condition, Mask, float] | None:
    if not candidates:
        return None
    masks = np.array([mask for _, mask in candidates])
    n = masks.sum(axis=1)
    total, size = float(squared[left].sum()), int(left.sum())
    squares = float((squared[left] ** 2).sum())
    sums, sums2 = masks @ squared, masks @ squared**2
    with np.errstate(divide="ignore", invalid="ignore"):
        mean, rest = sums / n, (total - sums) / (size - n)
        var = sums2 / n - mean**2
        var_rest = (squares - sums2) / (size - n) - rest**2
        t = (mean - rest) / np.sqrt(np.maximum(var / n + var_rest / (size - n), 1e-12))
    t = np.where((n >= least) & (size - n >= least), t, -np.inf)
    best = int(np.argmax(t))
    if not np.isfinite(t[best]):
        return None
    return candidates[best][0], candidates[best][1], float(t[best])
