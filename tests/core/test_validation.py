from __future__ import annotations

import numpy as np
import pytest

from core import validation


def test_checked_values_come_back():
    assert validation.open_unit("alpha", np.float32(0.5)) == 0.5
    assert validation.positive_int("n", 3.0) == 3
    assert validation.choice("mode", "1", ("1", "2")) == "1"
    assert np.isnan(validation.uncertainties("u", [None, 1])).tolist() == [True, False]
    assert validation.binary("e", [True, 0, None])[:2].tolist() == [1, 0]
    assert validation.same_length(a=np.zeros(2), b=np.ones(2)) == 2
    assert validation.whole("m", [2.0, 3]).dtype == np.int64


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: validation.open_unit("alpha", None), "'alpha' must be a number strictly"),
        (lambda: validation.open_unit("alpha", True), "got True"),
        (lambda: validation.open_unit("alpha", float("nan")), "got nan"),
        (lambda: validation.positive_int("n", 2.5), "'n' must be a whole number of at least 1"),
        (lambda: validation.positive_int("n", True), "got True"),
        (lambda: validation.positive_int("n", float("nan")), "got nan"),
        (lambda: validation.choice("mode", "3", ("1", "2")), "one of '1', '2'; got '3'"),
        (lambda: validation.uncertainties("u", [0, np.inf, np.inf]), r"position 1 \(2 such values"),
        (lambda: validation.binary("e", [0, 1, 2]), r"got 2.0 at position 2 \(1 such value\)"),
        (lambda: validation.same_length(a=np.zeros(2), b=np.zeros(3)), "'a' has 2, 'b' has 3"),
        (lambda: validation.whole("m", ["x"]), "'m' must hold whole numbers"),
    ],
)
def test_bad_input_is_named(call, words):
    with pytest.raises(ValueError, match=words):
        call()
