"""What the Data page shows of a cohort, as plain tables."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from core.store.records import Cohort, JudgedRecords
from pages.components import badges, words


def cohort_table(cohorts: Sequence[Cohort]) -> pd.DataFrame:
    """One row per cohort, in the order given."""
    rows = [
        {
            "Cohort": cohort.name,
            "Records": cohort.n_items,
            "Labelled": words.of(cohort.n_labelled, cohort.n_items),
            "Judges": counted(judge.name for judge in cohort.judges),
            "Candidates": counted(cohort.candidates),
            "Kind": kinds(cohort),
            "Created": f"{cohort.created_at:%Y-%m-%d %H:%M}",
            "Data hash": short_hash(cohort),
            "Source": cohort.source or words.DASH,
        }
        for cohort in cohorts
    ]
    return pd.DataFrame(rows)


def kinds(cohort: Cohort) -> str:
    """What its judges are; simulated ones and rules are named as such everywhere."""
    found = dict.fromkeys(judge.kind for judge in cohort.judges)
    return ", ".join(badges.JUDGE_KINDS.get(kind, "Language model") for kind in found) or words.DASH


def counted(names: Iterable[str]) -> str:
    """How many names there are, and which."""
    listed = list(names)
    return f"{len(listed)}: {', '.join(listed)}" if listed else words.DASH


def short_hash(cohort: Cohort) -> str:
    """Enough of the content hash to tell two cohorts apart by eye."""
    return cohort.data_hash[:10]


@dataclass(frozen=True)
class Mode:
    """One judge's verdicts in one mode, beside the labels."""

    judge: str
    kind: str
    mode: str
    n: int
    scored: int
    verdicts: int
    says_correct: int
    compared: int
    wrong: int
    uncertainty_kind: str | None


def modes_of(records: JudgedRecords) -> list[Mode]:
    """The modes in which a judge gave at least one verdict on these records."""
    found = []
    for mode, verdict, uncertainty, is_error, kind in (
        ("Mode 1", records.verdict1, records.uncertainty1, records.is_error1,
         records.uncertainty_kind1),
        ("Mode 2", records.verdict2, records.uncertainty2, records.is_error2,
         records.uncertainty_kind2),
    ):  # fmt: skip
        given = ~np.isnan(verdict)
        if not given.any():
            continue
        found.append(
            Mode(
                judge=records.judge,
                kind=records.judge_kind,
                mode=mode,
                n=records.n,
                scored=int(np.count_nonzero(given & ~np.isnan(uncertainty))),
                verdicts=int(np.count_nonzero(given)),
                says_correct=int(np.nansum(verdict)),
                compared=int(np.count_nonzero(~np.isnan(is_error))),
                wrong=int(np.nansum(is_error)),
                uncertainty_kind=kind,
            )
        )
    return found


def mode_table(modes: Sequence[Mode]) -> pd.DataFrame:
    """Scored n of N, what the judge says, and how often it differs from the label."""
    table = pd.DataFrame(
        [
            {
                "Judge": badges.judge_name(one.judge, one.kind),
                "Mode": one.mode,
                "Scored": words.of(one.scored, one.n),
                "Verdicts": words.of(one.verdicts, one.n),
                "Says “correct”": _share(one.says_correct, one.verdicts),
                "Differs from label": _share(one.wrong, one.compared),
                "Uncertainty is": one.uncertainty_kind or "not given",
            }
            for one in modes
        ]
    )
    # A judge that gives an uncertainty with every verdict needs no second count.
    return table if (table["Scored"] != table["Verdicts"]).any() else table.drop(columns="Verdicts")


def _share(part: int, whole: int) -> str:
    if whole == 0:
        return words.DASH
    return f"{words.percent(part / whole)} of {words.count(whole)}"


@dataclass(frozen=True)
class Labels:
    """The labels of one source."""

    source: str
    n: int
    labelled: int
    correct: int
    ties: int


def labels_of(records: JudgedRecords) -> Labels | None:
    """The class balance of the labels that came with a judge's records; None without labels."""
    if records.label_source is None:
        return None
    return Labels(
        source=records.label_source,
        n=records.n,
        labelled=int(np.count_nonzero(records.labelled)),
        correct=int(np.nansum(records.human)),
        ties=records.n_label_ties,
    )


def label_table(labels: Sequence[Labels]) -> pd.DataFrame:
    """Class balance by label source."""
    return pd.DataFrame(
        [
            {
                "Label source": one.source,
                "Labelled": words.of(one.labelled, one.n),
                "Answer correct": _share(one.correct, one.labelled),
                "Answer wrong": _share(one.labelled - one.correct, one.labelled),
                "Annotators tie": words.count(one.ties),
            }
            for one in labels
        ]
    )


PREVIEW_COLUMNS = {
    "id": "Id",
    "question": "Question",
    "answer": "Answer",
    "candidate": "Candidate",
    "reference": "Reference",
    "label": "Label",
    "verdict1": "Mode 1 says",
    "uncertainty1": "Uncertainty 1",
    "verdict2": "Mode 2 says",
    "uncertainty2": "Uncertainty 2",
    "explanation1": "Mode 1 explains",
    "explanation2": "Mode 2 explains",
    "failure_cause1": "Why no verdict 1",
    "failure_cause2": "Why no verdict 2",
}


def preview(table: pd.DataFrame) -> pd.DataFrame:
    """A page of records for reading: verdicts in words, columns that hold nothing left out."""
    shown = pd.DataFrame(index=table.index)
    for column, title in PREVIEW_COLUMNS.items():
        if column not in table or table[column].isna().all():
            continue
        if column in {"label", "verdict1", "verdict2"}:
            shown[title] = table[column].map({True: "correct", False: "wrong"})
        else:
            shown[title] = table[column]
    return shown
