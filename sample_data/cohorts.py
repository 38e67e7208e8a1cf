"""The records of a sample cohort: questions, two candidates' answers, four judges' verdicts.

Questions come from `questions.py`, verdicts from the model stated in `judges.py`. A row is one
judge on one answer, with the verdicts of both modes side by side.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

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
STYLES = {
    "triviaqa-like": "trivia",
    "nq-like": "query",
    "popqa-like": "relation",
    "hotpotqa-like": "hops",
}
SHORT = {"Qwen3-8B-like": "qwen", "Llama-3.1-70B-like": "llama"}
LABEL = "label:known answer:computed"
UNCERTAINTY_KIND = "binary entropy of p(true)"
Row = dict[str, object]


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


