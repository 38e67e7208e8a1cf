"""Short ways from text to prepared records, for the tests beside this file."""

from __future__ import annotations

from core.store.cohorts import Cohort
from core.store.database import Database
from core.store.imports import (
    Mapping,
    PreparedCohort,
    guess_mapping,
    prepare,
    read_records,
    write_cohort,
)


def prepare_text(text: str, mapping: Mapping | None = None, name: str = "a.csv") -> PreparedCohort:
    """Prepare a file's text with the guessed, or a given, mapping."""
    raw = read_records([(name, text.encode())])
    return prepare(raw, guess_mapping(raw) if mapping is None else mapping)


def write_text(db: Database, text: str, name: str = "sample", **options: object) -> Cohort:
    """Import a CSV text as a cohort."""
    return write_cohort(db, prepare_text(text), name, **options)  # type: ignore[arg-type]
