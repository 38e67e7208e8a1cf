from __future__ import annotations

import numpy as np
import pytest

from core.risk.effect import retrieval_effect


def test_retrieval_effect_by_hand():
    nan = np.nan
    effect = retrieval_effect(
        [0.5, 0.5, 0.2, 0.3, nan, 0.4], [1, 0, 0, nan, 1, 1],
        [0.1, 0.6, 0.2, 0.1, 0.1, nan], [0, 1, 0, nan, 0, 1],
    )  # fmt: skip
    assert (effect.n, effect.n_labelled) == (4, 3)  # two records lack a mode, one a label
    assert (effect.share_raised, effect.share_lowered) == (0.25, 0.5)
    assert effect.mean_raised == pytest.approx(0.1)
    assert effect.mean_lowered == pytest.approx(-0.3)
    # A verdict turns even where an uncertainty is missing.
    assert np.flatnonzero(effect.turned_right).tolist() == [0, 4]
    assert np.flatnonzero(effect.turned_wrong).tolist() == [1]


def test_retrieval_effect_of_nothing():
    effect = retrieval_effect([], [], [], [])
    assert (effect.n, effect.share_raised, effect.mean_raised, effect.mean_lowered) == (
        0, 0.0, None, None,
    )  # fmt: skip


def test_bad_input_is_named():
    with pytest.raises(ValueError, match="'is_error1' must be 0, 1 or NaN"):
        retrieval_effect([0.1], [2], [0.1], [0])
