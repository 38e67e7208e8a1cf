"""Repeated splits of LLMBar's two modes, EVOUNA's string comparisons, and the README's figures."""

from __future__ import annotations

import json
import re
import string

import numpy as np
import pytest

from core import studies
from core.judge.admission import split_references
from core.risk.certification import CERTIFICATES
from core.risk.splits import repeated_splits
from tests.real import report
from tests.real.convert import (
    EVOUNA_SYSTEMS,
    LLMBAR_MODES,
    LLMBAR_SUBSETS,
    evouna,
    llmbar_judges,
)
from tests.shared import shared_path

JUDGES = ("ChatGPT", "GPT-4", "PaLM2")


@pytest.fixture(autouse=True)
def _data() -> None:
    for name in ("data/llmbar", "data/evouna_qaeval", "data/pandalm", "data/llm_rubric"):
        shared_path(name)


def test_readme_figures_are_what_the_command_writes() -> None:
    page = report.README.read_text(encoding="utf-8")
    assert all(page.count(mark) == 1 for mark in report.MARKS)
    written = page.split(report.MARKS[0])[1].split(report.MARKS[1])[0].strip()
    assert written == report.report(), "Run: .venv/bin/python -m tests.real.report"


def test_llmbar_judges_are_those_with_both_modes() -> None:
    assert tuple(llmbar_judges(report.LLMBAR)) == tuple(report.llmbar_records()[0]) == JUDGES


@pytest.mark.parametrize("judge", JUDGES)
def test_llmbar_accuracy_equals_a_count_over_the_source(judge: str) -> None:
    cells = dict(zip(report.accuracy_rows()[0], _row(report.accuracy_rows(), judge), strict=True))
    for subset, name in zip(LLMBAR_SUBSETS, report.SUBSETS, strict=True):
        shares = []
        for evaluator in LLMBAR_MODES.values():
            path = report.LLMBAR / subset / "evaluators" / judge / evaluator / "result.json"
            records = json.loads(path.read_text(encoding="utf-8"))
            told = [
                int(record["results"][-1]["swap = False"]["winner"]) == record["label"]
                for record in records
                if record["results"][-1]["swap = False"]["winner"] is not None
            ]
            shares.append(f"{100 * sum(told) / len(told):.0f}")
        assert cells[f"{name} {len(records)}"] == " → ".join(shares)


@pytest.mark.parametrize("judge", JUDGES)
def test_llmbar_adversarial_subsets_are_harder_than_the_natural_one(judge: str) -> None:
    _, frame = report.llmbar_records()
    own = frame[(frame["judge"] == judge) & frame["verdict"].notna()]
    right = own["verdict"] == own["label:human:experts"]
    means = right.groupby([own["mode"], own[report.SUBSET]]).mean().unstack()
    assert (means.drop(columns="Natural").max(axis=1) < means["Natural"]).all()


@pytest.mark.parametrize("judge", JUDGES)
@pytest.mark.parametrize("certificate", CERTIFICATES)
def test_llmbar_study_is_repeated_splits_of_its_records(judge: str, certificate: str) -> None:
    records = report.llmbar_records()[0][judge]
    rows = repeated_splits(
        records.uncertainty1, records.is_error1, records.uncertainty2, records.is_error2,
        alphas=studies.ALPHAS, delta=studies.DELTA, certificate=certificate, n_splits=100,
        seed=report.SEED,
    )  # fmt: skip
    # An uncertainty of two values leaves three thresholds: none, those that stand, all.
    for name in ("threshold1", "threshold2"):
        assert set(rows[name].dropna()) <= {0.0, 1.0}
    shares = rows[["share_mode1", "share_mode2", "share_abstain"]].sum(axis=1)
    assert np.allclose(shares, 1)
    table = report.llmbar_splits(judge)
    means = table[table["variant"] == certificate].set_index("alpha")["coverage"]
    assert np.allclose(rows.groupby("alpha")["coverage"].mean(), means, atol=1e-12)


@pytest.mark.parametrize("judge", JUDGES)
def test_llmbar_stricter_certificates_accept_less(judge: str) -> None:
    means = report.llmbar_splits(judge).pivot_table(
        index="alpha", columns="variant", values="coverage"
    )
    assert (means["pointwise"] >= means["fixed-sequence"]).all()
    assert (means["fixed-sequence"] >= means["bonferroni"]).all()
    assert (means.diff().dropna() >= 0).all(axis=None)


