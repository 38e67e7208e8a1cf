"""A small cohort with every extra mode that a study looks at, as a file in the records format."""

from __future__ import annotations

import json

import numpy as np

from core.store.database import Database
from core.store.imports import guess_mapping, prepare, read_records, write_cohort
from core.store.records import Cohort

MODES = {
    "mode1": 0.35, "mode2": 0.15, "self-evaluation": 0.34, "empty-evidence": 0.35,
    "mode2:k=6": 0.14, "mode2:k=12": 0.15, "mode2:t1": 0.16,
}  # fmt: skip


def write_study(db: Database, n: int = 400, modes: dict[str, float] | None = None) -> Cohort:
    """Write ``n`` items; a mode errs at the given rate, more often where it is unsure."""
    random = np.random.default_rng(0)
    rows = []
    for item in range(n):
        right = bool(random.random() < 0.6)
        about = {
            "id": f"{item:04d}", "question": f"q{item}", "answer": "Nile" if right else "Amazon",
            "reference": json.dumps(["Nile", "the river Nile"]),
            "label:human:1": right, "label:evaluator:1": right ^ bool(random.random() < 0.05),
            "feature:judge output:probe": float(random.random()),
        }  # fmt: skip
        for mode, rate in (modes or MODES).items():
            u = float(random.random())
            wrong = bool(random.random() < 2 * rate * u)
            urls = [f"https://example.org/{item}/{k}" for k in range(3)]
            if mode == "mode2:t1":
                urls = [urls[0], urls[2], f"https://example.org/{item}/new"]
            rows.append(
                {
                    **about, "judge": "J", "judge_kind": "simulated", "mode": mode,
                    "verdict": right ^ wrong, "uncertainty": u,
                    "evidence": json.dumps(urls) if mode.startswith("mode2") else None,
                }
            )  # fmt: skip
    content = "\n".join(json.dumps(row) for row in rows).encode()
    raw = read_records([("study.jsonl", content)])
    return write_cohort(db, prepare(raw, guess_mapping(raw)), "Study")
