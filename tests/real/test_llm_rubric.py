"""LLM-Rubric: a distribution as uncertainty, people by number, a judge that is far too kind."""

from __future__ import annotations

import numpy as np
import pytest

from core.jobs import RoutingRequest, run_routing
from core.store.database import Database
from core.store.records import load_judged
from tests.real.conftest import Import
from tests.real.convert import llm_rubric
from tests.shared import shared_path


def test_llm_rubric_real_dialogues(db: Database, import_frame: Import) -> None:
    frame = llm_rubric(shared_path("data/llm_rubric"))
    cohort = import_frame(frame, "real-q0")
    assert (cohort.n_items, cohort.n_labelled) == (223, 223)
    assert sum(column.startswith("label:human:") for column in frame.columns) == 13
    records = load_judged(db, cohort.cohort_id, "gpt-3.5-turbo-16k")
    assert np.isnan(records.verdict2).all()
    assert ((records.uncertainty1 > 0) & (records.uncertainty1 <= np.log(4))).all()
    # Kind: people find a third of the dialogues wanting, the judge a seventh.
    assert records.human.mean() == pytest.approx(150 / 223)
    assert records.verdict1.mean() == pytest.approx(192 / 223)
    assert records.uncertainty_kind1 == "entropy of four answers"


def test_llm_rubric_grade_zero_is_no_label(db: Database, import_frame: Import) -> None:
    cohort = import_frame(llm_rubric(shared_path("data/llm_rubric"), "Q3"), "real-q3")
    assert cohort.n_items == 223
    assert 0 < cohort.n_labelled < 223
    records = load_judged(db, cohort.cohort_id, "gpt-3.5-turbo-16k")
    assert records.labelled.sum() == cohort.n_labelled


def test_llm_rubric_majority_of_several_people(db: Database, import_frame: Import) -> None:
    frame = llm_rubric(shared_path("data/llm_rubric"), part="synth")
    cohort = import_frame(frame, "synth-q0")
    records = load_judged(db, cohort.cohort_id, "gpt-3.5-turbo-16k")
    labels = frame.filter(like="label:human:")
    votes = labels.notna().sum(axis=1).to_numpy()
    share = labels.astype("boolean").mean(axis=1).to_numpy(dtype=float)
    order = np.argsort(frame["id"].to_numpy(dtype=object))
    expected = np.where(share > 0.5, 1.0, np.where(share < 0.5, 0.0, np.nan))[order]
    assert votes.max() >= 3
    assert np.array_equal(records.human, expected, equal_nan=True)
    assert records.n_label_ties == int((share == 0.5).sum())


@pytest.mark.parametrize("certificate", ["fixed-sequence", "bonferroni"])
def test_llm_rubric_story_low_alpha_is_refused_with_the_reason(
    db: Database, import_frame: Import, certificate: str
) -> None:
    cohort = import_frame(llm_rubric(shared_path("data/llm_rubric")), f"story-{certificate}")
    records = load_judged(db, cohort.cohort_id, "gpt-3.5-turbo-16k")
    request = RoutingRequest(alpha=0.05, delta=0.05, mode="1", certificate=certificate)
    run = run_routing(records, request)
    assert run.policy.threshold1 is None
    assert run.coverage == 0
    assert run.policy.reason
