"""A judge's records of a cohort as arrays, for the statistics, and as a table, for people."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import duckdb
import numpy as np
import pandas as pd
import pyarrow as pa
from numpy.typing import NDArray

from core.store.cohorts import (
    Cohort,
    JudgeInfo,
    delete_cohort,
    find_cohort,
    get_cohort,
    list_cohorts,
)
from core.store.database import Database

__all__ = [
    "Cohort",
    "JudgeInfo",
    "JudgedRecords",
    "delete_cohort",
    "get_cohort",
    "list_cohorts",
    "load_judged",
    "record_table",
]

# Items of a cohort (and candidate) with the label that the majority of one source gives.
_LABELLED_ITEMS = """
    chosen AS (
        SELECT item_id, question, answer, candidate, reference
        FROM items
        WHERE cohort_id = $cohort AND ($candidate IS NULL OR candidate = $candidate)
    ),
    votes AS (
        SELECT item_id, count_if(value) AS yes, count(*) AS n
        FROM labels WHERE cohort_id = $cohort AND source = $source GROUP BY item_id
    ),
    v1 AS (SELECT * FROM verdicts
           WHERE cohort_id = $cohort AND judge = $judge AND mode = $mode1),
    v2 AS (SELECT * FROM verdicts
           WHERE cohort_id = $cohort AND judge = $judge AND mode = $mode2)
