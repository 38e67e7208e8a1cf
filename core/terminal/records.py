"""Records in and out: import, cohorts, export."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

import pandas as pd

from core.store.database import open_database
from core.store.exports import export_frame, to_csv, to_jsonl
from core.store.imports import (
    ROLES,
    FeatureColumn,
    LabelColumn,
    Mapping,
    PreparedCohort,
    StratumColumn,
    guess_mapping,
    prepare,
    problem_table,
    read_records,
    write_cohort,
)
from core.store.records import Cohort, list_cohorts
from core.terminal.common import (
    DONE,
    json_records,
    print_json,
    print_table,
    reading,
    write,
    written,
)


def import_records(options: argparse.Namespace) -> int:
    """Read files, show what they hold, and write a cohort or nothing."""
    raw = read_records(options.source)
    mapping = _mapping(guess_mapping(raw), options)
    prepared = prepare(raw, mapping)
    report = prepared.quality.as_table()
    cohort = None
    if prepared.errors and options.on_problem == "stop" and not options.dry_run:
        _list_problems(prepared, options.show)
        raise ValueError(
            f"{prepared.quality.rows_with_errors:,} of {prepared.quality.rows_read:,} rows have "
            "errors (above), so nothing was written. Correct them, or leave them out with "
            "--on-problem skip."
        )
    if not options.dry_run:
        with open_database(options.database) as db:
            cohort = write_cohort(
                db, prepared, options.name, on_problem=options.on_problem,
                replace=options.replace, description=options.description,
                source=", ".join(options.source),
            )  # fmt: skip
    if options.json:
        print_json(
            {
                "cohort": _cohort(cohort) if cohort else None,
                "quality": json.loads(json_records(report)),
                "problems": json.loads(json_records(problem_table(prepared.problems))),
            }
        )
        return DONE
    _list_problems(prepared, options.show)
    print_table(report.assign(of=report["of"].map(lambda n: "" if pd.isna(n) else f"{n}")))
    _say_mapping(mapping, raw.columns)
    if cohort:
        print(
            f"\n{cohort.name}: {cohort.n_items:,} items, {cohort.n_labelled:,} labelled, "
            f"cohort id {cohort.cohort_id}"
        )
    return DONE


def list_all(options: argparse.Namespace) -> int:
    """List the cohorts of the database."""
    with reading(options) as db:
        cohorts = list_cohorts(db)
    if options.json:
        print_json([_cohort(cohort) for cohort in cohorts])
    elif not cohorts:
        print("No cohorts yet. Import records: python -m core import FILE --name NAME")
    else:
        print_table(
            pd.DataFrame(
                {
                    "id": [c.cohort_id for c in cohorts],
                    "items": [c.n_items for c in cohorts],
                    "labelled": [c.n_labelled for c in cohorts],
                    "judges": [", ".join(j.name for j in c.judges) for c in cohorts],
                    "candidates": [", ".join(c.candidates) for c in cohorts],
                }
            )
        )
    return DONE


def export(options: argparse.Namespace) -> int:
    """Write a whole cohort in the records format."""
    with reading(options) as db:
        frame = export_frame(db, options.cohort)
    if options.json:
        sys.stdout.buffer.write(to_jsonl(frame))
    elif options.out:
        write(options.out, written(frame, options.out, bom=options.bom))
        print(f"{len(frame):,} rows in {options.out}", file=sys.stderr)
    else:
        sys.stdout.buffer.write(to_csv(frame, bom=options.bom))
    return DONE


def _list_problems(prepared: PreparedCohort, most: int) -> None:
    for problem in prepared.problems[:most]:
        print(f"{problem.severity}: {problem}", file=sys.stderr)
    if len(prepared.problems) > most:
        print(f"… {len(prepared.problems) - most:,} more", file=sys.stderr)


def _say_mapping(mapping: Mapping, columns: Sequence[str]) -> None:
    """Say which column was read as what, so that a wrong guess is seen."""
    roles = [f"{role} = {column!r}" for role, column in mapping.roles().items()]
    roles += [f"label of {one.source} = {one.column!r}" for one in mapping.labels]
    roles += [f"feature {one.name} = {one.column!r}" for one in mapping.features]
    roles += [f"stratum {one.name} = {one.column!r}" for one in mapping.strata]
    unused = [repr(column) for column in columns if column not in mapping.columns()]
    print(f"\nread as: {', '.join(roles) or 'nothing'}; not used: {', '.join(unused) or 'none'}")


def _mapping(guessed: Mapping, options: argparse.Namespace) -> Mapping:
    changes: dict[str, Any] = {}
    for pair in options.map:
        role, separator, column = pair.partition("=")
        if role not in ROLES or not separator:
            raise ValueError(
                f"'--map' must be ROLE=COLUMN with a role of {', '.join(ROLES)}; got {pair!r}."
            )
        changes[role] = column or None
    if options.label:
        changes["labels"] = tuple(LabelColumn(*text.split("=", 2)) for text in options.label)
    if options.feature:
        changes["features"] = tuple(_feature(*text.split("=", 2)) for text in options.feature)
    if options.stratum:
        changes["strata"] = tuple(_stratum(*text.split("=", 1)) for text in options.stratum)
    for name in ("uncertainty_as", "judge_name", "judge_kind_name", "mode_name"):
        if (value := getattr(options, name)) is not None:
            changes[name] = value
    return guessed.replace(**changes)


def _feature(column: str, family: str = "other", name: str | None = None) -> FeatureColumn:
    return FeatureColumn(column, family, name or column)


def _stratum(column: str, name: str | None = None) -> StratumColumn:
    return StratumColumn(column, name or column)


def _cohort(cohort: Cohort) -> dict[str, Any]:
    values = asdict(cohort)
    values["created_at"] = cohort.created_at.isoformat()
    return values
