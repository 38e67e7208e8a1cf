"""The report before anything is written."""

from __future__ import annotations

from core.store.imports import LabelColumn, Mapping
from core.store.quality import Balance
from tests.core.store.helpers import prepare_text

MAPPING = Mapping(
    id="id",
    verdict="v",
    uncertainty="u",
    uncertainty_as="p_true",
    labels=(LabelColumn("h"), LabelColumn("s", "script")),
)
TEXT = (
    "id,v,u,h,s\n"
    "1,yes,.5,1,1\n"
    "2,no,.5,0,1\n"
    "3,maybe,.5,,1\n"
    "4,,.5,1,\n"
    "5,no,,,\n"
    "1,yes,.5,1,1\n"  # identical to the first
    "6,no,1.5,1,1\n"  # out of range
    "7,no,.5,x,1\n"  # unreadable label
    "8,no,.5,1,1\n"
    "8,yes,.5,1,1\n"  # contradicts the one before
    "9,no,y,1,1\n"  # unreadable number
    "10,no\n"  # too short
)


def test_quality_report_by_hand() -> None:
    got = prepare_text(TEXT, MAPPING).quality
    assert (got.rows_read, got.rows_with_errors, got.duplicates) == (12, 6, 1)
    assert (got.items, got.verdicts, got.labels) == (5, 5, 6)
    assert (got.missing_verdicts, got.unreadable_verdicts, got.missing_uncertainties) == (2, 1, 1)
    assert (got.uncertainty_out_of_range, got.unreadable_labels, got.unreadable_numbers) == (
        1,
        1,
        1,
    )
    assert (got.conflicting_duplicates, got.missing_labels) == (1, 1)
    assert got.balance == (
        Balance("labels", "human", "", 2, 1, 0),
        Balance("labels", "script", "", 3, 0, 0),
        Balance("verdicts", "judge", "mode1", 1, 2, 2),
    )


def test_quality_report_rows_add_up() -> None:
    got = prepare_text(TEXT, MAPPING).quality
    assert got.rows_read == got.rows_with_errors + got.duplicates + got.items


def test_quality_report_as_table() -> None:
    table = prepare_text(TEXT, MAPPING).quality.as_table().set_index("check")
    assert table.loc["rows read", "count"] == 12
    assert table.loc["verdicts judge mode1: true", "count"] == 1
    assert table.loc["verdicts judge mode1: true", "of"] == 5
    assert table.loc["verdicts judge mode1: true", "note"] == "2 missing"
    assert table.loc["missing verdicts", "of"] == 5
    assert not table.index.has_duplicates
    assert str(table["count"].dtype) == "int64"
