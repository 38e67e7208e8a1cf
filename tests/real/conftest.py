"""A converted data set, written to a file and imported as a person would."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pandas as pd
import pytest

from core.store.cohorts import Cohort
from core.store.database import Database, open_database
from core.store.exports import to_csv
from core.store.imports import guess_mapping, prepare, read_records, write_cohort

Import = Callable[[pd.DataFrame, str], Cohort]


@pytest.fixture(scope="module")
def db() -> Iterator[Database]:
    with open_database(":memory:") as database:
        yield database


@pytest.fixture(scope="module")
def import_frame(db: Database, tmp_path_factory: pytest.TempPathFactory) -> Import:
    """Import a frame by way of a CSV file; no row of it may be a problem."""

    def run(frame: pd.DataFrame, name: str) -> Cohort:
        path: Path = tmp_path_factory.mktemp("real") / f"{name}.csv"
        path.write_bytes(to_csv(frame))
        raw = read_records([path])
        prepared = prepare(raw, guess_mapping(raw))
        assert prepared.problems == ()
        assert prepared.quality.rows_read == len(frame)
        return write_cohort(db, prepared, name, source=str(path))

    return run
