"""Repeated splits of a cohort in several variants, for the page and the terminal alike.

Joins `core.store` and `core.judge.admission` (records, labels and scores in) with `core.risk`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd

from core.judge.admission import F1_THRESHOLD, exact_match, split_references, token_f1
from core.risk.certification import CERTIFICATES
from core.risk.drift import jaccard, ranked_jaccard
from core.risk.splits import split_by_split
from core.store.columns import (
    list_features,
    load_answers,
    load_evidence,
    load_feature,
)
from core.store.database import Database
from core.store.records import Cohort, JudgedRecords, load_judged

#: The paper's target risks, splits and level.
ALPHAS = (0.05, 0.10, 0.15, 0.20, 0.25)
N_SPLITS = 100
DELTA = 0.05
DELTAS = (0.01, 0.05, 0.10)
FRACTIONS = (0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9)

SELF_EVALUATION, EMPTY_EVIDENCE = "self-evaluation", "empty-evidence"
EXACT_MATCH, TOKEN_F1 = "exact match", f"token F1 ≥ {F1_THRESHOLD:g}"
_DEPTH = re.compile(r"mode2:k=(\d+)")
_SNAPSHOT = re.compile(r"mode2:t\d+")


@dataclass(frozen=True, eq=False)
class Variant:
    """One way to calibrate one judge's records; ``mode`` as in `split_by_split`."""

    name: str
    records: JudgedRecords
    certificate: str = CERTIFICATES[0]
    delta: float = DELTA
    calib_fraction: float = 0.5
    mode: str = "both"


def run_variants(
    variants: Sequence[Variant],
    *,
    alphas: Sequence[float] = ALPHAS,
    n_splits: int = N_SPLITS,
    seed: int = 42,
) -> Iterator[pd.DataFrame]:
    """Run every variant over the same splits, one split of one variant at a time.

    Yields
    ------
    DataFrame
        len(variants) * n_splits of them: the rows of a split with the columns of
        `core.risk.splits.repeated_splits` after ``variant``.

    Raises
    ------
    ValueError
        Before the first split, if a variant has too few labelled records or a wrong setting.
    """
    parts = []
    for variant in variants:
        records, lab = variant.records, variant.records.labelled
        parts.append(
            split_by_split(
                records.uncertainty1[lab], records.is_error1[lab],
                records.uncertainty2[lab], records.is_error2[lab],
                alphas=alphas, delta=variant.delta, certificate=variant.certificate,
                n_splits=n_splits, calib_fraction=variant.calib_fraction, mode=variant.mode,
                seed=seed,
            )
        )  # fmt: skip
    return _in_turn(variants, parts, n_splits)


def _in_turn(
    variants: Sequence[Variant], parts: Sequence[Iterator[pd.DataFrame]], n_splits: int
) -> Iterator[pd.DataFrame]:
    # Split by split over all variants, so that a run that is stopped has as many of each.
    for _ in range(n_splits):
        for variant, part in zip(variants, parts, strict=True):
            rows = next(part)
            rows.insert(0, "variant", variant.name)
            yield rows


def summarise(rows: pd.DataFrame) -> pd.DataFrame:
    """Average the splits of each variant and alpha.

    Returns
    -------
    DataFrame
        variant, alpha, splits, coverage, coverage_sd, risk, risk_sd, share_mode1, share_mode2,
        share_abstain, accepting (splits that accept anything; the risk is over these), above
        (share of those whose test risk is above alpha: descriptive, since splits overlap and test
        parts are noisy). NaN where no split accepts anything.
    """
    made = []
    for (variant, alpha), group in rows.groupby(["variant", "alpha"], sort=False):
        risk = group["risk"].dropna()
        made.append(
            {
                "variant": variant,
                "alpha": alpha,
                "splits": len(group),
                "coverage": group["coverage"].mean(),
                "coverage_sd": group["coverage"].std(ddof=0),
                "risk": risk.mean() if len(risk) else np.nan,
                "risk_sd": risk.std(ddof=0) if len(risk) else np.nan,
                "share_mode1": group["share_mode1"].mean(),
                "share_mode2": group["share_mode2"].mean(),
                "share_abstain": group["share_abstain"].mean(),
                "accepting": len(risk),
                "above": float((risk > alpha).mean()) if len(risk) else np.nan,
            }
        )
    return pd.DataFrame(made)


def by_certificate(records: JudgedRecords, *, delta: float = DELTA) -> list[Variant]:
    """The three certificates side by side."""
    return [Variant(name, records, name, delta) for name in CERTIFICATES]


def by_delta(records: JudgedRecords, certificate: str) -> list[Variant]:
    """The paper's levels of confidence."""
    return [Variant(f"δ = {delta:g}", records, certificate, delta) for delta in DELTAS]


def by_fraction(records: JudgedRecords, certificate: str, *, delta: float = DELTA) -> list[Variant]:
    """Calibration shares from a tenth to nine tenths."""
    return [
        Variant(f"{share:.0%} calibrate", records, certificate, delta, share) for share in FRACTIONS
    ]


def by_label_source(
    db: Database, cohort: Cohort, records: JudgedRecords, certificate: str, *, delta: float = DELTA
) -> list[Variant]:
    """Every label source of the cohort, and the string comparisons where references exist."""
    variants = [
        Variant(
            source,
            load_judged(
                db, cohort.cohort_id, records.judge, candidate=records.candidate,
                label_source=source, modes=records.modes,
            ),
            certificate,
            delta,
        )
        for source in cohort.label_sources
    ]  # fmt: skip
    pairs = load_answers(db, cohort.cohort_id, candidate=records.candidate)
    if any(answer is not None and reference is not None for answer, reference in pairs):
        variants += [
            Variant(name, replace(records, human=labels, label_source=name), certificate, delta)
            for name, labels in admitted(pairs).items()
            if name not in cohort.label_sources  # imported under that name: those count
        ]
    return variants


