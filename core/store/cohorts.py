"""The cohorts of a database, and what each one holds."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from datetime import UTC, datetime

import duckdb

from core.store.database import Database

# Everything that belongs to a cohort, apart from its own row.
PARTS = ("items", "verdicts", "labels", "features", "strata")

# People's labels come first; among other sources, the first by name.
PREFERRED_SOURCE = """
    SELECT cohort_id, min_by(source, (CASE WHEN source = 'human' THEN '0' ELSE '1' END) || source)
        AS source
    FROM labels GROUP BY cohort_id
"""


@dataclass(frozen=True)
class JudgeInfo:
    """A judge of a cohort.

    Attributes
    ----------
    name : str
    kind : str
        ``"model"``, ``"simulated"`` or ``"rule"``.
    modes : tuple of str
        Modes it was run in, by name.
    n_verdicts : int
        Verdicts that could be read, over all its modes.
    """

    name: str
    kind: str
    modes: tuple[str, ...]
    n_verdicts: int


@dataclass(frozen=True)
class Cohort:
    """A named set of judged records.

    Attributes
    ----------
    cohort_id : str
        Short name for links; it stays when a cohort is replaced.
    n_items, n_labelled : int
        Items, and those with a label: the majority of the preferred source, ties left out.
    data_hash : str
        SHA-256 of the content, independent of row order and of the file format.
    judges : tuple of JudgeInfo
        By name.
    candidates : tuple of str
        In the order in which the file had them.
    label_sources : tuple of str
        By name, the preferred one first.
    """

    cohort_id: str
    name: str
    description: str
    source: str
    created_at: datetime
    n_items: int
    n_labelled: int
    data_hash: str
    judges: tuple[JudgeInfo, ...]
    candidates: tuple[str, ...]
    label_sources: tuple[str, ...]

    @property
    def simulated(self) -> bool:
        """True when any judge is simulated, which every view of it has to say."""
        return any(judge.kind == "simulated" for judge in self.judges)


def list_cohorts(db: Database) -> list[Cohort]:
    """Every cohort of the database, by name."""
    with db.snapshot() as cursor:
        return _read_cohorts(cursor)


def _read_cohorts(cursor: duckdb.DuckDBPyConnection) -> list[Cohort]:
    rows = cursor.execute(
        "SELECT cohort_id, name, description, source, created_at, data_hash "
        "FROM cohorts ORDER BY name"
    ).fetchall()
    if not rows:
        return []
    counts = dict(
        cursor.execute("SELECT cohort_id, count(*) FROM items GROUP BY cohort_id").fetchall()
    )
    labelled = _labelled(cursor)
    judges: defaultdict[str, list[JudgeInfo]] = defaultdict(list)
    for cohort_id, judge, kind, modes, n_verdicts in cursor.execute(
        "SELECT cohort_id, judge, min(judge_kind), list_sort(list(DISTINCT mode)), "
        "count(verdict) FROM verdicts GROUP BY cohort_id, judge ORDER BY judge"
    ).fetchall():
        judges[cohort_id].append(JudgeInfo(judge, kind, tuple(modes), n_verdicts))
    candidates = _names(
        cursor, "SELECT cohort_id, candidate FROM items GROUP BY ALL ORDER BY min(rowid)"
    )
    sources = _names(cursor, "SELECT DISTINCT cohort_id, source FROM labels")
    return [
        Cohort(
            cohort_id=cohort_id,
            name=name,
            description=description,
            source=source,
            created_at=created_at.replace(tzinfo=UTC),
            n_items=counts.get(cohort_id, 0),
            n_labelled=labelled.get(cohort_id, 0),
            data_hash=data_hash,
            judges=tuple(judges[cohort_id]),
            candidates=tuple(candidates[cohort_id]),
            label_sources=tuple(
                sorted(sources[cohort_id], key=lambda s: (s != "human", s.casefold(), s))
            ),
        )
        for cohort_id, name, description, source, created_at, data_hash in rows
    ]


def get_cohort(db: Database, cohort_id: str) -> Cohort:
    """One cohort.

    Raises
    ------
    ValueError
        When there is none of that id; the text names the known ones.
    """
    with db.snapshot() as cursor:
        return find_cohort(cursor, cohort_id)


def find_cohort(cursor: duckdb.DuckDBPyConnection, cohort_id: str) -> Cohort:
    """One cohort, as `get_cohort`, inside a transaction of the caller."""
    cohorts = _read_cohorts(cursor)
    for cohort in cohorts:
        if cohort.cohort_id == cohort_id:
            return cohort
    if not cohorts:
        raise ValueError(
            f"There is no cohort {cohort_id!r} in this database. "
            "There are none yet: import records first."
        )
    known = ", ".join(repr(cohort.cohort_id) for cohort in cohorts)
    raise ValueError(f"There is no cohort {cohort_id!r} in this database. Known: {known}.")


def delete_cohort(db: Database, cohort_id: str) -> None:
    """Remove a cohort with everything that belongs to it.

    Raises
    ------
    ValueError
        When there is none of that id.
    """
    with db.transaction() as cursor:
        find_cohort(cursor, cohort_id)
        delete_parts(cursor, cohort_id)
        # A cohort that is replaced keeps them: their labels were paid for.
        for table in ("batch_records", "batch_labels", "batches"):
            cursor.execute(
                f"DELETE FROM {table} WHERE batch_id IN "
                "(SELECT batch_id FROM batches WHERE cohort_id = $1)",
                [cohort_id],
            )


def delete_parts(cursor: duckdb.DuckDBPyConnection, cohort_id: str) -> None:
    """Remove a cohort's rows inside a transaction of the caller."""
    for table in ("cohorts", *PARTS):
        cursor.execute(f"DELETE FROM {table} WHERE cohort_id = $1", [cohort_id])


def _labelled(cursor: duckdb.DuckDBPyConnection) -> dict[str, int]:
    rows = cursor.execute(
        f"""
        WITH preferred AS ({PREFERRED_SOURCE}),
        votes AS (
            SELECT cohort_id, item_id, 2 * count_if(value) <> count(*) AS decided
            FROM labels JOIN preferred USING (cohort_id, source)
            GROUP BY cohort_id, item_id
        )
        SELECT cohort_id, count_if(decided) FROM votes GROUP BY cohort_id
        """
    ).fetchall()
    return {cohort_id: int(count) for cohort_id, count in rows}


def _names(cursor: duckdb.DuckDBPyConnection, query: str) -> defaultdict[str, list[str]]:
    names: defaultdict[str, list[str]] = defaultdict(list)
    for cohort_id, name in cursor.execute(query).fetchall():
        if name is not None:
            names[cohort_id].append(name)
    return names
