"""What real judged records show: `python -m tests.real.report`.

It reads the data sets beside the checkout, and writes its tables between two marks in README.md.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path

import numpy as np
import pandas as pd

from core import studies
from core.store.cohorts import Cohort
from core.store.columns import load_answers
from core.store.database import Database, open_database
from core.store.exports import export_frame, to_csv
from core.store.imports import guess_mapping, prepare, read_records, write_cohort
from core.store.records import JudgedRecords, load_judged
from tests.real import report_annotation, report_residuals
from tests.real.convert import EVOUNA_SYSTEMS, LLMBAR_SUBSETS, evouna, llmbar, llmbar_judges
from tests.shared import SHARED

README = Path(__file__).resolve().parents[2] / "README.md"
MARKS = ("<!-- real:start -->", "<!-- real:end -->")
LLMBAR, EVOUNA = SHARED / "data/llmbar", SHARED / "data/evouna_qaeval"
HUMAN, SUBSET = "label:human:author", "stratum:subset"
SEED = 42
SUBSETS = tuple(subset.rpartition("/")[2] for subset in LLMBAR_SUBSETS)
ADMISSIONS = (studies.EXACT_MATCH, studies.TOKEN_F1)
Table = list[tuple[str, ...]]


@contextmanager
def stored(frame: pd.DataFrame, name: str) -> Iterator[tuple[Database, Cohort]]:
    """Import a converted data set, by way of a CSV file, into a store of its own."""
    with open_database(":memory:") as db:
        raw = read_records([(f"{name}.csv", to_csv(frame))])
        yield db, write_cohort(db, prepare(raw, guess_mapping(raw)), name)


@cache
def llmbar_records() -> tuple[dict[str, JudgedRecords], pd.DataFrame]:
    """Give each judge's records, and all of them as a table with their subsets."""
    frame = llmbar(LLMBAR, llmbar_judges(LLMBAR))
    with stored(frame, "LLMBar") as (db, cohort):
        records = {
            judge.name: load_judged(db, cohort.cohort_id, judge.name) for judge in cohort.judges
        }
        return records, export_frame(db, cohort.cohort_id)


@cache
def llmbar_splits(judge: str) -> pd.DataFrame:
    """Repeat the splits for the three certificates; a row a certificate and target risk."""
    variants = studies.by_certificate(llmbar_records()[0][judge])
    return studies.summarise(pd.concat(studies.run_variants(variants, seed=SEED)))


@cache
def evouna_table() -> pd.DataFrame:
    """Give every answer's label and what the string comparisons say of it."""
    with stored(evouna(EVOUNA), "EVOUNA") as (db, cohort):
        frame = export_frame(db, cohort.cohort_id)
        pairs = load_answers(db, cohort.cohort_id)
    # Both are ordered by id.
    admitted = studies.admitted(pairs)
    return frame[["id", "candidate", HUMAN]].assign(
        empty=[answer is None for answer, _ in pairs],
        **{name: admitted[name] == 1 for name in ADMISSIONS},
    )


def confusion(table: pd.DataFrame, admission: str) -> dict[str, int]:
    """Count answers by what the comparison says and what people say."""
    human, said = table[HUMAN].to_numpy(bool), table[admission].to_numpy(bool)
    return {
        "admitted right": int((said & human).sum()),
        "admitted wrong": int((said & ~human).sum()),
        "missed right": int((~said & human).sum()),
        "refused wrong": int((~said & ~human).sum()),
    }


def accuracy_rows() -> Table:
    """Give accuracy of both modes of each judge: all records, and each subset."""
    records, frame = llmbar_records()
    frame = frame.dropna(subset=["verdict"])
    right = (frame["verdict"] == frame["label:human:experts"]).groupby(
        [frame["judge"], frame["mode"], frame[SUBSET]]
    )
    means, counts = right.mean(), frame.drop_duplicates("id")[SUBSET].value_counts()
    rows: Table = [("Judge", f"all {counts.sum()}", *(f"{one} {counts[one]}" for one in SUBSETS))]
    for judge, own in records.items():
        cells = ((means[judge, mode, one] for mode in own.modes) for one in SUBSETS)
        rows.append((judge, _arrow(studies.accuracy(own)), *map(_arrow, cells)))
    return rows


def flip_rows() -> Table:
    """Give how often the order decides, and the errors of verdicts that stand and that turn."""
    rows: Table = [("Judge", "Mode", "Scored", "Turns", "Wrong where it stands", "where it turns")]
    for judge, own in llmbar_records()[0].items():
        for mode, unsure, wrong in (
            ("1", own.uncertainty1, own.is_error1),
            ("2", own.uncertainty2, own.is_error2),
        ):
            scored = unsure[~np.isnan(unsure)]
            stands, turns = (wrong[unsure == value].mean() for value in (0, 1))
            shares = (f"{100 * share:.0f} %" for share in (scored.mean(), stands, turns))
            rows.append((judge, mode, f"{len(scored)} of {own.n}", *shares))
    return rows


