"""What residuals are computed from, as it comes out of the store."""

from __future__ import annotations

import numpy as np
import pytest

from core.store.database import open_database
from core.store.exports import export_frame, to_csv
from core.store.imports import guess_mapping, prepare, read_records, write_cohort
from core.store.records import load_judged
from core.store.residual_records import (
    load_features_table,
    load_ratings,
    load_residual_records,
    load_strata_table,
    load_texts,
)
from core.store.tags import FAILURE_CLASS, tag_item
from tests.core.residual_cohort import N, rows, write


@pytest.fixture
def db():
    with open_database(":memory:") as db:
        yield db


def test_verdicts_and_labels_are_those_of_the_other_loader(db) -> None:
    cohort = write(db, rows())
    found = load_residual_records(db, cohort.cohort_id, "J")
    judged = load_judged(db, cohort.cohort_id, "J")
    np.testing.assert_array_equal(found.item_id, judged.item_id)
    np.testing.assert_array_equal(found.verdict, judged.verdict1)
    np.testing.assert_array_equal(found.human, judged.human)
    # A judge that can't tell is no verdict to route by, but its doubt is known here.
    known = ~found.unknown
    np.testing.assert_array_equal(found.uncertainty[known], judged.uncertainty1[known])
    assert np.isnan(judged.uncertainty1[found.unknown]).all()
    assert not np.isnan(found.uncertainty[found.unknown]).any()
    assert found.question[0] == "Question 0 [of *some*]?"


def test_unknown_is_told_from_unreadable(db) -> None:
    cohort = write(db, rows())
    found = load_residual_records(db, cohort.cohort_id, "J")
    np.testing.assert_array_equal(np.flatnonzero(found.unknown), np.arange(15))
    assert found.cause[0] == "unknown"
    assert found.cause[15] == "unreadable verdict: 'perhaps'"
    assert found.cause[20] is None
    ties = int(found.tied.sum())
    reasons = found.missing("wrong")
    assert reasons["no label"] == 10
    assert "unknown" not in reasons
    assert found.missing("excluded")["unknown"] == 15 - int(found.tied[:15].sum())
    assert ties == reasons.get("annotators disagree evenly", 0)


def test_unknown_survives_an_export(db) -> None:
    cohort = write(db, rows())
    raw = read_records([("again.csv", to_csv(export_frame(db, cohort.cohort_id)))])
    again = write_cohort(db, prepare(raw, guess_mapping(raw)), "Again")
    found = load_residual_records(db, again.cohort_id, "J")
    assert found.unknown.sum() == 15
    assert again.data_hash == cohort.data_hash


def test_tables_are_wide_and_ordered_by_item(db) -> None:
    frame = rows()
    cohort = write(db, frame.sample(frac=1, random_state=0))
    features, families = load_features_table(db, cohort.cohort_id)
    assert families == {
        "support [share]": "evidence", "noise": "judge output", "constant": "task",
    }  # fmt: skip
    np.testing.assert_allclose(
        features["support [share]"], frame["feature:evidence:support [share]"]
    )
    assert features["noise"].isna().sum() == frame["feature:judge output:noise"].isna().sum()
    strata = load_strata_table(db, cohort.cohort_id)
    assert list(strata) == ["subject", "time-sensitive"]
    expected = [one or None for one in frame["stratum:subject"]]
    assert strata["subject"].to_list() == expected
    names, ratings = load_ratings(db, cohort.cohort_id, "human")
    assert names == ("a", "b", "c")
    assert ratings.shape == (N, 3)
    assert (~np.isnan(ratings)).sum(axis=0).tolist() == [290, 40, 40]


def test_a_name_in_two_families_carries_its_family(db) -> None:
    frame = rows()
    frame["feature:task:noise"] = 2
    cohort = write(db, frame)
    features, families = load_features_table(db, cohort.cohort_id)
    assert {"noise (task)", "noise (judge output)"} <= set(features)
    assert families["noise (task)"] == "task"


def test_a_cohort_without_features_or_strata_has_empty_tables(db) -> None:
    frame = rows()[["id", "question", "answer", "judge", "mode", "verdict", "label:human:a"]]
    cohort = write(db, frame)
    features, families = load_features_table(db, cohort.cohort_id)
    assert (features.shape, families) == ((N, 0), {})
    assert load_strata_table(db, cohort.cohort_id).shape == (N, 0)


def test_texts_of_some_records(db) -> None:
    cohort = write(db, rows())
    texts = load_texts(db, cohort.cohort_id, "J", "mode1", item_ids=["r0003", "r0001", "gone"])
    assert texts["id"].to_list() == ["r0001", "r0003"]
    assert texts["explanation"][0] == "It may be so."
    assert len(load_texts(db, cohort.cohort_id, "J", "mode1")) == N


def test_an_unknown_mode_names_the_known_ones(db) -> None:
    cohort = write(db, rows())
    with pytest.raises(ValueError, match="Known: 'mode1'"):
        load_residual_records(db, cohort.cohort_id, "J", mode="mode2")


def test_a_tag_is_a_stratum_and_changes_the_content(db) -> None:
    cohort = write(db, rows())
    digest = tag_item(db, cohort.cohort_id, "r0004", FAILURE_CLASS, "judge reasoning")
    assert digest != cohort.data_hash
    strata = load_strata_table(db, cohort.cohort_id)
    assert strata[FAILURE_CLASS].notna().sum() == 1
    assert strata[FAILURE_CLASS][4] == "judge reasoning"
    raw = read_records([("again.csv", to_csv(export_frame(db, cohort.cohort_id)))])
    again = write_cohort(db, prepare(raw, guess_mapping(raw)), "Again")
    assert again.data_hash == digest
    assert tag_item(db, cohort.cohort_id, "r0004", FAILURE_CLASS, None) == cohort.data_hash


def test_a_tag_of_an_unknown_record_is_refused(db) -> None:
    cohort = write(db, rows())
    with pytest.raises(ValueError, match="no record 'gone'"):
        tag_item(db, cohort.cohort_id, "gone", FAILURE_CLASS, "judge reasoning")
    with pytest.raises(ValueError, match="no cohort 'none'"):
        tag_item(db, "none", "r0004", FAILURE_CLASS, "judge reasoning")
