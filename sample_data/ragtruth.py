"""RAGTruth-like: a simulated judge of faithfulness that flags too much.

Built to the margins that *Human-Anchored Factuality Evaluation with Strategic Annotation* publishes
in Section 4.2 and Tables 2 and 3 for its judge on RAGTruth; no record of RAGTruth is in it. With
|Δ| = 1 where people and judge differ, and N(0, 1) draws ε:

- cells        Verdict and human label have the joint shares `CELLS`, exactly. They follow from the
  judge's rate, 55.6 %, people's, 86.2 %, and 34.7 % disagreement.
- confidence   Self-confidence is below .60 on the shares `UNSURE` of the cells' records: prevalence
  .32, lift 2.24. On either side of .60 it goes down with k |Δ| + ε.
- reliability  flag-reliability is there where the judge flags something: −k |Δ| + ε cut into 0 … 3.
- scores       ref-support-strength, inference-required and qualitative-language follow the rank of
  self-confidence, y = k x + ε. k is solved for each, so that Spearman's ρ with |Δ|, for
  flag-reliability among flagged records, is what is published.
- texts        A place has drawn facts; `passages.py` says them literally, loosely or wrongly.
  People object to an answer that says one wrongly. The judge flags that, or a loose wording, and
  sometimes lets either pass. `spans` holds what it flags: 0-based [start, end) in the answer.

The published numbers contradict each other once: the flagged records are those the judge calls
unfaithful, so their prevalence must be 1 − .556 = .444, and the disagreement in them,
.347 · .941 ÷ .444, gives a lift of 2.12. The table prints .43 and 2.02. The margins are kept.
"""

from __future__ import annotations

import json
from dataclasses import dataclass

import numpy as np
from numpy.random import Generator

from sample_data.cohorts import Row, stream
from sample_data.passages import (
    TASKS,
    Span,
    answer_text,
    draw_place,
    facts,
    question_text,
    source_text,
    unmarked,
)
from sample_data.residual_parts import (
    ANNOTATORS,
    SOURCE,
    Floats,
    Mask,
    Names,
    allot,
    annotate,
    blurred_copy,
    failure_classes,
    members,
    normal_scores,
    scores,
    tied,
    with_gaps,
    word_count,
)

N = 2937
JUDGE, CANDIDATE = "RAGTruth-like judge", "GPT-4-like"
# Verdict/label.
CELLS = {
    "wrong/right": 0.3265,
    "right/wrong": 0.0205,
    "right/right": 0.5355,
    "wrong/wrong": 0.1175,
}
UNSURE = {"wrong/right": 0.731, "right/wrong": 0.49, "right/right": 0.0585, "wrong/wrong": 0.34}
UNSURE_BELOW = 0.60
# Shares of question answering, summarization and data-to-text, by whether people and judge differ.
TASK_SHARES = {True: (0.30, 0.25, 0.45), False: (0.35, 0.38, 0.27)}
CLASSES = {"wrong/right": (0.02, 0.18, 0.70, 0.10), "right/wrong": (0.03, 0.12, 0.60, 0.25)}
TAGGED = 0.4
KINDS = {"café": 0.34, "museum": 0.25, "library": 0.2, "theatre": 0.204, "planetarium": 0.006}
# Published |Spearman| with |Δ|, where the feature is there to be drawn.
CONFIDENCE, RELIABILITY = -0.66, -0.25
SUPPORT, INFERENCE, LANGUAGE = -0.22, 0.16, 0.17


@dataclass(frozen=True)
class _Drawn:
    """What is drawn before there are texts: arrays with a place a record."""

    cells: Names
    tasks: Names
    features: dict[str, Floats]

    @property
    def right(self) -> Mask:
        return np.array([cell.endswith("/right") for cell in self.cells])


def ragtruth_rows() -> list[Row]:
    """Make the records, one an answer."""
    drawn = _draw()
    rated = annotate(drawn.right, _stream(5))
    reason = failure_classes(drawn.cells, CLASSES, TAGGED, _stream(6))
    kinds = allot(KINDS, N, _stream(7))
    rng = _stream(8)
    rows: list[Row] = []
    for i in range(N):
        verdict = str(drawn.cells[i]).partition("/")[0]
        task = str(drawn.tasks[i])
        written = _write(str(drawn.cells[i]), str(kinds[i]), task, rng)
        confidence = float(drawn.features["judge output:self-confidence"][i])
        rows.append(
            {
                "id": f"ragtruth-like-{i + 1:04d}",
                "question": written.question,
                "answer": written.answer,
                "candidate": CANDIDATE,
                "reference": written.source,
                "judge": JUDGE,
                "judge_kind": "simulated",
                "mode": "mode1",
                "verdict": "true" if verdict == "right" else "false",
                "uncertainty": round(1 - confidence, 2),
                "uncertainty_kind": "1 - confidence",
                "explanation": _explain(written),
                "failure_cause": None,
                "evidence": None,
                "spans": json.dumps(written.spans) if written.spans else None,
                **{f"label:{SOURCE}:{who}": rated[i, a] for a, who in enumerate(ANNOTATORS)},
                **{
                    f"feature:{name}": None if np.isnan(column[i]) else float(column[i])
                    for name, column in drawn.features.items()
                },
                "feature:evidence:source words": word_count(written.source),
                "feature:answer:answer words": word_count(written.answer),
                "stratum:low self-confidence": _flag(confidence < UNSURE_BELOW),
                "stratum:judge flagged output": _flag(verdict == "wrong"),
                "stratum:task type": task,
                "stratum:kind of place": kinds[i],
                "stratum:failure class": reason[i],
            }
        )
    return rows


