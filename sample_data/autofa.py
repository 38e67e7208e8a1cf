"""AutoFA-like: a simulated judge of voice-assistant answers that may say "unknown".

Built to the margins that *Human-Anchored Factuality Evaluation with Strategic Annotation* publishes
in Section 4.2 and Tables 2 and 3 for its AutoFA data; nothing else is known of those records. With
|Δ| = 1 where people and judge differ, a verdict "unknown" taken for wrong, and N(0, 1) draws ε:

- cells        Verdict and human label have the joint shares `CELLS`, exactly. They follow from
  28.2 % disagreement, of it 43.4 % correct answers called false and 46.3 % called unknown, and the
  13.3 points by which the judge's rate is below people's where it decides: 29.8 % are unknown.
- strata       "partial verification" and "time-sensitive query" take the shares `PARTIAL` and
  `LIVE` of each cell's records, and are independent within a cell.
- scores       ref-support-strength is −k |Δ| + ε cut into 0 … 3. The other features that say
  anything follow that number, y = k x + ε, and so add little to it. k is solved for, so that
  Spearman's ρ with |Δ| is what is published.
- texts        A time-sensitive query is one of `live_questions.py`, any other a computed question.
  An answer is right where people say so. As many of the three reference answers as
  ref-support-strength says state a value; a wrong answer called unknown finds them at odds.

The published numbers contradict each other in part; this is the reading that keeps them all:

- No single treatment of "unknown" gives the disagreement (wrong), the gap (excluded) and the lifts
  (no residual) at once. Lifts of 2.58 and 1.29 with E[Δ²] of .41 and .20 mean an overall E[Δ²] of
  .155 to .159, near the 15.1 % of records that the judge decides against people. Spearman's ρ
  takes unknown as wrong: the flag of time-sensitive queries has ρ = .32 then, which with unknown
  as no residual and a lift of 1.29 could only be .10.
- "Partial verification" is defined as one claim or more marked unknown, which 29.8 % unknown
  verdicts would nearly fill, without a residual: the lift could not reach 2.58. Here it means that
  some claims could be checked and others not; most unknown verdicts had nothing to go by.
- ρ = .57 leaves no room for weak references wherever a wrong answer is rejected with reason. So
  the score says how directly the references speak to the claims, for or against.
"""

from __future__ import annotations

import json
from dataclasses import dataclass

import numpy as np
from numpy.random import Generator
from scipy.special import expit

from sample_data.cohorts import SEED, Row, stream
from sample_data.drafts import one_of
from sample_data.live_questions import live_questions
from sample_data.questions import Question, make_questions
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
from sample_data.study import SITES

N = 2338
JUDGE, CANDIDATE = "AutoFA-like judge", "voice-assistant-like"
# Verdict/label.
CELLS = {
    "false/right": 0.1224,
    "unknown/right": 0.1306,
    "true/wrong": 0.0290,
    "unknown/wrong": 0.1671,
    "true/right": 0.4909,
    "false/wrong": 0.0600,
}
PARTIAL = {
    "false/right": 0.86,
    "unknown/right": 0.34,
    "true/wrong": 0.68,
    "unknown/wrong": 0.33,
    "true/right": 0.154,
    "false/wrong": 0.33,
}
LIVE = {
    "false/right": 0.53,
    "unknown/right": 0.806,
    "true/wrong": 0.455,
    "unknown/wrong": 0.35,
    "true/right": 0.27,
    "false/wrong": 0.42,
}
# Chances of the four failure classes, in their order.
CLASSES = {
    "false/right": (0.10, 0.45, 0.40, 0.05),
    "unknown/right": (0.30, 0.60, 0.05, 0.05),
    "true/wrong": (0.05, 0.15, 0.55, 0.25),
}
TAGGED = 0.5
DEVICES = {"phone": 0.52, "speaker": 0.37, "car": 0.104, "watch": 0.006}
# Published |Spearman| with |Δ|, where the feature is there to be drawn.
SUPPORT, INFERENCE, TEMPORAL, CONFIDENCE = -0.57, 0.44, -0.36, -0.31
CLAIMS = (
    "From all I can find, the answer is {value}.",
    "The answer to your question is {value}.",
    "I looked into this, and it is {value}.",
)
ASIDES = {
    True: (
        "It was updated a short while ago.",
        "It tends to be quieter on weekdays.",
        "That may still change today.",
    ),
    False: (
        "It is among the questions I hear most often.",
        "Many school books have it as an exercise.",
        "People often get this one wrong.",
    ),
}


@dataclass(frozen=True)
class _Drawn:
    """What is drawn before there are texts: arrays with a place a record."""

    cells: Names
    partial: Mask
    live: Mask
    support: Floats
    features: dict[str, Floats]

    @property
    def right(self) -> Mask:
        return np.array([cell.endswith("/right") for cell in self.cells])


