"""Annotation batches: what was drawn and with which chance, and the labels that came back.

A batch is written once and never drawn again. Its labels stay apart from the cohort's: records of a
batch are no random sample, so counting their labels like others would bias every other page.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Final

import duckdb
import pandas as pd
import pyarrow as pa

from core.store.cohorts import find_cohort
from core.store.database import Database
from core.store.records import read_frame

RECORD_COLUMNS: Final = (
    "item_id", "inclusion_prob", "predictor", "risk_score", "drawn", "audit", "place",
)  # fmt: skip
LABEL_COLUMNS: Final = ("item_id", "annotator", "value")


@dataclass(frozen=True, eq=False)
class Batch:
    """A batch as it was drawn.

    Attributes
    ----------
    batch_id, cohort_id : str
    number : int
        1 for a cohort's first batch.
    created_at : datetime
    settings : mapping
        How it was drawn, as JSON holds it: judge, mode, policy, design, seed, data hash …
    n_population, n_drawn, n_labelled : int
        Records it could draw, those it drew, and those of them with a label.
    """

    batch_id: str
    cohort_id: str
    number: int
    created_at: datetime
    settings: Mapping[str, Any]
    n_population: int
    n_drawn: int
    n_labelled: int


def save_batch(
    db: Database, cohort_id: str, settings: Mapping[str, Any], records: pd.DataFrame
) -> Batch:
    """Keep a batch: every record of its population, drawn or not.

    Parameters
    ----------
    db : Database
    cohort_id : str
    settings : mapping
        JSON-ready.
    records : DataFrame of shape (n_population, 7)
        item_id, inclusion_prob, predictor, risk_score, drawn, audit, place (order in which
        annotators get the drawn ones; missing for the others).

    Raises
    ------
    ValueError
        When the cohort is unknown, an id repeats, or nothing is drawn.
    """
    frame = records[list(RECORD_COLUMNS)]
    if frame["item_id"].duplicated().any():
        again = frame["item_id"][frame["item_id"].duplicated()].iloc[0]
        raise ValueError(f"'records' must hold each id once; got {again!r} twice.")
    if not frame["drawn"].any():
        raise ValueError("'records' must have at least one drawn record; got none.")
    with db.transaction() as cursor:
        find_cohort(cursor, cohort_id)
        number = cursor.execute(
            "SELECT coalesce(max(number), 0) + 1 FROM batches WHERE cohort_id = $1", [cohort_id]
        ).fetchall()[0][0]
        batch_id = f"{cohort_id}-batch-{number}"
        cursor.execute(
            "INSERT INTO batches VALUES ($1, $2, $3, $4, $5)",
            [
                batch_id, cohort_id, number, datetime.now(UTC).replace(tzinfo=None),
                json.dumps(dict(settings), ensure_ascii=False, allow_nan=False),
            ],
        )  # fmt: skip
        place = frame["place"].astype("Int32")
        _insert(cursor, "batch_records", batch_id, frame.assign(place=place))
    return get_batch(db, batch_id)


def list_batches(db: Database, cohort_id: str) -> list[Batch]:
    """The batches of a cohort, first drawn first."""
    with db.snapshot() as cursor:
        return _batches(cursor, "cohort_id = $1", cohort_id)


def get_batch(db: Database, batch_id: str) -> Batch:
    """One batch.

    Raises
    ------
    ValueError
        When there is none of that id; the text names the known ones.
    """
    with db.snapshot() as cursor:
        found = _batches(cursor, "batch_id = $1", batch_id)
        if found:
            return found[0]
        known = [row[0] for row in cursor.execute(
            "SELECT batch_id FROM batches ORDER BY cohort_id, number"
        ).fetchall()]  # fmt: skip
    listed = ", ".join(map(repr, known)) if known else "none; draw one first"
    raise ValueError(f"There is no batch {batch_id!r} in this database. Known: {listed}.")


def load_population(db: Database, batch_id: str) -> pd.DataFrame:
    """Every record that the batch could draw, with the columns of `save_batch`, ordered by id."""
    with db.cursor() as cursor:
        return read_frame(
            cursor,
            f"SELECT {', '.join(RECORD_COLUMNS)} FROM batch_records WHERE batch_id = $batch "
            "ORDER BY item_id",
            {"batch": batch_id},
        )


def load_drawn(db: Database, batch_id: str) -> pd.DataFrame:
    """The drawn records with their texts, in the order in which annotators get them.

    Returns
    -------
    DataFrame
        id, question, answer, reference, verdict, explanation, audit.
    """
    batch = get_batch(db, batch_id)
    with db.cursor() as cursor:
        return read_frame(
            cursor,
            """
            SELECT item_id AS id, question, answer, reference, verdict, explanation, audit
            FROM batch_records
            LEFT JOIN (SELECT * FROM items WHERE cohort_id = $cohort) USING (item_id)
            LEFT JOIN (
                SELECT item_id, verdict, explanation FROM verdicts
                WHERE cohort_id = $cohort AND judge = $judge AND mode = $mode
            ) USING (item_id)
            WHERE batch_id = $batch AND drawn ORDER BY place, item_id
            """,
            {
                "cohort": batch.cohort_id, "batch": batch_id,
                "judge": batch.settings.get("judge"), "mode": batch.settings.get("mode"),
            },
        )  # fmt: skip


def save_labels(db: Database, batch_id: str, labels: pd.DataFrame) -> int:
    """Keep labels that came back; one annotator's later label replaces the earlier one.

    Parameters
    ----------
    labels : DataFrame
        item_id, annotator, value (bool).

    Returns
    -------
    int
        Labels that the batch has now.

    Raises
    ------
    ValueError
        When the batch is unknown, a record was not drawn, or an annotator labels one twice.
    """
    get_batch(db, batch_id)
    frame = labels[list(LABEL_COLUMNS)]
    twice = frame.duplicated(["item_id", "annotator"])
    if twice.any():
        raise ValueError(
            f"'labels' must have one label of an annotator on a record; got two on "
            f"{frame['item_id'][twice].iloc[0]!r}."
        )
    with db.transaction() as cursor:
        drawn = {row[0] for row in cursor.execute(
            "SELECT item_id FROM batch_records WHERE batch_id = $1 AND drawn", [batch_id]
        ).fetchall()}  # fmt: skip
        stray = [one for one in frame["item_id"] if one not in drawn]
        if stray:
            raise ValueError(f"'labels' must be of drawn records; {stray[0]!r} was not drawn.")
        cursor.register("incoming", pa.Table.from_pandas(frame, preserve_index=False))
        cursor.execute(
            "DELETE FROM batch_labels WHERE batch_id = $1 AND (item_id, annotator) IN "
            "(SELECT (item_id, annotator) FROM incoming)",
            [batch_id],
        )
        cursor.unregister("incoming")
        _insert(cursor, "batch_labels", batch_id, frame)
        return int(cursor.execute(
            "SELECT count(*) FROM batch_labels WHERE batch_id = $1", [batch_id]
        ).fetchall()[0][0])  # fmt: skip


def load_labels(db: Database, batch_id: str) -> pd.DataFrame:
    """Labels that came back: item_id, annotator, value; by record and annotator."""
    with db.cursor() as cursor:
        return read_frame(
            cursor,
            "SELECT item_id, annotator, value FROM batch_labels WHERE batch_id = $batch "
            "ORDER BY item_id, annotator",
            {"batch": batch_id},
        )


def _batches(cursor: duckdb.DuckDBPyConnection, where: str, value: str) -> list[Batch]:
    rows = cursor.execute(
        f"""
        SELECT batch_id, cohort_id, number, created_at, settings,
            (SELECT count(*) FROM batch_records r WHERE r.batch_id = b.batch_id),
            (SELECT count(*) FROM batch_records r WHERE r.batch_id = b.batch_id AND drawn),
            (SELECT count(DISTINCT item_id) FROM batch_labels l WHERE l.batch_id = b.batch_id)
        FROM batches b WHERE {where} ORDER BY number
        """,
        [value],
    ).fetchall()
    return [
        Batch(
            batch_id, cohort_id, number, created_at.replace(tzinfo=UTC), json.loads(settings),
            n_population, n_drawn, n_labelled,
        )
        for batch_id, cohort_id, number, created_at, settings, n_population, n_drawn, n_labelled
        in rows
    ]  # fmt: skip


def _insert(
    cursor: duckdb.DuckDBPyConnection, table: str, batch_id: str, frame: pd.DataFrame
) -> None:
    names = ", ".join(frame.columns)
    cursor.register("incoming", pa.Table.from_pandas(frame, preserve_index=False))
    cursor.execute(
        f"INSERT INTO {table} (batch_id, {names}) SELECT $1, {names} FROM incoming", [batch_id]
    )
    cursor.unregister("incoming")
