"""The annotation loop: plan, draw, labels, estimate, simulate."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pandas as pd

from core.active.draw import DESIGNS
from core.active.plan import labels_needed
from core.active.policies import POLICIES
from core.active.simulate import simulate as run_simulation
from core.active.simulate import summarise
from core.adjudication import RULES
from core.annotation import draw as draw_batch
from core.annotation import earlier_batches
from core.annotation import estimate as estimate_batch
from core.annotation_space import AnnotationSpace, load_annotation_space
from core.store.batches import (
    Batch,
    get_batch,
    load_drawn,
    load_population,
    save_labels,
)
from core.store.database import Database, open_database
from core.store.returns import read_returns
from core.store.tasks import argilla_records, label_studio_tasks, task_table
from core.terminal.common import (
    DONE,
    chosen_records,
    print_json,
    print_table,
    reading,
    write,
    written,
)


def plan(options: argparse.Namespace) -> int:
    """See what a budget buys with each policy."""
    with reading(options) as db:
        space = _space(db, options)
    calibration = space.calibrated()
    if calibration is None:
        raise ValueError(
            f"{space.n_calibration} labelled records are too few to plan by; about 50 are needed. "
            "Draw a first batch with --policy Uniform."
        )
    rows = []
    for name in calibration.policies:
        found = space.plan(name, options.budget)
        rows.append(
            {
                "policy": name, "budget": found.budget, "half_width": found.half_width,
                "ess_gain": found.ess_gain, "mixing": found.mixing,
                "offset": found.tuning.offset, "power": found.tuning.power,
                "labels_needed": labels_needed(calibration, name, options.half_width),
            }
        )  # fmt: skip
    table = pd.DataFrame(rows).astype({"labels_needed": "Int64"})
    _give(options, table, {**_about(space), "half_width_wanted": options.half_width})
    return DONE


def draw(options: argparse.Namespace) -> int:
    """Draw a batch and keep it; write the tasks for annotators."""
    with _writing(options) as db:
        space = _space(db, options)
        found = space.plan(
            options.policy, options.budget, mixing=options.mixing, power=options.power
        )
        after = earlier_batches(db, space.records) if options.top_up else []
        batch = draw_batch(
            db, space, found, design=options.design, seed=options.seed, audit_size=options.audit,
            after=after,
        )  # fmt: skip
        tasks = task_table(load_drawn(db, batch.batch_id), twice=options.twice, seed=options.seed)
    if options.out:
        makers = {"table": None, "label-studio": label_studio_tasks, "argilla": argilla_records}
        make = makers[options.format]
        content = written(tasks, options.out, bom=False) if make is None else make(tasks)
        write(options.out, content)
    answer = {**_batch(batch), "notes": list(space.notes)}
    if options.json:
        print_json(answer)
    else:
        print(
            f"{batch.batch_id}: {batch.n_drawn:,} of {batch.n_population:,} records, "
            f"{found.policy}, {options.design}, seed {options.seed}"
        )
        for note in space.notes:
            print(note, file=sys.stderr)
    return DONE


def labels(options: argparse.Namespace) -> int:
    """Match labels that came back with a batch, and keep those that fit."""
    with _writing(options) as db:
        drawn = load_population(db, options.batch)
        get_batch(db, options.batch)
        ids = set(drawn["item_id"][drawn["drawn"]])
        found = read_returns(list(options.files), ids)
        if not options.dry_run and len(found.labels):
            save_labels(db, options.batch, found.labels)
    answer = {
        "batch": options.batch, "rows": found.n_rows, "labels": len(found.labels),
        "records": found.n_records, "drawn": found.n_drawn, "unknown": found.unknown,
        "blank": found.blank, "unparseable": found.unparseable,
        "conflicting": found.conflicting, "duplicated": found.duplicated,
        "saved": bool(len(found.labels)) and not options.dry_run,
    }  # fmt: skip
    if options.json:
        print_json(answer)
    else:
        print_table(pd.DataFrame({"what": list(answer), "value": list(answer.values())}))
        if len(found.problems):
            print_table(found.problems.head(20))
    return DONE


def estimate(options: argparse.Namespace) -> int:
    """Estimate people's rate from a batch's labels."""
    with reading(options) as db:
        batch = get_batch(db, options.batch)
        found = estimate_batch(db, batch, rule=options.rule, target=options.target)
    rows: list[dict[str, Any]] = [{"estimator": "judge alone", "value": found.judge_rate}]
    rows += [
        {"estimator": name, **asdict(one), "warnings": " ".join(one.warnings)}
        for name, one in found.estimates.items()
    ]
    about = {
        **_batch(batch), "target": options.target, "rule": options.rule,
        "returned": found.n_returned, "open": found.n_open,
        "if_missing_are_wrong": found.missing[0] if found.missing else None,
        "if_missing_are_correct": found.missing[1] if found.missing else None,
    }  # fmt: skip
    _give(options, pd.DataFrame(rows), about)
    return DONE


def simulate(options: argparse.Namespace) -> int:
    """Draw batches again and again where the labels are known."""
    with reading(options) as db:
        space = _space(db, options)
    calibration = space.calibrated()
    if calibration is None or not space.rehearsal:
        raise ValueError(
            "A simulation needs a cohort on which nearly every record has a label, and 50 labels "
            "or more. Choose one of those."
        )
    budgets = [int(one) for one in options.budgets.split(",")]
    steps = run_simulation(
        calibration, space.hidden[space.population], budgets=budgets, trials=options.trials,
        design=options.design, seed=options.seed,
    )  # fmt: skip
    rows = pd.concat(list(steps), ignore_index=True)
    _give(options, rows if options.every else summarise(rows), _about(space))
    return DONE


def _space(db: Database, options: argparse.Namespace) -> AnnotationSpace:
    records = chosen_records(db, options, options.judge, options.candidate)
    return load_annotation_space(
        db, records.cohort_id, records.judge, mode=options.judge_mode,
        candidate=records.candidate, label_source=records.label_source,
    )  # fmt: skip


def _writing(options: argparse.Namespace) -> Database:
    with reading(options) as db:  # says where there is no such file
        path = db.path
    if path == ":memory:":
        raise ValueError("There is no database yet. Import records first.")
    return open_database(path)


def _about(space: AnnotationSpace) -> dict[str, Any]:
    records = space.records
    return {
        "cohort": records.cohort_id, "data_hash": records.data_hash, "judge": records.judge,
        "judge_kind": records.judge_kind, "mode": records.mode, "candidate": records.candidate,
        "label_source": records.label_source, "n_population": space.n_population,
        "n_calibration": space.n_calibration, "notes": list(space.notes),
    }  # fmt: skip


def _batch(batch: Batch) -> dict[str, Any]:
    return {
        "batch": batch.batch_id, "cohort": batch.cohort_id, "n_population": batch.n_population,
        "n_drawn": batch.n_drawn, "settings": dict(batch.settings),
    }  # fmt: skip


def _give(options: argparse.Namespace, table: pd.DataFrame, about: dict[str, Any]) -> None:
    if options.out:
        write(options.out, written(table, options.out, bom=False))
    if options.json:
        rows = table.astype(object).where(table.notna(), None).to_dict("records")
        print_json({**about, "rows": rows})
    elif not options.out:
        print_table(table.round(4))
        for note in about.get("notes", []):
            print(note, file=sys.stderr)


def add_commands(add: Any, choosing: Sequence[argparse.ArgumentParser], seed: Any) -> None:
    """Add the commands of the loop to the parser."""

    def of_cohort(name: str, command: Any) -> argparse.ArgumentParser:
        made: argparse.ArgumentParser = add(name, command, *choosing)
        made.add_argument("cohort", help="cohort id")
        made.add_argument("--judge-mode", default="mode1", help="default: mode1")
        return made

    made = of_cohort("plan", plan)
    made.add_argument("--budget", type=int, required=True, help="labels")
    made.add_argument("--half-width", type=float, default=0.025, help="target; default: .025")
    made.add_argument("--out", help="file ending in .csv, .jsonl or .parquet")

    made = of_cohort("draw", draw)
    made.add_argument("--budget", type=int, required=True, help="labels")
    made.add_argument("--policy", choices=POLICIES, default="Recalibrated")
    made.add_argument("--mixing", type=float, help="share spread evenly; default: the best")
    made.add_argument("--power", type=float, help="trust in the prediction; default: the best")
    made.add_argument("--design", choices=DESIGNS, default="fixed")
    made.add_argument("--audit", type=int, default=0, help="size of a uniform slice")
    made.add_argument("--top-up", action="store_true", help="leave out what was drawn before")
    made.add_argument("--twice", type=float, default=0.0, help="share labelled by two people")
    made.add_argument("--seed", type=seed, default=0)
    made.add_argument("--format", choices=("table", "label-studio", "argilla"), default="table")
    made.add_argument("--out", help="file for the tasks; its ending chooses a table's format")

    made = add("labels", labels)
    made.add_argument("batch", help="batch id, as 'draw' prints it")
    made.add_argument("files", nargs="+", type=Path)
    made.add_argument("--dry-run", action="store_true", help="report, and keep nothing")

    made = add("estimate", estimate)
    made.add_argument("batch", help="batch id")
    made.add_argument("--rule", choices=RULES, default=RULES[0])
    made.add_argument("--target", choices=("process", "finite"), default="process")
    made.add_argument("--out", help="file ending in .csv, .jsonl or .parquet")

    made = of_cohort("simulate", simulate)
    made.add_argument(
        "--budgets", default=",".join(str(one) for one in range(50, 1_001, 50)), help="by comma"
    )
    made.add_argument("--trials", type=int, default=300)
    made.add_argument("--design", choices=DESIGNS, default="poisson")
    made.add_argument("--every", action="store_true", help="a row a budget, not their averages")
    made.add_argument("--seed", type=seed, default=42)
    made.add_argument("--out", help="file ending in .csv, .jsonl or .parquet")
