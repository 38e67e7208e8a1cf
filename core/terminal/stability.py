"""Does a policy stand: splits, drift."""

from __future__ import annotations

import argparse
import sys
from dataclasses import asdict

import numpy as np
import pandas as pd

from core.risk.bounds import min_accepted
from core.risk.certification import CERTIFICATES
from core.risk.drift import DriftReport, drift_splits
from core.store.records import JudgedRecords, get_cohort
from core.studies import (
    Variant,
    evidence_overlap,
    later,
    run_variants,
    snapshots,
    summarise,
)
from core.terminal.common import (
    DONE,
    chosen_records,
    print_json,
    print_table,
    reading,
    write,
    written,
)
from core.validation import open_unit


def splits(options: argparse.Namespace) -> int:
    """Calibrate on random parts of a cohort and measure on the rest."""
    alphas = _numbers(options.alphas)
    with reading(options) as db:
        records = chosen_records(db, options, options.judge, options.candidate)
    _check_labelled(records)
    _check_possible(records, max(alphas), options.delta, options.calib_fraction)
    names = CERTIFICATES if options.certificate == "all" else (options.certificate,)
    variants = [
        Variant(name, records, name, options.delta, options.calib_fraction) for name in names
    ]
    parts = run_variants(variants, alphas=alphas, n_splits=options.n_splits, seed=options.seed)
    rows = pd.concat(list(parts), ignore_index=True)
    table = (rows if options.every else summarise(rows)).rename(columns={"variant": "certificate"})
    if options.out:
        write(options.out, written(table, options.out, bom=False))
    if options.json:
        print_json(
            {
                **_about(records),
                "n_splits": options.n_splits,
                "seed": options.seed,
                "rows": table.astype(object).where(table.notna(), None).to_dict("records"),
            }
        )
    elif not options.out:
        print_table(table.round(4))
        print(
            f"\n{int(records.labelled.sum()):,} labelled records of {records.n:,}, "
            f"{options.n_splits} random splits, seed {options.seed}; 'above': share of the "
            "accepting splits whose test risk exceeds α (descriptive: splits overlap).",
            file=sys.stderr,
        )
    return DONE


def drift(options: argparse.Namespace) -> int:
    """See what the policy of one snapshot of the evidence does on a later one."""
    with reading(options) as db:
        records = chosen_records(db, options, options.judge, options.candidate)
        _check_labelled(records)
        known = snapshots(get_cohort(db, records.cohort_id), records)
        if not known or np.isnan(records.uncertainty2).all():
            has = "one snapshot" if not np.isnan(records.uncertainty2).all() else "no scored record"
            raise ValueError(
                f"Judge {records.judge!r} has {has} of Mode 2. Drift compares two: import them as "
                "modes 'mode2' and 'mode2:t1'."
            )
        if options.after is None and len(known) > 1:
            raise ValueError(f"'--after' must name a snapshot: {', '.join(known)}.")
        mode = options.after or known[0]
        if mode not in known:
            raise ValueError(f"'--after' must be one of {', '.join(known)}; got {mode!r}.")
        _check_possible(records, options.alpha, options.delta, 0.5)
        after = later(db, records, mode)
        overlap = evidence_overlap(db, records, mode)
    report = drift_of(
        records, after, alpha=options.alpha, delta=options.delta,
        certificate=options.certificate, n_splits=options.n_splits, seed=options.seed,
    )  # fmt: skip
    answer = {
        **_about(records),
        "after": mode,
        "alpha": options.alpha,
        "delta": options.delta,
        "certificate": options.certificate,
        "seed": options.seed,
        "records_with_evidence": len(overlap),
        "ranked_jaccard": float(overlap["ranked"].mean()) if len(overlap) else None,
        "unranked_jaccard": float(overlap["unranked"].mean()) if len(overlap) else None,
        **asdict(report),
    }
    if options.out:
        write(options.out, written(pd.DataFrame([answer]), options.out, bom=False))
    if options.json:
        print_json(answer)
    elif not options.out:
        print_table(pd.DataFrame({"what": list(answer), "value": list(answer.values())}))
    return DONE


def drift_of(
    before: JudgedRecords,
    after: JudgedRecords,
    *,
    alpha: float,
    delta: float,
    certificate: str,
    n_splits: int,
    seed: int,
) -> DriftReport:
    """Compare two snapshots on the labelled records."""
    lab = before.labelled
    return drift_splits(
        before.uncertainty1[lab], before.is_error1[lab],
        before.uncertainty2[lab], before.is_error2[lab],
        after.uncertainty2[lab], after.is_error2[lab],
        alpha=alpha, delta=delta, certificate=certificate, n_splits=n_splits, seed=seed,
    )  # fmt: skip


def _about(records: JudgedRecords) -> dict[str, object]:
    return {
        "cohort": records.cohort_id,
        "data_hash": records.data_hash,
        "judge": records.judge,
        "judge_kind": records.judge_kind,
        "candidate": records.candidate,
        "label_source": records.label_source,
        "n_records": records.n,
        "n_labelled": int(records.labelled.sum()),
    }


def _numbers(text: str) -> list[float]:
    try:
        numbers = list(dict.fromkeys(float(one) for one in text.split(",")))
    except ValueError:
        raise ValueError(f"'--alphas' must be numbers by comma; got {text!r}.") from None
    return [open_unit("alphas", number) for number in numbers]


def _check_labelled(records: JudgedRecords) -> None:
    labelled = int(records.labelled.sum())
    if labelled < 2:
        raise ValueError(
            f"Cohort {records.cohort_id!r} has {labelled} labelled records, and "
            "a split needs one on both sides. Import records with labels."
        )


def _check_possible(
    records: JudgedRecords, alpha: float, delta: float, calib_fraction: float
) -> None:
    """Refuse what could only give zeros and gaps."""
    labelled = int(records.labelled.sum())
    if np.isnan([records.uncertainty1, records.uncertainty2]).all():
        raise ValueError(
            f"Judge {records.judge!r} never says how unsure it is, and thresholds are set on "
            "uncertainties. Import them with the verdicts, or choose another judge."
        )
    least = min_accepted(alpha, delta)
    if round(labelled * calib_fraction) < least:
        raise ValueError(
            f"Cohort {records.cohort_id!r} has {labelled} labelled records. The part of them that "
            f"calibrates can't certify anything, even without an error: alpha = {alpha:g} and "
            f"delta = {delta:g} need {least} there. Import more labels, or allow more."
        )
