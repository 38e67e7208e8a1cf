"""Text cells read as truth values, numbers and uncertainties, a column at a time."""

from __future__ import annotations

import re
from typing import Final

import numpy as np
import pandas as pd
from numpy.typing import NDArray

TRUE_WORDS: Final = ("true", "yes", "1", "1.0", "correct")
FALSE_WORDS: Final = ("false", "no", "0", "0.0", "incorrect")
UNCERTAINTY_KINDS: Final = ("uncertainty", "p_true", "logprobs", "confidence")

# What the stored uncertainty is, for each way in which it can come.
STORED_KIND: Final = {
    "uncertainty": "uncertainty",
    "p_true": "binary entropy of p(true)",
    "logprobs": "binary entropy of True/False log-probabilities",
    "confidence": "1 - confidence",
}

_NUMBER = re.compile(r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")
# 1,566 may be 1566; 0,566 is no count.
_THOUSANDS = re.compile(r"[+-]?[1-9][0-9]{0,2},[0-9]{3}")
_INFINITE = re.compile(r"[+-]?inf(?:inity)?", re.IGNORECASE)

_TRUTH: Final = dict.fromkeys(TRUE_WORDS, 1.0) | dict.fromkeys(FALSE_WORDS, 0.0)


def is_number(text: str) -> bool:
    """True for a plain decimal number such as ``-0.02`` or ``1e-5``."""
    return _NUMBER.fullmatch(text) is not None


def point_for_comma(text: str | None) -> str | None:
    """The number that a cell with a decimal comma means; None where it may mean another one.

    Examples
    --------
    >>> point_for_comma("0,25"), point_for_comma("1,566"), point_for_comma("a,b")
    ('0.25', None, None)
    """
    text = (text or "").strip()
    point = text.replace(",", ".", 1)
    plain = "," in text and "." not in text and is_number(point)
    return point if plain and not _THOUSANDS.fullmatch(text) else None


def truth_values(column: pd.Series) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
    """Read true/false, yes/no, 1/0, correct/incorrect, in any case, and nothing else.

    Parameters
    ----------
    column : Series of str, shape (n,)
        Missing and blank cells are missing values.

    Returns
    -------
    values : float array of shape (n,)
        1, 0, or NaN where missing or unreadable.
    unreadable : bool array of shape (n,)

    Examples
    --------
    >>> values, unreadable = truth_values(pd.Series([" FALSE ", "1.0", "not correct", None]))
    >>> values.tolist(), unreadable.tolist()
    ([0.0, 1.0, nan, nan], [False, False, True, False])
    """
    codes, distinct = pd.factorize(column)
    words = [str(one).strip().casefold() for one in distinct.to_list()]
    # The last place serves code -1, a missing cell.
    value = np.array([_TRUTH.get(word, np.nan) for word in words] + [np.nan])
    unreadable = np.array([word != "" and word not in _TRUTH for word in words] + [False])
    return value[codes], unreadable[codes]


def numbers(column: pd.Series) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
    """Read decimal numbers exactly; blank and "nan" are missing, infinities stay infinite.

    Parameters
    ----------
    column : Series of str, shape (n,)

    Returns
    -------
    values : float array of shape (n,)
        NaN where missing or unreadable.
    unreadable : bool array of shape (n,)
    """
    value = np.full(len(column), np.nan)
    unreadable = np.zeros(len(column), dtype=bool)
    present = np.flatnonzero(column.notna())
    for place, cell in zip(present, column.iloc[present].to_list(), strict=True):
        text = cell.strip()
        if _NUMBER.fullmatch(text) or _INFINITE.fullmatch(text):
            value[place] = float(text)
        elif text and text.casefold() != "nan":
            unreadable[place] = True
    return value, unreadable


def binary_entropy(p_true: NDArray[np.float64]) -> NDArray[np.float64]:
    """−p ln p − (1−p) ln(1−p) in nats; 0 at p = 0 and p = 1, NaN where p is NaN."""
    other = 1.0 - p_true
    with np.errstate(divide="ignore", invalid="ignore"):
        first = np.where(p_true == 0, 0.0, p_true * np.log(p_true))
        second = np.where(other == 0, 0.0, other * np.log(other))
    entropy: NDArray[np.float64] = np.maximum(-(first + second), 0.0)
    return entropy


def logprob_entropy(true: NDArray[np.float64], false: NDArray[np.float64]) -> NDArray[np.float64]:
    """Binary entropy, in nats, of p(true) = e^true / (e^true + e^false).

    Computed from the difference of the two, so that it keeps its digits where p is near 0 or 1.
    """
    with np.errstate(invalid="ignore"):
        gap = np.abs(true - false)
    smaller = np.exp(-gap)
    share = np.where(np.isposinf(gap), 0.0, gap) * smaller / (1.0 + smaller)
    return np.log1p(smaller) + share


def as_uncertainty(
    kind: str, given: NDArray[np.float64], other: NDArray[np.float64] | None = None
) -> tuple[NDArray[np.float64], NDArray[np.bool_], str]:
    """Turn a judge's score into an uncertainty: larger means less sure.

    Parameters
    ----------
    kind : {"uncertainty", "p_true", "logprobs", "confidence"}
    given : float array of shape (n,)
        The score; for "logprobs" the log-probability of True.
    other : float array of shape (n,), optional
        For "logprobs" the log-probability of False.

    Returns
    -------
    uncertainty : float array of shape (n,)
        Unchanged; binary entropy in nats for "p_true" and "logprobs"; 1 − c for "confidence".
        NaN where missing or out of range.
    out_of_range : bool array of shape (n,)
    requirement : str
        What a value has to be, for the error text.

    References
    ----------
    "Judge, Retrieve, or Abstain: Uncertainty-Guarded LLM Judging with Provable Risk
    Guarantees", 2026, arXiv:2608.17994, Appendix B.2 (predictive entropy).
    """
    if kind == "uncertainty":
        bad = np.isinf(given)
        return np.where(bad, np.nan, given), bad, "a finite number"
    if kind == "logprobs":
        if other is None:
            raise ValueError(
                "'uncertainty_as' must come with two columns for 'logprobs', the True and the "
                "False log-probability; got one. Choose the second in 'uncertainty_false'."
            )
        bad = (given > 0) | (other > 0) | (np.isneginf(given) & np.isneginf(other))
        return np.where(bad, np.nan, logprob_entropy(given, other)), bad, "a log-probability, <= 0"
    bad = (given < 0) | (given > 1)
    inside = np.where(bad, np.nan, given)
    if kind == "p_true":
        return binary_entropy(inside), bad, "a probability between 0 and 1"
    if kind == "confidence":
        return 1.0 - inside, bad, "a confidence between 0 and 1"
    raise ValueError(
        f"'uncertainty_as' must be one of {', '.join(UNCERTAINTY_KINDS)}; got {kind!r}."
    )