def autofa_rows() -> list[Row]:
    """Make the records, one a query."""
    drawn = _draw()
    questions, claims = _questions(drawn.live)
    rated = annotate(drawn.right, _stream(5))
    reason = failure_classes(drawn.cells, CLASSES, TAGGED, _stream(6))
    device = allot(DEVICES, N, _stream(7))
    rng = _stream(8)
    rows: list[Row] = []
    for i, (question, claim) in enumerate(zip(questions, claims, strict=True)):
        verdict = str(drawn.cells[i]).partition("/")[0]
        said = question.answer if drawn.right[i] else question.wrong[0]
        answer = claim.format(value=said)
        # An unchecked claim needs a claim beside the answer itself.
        if drawn.partial[i] or rng.random() < 0.6:
            answer += f" {one_of(rng, ASIDES[bool(drawn.live[i])])}"
        values = [question.answer] * int(drawn.support[i])
        if drawn.cells[i] == "unknown/wrong":
            # References at odds: there is a reason not to decide.
            values[1:2] = [said] * len(values[1:2])
        confidence = drawn.features["feature:judge output:self-confidence"][i]
        features = {name: _cell(column[i]) for name, column in drawn.features.items()}
        features["feature:task:query words"] = word_count(question.text)
        features["feature:answer:answer words"] = word_count(answer)
        rows.append(
            {
                "id": f"autofa-like-{i + 1:04d}",
                "question": question.text,
                "answer": answer,
                "candidate": CANDIDATE,
                "reference": _references(
                    [claim.format(value=value) for value in values], question.subject, rng
                ),
                "judge": JUDGE,
                "judge_kind": "simulated",
                "mode": "mode1",
                "verdict": verdict,
                "uncertainty": round(1 - float(confidence), 2),
                "uncertainty_kind": "1 - confidence",
                "explanation": _explain(verdict, said, question.answer, bool(drawn.partial[i])),
                "failure_cause": None,
                "evidence": json.dumps(_pages(question.subject, rng)),
                **{f"label:{SOURCE}:{who}": rated[i, a] for a, who in enumerate(ANNOTATORS)},
                **features,
                "stratum:partial verification": _flag(drawn.partial[i]),
                "stratum:time-sensitive query": _flag(drawn.live[i]),
                "stratum:task type": question.subject,
                "stratum:device": device[i],
                "stratum:failure class": reason[i],
            }
        )
    return rows


def _draw() -> _Drawn:
    cells = allot(CELLS, N, _stream(1))
    live = members(cells, LIVE, _stream(3))
    size = np.isin(cells, ("false/right", "unknown/right", "true/wrong")).astype(np.float64)
    rng = _stream(4)
    cut = scores((0.22, 0.23, 0.27, 0.28))
    strength = tied(size, size, SUPPORT, cut, rng)
    # In random order within a score, so that what follows it need not repeat its four values.
    weakness = normal_scores(-strength + rng.random(N))
    confidence = tied(weakness, size, CONFIDENCE, _confidence, rng)
    features = {
        "judge output:self-confidence": confidence,
        "judge output:self-confidence, asked again": blurred_copy(confidence, rng),
        "judge output:judge temperature": np.zeros(N),
        "evidence:ref-support-strength": strength,
        "evidence:ref-temporal-consistency": tied(weakness, size, TEMPORAL, cut, rng),
        "evidence:days since newest page": with_gaps(np.floor(rng.exponential(200, N)), 0.15, rng),
        "task:time-sensitive": live.astype(np.float64),
        "task:hour of the day": rng.integers(6, 24, N).astype(np.float64),
        "answer:inference-required": tied(weakness, size, INFERENCE, cut, rng),
        "answer:qualitative-language": rng.integers(0, 4, N).astype(np.float64),
    }
    return _Drawn(
        cells,
        members(cells, PARTIAL, _stream(2)),
        live,
        strength,
        {f"feature:{name}": values for name, values in features.items()},
    )


def _stream(*key: int) -> Generator:
    return stream(30, *key)


def _confidence(values: Floats) -> Floats:
    # Judges seldom say that they are unsure.
    return np.round(expit(1.4 + 0.9 * normal_scores(values)), 2)


def _cell(value: np.float64) -> float | None:
    return None if np.isnan(value) else float(value)


def _flag(value: bool) -> str:
    return "true" if value else "false"


def _questions(live: Mask) -> tuple[list[Question], list[str]]:
    """Give every record a question of its kind, and the claim that answers it."""
    now = iter(live_questions(int(live.sum()), _stream(9)))
    rest = iter(make_questions("trivia", int((~live).sum()), seed=[SEED, 30, 0]))
    rng = _stream(10)
    pairs = [next(now) if one else (next(rest), one_of(rng, CLAIMS)) for one in live]
    return [question for question, _ in pairs], [claim for _, claim in pairs]


def _references(stated: list[str], subject: str, rng: Generator) -> str:
    """Write the three reference answers: those that state something, and silent ones."""
    silent = (
        f"I found pages on {subject}, but none that answers this directly.",
        "The pages I found leave this open.",
        "No page that I found is recent or detailed enough to settle it.",
    )
    texts = stated + [silent[int(k)] for k in rng.permutation(3)[len(stated) :]]
    order = rng.permutation(3)
    return "\n".join(f"{place + 1}. {texts[int(k)]}" for place, k in enumerate(order))


def _explain(verdict: str, said: str, truth: str, partial: bool) -> str:
    if verdict == "unknown":
        text = f"The references do not settle whether “{said}” is right."
    elif verdict == "true":
        text = f"The references are in line with “{said}”."
    elif said != truth:
        text = f"It should be “{truth}”, not “{said}”."
    else:
        text = f"“{said}” is not what the references support."
    return f"{text} One claim could not be checked." if partial else text


def _pages(subject: str, rng: Generator) -> list[str]:
    places = rng.choice(len(SITES), 3, replace=False)
    name = subject.replace(" ", "-")
    return [f"https://{SITES[k]}/{name}/{rng.integers(1, 400)}" for k in places]
