"""Names in column headers."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.store.layout import (
    COLUMNS,
    LATER_COLUMNS,
    FeatureColumn,
    LabelColumn,
    StratumColumn,
    feature_header,
    is_records_format,
    label_header,
    read_header,
    stratum_header,
)

NAMES = st.text(min_size=1)


@given(NAMES, NAMES)
def test_label_header_reads_back(source: str, annotator: str) -> None:
    header = label_header(source, annotator)
    assert read_header(header) == LabelColumn(header, source, annotator)


@given(NAMES, NAMES)
def test_feature_and_stratum_headers_read_back(family: str, name: str) -> None:
    header = feature_header(family, name)
    assert read_header(header) == FeatureColumn(header, family, name)
    header = stratum_header(name)
    assert read_header(header) == StratumColumn(header, name)


def test_read_header_without_annotator() -> None:
    assert read_header("label:human") == LabelColumn("label:human", "human", "1")


@pytest.mark.parametrize("column", ["label", "label:", "feature:a", "feature::x", "stratum:", "id"])
def test_read_header_of_other_columns(column: str) -> None:
    assert read_header(column) is None


def test_is_records_format_needs_every_column_in_order() -> None:
    assert is_records_format(COLUMNS)
    assert is_records_format([*COLUMNS, "label:human:1", "stratum:x"])
    assert not is_records_format([*COLUMNS, "note"])
    older = [column for column in COLUMNS if column not in LATER_COLUMNS]
    assert is_records_format([*older, "stratum:x"])
    assert is_records_format([*older, "evidence"])
    assert not is_records_format([*older, "spans", "evidence"])
    assert not is_records_format(COLUMNS[:-3])
    assert not is_records_format([COLUMNS[1], COLUMNS[0], *COLUMNS[2:]])
