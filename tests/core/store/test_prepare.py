"""Rows turned into records, and every kind of problem named by line and column."""

from __future__ import annotations

import math

import numpy as np
import pandas as pd
import pytest

from core.store.imports import (
    FeatureColumn,
    LabelColumn,
    Mapping,
    PreparedCohort,
    StratumColumn,
    read_records,
)
from core.store.imports import prepare as prepare_raw
from tests.core.store.helpers import prepare_text

LONG = Mapping(id="id", judge="judge", mode="mode", verdict="verdict", uncertainty="u")
WIDE = Mapping(id="id", verdict="v1", uncertainty="u1", labels=(LabelColumn("human"),))


def errors(prepared: PreparedCohort) -> list[str]:
    return [str(problem) for problem in prepared.errors]


def table(frame: pd.DataFrame, *columns: str) -> list[list[object]]:
    cells = frame[list(columns)].astype(object)
    return cells.where(cells.notna(), None).to_numpy().tolist()


def test_prepare_wide_file_by_hand() -> None:
    mapping = WIDE.replace(
        question="q",
        verdict2="v2",
        uncertainty2="u2",
        explanation="why",
        features=(FeatureColumn("len", "text", "length"),),
        strata=(StratumColumn("topic", "topic"),),
        judge_name="J",
        judge_kind_name="rule",
    )
    got = prepare_text(
        "id,q,v1,u1,why,v2,u2,human,len,topic\n"
        "007,why?,yes,.5,because,no,-0.02,1,12,x\n"
        "8,,,,,True,1,,,\n",
        mapping,
    )
    assert table(got.items, "item_id", "question", "answer") == [
        ["007", "why?", None],
        ["8", None, None],
    ]
    assert table(got.verdicts, *got.verdicts.columns) == [
        ["007", "J", "rule", "mode1", True, 0.5, "uncertainty", "because", *[None] * 3],
        ["8", "J", "rule", "mode1", *[None] * 4, "no verdict", None, None],
        ["007", "J", "rule", "mode2", False, -0.02, "uncertainty", *[None] * 4],
        ["8", "J", "rule", "mode2", True, 1.0, "uncertainty", *[None] * 4],
    ]
    assert table(got.labels, *got.labels.columns) == [["007", "human", "1", True]]
    assert table(got.features, *got.features.columns) == [["007", "text", "length", 12.0]]
    assert table(got.strata, *got.strata.columns) == [["007", "topic", "x"]]
    assert got.problems == ()


def test_prepare_long_file_by_hand() -> None:
    got = prepare_text(
        "id,judge,mode,verdict,u\n1,A,1,yes,.1\n1,A,Mode 2,no,.2\n1,B,mode_2,no,\n2,,,,\n"
        "3,A,self-evaluation,1,0\n4,A,,0,1\n",
        LONG,
    )
    assert got.items["item_id"].tolist() == ["1", "2", "3", "4"]
    assert table(got.verdicts, "item_id", "judge", "mode", "verdict") == [
        ["1", "A", "mode1", True],
        ["1", "A", "mode2", False],
        ["1", "B", "mode2", False],
        ["3", "A", "self-evaluation", True],
        ["4", "A", "mode1", False],
    ]


def test_prepare_mode_of_a_file_without_modes() -> None:
    got = prepare_text("id,v1,u1,human\n1,yes,.1,1\n", WIDE.replace(mode_name="Mode 2"))
    assert got.verdicts["mode"].tolist() == ["mode2"]


def test_prepare_unreadable_verdict_is_a_note_and_stays() -> None:
    got = prepare_text("id,v1,u1,human\n1,INCORRECT,.1,1\n2,not correct,.2,0\n3,,.3,\n", WIDE)
    assert table(got.verdicts, "item_id", "verdict", "uncertainty", "failure_cause") == [
        ["1", False, 0.1, None],
        ["2", None, 0.2, "unreadable verdict: 'not correct'"],
        ["3", None, 0.3, "no verdict"],
    ]
    (note,) = got.problems
    assert (note.severity, note.line, note.column) == ("note", 3, "v1")
    assert got.errors == ()


