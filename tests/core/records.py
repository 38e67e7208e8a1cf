"""Judged records without a database, for the tests of what uses them."""

from __future__ import annotations

import numpy as np

from core.store.records import JudgedRecords


def judged(n: int = 1000, *, labelled: int | None = None, seed: int = 0, **change) -> JudgedRecords:
    """Two modes whose risk rises with uncertainty; the first ``labelled`` records have labels."""
    random = np.random.default_rng(seed)
    u1, u2 = random.random((2, n))
    human = (random.random(n) < 0.6).astype(float)
    wrong1, wrong2 = random.random(n) < 0.15 + 0.4 * u1, random.random(n) < 0.05 + 0.35 * u2
    verdict1, verdict2 = np.abs(human - wrong1), np.abs(human - wrong2)
    human[n if labelled is None else labelled :] = np.nan
    fields = {
        "cohort_id": "made", "cohort_name": "Made", "data_hash": f"hash-{n}-{labelled}-{seed}",
        "judge": "judge", "judge_kind": "simulated", "candidate": None, "label_source": "human",
        "item_id": np.array([f"{i:06d}" for i in range(n)], dtype=object),
        "verdict1": verdict1, "uncertainty1": u1, "verdict2": verdict2, "uncertainty2": u2,
        "human": human, "uncertainty_kind1": "uncertainty", "uncertainty_kind2": "uncertainty",
        "n_questions": n, "n_label_ties": 0,
    }  # fmt: skip
    return JudgedRecords(**{**fields, **change})
