"""A judge's records as arrays and as a table."""

from __future__ import annotations

import numpy as np
import pytest

from core.store.database import Database
from core.store.records import JudgedRecords, load_judged, record_table
from tests.core.store.helpers import write_text

TEXT = (
    "id,question,answer,candidate,judge,judge_kind,mode,verdict,uncertainty,uncertainty_kind,"
    "explanation,failure_cause,label:human:anna,label:human:bert,label:human:carl,label:auto:s\n"
    "2,q1,a2,m1,J,rule,1,no,.2,margin,because,,1,0,0,0\n"
    "2,q1,a2,m1,J,rule,2,yes,.3,entropy,,,1,0,0,0\n"
    "10,q1,a10,m2,J,rule,1,maybe,.9,votes,,,1,0,,1\n"
    "10,q1,a10,m2,J,rule,2,yes,,,,,1,0,,1\n"
    "1,,a1,m1,J,rule,1,yes,.1,margin,,,,,,1\n"
    "3,,a3,m1,,,,,,,,,0,,,\n"
    "3,,a3,m1,K,model,1,yes,.7,,,,0,,,\n"
)


@pytest.fixture
def records(db: Database) -> JudgedRecords:
    write_text(db, TEXT, "Mine")
    return load_judged(db, "mine", "J")


def same(got: np.ndarray, expected: list[float]) -> bool:
    return np.array_equal(got, expected, equal_nan=True)


def test_load_judged_by_hand(records: JudgedRecords) -> None:
    nan = np.nan
    assert records.item_id.dtype == object
    assert records.item_id.tolist() == ["1", "10", "2", "3"]
    assert same(records.verdict1, [1, nan, 0, nan])
    # The uncertainty of an unreadable verdict isn't an uncertainty of the judge's decision.
    assert same(records.uncertainty1, [0.1, nan, 0.2, nan])
    assert same(records.verdict2, [nan, 1, 1, nan])
    assert same(records.uncertainty2, [nan, nan, 0.3, nan])
    # Item 2: one of three says true; item 10: a tie.
    assert same(records.human, [nan, nan, 0, 0])
    assert same(records.is_error1, [nan, nan, 0, nan])
    assert same(records.is_error2, [nan, nan, 1, nan])
    assert records.labelled.tolist() == [False, False, True, True]
    assert (records.n, records.n_questions, records.n_label_ties) == (4, 3, 1)
    assert (records.cohort_id, records.cohort_name) == ("mine", "Mine")
    assert (records.judge, records.judge_kind, records.candidate) == ("J", "rule", None)
    assert records.label_source == "human"
    assert records.uncertainty_kind1 == "margin / votes"
    assert records.uncertainty_kind2 == "entropy"


def test_load_judged_every_judge_has_every_item(db: Database, records: JudgedRecords) -> None:
    other = load_judged(db, "mine", "K")
    assert other.item_id.tolist() == records.item_id.tolist()
    assert same(other.verdict1, [np.nan, np.nan, np.nan, 1])
    assert np.isnan(other.verdict2).all()
    assert other.uncertainty_kind2 is None
    assert other.data_hash == records.data_hash


def test_load_judged_one_candidate(db: Database, records: JudgedRecords) -> None:
    one = load_judged(db, "mine", "J", candidate="m2")
    assert one.item_id.tolist() == ["10"]
    assert (one.n_questions, one.n_label_ties, one.candidate) == (1, 1, "m2")


def test_load_judged_another_label_source(db: Database, records: JudgedRecords) -> None:
    other = load_judged(db, "mine", "J", label_source="auto")
    assert same(other.human, [1, 1, 0, np.nan])
    assert (other.label_source, other.n_label_ties) == ("auto", 0)


def test_load_judged_without_labels(db: Database) -> None:
    write_text(db, "id,verdict\n1,yes\n", "bare")
    bare = load_judged(db, "bare", "judge")
    assert bare.label_source is None
    assert not bare.labelled.any()
    assert np.isnan(bare.is_error1).all()


def test_load_judged_takes_only_the_two_modes(db: Database) -> None:
    text = "id,judge,mode,verdict\n1,J,mode1,yes\n1,J,self-evaluation,no\n2,J,empty-evidence,no\n"
    write_text(db, text, "modes")
    got = load_judged(db, "modes", "J")
    assert same(got.verdict1, [1, np.nan])
    assert np.isnan(got.verdict2).all()


def test_load_judged_errors(db: Database, records: JudgedRecords) -> None:
    with pytest.raises(ValueError, match=r"no cohort 'other' in this database\. Known: 'mine'"):
        load_judged(db, "other", "J")
    with pytest.raises(ValueError, match=r"'judge' must be one .*; got 'j'. Known: 'J', 'K'"):
        load_judged(db, "mine", "j")
    with pytest.raises(ValueError, match=r"'candidate' must be .*; got 'x'. Known: 'm1', 'm2'"):
        load_judged(db, "mine", "J", candidate="x")
    with pytest.raises(ValueError, match=r"got 'gold'. Known: 'human', 'auto'"):
        load_judged(db, "mine", "J", label_source="gold")
    with pytest.raises(ValueError, match=r"'judge' must be one"):
        record_table(db, "mine", "nobody")


def test_record_table_columns_and_cells(db: Database, records: JudgedRecords) -> None:
    table = record_table(db, "mine", "J")
    assert list(table.columns) == [
        *("id", "question", "answer", "candidate", "reference", "label"),
        *("verdict1", "uncertainty1", "explanation1", "failure_cause1"),
        *("verdict2", "uncertainty2", "explanation2", "failure_cause2"),
    ]
    assert table["id"].tolist() == records.item_id.tolist()
    row = table.set_index("id").loc["2"]
    assert (row["label"], row["verdict1"], row["verdict2"]) == (False, False, True)
    assert (row["uncertainty1"], row["explanation1"]) == (0.2, "because")
    assert table.set_index("id").loc["10", "failure_cause1"] == "unreadable verdict: 'maybe'"
    assert table["label"].isna().tolist() == [True, True, False, False]


def test_record_table_of_some_items_keeps_their_order(db: Database, records: JudgedRecords) -> None:
    table = record_table(db, "mine", "J", item_ids=["3", "nowhere", "10"])
    assert table["id"].tolist() == ["3", "10"]
    table = record_table(db, "mine", "J", item_ids=np.array(["2", "1"], dtype=object))
    assert table["id"].tolist() == ["2", "1"]
    assert record_table(db, "mine", "J", item_ids=[]).empty
    assert record_table(db, "mine", "J", candidate="m2")["id"].tolist() == ["10"]


def test_record_table_of_another_label_source(db: Database, records: JudgedRecords) -> None:
    table = record_table(db, "mine", "J", label_source="auto")
    assert table.set_index("id").loc["10", "label"]
