"""Cohorts with the texts that files, spreadsheets and parsers stumble over."""

from __future__ import annotations

from typing import Any

import pandas as pd
from hypothesis import strategies as st

from core.store.content_hash import KEYS
from core.store.prepare import TABLES

WORDS = [
    "-0.02",
    "007",
    "1.0",
    "1234567890123456789",
    "'=1",
    "''",
    "true",
    "null",
    "NaN",
    "{}",
    "[1.0]",
    "sep=;",
    "%3A",
    "a:b",
    "🙂",
    "\x00",
    "\u2028",
    "\ufeffid",
]
TEXTS = st.one_of(
    st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=12),
    st.text("='+-@\t\r\n\"',;|: 0x1.", min_size=1, max_size=6),
    st.sampled_from([*WORDS, "mode 1", "label:human:1"]),
)
FLOATS = st.floats(allow_nan=False, allow_infinity=False)
MODES = st.lists(st.sampled_from(["mode1", "mode2", "self-evaluation"]), max_size=2, unique=True)
JUDGES = st.dictionaries(TEXTS, st.sampled_from(["model", "simulated", "rule"]), max_size=2)
KINDS = st.sampled_from(["uncertainty", "1 - confidence", "=margin", "-1"])
VALUES = {"labels": st.booleans(), "features": FLOATS, "strata": TEXTS}
TYPES = {
    ("verdicts", "verdict"): "boolean",
    ("verdicts", "uncertainty"): "float64",
    ("labels", "value"): "boolean",
    ("features", "value"): "float64",
}


@st.composite
def verdicts(draw: st.DrawFn, item: str, judge: str, kind: str, mode: str) -> dict[str, Any]:
    row: dict[str, Any] = {"item_id": item, "judge": judge, "judge_kind": kind, "mode": mode}
    row["verdict"] = draw(st.none() | st.booleans())
    row["uncertainty"] = draw(st.none() | FLOATS)
    row["uncertainty_kind"] = None if row["uncertainty"] is None else draw(KINDS)
    row["explanation"] = draw(st.none() | TEXTS)
    row["failure_cause"] = draw(TEXTS if row["verdict"] is None else st.none() | TEXTS)
    row["evidence"], row["spans"] = draw(st.none() | TEXTS), draw(st.none() | TEXTS)
    return row


@st.composite
def cohorts(draw: st.DrawFn) -> dict[str, pd.DataFrame]:
    """The tables of a cohort."""
    rows: dict[str, list[dict[str, Any]]] = {table: [] for table in TABLES}
    judges = draw(JUDGES)
    names = {
        table: draw(st.lists(st.tuples(*[TEXTS] * len(KEYS[table][1:])), max_size=2, unique=True))
        for table in VALUES
    }
    for item in draw(st.lists(TEXTS, min_size=1, max_size=4, unique=True)):
        fields = {name: draw(st.none() | TEXTS) for name in TABLES["items"][1:]}
        rows["items"].append({"item_id": item, **fields})
        for judge, kind in judges.items():
            rows["verdicts"] += [draw(verdicts(item, judge, kind, mode)) for mode in draw(MODES)]
        for table, values in VALUES.items():
            for name in names[table]:
                if draw(st.booleans()):
                    key = dict(zip(KEYS[table], (item, *name), strict=True))
                    rows[table].append({**key, "value": draw(values)})
    return {
        table: pd.DataFrame(
            {
                column: pd.Series(
                    [row[column] for row in rows[table]], dtype=TYPES.get((table, column), "str")
                )
                for column in columns
            }
        )
        for table, columns in TABLES.items()
    }
