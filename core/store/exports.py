"""A cohort out again, in the records format; and the writers for this and every other table."""

from __future__ import annotations

from typing import Final

import pandas as pd

from core.store.cohorts import find_cohort
from core.store.database import Database
from core.store.layout import COLUMNS, feature_header, label_header, stratum_header
from core.store.records import read_frame
from core.store.writers import to_csv, to_jsonl, to_parquet

__all__ = ["export_frame", "to_csv", "to_jsonl", "to_parquet"]

_EXTRA: Final = (
    ("labels", ("source", "annotator"), label_header),
    ("features", ("family", "name"), feature_header),
    ("strata", ("name",), stratum_header),
)


def export_frame(db: Database, cohort_id: str) -> pd.DataFrame:
    """A whole cohort in the records format: a row for each item, judge and mode.

    Parameters
    ----------
    db : Database
    cohort_id : str

    Returns
    -------
    DataFrame
        Ordered by id, judge and mode. An item without a verdict has one row with a blank judge.
        Ids and texts are text, verdicts and labels truth values, uncertainties and features
        floats.

    Raises
    ------
    ValueError
        When the cohort is unknown.
    """
    with db.snapshot() as cursor:
        find_cohort(cursor, cohort_id)
        frame = read_frame(
            cursor,
            f"""
            SELECT item_id AS id, {", ".join(COLUMNS[1:])}
            FROM (SELECT * FROM items WHERE cohort_id = $cohort)
            LEFT JOIN (SELECT * FROM verdicts WHERE cohort_id = $cohort) USING (item_id)
            ORDER BY id, judge, mode
            """,
            {"cohort": cohort_id},
        )
        extra: dict[str, pd.Series] = {}
        for table, names, header in _EXTRA:
            part = read_frame(
                cursor,
                f"SELECT item_id, {', '.join(names)}, value FROM {table} "
                f"WHERE cohort_id = $cohort ORDER BY {', '.join(names)}",
                {"cohort": cohort_id},
            )
            for key, group in part.groupby(list(names)):
                values = group.set_index("item_id")["value"].reindex(frame["id"])
                extra[header(*map(str, key))] = values.reset_index(drop=True)
    return pd.concat([frame, pd.DataFrame(extra, index=frame.index)], axis=1)
