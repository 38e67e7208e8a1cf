"""What residuals are computed from: verdicts of one mode, labels, features, strata, texts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
import pandas as pd
import pyarrow as pa
from numpy.typing import NDArray

from core.store.database import Database
from core.store.records import find_selection, floats, read_arrow, read_frame
from core.store.verdicts import NO_VERDICT, UNKNOWN

NO_LABEL: Final = "no label"
SPLIT: Final = "annotators disagree evenly"
NOT_JUDGED: Final = "not judged"

_CHOSEN = (
    "SELECT item_id, question, answer, reference FROM items "
    "WHERE cohort_id = $cohort AND ($candidate IS NULL OR candidate = $candidate)"
)


@dataclass(frozen=True, eq=False)
class ResidualRecords:
    """One mode of a judge on the items of a cohort, ordered by item id.

    Attributes
    ----------
    cohort_id, data_hash, judge, judge_kind, mode : str
    candidate, label_source : str or None
    item_id, question : object arrays of shape (n,)
    verdict, human, uncertainty : float arrays of shape (n,)
        NaN where missing; a label is missing too where annotators tie, and an uncertainty where
        there is no verdict, not even "unknown".
    unknown : bool array of shape (n,)
        Where the judge said that it can't tell; `verdict` is NaN there.
    cause : object array of shape (n,)
        Why a verdict is missing; None where it isn't.
    tied : bool array of shape (n,)
        Where annotators disagree evenly.
    """

    cohort_id: str
    data_hash: str
    judge: str
    judge_kind: str
    mode: str
    candidate: str | None
    label_source: str | None
    item_id: NDArray[np.object_]
    question: NDArray[np.object_]
    verdict: NDArray[np.float64]
    human: NDArray[np.float64]
    uncertainty: NDArray[np.float64]
    unknown: NDArray[np.bool_]
    cause: NDArray[np.object_]
    tied: NDArray[np.bool_]

    def missing(self, unknown_as: str) -> dict[str, int]:
        """Count why records aren't scored, most frequent first; a record has one reason."""
        reason = np.full(len(self.item_id), None, dtype=object)
        silent = np.isnan(self.verdict) & ~(self.unknown & (unknown_as != "excluded"))
        reason[silent] = self.cause[silent]
        unlabelled = np.isnan(self.human)
        reason[unlabelled] = NO_LABEL
        reason[unlabelled & self.tied] = SPLIT
        counts = pd.Series(reason).dropna().value_counts()
        return {str(name): int(number) for name, number in counts.items()}


def load_residual_records(
    db: Database,
    cohort_id: str,
    judge: str,
    *,
    mode: str = "mode1",
    candidate: str | None = None,
    label_source: str | None = None,
) -> ResidualRecords:
    """Load one mode of a judge, with labels; arguments as `core.store.records.load_judged`.

    Raises
    ------
    ValueError
        When cohort, judge, mode, candidate or label source is unknown; the known ones are named.
    """
    with db.snapshot() as cursor:
        cohort, info, source = find_selection(cursor, cohort_id, judge, candidate, label_source)
        if mode not in info.modes:
            known = ", ".join(map(repr, info.modes))
            raise ValueError(
                f"'mode' must be one of judge {judge!r}; got {mode!r}. Known: {known}."
            )
        table = read_arrow(
            cursor,
            f"""
            WITH chosen AS ({_CHOSEN}),
            votes AS (
                SELECT item_id, count_if(value) AS yes, count(*) AS n
                FROM labels WHERE cohort_id = $cohort AND source = $source GROUP BY item_id
            ),
            given AS (SELECT * FROM verdicts
                      WHERE cohort_id = $cohort AND judge = $judge AND mode = $mode)
            SELECT item_id, question, verdict, uncertainty, failure_cause, given.judge AS judged,
                CASE WHEN 2 * yes > n THEN true WHEN 2 * yes < n THEN false END AS human,
                2 * yes = n AS tied
            FROM chosen LEFT JOIN given USING (item_id) LEFT JOIN votes USING (item_id)
            ORDER BY item_id
            """,
            {"cohort": cohort_id, "candidate": candidate, "judge": judge, "mode": mode,
             "source": source},
        )  # fmt: skip
    verdict = floats(table["verdict"])
    uncertainty = floats(table["uncertainty"])
    cause = table["failure_cause"].to_numpy().astype(object)
    # A judge that can't tell may still say how unsure it is.
    uncertainty[np.isnan(verdict) & (cause != UNKNOWN)] = np.nan
    judged = table["judged"].to_numpy().astype(object)
    gone = np.isnan(verdict)
    silent = gone & pd.isna(cause)
    cause[silent] = np.where(pd.isna(judged[silent]), NOT_JUDGED, NO_VERDICT)
    cause[~gone] = None
    return ResidualRecords(
        cohort_id=cohort_id,
        data_hash=cohort.data_hash,
        judge=judge,
        judge_kind=info.kind,
        mode=mode,
        candidate=candidate,
        label_source=source,
        item_id=table["item_id"].to_numpy().astype(object),
        question=table["question"].to_numpy().astype(object),
        verdict=verdict,
        human=floats(table["human"]),
        uncertainty=uncertainty,
        unknown=gone & (cause == UNKNOWN),
        cause=cause,
        tied=floats(table["tied"]) == 1,
    )


