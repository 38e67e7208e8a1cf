"""EVOUNA: people's labels of 24,788 answers, and no judge."""

from __future__ import annotations

import time

import pytest

from core.store.database import Database, open_database
from core.store.exports import to_csv
from core.store.imports import guess_mapping, prepare, read_records, write_cohort
from core.store.records import load_judged
from tests.real.conftest import Import
from tests.real.convert import EVOUNA_SYSTEMS, evouna
from tests.shared import shared_path


def test_evouna_cohort(db: Database, import_frame: Import) -> None:
    frame = evouna(shared_path("data/evouna_qaeval"))
    cohort = import_frame(frame, "evouna")
    assert (cohort.n_items, cohort.n_labelled) == (24_788, 24_788)
    assert cohort.judges == ()
    assert cohort.candidates == EVOUNA_SYSTEMS
    with pytest.raises(ValueError, match=r"'judge' must be one of .*; got 'judge'. Known: none"):
        load_judged(db, "evouna", "judge")


def test_evouna_imports_within_five_seconds() -> None:
    """Read, checked and written; in seconds of this process, whatever else the machine does."""
    content = to_csv(evouna(shared_path("data/evouna_qaeval")))
    with open_database(":memory:") as db:
        started = time.process_time()
        raw = read_records([("evouna.csv", content)])
        cohort = write_cohort(db, prepare(raw, guess_mapping(raw)), "evouna")
        taken = time.process_time() - started
    assert cohort.n_items == 24_788
    assert taken < 5
