"""The loop through the store: space, draw, labels, estimate, top-up; and from the terminal."""

from __future__ import annotations

import json
from collections.abc import Iterator

import numpy as np
import pandas as pd
import pytest

from core.__main__ import DONE, REFUSED, main
from core.active.policies import POLICIES
from core.annotation import draw, earlier_batches, estimate
from core.annotation_space import AnnotationSpace, load_annotation_space
from core.store.batches import get_batch, load_population, save_labels
from core.store.database import Database, open_database
from core.store.tags import tag_item
from tests.core.residual_cohort import N, rows, write


@pytest.fixture
def db() -> Iterator[Database]:
    with open_database(":memory:") as store:
        yield store


def rehearsal(db: Database) -> AnnotationSpace:
    write(db, rows(annotators=1))
    return load_annotation_space(db, "space", "J")


def half_labelled(db: Database, known: int = 150) -> AnnotationSpace:
    frame = rows(annotators=1)
    frame.loc[known:, "label:human:a"] = ""
    write(db, frame)
    return load_annotation_space(db, "space", "J")


def hand_back(db: Database, space: AnnotationSpace, batch_id: str, *, share: float = 1.0) -> None:
    drawn = load_population(db, batch_id).query("drawn")["item_id"]
    known = dict(zip(space.records.item_id, space.hidden, strict=True))
    ids = list(drawn)[: round(share * len(drawn))]
    labels = pd.DataFrame({"item_id": ids, "annotator": "x"})
    save_labels(db, batch_id, labels.assign(value=[known[one] == 1 for one in ids]))


def test_a_labelled_cohort_is_a_rehearsal(db: Database) -> None:
    space = rehearsal(db)
    labelled = (~np.isnan(space.records.human)).sum()
    assert labelled == 290
    assert (space.n_calibration, space.n_population) == (116, 174)
    assert space.rehearsal
    assert not (space.calibration & space.population).any()
    assert np.isnan(space.human[space.population]).all()
    assert "Rehearsal" in " ".join(space.notes)
    assert "5 of 300 records have no verdict" in " ".join(space.notes)
    # Unknown is no acceptance; a missing verdict is the mean of the others.
    assert (space.predictor[space.records.unknown] == 0).all()
    silent = np.isnan(space.records.verdict) & ~space.records.unknown
    others = np.where(space.records.unknown, 0, space.records.verdict)
    assert space.predictor[silent] == pytest.approx(np.nanmean(others))


def test_unlabelled_records_are_the_population(db: Database) -> None:
    space = half_labelled(db)
    assert (space.n_calibration, space.n_population) == (150, 150)
    assert not space.rehearsal
    calibration = space.calibrated()
    assert calibration is not None
    assert calibration.policies == POLICIES


def test_without_labels_a_first_batch_can_be_drawn(db: Database) -> None:
    space = half_labelled(db, known=0)
    assert space.calibrated() is None
    assert "too few to learn from" in " ".join(space.notes)
    batch = draw(db, space, space.plan("Confidence", 20), seed=1)
    assert (batch.n_drawn, batch.n_population) == (20, N)
    assert batch.settings["power"] is None
    population = load_population(db, batch.batch_id)
    merged = pd.Series(space.records.uncertainty, index=space.records.item_id)
    unsure = merged.reindex(population["item_id"]).to_numpy()
    assert np.corrcoef(np.nan_to_num(unsure, nan=1.0), population["inclusion_prob"])[0, 1] > 0.8
    labels = pd.DataFrame({"item_id": population["item_id"][population["drawn"]]})
    labels = labels.assign(annotator="x", value=[k % 3 > 0 for k in range(20)])
    save_labels(db, batch.batch_id, labels)
    found = estimate(db, batch).estimates["difference"]
    assert 0.3 < found.value < 1
    with pytest.raises(ValueError, match="'policy' must be one of"):
        space.plan("FSA", 20)


def test_estimate_is_near_the_truth_and_counts_what_is_back(db: Database) -> None:
    space = rehearsal(db)
    batch = draw(db, space, space.plan("Recalibrated", 80), seed=3, audit_size=10)
    assert batch.n_drawn == 80
    with pytest.raises(ValueError, match="0 of 80 records have a label that counts"):
        estimate(db, batch)
    hand_back(db, space, batch.batch_id)
    found = estimate(db, batch, target="finite")
    truth = np.nanmean(space.hidden)
    for name in ("difference", "hajek", "horvitz-thompson", "labels alone"):
        one = found.estimates[name]
        # 6 standard errors: one draw in 500 million is further off.
        assert abs(one.value - truth) < 6 * max(one.standard_error, 0.01)
    assert (found.n_drawn, found.n_returned, found.return_rate) == (80, 80, 1.0)
    assert found.missing is None
    records = space.records
    verdict = np.where(records.unknown, 0, records.verdict)[space.population]
    assert found.judge_rate == pytest.approx(np.nanmean(verdict))
    moved = found.population["contribution"].sum()
    base = found.estimates["difference"]
    middle = base.offset + base.power * found.population["predictor"].mean()
    assert middle + moved == pytest.approx(base.value)


def test_missing_labels_are_bounded(db: Database) -> None:
    space = rehearsal(db)
    batch = draw(db, space, space.plan("Uniform", 60), seed=3)
    hand_back(db, space, batch.batch_id, share=0.9)
    found = estimate(db, batch)
    assert found.n_returned == 54
    assert found.missing is not None
    low, high = found.missing
    assert low < found.estimates["difference"].value < high
    assert high - low == pytest.approx(6 / 60)


