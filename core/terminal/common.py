"""What the commands share: opening the database, choosing records, writing answers."""

from __future__ import annotations

import argparse
import json
import os
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from core.store.database import DEFAULT_PATH, Database, open_database
from core.store.exports import to_csv, to_jsonl, to_parquet
from core.store.migrations import DatabaseVersionError
from core.store.records import JudgedRecords, get_cohort, load_judged

DONE, REFUSED, NOTHING_ACCEPTED = 0, 1, 3


def reading(options: argparse.Namespace) -> Database:
    """Open for reading, beside other readers; a new file, or one of an older schema, is set up."""
    path = options.database or os.environ.get("ASSAY_DATABASE") or DEFAULT_PATH
    if not Path(path).exists():
        if path != ":memory:" and Path(path) != DEFAULT_PATH:
            raise ValueError(
                f"There is no database at {path}. Check the path, or make it by an import: "
                "python -m core import FILE --name NAME"
            )
        return open_database(":memory:")  # nothing yet, and nothing to leave behind
    try:
        return open_database(path, read_only=True)
    except DatabaseVersionError:
        return open_database(path)


def chosen_records(
    db: Database, options: argparse.Namespace, judge: str | None, candidate: str | None
) -> JudgedRecords:
    """Load the judge asked for; where there is one choice only, it needs no name."""
    cohort = get_cohort(db, options.cohort)
    judges = [info.name for info in cohort.judges]
    if judge is None:
        judge = _only("--judge", judges, "judge")
    if candidate is None and len(cohort.candidates) > 1:
        candidate = _only("--candidate", [*cohort.candidates, "all"], "candidate")
    return load_judged(
        db, cohort.cohort_id, judge,
        candidate=None if candidate == "all" else candidate,
        label_source=getattr(options, "labels", None),
    )  # fmt: skip


def _only(flag: str, names: Sequence[str], what: str) -> str:
    if len(names) == 1:
        return names[0]
    if not names:
        raise ValueError(f"This cohort has no {what}: import verdicts first.")
    raise ValueError(f"'{flag}' must name a {what}: {', '.join(names)}.")


def written(frame: pd.DataFrame, name: str, *, bom: bool) -> bytes:
    """Write a table in the format that the ending of a file name asks for."""
    writers: dict[str, Callable[[pd.DataFrame], bytes]] = {
        ".csv": lambda table: to_csv(table, bom=bom),
        ".jsonl": to_jsonl,
        ".parquet": to_parquet,
    }
    ending = Path(name).suffix.lower()
    if ending not in writers:
        raise ValueError(f"'--out' must end in {', '.join(writers)}; got {name!r}.")
    return writers[ending](frame)


def write(name: str, content: bytes) -> None:
    """Write a file whole: an interrupted write leaves the old one."""
    target = Path(name)
    part = target.with_name(f"{target.name}.part")
    try:
        part.write_bytes(content)
    except OSError as error:
        raise ValueError(f"{name} can't be written: {error.strerror}.") from error
    part.replace(target)


def json_records(table: pd.DataFrame) -> str:
    """Write a table as a JSON list of objects; missing values are null."""
    lines = to_jsonl(table).decode().splitlines()
    return f"[{','.join(lines)}]"


def print_table(table: pd.DataFrame) -> None:
    """Print a table for people."""
    print(table.to_string(index=False))


def print_json(value: Any) -> None:
    """Print a value as JSON."""
    print(json.dumps(value, ensure_ascii=False, indent=2, allow_nan=False, default=_scalar))


def _scalar(value: Any) -> Any:
    if isinstance(value, np.generic):
        return value.item()
    raise TypeError(f"{type(value).__name__} has no place in JSON")
