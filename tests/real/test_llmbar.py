"""LLMBar: two modes, an uncertainty with two values, orders without a winner."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from core.jobs import RoutingRequest, run_routing
from core.store.cohorts import Cohort
from core.store.database import Database
from core.store.exports import export_frame, to_jsonl
from core.store.imports import guess_mapping, prepare, read_records, write_cohort
from core.store.records import load_judged, record_table
from tests.real.conftest import Import
from tests.real.convert import LLMBAR_SUBSETS, llmbar
from tests.shared import shared_path


@pytest.fixture(scope="module")
def folder() -> Path:
    return shared_path("data/llmbar")


@pytest.fixture(scope="module")
def cohort(folder: Path, import_frame: Import) -> Cohort:
    return import_frame(llmbar(folder), "llmbar")


def test_llmbar_cohort(cohort: Cohort) -> None:
    assert (cohort.n_items, cohort.n_labelled) == (419, 419)
    assert [(judge.name, judge.n_verdicts) for judge in cohort.judges] == [
        ("GPT-4", 838),
        ("PaLM2", 829),
    ]
    assert all(judge.modes == ("mode1", "mode2") for judge in cohort.judges)
    assert not cohort.simulated


@pytest.mark.parametrize(("judge", "missing1", "missing2"), [("GPT-4", 0, 0), ("PaLM2", 4, 5)])
def test_llmbar_records(
    db: Database, cohort: Cohort, judge: str, missing1: int, missing2: int
) -> None:
    records = load_judged(db, cohort.cohort_id, judge)
    assert records.n == 419
    assert np.isnan(records.verdict1).sum() == missing1
    assert np.isnan(records.verdict2).sum() == missing2
    assert records.uncertainty_kind1 == "order flip"
    for uncertainty in (records.uncertainty1, records.uncertainty2):
        assert set(np.unique(uncertainty[~np.isnan(uncertainty)])) == {0.0, 1.0}


def test_llmbar_errors_equal_a_count_over_the_source(
    db: Database, cohort: Cohort, folder: Path
) -> None:
    records = load_judged(db, cohort.cohort_id, "PaLM2")
    for evaluator, is_error in (
        ("Vanilla", records.is_error1),
        ("Metrics_Reference", records.is_error2),
    ):
        wrong = 0
        for subset in LLMBAR_SUBSETS:
            path = folder / subset / "evaluators" / "PaLM2" / evaluator / "result.json"
            for record in json.loads(path.read_text(encoding="utf-8")):
                winner = record["results"][-1]["swap = False"]["winner"]
                wrong += winner in ("1", "2") and int(winner) != record["label"]
        assert np.nansum(is_error) == wrong


def test_llmbar_missing_winner_keeps_its_cause(db: Database, cohort: Cohort) -> None:
    table = record_table(db, cohort.cohort_id, "PaLM2")
    missing = table[table["verdict1"].isna()]
    assert set(missing["failure_cause1"]) == {"no winner in the reply"}
    assert missing["uncertainty1"].isna().all()


def test_llmbar_strata_go_out_and_come_in_again(db: Database, cohort: Cohort) -> None:
    frame = export_frame(db, cohort.cohort_id)
    counts = frame.drop_duplicates("id")["stratum:subset"].value_counts()
    assert counts.to_dict() == {
        "Neighbor": 134,
        "Natural": 100,
        "GPTInst": 92,
        "GPTOut": 47,
        "Manual": 46,
    }
    raw = read_records([("again.jsonl", to_jsonl(frame))])
    again = write_cohort(db, prepare(raw, guess_mapping(raw)), "again")
    assert again.data_hash == cohort.data_hash


@pytest.mark.parametrize(("alpha", "values"), [(0.05, ()), (0.15, (0.0,)), (0.2, (0.0, 1.0))])
def test_llmbar_story_with_nearly_all_ties(
    db: Database, cohort: Cohort, alpha: float, values: tuple[float, ...]
) -> None:
    """Records that tie are decided together: all of an uncertainty's value, or none."""
    records = load_judged(db, cohort.cohort_id, "GPT-4")
    run = run_routing(records, RoutingRequest(alpha=alpha, delta=0.1, mode="2"))
    decided = np.isin(records.uncertainty2, values)
    assert np.array_equal(run.route == 2, decided)
    assert run.coverage == decided.mean()
    assert (run.policy.reason is None) == bool(values)
    assert not values or run.policy.risk_upper <= alpha
