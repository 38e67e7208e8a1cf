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


@dataclass(frozen=True)
class Answered:
    """A candidate's answers to a cohort's questions; every field has an entry a question."""

    candidate: str
    questions: list[Question]
    difficulty: NDArray[np.float64]
    answers: list[str]
    right: NDArray[np.bool_]

    def item(self, cohort: str, i: int) -> Row:
        """Give the cells of question i that do not depend on a judge."""
        question = self.questions[i]
        return {
            "id": f"{cohort}-{SHORT[self.candidate]}-{i + 1:04d}",
            "question": question.text,
            "answer": self.answers[i],
            "candidate": self.candidate,
            "reference": question.answer,
            LABEL: bool(self.right[i]),
            "stratum:subject": question.subject,
        }


def cohort_rows(cohort: str) -> list[Row]:
    """Make a cohort's records: candidate by candidate, judge by judge, question by question."""
    rows: list[Row] = []
    for candidate in CANDIDATES:
        answered = answer_questions(cohort, candidate)
        for judge in JUDGES:
            drawn = judge_answers(
                cohort,
                judge,
                read_parameters()[cohort][candidate][judge],
                answered.difficulty,
                answered.right,
                judge_stream(cohort, candidate, judge),
            )
            said1, said2 = explain_both(cohort, judge, answered, drawn)
            rows += [
                {
                    **answered.item(cohort, i),
                    "judge": judge,
                    "judge_kind": "simulated",
                    "verdict": bool(drawn.verdict1[i]),
                    "uncertainty": float(drawn.uncertainty1[i]),
                    "uncertainty_kind": UNCERTAINTY_KIND,
                    "explanation": said1[i],
                    "verdict2": bool(drawn.verdict2[i]),
                    "uncertainty2": float(drawn.uncertainty2[i]),
                    "explanation2": said2[i],
                }
                for i in range(N_QUESTIONS)
            ]
    return rows


def answer_questions(cohort: str, candidate: str) -> Answered:
    """Make a cohort's questions, and a candidate's answers to them."""
    number, c = list(STYLES).index(cohort), CANDIDATES.index(candidate)
    questions = make_questions(STYLES[cohort], N_QUESTIONS, seed=[SEED, number, 0])
    difficulty = draw_difficulty([q.subject for q in questions], stream(number, 1))
    right = draw_rightness(difficulty, RIGHT_SHARE[cohort][c], stream(number, 2, c))
    answers = give_answers(questions, candidate, right, stream(number, 4, c))
    labels = [
        same_answer(answer, question.answer)
        for answer, question in zip(answers, questions, strict=True)
    ]
    return Answered(candidate, questions, difficulty, answers, np.array(labels))


def stream(*key: int) -> np.random.Generator:
    """Give each part of a cohort a stream of its own: a change in one leaves the others alone."""
    return np.random.default_rng([SEED, *key])


def judge_stream(cohort: str, candidate: str, judge: str, part: int = 3) -> np.random.Generator:
    """Give a judge's stream: part 3 draws its verdicts, 5 the wording of its explanations."""
    c, j = CANDIDATES.index(candidate), JUDGES.index(judge)
    return stream(list(STYLES).index(cohort), part, c, j)


def give_answers(
    questions: list[Question],
    candidate: str,
    right: NDArray[np.bool_],
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


def explain_both(
    cohort: str, judge: str, answered: Answered, drawn: Verdicts
) -> tuple[list[str], list[str]]:
    """Explain a judge's verdicts of Mode 1 and Mode 2."""
    rng = judge_stream(cohort, answered.candidate, judge, 5)
    choices = rng.integers(0, 6, size=(len(answered.questions), 2))
    raised = drawn.uncertainty2 > drawn.uncertainty1
    return (
        explain_all(answered, 1, drawn.verdict1, drawn.uncertainty1, raised, choices[:, 0]),
        explain_all(answered, 2, drawn.verdict2, drawn.uncertainty2, raised, choices[:, 1]),
    )


def explain_all(
    answered: Answered,
    mode: int,
    verdict: NDArray[np.bool_],
    uncertainty: NDArray[np.float64],
    raised: NDArray[np.bool_],
    choices: NDArray[np.int64],
) -> list[str]:
    """Explain every verdict of a mode: 1 speaks of what the judge knows, 2 of evidence."""
    return [
        explain(
            mode,
            verdict=bool(verdict[i]),
            answer=answered.answers[i],
            # A judge that finds a right answer wrong takes a slip for the answer.
            believed=question.wrong[0] if answered.right[i] else question.answer,
            uncertainty=float(uncertainty[i]),
            raised=bool(raised[i]),
            choice=int(choices[i]),
        )
        for i, question in enumerate(answered.questions)
    ]
