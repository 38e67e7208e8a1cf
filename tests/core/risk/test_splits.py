from __future__ import annotations

import numpy as np
import pytest

from core.risk.calibration import calibrate_joint
from core.risk.certification import CERTIFICATES
from core.risk.routing import evaluate
from core.risk.splits import COLUMNS, repeated_splits
from tests.core.risk.test_calibration import simulated


@pytest.mark.parametrize("certificate", CERTIFICATES)
def test_repeated_splits_calibrates_on_one_part_and_measures_on_the_other(certificate):
    data = simulated(400)
    frame = repeated_splits(
        *data, alphas=[0.2, 0.5], delta=0.1, certificate=certificate, n_splits=3,
        calib_fraction=0.6, seed=7,
    )  # fmt: skip
    assert tuple(frame.columns) == COLUMNS
    assert frame[["split", "alpha"]].values.tolist() == [
        [split, alpha] for split in range(3) for alpha in (0.2, 0.5)
    ]
    order = np.random.default_rng(7).permutation(400)
    calib, test = ([a[part] for a in data] for part in (order[:240], order[240:]))
    policy = calibrate_joint(
        *calib, alpha=0.5, delta=0.1, certificate=certificate, reference=(test[0], test[2])
    )
    report = evaluate(policy, *test)
    row = frame.iloc[1]
    assert report.accepted > 0
    assert (row.coverage, row.risk) == (report.coverage, report.risk)
    assert row.threshold2 == policy.threshold2
    assert row.share_mode1 + row.share_mode2 + row.share_abstain == pytest.approx(1)


def test_repeated_splits_says_nan_where_nothing_is_accepted():
    u1, e1, u2, e2 = simulated(100)
    frame = repeated_splits(u1, e1, u2, e2, alphas=[0.01], delta=0.05, n_splits=2, seed=0)
    assert frame.coverage.tolist() == [0, 0]
    assert frame[["risk", "threshold1", "threshold2"]].isna().all(axis=None)


def test_the_same_seed_gives_the_same_splits():
    data, options = simulated(200), {"alphas": [0.3], "delta": 0.2, "n_splits": 4}
    first = repeated_splits(*data, **options, seed=1)
    assert first.equals(repeated_splits(*data, **options, seed=1))
    assert not first.equals(repeated_splits(*data, **options, seed=2))


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"calib_fraction": 0.001}, "must leave a record on both sides; got 0.001 of 10 records"),
        ({"n_splits": 0}, "'n_splits' must be a whole number of at least 1; got 0"),
        ({"alphas": [0.1, 1.5]}, "'alphas' must be strictly between 0 and 1; got 1.5"),
        ({"certificate": "none"}, "'certificate' must be one of"),
    ],
)
def test_bad_input_is_named(change, words):
    options = {"alphas": [0.1], "delta": 0.05, "seed": 0, **change}
    with pytest.raises(ValueError, match=words):
        repeated_splits(*simulated(10), **options)
