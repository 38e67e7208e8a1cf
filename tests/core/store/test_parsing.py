"""Cells read as truth values, numbers and uncertainties."""

from __future__ import annotations

import math

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.store.parsing import (
    as_uncertainty,
    binary_entropy,
    is_number,
    logprob_entropy,
    numbers,
    point_for_comma,
    truth_values,
)

TEXT = pd.StringDtype(na_value=np.nan)


def column(*cells: str | None) -> pd.Series:
    return pd.Series(list(cells), dtype=TEXT)


@pytest.mark.parametrize(
    ("cell", "value"),
    [
        ("true", 1),
        ("False", 0),
        (" FALSE ", 0),
        ("YES", 1),
        ("no", 0),
        ("1", 1),
        ("0", 0),
        ("1.0", 1),
        ("0.0", 0),
        ("Correct", 1),
        ("INCORRECT", 0),
        ("\tincorrect\n", 0),
    ],
)
def test_truth_values_accepts(cell: str, value: int) -> None:
    values, unreadable = truth_values(column(cell))
    assert values.tolist() == [value]
    assert not unreadable.any()


@pytest.mark.parametrize(
    "cell",
    [
        *("not correct", "partially correct", "correct.", "maybe", "0.5", "2", "-1", "1.00", "tie"),
        *("t", "y", "none", "nan", "truefalse", '{"label": true}', "１"),
    ],
)
def test_truth_values_refuses(cell: str) -> None:
    values, unreadable = truth_values(column("true", cell))
    assert unreadable.tolist() == [False, True]
    assert math.isnan(values[1])


def test_truth_values_blank_is_missing() -> None:
    values, unreadable = truth_values(column("", "  ", None))
    assert np.isnan(values).all()
    assert not unreadable.any()


@pytest.mark.parametrize("cell", ["-0.02", " 1 ", "+3", ".5", "5.", "1e-5", "1E+300", "007"])
def test_numbers_accepts(cell: str) -> None:
    values, unreadable = numbers(column(cell))
    assert values.tolist() == [float(cell)]
    assert not unreadable.any()
    assert is_number(cell.strip())


@pytest.mark.parametrize(
    "cell", ["1,5", "1_000", "0x1F", "12 %", "one", "１", "1e", "--1", "1.2.3"]
)
def test_numbers_refuses(cell: str) -> None:
    values, unreadable = numbers(column(cell))
    assert unreadable.tolist() == [True]
    assert np.isnan(values).all()
    assert not is_number(cell)


def test_numbers_missing_and_infinite() -> None:
    values, unreadable = numbers(column("", None, "NaN", "-inf", "Infinity"))
    assert np.isnan(values[:3]).all()
    assert values[3:].tolist() == [-math.inf, math.inf]
    assert not unreadable.any()


@given(st.floats(allow_nan=False))
def test_numbers_reads_back_every_float(value: float) -> None:
    values, _ = numbers(column(repr(value)))
    assert values[0] == value


def test_binary_entropy_by_hand() -> None:
    p = np.array([0.0, 0.25, 0.5, 1.0, np.nan])
    quarter = -(0.25 * math.log(0.25) + 0.75 * math.log(0.75))
    assert binary_entropy(p)[:4] == pytest.approx([0, quarter, math.log(2), 0])
    assert math.isnan(binary_entropy(p)[4])


@given(st.floats(-40, 0), st.floats(-40, 0))
def test_logprob_entropy_equals_entropy_of_the_normalised_probability(
    true: float, false: float
) -> None:
    p = math.exp(true) / (math.exp(true) + math.exp(false))
    got = logprob_entropy(np.array([true]), np.array([false]))[0]
    assert got == pytest.approx(float(binary_entropy(np.array([p]))[0]), abs=1e-12)


def test_logprob_entropy_far_apart() -> None:
    """Where 1 − p rounds to 0, the difference of the two still tells one from another."""
    far = logprob_entropy(np.array([0.0, 0.0]), np.array([-50.0, -60.0]))
    assert far[0] > far[1] > 0
    certain = logprob_entropy(np.array([0.0]), np.array([-np.inf]))
    assert certain.tolist() == [0.0]


@pytest.mark.parametrize(
    ("kind", "given_value", "value"),
    [("uncertainty", -3.5, -3.5), ("confidence", 0.75, 0.25), ("p_true", 0.5, math.log(2))],
)
def test_as_uncertainty_values(kind: str, given_value: float, value: float) -> None:
    got, outside, _ = as_uncertainty(kind, np.array([given_value, np.nan]))
    assert got[0] == pytest.approx(value)
    assert math.isnan(got[1])
    assert not outside.any()


@pytest.mark.parametrize(
    ("kind", "given_value"),
    [
        ("uncertainty", math.inf),
        ("p_true", 1.01),
        ("p_true", -0.01),
        ("confidence", 85.0),
        ("confidence", -math.inf),
    ],
)
def test_as_uncertainty_out_of_range(kind: str, given_value: float) -> None:
    got, outside, requirement = as_uncertainty(kind, np.array([given_value]))
    assert outside.tolist() == [True]
    assert np.isnan(got).all()
    assert "between 0 and 1" in requirement or requirement == "a finite number"


def test_as_uncertainty_logprobs() -> None:
    true = np.array([math.log(0.9), 0.1, -math.inf, np.nan])
    false = np.array([math.log(0.1), -1.0, -math.inf, -1.0])
    got, outside, _ = as_uncertainty("logprobs", true, false)
    assert outside.tolist() == [False, True, True, False]
    assert got[0] == pytest.approx(binary_entropy(np.array([0.9]))[0])
    assert np.isnan(got[1:]).all()


def test_as_uncertainty_errors() -> None:
    with pytest.raises(ValueError, match="must come with two columns for 'logprobs'"):
        as_uncertainty("logprobs", np.array([0.0]))
    with pytest.raises(ValueError, match=r"'uncertainty_as' must be one of .*; got 'entropy'"):
        as_uncertainty("entropy", np.array([0.0]))


@pytest.mark.parametrize(
    ("cell", "number"),
    [
        (" 0,25 ", "0.25"),
        ("-0,125", "-0.125"),
        ("1,5e-3", "1.5e-3"),
        ("1,566", None),
        ("1,566,000", None),
        ("1,566.5", None),
        ("0.25", None),
        ("a,b", None),
        (None, None),
    ],
)
def test_point_for_comma(cell: str | None, number: str | None) -> None:
    assert point_for_comma(cell) == number
