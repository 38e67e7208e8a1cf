"""A stratum that people set record by record, such as the reason why a verdict is wrong."""

from __future__ import annotations

from typing import Final

from core.store.cohorts import find_cohort
from core.store.content_hash import KEYS, content_hash
from core.store.database import Database

#: The stratum that says why a verdict is wrong.
FAILURE_CLASS: Final = "failure class"
#: The JRA paper's reasons why a verdict is wrong (arXiv 2608.17994).
FAILURE_CLASSES: Final = (
    "off-topic retrieval",
    "insufficient evidence",
    "judge reasoning",
    "admission disagreement",
)


def tag_item(db: Database, cohort_id: str, item_id: str, name: str, value: str | None) -> str:
    """Set one item's value of a stratum, or take it off.

    Parameters
    ----------
    db : Database
    cohort_id, item_id, name : str
    value : str or None
        None takes the item out of the stratum.

    Returns
    -------
    str
        The cohort's new content hash.

    Raises
    ------
    ValueError
        When the cohort or the item is unknown.
    """
    with db.transaction() as cursor:
        find_cohort(cursor, cohort_id)
        known = cursor.execute(
            "SELECT count(*) FROM items WHERE cohort_id = $1 AND item_id = $2",
            [cohort_id, item_id],
        ).fetchall()[0][0]
        if not known:
            raise ValueError(
                f"There is no record {item_id!r} in cohort {cohort_id!r}. Reload the records."
            )
        cursor.execute(
            "DELETE FROM strata WHERE cohort_id = $1 AND item_id = $2 AND name = $3",
            [cohort_id, item_id, name],
        )
        if value is not None:
            cursor.execute(
                "INSERT INTO strata VALUES ($1, $2, $3, $4)", [cohort_id, item_id, name, value]
            )
        frames = {
            table: cursor.execute(
                f"SELECT * EXCLUDE (cohort_id) FROM {table} WHERE cohort_id = $1", [cohort_id]
            ).df()
            for table in KEYS
        }
        digest = content_hash(frames)
        cursor.execute(
            "UPDATE cohorts SET data_hash = $2 WHERE cohort_id = $1", [cohort_id, digest]
        )
    return digest