def test_llmbar_judge_worse_than_chance_is_never_trusted() -> None:
    """ChatGPT errs most where it is sure of itself; no certificate accepts any split."""
    records = report.llmbar_records()[0]["ChatGPT"]
    sure, unsure = (records.is_error1[records.uncertainty1 == value].mean() for value in (0, 1))
    assert sure > 0.5 > unsure
    assert report.llmbar_splits("ChatGPT")["coverage"].max() == 0


@pytest.mark.parametrize("certificate", CERTIFICATES)
@pytest.mark.parametrize("judge", ["GPT-4", "PaLM2"])
def test_llmbar_mean_risk_stays_below_alpha_where_most_splits_accept(
    judge: str, certificate: str
) -> None:
    table = report.llmbar_splits(judge)
    often = table[(table["variant"] == certificate) & (table["accepting"] > 50)]
    assert (often["risk"] < often["alpha"]).all()
    assert len(often) > 0 or (judge, certificate) == ("PaLM2", "bonferroni")


def test_evouna_references_are_split_at_slashes() -> None:
    source = json.loads((report.EVOUNA / "NQ.json").read_text(encoding="utf-8"))
    frame = evouna(report.EVOUNA).set_index("id")
    checked = 0
    for number, record in enumerate(source):
        item = f"NQ-{number:04d}-{EVOUNA_SYSTEMS[0]}"
        if item in frame.index and "/" in record["golden_answer"]:
            listed = split_references(frame.loc[item, "reference"])
            assert "/".join(listed).replace(" ", "") in re.sub(
                r"/+", "/", record["golden_answer"].strip("/")
            ).replace(" ", "")
            assert len(listed) > 1
            checked += 1
    assert checked > 1_000


def test_evouna_exact_match_equals_a_count_over_the_source() -> None:
    """Counted from the source alone, with the normalisation written out again."""
    right = admitted = both = 0
    for name in ("NQ", "TQ"):
        for record in json.loads((report.EVOUNA / f"{name}.json").read_text(encoding="utf-8")):
            if record["improper"]:
                continue
            known = {_bare(part) for part in record["golden_answer"].split("/") if part.strip()}
            for system in EVOUNA_SYSTEMS:
                answer, label = record[f"answer_{system}"], record[f"judge_{system}"]
                if answer is not None and label is not None:
                    hit = answer.strip() != "" and _bare(answer) in known
                    right, admitted, both = right + label, admitted + hit, both + (hit and label)
    count = report.confusion(report.evouna_table(), studies.EXACT_MATCH)
    assert count["admitted right"] == both
    assert count["admitted right"] + count["admitted wrong"] == admitted
    assert count["admitted right"] + count["missed right"] == right
    assert sum(count.values()) == 24_788


def test_evouna_exact_match_misses_most_right_answers_and_admits_few_wrong() -> None:
    table = report.evouna_table()
    exact, overlap = (report.confusion(table, name) for name in report.ADMISSIONS)
    right = int(table[report.HUMAN].sum())
    assert exact["missed right"] > 0.75 * right
    assert exact["admitted wrong"] < 0.01 * (len(table) - right)
    # What matches exactly shares all words, so token F1 admits it too.
    admitted = {name: table[name].to_numpy(bool) for name in report.ADMISSIONS}
    assert not (admitted[studies.EXACT_MATCH] & ~admitted[studies.TOKEN_F1]).any()
    assert overlap["missed right"] < exact["missed right"]
    assert overlap["admitted wrong"] > exact["admitted wrong"]


def test_evouna_short_answers_match_and_whole_sentences_do_not() -> None:
    table = report.evouna_table()
    missed = {}
    for system in ("fid", "newbing"):
        part = table[table["candidate"] == system]
        missed[system] = report.confusion(part, studies.EXACT_MATCH)["missed right"] / int(
            part[report.HUMAN].sum()
        )
    assert missed["fid"] < 0.2
    assert missed["newbing"] > 0.99


def _row(table: report.Table, name: str) -> tuple[str, ...]:
    return next(row for row in table if row[0] == name)


def _bare(text: str) -> str:
    kept = "".join(letter for letter in text.lower() if letter not in string.punctuation)
    return " ".join(word for word in re.sub(r"\b(?:the|an|a)\b", " ", kept).split())
