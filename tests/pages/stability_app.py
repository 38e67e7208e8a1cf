"""A store with small cohorts, and the Stability page over it."""

from __future__ import annotations

import io
import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
import streamlit as st
from streamlit.testing.v1 import AppTest

from core.store.database import Database
from core.store.imports import guess_mapping, prepare, read_records, write_cohort
from pages.components import cached, long_work

ROOT = Path(__file__).resolve().parents[2]
N = 400
#: Mode, how often it is wrong, and how it differs from plain Mode 2.
STUDY = {
    "mode1": 0.4, "mode2": 0.2, "self-evaluation": 0.38, "empty-evidence": 0.36,
    "mode2:k=6": 0.18, "mode2:t1": 0.22,
}  # fmt: skip


@contextmanager
def small_store(monkeypatch: pytest.MonkeyPatch) -> Iterator[Database]:
    """A store of its own without the samples; work is quick enough to start by itself."""
    monkeypatch.setenv("ASSAY_DATABASE", ":memory:")
    monkeypatch.setenv(cached.NO_SAMPLES, "1")
    monkeypatch.setattr(long_work, "AT_ONCE", 60)
    st.cache_resource.clear()
    st.cache_data.clear()
    yield cached.database()
    st.cache_resource.clear()
    st.cache_data.clear()


def rows(
    *,
    judge: str = "one",
    kind: str = "simulated",
    candidate: str = "small",
    modes: tuple[str, ...] = ("mode1", "mode2"),
    extras: bool = False,
    labelled: int = N,
) -> pd.DataFrame:
    """Verdicts whose errors rise with the uncertainty, in the records format."""
    random = np.random.default_rng(3)
    label = random.random(N) < 0.5
    evaluator, probe = label ^ (random.random(N) < 0.02), np.round(random.random(N), 5)
    parts = []
    for mode in modes:
        u = random.random(N)
        verdict = label ^ (random.random(N) < 2 * STUDY[mode] * u)
        frame = pd.DataFrame(
            {
                "id": [f"{candidate}-{i:04d}" for i in range(N)],
                "question": [f"Question {i}?" for i in range(N)],
                "answer": ["Nile" if right else "Rhine" for right in label],
                "candidate": candidate,
                "judge": judge,
                "judge_kind": kind,
                "mode": mode,
                "verdict": verdict,
                "uncertainty": np.round(u, 5),
                "label:human:a": [
                    str(right) if i < labelled else "" for i, right in enumerate(label)
                ],
            }
        )
        if extras:
            frame["reference"] = "Nile"
            frame["label:evaluator:b"] = evaluator
            frame["feature:judge output:probe"] = probe
            frame["evidence"] = ""
            if mode == "mode2":
                frame["evidence"] = '["a.example", "b.example"]'
            elif mode == "mode2:t1":
                frame["evidence"] = '["b.example", "a.example"]'
        parts.append(frame)
    return pd.concat(parts)


def add(db: Database, name: str, *parts: pd.DataFrame) -> str:
    text = io.StringIO()
    pd.concat(parts).to_csv(text, index=False)
    raw = read_records([(f"{name}.csv", text.getvalue().encode())])
    return write_cohort(db, prepare(raw, guess_mapping(raw)), name, source="a test").cohort_id


def study(db: Database) -> str:
    return add(db, "Study", rows(modes=tuple(STUDY), extras=True))


def open_page(**link: str) -> AppTest:
    at = AppTest.from_file(str(ROOT / "app.py"), default_timeout=120)
    for name, value in {"splits": "20", **link}.items():
        at.query_params[name] = value
    at.run()
    at.switch_page("pages/stability/page.py").run()
    assert not at.exception
    return at


def charts(at: AppTest) -> dict[str, Any]:
    """Every figure by the end of its element's key."""
    return {
        one.proto.id.split("stability_")[-1]: json.loads(one.proto.spec)
        for one in at.get("plotly_chart")
    }


def words_of(at: AppTest) -> str:
    """Everything the page says, figures included."""
    kinds = [at.markdown, at.caption, at.subheader, at.info, at.warning, at.success, at.error]
    said = [one.value for kind in kinds for one in kind]
    said += [f"{tile.label} {tile.value} {tile.delta}" for tile in at.metric]
    for one in at.get("plotly_chart"):
        spec = json.loads(one.proto.spec)
        said += [json.dumps(spec, ensure_ascii=False), one.proto.alt]
    said += [table.value.to_string() for table in at.dataframe]
    return "\n".join(said)
