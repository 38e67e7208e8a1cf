"""The same jobs from a terminal: python -m core import | cohorts | calibrate | route | export.

Exit codes: 0 done, 1 refused (the sentence on standard error says why and what to do), 2 wrong use
of the command, 3 calibrated, but nothing can be accepted.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Callable, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from core import __version__
from core.jobs import (
    MODES,
    ROUTE_NAMES,
    RoutingRequest,
    RoutingRun,
    route_records,
    routed_table,
    run_routing,
)
from core.policy_file import policy_document, policy_text, read_policy
from core.risk.calibration import PREFERENCES
from core.risk.certification import CERTIFICATES
from core.store.database import DEFAULT_PATH, Database, DatabaseLockedError, open_database
from core.store.exports import export_frame, to_csv, to_jsonl, to_parquet
from core.store.imports import (
    ROLES,
    FeatureColumn,
    LabelColumn,
    Mapping,
    StratumColumn,
    guess_mapping,
    prepare,
    problem_table,
    read_records,
    write_cohort,
)
from core.store.migrations import DatabaseVersionError
from core.store.records import Cohort, JudgedRecords, get_cohort, list_cohorts, load_judged

DONE, REFUSED, NOTHING_ACCEPTED = 0, 1, 3


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; give its exit code."""
    options = _parser().parse_args(arguments)
    command: Callable[[argparse.Namespace], int] = options.command
    try:
        return command(options)
    except (ValueError, DatabaseLockedError, DatabaseVersionError, OSError) as error:
        print(f"{options.prog}: {error}", file=sys.stderr)
        return REFUSED


def import_records(options: argparse.Namespace) -> int:
    """Read files, show what they hold, and write a cohort or nothing."""
    raw = read_records(options.source)
    prepared = prepare(raw, _mapping(guess_mapping(raw), options))
    report = prepared.quality.as_table()
    if not options.json:
        _print_table(report.fillna({"of": 0}).astype({"of": int}))
        if prepared.problems:
            print(file=sys.stderr)
        for problem in prepared.problems[: options.show]:
            print(f"{problem.severity}: {problem}", file=sys.stderr)
        if len(prepared.problems) > options.show:
            print(f"… {len(prepared.problems) - options.show:,} more", file=sys.stderr)
    cohort = None
    if not options.dry_run:
        with open_database(options.database) as db:
            cohort = write_cohort(
                db, prepared, options.name, on_problem=options.on_problem,
                replace=options.replace, description=options.description,
                source=", ".join(options.source),
            )  # fmt: skip
    if options.json:
        _print_json(
            {
                "cohort": _cohort(cohort) if cohort else None,
                "quality": json.loads(to_json_records(report)),
                "problems": json.loads(to_json_records(problem_table(prepared.problems))),
            }
        )
    elif cohort:
        print(
            f"\n{cohort.name}: {cohort.n_items:,} items, {cohort.n_labelled:,} labelled, "
            f"cohort id {cohort.cohort_id}"
        )
    return DONE


