"""A cohort out and in again."""

from __future__ import annotations

import pandas as pd
import pytest
from hypothesis import HealthCheck, given, settings

from core.store.content_hash import KEYS, content_hash
from core.store.database import Database
from core.store.exports import export_frame, to_csv, to_jsonl, to_parquet
from core.store.imports import (
    FeatureColumn,
    LabelColumn,
    PreparedCohort,
    StratumColumn,
    guess_mapping,
    prepare,
    read_records,
    write_cohort,
)
from core.store.layout import COLUMNS, feature_header, label_header, stratum_header
from tests.core.store.helpers import prepare_text, write_text
from tests.core.store.nasty import cohorts

TEXT = (
    "id,question,judge,mode,verdict,uncertainty,label:human:anna,label:auto:s,"
    "feature:text:length,stratum:topic\n"
    "2,=q,J,2,yes,-0.02,1,,3,x\n"
    "2,=q,J,1,maybe,.5,1,,3,x\n"
    "10,,,,,,,0,,\n"
)
WRITERS = {
    "out.csv": to_csv,
    "bom.csv": lambda frame: to_csv(frame, bom=True),
    "out.jsonl": to_jsonl,
    "out.parquet": to_parquet,
}


NOTHING = prepare_text("id,answer\n")


def hash_of(prepared: PreparedCohort) -> str:
    return content_hash({table: getattr(prepared, table) for table in KEYS})


@settings(max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(frames=cohorts())
def test_export_and_import_give_equal_records(
    db: Database, frames: dict[str, pd.DataFrame]
) -> None:
    given_records = PreparedCohort(**frames, problems=(), quality=NOTHING.quality)
    cohort = write_cohort(db, given_records, "nasty", replace=True)
    exported = export_frame(db, cohort.cohort_id)
    for name in ("out.csv", "out.jsonl", "out.parquet"):
        raw = read_records([(name, WRITERS[name](exported))])
        prepared = prepare(raw, guess_mapping(raw))
        assert prepared.problems == ()
        assert prepared.quality.duplicates == 0
        assert hash_of(prepared) == cohort.data_hash, name


@pytest.mark.parametrize("name", list(WRITERS))
def test_exported_file_gives_the_same_cohort(db: Database, name: str) -> None:
    first = write_text(db, TEXT, "first")
    exported = export_frame(db, "first")
    raw = read_records([(name, WRITERS[name](exported))])
    again = write_cohort(db, prepare(raw, guess_mapping(raw)), "again")
    assert (again.data_hash, again.judges) == (first.data_hash, first.judges)
    pd.testing.assert_frame_equal(export_frame(db, "again"), exported)


def test_export_frame_by_hand(db: Database) -> None:
    write_text(db, TEXT)
    frame = export_frame(db, "sample")
    assert list(frame.columns) == [
        *COLUMNS,
        "label:auto:s",
        "label:human:anna",
        "feature:text:length",
        "stratum:topic",
    ]
    assert frame["id"].tolist() == ["10", "2", "2"]
    assert frame["mode"].fillna("").tolist() == ["", "mode1", "mode2"]
    assert frame["verdict"].isna().tolist() == [True, True, False]
    assert frame["uncertainty"].tolist()[1:] == [0.5, -0.02]
    assert frame["label:auto:s"].isna().tolist() == [False, True, True]
    assert frame["feature:text:length"].tolist()[1:] == [3, 3]


def test_exported_csv_by_hand(db: Database) -> None:
    write_text(db, TEXT)
    lines = to_csv(export_frame(db, "sample")).decode().split("\r\n")
    assert lines[1] == "10,,,,,,,,,,,,,,,false,,,"
    assert lines[2] == (
        "2,'=q,,,,J,model,mode1,,0.5,uncertainty,,unreadable verdict: 'maybe',,,,true,3.0,x"
    )
    assert lines[3] == "2,'=q,,,,J,model,mode2,true,-0.02,uncertainty,,,,,,true,3.0,x"


def test_export_frame_names_with_colons(db: Database) -> None:
    raw = read_records([("a.csv", b"i,a,b,c\n1,yes,2,x\n")])
    mapping = guess_mapping(raw).replace(
        id="i",
        labels=(LabelColumn("a", "panel: A", "anna: B"),),
        features=(FeatureColumn("b", "f: 1", "n: 2"),),
        strata=(StratumColumn("c", "s: 3"),),
    )
    write_cohort(db, prepare(raw, mapping), "sample")
    assert list(export_frame(db, "sample").columns[len(COLUMNS) :]) == [
        label_header("panel: A", "anna: B"),
        feature_header("f: 1", "n: 2"),
        stratum_header("s: 3"),
    ]


def test_export_frame_unknown_cohort(db: Database) -> None:
    with pytest.raises(ValueError, match=r"There is no cohort '.*' in this database"):
        export_frame(db, "nothing")


def test_export_holds_one_cohort_only(db: Database) -> None:
    write_text(db, TEXT, "one")
    write_text(db, TEXT.replace("10,", "11,"), "two")
    assert export_frame(db, "one")["id"].tolist() == ["10", "2", "2"]
    assert export_frame(db, "two")["id"].tolist() == ["11", "2", "2"]