def test_a_top_up_draws_others_and_both_count(db: Database) -> None:
    space = rehearsal(db)
    first = draw(db, space, space.plan("FSA", 50), seed=1)
    second = draw(db, space, space.plan("FSA", 40), seed=2, after=[first])
    one, two = (load_population(db, batch.batch_id) for batch in (first, second))
    assert len(two) == len(one) - 50
    assert not set(one["item_id"][one["drawn"]]) & set(two["item_id"])
    assert two["inclusion_prob"].sum() == pytest.approx(40)
    assert [batch.number for batch in earlier_batches(db, space.records)] == [1, 2]
    for batch in (first, second):
        hand_back(db, space, batch.batch_id)
    alone = estimate(db, first, target="finite").estimates["difference"]
    both = estimate(db, second, target="finite").estimates["batches combined"]
    assert both.n_population == len(one)
    assert both.n_labelled == 90
    assert both.standard_error < alone.standard_error
    assert abs(both.value - np.nanmean(space.hidden)) < 6 * both.standard_error
    with pytest.raises(ValueError, match="at most 84, the records not drawn yet; got 100"):
        draw(db, space, space.plan("FSA", 100), after=[first, second])
    last = draw(db, space, space.plan("FSA", 84), after=[first, second])
    assert last.n_drawn == last.n_population == 84
    with pytest.raises(ValueError, match="nothing left to top up with"):
        draw(db, space, space.plan("FSA", 1), after=[first, second, last])


def test_a_changed_cohort_has_no_top_up(db: Database) -> None:
    space = rehearsal(db)
    first = draw(db, space, space.plan("FSA", 50), seed=1)
    tag_item(db, "space", "r0001", "subject", "geography")
    changed = load_annotation_space(db, "space", "J")
    with pytest.raises(ValueError, match="has changed since batch 1 was drawn"):
        draw(db, changed, changed.plan("FSA", 20), after=[first])


def test_same_settings_draw_the_same_records(db: Database) -> None:
    space = rehearsal(db)
    plan = space.plan("Tuned", 40)
    one, two, other = (draw(db, space, plan, seed=seed) for seed in (5, 5, 6))
    drawn = [set(load_population(db, b.batch_id).query("drawn")["item_id"]) for b in (one, two)]
    assert drawn[0] == drawn[1]
    assert drawn[0] != set(load_population(db, other.batch_id).query("drawn")["item_id"])
    assert get_batch(db, one.batch_id).settings["data_hash"] == space.records.data_hash


def test_the_loop_in_a_terminal(tmp_path, capsys) -> None:
    database = str(tmp_path / "loop.duckdb")
    with open_database(database) as store:
        write(store, rows(annotators=1))
    common = ["--database", database]

    def answer(*command: str) -> dict:
        assert main([*command, "--json", *common]) == DONE
        return json.loads(capsys.readouterr().out)

    planned = answer("plan", "space", "--budget", "60")
    assert [row["policy"] for row in planned["rows"]] == list(POLICIES)
    assert planned["n_population"] == 174
    tasks = tmp_path / "tasks.csv"
    drawn = answer("draw", "space", "--budget", "60", "--seed", "4", "--twice", "0.1",
                   "--out", str(tasks))  # fmt: skip
    assert drawn["n_drawn"] == 60
    table = pd.read_csv(tasks, dtype=str)
    assert len(table) == 66
    table.assign(label=["true", "false"] * 33).to_csv(tasks, index=False)
    dry = answer("labels", "space-batch-1", str(tasks), "--dry-run")
    assert (dry["labels"], dry["saved"]) == (66, False)
    assert main(["estimate", "space-batch-1", *common]) == REFUSED
    assert "0 of 60 records have a label" in capsys.readouterr().err
    assert answer("labels", "space-batch-1", str(tasks))["saved"] is True
    found = answer("estimate", "space-batch-1", "--target", "finite")
    by_name = {row["estimator"]: row for row in found["rows"]}
    with open_database(database, read_only=True) as store:
        page = estimate(store, get_batch(store, "space-batch-1"), target="finite")
    assert by_name["difference"]["value"] == page.estimates["difference"].value
    assert found["returned"] == page.n_returned
    topped = answer("draw", "space", "--budget", "20", "--policy", "Uniform", "--top-up")
    assert topped["n_population"] == 114
    simulated = answer("simulate", "space", "--budgets", "40", "--trials", "20")
    assert {row["policy"] for row in simulated["rows"]} == {*POLICIES, "Judge alone"}
    studio = tmp_path / "tasks.json"
    answer("draw", "space", "--budget", "5", "--format", "label-studio", "--out", str(studio))
    assert len(json.loads(studio.read_text())) == 5
    for command, words in (
        (["plan", "space", "--budget", "999"], "above 0 and at most 174"),
        (["labels", "space-batch-9", str(tasks)], "no batch 'space-batch-9'"),
        (["draw", "space", "--budget", "10", "--judge-mode", "mode7"], "'mode' must be one of"),
        (["simulate", "nowhere"], "Known: 'space'"),
    ):
        assert main([*command, *common]) == REFUSED
        assert words in capsys.readouterr().err
