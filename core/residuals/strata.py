"""Lift: how much larger the squared residual is in a stratum than on average."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike
from scipy.stats import beta, hypergeom
from scipy.stats import t as student

from core.residuals.levels import codes_of
from core.validation import FloatArray, IntArray, open_unit, positive_int

#: Strata of fewer records are marked.
FEW: Final = 20
#: Squared residuals with more values than this are resampled record by record.
_CELLS: Final = 8
#: A column of more levels gets fewer resamples for each, down to these.
_MANY_LEVELS: Final = 300
_LEAST_DRAWS: Final = 200


def stratum_lift(
    residual: ArrayLike,
    stratum: ArrayLike,
    *,
    n_boot: int = 2000,
    confidence_level: float = 0.95,
    seed: int = 0,
) -> pd.DataFrame:
    """Compare the squared residual of every level of a column with the average.

    Parameters
    ----------
    residual : array of shape (n,)
        Δ = human − judge; NaN where not scored, and such a record counts nowhere.
    stratum : array of shape (n,)
        Level of each record, as text; None, NaN and "" are no level, but such a record counts in
        the average.
    n_boot : int
        Bootstrap resamples; a column of more than 300 levels gets fewer for each, at least 200.
    confidence_level : float
    seed : int

    Returns
    -------
    DataFrame, a row a level, largest excess first
        stratum, n, prevalence (n ÷ scored records), mean_squared_residual, lift (that ÷ the mean
        of all scored records), lift_low, lift_high, excess (share of all squared residual that
        the level has beyond its prevalence: prevalence × (lift − 1)), p_value (level against the
        rest), p_holm (adjusted over the rows), few (n < 20).

    Raises
    ------
    ValueError
        If lengths differ, or a residual is infinite.

    Notes
    -----
    The interval is the percentile bootstrap of the ratio over records. Resampling n records is a
    multinomial draw of the counts of (level × squared value), so counts are drawn, not records.
    Where every squared residual of a level is equal the bootstrap would give a ratio without
    spread from within: there the end is widened to the exact binomial bound of a share of 0 (or
    of 1), over the average. The p-value is Fisher's exact test for squared residuals of 0 and 1,
    Welch's t test otherwise; a lift of NaN means that no scored record has a residual.

    References
    ----------
    Wang, Erickson and Small, Human-Anchored Factuality Evaluation with Strategic Annotation,
    Section 4.2 and Table 2 (lift; the interval and the tests are ours).

    Examples
    --------
    >>> table = stratum_lift([1, 1, 0, 0, 0, 0], ["a", "a", "a", "b", "b", "b"])
    >>> table[["stratum", "n", "lift"]].values.tolist()
    [['a', 3, 2.0], ['b', 3, 0.0]]
    """
    return _finished(
        _levels(residual, stratum, n_boot=n_boot, confidence_level=confidence_level, seed=seed)
    )


def lift_table(
    residual: ArrayLike,
    columns: Mapping[str, ArrayLike],
    *,
    n_boot: int = 2000,
    confidence_level: float = 0.95,
    seed: int = 0,
) -> pd.DataFrame:
    """Compute the lift of every level of many columns, p adjusted over all of them.

    Parameters
    ----------
    residual : array of shape (n,)
    columns : mapping of name to array of shape (n,)
        As `stratum` of :func:`stratum_lift`; of a column whose levels are truth values ("true"
        and "false", or 1 and 0) only the true one is a row.
    n_boot, confidence_level, seed
        As in :func:`stratum_lift`.

    Returns
    -------
    DataFrame
        As :func:`stratum_lift`, with columns `column` and `level` too; `stratum` is the column's
        name for a truth value, else that of `stratum_name`.
    """
    parts = []
    for name, values in columns.items():
        table = _levels(
            residual, values, n_boot=n_boot, confidence_level=confidence_level, seed=seed
        )
        levels = table["stratum"].astype(str)
        lowered = levels.str.casefold()
        table.insert(1, "column", str(name))
        table.insert(2, "level", levels)
        if set(lowered) <= {"true", "false"} and "true" in set(lowered):
            table = table[(lowered == "true").to_numpy()].assign(stratum=str(name))
        else:
            table["stratum"] = [stratum_name(str(name), level) for level in levels]
        parts.append(table)
    if not parts:
        empty = _levels(residual, np.full(len(np.asarray(residual)), None, dtype=object))
        return _finished(empty.assign(column="", level=""))
    return _finished(pd.concat(parts, ignore_index=True))


def stratum_name(column: str, level: str) -> str:
    """Name a level of a column: "subject = history", "length > 12".

    Examples
    --------
    >>> stratum_name("subject", "history"), stratum_name("length", "> 12")
    ('subject = history', 'length > 12')
    """
    return f"{column} {level}" if level.startswith(("≤ ", "> ")) else f"{column} = {level}"


def holm(p_values: ArrayLike) -> FloatArray:
    """Adjust p-values by Holm's step-down method; NaN stays and isn't counted.

    Examples
    --------
    >>> holm([0.01, 0.04, 0.03]).round(2).tolist()
    [0.03, 0.06, 0.06]
    """
    p = np.asarray(p_values, dtype=np.float64)
    adjusted = np.full(p.shape, np.nan)
    known = np.flatnonzero(~np.isnan(p))
    order = known[np.argsort(p[known], kind="stable")]
    steps = p[order] * np.arange(len(order), 0, -1)
    adjusted[order] = np.minimum(np.maximum.accumulate(steps), 1.0)
    return adjusted


def _levels(
    residual: ArrayLike,
    stratum: ArrayLike,
    *,
    n_boot: int = 2000,
    confidence_level: float = 0.95,
    seed: int = 0,
) -> pd.DataFrame:
    delta = np.asarray(residual, dtype=np.float64)
    codes, names = codes_of(stratum)
    if codes.shape != delta.shape or delta.ndim != 1:
        raise ValueError(
            f"'residual' and 'stratum' must have one length; got {delta.shape} and {codes.shape}."
        )
    if np.isinf(delta).any():
        raise ValueError(
            "'residual' must be finite or NaN; got infinity at position "
            f"{int(np.flatnonzero(np.isinf(delta))[0])}."
        )
    level = open_unit("confidence_level", confidence_level)
    boots = positive_int("n_boot", n_boot)
    scored = ~np.isnan(delta)
    squared, codes = delta[scored] ** 2, codes[scored]
    # Level −1 is the rest, which counts in the average; levels without a scored record fall out.
    counts = np.bincount(codes + 1, minlength=len(names) + 1)
    kept = np.flatnonzero(counts[1:])
    place = np.full(len(names) + 1, len(kept), dtype=np.int64)
    place[kept + 1] = np.arange(len(kept))
    group = place[codes + 1]
    n = counts[1:][kept]
    total = len(squared)
    mean = float(squared.mean()) if total else float("nan")
    sums = np.bincount(group, weights=squared, minlength=len(kept) + 1)[: len(kept)]
    means = sums / n
    with np.errstate(divide="ignore", invalid="ignore"):
        lift = np.where(mean > 0, means / mean, np.nan)
    low, high = np.full(len(kept), np.nan), np.full(len(kept), np.nan)
    p = np.full(len(kept), np.nan)
    if total and mean > 0 and len(kept):
        random = np.random.default_rng(seed)
        boots = min(boots, max(_LEAST_DRAWS, boots * _MANY_LEVELS // len(kept)))
        low, high = _interval(squared, group, n, boots, level, random)
        low, high = _widened(low, high, squared, group, n, mean, level)
        low, high = np.minimum(low, lift), np.maximum(high, lift)
        p = _p_values(squared, group, n, means)
    prevalence = n / max(total, 1)
    return pd.DataFrame(
        {
            "stratum": pd.Series([names[one] for one in kept], dtype=object),
            "n": n,
            "prevalence": prevalence,
            "mean_squared_residual": means,
            "lift": lift,
            "lift_low": low,
            "lift_high": high,
            "excess": prevalence * (lift - 1),
            "p_value": p,
        }
    )


def _finished(table: pd.DataFrame) -> pd.DataFrame:
    table = table.assign(p_holm=holm(table["p_value"]), few=table["n"] < FEW)
    return table.sort_values("excess", ascending=False, kind="stable", ignore_index=True)


def _interval(
    squared: FloatArray,
    group: IntArray,
    n: IntArray,
    n_boot: int,
    level: float,
    random: np.random.Generator,
) -> tuple[FloatArray, FloatArray]:
    """Percentile bootstrap of every level's mean over the overall mean."""
    values, value = np.unique(squared, return_inverse=True)
    total, k = len(squared), len(n)
    if len(values) > _CELLS:
        return _by_record(squared, group, k, n_boot, level, random)
    cells = np.bincount(value, minlength=len(values))
    shape = (k + 1, len(values))
    held = np.bincount(group * len(values) + value, minlength=(k + 1) * len(values)).reshape(shape)
    low, high = np.empty(k), np.empty(k)
    # A level's counts, and those of all other records by value, in one multinomial draw.
    for one in range(k):
        parts = np.concatenate([held[one], cells - held[one]]) / total
        drawn = random.multinomial(total, parts, size=n_boot)
        inside = drawn[:, : len(values)]
        size = inside.sum(axis=1)
        overall = (drawn[:, : len(values)] + drawn[:, len(values) :]) @ values / total
        usable = (size > 0) & (overall > 0)
        ratio = (inside[usable] @ values) / size[usable] / overall[usable]
        low[one], high[one] = _ends(ratio, level)
    return low, high


