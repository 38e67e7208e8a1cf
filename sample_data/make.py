"""Make the sample files: `python -m sample_data.make`. The same seed gives the same bytes.

`cohorts.py` makes the records of the four cohorts, `study.py` those of the retrieval study,
`autofa.py` and `ragtruth.py` those of the two cohorts with residuals.
"""

from __future__ import annotations

import csv
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from sample_data import FOLDER, OWN_RECORDS_EXAMPLE, STUDY
from sample_data.autofa import autofa_rows
from sample_data.cohorts import LABEL, SEED, STYLES, Row, cohort_rows, give_answers, stream
from sample_data.judges import draw_difficulty, draw_rightness, judge_answers, read_parameters
from sample_data.questions import make_questions
from sample_data.ragtruth import ragtruth_rows
from sample_data.study import EVALUATOR, PROBES, study_rows

# Chosen so that the 60 records certify some at α = .20 and none at .15: a person sees both.
EXAMPLE_STREAM = 20
TEXT, TRUTH, NUMBER = pa.string(), pa.bool_(), pa.float64()
ITEM = dict.fromkeys(("id", "question", "answer", "candidate", "reference"), TEXT)
SCHEMA = pa.schema(
    ITEM
    | {
        "judge": TEXT,
        "judge_kind": TEXT,
        "verdict": TRUTH,
        "uncertainty": NUMBER,
        "uncertainty_kind": TEXT,
        "explanation": TEXT,
        "verdict2": TRUTH,
        "uncertainty2": NUMBER,
        "explanation2": TEXT,
        LABEL: TRUTH,
        "stratum:subject": TEXT,
    }
)
# The records format, with a row for each mode.
STUDY_SCHEMA = pa.schema(
    ITEM
    | {
        "judge": TEXT,
        "judge_kind": TEXT,
        "mode": TEXT,
        "verdict": TRUTH,
        "uncertainty": NUMBER,
        "uncertainty_kind": TEXT,
        "explanation": TEXT,
        "failure_cause": TEXT,
        "evidence": TEXT,
        EVALUATOR: TRUTH,
        LABEL: TRUTH,
        PROBES[0]: NUMBER,
        PROBES[1]: NUMBER,
        "stratum:subject": TEXT,
    }
)


def write_samples(folder: Path) -> list[Path]:
    """Write the seven cohorts and the example of an own file; give their paths."""
    paths = [folder / f"{cohort}.parquet" for cohort in STYLES]
    for path, cohort in zip(paths, STYLES, strict=True):
        _write(path, cohort_rows(cohort), SCHEMA)
    paths += [folder / STUDY.name, folder / OWN_RECORDS_EXAMPLE.name]
    _write(paths[-2], study_rows(), STUDY_SCHEMA)
    _write_example(paths[-1])
    for name, rows in (("autofa-like", autofa_rows()), ("ragtruth-like", ragtruth_rows())):
        paths.append(folder / f"{name}.parquet")
        _write(paths[-1], rows, _schema(rows[0]))
    return paths


def _schema(row: Row) -> pa.Schema:
    """Give the columns of a row in the records format; a verdict may be "unknown" there."""
    kinds = {"label": TRUTH, "feature": NUMBER, "uncertainty": NUMBER}
    return pa.schema({name: kinds.get(name.partition(":")[0], TEXT) for name in row})


def _write(path: Path, rows: list[Row], schema: pa.Schema) -> None:
    pq.write_table(
        pa.Table.from_pylist(rows, schema=schema),
        path,
        compression="zstd",
        compression_level=9,
        row_group_size=len(rows),
        data_page_size=1 << 24,
        dictionary_pagesize_limit=1 << 24,
    )


def _write_example(path: Path, n: int = 60) -> None:
    """Write a small file as a person could bring it: one judge, other names, no candidate."""
    questions = make_questions("trivia", n, seed=[SEED, EXAMPLE_STREAM, 0])
    difficulty = draw_difficulty([q.subject for q in questions], stream(EXAMPLE_STREAM, 1))
    right = draw_rightness(difficulty, 0.6, stream(EXAMPLE_STREAM, 2))
    answers = give_answers(questions, "", right, stream(EXAMPLE_STREAM, 4))
    parameters = read_parameters()["triviaqa-like"]["Qwen3-8B-like"]["Qwen3-14B-like"]
    drawn = judge_answers(
        "triviaqa-like", "Qwen3-14B-like", parameters, difficulty, right, stream(EXAMPLE_STREAM, 3)
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