def admitted(pairs: Sequence[tuple[str | None, str | None]]) -> dict[str, np.ndarray]:
    """Label answers by the two string comparisons; NaN where answer or reference is missing."""
    exact, overlap = np.full(len(pairs), np.nan), np.full(len(pairs), np.nan)
    for place, (answer, reference) in enumerate(pairs):
        if answer is not None and reference is not None:
            references = split_references(reference)
            exact[place] = exact_match(answer, references)
            overlap[place] = token_f1(answer, references) >= F1_THRESHOLD
    return {EXACT_MATCH: exact, TOKEN_F1: overlap}


def by_depth(
    db: Database, cohort: Cohort, records: JudgedRecords, certificate: str, *, delta: float = DELTA
) -> list[Variant]:
    """Mode 2 at every retrieval depth: modes named ``mode2:k=6``; plain ``mode2`` comes first."""
    depths = sorted(
        (int(found[1]), mode)
        for mode in _modes(cohort, records)
        if (found := _DEPTH.fullmatch(mode))
    )
    if not depths:
        return []
    first = [Variant("as recorded", records, certificate, delta)]
    return first + [
        Variant(f"k = {depth}", _other(db, records, second=mode), certificate, delta)
        for depth, mode in depths
    ]


def baselines(
    db: Database, cohort: Cohort, records: JudgedRecords, certificate: str, *, delta: float = DELTA
) -> list[Variant]:
    """The pair against the judge without evidence, or with evidence always, where recorded."""
    variants = [Variant("Mode 1 only", records, certificate, delta, mode="1")]
    known = _modes(cohort, records)
    for name, mode in (("Self-evaluation", SELF_EVALUATION), ("Empty evidence", EMPTY_EVIDENCE)):
        if mode in known:
            variants.append(Variant(name, _other(db, records, second=mode), certificate, delta))
    return [
        *variants,
        Variant("Always retrieve", records, certificate, delta, mode="2"),
        Variant("Pair", records, certificate, delta),
    ]


def with_score(
    db: Database,
    records: JudgedRecords,
    certificate: str,
    first: tuple[str, str] | None,
    second: tuple[str, str] | None,
    *,
    delta: float = DELTA,
) -> list[Variant]:
    """The recorded uncertainties against numeric features (family, name) in their place."""
    changed = records
    for mode, feature in ((1, first), (2, second)):
        if feature is not None:
            values = load_feature(db, records.cohort_id, *feature, candidate=records.candidate)
            verdict = records.verdict1 if mode == 1 else records.verdict2
            values = np.where(np.isnan(verdict), np.nan, values)
            kind = {f"uncertainty{mode}": values, f"uncertainty_kind{mode}": feature[1]}
            changed = replace(changed, **kind)  # type: ignore[arg-type]
    names = [feature[1] if feature else "as recorded" for feature in (first, second)]
    return [
        Variant("Recorded uncertainty", records, certificate, delta),
        Variant(" and ".join(dict.fromkeys(names)), changed, certificate, delta),
    ]


def scores(db: Database, cohort: Cohort) -> list[tuple[str, str]]:
    """Features that can stand as an uncertainty: all numeric ones."""
    return list_features(db, cohort.cohort_id)


def snapshots(cohort: Cohort, records: JudgedRecords) -> list[str]:
    """Later snapshots of Mode 2 that the judge has: modes named ``mode2:t1``."""
    return [mode for mode in _modes(cohort, records) if _SNAPSHOT.fullmatch(mode)]


def later(db: Database, records: JudgedRecords, mode: str) -> JudgedRecords:
    """The same records with a later snapshot as Mode 2."""
    return _other(db, records, second=mode)


def evidence_overlap(db: Database, records: JudgedRecords, mode: str) -> pd.DataFrame:
    """Compare the pages of Mode 2 with those of a later snapshot.

    Returns
    -------
    DataFrame
        A row for each record that has evidence in both: id, ranked, unranked (Jaccard).
    """
    before, after = (
        load_evidence(db, records.cohort_id, records.judge, name, candidate=records.candidate)
        for name in (records.modes[1], mode)
    )
    rows = [
        (item, ranked_jaccard(one, two), jaccard(one, two))
        for item, one, two in zip(records.item_id, before, after, strict=True)
        if one is not None and two is not None
    ]
    return pd.DataFrame(rows, columns=["id", "ranked", "unranked"])


def accuracy(records: JudgedRecords) -> tuple[float, float]:
    """Share of right verdicts of each mode, of those with a label; NaN without any."""
    found = []
    for wrong in (records.is_error1, records.is_error2):
        known = wrong[~np.isnan(wrong)]
        found.append(1.0 - float(known.mean()) if len(known) else float("nan"))
    return found[0], found[1]


def _modes(cohort: Cohort, records: JudgedRecords) -> tuple[str, ...]:
    return next(judge.modes for judge in cohort.judges if judge.name == records.judge)


def _other(db: Database, records: JudgedRecords, *, second: str) -> JudgedRecords:
    return load_judged(
        db, records.cohort_id, records.judge, candidate=records.candidate,
        label_source=records.label_source, modes=(records.modes[0], second),
    )  # fmt: skip