def split_rows() -> Table:
    """Give coverage, and test risk over the splits that accept, of each judge and certificate."""
    heads = (f"α = {alpha:.2f}" for alpha in studies.ALPHAS)
    rows: Table = [("Judge", "Certificate", *heads)]
    for judge in llmbar_records()[0]:
        for name, group in llmbar_splits(judge).groupby("variant", sort=False):
            cells = (
                f"{row.coverage:.2f}" + ("" if row.accepting == 0 else f" ({row.risk:.2f})")
                for row in group.itertuples()
            )
            rows.append((judge, str(name), *cells))
    return rows


def confusion_rows() -> Table:
    """Give the four counts of each comparison over all answers."""
    counts = {admission: confusion(evouna_table(), admission) for admission in ADMISSIONS}
    heads = list(counts[studies.EXACT_MATCH])
    rows: Table = [("Comparison", *heads)]
    rows += [(name, *(f"{counts[name][head]:,}" for head in heads)) for name in ADMISSIONS]
    return rows


def admission_rows() -> Table:
    """Give how both comparisons agree with people, system by system."""
    cells = ("agrees", "misses", "admits")
    heads = (f"{short} {cell}" for short in ("EM", "F1") for cell in cells)
    rows: Table = [("Answers of", "Answers", "Right", *heads)]
    table = evouna_table()
    for name in ("all systems", *EVOUNA_SYSTEMS):
        part = table if name == "all systems" else table[table["candidate"] == name]
        right = int(part[HUMAN].sum())
        shares = [right / len(part)]
        for admission in ADMISSIONS:
            count = confusion(part, admission)
            shares += [
                (count["admitted right"] + count["refused wrong"]) / len(part),
                count["missed right"] / right,
                count["admitted wrong"] / (len(part) - right),
            ]
        rows.append((name, f"{len(part):,}", *(f"{100 * share:.1f} %" for share in shares)))
    return rows


LLMBAR_TEXT = """\
**LLMBar**: which of two outputs follows the instruction better, with experts' labels and real
judges. Mode 1 asks plainly (Vanilla); in Mode 2 the judge first writes metrics and a reference of
its own. Accuracy in %, Mode 1 → Mode 2, all records and each subset:"""
FLIP_TEXT = """\
Uncertainty is whether the verdict turns when the outputs change places: two values, so that a mode
decides all of its records, those whose verdict stands, or none."""
SPLIT_TEXT = f"""\
Coverage of the pair, and in brackets its test risk over the splits that accept anything (mean of
{studies.N_SPLITS} random halves, δ = {studies.DELTA}, seed {SEED}). Where coverage is near 0, few
splits accept, and those are the ones whose calibration half was lucky:"""
EVOUNA_TEXT = """\
**EVOUNA**: answers of five systems to open questions, with people's labels, and what exact match
(EM) and token F1 ≥ 0.5 (F1) make of them. References are split at each slash; {missing} of the
answers are empty and count as refused."""
SYSTEM_TEXT = """\
Agreement with people, right answers that the comparison misses (of the right ones), and wrong ones
that it admits (of the wrong ones):"""


def report() -> str:
    """Give the text that stands between the marks in README.md."""
    parts = (
        LLMBAR_TEXT, _markdown(accuracy_rows()), FLIP_TEXT, _markdown(flip_rows()),
        SPLIT_TEXT, _markdown(split_rows()),
        EVOUNA_TEXT.format(missing=int(evouna_table()["empty"].sum())),
        _markdown(confusion_rows()), SYSTEM_TEXT, _markdown(admission_rows()),
        *(one if isinstance(one, str) else _markdown(one) for one in report_residuals.parts()),
        report_annotation.TEXT, _markdown(report_annotation.rows()),
    )  # fmt: skip
    return "\n\n".join(parts)


def _arrow(shares: Iterable[float]) -> str:
    return " → ".join(f"{100 * share:.0f}" for share in shares)


def _markdown(table: Table) -> str:
    lines = [table[0], ("---",) * len(table[0]), *table[1:]]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


if __name__ == "__main__":
    for folder in (LLMBAR, EVOUNA, *report_residuals.FOLDERS):
        if not folder.is_dir():
            raise SystemExit(f"Needs {folder}. Put the data set there, then run this again.")
    text = report()
    page = README.read_text(encoding="utf-8")
    before, after = page.split(MARKS[0])[0], page.split(MARKS[1])[1]
    page = f"{before}{MARKS[0]}\n\n{text}\n\n{MARKS[1]}{after}"
    README.write_text(page, encoding="utf-8", newline="\n")
    print(text)
