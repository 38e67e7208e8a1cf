"""The records format, as the Data page describes it."""

from __future__ import annotations

import pandas as pd

from core.store.layout import COLUMNS
from core.store.parsing import FALSE_WORDS, TRUE_WORDS

_WORDS = ", ".join(
    f"{true}/{false}"
    for true, false in zip(TRUE_WORDS, FALSE_WORDS, strict=True)
    if not true.endswith(".0")
)

TEXT = f"""
One row per record, judge and mode; a record without a verdict has one row with an empty judge.
Exports are written this way, and read back to the same records. Your own file may look different:
one row per record with both modes in it is fine too, since step 3 says what is in which column.

- **Ids** are text for ever: a number of 19 digits, `007` and `1.0` stay as they are.
- **Verdicts and labels** are {_WORDS}, in any case. A label that is anything else is refused, not
  guessed. A verdict that can't be read is kept as *no verdict*, with the reason.
- **Uncertainty** grows as the judge is less sure. It may also come as p(true) or True/False
  log-probabilities (binary entropy in nats is computed from them), or as a confidence.
- **Empty** cells are missing, never false.
- Files may be CSV (any usual separator, UTF-8 or UTF-16), JSONL, JSON or Parquet.
"""

MEANINGS = {
    "id": "One id per record",
    "question": "What was asked",
    "answer": "The answer that was judged",
    "candidate": "The model or system that gave it",
    "reference": "A correct answer, where known; several as a list, `[\"Nile\", \"River Nile\"]`",
    "judge": "Who gave the verdict",
    "judge_kind": "model, simulated or rule",
    "mode": "mode1: the judge alone; mode2: with evidence",
    "verdict": "True: the judge says that the answer is correct",
    "uncertainty": "A number; larger means less sure",
    "uncertainty_kind": "What that number is",
    "explanation": "The judge's reasons",
    "failure_cause": "Why there is no verdict",
    "evidence": "The URLs that the verdict used, best first, as a JSON list",
    "spans": "Parts of the answer that the judge flags, as a JSON list: `[[0, 12], …]` or texts",
    "label:<source>:<annotator>": "A person's label; one column per annotator",
    "feature:<family>:<name>": "A number that may explain where the judge is wrong",
    "stratum:<name>": "A group that the record belongs to",
}


def columns_table() -> pd.DataFrame:
    """Every column of the format, in order, and what it holds."""
    extra = [name for name in MEANINGS if ":" in name]
    return pd.DataFrame(
        [(name, MEANINGS[name]) for name in (*COLUMNS, *extra)], columns=["Column", "Holds"]
    )