"""
_LABEL = "CASE WHEN 2 * yes > n THEN true WHEN 2 * yes < n THEN false END"


@dataclass(frozen=True, eq=False)
class JudgedRecords:
    """A judge's verdicts on the items of a cohort, ordered by item id.

    Attributes
    ----------
    cohort_id, cohort_name, data_hash : str
    judge, judge_kind : str
    candidate : str or None
        None: items of every candidate.
    label_source : str or None
        Whose labels `human` holds; None when the cohort has no labels.
    item_id : object array of shape (n,)
    verdict1, verdict2, human : float array of shape (n,)
        1, 0, or NaN where it is missing. A label is missing too where annotators tie.
    uncertainty1, uncertainty2 : float array of shape (n,)
        Larger means less sure; NaN where it or its verdict is missing.
    uncertainty_kind1, uncertainty_kind2 : str or None
        What the uncertainty is; several kinds are joined by ``" / "``.
    n_questions : int
        Distinct questions; an item without one counts for itself.
    n_label_ties : int
        Items whose annotators disagree evenly.
    modes : tuple of str
        Which of the judge's modes stand as Mode 1 and Mode 2.
    """

    cohort_id: str
    cohort_name: str
    data_hash: str
    judge: str
    judge_kind: str
    candidate: str | None
    label_source: str | None
    item_id: NDArray[np.object_]
    verdict1: NDArray[np.float64]
    uncertainty1: NDArray[np.float64]
    verdict2: NDArray[np.float64]
    uncertainty2: NDArray[np.float64]
    human: NDArray[np.float64]
    uncertainty_kind1: str | None
    uncertainty_kind2: str | None
    n_questions: int
    n_label_ties: int
    modes: tuple[str, str] = ("mode1", "mode2")

    @property
    def n(self) -> int:
        """Number of items."""
        return len(self.item_id)

    @property
    def labelled(self) -> NDArray[np.bool_]:
        """True where there is a label."""
        return ~np.isnan(self.human)

    @property
    def is_error1(self) -> NDArray[np.float64]:
        """1 where the Mode 1 verdict differs from the label; NaN where either is missing."""
        return np.abs(self.verdict1 - self.human)

    @property
    def is_error2(self) -> NDArray[np.float64]:
        """1 where the Mode 2 verdict differs from the label; NaN where either is missing."""
        return np.abs(self.verdict2 - self.human)


@dataclass(frozen=True)
class _Selection:
    cohort: Cohort
    judge: JudgeInfo
    candidate: str | None
    label_source: str | None
    modes: tuple[str, str]

    @property
    def parameters(self) -> dict[str, str | None]:
        return {
            "cohort": self.cohort.cohort_id,
            "judge": self.judge.name,
            "candidate": self.candidate,
            "source": self.label_source,
            "mode1": self.modes[0],
            "mode2": self.modes[1],
        }


def _select(
    cursor: duckdb.DuckDBPyConnection,
    cohort_id: str,
    judge: str,
    candidate: str | None,
    label_source: str | None,
    modes: tuple[str, str] = ("mode1", "mode2"),
) -> _Selection:
    cohort = find_cohort(cursor, cohort_id)
    judges = {info.name: info for info in cohort.judges}
    if judge not in judges:
        raise ValueError(_unknown("judge", judge, cohort, tuple(judges)))
    if candidate is not None and candidate not in cohort.candidates:
        raise ValueError(_unknown("candidate", candidate, cohort, cohort.candidates))
    if label_source is not None and label_source not in cohort.label_sources:
        raise ValueError(_unknown("label_source", label_source, cohort, cohort.label_sources))
    if label_source is None and cohort.label_sources:
        label_source = cohort.label_sources[0]
    return _Selection(cohort, judges[judge], candidate, label_source, modes)


def find_selection(
    cursor: duckdb.DuckDBPyConnection,
    cohort_id: str,
    judge: str,
    candidate: str | None,
    label_source: str | None,
) -> tuple[Cohort, JudgeInfo, str | None]:
    """Find a cohort, its judge and its label source; what is unknown is refused."""
    found = _select(cursor, cohort_id, judge, candidate, label_source)
    return found.cohort, found.judge, found.label_source


def _unknown(name: str, value: str, cohort: Cohort, known: tuple[str, ...]) -> str:
    listed = ", ".join(repr(one) for one in known) if known else "none"
    return f"'{name}' must be one of cohort {cohort.cohort_id!r}; got {value!r}. Known: {listed}."


def load_judged(
    db: Database,
    cohort_id: str,
    judge: str,
    *,
    candidate: str | None = None,
    label_source: str | None = None,
    modes: tuple[str, str] = ("mode1", "mode2"),
) -> JudgedRecords:
    """Load one judge's Mode 1 and Mode 2 verdicts on every item of a cohort.

    Items that the judge has no verdict for are kept with NaN, so n is the same for every judge.

    Parameters
    ----------
    db : Database
    cohort_id, judge : str
    candidate : str, optional
        Only this candidate's answers; None takes all.
    label_source : str, optional
        Whose labels to take; None takes ``"human"``, else the first source by name. Of several
        annotators the majority counts; a tie is no label.
    modes : tuple of str
        Which modes to load as Mode 1 and Mode 2; one that the judge was not run in is missing
        for every item.

    Returns
    -------
    JudgedRecords

    Raises
    ------
    ValueError
        When cohort, judge, candidate or label source is unknown; the text names the known ones.
    """
    with db.snapshot() as cursor:
        selection = _select(cursor, cohort_id, judge, candidate, label_source, modes)
        table = read_arrow(
            cursor,
            f"""
            WITH {_LABELLED_ITEMS}
            SELECT item_id,
                v1.verdict AS verdict1, v1.uncertainty AS uncertainty1,
                v2.verdict AS verdict2, v2.uncertainty AS uncertainty2,
                {_LABEL} AS human,
                2 * yes = n AS tied
            FROM chosen
            LEFT JOIN v1 USING (item_id) LEFT JOIN v2 USING (item_id)
            LEFT JOIN votes USING (item_id)
            ORDER BY item_id
            """,
            selection.parameters,
        )
        n_questions = cursor.execute(
            "SELECT count(DISTINCT coalesce('q' || question, 'i' || item_id)) FROM items "
            "WHERE cohort_id = $1 AND ($2 IS NULL OR candidate = $2)",
            [cohort_id, candidate],
        ).fetchall()[0][0]
        kinds = cursor.execute(
            "SELECT mode, string_agg(DISTINCT uncertainty_kind, ' / ' ORDER BY uncertainty_kind) "
            "FROM verdicts WHERE cohort_id = $1 AND judge = $2 GROUP BY mode",
            [cohort_id, judge],
        ).fetchall()
    kind = dict(kinds)
    columns = {name: floats(table[name]) for name in ("verdict1", "verdict2", "human", "tied")}
    uncertainty = {}
    for mode in ("1", "2"):
        values = floats(table[f"uncertainty{mode}"])
        values[np.isnan(columns[f"verdict{mode}"])] = np.nan
        uncertainty[mode] = values
    return JudgedRecords(
        cohort_id=cohort_id,
        cohort_name=selection.cohort.name,
        data_hash=selection.cohort.data_hash,
        judge=judge,
        judge_kind=selection.judge.kind,
        candidate=candidate,
        label_source=selection.label_source,
        item_id=table["item_id"].to_numpy(),
        verdict1=columns["verdict1"],
        uncertainty1=uncertainty["1"],
        verdict2=columns["verdict2"],
        uncertainty2=uncertainty["2"],
        human=columns["human"],
        uncertainty_kind1=kind.get(modes[0]),
        uncertainty_kind2=kind.get(modes[1]),
        n_questions=n_questions,
        n_label_ties=int(np.nansum(columns["tied"])),
        modes=modes,
    )


def record_table(
    db: Database,
    cohort_id: str,
    judge: str,
    *,
    candidate: str | None = None,
    label_source: str | None = None,
    item_ids: Sequence[str] | NDArray[np.object_] | None = None,
) -> pd.DataFrame:
    """The records behind a figure, with their texts.

    Parameters
    ----------
    db, cohort_id, judge, candidate, label_source
        As in `load_judged`.
    item_ids : sequence of str, optional
        Only these items, in this order; unknown ids are left out. None: all, by id.

    Returns
    -------
    DataFrame
        Columns id, question, answer, candidate, reference, label, and verdict, uncertainty,
        explanation and failure_cause of Mode 1 and Mode 2 (suffix 1 and 2).

    Raises
    ------
    ValueError
        As `load_judged`.
    """
    modes = ", ".join(
        f"v{k}.{name} AS {name}{k}"
        for k in (1, 2)
        for name in ("verdict", "uncertainty", "explanation", "failure_cause")
    )
    with db.snapshot() as cursor:
        selection = _select(cursor, cohort_id, judge, candidate, label_source)
        wanted, order = "", "chosen.item_id"
        if item_ids is not None:
            ids = pa.array([str(one) for one in item_ids], pa.string())
            cursor.register(
                "wanted_ids", pa.table({"item_id": ids, "place": pa.array(range(len(ids)))})
            )
            wanted, order = "JOIN wanted_ids USING (item_id)", "wanted_ids.place"
        return read_frame(
            cursor,
            f"""
            WITH {_LABELLED_ITEMS}
            SELECT chosen.item_id AS id, question, answer, candidate, reference,
                {_LABEL} AS label, {modes}
            FROM chosen {wanted}
            LEFT JOIN v1 USING (item_id) LEFT JOIN v2 USING (item_id)
            LEFT JOIN votes USING (item_id)
            ORDER BY {order}
            """,
            selection.parameters,
        )


def read_arrow(cursor: duckdb.DuckDBPyConnection, query: str, parameters: Any = None) -> pa.Table:
    """Run a query; Arrow keeps text, truth values and missing cells apart."""
    return cursor.sql(query, params=parameters).to_arrow_table()


def read_frame(cursor: duckdb.DuckDBPyConnection, query: str, parameters: Any) -> pd.DataFrame:
    """Run a query; truth values with gaps stay truth values in the frame."""
    table = read_arrow(cursor, query, parameters)
    frame: pd.DataFrame = table.to_pandas(types_mapper={pa.bool_(): pd.BooleanDtype()}.get)
    return frame


def floats(column: pa.ChunkedArray) -> NDArray[np.float64]:
    """Numbers or truth values as floats; NaN where missing."""
    if pa.types.is_boolean(column.type):
        column = column.cast(pa.int8())
    return np.array(column.cast(pa.float64()).to_numpy(), dtype=np.float64)
