"""The Annotation page, as a planner meets it."""

from __future__ import annotations

import json
from collections.abc import Iterator

import numpy as np
import pandas as pd
import pytest
from streamlit.testing.v1 import AppTest

from core.annotation import estimate
from core.annotation_space import load_annotation_space
from core.store.batches import list_batches, load_labels, load_population, save_labels
from core.store.database import Database
from pages.annotation import figures
from pages.components.theme import DARK, LIGHT
from tests.core.residual_cohort import rows, write
from tests.pages.stability_app import ROOT, small_store

POLICIES = ["Classical", "Uniform", "Confidence", "FSA", "Tuned", "Recalibrated"]


@pytest.fixture
def db(monkeypatch: pytest.MonkeyPatch) -> Iterator[Database]:
    with small_store(monkeypatch) as store:
        yield store


def open_page(**link: str) -> AppTest:
    at = AppTest.from_file(str(ROOT / "app.py"), default_timeout=120)
    for name, value in link.items():
        at.query_params[name] = value
    at.run()
    at.switch_page("pages/annotation/page.py").run()
    assert not at.exception
    return at


def said(at: AppTest) -> str:
    kinds = [at.markdown, at.caption, at.subheader, at.info, at.warning, at.error, at.success]
    texts = [one.value for kind in kinds for one in kind]
    texts += [f"{tile.label} {tile.value} {tile.delta}" for tile in at.metric]
    texts += [one.proto.spec + one.proto.alt for one in at.get("plotly_chart")]
    texts += [table.value.to_string() for table in [*at.dataframe, *at.table]]
    return "\n".join(texts)


def charts(at: AppTest) -> set[str]:
    return {one.proto.id.split("annotation_")[-1] for one in at.get("plotly_chart")}


def click(at: AppTest, start: str) -> AppTest:
    (button,) = [one for one in at.button if one.label.startswith(start)]
    button.click().run()
    assert not at.exception
    return at


def step(at: AppTest, name: str) -> AppTest:
    at.segmented_control(key="annotation_step").set_value(name).run()
    assert not at.exception
    return at


def test_plan_shows_every_policy_with_labels_and_money(db: Database) -> None:
    write(db, rows(annotators=1))
    at = open_page(budget="60", half_width="0.1")
    assert charts(at) == {"plan", "needed", "mixing_curve"}
    words = said(at)
    assert all(name in words for name in POLICIES)
    assert "174 to draw from · 116 labelled for calibration" in words
    assert "Simulated judge" in words
    assert "Rehearsal" in words
    plan = load_annotation_space(db, "space", "J").plan("FSA", 60)
    (table,) = at.dataframe
    shown = table.value.set_index("Policy").loc["FSA"]
    assert shown["With 60 labels"] == f"±{100 * plan.half_width:.1f} pp"
    assert shown["τ"] == f"{plan.mixing:.2f}"
    assert float(shown["Cost"]) == pytest.approx(1.2 * int(shown["Labels needed"]))


def test_the_whole_loop_from_plan_to_estimate(db: Database) -> None:
    cohort = write(db, rows(annotators=1))
    at = step(open_page(budget="60"), "draw")
    at.number_input(key="annotation_audit").set_value(20).run()
    click(at, "Draw the batch")
    (batch,) = list_batches(db, cohort.cohort_id)
    assert (batch.n_drawn, batch.settings["policy"]) == (60, "Recalibrated")
    assert "Records drawn 60 of 174" in said(at)
    # Neither another run nor another browser draws again.
    at.run()
    step(open_page(budget="60"), "draw")
    assert len(list_batches(db, cohort.cohort_id)) == 1
    step(at, "estimate")
    assert "No label has come back yet" in said(at)
    click(at, "Hand in labels")
    assert "Labels that count 0 of 60" in said(at)
    click(at, "Rehearsal: hand back the 60 hidden labels")
    assert "Labels that count 60 of 60" in said(at)
    click(at, "See the estimate")
    found = estimate(db, batch)
    words = said(at)
    assert charts(at) == {"forest"}
    value = found.estimates["difference"].value
    assert f"People would call {100 * value:.1f}% correct" in words.replace("<br>", " ")
    assert "realised" in words
    assert "60 of 60 labels count" in words
    step(at, "audit")
    assert "uniform slice" in said(at)
    assert charts(at) == {"audit_plot"}
    step(at, "draw")
    click(at, "Draw the batch")
    first, second = list_batches(db, cohort.cohort_id)
    assert second.settings["after"] == [first.batch_id]
    assert second.n_population == 174 - 60


def test_mixing_and_power_of_ones_own_are_what_is_drawn(db: Database) -> None:
    cohort = write(db, rows(annotators=1))
    at = open_page(budget="40", policy="FSA", mixing="0.50", power="0.5")
    assert "At τ = 0.50, λ = 0.5, FSA" in said(at).replace("<br>", " ")
    click(step(at, "draw"), "Draw the batch")
    (batch,) = list_batches(db, cohort.cohort_id)
    assert (batch.settings["mixing"], batch.settings["power"]) == (0.5, 0.5)


