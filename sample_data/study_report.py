"""The tables of the retrieval study in README.md; `report.py` writes them there."""

from __future__ import annotations

from functools import cache

import numpy as np
import pandas as pd

from core import studies
from core.risk.drift import DriftReport, drift_splits
from core.store.database import Database, open_database
from core.store.imports import guess_mapping, prepare, read_records, write_cohort
from core.store.records import Cohort, JudgedRecords, load_judged
from sample_data import STUDY, sample_files
from sample_data.study import JUDGE, LATER, PROBES

CERTIFICATES = ("pointwise", "fixed-sequence")
KNOWN = "known answer"
SEED, N_SPLITS = 42, 50
Table = list[tuple[str, ...]]
_PROBES = tuple((family, name) for _, family, name in (column.split(":") for column in PROBES))


@cache
def study() -> tuple[Database, Cohort]:
    """Import the study into a store of its own."""
    (sample,) = (one for one in sample_files() if one.path == STUDY)
    db = open_database(":memory:")
    raw = read_records([sample.path])
    return db, write_cohort(db, prepare(raw, guess_mapping(raw)), sample.name)


def records(mode: str = "mode2", source: str = KNOWN) -> JudgedRecords:
    """Load the judge's records with a mode as Mode 2."""
    db, cohort = study()
    return load_judged(db, cohort.cohort_id, JUDGE, label_source=source, modes=("mode1", mode))


@cache
def coverage(certificate: str) -> pd.DataFrame:
    """Give mean coverage over splits: a row a variant, a column a target risk."""
    db, cohort = study()
    known = records()
    # The pair under the known answer is among the baselines.
    labels = studies.by_label_source(db, cohort, known, certificate)
    variants = [
        *studies.baselines(db, cohort, known, certificate),
        *studies.by_depth(db, cohort, known, certificate)[1:],
        *studies.with_score(db, known, certificate, *_PROBES)[1:],
        *(variant for variant in labels if variant.name != KNOWN),
    ]
    table = studies.summarise(
        pd.concat(studies.run_variants(variants, n_splits=N_SPLITS, seed=SEED))
    )
    return table.set_index(["variant", "alpha"])["coverage"].unstack(sort=False)


@cache
def drift(certificate: str, alpha: float) -> DriftReport:
    """Take the policy of the first snapshot to the second one."""
    before, after = records(), records(LATER)
    return drift_splits(
        before.uncertainty1,
        before.is_error1,
        before.uncertainty2,
        before.is_error2,
        after.uncertainty2,
        after.is_error2,
        alpha=alpha,
        delta=studies.DELTA,
        certificate=certificate,
        seed=SEED,
    )


def overlap() -> tuple[float, float]:
    """Give the mean ranked and unranked Jaccard of the two snapshots."""
    means = studies.evidence_overlap(study()[0], records(), LATER)[["ranked", "unranked"]].mean()
    return float(means["ranked"]), float(means["unranked"])


def mode_table() -> Table:
    """Give each mode's accuracy, and the share of its verdicts that Mode 1 or Mode 2 gives too."""
    base = records()
    rows: Table = [("Mode", "Accuracy", "Verdict of Mode 1", "Verdict of Mode 2")]
    for mode in study()[1].judges[0].modes:
        other = records(mode)
        same = (np.mean(other.verdict2 == one) for one in (base.verdict1, base.verdict2))
        rows.append((mode, f"{studies.accuracy(other)[1]:.3f}", *(f"{one:.3f}" for one in same)))
    return rows


def coverage_table() -> Table:
    """Give coverage of every variant, pointwise / fixed-sequence."""
    one, two = (coverage(certificate) for certificate in CERTIFICATES)
    rows: Table = [("Variant", *(f"α = {alpha:.2f}" for alpha in studies.ALPHAS))]
    for name in one.index:
        cells = (f"{one.loc[name, a]:.2f} / {two.loc[name, a]:.2f}" for a in studies.ALPHAS)
        rows.append((str(name), *cells))
    return rows


def drift_table() -> Table:
    """Give coverage and risk of the first policy on both snapshots, fixed-sequence."""
    rows: Table = [("α", "Coverage", "Risk", "Advice")]
    for alpha in studies.ALPHAS:
        found = drift("fixed-sequence", alpha)
        covered = f"{found.coverage_before:.3f} → {found.coverage_after:.3f}"
        wrong = "nothing decided"
        if found.risk_before is not None and found.risk_after is not None:
            wrong = f"{found.risk_before:.3f} → {found.risk_after:.3f}"
        rows.append((f"{alpha:.2f}", covered, wrong, found.advice))
    return rows