def test_prepare_keeps_a_given_failure_cause() -> None:
    mapping = WIDE.replace(failure_cause="cause")
    text = "id,v1,u1,human,cause\n1,,.1,1,timeout\n2,maybe,.1,1,timeout\n3,yes,.1,1,retried\n"
    got = prepare_text(text, mapping)
    assert got.verdicts["failure_cause"].tolist() == [
        "timeout",
        "unreadable verdict: 'maybe'",
        "retried",
    ]


@pytest.mark.parametrize("cell", ["maybe", "0.5", "2", "not correct"])
def test_prepare_unreadable_label_is_an_error(cell: str) -> None:
    got = prepare_text(f"id,v1,u1,human\n1,yes,.1,1\n2,yes,.2,{cell}\n3,no,.3,0\n", WIDE)
    assert errors(got) == [
        (
            "a.csv, line 3, column 'human': must be one of true/false, yes/no, 1/0, 1.0/0.0, "
            f"correct/incorrect; got '{cell}'"
        )
    ]
    assert got.items["item_id"].tolist() == ["1", "3"]
    assert got.verdicts["item_id"].tolist() == ["1", "3"]
    assert got.quality.unreadable_labels == 1


def test_prepare_unreadable_numbers_are_errors() -> None:
    mapping = WIDE.replace(features=(FeatureColumn("len", "text", "length"),))
    text = "id,v1,u1,human,len\n1,yes,high,1,1\n2,yes,inf,1,1\n3,no,0,1,inf\n4,no,nan,0,\n"
    got = prepare_text(text, mapping)
    assert errors(got) == [
        "a.csv, line 2, column 'u1': must be a number; got 'high'",
        "a.csv, line 3, column 'u1': must be a finite number; got 'inf'",
        "a.csv, line 4, column 'len': must be a finite number; got 'inf'",
    ]
    assert got.items["item_id"].tolist() == ["4"]
    assert got.verdicts["uncertainty"].isna().all()
    assert (got.quality.unreadable_numbers, got.quality.uncertainty_out_of_range) == (2, 1)


def test_prepare_empty_id_is_an_error() -> None:
    got = prepare_text("id,v1,u1,human\n,yes,.1,1\n ,no,.1,0\n", WIDE)
    assert errors(got) == ["a.csv, line 2, column 'id': must not be empty: it names the item"]
    assert got.items["item_id"].tolist() == [" "]


def test_prepare_without_ids_numbers_the_rows() -> None:
    got = prepare_text("v1,u1,human\nyes,.1,1\nyes,.1,1\n", WIDE.replace(id=None))
    assert got.items["item_id"].tolist() == ["1", "2"]
    assert [problem.severity for problem in got.problems] == ["note"]
    assert "rows are numbered" in got.problems[0].message
    assert got.quality.duplicates == 0


def test_prepare_score_kinds() -> None:
    text = "id,v1,u1,human\n1,yes,0.9,1\n2,yes,1,1\n3,no,1.5,0\n"
    got = prepare_text(text, WIDE.replace(uncertainty_as="p_true"))
    entropy = -(0.9 * math.log(0.9) + 0.1 * math.log(0.1))
    assert got.verdicts["uncertainty"].tolist() == pytest.approx([entropy, 0])
    assert set(got.verdicts["uncertainty_kind"]) == {"binary entropy of p(true)"}
    assert errors(got) == [
        "a.csv, line 4, column 'u1': must be a probability between 0 and 1; got '1.5'"
    ]
    got = prepare_text(text, WIDE.replace(uncertainty_as="confidence"))
    assert got.verdicts["uncertainty"].tolist() == pytest.approx([0.1, 0])
    assert set(got.verdicts["uncertainty_kind"]) == {"1 - confidence"}


def test_prepare_logprobs() -> None:
    mapping = WIDE.replace(uncertainty_as="logprobs", uncertainty_false="f")
    got = prepare_text("id,v1,u1,f,human\n1,yes,-0.1,-2.3,1\n2,no,0.2,-1,0\n3,no,-1,,0\n", mapping)
    p = 1 / (1 + math.exp(-2.2))
    entropy = -(p * math.log(p) + (1 - p) * math.log(1 - p))
    assert got.verdicts["uncertainty"].to_numpy() == pytest.approx([entropy, np.nan], nan_ok=True)
    assert errors(got) == ["a.csv, line 3, column 'u1': must be a log-probability, <= 0; got '0.2'"]
    with pytest.raises(ValueError, match=r"True and of False; got 'u1' alone"):
        prepare_text("id,v1,u1,human\n1,yes,-0.1,1\n", WIDE.replace(uncertainty_as="logprobs"))


