"""Agreement coefficients: hand-worked, and where they are undefined."""

from __future__ import annotations

import numpy as np
import pytest

from core.residuals.agreement import agreement, judge_agreement

NAN = float("nan")


def test_two_raters_by_hand() -> None:
    # 10 items: 4 both 1, 3 both 0, 3 differ; rater one has 6 ones, rater two 5.
    one = [1, 1, 1, 1, 0, 0, 0, 1, 1, 0]
    two = [1, 1, 1, 1, 0, 0, 0, 0, 0, 1]
    found = agreement(np.column_stack([one, two]))
    chance = 0.6 * 0.5 + 0.4 * 0.5
    assert found.raw == pytest.approx(0.7)
    assert found.cohen_kappa == pytest.approx((0.7 - chance) / (1 - chance))
    # Krippendorff: 1 − (n − 1) · o01 / (n0 · n1), n = 20 values, 11 ones, 9 zeros, o01 = 3.
    assert found.krippendorff_alpha == pytest.approx(1 - 19 * 3 / (11 * 9))
    assert (found.n_annotators, found.n_items_twice) == (2, 10)


def test_missing_ratings_and_a_silent_annotator() -> None:
    ratings = [[1, 1, NAN], [0, NAN, NAN], [NAN, NAN, NAN], [0, 1, NAN]]
    found = agreement(ratings)
    assert (found.n_annotators, found.n_items_twice) == (2, 2)
    assert found.raw == pytest.approx(0.5)


def test_raters_of_one_mind_have_no_kappa() -> None:
    found = agreement([[1, 1], [1, 1]])
    assert (found.raw, found.cohen_kappa, found.krippendorff_alpha) == (1, None, None)


def test_nobody_rates_twice() -> None:
    found = agreement([[1, NAN], [NAN, 0]])
    assert np.isnan(found.raw)
    assert (found.cohen_kappa, found.krippendorff_alpha, found.n_items_twice) == (None, None, 0)


def test_judge_stands_beside_each_annotator() -> None:
    ratings = np.array([[1, 1], [0, 1], [1, NAN], [0, 0]])
    found = judge_agreement(ratings, [1, 1, 0, 0])
    # Against the first: 2 of 4 equal; against the second: 3 of 3.
    assert found.raw == pytest.approx(5 / 7)
    assert found.cohen_kappa == pytest.approx((4 * 0.0 + 3 * 1.0) / 7)


def test_a_table_is_needed() -> None:
    with pytest.raises(ValueError, match="'ratings' must be a finite array"):
        agreement([1, 0])
