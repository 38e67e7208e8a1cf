"""One DuckDB file, shared safely: a cursor for each use, writers one after another."""

from __future__ import annotations

import os
import re
import textwrap
import threading
from collections import defaultdict
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import duckdb

from core.store.migrations import DatabaseVersionError, migrate, pending_migrations

DEFAULT_PATH = Path(__file__).resolve().parents[2] / "data" / "assay.duckdb"

# Two threads that open a new file at once would both make its tables.
_open_lock = threading.Lock()
# Two `Database` objects of one process share DuckDB's instance of a file, so they share its lock.
_write_locks: defaultdict[str, threading.RLock] = defaultdict(threading.RLock)


class DatabaseLockedError(RuntimeError):
    """Another process has the file open; the text says which one, and what to do."""


class Database:
    """An open database; every use takes its own cursor, because connections aren't thread-safe.

    Attributes
    ----------
    path : str
        The file, or ``":memory:"``.
    read_only : bool
        True when nothing can be written through this object.
    """

    def __init__(self, connection: duckdb.DuckDBPyConnection, path: str, read_only: bool) -> None:
        self.path = path
        self.read_only = read_only
        self._connection = connection
        self._cursor_lock = threading.Lock()
        # Databases in memory are separate although their path is the same.
        self._write_lock = threading.RLock() if path == ":memory:" else _write_locks[path]

    @contextmanager
    def cursor(self) -> Iterator[duckdb.DuckDBPyConnection]:
        """Give a cursor of its own to the caller, and close it afterwards."""
        with self._cursor_lock:
            cursor = self._connection.cursor()
        try:
            yield cursor
        finally:
            cursor.close()

    @contextmanager
    def snapshot(self) -> Iterator[duckdb.DuckDBPyConnection]:
        """Give a cursor whose queries all see the database as it was at the first of them."""
        with self.cursor() as cursor:
            cursor.execute("BEGIN TRANSACTION READ ONLY")
            try:
                yield cursor
            finally:
                cursor.execute("ROLLBACK")

    @contextmanager
    def transaction(self) -> Iterator[duckdb.DuckDBPyConnection]:
        """Give a cursor inside a transaction: all of it is kept, or on any exception nothing.

        Raises
        ------
        RuntimeError
            When the database was opened read-only.
        """
        if self.read_only:
            raise RuntimeError(
                f"{self.path} is open read-only, so nothing can be written. "
                "Open it for writing first."
            )
        with self._write_lock, self.cursor() as cursor:
            cursor.execute("BEGIN TRANSACTION")
            try:
                yield cursor
            except BaseException:
                cursor.execute("ROLLBACK")
                raise
            cursor.execute("COMMIT")

    def close(self) -> None:
        """Close the file, so that another process can open it."""
        self._connection.close()

    def __enter__(self) -> Database:
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()


def open_database(path: str | Path | None = None, *, read_only: bool = False) -> Database:
    """Open the database, creating it and bringing its schema up to date where needed.

    Parameters
    ----------
    path : str, Path or None
        A file or ``":memory:"``. None: the environment variable ``ASSAY_DATABASE``, else
        ``data/assay.duckdb`` in the project's folder.
    read_only : bool
        Open without writing. Several processes can share a file when all of them do so.

    Returns
    -------
    Database

    Raises
    ------
    DatabaseLockedError
        When another process holds the file.
    DatabaseVersionError
        When the file comes from a newer program or a newer DuckDB, or, opened read-only, still
        needs a schema step.
    ValueError
        When the path holds something else, or can't be created, or there is nothing to read.

    Examples
    --------
    >>> with open_database(":memory:") as db, db.cursor() as cursor:
    ...     cursor.execute("SELECT count(*) FROM cohorts").fetchall()
    [(0,)]
    """
    chosen = str(path if path is not None else os.environ.get("ASSAY_DATABASE") or DEFAULT_PATH)
    if chosen == ":memory:":
        if read_only:
            raise ValueError("'read_only' must be False for ':memory:'; got True.")
    else:
        file = Path(chosen).expanduser().resolve()
        chosen = str(file)
        if read_only and not file.exists():
            raise ValueError(
                f"{chosen} doesn't exist, so it can't be opened read-only. "
                "Open it for writing once, or check the path."
            )
        try:
            file.parent.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise ValueError(f"The folder of {chosen} can't be made: {error.strerror}.") from error
    with _open_lock:
        connection = _connect(chosen, read_only)
        try:
            if not read_only:
                migrate(connection, chosen)
            elif pending_migrations(connection, chosen):
                raise DatabaseVersionError(
                    f"{chosen} needs a schema update, which read-only opening can't do. "
                    "Open it once for writing."
                )
        except BaseException:
            connection.close()
            raise
    return Database(connection, chosen, read_only)


def _connect(path: str, read_only: bool) -> duckdb.DuckDBPyConnection:
    try:
        return duckdb.connect(path, read_only=read_only)
    except duckdb.ConnectionException as error:
        if "different configuration" not in str(error):
            raise
        mode = "for writing" if read_only else "read-only"
        raise DatabaseLockedError(
            f"{path} is already open {mode} in this process (number {os.getpid()}), and DuckDB "
            "doesn't mix the two. Close that one first, or open this one the same way."
        ) from error
    except duckdb.Error as error:
        raise _explain(error, path) from error


def _explain(error: duckdb.Error, path: str) -> Exception:
    """Turn DuckDB's message into a sentence that says what to do."""
    text = str(error).replace(path, "the file")  # a path may hold any of the words below
    if "lock on file" in text or "already open" in text:
        found = re.search(r"\(PID (\d+)", text)
        holder = f"process {found[1]}{_command(found[1])}" if found else "another process"
        return DatabaseLockedError(
            f"{path} is open in {holder}. Stop it, or set ASSAY_DATABASE to another file. "
            "Once nothing has it open for writing, several programs can read it together."
        )
    if "version number" in text or "newer" in text.lower():
        return DatabaseVersionError(
            f"{path} was written by another version of DuckDB; this one is {duckdb.__version__} "
            "and can't read it. Update the duckdb package, or set ASSAY_DATABASE to another file."
        )
    if "not a valid DuckDB database" in text:
        return ValueError(
            f"{path} exists, but isn't a DuckDB database. "
            "Set ASSAY_DATABASE to another file name, or move that file away."
        )
    return ValueError(f"{path} can't be opened: {text}")


def _command(pid: str) -> str:
    """Name the program behind a process number, where this system lets us read it."""
    try:
        command = Path(f"/proc/{pid}/cmdline").read_bytes().replace(b"\0", b" ").decode().strip()
    except (OSError, UnicodeDecodeError):
        return ""
    if not command:
        return ""
    shown = textwrap.shorten(
        command, 120, placeholder=" …", break_on_hyphens=False, break_long_words=False
    )
    return f" ({shown})"
