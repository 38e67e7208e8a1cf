"""Schema steps and their record."""

from __future__ import annotations

from pathlib import Path

import duckdb
import pytest

from core.store import migrations
from core.store.database import open_database
from core.store.migrations import MIGRATIONS, DatabaseVersionError


def recorded(path: Path) -> list[tuple[int, str]]:
    with duckdb.connect(str(path)) as connection:
        return connection.execute(
            "SELECT version, name FROM migrations ORDER BY version"
        ).fetchall()


def test_migrate_records_every_step_once(tmp_path: Path) -> None:
    path = tmp_path / "records.duckdb"
    open_database(path).close()
    open_database(path).close()
    expected = [(number, name) for number, (name, _) in enumerate(MIGRATIONS, start=1)]
    assert recorded(path) == expected


def test_migrate_applies_only_what_is_missing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "records.duckdb"
    open_database(path).close()
    step = ("notes", "CREATE TABLE notes (cohort_id VARCHAR, text VARCHAR)")
    monkeypatch.setattr(migrations, "MIGRATIONS", (*MIGRATIONS, step))
    with pytest.raises(DatabaseVersionError, match="needs a schema update"):
        open_database(path, read_only=True)
    with open_database(path) as db, db.cursor() as cursor:
        assert cursor.execute("SELECT count(*) FROM notes").fetchall() == [(0,)]
    assert recorded(path)[-1] == (len(MIGRATIONS) + 1, "notes")


def test_migrate_leaves_nothing_of_a_failed_step(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "records.duckdb"
    open_database(path).close()
    broken = ("broken", "CREATE TABLE half (a INTEGER); SELECT * FROM nowhere")
    with monkeypatch.context() as patch:
        patch.setattr(migrations, "MIGRATIONS", (*MIGRATIONS, broken))
        with pytest.raises(duckdb.CatalogException):
            open_database(path)
    with open_database(path) as db, db.cursor() as cursor:
        tables = cursor.execute("SELECT table_name FROM information_schema.tables").fetchall()
    assert ("half",) not in tables
    assert len(recorded(path)) == len(MIGRATIONS)


def test_file_of_a_newer_schema_is_explained(tmp_path: Path) -> None:
    path = tmp_path / "records.duckdb"
    open_database(path).close()
    with duckdb.connect(str(path)) as connection:
        connection.execute("INSERT INTO migrations VALUES (99, 'from the future', now())")
    for read_only in (False, True):
        with pytest.raises(DatabaseVersionError, match="has schema version 99; this program"):
            open_database(path, read_only=read_only)


def test_somebody_elses_database_is_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "other.duckdb"
    with duckdb.connect(str(path)) as connection:
        connection.execute("CREATE TABLE invoices (a INTEGER)")
    with pytest.raises(ValueError, match=r"holds tables of another program .*'invoices'"):
        open_database(path)
    with duckdb.connect(str(path)) as connection:
        tables = connection.execute("SELECT table_name FROM information_schema.tables").fetchall()
    assert tables == [("invoices",)]