def list_all(options: argparse.Namespace) -> int:
    """List the cohorts of the database."""
    with _reading(options) as db:
        cohorts = list_cohorts(db)
    if options.json:
        _print_json([_cohort(cohort) for cohort in cohorts])
    elif not cohorts:
        print("No cohorts yet. Import records: python -m core import FILE --name NAME")
    else:
        _print_table(
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


def calibrate(options: argparse.Namespace) -> int:
    """Calibrate a judge on a cohort and write the policy."""
    request = RoutingRequest(
        alpha=options.alpha, delta=options.delta, mode=options.mode,
        certificate=options.certificate, prefer=options.prefer, seed=options.seed,
    )  # fmt: skip
    with _reading(options) as db:
        records = _records(db, options, options.judge, options.candidate)
    run = run_routing(records, request)
    document = policy_document(records, run)
    if options.out:
        _write(options.out, policy_text(document).encode())
    if options.json:
        print(policy_text(document), end="")
    else:
        _print_run(records, run, document)
    return DONE if run.policy.accepts else NOTHING_ACCEPTED


def route_cohort(options: argparse.Namespace) -> int:
    """Route a cohort's records by a policy file."""
    found = read_policy(Path(options.policy).read_bytes())
    data = found.document.get("data", {})
    with _reading(options) as db:
        judge = options.judge or data.get("judge")
        candidate = options.candidate or data.get("candidate")
        records = _records(db, options, judge, candidate)
    routes = route_records(records, found.policy)
    table = routed_table(records, routes)
    if options.json:
        _print_json(
            {
                "cohort": records.cohort_id,
                "judge": records.judge,
                "same_data": records.data_hash == data.get("data_hash"),
                "routes": json.loads(to_json_records(table)),
            }
        )
    elif options.out:
        _write(options.out, _written(table, options.out, bom=options.bom))
    else:
        sys.stdout.buffer.write(to_csv(table, bom=options.bom))
    shares = ", ".join(
        f"{int((routes == value).sum()):,} {name}" for value, name in ROUTE_NAMES.items()
    )
    print(f"{records.n:,} records: {shares}", file=sys.stderr)
    if records.data_hash != data.get("data_hash"):
        print(
            "These are not the records that the policy was calibrated on: its certificate holds "
            "for records drawn like those.",
            file=sys.stderr,
        )
    return DONE


def export(options: argparse.Namespace) -> int:
    """Write a whole cohort in the records format."""
    with _reading(options) as db:
        frame = export_frame(db, options.cohort)
    if options.json:
        sys.stdout.buffer.write(to_jsonl(frame))
    elif options.out:
        _write(options.out, _written(frame, options.out, bom=options.bom))
        print(f"{len(frame):,} rows in {options.out}", file=sys.stderr)
    else:
        sys.stdout.buffer.write(to_csv(frame, bom=options.bom))
    return DONE


def to_json_records(table: pd.DataFrame) -> str:
    """Write a table as a JSON list of objects; missing values are null."""
    lines = to_jsonl(table).decode().splitlines()
    return f"[{','.join(lines)}]"


def _reading(options: argparse.Namespace) -> Database:
    """Open for reading, beside other readers; a new file, or one of an older schema, is set up."""
    path = options.database or os.environ.get("ASSAY_DATABASE") or DEFAULT_PATH
    if not Path(path).exists():
        return open_database(path)
    try:
        return open_database(path, read_only=True)
    except DatabaseVersionError:
        return open_database(path)


def _records(
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


def _written(frame: pd.DataFrame, name: str, *, bom: bool) -> bytes:
    writers: dict[str, Callable[[pd.DataFrame], bytes]] = {
        ".csv": lambda table: to_csv(table, bom=bom),
        ".jsonl": to_jsonl,
        ".parquet": to_parquet,
    }
    ending = Path(name).suffix.lower()
    if ending not in writers:
        raise ValueError(f"'--out' must end in {', '.join(writers)}; got {name!r}.")
    return writers[ending](frame)


def _write(name: str, content: bytes) -> None:
    """Write a file whole: an interrupted write leaves the old one."""
    target = Path(name)
    part = target.with_name(f"{target.name}.part")
    part.write_bytes(content)
    part.replace(target)


def _cohort(cohort: Cohort) -> dict[str, Any]:
    values = asdict(cohort)
    values["created_at"] = cohort.created_at.isoformat()
    return values


def _print_run(records: JudgedRecords, run: RoutingRun, document: dict[str, Any]) -> None:
    policy = run.policy
    kind = "" if records.judge_kind == "model" else f" ({records.judge_kind} judge)"
    print(f"{records.cohort_name} · {records.judge}{kind} · {policy.certificate}")
    if not policy.accepts:
        print(f"Nothing can be accepted. {policy.reason}")
    else:
        print(
            f"decided      {run.coverage:.1%} of {run.n:,} records\n"
            f"  Mode 1     {run.share1:.1%} up to uncertainty {policy.threshold1}\n"
            f"  Mode 2     {run.share2:.1%} up to uncertainty {policy.threshold2}\n"
            f"wrong        {policy.errors:,} of {policy.accepted:,} tested and accepted "
            f"({policy.errors / policy.accepted:.1%}), upper bound {policy.risk_upper:.2%}\n"
            f"scored       Mode 1 {run.n_scored1:,}, Mode 2 {run.n_scored2:,} of {run.n:,}"
        )
    print(document["promise"])


def _print_table(table: pd.DataFrame) -> None:
    print(table.to_string(index=False))


def _print_json(value: Any) -> None:
    print(json.dumps(value, ensure_ascii=False, indent=2, allow_nan=False, default=_scalar))


def _scalar(value: Any) -> Any:
    if isinstance(value, np.generic):
        return value.item()
    raise TypeError(f"{type(value).__name__} has no place in JSON")


def _parser() -> argparse.ArgumentParser:
    common = argparse.ArgumentParser(add_help=False)
    common.add_argument("--json", action="store_true", help="print JSON")
    common.add_argument("--database", help="DuckDB file (else ASSAY_DATABASE, else data/)")
    choosing = argparse.ArgumentParser(add_help=False)
    choosing.add_argument("--judge", help="needed where the cohort has several")
    choosing.add_argument("--candidate", help="one candidate model, or 'all'")
    choosing.add_argument("--labels", help="label source (else 'human', else the first by name)")
    writing = argparse.ArgumentParser(add_help=False)
    writing.add_argument("--bom", action="store_true", help="CSV that Excel reads as UTF-8")

    parser = argparse.ArgumentParser(prog="python -m core", description=__doc__.split("\n")[0])
    parser.add_argument("--version", action="version", version=f"Assay {__version__}")
    commands = parser.add_subparsers(required=True, metavar="COMMAND")

    def add(
        name: str, command: Callable[[argparse.Namespace], int], *parents: argparse.ArgumentParser
    ) -> argparse.ArgumentParser:
        text = command.__doc__ or ""
        made = commands.add_parser(name, help=text, description=text, parents=[*parents, common])
        made.set_defaults(command=command, prog=made.prog)
        return made

    made = add("import", import_records)
    made.add_argument(
        "source", nargs="+", help="files, folders or globs: CSV, JSONL, JSON, Parquet"
    )
    made.add_argument("--name", required=True, help="name of the cohort")
    made.add_argument("--description", default="")
    made.add_argument("--map", action="append", default=[], metavar="ROLE=COLUMN")
    made.add_argument("--label", action="append", metavar="COLUMN[=SOURCE[=ANNOTATOR]]")
    made.add_argument("--feature", action="append", metavar="COLUMN[=FAMILY[=NAME]]")
    made.add_argument("--stratum", action="append", metavar="COLUMN[=NAME]")
    made.add_argument("--uncertainty-as", metavar="uncertainty|p_true|logprobs|confidence")
    made.add_argument("--judge-name")
    made.add_argument("--judge-kind", dest="judge_kind_name", metavar="model|simulated|rule")
    made.add_argument("--mode-name")
    made.add_argument("--on-problem", choices=("stop", "skip"), default="stop")
    made.add_argument("--replace", action="store_true", help="replace a cohort of that name")
    made.add_argument("--dry-run", action="store_true", help="report only, write nothing")
    made.add_argument("--show", type=int, default=20, help="problems to list (default 20)")

    add("cohorts", list_all)

    made = add("calibrate", calibrate, choosing)
    made.add_argument("cohort", help="cohort id, see: python -m core cohorts")
    made.add_argument("--alpha", type=float, required=True, help="target risk")
    made.add_argument("--delta", type=float, required=True, help="allowed chance of missing it")
    made.add_argument("--mode", choices=MODES, default="both")
    made.add_argument("--certificate", choices=CERTIFICATES, default=CERTIFICATES[0])
    made.add_argument("--prefer", choices=PREFERENCES, default=PREFERENCES[0])
    made.add_argument("--seed", type=int, default=0)
    made.add_argument("--out", help="write the policy to this file")

    made = add("route", route_cohort, choosing, writing)
    made.add_argument("policy", help="policy file, from the page or from calibrate --out")
    made.add_argument("cohort", help="cohort id")
    made.add_argument("--out", help="file ending in .csv, .jsonl or .parquet (else CSV printed)")

    made = add("export", export, writing)
    made.add_argument("cohort", help="cohort id")
    made.add_argument("--out", help="file ending in .csv, .jsonl or .parquet (else CSV printed)")
    return parser


if __name__ == "__main__":
    sys.exit(main())
