"""The database schema, as recorded steps: a file says which steps it already had."""

from __future__ import annotations

import duckdb

# A step, once released, is never edited: add another one below it.
MIGRATIONS: tuple[tuple[str, str], ...] = (
    (
        "cohorts, items, verdicts, labels, features and strata",
        """
        CREATE TABLE cohorts (
            cohort_id VARCHAR PRIMARY KEY,
            name VARCHAR NOT NULL UNIQUE,
            description VARCHAR NOT NULL,
            source VARCHAR NOT NULL,
            created_at TIMESTAMP NOT NULL,
            data_hash VARCHAR NOT NULL
        );
        CREATE TABLE items (
            cohort_id VARCHAR NOT NULL,
            item_id VARCHAR NOT NULL,
            question VARCHAR,
            answer VARCHAR,
            candidate VARCHAR,
            reference VARCHAR
        );
        CREATE TABLE verdicts (
            cohort_id VARCHAR NOT NULL,
            item_id VARCHAR NOT NULL,
            judge VARCHAR NOT NULL,
            judge_kind VARCHAR NOT NULL,
            mode VARCHAR NOT NULL,
            verdict BOOLEAN,
            uncertainty DOUBLE,
            uncertainty_kind VARCHAR,
            explanation VARCHAR,
            failure_cause VARCHAR
        );
        CREATE TABLE labels (
            cohort_id VARCHAR NOT NULL,
            item_id VARCHAR NOT NULL,
            source VARCHAR NOT NULL,
            annotator VARCHAR NOT NULL,
            value BOOLEAN NOT NULL
        );
        CREATE TABLE features (
            cohort_id VARCHAR NOT NULL,
            item_id VARCHAR NOT NULL,
            family VARCHAR NOT NULL,
            name VARCHAR NOT NULL,
            value DOUBLE NOT NULL
        );
        CREATE TABLE strata (
            cohort_id VARCHAR NOT NULL,
            item_id VARCHAR NOT NULL,
            name VARCHAR NOT NULL,
            value VARCHAR NOT NULL
        );
        """,
    ),
    ("evidence of a verdict", "ALTER TABLE verdicts ADD COLUMN evidence VARCHAR;"),
    ("spans that a verdict flags", "ALTER TABLE verdicts ADD COLUMN spans VARCHAR;"),
    (
        "annotation batches",
        """
        CREATE TABLE batches (
            batch_id VARCHAR PRIMARY KEY,
            cohort_id VARCHAR NOT NULL,
            number INTEGER NOT NULL,
            created_at TIMESTAMP NOT NULL,
            settings VARCHAR NOT NULL
        );
        CREATE TABLE batch_records (
            batch_id VARCHAR NOT NULL,
            item_id VARCHAR NOT NULL,
            inclusion_prob DOUBLE NOT NULL,
            predictor DOUBLE NOT NULL,
            risk_score DOUBLE NOT NULL,
            drawn BOOLEAN NOT NULL,
            audit BOOLEAN NOT NULL,
            place INTEGER
        );
        CREATE TABLE batch_labels (
            batch_id VARCHAR NOT NULL,
            item_id VARCHAR NOT NULL,
            annotator VARCHAR NOT NULL,
            value BOOLEAN NOT NULL
        );
        """,
    ),
)


class DatabaseVersionError(RuntimeError):
    """The file was written by a newer Assay or a newer DuckDB than this one."""


def _recorded_versions(cursor: duckdb.DuckDBPyConnection) -> list[int]:
    found = cursor.execute(
        "SELECT count(*) FROM information_schema.tables WHERE table_name = 'migrations'"
    ).fetchall()
    if not found[0][0]:
        return []
    rows = cursor.execute("SELECT version FROM migrations ORDER BY version").fetchall()
    return [int(version) for (version,) in rows]


def pending_migrations(cursor: duckdb.DuckDBPyConnection, path: str) -> list[int]:
    """Versions that the file still lacks.

    Parameters
    ----------
    cursor : duckdb.DuckDBPyConnection
        A cursor on the open file.
    path : str
        The file's name, for the error text.

    Returns
    -------
    list of int
        In the order in which they have to be applied; empty when the file is up to date.

    Raises
    ------
    DatabaseVersionError
        When the file records a step that this program doesn't know.
    ValueError
        When the file is somebody else's database: it has tables, but no migrations table.
    """
    recorded = _recorded_versions(cursor)
    if recorded and recorded[-1] > len(MIGRATIONS):
        raise DatabaseVersionError(
            f"{path} has schema version {recorded[-1]}; this program knows up to version "
            f"{len(MIGRATIONS)}. Update the program, or set ASSAY_DATABASE to another file."
        )
    if not recorded:
        tables = cursor.execute(
            "SELECT table_name FROM information_schema.tables ORDER BY table_name"
        ).fetchall()
        if tables:
            raise ValueError(
                f"{path} holds tables of another program (such as {tables[0][0]!r}). "
                "Set ASSAY_DATABASE to a new file name."
            )
    return [version for version in range(1, len(MIGRATIONS) + 1) if version not in recorded]


def migrate(connection: duckdb.DuckDBPyConnection, path: str) -> None:
    """Apply the missing steps, each with its record, in one transaction.

    Raises
    ------
    DatabaseVersionError, ValueError
        As `pending_migrations`.
    """
    pending = pending_migrations(connection, path)
    if not pending:
        return
    connection.execute("BEGIN TRANSACTION")
    try:
        connection.execute(
            "CREATE TABLE IF NOT EXISTS migrations "
            "(version INTEGER PRIMARY KEY, name VARCHAR NOT NULL, applied_at TIMESTAMP NOT NULL)"
        )
        for version in pending:
            name, script = MIGRATIONS[version - 1]
            connection.execute(script)
            connection.execute(
                "INSERT INTO migrations "
                "VALUES ($1, $2, CAST(current_timestamp AT TIME ZONE 'UTC' AS TIMESTAMP))",
                [version, name],
            )
        connection.execute("COMMIT")
    except BaseException:
        connection.execute("ROLLBACK")
        raise
