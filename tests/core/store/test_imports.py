"""Cohorts written as a whole, or not at all."""

from __future__ import annotations

import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from core.store import imports
from core.store.cohorts import get_cohort, list_cohorts
from core.store.content_hash import KEYS
from core.store.database import Database, open_database
from core.store.imports import guess_mapping, prepare, read_records, write_cohort
from core.store.records import load_judged
from tests.core.store.helpers import prepare_text, write_text

GOOD = "id,verdict,uncertainty,human\n007,yes,.5,1\n1.0,no,.25,1\n"
BAD = "id,verdict,uncertainty,human\n007,yes,.5,1\n2,no,.25,maybe\n3,no,.1,perhaps\n"


def count_rows(db: Database) -> dict[str, int]:
    with db.cursor() as cursor:
        return {
            table: cursor.execute(f"SELECT count(*) FROM {table}").fetchall()[0][0]
            for table in ("cohorts", *KEYS)
        }


def test_write_cohort_returns_what_was_written(db: Database) -> None:
    cohort = write_text(db, GOOD, "My cohort, no. 1", description="d", source="a.csv")
    assert (cohort.cohort_id, cohort.name) == ("my-cohort-no-1", "My cohort, no. 1")
    assert (cohort.description, cohort.source) == ("d", "a.csv")
    assert (cohort.n_items, cohort.n_labelled) == (2, 2)
    assert cohort == get_cohort(db, "my-cohort-no-1")
    assert count_rows(db) == {
        "cohorts": 1,
        "items": 2,
        "verdicts": 2,
        "labels": 2,
        "features": 0,
        "strata": 0,
    }


def test_write_cohort_ids_tell_names_apart(db: Database) -> None:
    names = ["A b", "a-b", "A  b!", "東京", "🙂", "…"]
    ids = [write_text(db, GOOD, name).cohort_id for name in names]
    assert ids == ["a-b", "a-b-2", "a-b-3", "東京", "cohort", "cohort-2"]


def test_write_cohort_stops_at_errors_and_lists_them(db: Database) -> None:
    with pytest.raises(ValueError, match="2 of 3 rows have errors, so nothing was written") as got:
        write_text(db, BAD)
    assert "a.csv, line 3, column 'human': must be one of" in str(got.value)
    assert "skip the listed rows" in str(got.value)
    assert sum(count_rows(db).values()) == 0


def test_write_cohort_skips_the_listed_rows(db: Database) -> None:
    assert write_text(db, BAD, on_problem="skip").n_items == 1


def test_write_cohort_refuses_when_nothing_is_left(db: Database) -> None:
    text = "id,verdict,human\n1,yes,maybe\n"
    with pytest.raises(ValueError, match="at least one usable row; got 1 row, 1 of them"):
        write_text(db, text, on_problem="skip")
    with pytest.raises(ValueError, match="at least one usable row; got 0 rows"):
        write_text(db, "id,verdict,human\n")
    assert sum(count_rows(db).values()) == 0


def test_write_cohort_bad_arguments(db: Database) -> None:
    with pytest.raises(ValueError, match="'name' must be a name for the cohort; got '  '"):
        write_text(db, GOOD, "  ")
    with pytest.raises(ValueError, match="'on_problem' must be 'stop' or 'skip'; got 'ignore'"):
        write_text(db, GOOD, on_problem="ignore")


def test_write_cohort_refuses_a_taken_name(db: Database) -> None:
    before = write_text(db, GOOD, "mine")
    with pytest.raises(ValueError, match="A cohort named 'mine' is already there"):
        write_text(db, GOOD.replace("007", "008"), "mine")
    assert list_cohorts(db) == [before]


def test_write_cohort_replaces_under_the_same_id(db: Database) -> None:
    before = write_text(db, GOOD, "mine")
    other = write_text(db, GOOD, "other")
    after = write_text(db, GOOD.replace("007", "008"), "mine", replace=True)
    assert after.cohort_id == before.cohort_id
    assert after.data_hash != before.data_hash
    assert load_judged(db, "mine", "judge").item_id.tolist() == ["008", "1.0"]
    assert get_cohort(db, "other") == other
    assert count_rows(db)["items"] == 4


