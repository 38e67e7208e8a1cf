"""A batch as annotators get it: a table, Label Studio tasks or Argilla records."""

from __future__ import annotations

import json
from typing import Any, Final

import numpy as np
import pandas as pd

INSTRUCTIONS: Final = (
    "Is the answer correct? Say true if its core claims are right, and false if one of them is "
    "wrong. Details beside the point don't count. Look things up where you aren't sure; leave the "
    "label blank where you can't tell."
)
#: What a Label Studio project needs to show the tasks and take a label.
LABEL_STUDIO_CONFIG: Final = f"""<View>
  <Header value="{INSTRUCTIONS.replace("'", "&apos;")}" size="6"/>
  <Header value="Question"/>
  <Text name="question" value="$question"/>
  <Header value="Answer"/>
  <Text name="answer" value="$answer"/>
  <Header value="Reference"/>
  <Text name="reference" value="$reference"/>
  <Choices name="label" toName="answer" choice="single" showInLine="true">
    <Choice value="true" hotkey="1"/>
    <Choice value="false" hotkey="2"/>
  </Choices>
</View>
"""
_SLOTS: Final = ("first", "second")


def task_table(
    drawn: pd.DataFrame, *, twice: float = 0.0, seed: int = 0, show_judge: bool = False
) -> pd.DataFrame:
    """One row a label to give, with a blank label.

    Parameters
    ----------
    drawn : DataFrame
        Of `core.store.batches.load_drawn`.
    twice : float
        Share of records that two people label; which ones follows from the seed.
    seed : int
    show_judge : bool
        Whether the judge's verdict and reasons are shown, which sways people.

    Returns
    -------
    DataFrame
        id, annotator ("first", or "second" where two people label; to be replaced by a name),
        label (blank), question, answer, reference; verdict and explanation where asked for.

    Raises
    ------
    ValueError
        If the share is outside [0, 1].
    """
    if not 0 <= twice <= 1:
        raise ValueError(f"'twice' must be a share from 0 to 1; got {twice!r}.")
    again = np.zeros(len(drawn), dtype=bool)
    chosen = np.random.default_rng(seed).permutation(len(drawn))[: round(twice * len(drawn))]
    again[chosen] = True
    texts = ["question", "answer", "reference"]
    if show_judge:
        texts += ["verdict", "explanation"]
    parts = []
    for slot, rows in zip(_SLOTS, (drawn, drawn[again]), strict=True):
        part = rows[["id", *texts]].copy()
        part.insert(1, "annotator", slot)
        part.insert(2, "label", "")
        parts.append(part)
    return pd.concat(parts, ignore_index=True)


def label_studio_tasks(table: pd.DataFrame) -> bytes:
    """The tasks as Label Studio imports them: one a record, however many people label it."""
    once = table.drop_duplicates("id")
    tasks = [{"data": _data(row)} for row in once.to_dict("records")]
    return json.dumps(tasks, ensure_ascii=False, indent=1).encode()


def argilla_records(table: pd.DataFrame) -> bytes:
    """The records as ``argilla.Dataset.records.log`` takes them, in a JSON list."""
    once = table.drop_duplicates("id")
    records = []
    for row in once.to_dict("records"):
        data = _data(row)
        records.append(
            {
                "id": data["record_id"],
                "fields": {name: text for name, text in data.items() if name != "record_id"},
                "metadata": {"record_id": data["record_id"]},
            }
        )
    return json.dumps(records, ensure_ascii=False, indent=1).encode()


def _data(row: dict[Any, Any]) -> dict[str, str]:
    """A record's texts; its id goes by another name than the tool's own."""
    return {
        "record_id" if name == "id" else str(name): "" if pd.isna(value) else str(value)
        for name, value in row.items()
        if name not in ("annotator", "label")
    }
