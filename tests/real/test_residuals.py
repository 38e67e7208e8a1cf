"""Residuals of PandaLM, LLMBar and LLM-Rubric, against counts over the source files."""

from __future__ import annotations

import json
from itertools import combinations

import numpy as np
import pandas as pd
import pytest
from sklearn.metrics import cohen_kappa_score

from tests.real import report_residuals
from tests.real.report_residuals import spaces
from tests.shared import shared_path


@pytest.fixture(autouse=True)
def _data() -> None:
    for name in ("data/llmbar", "data/pandalm", "data/llm_rubric"):
        shared_path(name)


@pytest.fixture(scope="module")
def pairs() -> pd.DataFrame:
    """Annotators' and judges' choices as the files have them."""
    folder = shared_path("data/pandalm")
    names = ("testset-v1", "gpt-3.5-turbo-testset-v1", "pandalm-7b-testset-v1")
    frames = [
        pd.DataFrame(json.loads((folder / f"{name}.json").read_text(encoding="utf-8"))).astype(str)
        for name in names
    ]
    return frames[0].merge(frames[1], on="idx").merge(frames[2], on="idx")


def test_pandalm_overview_is_a_count_over_the_files(pairs: pd.DataFrame) -> None:
    yes = (pairs[["annotator1", "annotator2", "annotator3"]] == "1").sum(axis=1) >= 2
    for judge, column in (("gpt-3.5-turbo", "gpt_result"), ("pandalm-7b", "pandalm_result")):
        scored = pairs[column] != "garbage"
        said = pairs[column] == "1"
        found = spaces()["PandaLM", judge].overview()
        assert (found.n, found.n_scored) == (999, scored.sum())
        assert found.disagreements == (scored & (said != yes)).sum()
        assert found.over_rejections == (scored & ~said & yes).sum()
        assert found.judge_rate == pytest.approx(said[scored].mean())
    assert spaces()["PandaLM", "gpt-3.5-turbo"].missing() == {"garbage": 25}


def test_pandalm_annotators_agree_as_scikit_learn_counts(pairs: pd.DataFrame) -> None:
    found = spaces()["PandaLM", "pandalm-7b"].agreement()
    assert found is not None
    people = [(pairs[f"annotator{k}"] == "1").to_numpy() for k in (1, 2, 3)]
    among = list(combinations(people, 2))
    assert found[0].raw == pytest.approx(np.mean([(a == b).mean() for a, b in among]))
    kappa = np.mean([cohen_kappa_score(a, b) for a, b in among])
    assert found[0].cohen_kappa == pytest.approx(kappa)
    said = (pairs["pandalm_result"] == "1").to_numpy()
    assert found[1].raw == pytest.approx(np.mean([(said == one).mean() for one in people]))


@pytest.mark.parametrize("judge", ["ChatGPT", "GPT-4", "PaLM2"])
def test_llmbar_natural_pairs_are_the_easy_ones(judge: str) -> None:
    space = spaces()["LLMBar", judge]
    table = space.lift().set_index("stratum")
    residual, subset = space.residuals.residual, space.strata["subset"].to_numpy()
    for name in ("Natural", "Neighbor", "GPTInst", "GPTOut", "Manual"):
        part = residual[subset == name] ** 2
        lift = np.nanmean(part) / np.nanmean(residual**2)
        assert table.loc[f"subset = {name}", "lift"] == pytest.approx(lift)
    assert table.loc["subset = Natural", "lift_high"] < 1


def test_llm_rubric_judge_is_too_kind() -> None:
    found = spaces()["LLM-Rubric", "gpt-3.5-turbo-16k"].overview()
    assert found.gap_low > 0.1
    assert found.over_acceptances > 3 * found.over_rejections
    agreed = spaces()["LLM-Rubric", "gpt-3.5-turbo-16k"].agreement()
    # Thirteen people, and no dialogue that two of them graded.
    assert agreed is not None
    assert (agreed[0].n_annotators, agreed[0].n_items_twice) == (13, 0)


def test_uncertainty_tells_gpt4_where_it_is_wrong_and_chatgpt_not() -> None:
    lifts = {
        judge: spaces()["LLMBar", judge].lift().set_index("stratum").loc["uncertainty = 1"]
        for judge in ("GPT-4", "ChatGPT")
    }
    assert lifts["GPT-4"]["lift_low"] > 3
    assert lifts["ChatGPT"]["lift"] < 1


def test_tables_have_a_row_for_every_data_set_and_judge() -> None:
    keys = [*spaces()]
    assert [row[:2] for row in report_residuals.overview_rows()[1:]] == keys
    assert [row[:2] for row in report_residuals.model_rows()[1:]] == keys
    assert len(report_residuals.lift_rows()) == 1 + 2 * len(keys)