def test_prepare_column_of_kinds_goes_before_the_mapping() -> None:
    mapping = WIDE.replace(uncertainty_kind="kind", uncertainty_as="confidence")
    text = (
        "id,v1,u1,human,kind\n1,yes,0.5,1,P_True\n2,yes,0.75,1,confidence\n3,yes,0.75,1,\n"
        "4,yes,3,1,margin of votes\n5,yes,2,1,uncertainty\n6,yes,-1,1,logprobs\n"
    )
    got = prepare_text(text, mapping)
    assert got.verdicts["uncertainty"].tolist() == pytest.approx([math.log(2), 0.25, 0.25, 3, 2])
    assert got.verdicts["uncertainty_kind"].tolist() == [
        "binary entropy of p(true)",
        "1 - confidence",
        "1 - confidence",
        "margin of votes",
        "uncertainty",
    ]
    assert errors(got) == [
        (
            "a.csv, line 7, column 'kind': is 'logprobs', for which the log-probability of False "
            "is needed too"
        )
    ]


def test_prepare_drops_and_counts_identical_rows() -> None:
    text = "id,v1,u1,human,note\n1,yes,.1,1,a\n2,no,.2,0,b\n1,yes,.1,1,c\n1,yes,.1,1,a\n"
    got = prepare_text(text, WIDE)
    assert got.problems == ()
    assert got.quality.duplicates == 2
    assert len(got.items) == len(got.verdicts) == len(got.labels) == 2


@pytest.mark.parametrize(
    ("second", "column", "about"),
    [
        ("1,no,.1,1", "v1", "the verdict by 'judge' 'mode1' of item '1'"),
        ("1,yes,.2,1", "v1", "the verdict by 'judge' 'mode1' of item '1'"),
        ("1,yes,.1,0", "human", "the label by 'human' '1' of item '1'"),
    ],
)
def test_prepare_contradicting_rows_name_both_lines(second: str, column: str, about: str) -> None:
    got = prepare_text(f"id,v1,u1,human\n1,yes,.1,1\n2,no,.2,0\n{second}\n", WIDE)
    message = f"line 2 and line 4 contradict each other about {about}"
    assert errors(got) == [
        f"a.csv, line 2, column '{column}': {message}",
        f"a.csv, line 4, column '{column}': {message}",
    ]
    assert got.items["item_id"].tolist() == ["2"]
    assert (got.quality.conflicting_duplicates, got.quality.rows_with_errors) == (1, 2)


def test_prepare_contradictions_between_files_name_both() -> None:
    files = [("a.csv", b"id,q\n1,x\n2,y\n"), ("b.csv", b"id,q\n2,z\n3,w\n")]
    raw = read_records(files)
    got = prepare_raw(raw, Mapping(id="id", question="q"))
    message = "a.csv line 3 and b.csv line 2 contradict each other about the question of item '2'"
    assert errors(got) == [
        f"a.csv, line 3, column 'q': {message}",
        f"b.csv, line 2, column 'q': {message}",
    ]
    assert got.items["item_id"].tolist() == ["1", "3"]


def test_prepare_contradictions_ignore_rows_with_other_errors() -> None:
    got = prepare_text("id,v1,u1,human\n1,yes,.1,1\n1,no,.1,maybe\n", WIDE)
    assert len(got.errors) == 1
    assert table(got.verdicts, "item_id", "verdict") == [["1", True]]


def test_prepare_row_may_leave_out_what_another_says() -> None:
    mapping = LONG.replace(question="q", answer="a", labels=(LabelColumn("human"),))
    got = prepare_text(
        "id,q,a,judge,mode,verdict,u,human\n1,,x,A,1,yes,.1,\n1,why?,,A,2,no,.2,yes\n", mapping
    )
    assert got.problems == ()
    assert table(got.items, "item_id", "question", "answer") == [["1", "why?", "x"]]
    assert table(got.labels, "item_id", "value") == [["1", True]]