def test_a_simulation_covers_every_policy(db: Database) -> None:
    write(db, rows(annotators=1))
    at = open_page(step="simulation")
    assert charts(at) == {"gain", "held", "powers"}
    assert "Without an offset the best λ is" in said(at)
    table = at.dataframe[-1].value.set_index("Set")
    assert "only judge output" in table.index
    assert set(table["Expected gain"].str[-1]) == {"%"}
    assert all(name in said(at) for name in [*POLICIES, "Judge alone", "no interval"])


def test_uploaded_labels_are_reported_before_anything_is_saved(db: Database) -> None:
    cohort = write(db, rows(annotators=1))
    at = click(step(open_page(budget="30"), "draw"), "Draw the batch")
    (batch,) = list_batches(db, cohort.cohort_id)
    drawn = load_population(db, batch.batch_id).query("drawn")["item_id"].tolist()
    step(at, "labels")
    back = pd.DataFrame({"id": [*drawn, "stranger"], "label": ["yes"] * 28 + ["", "hm", "yes"]})
    at.file_uploader[0].upload("back.csv", back.to_csv(index=False).encode(), "text/csv").run()
    assert not at.exception
    words = said(at)
    assert "28 of 30 records have a label in 31 rows." in words
    assert "1 with an id outside this batch" in words
    assert "1 with a label that can't be read" in words
    assert load_labels(db, batch.batch_id).empty
    click(at, "Save 28 labels")
    assert len(load_labels(db, batch.batch_id)) == 28
    at.file_uploader[0].upload("back.csv", b"number,said\n1,2\n", "text/csv").run()
    assert "has no column of ids" in at.error[0].value


def test_annotators_who_differ_wait_for_a_third(db: Database) -> None:
    cohort = write(db, rows(annotators=1))
    at = click(step(open_page(budget="30"), "draw"), "Draw the batch")
    (batch,) = list_batches(db, cohort.cohort_id)
    drawn = load_population(db, batch.batch_id).query("drawn")["item_id"].tolist()
    two = pd.DataFrame({"item_id": drawn * 2, "annotator": ["x"] * 30 + ["y"] * 30})
    save_labels(db, batch.batch_id, two.assign(value=[True] * 30 + [False] * 4 + [True] * 26))
    step(at, "labels")
    assert "Waiting 4 annotators differ" in said(at)
    assert "Annotators 2 86.7% equal" in said(at)
    assert "4 left." in said(at)
    at.button(key="annotation_say_wrong").click().run()
    assert "3 left." in said(at)
    labels = load_labels(db, batch.batch_id)
    assert labels["annotator"].value_counts()["adjudicator"] == 1
    assert "Waiting 3 annotators differ" in said(at.run())


def test_deleting_a_cohort_names_the_batches_that_go_with_it(db: Database) -> None:
    write(db, rows(annotators=1))
    at = click(step(open_page(budget="30"), "draw"), "Draw the batch")
    at.switch_page("pages/data/page.py").run()
    at.button(key="data_delete").click().run()
    assert "Lost too: annotation batches (1)" in said(at)


def test_without_labels_the_first_batch_is_offered(db: Database) -> None:
    frame = rows(annotators=1)
    frame["label:human:a"] = ""
    write(db, frame)
    at = open_page()
    assert "No plan without labels" in said(at)
    click(at, "Draw a first batch")
    policy = at.selectbox(key="annotation_policy")
    assert policy.options == POLICIES[:3]
    click(at, "Draw the batch")
    assert "Records drawn" in said(at)
    step(at, "simulation")
    assert "A simulation needs the labels of the population" in said(at)


@pytest.mark.parametrize("name", ["plan", "draw", "labels", "estimate", "audit", "simulation"])
def test_every_step_of_an_odd_cohort_says_something(db: Database, name: str) -> None:
    frame = rows(6, unknown=False, annotators=1)
    frame["verdict"], frame["uncertainty"] = "true", ""
    write(db, frame)
    at = open_page(step=name)
    assert said(at)


def test_wrong_values_in_a_link_are_named_and_replaced(db: Database) -> None:
    write(db, rows(annotators=1))
    at = open_page(budget="0", policy="Best", half_width="2", step="draw")
    assert "budget" in at.warning[0].value
    assert "policy" in at.warning[0].value
    assert "half" in at.warning[0].value


@pytest.mark.parametrize("colours", [LIGHT, DARK])
def test_names_at_the_ends_of_lines_stay_apart(colours) -> None:
    budgets = [50, 100, 300, 1_000]
    table = pd.DataFrame(
        [(name, budget, (1 - k / 200) / budget**0.5) for k, name in enumerate(POLICIES)
         for budget in budgets],
        columns=["policy", "budget", "half_width"],
    )  # fmt: skip
    figure = figures.plan(
        table, budget=300, half_width=0.05, title="t", subtitle="s", colours=colours
    )
    names = [one for one in json.loads(figure.to_json())["layout"]["annotations"]
             if one["text"].startswith("<b>")]  # fmt: skip
    places = np.sort([one["y"] for one in names])
    assert len(names) == 6
    low, high = figure.layout.yaxis.range
    assert np.diff(places).min() > 0.03 * (high - low)
    assert low <= places[0]
    assert places[-1] <= high