def _draw() -> _Drawn:
    cells = allot(CELLS, N, _stream(1))
    flagged = np.array([cell.startswith("wrong/") for cell in cells])
    size = np.isin(cells, tuple(CLASSES)).astype(np.float64)
    tasks = np.empty(N, dtype=object)
    for differs, shares in TASK_SHARES.items():
        places = size == float(differs)
        tasks[places] = allot(dict(zip(TASKS, shares, strict=True)), int(places.sum()), _stream(3))
    rng = _stream(4)
    confidence = _confidence(size, members(cells, UNSURE, _stream(2)), rng)
    doubt = normal_scores(-confidence)
    cut = scores((0.2, 0.3, 0.3, 0.2))
    reliability = tied(size, size, RELIABILITY, cut, rng, inside=flagged)
    features = {
        "judge output:self-confidence": confidence,
        "judge output:self-confidence, asked again": blurred_copy(confidence, rng),
        "judge output:flag-reliability": np.where(flagged, reliability, np.nan),
        "evidence:ref-support-strength": tied(doubt, size, SUPPORT, cut, rng),
        "evidence:retrieval score": with_gaps(np.round(rng.random(N), 3), 0.12, rng),
        "task:data-to-text": (tasks == "data-to-text").astype(np.float64),
        "task:prompt version": np.full(N, 3.0),
        "task:batch": rng.integers(1, 25, N).astype(np.float64),
        "answer:inference-required": tied(doubt, size, INFERENCE, cut, rng),
        "answer:qualitative-language": tied(doubt, size, LANGUAGE, cut, rng),
    }
    return _Drawn(cells, tasks, features)


def _stream(*key: int) -> Generator:
    return stream(31, *key)


def _flag(value: bool) -> str:
    return "true" if value else "false"


def _confidence(size: Floats, unsure: Mask, rng: Generator) -> Floats:
    """Draw confidences on either side of `UNSURE_BELOW`, and hand each side out by rank."""
    low = 0.05 + 0.54 * rng.beta(4, 2, int(unsure.sum()))
    high = UNSURE_BELOW + 0.39 * rng.beta(2, 1.5, int((~unsure).sum()))
    values = np.round(np.sort(np.concatenate([low, high])), 2)

    def hand_out(wanted: Floats) -> Floats:
        order = np.lexsort((wanted, ~unsure))
        given = np.empty(len(size))
        given[order] = values
        return given

    return tied(size, size, CONFIDENCE, hand_out, rng)


@dataclass(frozen=True)
class _Written:
    """The texts of a record; `spans` are those that the judge flags, `wrong` its finding."""

    question: str
    source: str
    answer: str
    spans: list[Span]
    wrong: bool


def _write(cell: str, kind: str, task: str, rng: Generator) -> _Written:
    """Write a record of a cell: two to four facts, the doubtful ones among them."""
    verdict, _, label = cell.partition("/")
    place = draw_place(kind, rng)
    known = facts(place)
    asked = [known[int(k)] for k in rng.permutation(len(known))]
    asked = asked[: 2 if task == "question answering" else int(rng.integers(3, 5))]
    said = [fact.literal for fact in asked]
    doubtful = [int(k) for k in rng.permutation(len(asked))]
    if label == "wrong":
        said[doubtful[0]] = asked[doubtful[0]].wrong
        also = doubtful[1:2] if rng.random() < 0.2 else []
    elif verdict == "wrong":
        also = doubtful[: 2 if rng.random() < 0.3 else 1]
    else:
        also = doubtful[:1] if rng.random() < 0.25 else []
    for k in also:
        said[k] = asked[k].loose
    if verdict == "right":
        said = [unmarked(sentence) for sentence in said]
    answer, spans = answer_text(place, task, said)
    return _Written(
        question_text(place, task, asked),
        source_text(place, task, rng),
        answer,
        spans,
        label == "wrong",
    )


def _explain(written: _Written) -> str:
    if not written.spans:
        return "I found nothing in the answer that the source does not say."
    quoted = " and ".join(f"“{written.answer[start:end]}”" for start, end in written.spans)
    if written.wrong:
        return f"The source does not bear out {quoted}."
    return f"The source does not say {quoted}."
