"""A judge at a target risk: calibrate, route."""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from typing import Any

from core.jobs import (
    ROUTE_NAMES,
    RoutingRequest,
    RoutingRun,
    route_records,
    routed_table,
    run_routing,
)
from core.policy_file import differences, policy_document, policy_text, read_policy
from core.risk_score import KINDS, with_risk_score
from core.store.database import Database
from core.store.exports import to_csv
from core.store.records import JudgedRecords, get_cohort
from core.terminal.common import (
    DONE,
    NOTHING_ACCEPTED,
    chosen_records,
    json_records,
    print_json,
    reading,
    write,
    written,
)


def calibrate(options: argparse.Namespace) -> int:
    """Calibrate a judge on a cohort and write the policy."""
    request = RoutingRequest(
        alpha=options.alpha, delta=options.delta, mode=options.mode,
        certificate=options.certificate, prefer=options.prefer, seed=options.seed,
    )  # fmt: skip
    with reading(options) as db:
        records = chosen_records(db, options, options.judge, options.candidate)
        if options.score:
            records = _with_score(db, records, options.score)
    run = run_routing(records, request)
    document = policy_document(records, run)
    if options.out:
        write(options.out, policy_text(document).encode())
    if options.json:
        print(policy_text(document), end="")
    else:
        _print_run(records, run, document)
    return DONE if run.policy.accepts else NOTHING_ACCEPTED


def route_cohort(options: argparse.Namespace) -> int:
    """Route a cohort's records by a policy file."""
    found = read_policy(Path(options.policy).read_bytes())
    data = found.document["data"]
    with reading(options) as db:
        judge = options.judge or data.get("judge")
        candidate = options.candidate or data.get("candidate") or "all"
        options.labels = options.labels or _known_source(db, options.cohort, data)
        records = chosen_records(db, options, judge, candidate)
        kinds = {data.get("uncertainty1"), data.get("uncertainty2")}
        way = next((way for way, kind in KINDS.items() if kind in kinds), None)
        # The score is a model's of these very records; others have to bring theirs.
        if way is not None and records.data_hash == data.get("data_hash"):
            records = _with_score(db, records, way)
        elif way is not None and not kinds & {records.uncertainty_kind1, records.uncertainty_kind2}:
            raise ValueError(
                "The policy's thresholds are of a risk score, trained on the cohort that it was "
                "calibrated on as it was then; these records have none, and another number can't "
                "stand in. Calibrate again with --score, or import scores as the uncertainty."
            )
    differs = differences(found.document, records)
    if differs and not options.anyway:
        raise ValueError(
            f"{' '.join(differs)} The certificate says nothing of them. Choose what the policy "
            "was calibrated on, or route them all the same with --anyway."
        )
    routes = route_records(records, found.policy)
    table = routed_table(records, routes)
    if options.json:
        print_json(
            {
                "cohort": records.cohort_id,
                "judge": records.judge,
                "same_data": not differs and records.data_hash == data.get("data_hash"),
                "differences": differs,
                "routes": json.loads(json_records(table)),
            }
        )
    elif options.out:
        write(options.out, written(table, options.out, bom=options.bom))
    else:
        sys.stdout.buffer.write(to_csv(table, bom=options.bom))
    shares = ", ".join(
        f"{int((routes == value).sum()):,} {name}" for value, name in ROUTE_NAMES.items()
    )
    print(f"{records.n:,} records: {shares}", file=sys.stderr)
    for difference in differs:
        print(difference, file=sys.stderr)
    if not differs and records.data_hash != data.get("data_hash"):
        print(
            "These are not the records that the policy was calibrated on: its certificate holds "
            "for records drawn like those.",
            file=sys.stderr,
        )
    return DONE


def _with_score(db: Database, records: JudgedRecords, way: str) -> JudgedRecords:
    found = with_risk_score(db, records, way)
    for note in found.notes:
        print(f"Warning: {note}", file=sys.stderr)
    if found.n_trained:
        print(
            f"{found.n_trained:,} of {int(records.labelled.sum()):,} labelled records trained the "
            "risk score and are left out",
            file=sys.stderr,
        )
    return found.scored


def _known_source(db: Database, cohort_id: str, data: dict[str, Any]) -> str | None:
    """The policy's label source where the cohort has it."""
    source = data.get("label_source")
    return source if source in get_cohort(db, cohort_id).label_sources else None


def _print_run(records: JudgedRecords, run: RoutingRun, document: dict[str, Any]) -> None:
    policy = run.policy
    kind = "" if records.judge_kind == "model" else f" ({records.judge_kind} judge)"
    labels = f"labels of {records.label_source}" if records.label_source else "no labels"
    print(f"{records.cohort_name} · {records.judge}{kind} · {labels} · {policy.certificate}")
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
