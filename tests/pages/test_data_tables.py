"""The Data page's tables, as plain functions."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from core.store.imports import LabelColumn, Mapping
from core.store.mapping import ROLES
from core.store.records import JudgedRecords
from pages.data import roles, tables


def judged(**changes) -> JudgedRecords:
    nan = np.nan
    given = {
        "cohort_id": "c", "cohort_name": "c", "data_hash": "h", "judge": "j", "judge_kind": "rule",
        "candidate": None, "label_source": "human",
        "item_id": np.array(["a", "b", "c", "d"], dtype=object),
        "verdict1": np.array([1.0, 0.0, 1.0, nan]),
        "uncertainty1": np.array([0.1, nan, 0.3, nan]),
        "verdict2": np.full(4, nan),
        "uncertainty2": np.full(4, nan),
        "human": np.array([1.0, 1.0, nan, 0.0]),
        "uncertainty_kind1": "entropy", "uncertainty_kind2": None,
        "n_questions": 4, "n_label_ties": 1,
    }  # fmt: skip
    return JudgedRecords(**(given | changes))


def test_modes_of_counts_missing_verdicts_in_n() -> None:
    (mode,) = tables.modes_of(judged())
    assert (mode.scored, mode.verdicts, mode.n) == (2, 3, 4)
    assert (mode.says_correct, mode.compared, mode.wrong) == (2, 2, 1)


def test_mode_table_shows_verdicts_only_where_they_differ_from_scored() -> None:
    few = tables.mode_table(tables.modes_of(judged()))
    assert few["Verdicts"].tolist() == ["3 of 4"]
    assert few["Judge"].tolist() == ["j (rule)"]
    full = judged(uncertainty1=np.array([0.1, 0.2, 0.3, np.nan]))
    assert "Verdicts" not in tables.mode_table(tables.modes_of(full))


def test_labels_of_counts_classes_and_ties() -> None:
    found = tables.labels_of(judged())
    assert found == tables.Labels("human", n=4, labelled=3, correct=2, ties=1)
    shown = tables.label_table([found]).loc[0]
    assert shown["Answer wrong"] == "33.3% of 3"
    assert tables.labels_of(judged(label_source=None)) is None


def test_preview_leaves_out_what_nobody_filled() -> None:
    table = pd.DataFrame(
        {"id": ["7", "8"], "answer": [None, None], "verdict1": pd.array([True, None], "boolean")}
    )
    shown = tables.preview(table)
    assert shown.columns.tolist() == ["Id", "Mode 1 says"]
    assert shown["Mode 1 says"].fillna("").tolist() == ["correct", ""]


def test_every_role_of_a_mapping_can_be_chosen() -> None:
    groups = (roles.RECORD, roles.JUDGE, roles.VERDICT1, roles.VERDICT2, roles.LABELS)
    assert {role.name for group in groups for role in group} == set(ROLES)


def test_use_column_moves_a_column_from_one_use_to_another() -> None:
    mapping = roles.use_column(Mapping(), "a", "label")
    assert roles.extra_columns(mapping) == [("a", "label")]
    mapping = roles.use_column(mapping, "a", "feature")
    assert roles.extra_columns(mapping) == [("a", "feature")]
    assert roles.extra_columns(roles.use_column(mapping, "a", None)) == []


def test_use_column_gives_every_annotator_a_name_of_their_own() -> None:
    mapping = roles.use_column(roles.use_column(Mapping(), "ann", "label"), "bob", "label")
    assert mapping.labels == (LabelColumn("ann", "human", "1"), LabelColumn("bob", "human", "bob"))
    mapping.check(["ann", "bob"])


def test_rename_column_changes_only_that_column() -> None:
    mapping = roles.use_column(roles.use_column(Mapping(), "ann", "label"), "bob", "label")
    renamed = roles.rename_column(mapping, "bob", source="panel")
    assert [label.source for label in renamed.labels] == ["human", "panel"]


@pytest.mark.parametrize(
    ("mapping", "lacks"),
    [
        (Mapping(), "verdicts"),
        (Mapping(verdict="v"), "labels"),
        (Mapping(verdict="v", labels=(LabelColumn("h"),)), "uncertainty"),
        (Mapping(verdict="v", uncertainty="u", labels=(LabelColumn("h"),)), ""),
    ],
)
def test_missing_names_what_a_certificate_lacks(mapping: Mapping, lacks: str) -> None:
    assert lacks in roles.missing(mapping)
    assert bool(roles.missing(mapping)) == bool(lacks)


def test_examples_are_different_and_short() -> None:
    frame = pd.DataFrame({"a": ["x", "x ", None, "y" * 40], "b": [None, "", " ", None]})
    assert roles.examples(frame, "a") == "x, " + "y" * 23 + "…"
    assert roles.examples(frame, "b") == "empty"
