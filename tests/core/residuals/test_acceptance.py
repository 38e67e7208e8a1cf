"""The recalibrated verdict."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from core.residuals.acceptance import fit_acceptance


def made(n: int = 600):
    random = np.random.default_rng(2)
    a, b = random.normal(size=(2, n))
    chance = 1 / (1 + np.exp(-1.5 * a))
    human = (random.random(n) < chance).astype(float)
    b[random.random(n) < 0.2] = np.nan
    human[400:] = np.nan
    return pd.DataFrame({"a": a, "b": b}), human, chance


def test_predictions_are_near_the_truth_and_in_range() -> None:
    features, human, chance = made()
    found = fit_acceptance(features, human, seed=1)
    assert ((found >= 0) & (found <= 1)).all()
    for part in (slice(0, 400), slice(400, None)):
        # A mean square error well under that of a constant.
        assert np.mean((found[part] - chance[part]) ** 2) < 0.35 * np.var(chance[part])


def test_a_record_is_never_predicted_by_its_own_label() -> None:
    features, human, _ = made(200)
    human = human.copy()
    before = fit_acceptance(features, human, seed=1)
    turned = human.copy()
    turned[7] = 1 - turned[7]
    after = fit_acceptance(features, turned, seed=1)
    assert after[7] == pytest.approx(before[7], abs=1e-12)
    assert not np.allclose(after, before)


def test_one_class_and_bad_labels() -> None:
    features, _, _ = made(100)
    found = fit_acceptance(features, np.ones(100))
    np.testing.assert_allclose(found, 1)
    with pytest.raises(ValueError, match="must hold 1, 0 or NaN"):
        fit_acceptance(features, np.full(100, 0.5))
