"""What other tools write goes through the reader unharmed."""

from __future__ import annotations

import csv
import json
from dataclasses import replace
from pathlib import Path

import pytest

from core.store.imports import LabelColumn, Mapping, guess_mapping, prepare, read_records
from tests.shared import SHARED, shared_path

FOLDER = SHARED / "data" / "import_formats"
FILES = sorted(
    path.relative_to(FOLDER).as_posix()
    for path in FOLDER.rglob("*")
    if path.suffix in (".csv", ".tsv", ".jsonl", ".parquet")
)
# Traces name their texts in ways of their own: a person says which column is the question.
QUESTIONS = {
    "mlflow/traces.jsonl": "info.request_preview",
    "phoenix/spans.jsonl": "attributes.input.value",
    "phoenix/spans.parquet": "attributes.input.value",
}


@pytest.mark.parametrize("name", FILES or ["missing"])
def test_every_row_is_read_and_prepared(name: str) -> None:
    path = shared_path(f"data/import_formats/{name}")
    raw = read_records([path])
    assert [problem for problem in raw.problems if problem.severity == "error"] == []
    if path.suffix in (".csv", ".tsv"):
        with path.open(newline="", encoding="utf-8") as file:
            rows = list(csv.reader(file, delimiter="\t" if path.suffix == ".tsv" else ","))
        assert raw.frame.fillna("").to_numpy().tolist() == rows[1:]
    if path.suffix == ".jsonl":
        assert len(raw.frame) == len(path.read_text(encoding="utf-8").strip().split("\n"))
    mapping = guess_mapping(raw)
    if name in QUESTIONS:
        with pytest.raises(ValueError, match="plays a role"):
            prepare(raw, mapping)
        mapping = replace(mapping, question=QUESTIONS[name])
    if mapping.id is not None or mapping.mode is None:
        assert prepare(raw, mapping).quality.rows_read == len(raw.frame)


def test_parquet_and_jsonl_of_one_table_agree() -> None:
    folder = shared_path("data/import_formats/phoenix")
    parquet = read_records([folder / "spans.parquet"])
    lines = (folder / "spans.jsonl").read_text(encoding="utf-8").strip().split("\n")
    assert len(parquet.frame) == len(lines)
    ids = [json.loads(line)["context.span_id"] for line in lines]
    assert parquet.frame["context.span_id"].tolist() == ids


@pytest.mark.parametrize("name", ["export.csv", "export.tsv", "export.min.json"])
def test_label_studio_choices_are_refused_not_guessed(name: str) -> None:
    path: Path = shared_path(f"data/import_formats/label_studio/{name}")
    raw = read_records([path])
    mapping = Mapping(id="id", question="instruction", labels=(LabelColumn("better"),))
    prepared = prepare(raw, mapping)
    assert prepared.quality.unreadable_labels > 0
    assert {problem.value for problem in prepared.errors} <= {"Response 1", "Response 2", "Tie"}
    assert "must be one of true/false" in prepared.errors[0].message
