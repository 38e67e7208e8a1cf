"""Files, folders, globs and uploads together."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
import pytest

from core.store.readers import read_records
from core.store.writers import to_parquet


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "sub").mkdir()
    (tmp_path / ".hidden").mkdir()
    (tmp_path / "b.csv").write_text("id,x\n2,b\n")
    (tmp_path / "a.jsonl").write_text('{"id": 1, "y": "a"}\n')
    (tmp_path / "sub" / "c.tsv").write_text("id\tx\n3\tc\n")
    (tmp_path / "sub" / "d.PARQUET").write_bytes(to_parquet(pd.DataFrame({"id": ["4"]})))
    (tmp_path / ".hidden" / "e.csv").write_text("id\n5\n")
    (tmp_path / "README.md").write_text("not records")
    return tmp_path


def test_read_records_folder(folder: Path) -> None:
    raw = read_records([folder])
    assert raw.frame["id"].tolist() == ["1", "2", "3", "4"]
    assert raw.columns == ["id", "y", "x"]
    assert raw.frame["x"].isna().tolist() == [True, False, False, True]
    assert [Path(one.file).name for one in raw.formats] == [
        "a.jsonl",
        "b.csv",
        "c.tsv",
        "d.PARQUET",
    ]
    assert raw.line.tolist() == [1, 2, 2, 1]
    assert raw.file.tolist() == [one.file for one in raw.formats]


def test_read_records_glob_and_files_met_twice(folder: Path) -> None:
    raw = read_records([folder / "b.csv", str(folder / "*.csv"), str(folder / "**" / "*.tsv")])
    assert raw.frame["id"].tolist() == ["2", "3"]


def test_read_records_relative_glob(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(folder)
    assert read_records(["[ab].*"]).frame["id"].tolist() == ["1", "2"]


def test_read_records_name_with_glob_characters(tmp_path: Path) -> None:
    path = tmp_path / "run [1].csv"
    path.write_text("id\n7\n")
    assert read_records([path]).frame["id"].tolist() == ["7"]


def test_read_records_uploads_by_content() -> None:
    raw = read_records(
        [
            ("upload", b'[{"id": "1"}]'),
            ("upload.bin", b"id;x\n2;y\n"),
            ("named.csv", to_parquet(pd.DataFrame({"id": ["3"]}))),
        ]
    )
    assert raw.frame["id"].tolist() == ["1", "2", "3"]
    assert [one.format for one in raw.formats] == ["json", "csv", "parquet"]


def test_read_records_counts_unreadable_rows() -> None:
    raw = read_records([("a.jsonl", b"{\n{\n"), ("b.csv", b"id,x\n1,2\n3\n")])
    assert len(raw.frame) == 4
    assert raw.columns == ["id", "x"]
    assert raw.unreadable.tolist() == [True, True, False, True]
    assert [(problem.file, problem.line) for problem in raw.problems] == [
        ("a.jsonl", 1),
        ("a.jsonl", 2),
        ("b.csv", 3),
    ]


def test_read_records_errors(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="No file was named"):
        read_records([])
    with pytest.raises(ValueError, match=r"There is no file '.*nowhere\.csv'"):
        read_records([tmp_path / "nowhere.csv"])
    with pytest.raises(ValueError, match="There is no file"):
        read_records([str(tmp_path / "*.csv")])
    with pytest.raises(ValueError, match="holds no CSV, JSONL, JSON or Parquet file"):
        read_records([tmp_path])