def load_features_table(
    db: Database, cohort_id: str, *, candidate: str | None = None
) -> tuple[pd.DataFrame, dict[str, str]]:
    """Load every feature, a row an item ordered by id, and the family of each.

    A name that two families share carries its family too.
    """
    with db.cursor() as cursor:
        known = cursor.execute(
            "SELECT DISTINCT family, name FROM features WHERE cohort_id = $1 ORDER BY ALL",
            [cohort_id],
        ).fetchall()
        names = [name for _, name in known]
        unique: dict[tuple[str, str], str] = {}
        for family, name in known:
            shown = name if names.count(name) == 1 else f"{name} ({family})"
            while shown in unique.values() or (shown != name and shown in names):
                shown += " "
            unique[family, name] = shown
        columns = ", ".join(
            f"max(CASE WHEN family = $f{k} AND name = $n{k} THEN value END) AS c{k}"
            for k in range(len(known))
        )
        parameters: dict[str, str | None] = {"cohort": cohort_id, "candidate": candidate}
        for k, (family, name) in enumerate(known):
            parameters |= {f"f{k}": family, f"n{k}": name}
        wide = f"SELECT item_id, {columns} FROM features WHERE cohort_id = $cohort GROUP BY item_id"
        if not known:
            wide = "SELECT item_id FROM features WHERE false"
        frame = read_frame(
            cursor,
            f"SELECT * FROM (SELECT item_id FROM ({_CHOSEN})) LEFT JOIN ({wide}) USING (item_id) "
            "ORDER BY item_id",
            parameters,
        ).drop(columns="item_id")
    frame.columns = pd.Index(list(unique.values()), dtype=object)
    return frame, {shown: family for (family, _), shown in unique.items()}


def load_strata_table(
    db: Database, cohort_id: str, *, candidate: str | None = None
) -> pd.DataFrame:
    """Load every stratum column, a row an item ordered by id; None where an item has no level."""
    with db.cursor() as cursor:
        ids = [one for (one,) in cursor.execute(
            f"SELECT item_id FROM ({_CHOSEN}) ORDER BY item_id",
            {"cohort": cohort_id, "candidate": candidate},
        ).fetchall()]  # fmt: skip
        names = [one for (one,) in cursor.execute(
            "SELECT DISTINCT name FROM strata WHERE cohort_id = $1 ORDER BY name", [cohort_id]
        ).fetchall()]  # fmt: skip
        found: dict[str, NDArray[np.object_]] = {}
        for name in names:
            rows = read_frame(
                cursor,
                f"SELECT value FROM (SELECT item_id FROM ({_CHOSEN})) LEFT JOIN "
                "(SELECT item_id, value FROM strata WHERE cohort_id = $cohort AND name = $name) "
                "USING (item_id) ORDER BY item_id",
                {"cohort": cohort_id, "candidate": candidate, "name": name},
            )["value"].astype(object)
            found[name] = rows.where(rows.notna(), None).to_numpy(dtype=object)
    return pd.DataFrame(found, index=range(len(ids)), dtype=object)


def load_ratings(
    db: Database, cohort_id: str, source: str | None, *, candidate: str | None = None
) -> tuple[tuple[str, ...], NDArray[np.float64]]:
    """Load every annotator's labels: names, and an array of shape (n, n_annotators)."""
    with db.cursor() as cursor:
        rows = read_frame(
            cursor,
            f"SELECT item_id, annotator, value FROM (SELECT item_id FROM ({_CHOSEN})) LEFT JOIN "
            "(SELECT * FROM labels WHERE cohort_id = $cohort AND source = $source) USING (item_id)",
            {"cohort": cohort_id, "candidate": candidate, "source": source},
        )
    items = np.unique(rows["item_id"].to_numpy(dtype=object))
    given = rows[rows["annotator"].notna()]
    names = sorted(set(given["annotator"]))
    ratings = np.full((len(items), len(names)), np.nan)
    at = np.searchsorted(items, given["item_id"].to_numpy(dtype=object))
    who = np.searchsorted(names, given["annotator"].to_numpy(dtype=object))
    ratings[at, who] = given["value"].astype(float).to_numpy()
    return tuple(str(name) for name in names), ratings


def load_texts(
    db: Database,
    cohort_id: str,
    judge: str,
    mode: str,
    *,
    candidate: str | None = None,
    item_ids: Sequence[str] | None = None,
) -> pd.DataFrame:
    """Load texts of items: id, question, answer, reference; evidence, spans and explanation.

    Ordered by id; with `item_ids` only those.
    """
    with db.cursor() as cursor:
        only = ""
        if item_ids is not None:
            ids = pa.array([str(one) for one in item_ids], pa.string())
            cursor.register("asked_ids", pa.table({"item_id": ids}))
            only = "JOIN asked_ids USING (item_id)"
        return read_frame(
            cursor,
            f"""
            SELECT item_id AS id, question, answer, reference, evidence, spans, explanation
            FROM ({_CHOSEN}) {only} LEFT JOIN (
                SELECT item_id, evidence, spans, explanation FROM verdicts
                WHERE cohort_id = $cohort AND judge = $judge AND mode = $mode
            ) USING (item_id) ORDER BY item_id
            """,
            {"cohort": cohort_id, "candidate": candidate, "judge": judge, "mode": mode},
        )
