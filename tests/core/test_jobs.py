from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from core.jobs import (
    MODES,
    PROMISES,
    RoutingJob,
    RoutingRequest,
    alpha_sweep,
    guaranteed,
    promise,
    routed_table,
    run_routing,
    smallest_alpha,
)
from core.risk.calibration import calibrate_joint, calibrate_single
from core.risk.certification import CERTIFICATES, hold_out
from core.risk.routing import route
from tests.core.records import judged

REQUEST = RoutingRequest(alpha=0.2, delta=0.05)


def test_run_routing_of_both_modes_is_calibrate_joint_and_route():
    records = judged()
    run = run_routing(records, REQUEST)
    policy = calibrate_joint(
        records.uncertainty1, records.is_error1, records.uncertainty2, records.is_error2,
        alpha=0.2, delta=0.05,
    )  # fmt: skip
    assert run.policy == policy
    assert policy.accepts
    routes = route(policy, records.uncertainty1, records.uncertainty2)
    assert run.route.tolist() == routes.tolist()
    assert (run.n, run.n_labelled, run.n_scored1, run.n_scored2) == (1000, 1000, 1000, 1000)
    assert run.share1 + run.share2 + run.share_abstain == pytest.approx(1)
    assert run.coverage == pytest.approx(np.mean(routes > 0))
    assert run.retrieval_calls == int((routes != 1).sum())
    assert run.retrievals_avoided + run.retrieval_calls == 1000
    assert "a random tenth of the labelled records (100)" in run.reference_source


def test_unlabelled_records_fix_the_start_and_are_routed():
    records = judged(1000, labelled=800)
    run = run_routing(records, REQUEST)
    lab = records.labelled
    policy = calibrate_joint(
        records.uncertainty1[lab], records.is_error1[lab],
        records.uncertainty2[lab], records.is_error2[lab], alpha=0.2, delta=0.05,
        reference=(records.uncertainty1[~lab], records.uncertainty2[~lab]),
    )  # fmt: skip
    assert run.policy == policy
    assert policy.accepts
    assert (run.n, run.n_labelled, policy.n_calib, policy.n_tested) == (1000, 800, 800, 800)
    assert "200 unlabelled records" in run.reference_source
    few = run_routing(judged(1000, labelled=950), REQUEST)
    assert (few.policy.n_calib, few.policy.n_tested) == (950, 855)


@pytest.mark.parametrize("certificate", CERTIFICATES)
@pytest.mark.parametrize("mode", ["1", "2"])
def test_one_mode_alone_is_calibrate_single(mode, certificate):
    records = judged(2000)
    request = RoutingRequest(alpha=0.3, delta=0.05, mode=mode, certificate=certificate)
    policy = run_routing(records, request).policy
    u = records.uncertainty1 if mode == "1" else records.uncertainty2
    e = records.is_error1 if mode == "1" else records.is_error2
    if certificate == "fixed-sequence":
        aside = hold_out(2000, 0)
        alone = calibrate_single(u[~aside], e[~aside], alpha=0.3, delta=0.05, reference=u[aside])
        assert (policy.n_calib, policy.n_tested) == (2000, 1800)
    else:
        alone = calibrate_single(u, e, alpha=0.3, delta=0.05, certificate=certificate)
    assert alone.accepts
    first, second = policy.threshold1, policy.threshold2
    assert (first, second) == (
        (alone.threshold1, None) if mode == "1" else (None, alone.threshold1)
    )
    assert policy.accepted == alone.accepted


def test_mode_1_alone_needs_no_retrieval_and_mode_2_alone_always():
    assert run_routing(judged(), replace(REQUEST, alpha=0.3, mode="1")).retrieval_calls == 0
    assert run_routing(judged(), replace(REQUEST, mode="2")).retrieval_calls == 1000


def test_nothing_accepted_calls_nothing_and_sends_all_to_a_person():
    run = run_routing(judged(), replace(REQUEST, alpha=0.01))
    assert (run.coverage, run.share_abstain, run.retrieval_calls) == (0.0, 1.0, 0)
    assert run.policy.reason


def test_alpha_sweep_is_one_run_an_alpha():
    records = judged()
    sweep = alpha_sweep(records, REQUEST, [0.05, 0.2, 0.4])
    run = run_routing(records, REQUEST)
    row = sweep.iloc[1]
    assert (row.coverage, row.share_mode1, row.share_mode2) == (
        run.coverage,
        run.share1,
        run.share2,
    )
    assert row.risk == run.policy.errors / run.policy.accepted
    assert np.isnan(sweep.risk[0])
    assert smallest_alpha(sweep) == 0.2
    assert smallest_alpha(sweep.iloc[:1]) is None


def test_routed_table_holds_the_deciding_verdict():
    records = judged(1000, labelled=900)
    run = run_routing(records, REQUEST)
    table = routed_table(records, run.route)
    assert table["id"].tolist() == records.item_id.tolist()
    assert table["route"].value_counts().to_dict() == {
        name: int((run.route == value).sum())
        for name, value in {"Mode 1": 1, "Mode 2": 2, "to a person": 0}.items()
        if (run.route == value).any()
    }
    by2 = table["route"] == "Mode 2"
    assert by2.any()
    assert (table["verdict"][by2] == table["verdict2"][by2]).all()
    assert table["verdict"][table["route"] == "to a person"].isna().all()
    assert int(table["label"].isna().sum()) == 100


def test_repeated_questions_void_the_promise_and_a_few_do_not():
    few = run_routing(judged(1000, n_questions=960), REQUEST)
    assert few.caveat is None
    assert guaranteed(few)
    assert promise(few) == PROMISES["fixed-sequence"]
    many = run_routing(judged(1000, n_questions=500), REQUEST)
    assert "1,000 records share 500 questions" in many.caveat
    assert not guaranteed(many)
    assert promise(many).startswith("Nothing is promised.")
    assert not guaranteed(run_routing(judged(), replace(REQUEST, certificate="pointwise")))
    refused = run_routing(judged(), replace(REQUEST, alpha=0.01))
    assert not guaranteed(refused)
    assert promise(refused).startswith("Nothing is promised")


def test_only_certified_choices_are_called_certified():
    assert set(PROMISES) == set(CERTIFICATES)
    assert PROMISES["pointwise"].startswith("No guarantee")


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"alpha": 1}, "'alpha' must be strictly between 0 and 1; got 1"),
        ({"delta": 0}, "'delta' must be"),
        ({"mode": "3"}, "'mode' must be one of 'both', '1', '2'; got '3'"),
        ({"certificate": ""}, "'certificate' must be one of"),
        ({"prefer": "retrieval", "mode": "1"}, "'prefer' must be 'coverage' unless mode is 'both'"),
    ],
)
def test_bad_requests_are_named(change, words):
    with pytest.raises(ValueError, match=words):
        replace(REQUEST, **change)


def test_a_job_refuses_a_request_for_another_mode():
    assert MODES == ("both", "1", "2")
    with pytest.raises(ValueError, match="'request' must have mode '1' and seed 0"):
        RoutingJob(judged(50), "1").run(REQUEST)
