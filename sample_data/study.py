"""The retrieval study: one judge on one candidate's answers, in five more modes; all simulated.

Answers, labels and the verdicts of modes 1 and 2 are those of `triviaqa-like.parquet`; `judges.py`
states their model. On top of it, with N(0, 1) draws ε:

- modes        A mode v of `VARIANTS` repeats mode m with confidence x_v = ρ x_m + √(1 − ρ²) ε and
  luck whose normal quantile follows that of m likewise. Verdicts and stated uncertainty then follow
  as in mode m, with `better` added to b and `surer` to a. Without evidence (m = 1): a judge asked
  again, and one whose evidence slot is empty. With it (m = 2): the first 6 or 9 pages, not 3.
- evidence     `SITES` have one page on each question, each with a relevance N(0, 1); mode 2 sees
  the best three. Three months later a share `SETTLED` of the questions brings the same list;
  elsewhere the relevance is λ = `KEPT` times the old one + √(1 − λ²) ε, and the best three may be
  others, or the same in another order. The addresses are made up, under reserved names.
- mode2:t1     repeats mode 2 with ρ = `SAME` + (1 − `SAME`) J, where J is the ranked Jaccard of the
  two lists: the same list gives the same verdict.
- evaluator    labels as an LLM that compares answer and reference might: the known answer, but for
  a share `EVALUATOR_WRONG` of the records, whichever they are.
- probes       a supervised score of mode m: σ(−(x_m + `SEEN` s + `NOISE` ε)), where s = ±1 says
  whether the verdict is right. Hidden states show it more than the stated confidence does.

ρ, `better` and `surer` are assumptions, set so that the study resembles section 5.5 and appendix D
of arXiv 2608.17994: pages turn over and verdicts hardly change, depth matters little, and a judge
that is asked again without evidence gains little.
"""

from __future__ import annotations

import json
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit, ndtr, ndtri

from core.risk.drift import ranked_jaccard
from sample_data.cohorts import (
    STYLES,
    UNCERTAINTY_KIND,
    Row,
    answer_questions,
    explain_all,
    explain_both,
    judge_stream,
    stream,
)
from sample_data.judges import (
    Verdicts,
    draw_latents,
    read_parameters,
    stated_uncertainty,
    verdicts,
)

COHORT, CANDIDATE, JUDGE = "triviaqa-like", "Qwen3-8B-like", "Qwen3-8B-like"
EVALUATOR = "label:LLM evaluator (simulated):drawn"
PROBES = ("feature:judge output:probe mode 1", "feature:judge output:probe mode 2")


@dataclass(frozen=True)
class Variant:
    """A mode that repeats another one: `closeness` is ρ."""

    repeats: int
    closeness: float
    better: float = 0.0
    surer: float = 0.0


VARIANTS = {
    "self-evaluation": Variant(1, 0.998, surer=0.1),
    "empty-evidence": Variant(1, 0.995, better=-0.03, surer=-0.3),
    "mode2:k=6": Variant(2, 0.99, better=0.02, surer=0.05),
    "mode2:k=9": Variant(2, 0.985, better=0.02, surer=0.05),
}
LATER = "mode2:t1"
SAME = 0.85
TOP = 3
SETTLED, KEPT = 0.23, 0.5
SITES = tuple(
    f"{name}.example.{end}"
    for name, end in zip(
        (
            *("almanac", "answers", "atlas", "classroom", "encyclopedia", "facts"),
            *("forum", "handbook", "library", "notes", "reference", "tables"),
        ),
        ("org", "com", "net") * 4,
        strict=True,
    )
)
EVALUATOR_WRONG = 0.03
SEEN, NOISE = 0.15, 0.5


