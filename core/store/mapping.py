"""Which column of a file plays which role."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

from core.store.layout import (
    COLUMNS,
    JUDGE_KINDS,
    FeatureColumn,
    LabelColumn,
    StratumColumn,
    mode_label,
)
from core.store.parsing import UNCERTAINTY_KINDS

# Roles that one column plays, in the order in which a page asks for them.
ROLES: Final = (
    *COLUMNS,
    "uncertainty_false",
    "verdict2",
    "uncertainty2",
    "uncertainty_false2",
    "explanation2",
    "failure_cause2",
    "evidence2",
    "spans2",
    "annotator",
)


@dataclass(frozen=True)
class Mapping:
    """Column names by role; None where the file has no such column.

    Attributes
    ----------
    id, question, answer, candidate, reference, judge, judge_kind, mode, verdict, uncertainty, \
uncertainty_kind, explanation, failure_cause, evidence, spans : str or None
        As in the records format. Without `id`, rows are numbered.
    verdict2, uncertainty2, explanation2, failure_cause2, evidence2, spans2 : str or None
        Mode 2, in a file with one row for both modes.
    uncertainty_as : {"uncertainty", "p_true", "logprobs", "confidence"}
        What the uncertainty columns hold. For "logprobs", `uncertainty` is the log-probability
        of True and `uncertainty_false` that of False.
    labels : tuple of LabelColumn
    annotator : str or None
        A column that names who gave the row's labels.
    features : tuple of FeatureColumn
    strata : tuple of StratumColumn
    judge_name, judge_kind_name, mode_name : str
        Used where the file has no such column.
    """

    id: str | None = None
    question: str | None = None
    answer: str | None = None
    candidate: str | None = None
    reference: str | None = None
    judge: str | None = None
    judge_kind: str | None = None
    mode: str | None = None
    verdict: str | None = None
    uncertainty: str | None = None
    uncertainty_kind: str | None = None
    explanation: str | None = None
    failure_cause: str | None = None
    evidence: str | None = None
    spans: str | None = None
    uncertainty_false: str | None = None
    verdict2: str | None = None
    uncertainty2: str | None = None
    uncertainty_false2: str | None = None
    explanation2: str | None = None
    failure_cause2: str | None = None
    evidence2: str | None = None
    spans2: str | None = None
    annotator: str | None = None
    labels: tuple[LabelColumn, ...] = ()
    features: tuple[FeatureColumn, ...] = ()
    strata: tuple[StratumColumn, ...] = ()
    uncertainty_as: str = "uncertainty"
    judge_name: str = "judge"
    judge_kind_name: str = "model"
    mode_name: str = "mode1"

    def replace(self, **changes: Any) -> Mapping:
        """The same mapping with some roles changed."""
        return dataclasses.replace(self, **changes)

    def roles(self) -> dict[str, str]:
        """The single-column roles that are filled: role -> column."""
        return {role: column for role in ROLES if (column := getattr(self, role)) is not None}

    def columns(self) -> list[str]:
        """Every column that is used, once."""
        listed = [
            *self.roles().values(),
            *(label.column for label in self.labels),
            *(feature.column for feature in self.features),
            *(stratum.column for stratum in self.strata),
        ]
        return list(dict.fromkeys(listed))

    def check(self, available: Sequence[str]) -> None:
        """Refuse a mapping that can't be carried out.

        Raises
        ------
        ValueError
            When a column isn't in the file, or two choices contradict each other.
        """
        missing = [column for column in self.columns() if column not in available]
        if missing:
            raise ValueError(
                f"'mapping' must name columns of the file; got {missing[0]!r}. "
                f"Columns: {', '.join(map(repr, available))}."
            )
        # Ids, features and strata alone are numbered rows: nothing that anyone judged or could.
        parts = (self.verdict, self.verdict2, self.question, self.answer)
        if not self.labels and all(column is None for column in parts):
            listed = ", ".join(map(repr, available[:12])) + (", …" if len(available) > 12 else "")
            raise ValueError(
                "No column of this file plays a role: map at least a verdict, a label, a question "
                f"or an answer. Columns: {listed}."
            )
        if self.uncertainty_as not in UNCERTAINTY_KINDS:
            raise ValueError(
                f"'uncertainty_as' must be one of {', '.join(UNCERTAINTY_KINDS)}; "
                f"got {self.uncertainty_as!r}."
            )
        if self.judge_kind_name not in JUDGE_KINDS:
            raise ValueError(
                f"'judge_kind_name' must be one of {', '.join(JUDGE_KINDS)}; "
                f"got {self.judge_kind_name!r}."
            )
        for role, value in (("judge_name", self.judge_name), ("mode_name", self.mode_name)):
            if not value:
                raise ValueError(f"'{role}' must be a name; got {value!r}.")
        if self.mode is not None and self.verdict2 is not None:
            raise ValueError(
                f"'mode' must be empty where 'verdict2' is mapped; got {self.mode!r}. A file has "
                "either a row for each mode or both verdicts in one row."
            )
        if self.verdict2 is not None and self.verdict2 == self.verdict:
            raise ValueError(
                f"'verdict2' must be another column than 'verdict'; got {self.verdict2!r} for both."
            )
        if self.verdict2 is not None and mode_label(self.mode_name) == "mode2":
            raise ValueError(
                f"'mode_name' must not be Mode 2 where 'verdict2' is mapped; got "
                f"{self.mode_name!r}."
            )
        if self.id is None and self.mode is not None:
            raise ValueError(
                "'id' must be a column where 'mode' is mapped; got None. Rows of one item can't "
                "be put together without it."
            )
        for label in self.labels:
            if label.column in (self.verdict, self.verdict2):
                raise ValueError(
                    f"'labels' must not repeat the verdict's column; got {label.column!r}. "
                    "The judge would agree with itself."
                )
        # A column of annotators goes before those of the mapping, so sources have to differ.
        people = self.annotator is None
        _check_names(
            "labels",
            [(one.source, one.annotator) if people else (one.source,) for one in self.labels],
        )
        _check_names("features", [(one.family, one.name) for one in self.features])
        _check_names("strata", [(one.name,) for one in self.strata])


def _check_names(what: str, names: list[tuple[str, ...]]) -> None:
    """Refuse empty names, and two columns that would be one."""
    for place, name in enumerate(names):
        if not all(name):
            raise ValueError(f"'{what}' must have names that aren't empty; got {name!r}.")
        if name in names[:place]:
            raise ValueError(
                f"'{what}' must have a name for each column; got {' '.join(name)!r} twice."
            )
