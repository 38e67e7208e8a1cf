"""The simulated candidates and judges: the model that the sample verdicts are drawn from.

No language model had a part in these records. For question q of a cohort, with N(0, 1) draws ε:

- difficulty   z = h(subject) + √(1 − Var h) ε, with h the hardness of its subject (`HARDNESS`).
- candidate    right where −0.6 z + 0.8 ε exceeds a constant that makes its share of right answers
  what `RIGHT_SHARE` says; a wrong answer is one of the question's plausible wrong ones.
- confidence   a judge's latent confidence in mode 1 is x₁ = −0.5 z + √0.75 ε, in mode 2
  x₂ = r x₁ + √(1 − r²) ε: what it finds by retrieval agrees in part with what it knew.
- verdict      of mode m is right with probability (1 − wₘ) σ(bₘ + kₘ xₘ ± λₘ): wₘ is the share of
  verdicts that are wrong whatever the confidence, kₘ how much confidence says. The sign is + for
  right answers and − for wrong ones: judges are lenient, less so with evidence in hand.
- p(verdict)   the judge states pₘ = ½ + ½ σ(aₘ + s xₘ), and its uncertainty is the binary entropy
  of pₘ in nats, between 0 and ln 2: rounded to six decimals. Nothing ties pₘ to the probability
  of being right, so the stated confidence is as badly calibrated as aₘ and wₘ make it; noise in it
  is the part of the verdict that xₘ leaves to chance.
- retrieval    shifts the scale by a₂ − a₁ = s √(2 − 2r) Φ⁻¹(1 − ρ), so that mode 2 is less sure
  than mode 1 on an expected share ρ of the records (`RAISED`).

`parameters.toml` holds b, k, w of both modes and r for every cohort, candidate and judge. They were
fitted to what arXiv 2608.17994 says of its judges in prose: coverage at given risk levels, alone
and with retrieval. README.md lists the figures beside those of the records.
"""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray
from scipy.special import expit, ndtri

PARAMETER_FILE = Path(__file__).with_name("parameters.toml")
JUDGES = ("Qwen3-4B-like", "Qwen3-8B-like", "Qwen3-14B-like", "Llama-3.1-8B-like")
CANDIDATES = ("Qwen3-8B-like", "Llama-3.1-70B-like")

HARDNESS = {
    "arithmetic": 0.2,
    "calendar": 0.5,
    "elements": -0.4,
    "geography": -0.5,
    "geometry": 0.1,
    "number theory": 0.6,
    "numerals": 0.0,
    "units": -0.1,
    "words": -0.2,
}
# Share of right answers: Qwen3-8B-like, Llama-3.1-70B-like.
RIGHT_SHARE = {
    "triviaqa-like": (0.58, 0.81),
    "nq-like": (0.41, 0.57),
    "popqa-like": (0.27, 0.43),
    "hotpotqa-like": (0.36, 0.51),
}
# Expected share of records on which retrieval raises the uncertainty.
RAISED = {"triviaqa-like": 0.18, "nq-like": 0.24, "popqa-like": 0.17, "hotpotqa-like": 0.26}
# Scale of the stated confidence in mode 1, a₁: larger models sound surer.
SURE = dict(zip(JUDGES, (1.0, 1.3, 1.7, 1.2), strict=True))
SPREAD = 1.8
LENIENCY = (0.4, 0.15)


@dataclass(frozen=True)
class JudgeParameters:
    """b, k and w of both modes, and the correlation r of the two confidences."""

    b1: float
    k1: float
    w1: float
    b2: float
    k2: float
    w2: float
    r: float


@dataclass(frozen=True)
class Verdicts:
    """One judge's verdicts on n answers: bool and float arrays of shape (n,), modes 1 and 2."""

    verdict1: NDArray[np.bool_]
    uncertainty1: NDArray[np.float64]
    verdict2: NDArray[np.bool_]
    uncertainty2: NDArray[np.float64]


