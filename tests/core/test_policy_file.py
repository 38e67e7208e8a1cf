from __future__ import annotations

import json
from dataclasses import replace

import pytest

from core.jobs import RoutingRequest, run_routing
from core.policy_file import differences, policy_document, policy_text, read_policy
from core.risk.routing import route
from tests.core.records import judged

RECORDS = judged()


def document(**request):
    options = {"alpha": 0.2, "delta": 0.05, **request}
    return policy_document(RECORDS, run_routing(RECORDS, RoutingRequest(**options)))


def test_a_policy_file_comes_back_exactly_and_routes_the_same():
    run = run_routing(RECORDS, RoutingRequest(alpha=0.2, delta=0.05))
    back = read_policy(policy_text(policy_document(RECORDS, run)))
    assert back.policy == run.policy
    assert route(back.policy, RECORDS.uncertainty1, RECORDS.uncertainty2).tolist() == (
        run.route.tolist()
    )
    assert back.document["data"]["data_hash"] == RECORDS.data_hash
    assert back.document["data"]["judge_kind"] == "simulated"
    assert back.document["result"]["coverage"] == run.coverage


def test_only_a_valid_certificate_that_accepts_is_called_guaranteed():
    assert document()["guaranteed"] is True
    assert document(certificate="pointwise")["guaranteed"] is False
    refused = document(alpha=0.005)
    assert refused["guaranteed"] is False
    assert refused["policy"]["threshold1"] is None
    assert read_policy(policy_text(refused)).policy.reason == refused["policy"]["reason"]


def test_differences_name_what_the_certificate_does_not_cover():
    made = document()
    assert differences(made, RECORDS) == []
    assert differences(made, judged(seed=5)) == []  # other records of the same kind
    found = differences(made, replace(RECORDS, judge="other", candidate="c", label_source="crowd"))
    assert found == [
        "The policy's judge is 'judge'; these records have 'other'.",
        "The policy's candidate is none; these records have 'c'.",
        "The policy's label source is 'human'; these records have 'crowd'.",
    ]


def changed(**change):
    made = document()
    made["policy"].update(change)
    return json.dumps(made)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("{", "must be JSON"),
        (b"\xff\xfe", "must be JSON"),
        ("[1]", "'format' of the policy file must be 'assay-policy/1'; got None"),
        ('{"format": "assay-policy/9"}', "got 'assay-policy/9'"),
        ('{"format": "assay-policy/1"}', "'policy' must be an object"),
        (
            '{"format": "assay-policy/1", "policy": {"alpha": 1}}',
            "must hold threshold1, threshold2",
        ),
        (changed(threshold1="0.2"), "'policy.threshold1' must be a finite number or null"),
        (changed(threshold2=True), "'policy.threshold2' must be a finite number or null"),
        (changed(alpha="x"), "'policy.alpha' must be a number in"),
        (changed(delta=0), "'policy.delta' must be a number in"),
        (changed(accepted=-5), "'policy.accepted' must be a whole number; got -5"),
        (json.dumps({**document(), "data": None}), "'data' must be an object"),
        (changed(certificate="hope"), "'policy.certificate' must be one of fixed-sequence"),
    ],
)
def test_a_bad_policy_file_is_named(text, words):
    with pytest.raises(ValueError, match=words):
        read_policy(text)
