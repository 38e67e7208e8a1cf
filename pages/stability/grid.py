"""The grid of cohort, candidate and judge: its cells and its table."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import pandas as pd

from core.risk.bounds import min_accepted
from core.store.records import JudgedRecords
from core.studies import ALPHAS, accuracy
from pages.components import words
from pages.stability.tables import as_rows


@dataclass(frozen=True)
class Cell:
    """One judge on one candidate's answers in one cohort."""

    cohort_id: str
    cohort: str
    candidate: str | None
    judge: str
    judge_kind: str
    data_hash: str

    @property
    def key(self) -> str:
        """A name that no other cell has."""
        return repr((self.cohort_id, self.candidate, self.judge))

    @property
    def label(self) -> str:
        """The cell as people read it."""
        return ", ".join(part for part in (self.cohort, self.candidate, self.judge) if part)


def least_labelled(delta: float) -> int:
    """Labelled records below which half of them can't certify anything at any target shown."""
    return 2 * min_accepted(max(ALPHAS), delta)


def coverage_grid(summary: pd.DataFrame, cells: Mapping[str, Cell]) -> pd.DataFrame:
    """A row a cell: key, cohort, candidate, judge, judge_kind, splits, coverage at each target."""
    rows: dict[str, dict[str, Any]] = {}
    for one in as_rows(summary):
        cell = cells[one["variant"]]
        row = rows.setdefault(
            cell.key,
            {
                "key": cell.key,
                "cohort": cell.cohort,
                "candidate": cell.candidate,
                "judge": cell.judge,
                "judge_kind": cell.judge_kind,
                "splits": one["splits"],
            },
        )
        row[f"coverage at {words.setting(one['alpha'])}"] = one["coverage"]
    return pd.DataFrame(list(rows.values()))


def accuracy_columns(records: Mapping[str, JudgedRecords]) -> pd.DataFrame:
    """A row a cell: key, accuracy1, accuracy2 (NaN without any), labelled."""
    rows = []
    for key, judged in records.items():
        first, second = accuracy(judged)
        rows.append(
            {
                "key": key,
                "accuracy1": first,
                "accuracy2": second,
                "labelled": int(judged.labelled.sum()),
            }
        )
    return pd.DataFrame(rows)
