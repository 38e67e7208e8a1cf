"""Records in: read files, map their columns, check every cell, write all of it or nothing."""

from __future__ import annotations

import re
from datetime import UTC, datetime

import duckdb
import pandas as pd
import pyarrow as pa

from core.store.cohorts import PARTS, Cohort, delete_parts, get_cohort
from core.store.content_hash import content_hash
from core.store.database import Database
from core.store.guessing import guess_mapping
from core.store.layout import FeatureColumn, LabelColumn, StratumColumn
from core.store.mapping import ROLES, Mapping
from core.store.prepare import PreparedCohort, prepare
from core.store.problems import Problem, counted, problem_table
from core.store.readers import FileFormat, RawTable, read_records

__all__ = [
    "ROLES",
    "FeatureColumn",
    "FileFormat",
    "LabelColumn",
    "Mapping",
    "PreparedCohort",
    "Problem",
    "RawTable",
    "StratumColumn",
    "guess_mapping",
    "prepare",
    "problem_table",
    "read_records",
    "write_cohort",
]

_TYPES = {"verdict": pa.bool_(), "uncertainty": pa.float64()}
_VALUE_TYPES = {"labels": pa.bool_(), "features": pa.float64()}


def write_cohort(
    db: Database,
    prepared: PreparedCohort,
    name: str,
    *,
    on_problem: str = "stop",
    replace: bool = False,
    description: str = "",
    source: str = "",
) -> Cohort:
    """Write a cohort in one transaction: afterwards all of it is there, or nothing has changed.

    Parameters
    ----------
    db : Database
    prepared : PreparedCohort
    name : str
        Name of the cohort; its id is derived from it.
    on_problem : {"stop", "skip"}
        Refuse to write while rows have errors, or leave out those rows.
    replace : bool
        Replace a cohort of that name.
    description, source : str
        What it is and where it comes from.

    Returns
    -------
    Cohort

    Raises
    ------
    ValueError
        When rows have errors and `on_problem` is "stop", when there is nothing to write, or when
        the name is taken and `replace` is False.
    """
    if not name.strip():
        raise ValueError(f"'name' must be a name for the cohort; got {name!r}.")
    if on_problem not in ("stop", "skip"):
        raise ValueError(f"'on_problem' must be 'stop' or 'skip'; got {on_problem!r}.")
    if prepared.errors and on_problem == "stop":
        raise ValueError(_refusal(prepared))
    if not len(prepared.items):
        rows = counted(prepared.quality.rows_read, "row")
        raise ValueError(
            f"The file must hold at least one usable row; got {rows}, "
            f"{prepared.quality.rows_with_errors} of them with errors. Nothing was written."
        )
    frames = {table: getattr(prepared, table) for table in PARTS}
    data_hash = content_hash(frames)
    with db.transaction() as cursor:
        known = dict(cursor.execute("SELECT name, cohort_id FROM cohorts").fetchall())
        if name in known and not replace:
            raise ValueError(
                f"A cohort named {name!r} is already there. "
                "Choose another name, or replace that cohort."
            )
        cohort_id = known.get(name) or _cohort_id(name, set(known.values()))
        delete_parts(cursor, cohort_id)
        for table, frame in frames.items():
            _insert(cursor, table, cohort_id, frame)
        now = datetime.now(UTC).replace(tzinfo=None)
        cursor.execute(
            "INSERT INTO cohorts VALUES ($1, $2, $3, $4, $5, $6)",
            [cohort_id, name, description, source, now, data_hash],
        )
    return get_cohort(db, cohort_id)


def _insert(
    cursor: duckdb.DuckDBPyConnection, table: str, cohort_id: str, frame: pd.DataFrame
) -> None:
    """Append a frame; through Arrow, because there a column's type isn't a guess."""
    columns = {}
    for column in frame.columns:
        kind = _VALUE_TYPES.get(table) if column == "value" else _TYPES.get(column)
        columns[column] = pa.array(frame[column], kind or pa.large_string(), from_pandas=True)
    cursor.register("incoming", pa.table(columns))
    names = ", ".join(columns)
    cursor.execute(
        f"INSERT INTO {table} (cohort_id, {names}) SELECT $1, {names} FROM incoming", [cohort_id]
    )
    cursor.unregister("incoming")


def _refusal(prepared: PreparedCohort) -> str:
    errors = prepared.errors
    shown = "; ".join(str(problem) for problem in errors[:3])
    more = f"; and {len(errors) - 3:,} more" if len(errors) > 3 else ""
    bad, rows = prepared.quality.rows_with_errors, counted(prepared.quality.rows_read, "row")
    return (
        f"{bad:,} of {rows} {'has' if bad == 1 else 'have'} errors, so nothing was written: "
        f"{shown}{more}. Correct them, or skip the listed rows."
    )


def _cohort_id(name: str, taken: set[str]) -> str:
    """A short name for links, which no other cohort has."""
    base = re.sub(r"\W+", "-", name.casefold()).strip("-") or "cohort"
    candidate, number = base, 2
    while candidate in taken:
        candidate, number = f"{base}-{number}", number + 1
    return candidate
