"""Opening, sharing and locking the file."""

from __future__ import annotations

import os
import re
import struct
import subprocess
import sys
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path

import duckdb
import pytest

from core.store.database import Database, DatabaseLockedError, open_database
from core.store.migrations import DatabaseVersionError


def holding(path: Path, read_only: bool = False) -> str:
    """A script that opens the file and waits."""
    return (
        "import sys, duckdb\n"
        f"connection = duckdb.connect({str(path)!r}, read_only={read_only})\n"
        "print('open', flush=True)\n"
        "sys.stdin.read()\n"
    )


@contextmanager
def other_process(path: Path, *, read_only: bool = False) -> Iterator[int]:
    """Another Python process that holds the file; gives its number."""
    script = holding(path, read_only)
    child = subprocess.Popen(
        [sys.executable, "-c", script], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    assert child.stdin is not None
    assert child.stdout is not None
    try:
        assert child.stdout.readline() == "open\n"
        yield child.pid
    finally:
        child.stdin.close()
        child.wait(timeout=30)
        child.stdout.close()


def test_open_database_keeps_rows(tmp_path: Path) -> None:
    path = tmp_path / "new folder" / "records.duckdb"
    with open_database(path) as db, db.transaction() as cursor:
        cursor.execute("INSERT INTO strata VALUES ('c', '007', 'topic', 'x')")
    with open_database(path) as db, db.cursor() as cursor:
        assert cursor.execute("SELECT item_id FROM strata").fetchall() == [("007",)]


def test_open_database_takes_path_from_environment(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ASSAY_DATABASE", str(tmp_path / "from-environment.duckdb"))
    with open_database() as db:
        assert db.path == str(tmp_path / "from-environment.duckdb")
    monkeypatch.setenv("ASSAY_DATABASE", ":memory:")
    with open_database() as db:
        assert db.path == ":memory:"


def test_memory_databases_are_separate(db: Database) -> None:
    with db.transaction() as cursor:
        cursor.execute("INSERT INTO strata VALUES ('c', '1', 'topic', 'x')")
    with open_database(":memory:") as other, other.cursor() as cursor:
        assert cursor.execute("SELECT count(*) FROM strata").fetchall() == [(0,)]


def test_locked_file_names_the_process_and_the_way_out(tmp_path: Path) -> None:
    path = tmp_path / "locked.duckdb"
    open_database(path).close()
    with other_process(path) as pid:
        with pytest.raises(DatabaseLockedError) as writing:
            open_database(path)
        with pytest.raises(DatabaseLockedError) as reading:
            open_database(path, read_only=True)
    for text in (str(writing.value), str(reading.value)):
        assert text.startswith(f"{path} is open in process {pid}")
        assert text.endswith(
            ". Stop it, or set ASSAY_DATABASE to another file. Once nothing has it open for "
            "writing, several programs can read it together."
        )
        if Path("/proc").exists():
            # The script is longer than what is shown of it: cut between two words.
            command = re.search(r"process \d+ \((.*) …\)\. Stop it", text)
            assert command
            assert f"{command[1]} " in " ".join(f"{sys.executable} -c {holding(path)}".split())


def test_several_processes_read_together(tmp_path: Path) -> None:
    path = tmp_path / "shared.duckdb"
    open_database(path).close()
    with other_process(path, read_only=True), open_database(path, read_only=True) as db:
        assert db.read_only
        with db.cursor() as cursor:
            assert cursor.execute("SELECT count(*) FROM cohorts").fetchall() == [(0,)]
    open_database(path).close()


def test_mixed_modes_in_one_process_are_explained(tmp_path: Path) -> None:
    path = tmp_path / "mixed.duckdb"
    with open_database(path), pytest.raises(DatabaseLockedError) as caught:
        open_database(path, read_only=True)
    assert "already open for writing in this process" in str(caught.value)
    assert str(os.getpid()) in str(caught.value)


def test_read_only_refuses_to_write(tmp_path: Path) -> None:
    path = tmp_path / "read.duckdb"
    open_database(path).close()
    with (
        open_database(path, read_only=True) as db,
        pytest.raises(RuntimeError, match="open read-only, so nothing can be written"),
        db.transaction(),
    ):
        pass


def test_read_only_needs_a_file(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="doesn't exist, so it can't be opened read-only"):
        open_database(tmp_path / "none.duckdb", read_only=True)
    with pytest.raises(ValueError, match="'read_only' must be False for ':memory:'; got True"):
        open_database(":memory:", read_only=True)


@pytest.mark.parametrize("content", [b"", b"id,answer\n" * 2000])
def test_other_files_are_refused(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "records.duckdb"
    path.write_bytes(content)
    with pytest.raises(ValueError, match="exists, but isn't a DuckDB database"):
        open_database(path)
    assert path.read_bytes() == content


def test_file_that_duckdb_reads_as_a_table_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "records.csv"
    path.write_bytes(b"id,answer\n7,x\n")
    with pytest.raises(ValueError, match="Set ASSAY_DATABASE"):
        open_database(path)
    assert path.read_bytes() == b"id,answer\n7,x\n"


def test_folder_that_cannot_be_made_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(ValueError, match=r"The folder of .*records\.duckdb can't be made"):
        open_database(tmp_path / "file" / "records.duckdb")
    with pytest.raises(ValueError, match="can't be opened"):
        open_database(tmp_path)


def test_file_of_a_newer_duckdb_is_explained(tmp_path: Path) -> None:
    path = tmp_path / "newer.duckdb"
    open_database(path).close()
    content = bytearray(path.read_bytes())
    # The first 4,096 bytes: a checksum of the rest of them, "DUCK", the storage version.
    assert content[8:12] == b"DUCK"
    content[12:20] = (1_000_000).to_bytes(8, "little")
    checksum = 5381
    for (word,) in struct.iter_unpack("<Q", bytes(content[8:4096])):
        checksum ^= word * 0xBF58476D1CE4E5B9 % 2**64
    content[:8] = checksum.to_bytes(8, "little")
    path.write_bytes(content)
    with pytest.raises(DatabaseVersionError, match="was written by another version of DuckDB"):
        open_database(path)


def test_transaction_rolls_back_on_any_exception(db: Database) -> None:
    def write_and_fail() -> None:
        with db.transaction() as cursor:
            cursor.execute("INSERT INTO strata VALUES ('c', '1', 'topic', 'x')")
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        write_and_fail()
    with db.transaction() as cursor:
        assert cursor.execute("SELECT count(*) FROM strata").fetchall() == [(0,)]


def test_transaction_rolls_back_after_a_database_error(db: Database) -> None:
    def write_and_fail() -> None:
        with db.transaction() as cursor:
            cursor.execute("INSERT INTO strata VALUES ('c', '1', 'topic', 'x')")
            cursor.execute("INSERT INTO nowhere VALUES (1)")

    with pytest.raises(duckdb.CatalogException):
        write_and_fail()
    with db.cursor() as cursor:
        assert cursor.execute("SELECT count(*) FROM strata").fetchall() == [(0,)]


def test_snapshot_does_not_see_later_writes(db: Database) -> None:
    count = "SELECT count(*) FROM strata"
    with db.snapshot() as reading:
        assert reading.execute(count).fetchall() == [(0,)]
        with db.transaction() as writing:
            writing.execute("INSERT INTO strata VALUES ('c', '1', 'topic', 'x')")
        assert reading.execute(count).fetchall() == [(0,)]
    with db.snapshot() as reading:
        assert reading.execute(count).fetchall() == [(1,)]


def test_many_threads_read_and_write(db: Database) -> None:
    """A connection shared by threads gives wrong rows; a cursor for each use may not."""
    with db.transaction() as cursor:
        cursor.execute(
            "INSERT INTO features SELECT 'c' || g, 'i' || i, 'family', 'name', g "
            "FROM range(8) gs(g), range(5000) xs(i)"
        )

    def read(task: int) -> bool:
        group = task % 8
        with db.cursor() as cursor:
            rows = cursor.execute(
                "SELECT count(*), min(value), max(value) FROM features WHERE cohort_id = $1",
                [f"c{group}"],
            ).fetchall()
        return rows == [(5000, group, group)]

    def write(task: int) -> bool:
        with db.transaction() as cursor:
            count = cursor.execute("SELECT count(*) FROM strata").fetchall()[0][0]
            cursor.execute("INSERT INTO strata VALUES ('c', $1, 'turn', 'x')", [str(count)])
        return True

    with ThreadPoolExecutor(16) as pool:
        results = list(pool.map(lambda task: (write if task % 4 == 0 else read)(task), range(400)))
    assert all(results)
    with db.cursor() as cursor:
        rows = cursor.execute("SELECT count(*), count(DISTINCT item_id) FROM strata").fetchall()
    assert rows == [(100, 100)]


def test_many_threads_open_a_new_file(tmp_path: Path) -> None:
    path = tmp_path / "new.duckdb"
    with ThreadPoolExecutor(8) as pool:
        opened = list(pool.map(lambda _: open_database(path), range(8)))
    for db in opened:
        with db.cursor() as cursor:
            assert cursor.execute("SELECT count(*) FROM migrations").fetchall()[0][0] > 0
        db.close()


def test_two_databases_on_one_file_take_turns(tmp_path: Path) -> None:
    path = tmp_path / "twice.duckdb"
    with open_database(path) as one, open_database(path) as two:
        entered = threading.Event()

        def write() -> None:
            with two.transaction() as cursor:
                entered.set()
                cursor.execute("UPDATE strata SET value = 'second'")

        with one.transaction() as cursor:
            cursor.execute("INSERT INTO strata VALUES ('c', '1', 'topic', 'first')")
            thread = threading.Thread(target=write)
            thread.start()
            assert not entered.wait(0.2)
        thread.join(timeout=10)
        with one.cursor() as cursor:
            assert cursor.execute("SELECT value FROM strata").fetchall() == [("second",)]


@pytest.mark.parametrize("folder", ["blocks", "newer", "version number"])
def test_a_path_is_not_read_as_a_message(tmp_path: Path, folder: str) -> None:
    path = tmp_path / folder / "x.duckdb"
    path.parent.mkdir()
    path.write_text("this is no database\n" * 1000)
    with pytest.raises(ValueError, match="isn't a DuckDB database"):
        open_database(path)
