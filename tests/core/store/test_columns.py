from __future__ import annotations

import numpy as np
import pytest

from core.store.columns import (
    list_features,
    load_answers,
    load_evidence,
    load_feature,
    read_urls,
)
from core.store.database import open_database
from core.store.imports import guess_mapping, prepare, read_records, write_cohort

TEXT = b"""id,answer,reference,candidate,judge,mode,verdict,evidence,feature:output:probe
b,Nile,,m1,J,mode2,yes,"[""u1"", {""url"": ""u2""}]",0.5
a,Amazon,Nile,m2,J,mode2,no,,
"""


@pytest.fixture
def db():
    with open_database(":memory:") as db:
        raw = read_records([("x.csv", TEXT)])
        write_cohort(db, prepare(raw, guess_mapping(raw)), "X")
        yield db


def test_columns_come_in_order_of_the_ids(db):
    assert list_features(db, "x") == [("output", "probe")]
    found = load_feature(db, "x", "output", "probe")
    assert np.isnan(found[0])
    assert found[1] == 0.5
    assert load_answers(db, "x") == [("Amazon", "Nile"), ("Nile", None)]
    assert load_evidence(db, "x", "J", "mode2") == [None, ["u1", "u2"]]
    assert load_evidence(db, "x", "J", "mode1") == [None, None]


def test_columns_of_one_candidate(db):
    assert load_feature(db, "x", "output", "probe", candidate="m1").tolist() == [0.5]
    assert load_answers(db, "x", candidate="m2") == [("Amazon", "Nile")]
    assert load_evidence(db, "x", "J", "mode2", candidate="m1") == [["u1", "u2"]]


def test_read_urls_takes_lists_lines_and_odd_cells():
    assert read_urls("a.org\n b.org \n") == ["a.org", "b.org"]
    assert read_urls("3") == ["3"]
    assert read_urls('[{"title": "no url"}, 7]') == ["", "7"]
