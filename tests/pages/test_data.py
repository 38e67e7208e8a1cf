"""The Data page: what there is, what it holds, and how to be rid of it."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
import streamlit as st
from streamlit.testing.v1 import AppTest

from core.store.database import Database, DatabaseLockedError
from core.store.imports import guess_mapping, prepare, read_records, write_cohort
from core.store.records import list_cohorts
from pages.components import cached

ROOT = Path(__file__).resolve().parents[2]

RECORDS = b"""\
id,question,answer,candidate,human,judge,judge_kind,verdict,uncertainty,verdict2,uncertainty2
007,Two and two?,4,small,yes,one,simulated,true,0.1,true,0.2
1.0,Three and three?,7,small,no,one,simulated,true,0.5,false,
9007199254740993001,Four and four?,8,small,,one,simulated,,,true,0.3
"""
NO_JUDGE = b"id,answer,human\n1,4,yes\n2,5,no\n"


@pytest.fixture
def db(monkeypatch: pytest.MonkeyPatch) -> Iterator[Database]:
    """A store of its own without the samples, as the page will open it."""
    monkeypatch.setenv("ASSAY_DATABASE", ":memory:")
    monkeypatch.setenv(cached.NO_SAMPLES, "1")
    st.cache_resource.clear()
    yield cached.database()
    st.cache_resource.clear()


def add(db: Database, name: str, content: bytes = RECORDS) -> str:
    raw = read_records([(f"{name}.csv", content)])
    return write_cohort(db, prepare(raw, guess_mapping(raw)), name, source="a test").cohort_id


def open_page(**link: str) -> AppTest:
    at = AppTest.from_file(str(ROOT / "app.py"), default_timeout=30)
    with pytest.MonkeyPatch.context() as patch:
        # A session has to start at the app's first page, which is quick where there is no cohort.
        patch.setattr(cached, "cohorts", list)
        at.run()
    for name, value in link.items():
        at.query_params[name] = value
    at.switch_page("pages/data/page.py").run()
    assert not at.exception
    return at


def press(at: AppTest, key: str) -> None:
    at.button(key=key).click().run()
    assert not at.exception


def texts(at: AppTest) -> str:
    return "\n".join(str(one.value) for one in at.markdown)


def table(at: AppTest, column: str):
    """Return the table that has this column."""
    found = [one.value for one in at.dataframe if column in one.value.columns]
    assert len(found) == 1
    return found[0]


@pytest.mark.usefixtures("db")
def test_empty_store_leads_to_adding_records() -> None:
    at = open_page()
    assert at.session_state["data_view"] == "add"
    assert len(at.file_uploader) == 1
    at.button_group(key="data_view").set_value("cohorts").run()
    assert "No records yet" in texts(at)
    press(at, "data_first")
    assert len(at.file_uploader) == 1


def test_cohorts_are_listed_with_what_they_hold(db: Database) -> None:
    add(db, "first")
    add(db, "second", NO_JUDGE)
    listed = table(open_page(), "Data hash")
    assert listed["Cohort"].tolist() == ["first", "second"]
    assert listed["Records"].tolist() == [3, 2]
    assert listed["Labelled"].tolist() == ["2 of 3", "2 of 2"]
    assert listed["Judges"].tolist() == ["1: one", "–"]
    assert listed["Candidates"].tolist() == ["1: small", "–"]
    assert listed["Kind"].tolist() == ["Simulated judge", "–"]
    assert listed["Source"].tolist() == ["a test", "a test"]
    hashes = [cohort.data_hash[:10] for cohort in list_cohorts(db)]
    assert listed["Data hash"].tolist() == hashes


def test_link_picks_the_cohort_and_the_list_marks_it(db: Database) -> None:
    add(db, "first")
    add(db, "second")
    at = open_page(cohort="second")
    assert [one.value for one in at.subheader] == ["second"]
    assert at.session_state["data_list"]["selection"]["rows"] == [1]


def test_unknown_cohort_in_a_link_is_named_and_replaced(db: Database) -> None:
    add(db, "first")
    at = open_page(cohort="nowhere")
    assert [one.value for one in at.subheader] == ["first"]
    assert any("nowhere" in one.value for one in at.warning)


def test_unknown_view_in_a_link_is_named_and_replaced(db: Database) -> None:
    add(db, "first")
    at = open_page()
    at.query_params["view"] = "elsewhere"
    at.run()
    assert any("elsewhere" in one.value for one in at.warning)
    assert at.session_state["data_view"] == "cohorts"


def test_scored_and_class_balance_count_every_record(db: Database) -> None:
    add(db, "first")
    at = open_page()
    scored = table(at, "Scored")
    assert scored["Mode"].tolist() == ["Mode 1", "Mode 2"]
    assert scored["Scored"].tolist() == ["2 of 3", "2 of 3"]
    assert scored["Verdicts"].tolist() == ["2 of 3", "3 of 3"]
    assert scored["Says “correct”"].tolist() == ["100% of 2", "66.7% of 3"]
    assert scored["Differs from label"].tolist() == ["50.0% of 2", "0% of 2"]
    assert scored["Judge"].tolist() == ["one (simulated)"] * 2
    balance = table(at, "Label source")
    assert balance["Labelled"].tolist() == ["2 of 3"]
    assert balance["Answer correct"].tolist() == ["50.0% of 2"]


def test_preview_shows_ids_as_they_came_a_page_at_a_time(db: Database) -> None:
    add(db, "first")
    shown = table(open_page(), "Question")
    assert shown["Id"].tolist() == ["007", "1.0", "9007199254740993001"]
    assert shown["Label"].fillna("–").tolist() == ["correct", "wrong", "–"]
    assert "Reference" not in shown

    rows = "".join(f"{n:03d},q,a,yes,true,0.{n:03d}\n" for n in range(45))
    add(db, "long", b"id,question,answer,human,verdict,uncertainty\n" + rows.encode())
    at = open_page(cohort="long")
    assert table(at, "Question")["Id"].tolist() == [f"{n:03d}" for n in range(20)]
    at.pagination(key="data_rows_long").set_value(3).run()
    assert table(at, "Question")["Id"].tolist() == [f"{n:03d}" for n in range(40, 45)]
    assert any(one.value == "41–45 of 45" for one in at.caption)


def test_cohort_without_a_judge_says_what_it_lacks(db: Database) -> None:
    add(db, "labels", NO_JUDGE)
    at = open_page()
    assert any("No judge's verdicts" in one.value for one in at.info)
    assert at.button(key="data_open").disabled


def test_other_label_sources_are_named(db: Database) -> None:
    add(db, "two", b"id,verdict,label:human:1,label:panel:1\n1,yes,yes,no\n")
    at = open_page()
    assert table(at, "Label source")["Label source"].tolist() == ["human"]
    assert any("panel" in one.value for one in at.caption)


def test_every_export_is_offered(db: Database) -> None:
    add(db, "first")
    labels = [one.label for one in open_page().download_button]
    assert labels == ["CSV", "CSV for Excel", "JSONL", "Parquet"]


def test_delete_asks_first_and_takes_only_that_cohort(db: Database) -> None:
    add(db, "first")
    add(db, "second")
    at = open_page()
    press(at, "data_delete")
    assert "Delete first?" in texts(at).replace("*", "")
    press(at, "data_delete_no")
    assert len(list_cohorts(db)) == 2
    press(at, "data_delete")
    press(at, "data_delete_yes")
    assert [cohort.name for cohort in list_cohorts(db)] == ["second"]
    assert [one.value for one in at.subheader] == ["second"]


def test_question_about_deleting_does_not_move_to_another_cohort(db: Database) -> None:
    add(db, "first")
    add(db, "second")
    at = open_page(cohort="first")
    press(at, "data_delete")
    at.session_state["link_settings"]["cohort"] = "second"
    at.run()
    assert "Delete second?" not in texts(at).replace("*", "")


def test_locked_database_gets_a_sentence_and_a_way_out(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def locked() -> Database:
        raise DatabaseLockedError("records.duckdb is open in process 7. Stop it.")

    locked.clear = lambda: None  # type: ignore[attr-defined]
    monkeypatch.setattr(cached, "database", locked)
    monkeypatch.setenv(cached.READ_ONLY, "")
    at = AppTest.from_file(str(ROOT / "pages/data/page.py"), default_timeout=30).run()
    assert not at.exception
    assert "process 7" in at.error[0].value
    at.button(key="data_read_only").click().run()
    assert os.environ[cached.READ_ONLY] == "1"
    # Refused again: the sentence stays, and what can't work isn't offered a second time.
    assert "process 7" in at.error[0].value
    assert not [one for one in at.button if one.key == "data_read_only"]
    at.button(key="data_again").click().run()
    assert cached.READ_ONLY not in os.environ
    assert not at.exception


def test_read_only_records_can_be_looked_at_not_changed(
    monkeypatch: pytest.MonkeyPatch, db: Database
) -> None:
    add(db, "first")
    monkeypatch.setattr(db, "read_only", True)
    at = open_page()
    assert any("read-only" in one.value for one in at.info)
    assert [one.value for one in at.subheader] == ["first"]
    assert len(at.download_button) == 4
    assert not [one for one in at.button if one.key == "data_delete"]
    at.button_group(key="data_view").set_value("add").run()
    press(at, "data_example")
    assert any("read-only" in one.value for one in at.warning)
    assert not [one for one in at.button if one.key == "data_import"]
