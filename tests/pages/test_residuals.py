"""The Residuals page, as a person meets it."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from streamlit.testing.v1 import AppTest

from core import failure_space
from core.store.database import Database
from core.store.residual_records import load_strata_table
from pages.components import long_work, residuals_controls, residuals_model
from tests.core.residual_cohort import N, rows, write
from tests.pages.stability_app import ROOT, small_store


@pytest.fixture
def db(monkeypatch: pytest.MonkeyPatch) -> Iterator[Database]:
    with small_store(monkeypatch) as store:
        yield store


def open_page(**link: str) -> AppTest:
    at = AppTest.from_file(str(ROOT / "app.py"), default_timeout=120)
    for name, value in link.items():
        at.query_params[name] = value
    at.run()
    at.switch_page("pages/residuals/page.py").run()
    assert not at.exception
    return at


def said(at: AppTest) -> str:
    kinds = [at.markdown, at.caption, at.subheader, at.info, at.warning, at.error]
    texts = [one.value for kind in kinds for one in kind]
    texts += [f"{tile.label} {tile.value} {tile.delta}" for tile in at.metric]
    texts += [one.proto.spec + one.proto.alt for one in at.get("plotly_chart")]
    texts += [table.value.to_string() for table in [*at.dataframe, *at.table]]
    return "\n".join(texts)


def charts(at: AppTest) -> set[str]:
    return {one.proto.id.split("residuals_")[-1] for one in at.get("plotly_chart")}


def test_overview_counts_and_names_what_is_left_out(db: Database) -> None:
    write(db, rows())
    at = open_page()
    words = said(at)
    assert charts(at) == {"lift", "heat"}
    assert len(at.metric) == 6
    assert "Simulated judge" in words
    assert "no label 10" in words
    assert "unreadable verdict" in words
    assert "3 annotators, 40 of 300 records" in words


@pytest.mark.parametrize(
    ("view", "figures"),
    [
        ("strata", {"lift"}),
        ("features", {"correlations", "redundancy"}),
        ("model", {"calibration", "sets"}),
        ("shap", {"heat_view", "swarm", "dependence", "waterfall"}),
    ],
)
@pytest.mark.parametrize("features", ["imported", "all"])
def test_every_view_draws_its_figures(
    db: Database, view: str, figures: set[str], features: str
) -> None:
    write(db, rows())
    at = open_page(view=view, features=features)
    assert charts(at) == figures
    assert f"of {N} records scored" in said(at)


def test_annotators_who_tie_everywhere_are_not_taken_for_no_labels(db: Database) -> None:
    frame = rows(annotators=2)
    frame["label:human:a"], frame["label:human:b"] = "true", "false"
    write(db, frame)
    assert "Annotators tie on every labelled record" in said(open_page())


@pytest.mark.parametrize("view", ["overview", "strata", "features", "model", "shap"])
def test_records_with_a_class_of_failure(db: Database, view: str) -> None:
    frame = rows().assign(**{"stratum:failure class": "judge reasoning"})
    write(db, frame)
    at = open_page(view=view, stratum="failure class = judge reasoning")
    assert charts(at)
    assert ("Why verdicts are wrong" in said(at)) == (view == "strata")


def test_features_of_many_texts_and_long_training_are_watched(
    db: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(db, rows())
    monkeypatch.setattr(residuals_controls, "AT_ONCE", 100)
    monkeypatch.setattr(failure_space, "PART", 60)
    monkeypatch.setattr(residuals_controls, "PART", 60)
    monkeypatch.setattr(long_work, "AT_ONCE", 0)
    at = open_page(view="features", features="all")
    assert charts(at) == set()
    (start,) = [one for one in at.button if one.label.startswith("Run 5 parts of 60 records")]
    finish(at, start)
    assert charts(at) == {"correlations", "redundancy"}
    assert "answer words" in said(at)
    monkeypatch.setattr(residuals_model, "AT_ONCE", 100)
    at.segmented_control(key="residuals_view").set_value("model").run()
    assert charts(at) == set()
    (start,) = [one for one in at.button if one.label.startswith("Run 3 parts of the training")]
    finish(at, start)
    assert "calibration" in charts(at)


def finish(at: AppTest, start) -> None:
    start.click().run()
    for _ in range(20):
        assert not at.exception
        if not [one for one in at.button if one.label == "Cancel"]:
            return
        at.run()
    raise AssertionError("still running")


def test_meaning_of_unknown_moves_the_tiles(db: Database) -> None:
    write(db, rows())
    at = open_page()
    before = [tile.value for tile in at.metric]
    at.selectbox(key="residuals_unknown").set_value("excluded").run()
    assert not at.exception
    assert [tile.value for tile in at.metric] != before
    assert "unknown left out" in said(at)


def test_a_stratum_opens_its_records_as_text(db: Database) -> None:
    write(db, rows())
    at = open_page(view="strata", stratum="time-sensitive")
    words = said(at)
    assert "Records: time\\-sensitive" in words
    assert r"\[of \*some\*\]" in words
    assert r"\<b\>" in words


def test_what_the_judge_flags_is_marked_in_the_answer(db: Database) -> None:
    write(db, rows().assign(spans='[[4, 10], "<b>", "nowhere"]'))
    words = said(open_page(view="strata", stratum="All records"))
    assert "The :orange-background[answer] is" in words
    assert r":orange-background[\<b\>]\." in words
    assert "Flagged by the judge: 2 parts of the answer. Not found in it: “nowhere”." in words


def test_why_a_verdict_is_wrong_is_kept_and_counted(db: Database) -> None:
    cohort = write(db, rows())
    at = open_page(view="strata", stratum="All records")
    (tag,) = [one for one in at.selectbox if one.label == "Why is the verdict wrong?"]
    tag.set_value("judge reasoning").run()
    assert not at.exception
    strata = load_strata_table(db, cohort.cohort_id)
    assert strata["failure class"].dropna().to_list() == ["judge reasoning"]
    at.run()
    assert "Why verdicts are wrong" in said(at)


def test_a_class_of_failure_stays_with_its_cohort(db: Database) -> None:
    first, second = write(db, rows()), write(db, rows(), "Other")
    at = open_page(view="strata", stratum="All records", cohort=first.cohort_id)
    (tag,) = [one for one in at.selectbox if one.label == "Why is the verdict wrong?"]
    tag.set_value("judge reasoning").run()
    at.selectbox(key="residuals_cohort").set_value(second.cohort_id).run()
    assert not at.exception
    (tag,) = [one for one in at.selectbox if one.label == "Why is the verdict wrong?"]
    assert tag.value == "not said"
    assert "failure class" in load_strata_table(db, first.cohort_id)
    assert "failure class" not in load_strata_table(db, second.cohort_id)


def test_pairs_of_columns(db: Database) -> None:
    write(db, rows())
    at = open_page(view="strata")
    at.selectbox(key="residuals_pair1").set_value("subject").run()
    at.selectbox(key="residuals_pair2").set_value("time-sensitive").run()
    assert not at.exception
    assert "subject × time-sensitive = " in said(at)


def test_a_wrong_value_in_the_link_is_named_and_replaced(db: Database) -> None:
    write(db, rows())
    at = open_page(view="nonsense", unknown="maybe", cuts="3")
    words = said(at)
    for name in ("view", "unknown", "cuts"):
        assert f"**{name}** in the link must be one of" in words
    assert len(at.metric) == 6


@pytest.mark.parametrize("view", ["overview", "strata", "features", "model", "shap"])
def test_records_without_labels_lead_to_the_import(db: Database, view: str) -> None:
    write(db, rows().assign(**{f"label:human:{one}": "" for one in "abc"}))
    at = open_page(view=view)
    assert "No record has a label, so no verdict can be checked" in said(at)
    at.button(key="residuals_import").click().run()
    assert at.title[0].value == "Data"


@pytest.mark.parametrize("view", ["overview", "strata", "features", "model", "shap"])
def test_a_judge_that_is_always_right_is_no_fault(db: Database, view: str) -> None:
    frame = rows(unknown=False)
    frame["verdict"] = frame["label:human:a"]
    frame = frame.drop(columns=["label:human:b", "label:human:c"])
    write(db, frame)
    assert "records scored" in said(open_page(view=view))


@pytest.mark.parametrize("view", ["overview", "strata", "features", "model", "shap"])
def test_records_with_nothing_but_verdict_and_label(db: Database, view: str) -> None:
    frame = rows()[["id", "judge", "mode", "verdict", "label:human:a"]]
    write(db, frame)
    assert "records scored" in said(open_page(view=view))


@pytest.mark.parametrize("view", ["overview", "strata", "features", "model", "shap"])
def test_three_records(db: Database, view: str) -> None:
    write(db, rows(N).iloc[20:23])
    assert "records scored" in said(open_page(view=view))