def _by_record(
    squared: FloatArray,
    group: IntArray,
    k: int,
    n_boot: int,
    level: float,
    random: np.random.Generator,
) -> tuple[FloatArray, FloatArray]:
    total = len(squared)
    ratios = np.full((n_boot, k), np.nan)
    for boot in range(n_boot):
        chosen = random.integers(0, total, total)
        size = np.bincount(group[chosen], minlength=k + 1)[:k]
        sums = np.bincount(group[chosen], weights=squared[chosen], minlength=k + 1)[:k]
        overall = squared[chosen].mean()
        if overall > 0:
            with np.errstate(invalid="ignore"):
                ratios[boot] = np.where(size > 0, sums / np.maximum(size, 1), np.nan) / overall
    ends = [_ends(column[~np.isnan(column)], level) for column in ratios.T]
    return np.array([one[0] for one in ends]), np.array([one[1] for one in ends])


def _ends(ratio: FloatArray, level: float) -> tuple[float, float]:
    if not len(ratio):
        return float("nan"), float("nan")
    low, high = np.quantile(ratio, [(1 - level) / 2, (1 + level) / 2])
    return float(low), float(high)


def _widened(
    low: FloatArray,
    high: FloatArray,
    squared: FloatArray,
    group: IntArray,
    n: IntArray,
    mean: float,
    level: float,
) -> tuple[FloatArray, FloatArray]:
    """Give levels without spread of their own the exact bound of a share of 0, or of 1."""
    k = len(n)
    least, most = np.full(k + 1, np.inf), np.full(k + 1, -np.inf)
    np.minimum.at(least, group, squared)
    np.maximum.at(most, group, squared)
    flat = least[:k] == most[:k]
    share = beta.ppf((1 + level) / 2, 1, n)  # upper end for a share of 0 in n
    largest = float(squared.max())
    high = np.where(flat, np.maximum(high, np.maximum(most[:k], share * largest) / mean), high)
    low = np.where(flat, np.minimum(low, least[:k] * (1 - share) / mean), low)
    return low, high


