"""The Stability page as a person meets it: empty, each view, wrongly linked."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pandas as pd
import pytest

from core.risk.drift import drift_splits
from core.risk.effect import retrieval_effect
from core.store.database import Database
from core.store.records import load_judged
from core.studies import Variant, by_certificate, run_variants, summarise
from pages.components import long_work, words
from tests.pages.stability_app import N, add, charts, open_page, rows, small_store, study, words_of


@pytest.fixture
def db(monkeypatch: pytest.MonkeyPatch) -> Iterator[Database]:
    with small_store(monkeypatch) as store:
        yield store


def test_empty_store_says_what_will_show_and_how_to_get_there(db: Database) -> None:
    at = open_page()
    assert at.title[0].value == "Stability"
    assert "whether the risk stays as promised" in words_of(at)
    at.button(key="empty_import").click().run()
    assert at.title[0].value == "Data"


def test_splits_agree_with_the_same_job_done_by_hand(db: Database) -> None:
    cohort = add(db, "Mine", rows())
    at = open_page()
    variants = by_certificate(load_judged(db, cohort, "one"))
    table = pd.concat(list(run_variants(variants, n_splits=20)), ignore_index=True)
    summary = summarise(table)
    risk, coverage = charts(at)["risk"], charts(at)["coverage"]
    assert [line["name"] for line in risk["data"]] == ["Fixed sequence", "Bonferroni", "Pointwise"]
    shown = at.dataframe[0].value
    assert shown["Certificate"].tolist() == [
        name for name in ("Fixed sequence", "Bonferroni", "Pointwise") for _ in range(5)
    ]
    decided = [text.split(" ±")[0] for text in shown["Decided"]]
    expected = [words.percent(one) for one in summary["coverage"]]
    assert decided == expected
    said = words_of(at)
    subtitle = coverage["layout"]["title"]["text"].replace("<br>", " ")
    assert f"Mean of 20 splits of {N} labelled records, half calibrate" in subtitle
    assert "simulated judge" in subtitle
    assert "splits overlap and test halves are noisy" in said
    assert "Seed 42" in said
    assert "uarantee" not in said


def test_moving_other_controls_computes_nothing_anew(
    db: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    add(db, "Mine", rows())
    at = open_page()
    works = at.session_state[long_work._WORKS]
    assert len(works) == 1
    steps = len(next(iter(works.values())).parts)
    assert steps == 20 * 3
    at.segmented_control(key="stability_view").set_value("retrieval").run()
    at.segmented_control(key="stability_view").set_value("splits").run()
    assert not at.exception
    works = at.session_state[long_work._WORKS]
    assert [len(work.parts) for work in works.values()] == [steps]


def test_more_splits_go_on_where_the_first_stopped(db: Database) -> None:
    add(db, "Mine", rows())
    at = open_page()
    first = charts(at)["coverage"]
    work = next(iter(at.session_state[long_work._WORKS].values()))
    twenty = work.rows(20)
    at.segmented_control(key="stability_splits").set_value("100").run()
    assert "Mean of 100 splits" in words_of(at)
    pd.testing.assert_frame_equal(work.rows(100).iloc[: len(twenty)], twenty)
    at.segmented_control(key="stability_splits").set_value("20").run()
    assert charts(at)["coverage"]["data"] == first["data"]


def test_long_run_waits_for_its_button(db: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    add(db, "Mine", rows())
    monkeypatch.setattr(long_work, "AT_ONCE", 0)
    at = open_page(splits="500")
    label = at.button(key="stability_run").label
    assert label.startswith("Run 500 splits (about ")
    assert not at.dataframe
    at.button(key="stability_run").click().run()
    at.button(key="stability_cancel").click().run()
    said = words_of(at)
    assert "of 500 splits done.** Figures are over these." in said
    assert at.button(key="stability_run").label.startswith("Run the other ")
    assert at.dataframe


def test_work_left_for_another_view_waits_and_goes_on(
    db: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    add(db, "Mine", rows())
    monkeypatch.setattr(long_work, "AT_ONCE", 0)
    at = open_page(splits="500")
    at.button(key="stability_run").click().run()
    work = next(iter(at.session_state[long_work._WORKS].values()))
    assert work.running
    at.segmented_control(key="stability_view").set_value("retrieval").run()
    at.segmented_control(key="stability_view").set_value("splits").run()
    assert not work.running
    assert at.button(key="stability_run").label.startswith(f"Run the other {500 - work.units} ")
    done = work.units
    at.button(key="stability_run").click().run()
    assert work.running
    assert work.units > done


def test_judges_grid_has_every_candidate_and_judge(db: Database) -> None:
    add(db, "Mine", rows(), rows(judge="two"), rows(candidate="large"))
    add(db, "Other", rows(judge="three", kind="model"))
    at = open_page(view="judges", cohort="mine")
    grid = at.dataframe[0].value
    # "two" has no verdicts on the candidate "large": it accepts nothing there.
    assert sorted(zip(grid["Candidate"], grid["Judge"], strict=True)) == [
        ("large", "one (simulated)"), ("large", "two (simulated)"),
        ("small", "one (simulated)"), ("small", "two (simulated)"),
    ]  # fmt: skip
    assert len(charts(at)) == 2
    records = load_judged(db, "mine", "one", candidate="small")
    row = grid[(grid["Candidate"] == "small") & (grid["Judge"] == "one (simulated)")].iloc[0]
    assert row["Mode 1 right"] == f"{np.mean(records.verdict1 == records.human):.1%}"
    at.segmented_control(key="stability_grid_value").set_value("routes").run()
    assert "left to right" in words_of(at)
    at.segmented_control(key="stability_scope").set_value("all").run()
    assert not at.exception
    grid = at.dataframe[0].value
    assert set(grid["Cohort"]) == {"Mine", "Other"}
    assert "three" in set(grid["Judge"])


def test_known_truth_says_that_it_is_simulated_and_counts(db: Database) -> None:
    add(db, "Mine", rows(kind="model"))
    at = open_page(view="truth")
    said = words_of(at)
    assert "Simulated truth" in said
    assert "true of the model, not of your records" in said
    assert "Simulated judge" not in said
    table = at.dataframe[0].value
    assert set(table["Promise"]) == {"at most 5%", "none"}
    assert table.loc[table["Certificate"] == "Pointwise", "Promise"].tolist() == ["none"] * 5
    assert all(text.endswith("of 20") for text in table["Draws above α"])


@pytest.mark.parametrize(
    ("vary", "names"),
    [
        ("delta", ["δ = 1%", "δ = 5%", "δ = 10%"]),
        ("fraction", [f"{share}0% calibrate" for share in range(1, 10)]),
        ("labels", ["human", "evaluator", "exact match", "token F1 ≥ 0.5"]),
        ("depth", ["as recorded", "k = 6"]),
    ],
)
def test_sensitivity_shows_every_setting(db: Database, vary: str, names: list[str]) -> None:
    study(db)
    at = open_page(view="sensitivity", vary=vary)
    assert at.dataframe[0].value.iloc[:, 0].tolist() == names
    drawn = charts(at)[f"{vary}_coverage"]
    assert [line["name"] for line in drawn["data"]] == [f"α = {a}%" for a in (5, 10, 15, 20, 25)]
    keys = {slider.key for slider in at.select_slider}
    assert ("stability_delta" in keys) == (vary != "delta")


def test_baselines_are_those_that_the_cohort_has(db: Database) -> None:
    add(db, "Plain", rows())
    study(db)
    at = open_page(view="baselines", cohort="study")
    assert at.dataframe[0].value["Judge"].tolist() == [
        "Mode 1 only", "Self-evaluation", "Empty evidence", "Always retrieve", "Pair",
    ]  # fmt: skip
    assert "Not in this cohort" not in words_of(at)
    at.selectbox(key="stability_cohort").set_value("plain").run()
    assert at.dataframe[0].value["Judge"].tolist() == ["Mode 1 only", "Always retrieve", "Pair"]
    assert "Not in this cohort: Self-evaluation (mode `self-evaluation`)" in words_of(at)


def test_effect_of_retrieval_counts_and_lists_what_turned(db: Database) -> None:
    cohort = add(db, "Mine", rows())
    at = open_page(view="retrieval")
    records = load_judged(db, cohort, "one")
    effect = retrieval_effect(
        records.uncertainty1, records.is_error1, records.uncertainty2, records.is_error2
    )
    tiles = {tile.label: (tile.value, tile.delta) for tile in at.metric}
    right = int(effect.turned_right.sum())
    assert tiles["Wrong → right"] == (f"{right / N:.1%}", f"{right} of {N}")
    assert tiles["Less sure"][0] == f"{effect.share_raised:.1%}"
    assert tiles["Mean fall"][0] == f"−{-effect.mean_lowered:.3f}"
    assert list(at.dataframe[0].value["id"]) == list(records.item_id[effect.turned_right][:20])
    at.segmented_control(key="stability_turned").set_value("wrong").run()
    wrong = records.item_id[effect.turned_wrong]
    assert list(at.dataframe[0].value["id"]) == list(wrong[:20])
    assert f"of {len(wrong)} records" in words_of(at)


def test_other_score_stands_beside_the_recorded_one(db: Database) -> None:
    study(db)
    at = open_page(view="scores")
    assert at.selectbox(key="stability_score1").value == "judge output:probe"
    assert at.selectbox(key="stability_score2").value == ""
    assert at.dataframe[0].value["Uncertainty"].tolist() == ["Recorded uncertainty", "Chosen above"]
    at.selectbox(key="stability_score1").set_value("").run()
    assert "choose a feature" in at.info[0].value
    assert not at.get("plotly_chart")


def test_drift_agrees_with_the_same_job_done_by_hand(db: Database) -> None:
    cohort = study(db)
    at = open_page(view="drift", alpha="0.3")
    first = load_judged(db, cohort, "one")
    after = load_judged(db, cohort, "one", modes=("mode1", "mode2:t1"))
    report = drift_splits(
        first.uncertainty1, first.is_error1, first.uncertainty2, first.is_error2,
        after.uncertainty2, after.is_error2, alpha=0.3, delta=0.05, n_splits=20, seed=42,
    )  # fmt: skip
    tiles = {tile.label: (tile.value, tile.delta) for tile in at.metric}
    # The same two pages in the other order.
    assert tiles["Ranked Jaccard"] == ("0.00", f"{N} records")
    assert tiles["Unranked Jaccard"][0] == "1.00"
    assert tiles["Coverage, later"][0] == words.percent(report.coverage_after)
    assert tiles["Risk, later"] == (f"{report.risk_after:.1%}", f"first {report.risk_before:.1%}")
    advice = {"keep": "Keep the policy", "watch": "Watch it", "recalibrate": "Recalibrate"}
    assert advice[report.advice] in words_of(at)
    at.select_slider(key="stability_alpha").set_value(0.005).run()
    assert "There is nothing to keep" in words_of(at)


def test_pointwise_is_marked_where_it_is_chosen(db: Database) -> None:
    add(db, "Mine", rows())
    at = open_page(view="baselines", certificate="pointwise")
    assert "Not a guarantee" in words_of(at)


def test_bad_link_is_named_and_mended(db: Database) -> None:
    add(db, "Mine", rows())
    at = open_page(view="gone", splits="7")
    text = at.warning[0].value
    assert "**view** in the link must be one of: splits, judges, truth" in text
    assert "**splits** in the link must be one of: 20, 100, 500; it says “7”" in text
    assert at.segmented_control(key="stability_view").value == "splits"


def test_name_of_a_variant_is_text_not_markup(db: Database) -> None:
    nasty = "<b>x</b> ![y](http://127.0.0.1/z)"
    add(db, nasty, rows(judge=nasty))
    at = open_page(view="drift")
    assert "](http" not in "\n".join(one.value for one in at.markdown)


def test_variants_keep_the_order_and_count_of_splits(db: Database) -> None:
    cohort = add(db, "Mine", rows())
    records = load_judged(db, cohort, "one")
    parts = list(run_variants([Variant("a", records), Variant("b", records)], n_splits=2))
    assert [part["variant"].iloc[0] for part in parts] == ["a", "b", "a", "b"]


@pytest.mark.parametrize(
    ("score", "note"),
    [("half", "labelled records trained the score"), ("out-of-fold", "no certificate is promised")],
)
def test_the_risk_score_stands_in_for_the_uncertainty(db: Database, score: str, note: str) -> None:
    study(db)
    at = open_page(view="scores", score=score)
    assert set(charts(at)) == {"scores_coverage", "scores_risk"}
    words = words_of(at)
    assert note in words
    assert "Risk score" in words


@pytest.mark.parametrize("view", ["splits", "judges"])
def test_the_labels_chosen_are_the_labels_used(db: Database, view: str) -> None:
    frame = rows()
    frame["label:crowd:x"] = frame["label:human:a"].map({"True": "False", "False": "True"})
    add(db, "Two sources", frame)
    people, crowd = (charts(open_page(view=view, labels=labels)) for labels in ("human", "crowd"))
    assert people.keys() == crowd.keys()
    assert people != crowd
