"""Batches are kept as drawn, and their labels apart from the cohort's."""

from __future__ import annotations

from collections.abc import Iterator

import pandas as pd
import pytest

from core.store.batches import (
    get_batch,
    list_batches,
    load_drawn,
    load_labels,
    load_population,
    save_batch,
    save_labels,
)
from core.store.cohorts import delete_cohort, get_cohort
from core.store.database import Database, open_database
from core.store.imports import guess_mapping, prepare, read_records, write_cohort

TEXT = b"""id,question,answer,judge,mode,verdict,explanation,label
007,q1,a1,J,mode1,true,because,true
8,q2,a2,J,mode1,false,so,
9,q3,a3,J,mode1,,,
"""
SETTINGS = {"judge": "J", "mode": "mode1", "seed": 5, "policy": "Uniform"}


def write(db: Database, text: bytes = TEXT, *, replace: bool = False) -> None:
    raw = read_records([("mine.csv", text)])
    write_cohort(db, prepare(raw, guess_mapping(raw)), "Mine", replace=replace)


@pytest.fixture
def db() -> Iterator[Database]:
    with open_database(":memory:") as store:
        write(store)
        yield store


def records() -> pd.DataFrame:
    return pd.DataFrame(
        {
            "item_id": ["9", "007", "8"],
            "inclusion_prob": [0.5, 1.0, 0.5],
            "predictor": [0.5, 1.0, 0.0],
            "risk_score": [0.2, 0.9, 0.2],
            "drawn": [True, True, False],
            "audit": [False, True, False],
            "place": [1, 0, None],
        }
    )


def test_a_batch_is_read_back_as_it_was_drawn(db: Database) -> None:
    hash_before = get_cohort(db, "mine").data_hash
    batch = save_batch(db, "mine", SETTINGS, records())
    assert (batch.batch_id, batch.number) == ("mine-batch-1", 1)
    assert batch.settings == SETTINGS
    assert (batch.n_population, batch.n_drawn, batch.n_labelled) == (3, 2, 0)
    assert save_batch(db, "mine", SETTINGS, records()).number == 2
    assert [one.number for one in list_batches(db, "mine")] == [1, 2]
    population = load_population(db, batch.batch_id)
    assert population["item_id"].tolist() == ["007", "8", "9"]
    assert population["inclusion_prob"].tolist() == [1.0, 0.5, 0.5]
    drawn = load_drawn(db, batch.batch_id)
    assert drawn["id"].tolist() == ["007", "9"]
    assert drawn["explanation"].tolist()[0] == "because"
    assert drawn["audit"].tolist() == [True, False]
    assert get_cohort(db, "mine").data_hash == hash_before


def test_labels_come_back_and_later_ones_replace_the_earlier(db: Database) -> None:
    batch = save_batch(db, "mine", SETTINGS, records()).batch_id
    first = pd.DataFrame(
        {"item_id": ["007", "007", "9"], "annotator": ["a", "b", "a"], "value": [True, True, False]}
    )
    assert save_labels(db, batch, first) == 3
    later = pd.DataFrame({"item_id": ["007"], "annotator": ["b"], "value": [False]})
    assert save_labels(db, batch, later) == 3
    found = load_labels(db, batch)
    assert found["value"].tolist() == [True, False, False]
    assert get_batch(db, batch).n_labelled == 2
    assert get_cohort(db, "mine").n_labelled == 1


def test_a_replaced_cohort_keeps_its_batches_and_a_deleted_one_does_not(db: Database) -> None:
    batch = save_batch(db, "mine", SETTINGS, records()).batch_id
    label = pd.DataFrame({"item_id": ["9"], "annotator": ["a"], "value": [True]})
    save_labels(db, batch, label)
    write(db, TEXT.replace(b"a3", b"a4"), replace=True)
    assert get_batch(db, batch).n_labelled == 1
    assert load_drawn(db, batch)["answer"].tolist() == ["a1", "a4"]
    delete_cohort(db, "mine")
    with pytest.raises(ValueError, match=r"no batch 'mine-batch-1' in this database. Known: none"):
        get_batch(db, batch)
    assert len(load_labels(db, batch)) == len(load_population(db, batch)) == 0


def test_what_cannot_be_kept_is_refused_whole(db: Database) -> None:
    with pytest.raises(ValueError, match="no cohort 'other'"):
        save_batch(db, "other", SETTINGS, records())
    with pytest.raises(ValueError, match="at least one drawn"):
        save_batch(db, "mine", SETTINGS, records().assign(drawn=False))
    with pytest.raises(ValueError, match="each id once; got '9' twice"):
        save_batch(db, "mine", SETTINGS, pd.concat([records(), records()[:1]]))
    assert list_batches(db, "mine") == []
    batch = save_batch(db, "mine", SETTINGS, records()).batch_id
    labels = pd.DataFrame({"item_id": ["9", "8"], "annotator": "a", "value": True})
    with pytest.raises(ValueError, match="'8' was not drawn"):
        save_labels(db, batch, labels)
    with pytest.raises(ValueError, match="two on '9'"):
        save_labels(db, batch, pd.concat([labels[:1], labels[:1]]))
    assert len(load_labels(db, batch)) == 0