def test_prepare_column_of_annotators() -> None:
    mapping = WIDE.replace(
        annotator="who", labels=(LabelColumn("human"), LabelColumn("auto", "script"))
    )
    got = prepare_text(
        "id,v1,u1,human,who,auto\n1,yes,.1,1,anna,1\n1,yes,.1,0,bert,\n1,yes,.1,1,,0\n", mapping
    )
    assert got.problems == ()
    assert table(got.labels, "source", "annotator", "value") == [
        ["human", "anna", True],
        ["human", "bert", False],
        ["human", "1", True],
        ["script", "anna", True],
        ["script", "1", False],
    ]
    assert len(got.verdicts) == 1


def test_prepare_judge_has_to_be_named() -> None:
    got = prepare_text("id,judge,mode,verdict,u\n1,,1,yes,\n2,,1,,.5\n3,,1,,\n", LONG)
    assert errors(got) == [
        f"a.csv, line {line}, column 'judge': must name the judge where there is a verdict or an "
        "uncertainty"
        for line in (2, 3)
    ]
    assert got.items["item_id"].tolist() == ["3"]
    assert got.verdicts.empty


def test_prepare_judge_kinds() -> None:
    mapping = LONG.replace(judge_kind="kind")
    got = prepare_text(
        "id,judge,kind,mode,verdict,u\n1,A, Simulated ,1,yes,.1\n2,A,,1,yes,.1\n3,B,,1,no,.1\n"
        "4,B,robot,1,no,.1\n5,A,rule,1,no,.1\n",
        mapping,
    )
    assert table(got.verdicts, "item_id", "judge_kind") == [
        ["1", "simulated"],
        ["2", "simulated"],
        ["3", "model"],
    ]
    assert errors(got) == [
        "a.csv, line 5, column 'kind': must be one of model, simulated, rule; got 'robot'",
        "a.csv, line 6, column 'kind': judge 'A' is 'simulated' in earlier rows; got 'rule'",
    ]


def test_prepare_rows_that_could_not_be_read() -> None:
    got = prepare_text("id,v1,u1,human\n1,yes,.1,1\n2,yes\n3,no,.3,0\n", WIDE)
    assert errors(got) == ["a.csv, line 3, column 'u1': the row has 2 cells, the header 4"]
    assert got.items["item_id"].tolist() == ["1", "3"]
    assert got.quality.rows_read == 3


def test_prepare_no_rows() -> None:
    got = prepare_text("id,v1,u1,human\n", WIDE)
    assert got.quality.rows_read == got.quality.items == 0
    assert got.problems == ()


def test_prepare_item_without_verdict_columns() -> None:
    got = prepare_text("id,human\n1,yes\n", Mapping(id="id", labels=(LabelColumn("human"),)))
    assert got.verdicts.empty
    assert len(got.labels) == 1


def test_prepare_errors_come_before_notes() -> None:
    got = prepare_text("id,v1,u1,human\n1,perhaps,.1,1\n2,yes,.1,maybe\n", WIDE)
    assert [problem.severity for problem in got.problems] == ["error", "note"]


def test_prepare_row_order_changes_nothing() -> None:
    text = "id,judge,mode,verdict,u\n"
    lines = [f"{k % 40},{'AB'[k % 2]},{1 + k % 3 % 2},{k % 5 % 2},0.{k}\n" for k in range(120)]
    forward = prepare_text(text + "".join(lines), LONG)
    backward = prepare_text(text + "".join(reversed(lines)), LONG)
    assert forward.quality == backward.quality
    keys = ["item_id", "judge", "mode"]
    pd.testing.assert_frame_equal(
        forward.verdicts.sort_values(keys, ignore_index=True),
        backward.verdicts.sort_values(keys, ignore_index=True),
    )


def test_decimal_comma_is_told_how_to_write_it() -> None:
    content = b"id;verdict;uncertainty\n1;yes;0,25\n2;yes;1,566\n3;yes;0.5\n"
    raw = read_records([("a.csv", content)])
    mapping = Mapping(id="id", verdict="verdict", uncertainty="uncertainty")
    prepared = prepare_raw(raw, mapping)
    assert [str(problem) for problem in prepared.errors] == [
        (
            "a.csv, line 2, column 'uncertainty': must be a number; got '0,25'; "
            "write 0.25: a decimal point, not a comma"
        ),
        "a.csv, line 3, column 'uncertainty': must be a number; got '1,566'",
    ]
    assert prepared.quality.unreadable_numbers == 2
