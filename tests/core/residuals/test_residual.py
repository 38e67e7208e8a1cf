"""Residuals: the three meanings of unknown, and what is not scored."""

from __future__ import annotations

import numpy as np
import pytest

from core.residuals.residual import judge_residual

NAN = float("nan")
HUMAN = [1, 0, 1, 0, NAN, 1]
VERDICT = [1, 1, NAN, NAN, 1, NAN]
UNKNOWN = [False, False, True, True, False, False]


@pytest.mark.parametrize(
    ("unknown_as", "residual"),
    [
        ("wrong", [0, -1, 1, 0, NAN, NAN]),
        ("zero", [0, -1, 0, 0, NAN, NAN]),
        ("excluded", [0, -1, NAN, NAN, NAN, NAN]),
    ],
)
def test_meaning_of_unknown(unknown_as, residual) -> None:
    found = judge_residual(HUMAN, VERDICT, UNKNOWN, unknown_as=unknown_as)
    np.testing.assert_array_equal(found.residual, residual)
    np.testing.assert_array_equal(found.scored, ~np.isnan(residual))
    scored = found.scored
    np.testing.assert_array_equal(found.human[scored] - found.judge[scored], found.residual[scored])
    assert np.isnan(found.judge[~scored]).all()


@pytest.mark.parametrize(
    ("arguments", "choices", "words"),
    [
        (([1, 0], [1]), {}, "length"),
        (([1, 2], [1, 0]), {}, "'human'"),
        (([1, 0], [1, 0], [True, False]), {}, "verdict at position 0"),
        (([1, 0], [1, 0], [1, 0]), {}, "'unknown' must be boolean"),
        (([1, 0], [1, 0]), {"unknown_as": "right"}, "'unknown_as'"),
    ],
)
def test_wrong_input_is_named(arguments, choices, words) -> None:
    with pytest.raises(ValueError, match=words):
        judge_residual(*arguments, **choices)
