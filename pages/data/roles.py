"""The mapping step in words: roles by group, and a mapping changed one answer at a time."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

import pandas as pd

from core.store.imports import FeatureColumn, LabelColumn, Mapping, StratumColumn


@dataclass(frozen=True)
class Role:
    """A role that one column of the file can play."""

    name: str
    title: str
    help: str


RECORD = (
    Role("id", "Id", "One id per record; kept as text. Without one, rows are numbered."),
    Role("question", "Question", "What was asked."),
    Role("answer", "Answer", "The answer that was judged."),
    Role("candidate", "Candidate", "The model or system that gave the answer."),
    Role("reference", "Reference", "A correct answer, where there is one; several as a JSON list."),
)
JUDGE = (
    Role("judge", "Judge", "Who gave the verdict, where the file holds several judges."),
    Role("judge_kind", "Kind of judge", "Holds model, simulated or rule."),
    Role("mode", "Mode", "Holds mode1 or mode2, in a file with one row per verdict."),
)
VERDICT1 = (
    Role("verdict", "Verdict", "True: the judge says that the answer is correct."),
    Role("uncertainty", "Uncertainty", "How unsure the judge is; see what it holds, above."),
    Role("uncertainty_false", "Log-probability of False", "Its partner is that of True."),
    Role("uncertainty_kind", "Name of the uncertainty", "What the uncertainty is, as text."),
    Role("explanation", "Explanation", "The judge's reasons."),
    Role("failure_cause", "Failure", "Why there is no verdict, where there is none."),
    Role("evidence", "Evidence", "The URLs that it used, as a JSON list."),
    Role("spans", "Flagged spans", "Parts of the answer that it flags, as a JSON list."),
)
VERDICT2 = (
    Role("verdict2", "Verdict", "The verdict after reading evidence."),
    Role("uncertainty2", "Uncertainty", "How unsure the judge is then."),
    Role("uncertainty_false2", "Log-probability of False", "Its partner is that of True."),
    Role("explanation2", "Explanation", "The judge's reasons then."),
    Role("failure_cause2", "Failure", "Why there is no verdict, where there is none."),
    Role("evidence2", "Evidence", "The URLs that it used, as a JSON list."),
    Role("spans2", "Flagged spans", "Parts of the answer that it flags, as a JSON list."),
)

LABELS = (
    Role(
        "annotator",
        "Who labelled",
        "Names who gave the row's labels, in a file with a row for each annotator.",
    ),
)

UNCERTAINTY_AS = {
    "uncertainty": "An uncertainty: larger means less sure",
    "p_true": "The probability of True, p(true)",
    "logprobs": "Log-probabilities of True and False",
    "confidence": "A confidence from 0 to 1",
}
JUDGE_KINDS = {
    "model": "A language model",
    "simulated": "Simulated",
    "rule": "A fixed rule",
}
MODE_NAMES = {"mode1": "Mode 1: without evidence", "mode2": "Mode 2: with evidence"}

Use = Literal["label", "stratum", "feature"]
USES: dict[Use, str] = {
    "label": "A person's label",
    "stratum": "A group (stratum)",
    "feature": "A number (feature)",
}
NOT_USED = "Not used"


def shown_roles(roles: Sequence[Role], mapping: Mapping) -> list[Role]:
    """The roles that make sense beside the other answers."""
    return [
        role
        for role in roles
        if not role.name.startswith("uncertainty_false") or mapping.uncertainty_as == "logprobs"
    ]


def free_columns(mapping: Mapping, columns: Sequence[str]) -> list[str]:
    """The columns that play no role yet."""
    used = set(mapping.columns())
    return [column for column in columns if column not in used]


Part = LabelColumn | StratumColumn | FeatureColumn


def extra_columns(mapping: Mapping) -> list[tuple[str, Use]]:
    """The columns that are labels, groups or features, in this order."""
    found: list[tuple[str, Use]] = [(label.column, "label") for label in mapping.labels]
    found += [(stratum.column, "stratum") for stratum in mapping.strata]
    found += [(feature.column, "feature") for feature in mapping.features]
    return found


def part_of(mapping: Mapping, column: str) -> Part | None:
    """What a column is as a label, group or feature; None when it is none of them."""
    parts: tuple[Part, ...] = (*mapping.labels, *mapping.strata, *mapping.features)
    return next((part for part in parts if part.column == column), None)


def use_column(mapping: Mapping, column: str, use: Use | None) -> Mapping:
    """The mapping with one column as label, group or feature; None: not used."""
    changed = mapping.replace(
        labels=tuple(one for one in mapping.labels if one.column != column),
        strata=tuple(one for one in mapping.strata if one.column != column),
        features=tuple(one for one in mapping.features if one.column != column),
    )
    if use == "label":
        taken = {label.annotator for label in changed.labels if label.source == "human"}
        annotator = LabelColumn.annotator if LabelColumn.annotator not in taken else column
        return changed.replace(labels=(*changed.labels, LabelColumn(column, "human", annotator)))
    if use == "stratum":
        return changed.replace(strata=(*changed.strata, StratumColumn(column, column)))
    if use == "feature":
        return changed.replace(features=(*changed.features, FeatureColumn(column, "own", column)))
    return changed


def rename_column(mapping: Mapping, column: str, **names: str) -> Mapping:
    """The mapping with another source, annotator, family or name for one column."""

    def renamed(parts: Sequence[Any]) -> tuple[Any, ...]:
        return tuple(
            dataclasses.replace(part, **names)
            if part.column == column and names.keys() <= vars(part).keys()
            else part
            for part in parts
        )

    return mapping.replace(
        labels=renamed(mapping.labels),
        strata=renamed(mapping.strata),
        features=renamed(mapping.features),
    )


def understood(mapping: Mapping, columns: Sequence[str]) -> str:
    """A line that says which column is what, as Markdown."""
    titles = {role.name: role.title for role in (*RECORD, *JUDGE, *VERDICT1, *LABELS)}
    titles |= {role.name: f"Mode 2 {role.title.lower()}" for role in VERDICT2}
    said = [f"{titles[role]}: {_code(column)}" for role, column in mapping.roles().items()
            if role in titles]  # fmt: skip
    said += [f"{USES[use]}: {_code(column)}" for column, use in extra_columns(mapping)]
    unused = free_columns(mapping, columns)
    left = f"\n\nNot used: {' · '.join(map(_code, unused))}" if unused else ""
    return f"{' · '.join(said) or 'No column was recognised.'}{left}"


def missing(mapping: Mapping) -> str:
    """What the file lacks for a certificate, and what that means; empty where nothing is."""
    if mapping.verdict is None:
        lacks, so = "column of verdicts", "no judge comes with these records"
    elif not mapping.labels:
        lacks, so = "column of labels by people", "nothing can be certified with these records"
    elif mapping.uncertainty is None:
        lacks, so = "uncertainty", "nothing can be accepted by how sure the judge is"
    else:
        return ""
    return f"**No {lacks}** is chosen, so {so}. Choose it below if the file has it."


def _code(column: str) -> str:
    return "`" + column.replace("`", "'") + "`"


def examples(frame: pd.DataFrame, column: str, most: int = 3) -> str:
    """The first different values of a column, as a person recognises them."""
    values = frame[column].dropna().head(500)
    found = list(dict.fromkeys(value.strip() for value in values if value.strip()))[:most]
    if not found:
        return "empty"
    return ", ".join(value if len(value) <= 24 else value[:23] + "…" for value in found)
