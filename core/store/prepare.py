"""Mapped rows turned into items, verdicts, labels, features and strata, with what is wrong."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import pandas as pd

from core.store.mapping import Mapping
from core.store.parts import (
    ITEM_FIELDS,
    count_duplicates,
    feature_parts,
    item_frame,
    item_parts,
    label_parts,
    report_conflicts,
    stratum_parts,
    table_frame,
)
from core.store.problems import Problem
from core.store.quality import QualityReport, measure
from core.store.readers import RawTable
from core.store.rows import Rows, codes
from core.store.verdicts import verdict_parts

TABLES: Final = {
    "items": ("item_id", *ITEM_FIELDS),
    "verdicts": (
        "item_id",
        "judge",
        "judge_kind",
        "mode",
        "verdict",
        "uncertainty",
        "uncertainty_kind",
        "explanation",
        "failure_cause",
        "evidence",
        "spans",
    ),
    "labels": ("item_id", "source", "annotator", "value"),
    "features": ("item_id", "family", "name", "value"),
    "strata": ("item_id", "name", "value"),
}


@dataclass(frozen=True, eq=False)
class PreparedCohort:
    """Records ready to be written, and a report on the rows that they came from.

    Attributes
    ----------
    items : DataFrame
        item_id, question, answer, candidate, reference.
    verdicts : DataFrame
        item_id, judge, judge_kind, mode, verdict, uncertainty, uncertainty_kind, explanation,
        failure_cause, evidence, spans. A missing verdict has a failure cause.
    labels : DataFrame
        item_id, source, annotator, value.
    features : DataFrame
        item_id, family, name, value.
    strata : DataFrame
        item_id, name, value.
    problems : tuple of Problem
        Errors first. Rows with an error are in none of the frames.
    quality : QualityReport
    """

    items: pd.DataFrame
    verdicts: pd.DataFrame
    labels: pd.DataFrame
    features: pd.DataFrame
    strata: pd.DataFrame
    problems: tuple[Problem, ...]
    quality: QualityReport

    @property
    def errors(self) -> tuple[Problem, ...]:
        """The problems that make a row unusable."""
        return tuple(problem for problem in self.problems if problem.severity == "error")


def prepare(raw: RawTable, mapping: Mapping) -> PreparedCohort:
    r"""Read every mapped cell; nothing is written, and nothing is guessed.

    Parameters
    ----------
    raw : RawTable
    mapping : Mapping

    Returns
    -------
    PreparedCohort
        Unreadable labels and numbers, empty ids and rows that contradict each other are errors,
        and their rows are left out. An unreadable verdict is a note: it is kept as no verdict.

    Raises
    ------
    ValueError
        When the mapping names a column that isn't there, or contradicts itself.

    Examples
    --------
    >>> from core.store.imports import guess_mapping, read_records
    >>> raw = read_records([("a.csv", b"id,verdict,human\n7,yes,no\n8,yes,maybe\n")])
    >>> prepared = prepare(raw, guess_mapping(raw))
    >>> prepared.items["item_id"].tolist(), str(prepared.problems[0])[:41]
    (['7'], "a.csv, line 3, column 'human': must be on")
    """
    mapping.check(raw.columns)
    rows = Rows(raw, mapping)
    ids = _ids(rows)
    item = codes(ids)
    parts = {
        "items": item_parts(rows),
        "labels": label_parts(rows),
        "features": feature_parts(rows),
        "strata": stratum_parts(rows),
        "verdicts": verdict_parts(rows),
    }
    duplicates = count_duplicates(rows, item)
    usable = ~rows.bad  # contradictions are looked for among rows that are right by themselves
    for part in (part for table in parts.values() for part in table):
        report_conflicts(rows, part, ids, item, usable)
    good = ~rows.bad
    frames = {
        table: table_frame(columns, parts[table], ids, item, good)
        for table, columns in TABLES.items()
        if table != "items"
    }
    items = item_frame(rows, parts["items"], ids, item, good)
    quality = measure(
        items,
        frames["verdicts"],
        frames["labels"],
        rows_read=rows.n,
        rows_with_errors=int(rows.bad.sum()),
        duplicates=duplicates,
        counts=rows.counts,
    )
    ordered = sorted(rows.problems, key=lambda p: (p.severity != "error", p.file, p.line))
    return PreparedCohort(items=items, **frames, problems=tuple(ordered), quality=quality)


def _ids(rows: Rows) -> pd.Series:
    if rows.mapping.id is None:
        if rows.n:
            message = "there is no id column, so rows are numbered in the order of the file"
            rows.add(0, "", "", message, "note")
        return pd.Series([str(number) for number in range(1, rows.n + 1)], dtype="str")
    ids = rows.text(rows.mapping.id)
    rows.report(ids.isna().to_numpy(), rows.mapping.id, "must not be empty: it names the item")
    return ids
