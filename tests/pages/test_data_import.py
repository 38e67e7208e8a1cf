"""The import on the Data page: read, map, check, skip or stop, write, and nothing lost between."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
import streamlit as st
from streamlit.testing.v1 import AppTest

from core.store.database import Database
from core.store.exports import export_frame, to_csv
from core.store.records import list_cohorts, load_judged
from pages.components import cached, data_files, data_import

ROOT = Path(__file__).resolve().parents[2]
HEADER = "id,question,answer,human,verdict,uncertainty,verdict2,uncertainty2\n"
GOOD = HEADER + "007,q1,a1,yes,true,0.1,true,0.2\n1.0,q2,a2,no,true,0.4,false,0.1\n"
ONE_BAD = GOOD + "🙂,q3,a3,maybe,true,0.3,true,0.2\n"


@pytest.fixture
def db(monkeypatch: pytest.MonkeyPatch) -> Iterator[Database]:
    """An empty store, as the page will open it."""
    monkeypatch.setenv("ASSAY_DATABASE", ":memory:")
    monkeypatch.setenv(cached.NO_SAMPLES, "1")
    st.cache_resource.clear()
    yield cached.database()
    st.cache_resource.clear()


@pytest.fixture
def at(db: Database) -> AppTest:  # the store has to be there first
    """The page of an empty store, which opens on the import."""
    page = AppTest.from_file(str(ROOT / "app.py"), default_timeout=30).run()
    page.switch_page("pages/data/page.py").run()
    assert not page.exception
    return page


def upload(at: AppTest, *files: tuple[str, str | bytes]) -> None:
    content = [
        (name, text.encode() if isinstance(text, str) else text, "text/plain")
        for name, text in files
    ]
    at.file_uploader[0].set_value(content).run()
    assert not at.exception


def press(at: AppTest, key: str) -> None:
    at.button(key=key).click().run()
    assert not at.exception


def table(at: AppTest, column: str):
    found = [one.value for one in at.dataframe if column in one.value.columns]
    assert len(found) == 1
    return found[0]


def steps(at: AppTest) -> list[str]:
    return [one.value for one in at.subheader]


def test_good_file_is_previewed_checked_and_imported(at: AppTest, db: Database) -> None:
    upload(at, ("my_answers.csv", GOOD))
    first = table(at, "line")
    assert first["line"].tolist() == [2, 3]
    assert first["id"].tolist() == ["007", "1.0"]
    read = table(at, "Encoding")
    assert read[["File", "Rows"]].values.tolist() == [["my_answers.csv", 2]]
    checks = table(at, "Check").set_index("Check")
    assert checks.loc["Rows read", "Count"] == 2
    assert checks.loc["Labels human: true", "Count"] == 1
    assert list_cohorts(db) == []

    assert at.text_input(key="data_name").value == "my answers"
    press(at, "data_import")
    (cohort,) = list_cohorts(db)
    assert (cohort.name, cohort.n_items, cohort.source) == ("my answers", 2, "my_answers.csv")
    assert steps(at) == ["1 · Files"]
    assert "**my answers**: 2 records, 2 of 2 labelled." in [one.value for one in at.markdown]
    records = load_judged(db, cohort.cohort_id, "judge")
    assert records.item_id.tolist() == ["007", "1.0"]
    assert records.uncertainty2.tolist() == [0.2, 0.1]


def test_success_leads_to_risk_and_routing_for_that_cohort(at: AppTest) -> None:
    upload(at, ("mine.csv", GOOD))
    press(at, "data_import")
    press(at, "data_to_risk")
    assert [one.value for one in at.title] == ["Risk & routing"]
    assert at.session_state["link_settings"]["cohort"] == "mine"


def test_success_leads_to_the_records(at: AppTest) -> None:
    upload(at, ("mine.csv", GOOD))
    press(at, "data_import")
    press(at, "data_done_look")
    assert steps(at) == ["mine"]


def test_bad_row_is_listed_and_stops_the_import(at: AppTest, db: Database) -> None:
    upload(at, ("mine.csv", ONE_BAD))
    (problem,) = table(at, "Message").to_dict("records")
    assert problem["File"] == "mine.csv"
    assert problem["Line"] == 4
    assert problem["Column"] == "human"
    assert problem["Value"] == "maybe"
    assert "1 row can't be used" in at.error[0].value
    assert at.radio(key="data_on_problem").value == data_import.STOP
    assert at.button(key="data_import").disabled
    assert list_cohorts(db) == []

    # The corrected file takes the place of the one with that name.
    upload(at, ("mine.csv", ONE_BAD.replace("maybe", "yes")))
    assert not at.error
    press(at, "data_import")
    assert list_cohorts(db)[0].n_items == 3


def test_bad_row_can_be_skipped(at: AppTest, db: Database) -> None:
    upload(at, ("mine.csv", ONE_BAD))
    at.radio(key="data_on_problem").set_value(at.radio(key="data_on_problem").options[1]).run()
    press(at, "data_import")
    assert load_judged(db, "mine", "judge").item_id.tolist() == ["007", "1.0"]
    assert any("1 row skipped" in one.value for one in at.markdown)


def test_many_problems_are_listed_a_page_at_a_time(at: AppTest) -> None:
    good = "".join(f"{n},q,a,yes,true,0.1,true,0.1\n" for n in range(30))
    bad = "".join(f"bad {n},q,a,perhaps,true,0.1,true,0.1\n" for n in range(25))
    upload(at, ("mine.csv", HEADER + good + bad))
    assert table(at, "Message")["Line"].tolist() == list(range(32, 42))
    at.pagination(key="data_page_errors").set_value(3).run()
    assert table(at, "Message")["Line"].tolist() == list(range(52, 57))


@pytest.mark.parametrize(
    ("content", "place"),
    [
        (b"", "wrong.csv"),
        (b"\x00\x01\x02\xff\xfe" * 40, ""),
        (b"PAR1 this is no parquet", "wrong.csv"),
        (HEADER.encode(), "header"),
    ],
    ids=["empty", "binary", "broken parquet", "header only"],
)
def test_wrong_file_gets_a_sentence_and_can_be_taken_out(
    at: AppTest, db: Database, content: bytes, place: str
) -> None:
    upload(at, ("wrong.csv", content))
    said = [one.value for one in (*at.error, *at.warning, *at.info)]
    assert said
    assert place in " ".join(said).replace("\\", "")
    assert list_cohorts(db) == []
    press(at, "data_remove_0")
    assert steps(at) == ["1 · Files"]


def test_file_without_any_known_column_cannot_be_imported(at: AppTest, db: Database) -> None:
    upload(at, ("mine.csv", "foo,bar\n1,2\n"))
    said = " ".join(one.value for one in at.warning).replace("\\", "")
    assert "No column of this file plays a role: map at least a verdict" in said
    assert not [one for one in at.button if one.key == "data_import"]
    assert list_cohorts(db) == []


def test_one_record_is_counted_as_one(at: AppTest) -> None:
    upload(at, ("mine.csv", HEADER + "007,q1,a1,yes,true,0.1,true,0.2\n"))
    assert at.button(key="data_import").label == "Import 1 record"
    assert any("The first 1 of 1 row," in one.value for one in at.caption)
    press(at, "data_import")
    assert any("1 record," in one.value for one in at.markdown)


def test_broken_json_names_the_line(at: AppTest) -> None:
    upload(at, ("a.jsonl", '{"id": "1", "human": true}\n{"id": "2", "human"\n'))
    problems = table(at, "Message")
    assert problems["Line"].tolist() == [2]


def test_taken_name_has_to_be_changed_or_replaced(at: AppTest, db: Database) -> None:
    upload(at, ("mine.csv", GOOD))
    press(at, "data_import")
    upload(at, ("mine.csv", GOOD.replace("007", "008")))
    assert any("already" in one.value for one in at.warning)
    assert at.button(key="data_import").disabled
    at.text_input(key="data_name").set_value("another").run()
    assert not at.warning
    assert not at.button(key="data_import").disabled
    at.text_input(key="data_name").set_value("mine").run()
    at.checkbox(key="data_replace").check().run()
    press(at, "data_import")
    assert len(list_cohorts(db)) == 1
    assert load_judged(db, "mine", "judge").item_id.tolist() == ["008", "1.0"]


def test_nothing_is_lost_on_another_page(at: AppTest, db: Database) -> None:
    upload(at, ("mine.csv", GOOD.replace("human", "grade by Ann")))
    at.selectbox(key="data_add_column").set_value("grade by Ann").run()
    at.text_input(key="data_name").set_value("kept").run()
    at.switch_page("pages/methods/page.py").run()
    assert [one.value for one in at.title] == ["Methods"]
    at.switch_page("pages/data/page.py").run()
    assert not at.exception
    assert at.text_input(key="data_name").value == "kept"
    press(at, "data_import")
    (cohort,) = list_cohorts(db)
    assert (cohort.name, cohort.n_labelled) == ("kept", 2)


def test_roles_can_be_corrected(at: AppTest, db: Database) -> None:
    text = "key,said,sure,ann,bob,kind\nx,yes,0.9,yes,no,easy\ny,no,0.6,no,no,hard\n"
    upload(at, ("odd.csv", text))
    for role, column in {"id": "key", "verdict": "said", "uncertainty": "sure"}.items():
        at.selectbox(key=f"data_role_{role}").set_value(column).run()
    at.selectbox(key="data_uncertainty_as").set_value("confidence").run()
    for column in ("ann", "bob", "kind"):
        at.selectbox(key="data_add_column").set_value(column).run()
    at.selectbox(key="data_use_kind").set_value("stratum").run()
    at.text_input(key="data_annotator_ann").set_value("Ann").run()
    at.text_input(key="data_source_bob").set_value("panel").run()
    at.text_input(key="data_judge_name").set_value("my judge").run()
    assert not at.exception
    press(at, "data_import")
    frame = export_frame(db, "odd")
    assert {"label:human:Ann", "label:panel:bob", "stratum:kind"} <= set(frame.columns)
    assert frame["judge"].unique().tolist() == ["my judge"]
    assert frame["uncertainty"].tolist() == pytest.approx([0.1, 0.4])


def test_contradiction_in_the_mapping_is_said_and_can_be_undone(at: AppTest) -> None:
    upload(at, ("mine.csv", GOOD))
    at.selectbox(key="data_role_verdict").set_value("human").run()
    assert not at.exception
    assert any("agree with itself" in one.value for one in at.warning)
    press(at, "data_guess")
    assert not at.warning
    assert not at.button(key="data_import").disabled


def test_log_probabilities_ask_for_their_partner(at: AppTest, db: Database) -> None:
    text = "id,human,verdict,lp,ln\na,yes,yes,-0.1,-2.4\nb,no,yes,-0.7,-0.7\n"
    upload(at, ("lp.csv", text))
    at.selectbox(key="data_uncertainty_as").set_value("logprobs").run()
    at.selectbox(key="data_role_uncertainty").set_value("lp").run()
    assert "logprobs" in at.warning[0].value
    at.selectbox(key="data_role_uncertainty_false").set_value("ln").run()
    press(at, "data_import")
    uncertainty = load_judged(db, "lp", "judge").uncertainty1
    assert uncertainty[1] == pytest.approx(0.693147, abs=1e-6)
    assert uncertainty[0] < uncertainty[1]


def test_several_files_are_read_as_one_cohort(at: AppTest, db: Database) -> None:
    upload(at, ("a.csv", HEADER + "1,q,a,yes,true,0.1,true,0.2\n"))
    upload(at, ("b.jsonl", '{"id": "2", "human": "no", "verdict": true, "uncertainty": 0.5}\n'))
    assert table(at, "Encoding")["File"].tolist() == ["a.csv", "b.jsonl"]
    press(at, "data_import")
    assert load_judged(db, "a", "judge").item_id.tolist() == ["1", "2"]


def test_example_is_offered_and_imports_without_a_change(at: AppTest, db: Database) -> None:
    assert at.download_button(key="data_template")
    press(at, "data_example")
    assert not at.error
    press(at, "data_import")
    (cohort,) = list_cohorts(db)
    n_rows = len(data_files.EXAMPLE.read_text(encoding="utf-8").splitlines()) - 1
    assert cohort.n_items == n_rows


def test_export_comes_back_as_the_same_records(at: AppTest, db: Database) -> None:
    upload(at, ("mine.csv", GOOD))
    press(at, "data_import")
    (cohort,) = list_cohorts(db)
    upload(at, ("again.csv", to_csv(export_frame(db, cohort.cohort_id), bom=True)))
    assert any("In the records format" in one.value for one in at.markdown)
    press(at, "data_import")
    assert len({one.data_hash for one in list_cohorts(db)}) == 1
    assert len(list_cohorts(db)) == 2


def test_format_help_names_every_column(at: AppTest) -> None:
    from core.store.layout import COLUMNS, read_header
    from pages.data.format_help import columns_table

    shown = columns_table()["Column"].tolist()
    assert shown[: len(COLUMNS)] == list(COLUMNS)
    assert all(read_header(column) is not None for column in shown[len(COLUMNS) :])
    assert any("Column" in one.value.columns for one in at.table)
