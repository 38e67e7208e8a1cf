"""Every input check of the statistics, each naming the argument, the fault and the place."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]


def open_unit(name: str, value: Any) -> float:
    """Return ``value`` as a float strictly between 0 and 1.

    Raises
    ------
    ValueError
        If it is not a number in (0, 1).
    """
    number = _number(name, value, "a number strictly between 0 and 1")
    if not 0.0 < number < 1.0:
        raise ValueError(f"'{name}' must be strictly between 0 and 1; got {value!r}.")
    return number


def positive_int(name: str, value: Any) -> int:
    """Return ``value`` as an int of at least 1.

    Raises
    ------
    ValueError
        If it is not a whole number of at least 1.
    """
    number = isinstance(value, (int, float, np.number)) and not isinstance(value, bool)
    if not number or not value >= 1 or value % 1 != 0:
        raise ValueError(f"'{name}' must be a whole number of at least 1; got {value!r}.")
    return int(value)


def choice(name: str, value: Any, options: Sequence[str]) -> str:
    """Return ``value`` if it is one of ``options``.

    Raises
    ------
    ValueError
        If it is not; the message lists the options.
    """
    if value not in options:
        listed = ", ".join(repr(option) for option in options)
        raise ValueError(f"'{name}' must be one of {listed}; got {value!r}.")
    return str(value)


def one_dimensional(name: str, values: ArrayLike) -> FloatArray:
    """Return ``values`` as a one-dimensional float array; None becomes NaN.

    Raises
    ------
    ValueError
        If it has another number of dimensions, or holds something that is no number.
    """
    try:
        array = np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise ValueError(f"'{name}' must hold numbers only; {error}.") from error
    if array.ndim != 1:
        raise ValueError(f"'{name}' must be one-dimensional; got shape {array.shape}.")
    return array


def uncertainties(name: str, values: ArrayLike) -> FloatArray:
    """Return uncertainties of shape (n,); NaN says missing.

    Raises
    ------
    ValueError
        If one of them is infinite: neither a score nor a missing one.
    """
    array = one_dimensional(name, values)
    _refuse(name, array, np.isinf(array), "finite or NaN (missing)")
    return array


def binary(name: str, values: ArrayLike) -> FloatArray:
    """Return an array of shape (n,) of 0, 1, and NaN for missing.

    Raises
    ------
    ValueError
        If any other value occurs; the message gives the first position.
    """
    array = one_dimensional(name, values)
    bad = ~(np.isnan(array) | (array == 0.0) | (array == 1.0))
    _refuse(name, array, bad, "0, 1 or NaN (missing)")
    return array


def same_length(**arrays: NDArray[Any]) -> int:
    """Return the common length of the arrays.

    Raises
    ------
    ValueError
        If they differ; the message gives every length.
    """
    lengths = {name: len(array) for name, array in arrays.items()}
    if len(set(lengths.values())) > 1:
        listed = ", ".join(f"'{name}' has {length}" for name, length in lengths.items())
        raise ValueError(f"arrays must have the same length; {listed}.")
    return next(iter(lengths.values()))


def counts(errors: ArrayLike, accepted: ArrayLike) -> tuple[IntArray, IntArray]:
    """Return error and acceptance counts as integer arrays that broadcast together.

    Raises
    ------
    ValueError
        If one is not a whole number, is negative, or errors exceed acceptances.
    """
    wrong = whole("errors", errors)
    taken = whole("accepted", accepted)
    over = np.broadcast_arrays(wrong, taken)
    if np.any(over[0] > over[1]):
        at = int(np.flatnonzero((over[0] > over[1]).ravel())[0])
        raise ValueError(
            "'errors' must be at most 'accepted'; "
            f"got {over[0].ravel()[at]} of {over[1].ravel()[at]} (position {at})."
        )
    return wrong, taken


def whole(name: str, values: ArrayLike) -> IntArray:
    """Return non-negative whole numbers, of any shape, as integers.

    Raises
    ------
    ValueError
        If one is negative, fractional or not finite.
    """
    array = np.asarray(values)
    if array.dtype.kind not in "iuf":
        raise ValueError(f"'{name}' must hold whole numbers; got {values!r}.")
    flat = array.ravel().astype(np.float64)
    _refuse(name, flat, ~(np.isfinite(flat) & (flat >= 0) & (flat == np.floor(flat))),
            "a whole number of at least 0")  # fmt: skip
    return array.astype(np.int64)


def _number(name: str, value: Any, requirement: str) -> float:
    if isinstance(value, (bool, str)):
        raise ValueError(f"'{name}' must be {requirement}; got {value!r}.")
    try:
        return float(value)
    except (TypeError, ValueError):
        raise ValueError(f"'{name}' must be {requirement}; got {value!r}.") from None


def _refuse(name: str, array: FloatArray, bad: NDArray[np.bool_], requirement: str) -> None:
    if bad.any():
        first = int(np.flatnonzero(bad)[0])
        raise ValueError(
            f"'{name}' must be {requirement}; got {array[first].item()!r} at position {first} "
            f"({int(bad.sum())} such value{'s' if bad.sum() > 1 else ''})."
        )