def test_write_cohort_same_content_has_the_same_hash(db: Database) -> None:
    first = write_text(db, GOOD, "first")
    header, one, two = GOOD.splitlines()
    second = write_text(db, f"{header}\n{two}\n{one}\n", "second")
    assert second.data_hash == first.data_hash


@pytest.mark.parametrize(
    "item_id",
    [
        *(
            "1234567890123456789",
            "123456789012345678901234567890",
            "007",
            "1.0",
            "1e5",
            "🙂",
            " a ",
        ),
        *("=1", "true", "None", "nan", "id", "'", "a\nb", "\x00", "\u00e9", "e\u0301"),
    ],
)
def test_write_cohort_ids_come_back_as_they_went_in(db: Database, item_id: str) -> None:
    quoted = item_id.replace('"', '""')
    write_text(db, f'id,verdict\n"{quoted}",yes\nlast,no\n')
    assert item_id in load_judged(db, "sample", "judge").item_id.tolist()


def test_write_cohort_missing_numbers_are_null_not_nan(db: Database) -> None:
    """DuckDB takes NaN for the largest number, which would be the least sure of all."""
    write_text(db, "id,verdict,uncertainty\n1,yes,\n2,no,NaN\n3,no,0.5\n")
    with db.cursor() as cursor:
        rows = cursor.execute("SELECT max(uncertainty), count(uncertainty) FROM verdicts")
        assert rows.fetchall() == [(0.5, 1)]


