"""Right values from independent peers, in the shared folder beside the checkout."""

from __future__ import annotations

import numpy as np
import pytest

from core.residuals.agreement import agreement
from core.residuals.strata import holm
from core.risk.bounds import errors_allowed, max_errors, min_accepted, risk_upper
from core.risk.calibration import calibrate_joint
from core.risk.curves import aurc
from tests.core.risk import brute
from tests.shared import reference_values


def test_risk_upper_equals_fifty_digit_values():
    for case in reference_values("clopper_pearson_upper")["cases"]:
        found = risk_upper(case["w"], case["m"], case["delta"])
        assert found == pytest.approx(case["upper"], rel=1e-11), case


def test_errors_allowed_equal_exact_rationals():
    for table in reference_values("w_max")["tables"]:
        alpha, delta, sizes = table["alpha"], table["delta"], table["m"]
        assert min_accepted(alpha, delta) == table["m_min_zero_errors"]
        assert max_errors(sizes, alpha, delta).tolist() == table["w_max"]
        assert errors_allowed(max(sizes), alpha, delta)[sizes].tolist() == table["w_max"]


def test_aurc_equals_exact_fractions():
    binary = [c for c in reference_values("aurc")["cases"] if set(c["loss"]) <= {0, 1}]
    assert len(binary) >= 8
    for case in binary:
        found = aurc(case["uncertainty"], case["loss"])
        assert found == pytest.approx(case["aurc_mean_expected_ties"], rel=1e-12), case


def test_joint_search_reaches_at_least_the_papers_grid():
    compared = 0
    for case in reference_values("joint_search")["cases"]:
        u1, u2 = np.array(case["U1"]), np.array(case["U2"])
        e1, e2 = 1.0 - np.array(case["c1"]), 1.0 - np.array(case["c2"])
        delta = reference_values("joint_search")["delta"]
        for result in case["results"]:
            alpha, peer = result["alpha"], result["pointwise_max_m"]
            allowed = errors_allowed(len(u1), alpha, delta)
            # The peers' grid has no "accept nothing": brute force without it gives their size.
            grid = brute.pair(u1, e1, u2, e2, allowed, none=False)
            assert grid[0] == (peer["m"] if peer else 0)
            policy = calibrate_joint(
                u1, e1, u2, e2, alpha=alpha, delta=delta, certificate="pointwise"
            )
            assert policy.accepted >= grid[0]
            if policy.accepted == grid[0] > 0:
                assert policy.errors <= grid[1]
            compared += peer is not None
    assert compared >= 10


def test_nominal_alpha_equals_the_peers():
    compared = 0
    for case in reference_values("krippendorff_alpha")["cases"]:
        ratings = np.array(case["reliability_data"], dtype=float).T
        found = agreement(ratings).krippendorff_alpha
        if isinstance(case["alpha"], str):
            assert found is None, case
        elif "nominal" in case["alpha"]:
            assert found == pytest.approx(case["alpha"]["nominal"]), case
            compared += 1
    assert compared >= 3


def test_holm_equals_r():
    for case in reference_values("holm")["cases"]:
        np.testing.assert_allclose(holm(case["p"]), case["R_p_adjust"])
