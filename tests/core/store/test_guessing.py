"""Columns guessed by name and content."""

from __future__ import annotations

import pytest

from core.store.imports import LabelColumn, Mapping, StratumColumn, guess_mapping, read_records
from core.store.layout import COLUMNS


def guess(header: str, *rows: str) -> Mapping:
    text = "\n".join([header, *rows]) + "\n"
    return guess_mapping(read_records([("a.csv", text.encode())]))


def test_guess_mapping_records_format_is_exact() -> None:
    header = ",".join([*COLUMNS, "label:human:anna", "feature:text:length", "stratum:topic"])
    mapping = guess(header)
    assert mapping.roles() == {role: role for role in COLUMNS}
    assert [label.annotator for label in mapping.labels] == ["anna"]
    assert [feature.family for feature in mapping.features] == ["text"]
    assert [stratum.name for stratum in mapping.strata] == ["topic"]


def test_guess_mapping_wide_file() -> None:
    mapping = guess(
        "Item ID,Prompt,Response,Model,Gold Answer,verdict_1,entropy1,verdict_2,entropy2,"
        "Human Label,subset,note",
        "1,q,a,m,g,yes,.1,no,.2,TRUE,x,n",
    )
    assert mapping.roles() == {
        "id": "Item ID",
        "question": "Prompt",
        "answer": "Response",
        "candidate": "Model",
        "reference": "Gold Answer",
        "verdict": "verdict_1",
        "uncertainty": "entropy1",
        "verdict2": "verdict_2",
        "uncertainty2": "entropy2",
    }
    assert mapping.labels == (LabelColumn("Human Label"),)
    assert mapping.strata == (StratumColumn("subset", "subset"),)


@pytest.mark.parametrize(
    ("header", "kind", "columns"),
    [
        ("id,verdict,p_true", "p_true", ("p_true", None)),
        ("id,verdict,Confidence", "confidence", ("Confidence", None)),
        ("id,verdict,logprob_true,logprob_false", "logprobs", ("logprob_true", "logprob_false")),
    ],
)
def test_guess_mapping_scores(header: str, kind: str, columns: tuple[str, str | None]) -> None:
    mapping = guess(header, "1,yes" + ",-0.1" * (header.count(",") - 1))
    assert mapping.uncertainty_as == kind
    assert (mapping.uncertainty, mapping.uncertainty_false) == columns


def test_guess_mapping_scores_of_two_modes() -> None:
    mapping = guess("id,verdict1,p_true1,verdict2,p_true2", "1,yes,.9,no,.2")
    assert (mapping.uncertainty, mapping.uncertainty2) == ("p_true1", "p_true2")
    mapping = guess(
        "id,verdict1,logprob_true1,logprob_false1,verdict2,logprob_true2,logprob_false2",
        "1,yes,-1,-2,no,-1,-2",
    )
    assert (mapping.uncertainty_false, mapping.uncertainty_false2) == (
        "logprob_false1",
        "logprob_false2",
    )


def test_guess_mapping_doubtful_names_need_truth_values() -> None:
    mapping = guess("id,passed,gold,human_b", "1,good,1,1", "2,bad,4,2", "3,yes,5,0", "4,no,3,1")
    assert (mapping.verdict, mapping.reference) == ("passed", "gold")
    assert mapping.labels == ()
    assert guess("id,passed", "1,good", "2,bad", "3,no").verdict is None
    assert guess("id,human_b", *(f"{k},{k % 2}" for k in range(9)), "9,2").labels


def test_guess_mapping_plain_names_are_taken_whatever_they_hold() -> None:
    """An overlooked column of labels would be an import without labels, and nobody told."""
    mapping = guess("id,verdict,label", "1,good,1", "2,bad,4")
    assert mapping.verdict == "verdict"
    assert mapping.labels == (LabelColumn("label"),)


def test_guess_mapping_several_annotators() -> None:
    mapping = guess("id,human_anna,human_bert,human_note", "1,yes,no,x")
    assert mapping.labels == (
        LabelColumn("human_anna", annotator="human_anna"),
        LabelColumn("human_bert", annotator="human_bert"),
    )


def test_guess_mapping_column_of_annotators() -> None:
    mapping = guess("id,annotator,label", "1,1,yes", "1,2,no")
    assert mapping.annotator == "annotator"
    assert mapping.labels == (LabelColumn("label"),)


def test_guess_mapping_inside_objects() -> None:
    raw = read_records(
        [("a.jsonl", b'{"x": {"index": 3}, "input": {"question": "q"}, "grade": {"pass": true}}\n')]
    )
    mapping = guess_mapping(raw)
    assert mapping.roles() == {"question": "input.question", "verdict": "grade.pass"}


def test_guess_mapping_uses_a_column_once() -> None:
    mapping = guess("prediction,gold", "yes,no")
    assert (mapping.verdict, mapping.answer) == ("prediction", None)
    assert mapping.labels == (LabelColumn("gold"),)
    assert mapping.reference is None
