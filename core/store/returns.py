"""Labels that come back from annotators: as a table, from Label Studio or from Argilla."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np
import pandas as pd

from core.store.parsing import truth_values
from core.store.readers import read_records

#: Who labelled, where a file doesn't say.
SOMEONE: Final = "1"
_IDS: Final = ("record_id", "id", "item_id", "external_id")
_LABELS: Final = ("label", "human_label", "verdict", "correct")
_ANNOTATORS: Final = ("annotator", "rater", "user", "completed_by")
_NAMES: Final = {
    "unknown": "not in this batch",
    "blank": "no label",
    "unparseable": "label that can't be read",
    "conflicting": "two labels by one annotator that differ",
    "duplicated": "the same label twice",
}


@dataclass(frozen=True, eq=False)
class Returns:
    """What a file of labels holds for a batch; nothing is saved yet.

    Attributes
    ----------
    labels : DataFrame
        item_id, annotator, value (bool): what can be saved.
    n_rows : int
        Rows or annotations read.
    n_records : int
        Drawn records with a label that can be saved.
    n_drawn : int
    unknown, blank, unparseable, conflicting, duplicated : int
        Rows that are no new label, and why: an id outside the batch, an empty label, a label that
        isn't true or false, two that contradict each other (neither counts), one said twice.
    problems : DataFrame
        place, id, annotator, label, problem: those rows, one by one.
    """

    labels: pd.DataFrame
    n_rows: int
    n_records: int
    n_drawn: int
    unknown: int
    blank: int
    unparseable: int
    conflicting: int
    duplicated: int
    problems: pd.DataFrame


def read_returns(
    sources: Sequence[str | Path | tuple[str, bytes]], drawn: Collection[str]
) -> Returns:
    """Read files of labels and match them with a batch's records by id, as text.

    Parameters
    ----------
    sources : sequence of path, or of (name, bytes)
        CSV, JSON Lines, JSON or Parquet with columns id, label and, where several people label,
        annotator; a Label Studio export (JSON, JSON-MIN, CSV); or an Argilla export (JSON).
    drawn : collection of str
        Ids of the drawn records.

    Raises
    ------
    ValueError
        If a file can't be read, or has no id or no label; the text names what was looked for.
    """
    parts = [_read_one(source) for source in sources]
    if not parts:
        raise ValueError("'sources' must name at least one file of labels; got none.")
    rows = pd.concat(parts, ignore_index=True)
    value, unreadable = truth_values(rows["label"])
    known = rows["id"].isin(set(drawn)).to_numpy()
    blank = np.isnan(value) & ~unreadable
    problem = np.full(len(rows), None, dtype=object)
    problem[blank] = "blank"
    problem[unreadable] = "unparseable"
    problem[~known] = "unknown"
    good = pd.Series(problem).isna().to_numpy(copy=True)
    keys = [rows["id"], rows["annotator"]]
    spread = pd.Series(np.where(good, value, np.nan)).groupby(keys).transform("nunique").to_numpy()
    problem[good & (spread > 1)] = "conflicting"
    good &= spread == 1
    again = good & rows[good].duplicated(["id", "annotator"]).reindex(rows.index, fill_value=False)
    problem[again] = "duplicated"
    good &= ~again
    labels = pd.DataFrame(
        {
            "item_id": rows["id"][good],
            "annotator": rows["annotator"][good],
            "value": value[good] == 1,
        }
    ).reset_index(drop=True)
    counts = pd.Series(problem).value_counts()
    listed = rows.assign(problem=problem)[~good].reset_index(names="place")
    return Returns(
        labels=labels,
        n_rows=len(rows),
        n_records=int(labels["item_id"].nunique()),
        n_drawn=len(set(drawn)),
        **{name: int(counts.get(name, 0)) for name in _NAMES},
        problems=listed.assign(
            place=listed["place"] + 1, problem=listed["problem"].map(_NAMES)
        )[["place", "id", "annotator", "label", "problem"]],
    )  # fmt: skip


def _read_one(source: str | Path | tuple[str, bytes]) -> pd.DataFrame:
    name, content = source if isinstance(source, tuple) else (str(source), None)
    if Path(name).suffix.lower() == ".json":
        text = Path(name).read_bytes() if content is None else content
        found = _nested(text)
        if found is not None:
            return _frame(name, list(found))
    frame = read_records([source]).frame
    named = {str(column).strip().casefold(): str(column) for column in frame.columns}
    columns = {
        "id": _first(named, _IDS), "label": _first(named, _LABELS),
        "annotator": _first(named, _ANNOTATORS),
    }  # fmt: skip
    for role, names in (("id", _IDS), ("label", _LABELS)):
        if columns[role] is None:
            raise ValueError(
                f"{name} has no column of {role}s: it must be called {' or '.join(names[:2])}. "
                f"Columns: {', '.join(map(repr, frame.columns))}."
            )
    given = {role: frame[column] for role, column in columns.items() if column is not None}
    return _frame(name, pd.DataFrame(given).to_dict("records"))


def _first(named: dict[str, str], wanted: Sequence[str]) -> str | None:
    return next((named[one] for one in wanted if one in named), None)


def _frame(name: str, rows: list[Any]) -> pd.DataFrame:
    if not rows:
        raise ValueError(f"{name} holds no label: it has no row.")
    frame = pd.DataFrame(rows, columns=["id", "annotator", "label"], dtype=object)
    frame["annotator"] = frame["annotator"].map(_text).replace("", SOMEONE)
    frame["id"] = frame["id"].map(_text)
    labels = [None if (text := _text(one)) == "" else text for one in frame["label"]]
    return frame.assign(label=pd.Series(labels, dtype="str"))


def _text(value: Any) -> str:
    if value is None or (isinstance(value, float) and np.isnan(value)):
        return ""
    return str(value).strip()


def _nested(text: bytes) -> Iterator[dict[str, Any]] | None:
    """The rows of a Label Studio or Argilla export; None where the file is neither."""
    try:
        listed = json.loads(text)
    except (ValueError, RecursionError):
        return None
    if not isinstance(listed, list) or not listed or not isinstance(listed[0], dict):
        return None
    first = listed[0]
    if isinstance(first.get("annotations"), list) and isinstance(first.get("data"), dict):
        return _label_studio(listed)
    if "fields" in first or any(str(key).endswith(".responses") for key in first):
        return _argilla(listed)
    return None


def _label_studio(tasks: list[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    for task in tasks:
        data = task.get("data") or {}
        item = next((data[name] for name in _IDS if name in data), None)
        annotations = task.get("annotations") or [{}]
        seen: dict[str, int] = {}
        for one in annotations:
            who = one.get("completed_by")
            who = _text(who.get("email") or who.get("id") if isinstance(who, dict) else who)
            # One user annotates a task once: several mean that people shared an account.
            seen[who] = seen.get(who, 0) + 1
            annotator = who if seen[who] == 1 else f"{who or SOMEONE} ({seen[who]})"
            chosen = None
            for result in () if one.get("was_cancelled") else one.get("result") or ():
                choices = (result.get("value") or {}).get("choices")
                if choices:
                    chosen = choices[0] if len(choices) == 1 else ", ".join(map(str, choices))
            yield {"id": item, "annotator": annotator, "label": chosen}


def _argilla(records: list[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    for record in records:
        metadata = record.get("metadata") or {}
        item = next(
            (
                place[name]
                for place in (metadata, record)
                for name in ("record_id", "external_id", "id")
                if isinstance(place, dict) and place.get(name) is not None
            ),
            None,
        )
        said = list(_responses(record))
        for annotator, label in said or [("", None)]:
            yield {"id": item, "annotator": annotator, "label": label}


def _responses(record: dict[str, Any]) -> Iterator[tuple[str, Any]]:
    nested = record.get("responses")
    if isinstance(nested, dict):
        for given in nested.values():
            for one in given if isinstance(given, list) else [given]:
                if isinstance(one, dict) and one.get("status", "submitted") == "submitted":
                    yield _text(one.get("user_id")), one.get("value")
        return
    for key, given in record.items():
        if str(key).endswith(".responses") and isinstance(given, list):
            users = record.get(f"{key}.users") or [""] * len(given)
            status = record.get(f"{key}.status") or ["submitted"] * len(given)
            for label, user, state in zip(given, users, status, strict=False):
                if state == "submitted":
                    yield _text(user), label
