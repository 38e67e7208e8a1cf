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
from sample_data.explanations import explain
from sample_data.judges import (
    CANDIDATES,
    JUDGES,
    RIGHT_SHARE,
    Verdicts,
    draw_difficulty,
    draw_rightness,
    judge_answers,
    read_parameters,
)
from sample_data.questions import Question, make_questions, same_answer, with_separators

SEED = 2026
N_QUESTIONS = 2000
# Chosen so that the 60 records certify some at α = .20 and none at .15: a person sees both.
EXAMPLE_STREAM = 20
STYLES = {
    "triviaqa-like": "trivia",
    "nq-like": "query",
    "popqa-like": "relation",
    "hotpotqa-like": "hops",
}
SHORT = {"Qwen3-8B-like": "qwen", "Llama-3.1-70B-like": "llama"}
LABEL = "label:known answer:computed"
UNCERTAINTY_KIND = "binary entropy of p(true)"
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
Row = dict[str, object]


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


def cohort_rows(cohort: str) -> list[Row]:
    """Make a cohort's records: candidate by candidate, judge by judge, question by question."""
    number = list(STYLES).index(cohort)
    parameters = read_parameters()[cohort]
    questions = make_questions(STYLES[cohort], N_QUESTIONS, seed=[SEED, number, 0])
    difficulty = draw_difficulty([q.subject for q in questions], _stream(number, 1))
    rows: list[Row] = []
    for c, candidate in enumerate(CANDIDATES):
        right = draw_rightness(difficulty, RIGHT_SHARE[cohort][c], _stream(number, 2, c))
        answers = _answers(questions, candidate, right, _stream(number, 4, c))
        labels = [
            same_answer(answer, question.answer)
            for answer, question in zip(answers, questions, strict=True)
        ]
        answer_right = np.array(labels)
        for j, judge in enumerate(JUDGES):
            drawn = judge_answers(
                cohort,
                judge,
                parameters[candidate][judge],
                difficulty,
                answer_right,
                _stream(number, 3, c, j),
            )
            said = _explanations(questions, answers, labels, drawn, _stream(number, 5, c, j))
            for i, question in enumerate(questions):
                item = f"{cohort}-{SHORT[candidate]}-{i + 1:04d}"
                rows.append(
                    {
                        "id": item,
                        "question": question.text,
                        "answer": answers[i],
                        "candidate": candidate,
                        "reference": question.answer,
                        "judge": judge,
                        "judge_kind": "simulated",
                        "verdict": bool(drawn.verdict1[i]),
                        "uncertainty": float(drawn.uncertainty1[i]),
                        "uncertainty_kind": UNCERTAINTY_KIND,
                        "explanation": said[i][0],
                        "verdict2": bool(drawn.verdict2[i]),
                        "uncertainty2": float(drawn.uncertainty2[i]),
                        "explanation2": said[i][1],
                        LABEL: labels[i],
                        "stratum:subject": question.subject,
                    }
                )
    return rows


def _stream(*key: int) -> np.random.Generator:
    """Give each part of a cohort a stream of its own: a change in one leaves the others alone."""
    return np.random.default_rng([SEED, *key])


def _answers(
    questions: list[Question],
    candidate: str,
    right: np.ndarray,
    rng: np.random.Generator,
) -> list[str]:
    """Give a candidate's answers, wrong ones from the likeliest slips; one writes separators."""
    answers = []
    for question, is_right in zip(questions, right, strict=True):
        slip = min(int(rng.geometric(0.5)), len(question.wrong)) - 1
        answer = question.answer if is_right else question.wrong[slip]
        if candidate == "Llama-3.1-70B-like" and question.subject != "numerals":
            answer = with_separators(answer)
        answers.append(answer)
    return answers


def _explanations(
    questions: list[Question],
    answers: list[str],
    labels: list[bool],
    drawn: Verdicts,
    rng: np.random.Generator,
) -> list[tuple[str, str]]:
    """Explain both modes of each record."""
    choices = rng.integers(0, 6, size=(len(questions), 2))
    raised = drawn.uncertainty2 > drawn.uncertainty1
    said = []
    for i, question in enumerate(questions):
        # A judge that finds a right answer wrong takes a slip for the answer.
        believed = question.wrong[0] if labels[i] else question.answer
        modes = (
            (drawn.verdict1, drawn.uncertainty1),
            (drawn.verdict2, drawn.uncertainty2),
        )
        one, two = (
            explain(
                mode,
                verdict=bool(verdict[i]),
                answer=answers[i],
                believed=believed,
                uncertainty=float(uncertainty[i]),
                raised=bool(raised[i]),
                choice=int(choices[i, mode - 1]),
            )
            for mode, (verdict, uncertainty) in enumerate(modes, start=1)
        )
        said.append((one, two))
    return said


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
