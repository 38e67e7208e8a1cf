from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from core.risk.calibration import calibrate_joint
from core.risk.routing import Route, evaluate, route

POLICY = replace(
    calibrate_joint(*4 * [np.zeros(1)], alpha=0.1, delta=0.1), threshold1=0.2, threshold2=0.5
)


def test_route_by_hand():
    u1 = [0.2, 0.3, 0.3, np.nan, np.nan, 0.1]
    u2 = [0.9, 0.5, 0.6, 0.1, np.nan, np.nan]
    expected = [Route.MODE1, Route.MODE2, Route.ABSTAIN, Route.MODE2, Route.ABSTAIN, Route.MODE1]
    assert route(POLICY, u1, u2).tolist() == expected


def test_route_without_thresholds_abstains():
    nothing = replace(POLICY, threshold1=None, threshold2=None)
    assert route(nothing, [0.0, -5.0], [0.0, np.nan]).tolist() == [0, 0]
    assert not nothing.accepts


def test_evaluate_by_hand():
    report = evaluate(
        POLICY,
        [0.1, 0.1, 0.9, 0.9, 0.9],
        [1, np.nan, 0, 0, 0],
        [0.9, 0.1, 0.1, 0.1, 0.9],
        [0, 1, 0, np.nan, 0],
    )
    # The second record has no Mode 1 verdict and goes on to Mode 2; the fourth has none there.
    assert (report.n, report.accepted, report.errors) == (5, 3, 2)
    assert (report.share_mode1, report.share_mode2, report.share_abstain) == (0.2, 0.4, 0.4)
    assert (report.coverage, report.risk) == (0.6, pytest.approx(2 / 3))


def test_evaluate_of_nothing_has_no_risk():
    report = evaluate(replace(POLICY, threshold1=None, threshold2=None), [0.1], [1], [0.1], [1])
    assert (report.coverage, report.risk, report.share_abstain) == (0.0, None, 1.0)
    assert evaluate(POLICY, [], [], [], []).risk is None


def test_bad_input_is_named():
    with pytest.raises(ValueError, match="'uncertainty1' has 1, 'uncertainty2' has 2"):
        route(POLICY, [0.1], [0.1, 0.2])
    with pytest.raises(ValueError, match="'is_error2' must be 0, 1 or NaN"):
        evaluate(POLICY, [0.1], [1], [0.1], [0.5])
