"""Which records are left out together, and fits that run side by side."""

from __future__ import annotations

import heapq
import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeVar

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from core.validation import FloatArray, IntArray, positive_int

#: Residuals beyond this are a mistake, and their squares' sums leave single precision.
LARGEST_RESIDUAL = 1e9
WORKERS = min(2, os.cpu_count() or 1)

Result = TypeVar("Result")


def group_codes(groups: ArrayLike | None, n: int) -> IntArray:
    """Return a whole number a group, shape (n,); a record with a missing group is its own.

    Raises
    ------
    ValueError
        If ``groups`` isn't a value a record.
    """
    if groups is None:
        return np.arange(n, dtype=np.int64)
    values = pd.Series(np.asarray(groups, dtype=object).ravel())
    if len(values) != n:
        raise ValueError(f"'groups' must have a value a record, {n}; got {len(values)}.")
    codes = pd.factorize(values)[0].astype(np.int64)
    alone = codes < 0
    codes[alone] = codes.max(initial=-1) + 1 + np.arange(int(alone.sum()))
    return codes


def assign_folds(scored: NDArray[np.bool_], codes: IntArray, folds: int, seed: int) -> IntArray:
    """Deal the scored records into folds of nearly equal size, each group whole.

    Parameters
    ----------
    scored : bool array of shape (n,)
        Records that take part.
    codes : int array of shape (n,)
        Group of each record.
    folds : int
        At least 2.
    seed : int
        Settles which groups meet in a fold.

    Returns
    -------
    int array of shape (n,)
        Fold from 0 to folds − 1; −1 for a record that doesn't take part.

    Raises
    ------
    ValueError
        If there are fewer scored records, or groups of them, than folds.

    Notes
    -----
    Groups come in random order, the larger before the smaller, each to the fold that is smallest
    so far. Without groups this deals a random permutation.
    """
    number = positive_int("folds", folds)
    if number < 2:
        raise ValueError(f"'folds' must be at least 2; got {folds!r}. Use 5.")
    fold = np.full(len(scored), -1, dtype=np.int64)
    kept, sizes = np.unique(codes[scored], return_counts=True)
    if len(kept) < number:
        total = int(scored.sum())
        what = f"{total} scored records" + (f" in {len(kept)} groups" if len(kept) < total else "")
        raise ValueError(
            f"'residual' must hold at least {number} scored records, each group counted once, "
            f"for {number} folds; got {what}. Label more records, or use fewer folds."
        )
    order = np.random.default_rng(seed).permutation(len(kept))
    order = order[np.argsort(-sizes[order], kind="stable")]
    home = np.empty(len(kept), dtype=np.int64)
    if sizes.max() == 1:
        home[order] = np.arange(len(kept)) % number
    else:
        heap = [(0, at) for at in range(number)]
        for group in order:
            total, at = heapq.heappop(heap)
            home[group] = at
            heapq.heappush(heap, (total + int(sizes[group]), at))
    fold[scored] = home[np.searchsorted(kept, codes[scored])]
    return fold


def side_by_side(call: Callable[[Any], Result], arguments: list[Any]) -> list[Result]:
    """Return ``call`` of each argument, in order, up to two at once.

    XGBoost releases Python's lock while it fits. Fits of one thread each keep two cores as busy as
    one fit of two threads does, without their waiting for each other in every tree.
    """
    if WORKERS == 1 or len(arguments) < 2:
        return [call(argument) for argument in arguments]
    with ThreadPoolExecutor(WORKERS) as pool:
        return list(pool.map(call, arguments))


def scored_residuals(residual: ArrayLike, n: int) -> tuple[FloatArray, NDArray[np.bool_]]:
    """Return residuals of shape (n,) and where they are given; NaN is not scored.

    Raises
    ------
    ValueError
        If one is infinite or beyond ±1e9, or there isn't one a record.
    """
    try:
        values = np.asarray(residual, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise ValueError(f"'residual' must hold numbers only; {error}.") from error
    if values.shape != (n,):
        raise ValueError(
            f"'residual' must have shape ({n},), a value a row of 'features'; got {values.shape}."
        )
    bad = np.abs(values) > LARGEST_RESIDUAL
    if bad.any():
        first = int(np.flatnonzero(bad)[0])
        raise ValueError(
            f"'residual' must be within ±1e9 or NaN (not scored); got {values[first].item()!r} at "
            f"position {first} ({bad.sum()} such value{'s' if bad.sum() > 1 else ''})."
        )
    return values, ~np.isnan(values)
