"""Make the sample files: `python -m sample_data.make`. The same seed gives the same bytes.

Questions come from `questions.py`, verdicts from the model stated in `judges.py`. A row is one
judge on one answer, with the verdicts of both modes side by side.
"""

from __future__ import annotations

import csv
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from sample_data import FOLDER, OWN_RECORDS_EXAMPLE
X
SEEDX
# Chosen so that the 60 records certify some at α = .20 and none at .15: a person sees both.
EXAMPLE_STREAM = 20
SCHEMA = pa.schema(
    [
        ("id", pa.string()),
        ("question", pa.string()),
        ("answer", pa.string()),
        ("candidate", pa.string()),
        ("reference", pa.string()),
        ("judge", pa.string()),
        ("judge_kind", pa.string()),
        ("verdict", pa.bool_()),
        ("uncertainty", pa.float64()),
        ("uncertainty_kind", pa.string()),
        ("explanation", pa.string()),
        ("verdict2", pa.bool_()),
        ("uncertainty2", pa.float64()),
        ("explanation2", pa.string()),
        (LABEL, pa.bool_()),
        ("stratum:subject", pa.string()),
    ]
)


def write_samples(folder: Path) -> list[Path]:
    """Write the four cohorts and the example of an own file; give their paths."""
    paths = []
    for cohort in STYLES:
        rows = cohort_rows(cohort)
        table = pa.Table.from_pylist(rows, schema=SCHEMA)
        paths.append(folder / f"{cohort}.parquet")
        pq.write_table(
            table,
            paths[-1],
            compression="zstd",
            compression_level=9,
            row_group_size=len(rows),
            data_page_size=1 << 24,
            dictionary_pagesize_limit=1 << 24,
        )
    paths.append(folder / OWN_RECORDS_EXAMPLE.name)
    _write_example(paths[-1])
    return paths


def _write_example(path: Path, n: int = 60) -> None:
    """Write a small file as a person could bring it: one judge, other names, no candidate."""
    questions = make_questions("trivia", n, seed=[SEED, EXAMPLE_STREAM, 0])
    difficulty = draw_difficulty([q.subject for q in questions], _stream(EXAMPLE_STREAM, 1))
    right = draw_rightness(difficulty, 0.6, _stream(EXAMPLE_STREAM, 2))
    answers = _answers(questions, "", right, _stream(EXAMPLE_STREAM, 4))
    parameters = read_parameters()["triviaqa-like"]["Qwen3-8B-like"]["Qwen3-14B-like"]
    drawn = judge_answers(
        "triviaqa-like", "Qwen3-14B-like", parameters, difficulty, right, _stream(EXAMPLE_STREAM, 3)
    )
    columns = "id question answer label judge judge_kind verdict uncertainty verdict2 uncertainty2"
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(columns.split())
        for i, question in enumerate(questions):
            writer.writerow(
                [
                    f"example-{i + 1:02d}",
                    question.text,
                    answers[i],
                    str(bool(right[i])).lower(),
                    "example judge",
                    "simulated",
                    str(bool(drawn.verdict1[i])).lower(),
                    f"{drawn.uncertainty1[i]:.6f}",
                    str(bool(drawn.verdict2[i])).lower(),
                    f"{drawn.uncertainty2[i]:.6f}",
                ]
            )


if __name__ == "__main__":
    for written in write_samples(FOLDER):
        print(f"{written.name}: {written.stat().st_size:,} bytes")