def read_parameters() -> dict[str, dict[str, dict[str, JudgeParameters]]]:
    """Read the fitted parameters: cohort → candidate → judge."""
    document = tomllib.loads(PARAMETER_FILE.read_text(encoding="utf-8"))
    return {
        cohort: {
            candidate: {judge: JudgeParameters(**values) for judge, values in judges.items()}
            for candidate, judges in candidates.items()
        }
        for cohort, candidates in document.items()
    }


def draw_difficulty(subjects: list[str], rng: Generator) -> NDArray[np.float64]:
    """Draw the difficulty z of each question from its subject."""
    hardness = np.array([HARDNESS[subject] for subject in subjects])
    hardness -= hardness.mean()
    return hardness + np.sqrt(1 - hardness.var()) * rng.standard_normal(len(subjects))


def draw_rightness(
    difficulty: NDArray[np.float64], share: float, rng: Generator
) -> NDArray[np.bool_]:
    """Draw whether a candidate that is right on an expected `share` answers each question right."""
    skill = -0.6 * difficulty + 0.8 * rng.standard_normal(len(difficulty))
    return skill > ndtri(1 - share)


@dataclass(frozen=True)
class Latents:
    """What one judge's verdicts on n answers come from, in modes 1 and 2.

    Float arrays of shape (n,): the confidences x, and the luck, uniform in [0, 1), that is below
    the chance of a right verdict where the verdict is right.
    """

    confidence1: NDArray[np.float64]
    luck1: NDArray[np.float64]
    confidence2: NDArray[np.float64]
    luck2: NDArray[np.float64]


def draw_latents(
    parameters: JudgeParameters, difficulty: NDArray[np.float64], rng: Generator
) -> Latents:
    """Draw one judge's confidences and luck."""
    n, r = len(difficulty), parameters.r
    x1 = -0.5 * difficulty + np.sqrt(0.75) * rng.standard_normal(n)
    x2 = r * x1 + np.sqrt(1 - r**2) * rng.standard_normal(n)
    return Latents(x1, rng.random(n), x2, rng.random(n))


def verdicts(
    parameters: JudgeParameters,
    mode: int,
    confidence: NDArray[np.float64],
    luck: NDArray[np.float64],
    answer_right: NDArray[np.bool_],
    *,
    better: float = 0.0,
) -> NDArray[np.bool_]:
    """Verdicts that follow from confidence and luck in mode 1 or 2; `better` is added to b."""
    p = parameters
    b, k, w = (p.b1, p.k1, p.w1) if mode == 1 else (p.b2, p.k2, p.w2)
    sign = np.where(answer_right, 1.0, -1.0)
    chance = (1 - w) * expit(b + better + k * confidence + LENIENCY[mode - 1] * sign)
    return (luck < chance) == answer_right


def stated_uncertainty(
    cohort: str,
    judge: str,
    parameters: JudgeParameters,
    mode: int,
    confidence: NDArray[np.float64],
    *,
    surer: float = 0.0,
) -> NDArray[np.float64]:
    """Uncertainty that goes with a confidence in mode 1 or 2; `surer` is added to a."""
    sure = SURE[judge] + surer
    if mode == 2:
        sure += SPREAD * np.sqrt(2 - 2 * parameters.r) * ndtri(1 - RAISED[cohort])
    return _entropy(0.5 + 0.5 * expit(sure + SPREAD * confidence))


def judge_answers(
    cohort: str,
    judge: str,
    parameters: JudgeParameters,
    difficulty: NDArray[np.float64],
    answer_right: NDArray[np.bool_],
    rng: Generator,
) -> Verdicts:
    """Draw one judge's verdicts and uncertainties on a candidate's answers."""
    drawn = draw_latents(parameters, difficulty, rng)
    x1, x2 = drawn.confidence1, drawn.confidence2
    return Verdicts(
        verdicts(parameters, 1, x1, drawn.luck1, answer_right),
        stated_uncertainty(cohort, judge, parameters, 1, x1),
        verdicts(parameters, 2, x2, drawn.luck2, answer_right),
        stated_uncertainty(cohort, judge, parameters, 2, x2),
    )


def _entropy(p: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.round(-p * np.log(p) - (1 - p) * np.log1p(-p), 6)