def _p_values(squared: FloatArray, group: IntArray, n: IntArray, means: FloatArray) -> FloatArray:
    """Test every level against the rest."""
    total, k = len(squared), len(n)
    if np.isin(squared, (0.0, 1.0)).all():
        inside = np.bincount(group, weights=squared, minlength=k + 1)[:k].astype(np.int64)
        return fisher(inside, n, int(squared.sum()), total)
    squares = np.bincount(group, weights=squared**2, minlength=k + 1)[:k]
    rest = total - n
    with np.errstate(divide="ignore", invalid="ignore"):
        other = (squared.sum() - means * n) / rest
        var1 = (squares - n * means**2) / (n - 1)
        var2 = (np.sum(squared**2) - squares - rest * other**2) / (rest - 1)
        error = var1 / n + var2 / rest
        freedom = error**2 / ((var1 / n) ** 2 / (n - 1) + (var2 / rest) ** 2 / (rest - 1))
        p = 2 * student.sf(np.abs(means - other) / np.sqrt(error), freedom)
    return np.where((n > 1) & (rest > 1) & (var1 > 0) & (var2 > 0), p, np.nan)


def fisher(inside: ArrayLike, n: ArrayLike, events: int, total: int) -> FloatArray:
    """Fisher's exact test, two-sided, of many levels against the rest.

    Parameters
    ----------
    inside, n : int arrays of shape (k,)
        Events in each level, and its records.
    events, total : int
        Of all records.

    Returns
    -------
    array of shape (k,)
        Twice the smaller tail, at most 1: not less than the usual two-sided p is for a symmetric
        table, and quick for large ones.
    """
    within, size = np.asarray(inside), np.asarray(n)
    below = hypergeom.cdf(within, total, events, size)
    above = hypergeom.sf(within - 1, total, events, size)
    return np.asarray(np.minimum(2 * np.minimum(below, above), 1.0))