def study_rows() -> list[Row]:
    """Make the study's records: question by question, mode by mode."""
    answered = answer_questions(COHORT, CANDIDATE)
    n, right = len(answered.questions), answered.right
    parameters = read_parameters()[COHORT][CANDIDATE][JUDGE]
    latents = draw_latents(parameters, answered.difficulty, judge_stream(COHORT, CANDIDATE, JUDGE))
    bases = {1: (latents.confidence1, latents.luck1), 2: (latents.confidence2, latents.luck2)}

    def judged(mode: int, x: NDArray[np.float64], luck: NDArray[np.float64], like: Variant):
        return (
            verdicts(parameters, mode, x, luck, right, better=like.better),
            stated_uncertainty(COHORT, JUDGE, parameters, mode, x, surer=like.surer),
        )

    one, two = (judged(mode, *bases[mode], Variant(mode, 1.0)) for mode in (1, 2))
    said = explain_both(COHORT, JUDGE, answered, Verdicts(*one, *two))
    modes = {"mode1": (*one, said[0]), "mode2": (*two, said[1])}
    before, after = _evidence([q.subject for q in answered.questions])
    overlap = np.array([ranked_jaccard(a, b) for a, b in zip(before, after, strict=True)])
    plans = {name: (like, np.full(n, like.closeness)) for name, like in VARIANTS.items()}
    plans[LATER] = (Variant(2, SAME), SAME + (1 - SAME) * overlap)
    for number, (name, (like, closeness)) in enumerate(plans.items()):
        x, luck = _repeat(*bases[like.repeats], closeness, _stream(0, number))
        verdict, uncertainty = judged(like.repeats, x, luck, like)
        modes[name] = (
            verdict,
            uncertainty,
            explain_all(
                answered,
                like.repeats,
                verdict,
                uncertainty,
                uncertainty > one[1],
                _stream(1, number).integers(0, 6, n),
            ),
        )
    pages = {"mode2": before, LATER: after}
    evaluator = right ^ (_stream(2).random(n) < EVALUATOR_WRONG)
    probes = [
        _probe(x, verdict == right, _stream(3, mode))
        for mode, (x, verdict) in enumerate(((bases[1][0], one[0]), (bases[2][0], two[0])))
    ]
    return [
        {
            **answered.item(COHORT, i),
            "judge": JUDGE,
            "judge_kind": "simulated",
            "mode": mode,
            "verdict": bool(verdict[i]),
            "uncertainty": float(uncertainty[i]),
            "uncertainty_kind": UNCERTAINTY_KIND,
            "explanation": explanation[i],
            "evidence": json.dumps(pages[mode][i]) if mode in pages else None,
            EVALUATOR: bool(evaluator[i]),
            **{column: float(probe[i]) for column, probe in zip(PROBES, probes, strict=True)},
        }
        for i in range(n)
        for mode, (verdict, uncertainty, explanation) in modes.items()
    ]


def _stream(*key: int) -> np.random.Generator:
    return stream(list(STYLES).index(COHORT), 6, *key)


def _repeat(
    confidence: NDArray[np.float64],
    luck: NDArray[np.float64],
    closeness: NDArray[np.float64],
    rng: np.random.Generator,
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Draw confidence and luck anew, correlated with those of another pass."""
    rest = np.sqrt(1 - closeness**2)
    noise = rng.standard_normal((2, len(luck)))
    again = ndtr(closeness * ndtri(luck) + rest * noise[1])
    # A quantile there and back is off in the last digit, which could turn a verdict.
    again = np.where(closeness == 1, luck, again)
    return closeness * confidence + rest * noise[0], again


def _evidence(subjects: list[str]) -> tuple[list[list[str]], list[list[str]]]:
    """Draw the pages that the judge sees for each question, and those of three months later."""
    rng, n = _stream(4), len(subjects)
    relevance, fresh = rng.standard_normal((2, n, len(SITES)))
    kept = np.where(rng.random(n) < SETTLED, 1.0, KEPT)[:, None]
    later = kept * relevance + np.sqrt(1 - kept**2) * fresh
    best = (np.argsort(-scores, axis=1, kind="stable")[:, :TOP] for scores in (relevance, later))
    first, second = (
        [
            [f"https://{SITES[k]}/{subject.replace(' ', '-')}/{i + 1}" for k in places]
            for i, (subject, places) in enumerate(zip(subjects, chosen, strict=True))
        ]
        for chosen in best
    )
    return first, second


def _probe(
    confidence: NDArray[np.float64], verdict_right: NDArray[np.bool_], rng: np.random.Generator
) -> NDArray[np.float64]:
    seen = confidence + SEEN * np.where(verdict_right, 1.0, -1.0)
    return np.round(expit(-(seen + NOISE * rng.standard_normal(len(seen)))), 6)
