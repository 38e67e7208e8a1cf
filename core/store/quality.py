"""What an import would bring: counts of what was read, kept, missing and left out."""

from __future__ import annotations

from dataclasses import dataclass

import pandas as pd

from core.store.verdicts import UNREADABLE


@dataclass(frozen=True)
class Balance:
    """How often a judge's mode, or a label source, says true and false.

    Attributes
    ----------
    what : {"verdicts", "labels"}
    name : str
        Judge, or label source.
    mode : str
        Empty for labels.
    true, false, missing : int
    """

    what: str
    name: str
    mode: str
    true: int
    false: int
    missing: int

    @property
    def n(self) -> int:
        """All of them, the missing ones included."""
        return self.true + self.false + self.missing


@dataclass(frozen=True)
class QualityReport:
    """Counts over the rows of the files, before anything is written.

    Attributes
    ----------
    rows_read : int
        Rows in the files, the unusable ones included.
    rows_with_errors : int
        Rows that can't be used; they are in none of the counts below them.
    duplicates : int
        Rows that repeat an earlier row in every mapped column; they are dropped.
    conflicting_duplicates : int
        Keys about which rows contradict each other; all their rows count as rows with errors.
    items, verdicts, labels : int
    missing_verdicts : int
        Verdicts that are kept as "no verdict", unreadable ones included.
    unreadable_verdicts : int
    missing_uncertainties : int
        Readable verdicts without an uncertainty.
    uncertainty_out_of_range, unreadable_labels, unreadable_numbers : int
        Cells, each of which makes its row a row with errors.
    missing_labels : int
        Items without any label.
    balance : tuple of Balance
    """

    rows_read: int
    rows_with_errors: int
    duplicates: int
    conflicting_duplicates: int
    items: int
    verdicts: int
    labels: int
    missing_verdicts: int
    unreadable_verdicts: int
    missing_uncertainties: int
    uncertainty_out_of_range: int
    unreadable_labels: int
    unreadable_numbers: int
    missing_labels: int
    balance: tuple[Balance, ...]

    def as_table(self) -> pd.DataFrame:
        """The report as a table of check, count, of (how many) and note.

        Returns
        -------
        DataFrame
            `of` is missing where a count isn't a part of another one.
        """
        rows: list[tuple[str, int, int | None, str]] = [
            ("rows read", self.rows_read, None, "rows in the files"),
            ("rows with errors", self.rows_with_errors, self.rows_read, "left out if skipped"),
            ("identical duplicates", self.duplicates, self.rows_read, "dropped"),
            (
                "conflicting duplicates",
                self.conflicting_duplicates,
                None,
                "keys about which rows contradict each other",
            ),
            ("items", self.items, None, ""),
            ("items without a label", self.missing_labels, self.items, ""),
            ("missing verdicts", self.missing_verdicts, self.verdicts, "kept as no verdict"),
            ("unreadable verdicts", self.unreadable_verdicts, self.verdicts, "among the missing"),
            ("verdicts without uncertainty", self.missing_uncertainties, self.verdicts, ""),
            ("uncertainty out of range", self.uncertainty_out_of_range, self.rows_read, "errors"),
            ("unreadable labels", self.unreadable_labels, self.rows_read, "errors"),
            ("unreadable numbers", self.unreadable_numbers, self.rows_read, "errors"),
        ]
        for one in self.balance:
            name = " ".join(part for part in (one.what, one.name, one.mode) if part)
            rows.append((f"{name}: true", one.true, one.n, f"{one.missing} missing"))
        table = pd.DataFrame(rows, columns=["check", "count", "of", "note"])
        return table.astype({"count": "int64", "of": "Int64"})


def measure(
    items: pd.DataFrame,
    verdicts: pd.DataFrame,
    labels: pd.DataFrame,
    *,
    rows_read: int,
    rows_with_errors: int,
    duplicates: int,
    counts: dict[str, int],
) -> QualityReport:
    """Count what the prepared frames hold; `counts` are those of the cells that were refused."""
    missing = verdicts["verdict"].isna()
    unreadable = verdicts["failure_cause"].str.startswith(UNREADABLE) & missing
    balance = [
        Balance("labels", str(source), "", *_count(group["value"]))
        for source, group in labels.groupby("source")
    ] + [
        Balance("verdicts", str(judge), str(mode), *_count(group["verdict"]))
        for (judge, mode), group in verdicts.groupby(["judge", "mode"])
    ]
    return QualityReport(
        rows_read=rows_read,
        rows_with_errors=rows_with_errors,
        duplicates=duplicates,
        conflicting_duplicates=counts.get("conflicting_duplicates", 0),
        items=len(items),
        verdicts=len(verdicts),
        labels=len(labels),
        missing_verdicts=int(missing.sum()),
        unreadable_verdicts=int(unreadable.fillna(False).sum()),
        missing_uncertainties=int((verdicts["uncertainty"].isna() & ~missing).sum()),
        uncertainty_out_of_range=counts.get("uncertainty_out_of_range", 0),
        unreadable_labels=counts.get("unreadable_labels", 0),
        unreadable_numbers=counts.get("unreadable_numbers", 0),
        missing_labels=len(items) - labels["item_id"].nunique(),
        balance=tuple(balance),
    )


def _count(values: pd.Series) -> tuple[int, int, int]:
    missing = int(values.isna().sum())
    true = int((values == True).sum())  # noqa: E712  (a column with gaps)
    return true, len(values) - true - missing, missing
