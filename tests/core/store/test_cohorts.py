"""What a database says of its cohorts."""

from __future__ import annotations

import datetime as dt

import pytest

from core.store.cohorts import JudgeInfo, delete_cohort, get_cohort, list_cohorts
from core.store.content_hash import KEYS
from core.store.database import Database
from tests.core.store.helpers import write_text

LONG = (
    "id,candidate,judge,judge_kind,mode,verdict,"
    "label:human:anna,label:human:bert,label:auto:script\n"
    "1,z,B,simulated,1,yes,1,1,0\n"
    "1,z,B,simulated,2,,1,1,0\n"
    "1,z,A,model,1,no,1,1,0\n"
    "2,m,B,simulated,1,yes,1,0,0\n"
    "3,,,,,,0,,1\n"
    "4,,,,,,,,1\n"
)


def test_list_cohorts_of_an_empty_database(db: Database) -> None:
    assert list_cohorts(db) == []
    with pytest.raises(ValueError, match="There are none yet: import records first"):
        get_cohort(db, "x")


def test_get_cohort_by_hand(db: Database) -> None:
    before = dt.datetime.now(dt.UTC)
    write_text(db, LONG, "Mine")
    cohort = get_cohort(db, "mine")
    assert cohort.judges == (
        JudgeInfo("A", "model", ("mode1",), 1),
        JudgeInfo("B", "simulated", ("mode1", "mode2"), 2),
    )
    assert cohort.candidates == ("z", "m")
    assert cohort.label_sources == ("human", "auto")
    # Item 2 is a tie between two people, item 4 has only the script's label.
    assert (cohort.n_items, cohort.n_labelled) == (4, 2)
    assert cohort.simulated
    assert before <= cohort.created_at <= dt.datetime.now(dt.UTC)


def test_list_cohorts_by_name_and_apart(db: Database) -> None:
    write_text(db, "id,verdict\n1,yes\n2,no\n", "b")
    write_text(db, "id,label:x:1,label:w:1\n1,yes,\n2,,no\n3,,yes\n", "a")
    first, second = list_cohorts(db)
    assert (first.name, second.name) == ("a", "b")
    assert first.judges == ()
    # Without people's labels the first source by name counts.
    assert first.label_sources == ("w", "x")
    assert (first.n_items, first.n_labelled) == (3, 2)
    assert (second.n_items, second.n_labelled) == (2, 0)
    assert second.label_sources == second.candidates == ()
    assert not second.simulated


def test_get_cohort_names_the_known_ones(db: Database) -> None:
    write_text(db, LONG, "b")
    write_text(db, LONG, "a")
    with pytest.raises(ValueError, match=r"no cohort 'c' in this database\. Known: 'a', 'b'"):
        get_cohort(db, "c")


def test_delete_cohort_removes_all_of_it_and_no_more(db: Database) -> None:
    text = "id,question,verdict,human,feature:a:b,stratum:s\n1,q,yes,1,2,x\n"
    write_text(db, text, "gone")
    kept = write_text(db, text, "kept")
    delete_cohort(db, "gone")
    assert list_cohorts(db) == [kept]
    with db.cursor() as cursor:
        for table in KEYS:
            rows = cursor.execute(f"SELECT cohort_id FROM {table}").fetchall()
            assert rows == [("kept",)]
    with pytest.raises(ValueError, match="Known: 'kept'"):
        delete_cohort(db, "gone")
