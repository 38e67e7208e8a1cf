"""A small cohort with everything that residuals look at, in the records format."""

from __future__ import annotations

import io

import numpy as np
import pandas as pd

from core.store.database import Database
from core.store.imports import guess_mapping, prepare, read_records, write_cohort
from core.store.records import Cohort

N = 300


def rows(n: int = N, *, unknown: bool = True, annotators: int = 3) -> pd.DataFrame:
    """Verdicts that err where support is low; some unknown, some labels missing."""
    random = np.random.default_rng(11)
    label = random.random(n) < 0.7
    support = random.random(n)
    wrong = random.random(n) < 0.6 * (1 - support)
    verdict = np.where(label ^ wrong, "true", "false").astype(object)
    if unknown:
        verdict[:15] = "Unknown"
    verdict[15:20] = "perhaps"
    frame = pd.DataFrame(
        {
            "id": [f"r{i:04d}" for i in range(n)],
            "question": [f"Question {i // 2} [of *some*]?" for i in range(n)],
            "answer": [f"The answer is {i} <b>." for i in range(n)],
            "reference": [f"{i + i % 3}" for i in range(n)],
            "judge": "J",
            "judge_kind": "simulated",
            "mode": "mode1",
            "verdict": verdict,
            "uncertainty": np.round(random.random(n), 4),
            "explanation": "It may be so.",
            "evidence": '["a.example"]',
        }
    )
    for one in range(annotators):
        said = label ^ (random.random(n) < (0.0 if one == 0 else 0.1))
        given = np.where(said, "true", "false").astype(object)
        given[40:] = given[40:] if one == 0 else ""
        given[290:] = ""
        frame[f"label:human:{'abc'[one]}"] = given
    frame["feature:evidence:support [share]"] = np.round(support, 4)
    frame["feature:task:constant"] = 1
    frame["feature:judge output:noise"] = np.where(
        random.random(n) < 0.1, np.nan, np.round(random.random(n), 4)
    )
    frame["stratum:subject"] = random.choice(["history", "science", ""], n)
    frame["stratum:time-sensitive"] = random.choice(["true", "false"], n)
    return frame


def write(db: Database, frame: pd.DataFrame, name: str = "Space") -> Cohort:
    text = io.StringIO()
    frame.to_csv(text, index=False)
    raw = read_records([("space.csv", text.getvalue().encode())])
    return write_cohort(db, prepare(raw, guess_mapping(raw)), name)