def test_write_cohort_failing_half_way_leaves_everything(
    db: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = write_text(db, GOOD, "mine")
    insert: Any = imports._insert

    def fail_at_labels(cursor: Any, table: str, *rest: Any) -> None:
        if table == "labels":
            raise OSError("disk full")
        insert(cursor, table, *rest)

    monkeypatch.setattr(imports, "_insert", fail_at_labels)
    with pytest.raises(OSError, match="disk full"):
        write_text(db, GOOD.replace("007", "008"), "mine", replace=True)
    monkeypatch.undo()
    assert list_cohorts(db) == [before]
    assert load_judged(db, "mine", "judge").item_id.tolist() == ["007", "1.0"]


def test_write_cohort_from_many_threads(db: Database) -> None:
    """Every writer either gets its cohort or is told that the name is taken."""
    prepared = [
        prepare_text(f"id,verdict,human\n{k}-1,yes,1\n{k}-2,no,0\n{k}-3,no,1\n") for k in range(8)
    ]

    def write(task: int) -> bool:
        try:
            write_cohort(db, prepared[task % 8], f"cohort {task % 6}")
        except ValueError as error:
            return "already there" not in str(error)
        assert all(len(load_judged(db, one.cohort_id, "judge").item_id) == 3
                   for one in list_cohorts(db))  # fmt: skip
        return True

    with ThreadPoolExecutor(8) as pool:
        written = list(pool.map(write, range(48)))
    assert sum(written) == 6
    assert len(list_cohorts(db)) == 6


def test_readers_see_one_cohort_or_the_other(db: Database) -> None:
    """While a cohort is replaced, its hash and its records belong together."""
    versions = [
        prepare_text("id,verdict\n" + "".join(f"{v}-{k},yes\n" for k in range(50 + v)))
        for v in range(2)
    ]
    sizes = {write_cohort(db, one, "mine", replace=True).data_hash: len(one.items)
             for one in versions}  # fmt: skip
    stop = threading.Event()

    def replace_again_and_again() -> None:
        for turn in range(20):
            write_cohort(db, versions[turn % 2], "mine", replace=True)
        stop.set()

    writer = threading.Thread(target=replace_again_and_again)
    writer.start()
    seen = set()
    while not stop.is_set():
        records = load_judged(db, "mine", "judge")
        assert records.n == sizes[records.data_hash]
        seen.add(records.data_hash)
    writer.join()
    assert seen


IMPORT_SCRIPT = """
import sys
import time
from core.store import imports
from core.store.database import open_database

path, file, stop_after = sys.argv[1:]
insert = imports._insert

def report(cursor, table, *rest):
    insert(cursor, table, *rest)
    print(table, flush=True)
    if table == stop_after:
        time.sleep(120)

imports._insert = report
raw = imports.read_records([file])
prepared = imports.prepare(raw, imports.guess_mapping(raw))
print("start", flush=True)
imports.write_cohort(open_database(path), prepared, "mine", replace=True)
print("done", flush=True)
"""


BIG = 250_000


@pytest.fixture(scope="module")
def big_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Enough rows that DuckDB writes to the file before the transaction ends."""
    path = tmp_path_factory.mktemp("big") / "big.csv"
    lines = (f"item-{k},an answer of some length {k * 7919},yes,0.{k},no\n" for k in range(BIG))
    path.write_text("id,answer,verdict,uncertainty,human\n" + "".join(lines))
    return path


def kill_import(database: Path, file: Path, *, at: str, stop_after: str) -> None:
    """Start an import in another process, and kill it when it has written the table `at`."""
    child = subprocess.Popen(
        [sys.executable, "-c", IMPORT_SCRIPT, str(database), str(file), stop_after],
        stdout=subprocess.PIPE,
        text=True,
        cwd=Path(__file__).parents[3],
    )
    assert child.stdout is not None
    try:
        for line in child.stdout:
            if line.strip() == at:
                break
        else:
            pytest.fail("the import ended before it could be killed")
    finally:
        child.kill()
        child.wait(timeout=60)
        child.stdout.close()


@pytest.mark.parametrize("table", ["items", "strata"])
def test_killed_import_leaves_the_cohort_as_it_was(
    tmp_path: Path, big_file: Path, table: str
) -> None:
    """With one table written, and with all of them, but no commit."""
    path = tmp_path / "records.duckdb"
    with open_database(path) as db:
        before = write_text(db, GOOD, "mine")
    kill_import(path, big_file, at=table, stop_after=table)
    with open_database(path) as db:
        assert list_cohorts(db) == [before]
        assert load_judged(db, "mine", "judge").item_id.tolist() == ["007", "1.0"]
        assert count_rows(db)["items"] == 2
        after = write_text(db, GOOD.replace("007", "008"), "mine", replace=True)
        assert after.n_items == 2


def test_import_killed_about_its_end_is_there_or_not(tmp_path: Path, big_file: Path) -> None:
    path = tmp_path / "records.duckdb"
    with open_database(path) as db:
        before = write_text(db, GOOD, "mine")
    kill_import(path, big_file, at="strata", stop_after="")
    with open_database(path) as db:
        (cohort,) = list_cohorts(db)
        rows = count_rows(db)
        assert rows["items"] == rows["verdicts"] == rows["labels"] == cohort.n_items
        if cohort.n_items == 2:
            assert cohort == before
        else:
            assert cohort.n_items == BIG


def test_import_of_a_hundred_thousand_rows(db: Database) -> None:
    lines = (f"item-{k},an answer {k},{k % 2},0.{k},{k % 3 % 2}\n" for k in range(100_000))
    text = "id,answer,verdict,uncertainty,human\n" + "".join(lines)
    raw = read_records([("big.csv", text.encode())])
    started = time.process_time()
    prepared = prepare(raw, guess_mapping(raw))
    taken = time.process_time() - started
    cohort = write_cohort(db, prepared, "big")
    assert cohort.n_items == 100_000
    # Half a second here; a loop over rows would take ten.
    assert taken < 4


def test_refusal_counts_one_row_as_one(db: Database) -> None:
    with pytest.raises(ValueError, match=r"^1 of 1 row has errors, so nothing was written"):
        write_text(db, "id,human,verdict\n1,maybe,yes\n", "mine")
