"""The tables of the two cohorts with residuals in README.md; `report.py` writes them there."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache

import pandas as pd

from core.failure_space import FailureSpace, load_failure_space
from core.residuals.correlation import feature_correlations
from core.store.database import Database, open_database
from core.store.imports import guess_mapping, prepare, read_records, write_cohort
from sample_data import autofa, ragtruth, sample_files

AUTOFA, RAGTRUTH = "AutoFA-like", "RAGTruth-like"
JUDGES = {AUTOFA: autofa.JUDGE, RAGTRUTH: ragtruth.JUDGE}
FLAGGED = "judge flagged output"
# How far a sample may be off: two points, .03 of a correlation, .15 of a lift.
SHARE, RHO, LIFT = 0.02, 0.03, 0.15


@dataclass(frozen=True)
class Margin:
    """A published margin: what "unknown" counts as in it, the figure, and how it is measured.

    `wanted` is what the records are built to: the figure, or what the other margins force.
    """

    cohort: str
    what: str
    unknown_as: str
    published: str
    wanted: float
    tolerance: float
    measure: Callable[[FailureSpace], float]

    def built(self) -> float:
        """Measure it on the sample records."""
        return self.measure(space(self.cohort, self.unknown_as))


@cache
def store() -> Database:
    """Import both cohorts into a store of their own."""
    db = open_database(":memory:")
    for sample in sample_files():
        if sample.name in JUDGES:
            raw = read_records([sample.path])
            write_cohort(db, prepare(raw, guess_mapping(raw)), sample.name)
    return db


@cache
def space(cohort: str, unknown_as: str) -> FailureSpace:
    """Load a cohort's residuals."""
    return load_failure_space(store(), cohort.lower(), JUDGES[cohort], unknown_as=unknown_as)


@cache
def lifts(found: FailureSpace) -> pd.DataFrame:
    """Give the table of lifts by name of the stratum."""
    return found.lift().set_index("stratum")


def correlation(found: FailureSpace, feature: str, subset: str | None = None) -> float:
    """Give Spearman's ρ of a feature with |Δ|, in a stratum where one is named."""
    inside = None if subset is None else found.inside(subset)
    table = feature_correlations(found.features[[feature]], found.residuals.residual, subset=inside)
    return float(table["spearman"].iloc[0])


def _share(
    cohort: str, what: str, wanted: float, measure: Callable[[FailureSpace], float],
    unknown_as: str = "wrong", published: str = "",
) -> Margin:  # fmt: skip
    shown = published or f"{100 * wanted:.4g} %".replace("-", "−")
    return Margin(cohort, what, unknown_as, shown, wanted, SHARE, measure)


def _stratum(
    cohort: str, name: str, prevalence: float, lift: float, unknown_as: str,
    published: tuple[str, str] | None = None,
) -> list[Margin]:  # fmt: skip
    def row(column: str) -> Callable[[FailureSpace], float]:
        return lambda found: float(lifts(found)[column].loc[name])

    first, second = published or (f"{100 * prevalence:.4g} %", f"{lift:.2f}")
    return [
        Margin(cohort, f"prevalence of {name}", unknown_as, first, prevalence, SHARE,
               row("prevalence")),
        Margin(cohort, f"lift of {name}", unknown_as, second, lift, LIFT, row("lift")),
    ]  # fmt: skip


def _rho(cohort: str, feature: str, wanted: float, subset: str | None = None) -> Margin:
    where = "" if subset is None else ", flagged records"
    return Margin(
        cohort, f"ρ of {feature}{where}", "wrong", f"{abs(wanted):.2f}", wanted, RHO,
        lambda found: correlation(found, feature, subset),
    )  # fmt: skip


def _disagreement(found: FailureSpace) -> float:
    seen = found.overview()
    return seen.disagreements / seen.n_scored


def _over_rejection(found: FailureSpace) -> float:
    seen = found.overview()
    return seen.over_rejections / seen.disagreements


def _of_disagreement(verdict: str) -> Callable[[FailureSpace], float]:
    """Share of the disagreements that are correct answers with this verdict."""

    def measure(found: FailureSpace) -> float:
        seen = found.overview()
        return seen.table[verdict]["correct"] / seen.disagreements

    return measure


MARGINS = (
    _share(AUTOFA, "disagreement", 0.282, _disagreement),
    _share(AUTOFA, "over-rejection in it", 0.90, _over_rejection),
    _share(AUTOFA, "correct called false in it", 0.43, _of_disagreement("wrong")),
    _share(AUTOFA, "correct called unknown in it", 0.46, _of_disagreement("unknown")),
    _share(AUTOFA, "judge's rate − people's", -0.133, lambda f: f.overview().gap, "excluded"),
    *_stratum(AUTOFA, "partial verification", 0.32, 2.58, "zero"),
    *_stratum(AUTOFA, "time-sensitive query", 0.40, 1.29, "zero"),
    _rho(AUTOFA, "ref-support-strength", -0.57),
    _rho(AUTOFA, "inference-required", 0.44),
    _rho(AUTOFA, "ref-temporal-consistency", -0.36),
    _rho(AUTOFA, "time-sensitive", 0.32),
    _rho(AUTOFA, "self-confidence", -0.31),
    _share(RAGTRUTH, "judge's rate", 0.556, lambda f: f.overview().judge_rate),
    _share(RAGTRUTH, "people's rate", 0.862, lambda f: f.overview().human_rate),
    _share(RAGTRUTH, "disagreement", 0.347, _disagreement),
    _share(RAGTRUTH, "over-rejection in it", 0.94, _over_rejection),
    *_stratum(RAGTRUTH, "low self-confidence", 0.32, 2.24, "wrong"),
    *_stratum(
        RAGTRUTH, FLAGGED, 0.444, 2.12, "wrong", ("43 %; forced: 44.4 %", "2.02; forced: 2.12")
    ),
    _rho(RAGTRUTH, "self-confidence", -0.66),
    _rho(RAGTRUTH, "flag-reliability", -0.25, FLAGGED),
    _rho(RAGTRUTH, "ref-support-strength", -0.22),
    _rho(RAGTRUTH, "data-to-text", 0.18),
    _rho(RAGTRUTH, "qualitative-language", 0.17),
    _rho(RAGTRUTH, "inference-required", 0.16),
)
UNKNOWN = {"wrong": "wrong", "zero": "no residual", "excluded": "excluded"}


def margin_table() -> list[tuple[str, ...]]:
    """Give the published margins beside those of the records."""
    head = ("Cohort", "Margin", "Unknown counts as", "Published", "Sample records")
    rows = []
    for margin in MARGINS:
        built = margin.built()
        shown = f"{100 * built:.1f} %" if margin.tolerance == SHARE else f"{built:.2f}"
        unknown = UNKNOWN[margin.unknown_as] if margin.cohort == AUTOFA else "–"
        cells = (margin.cohort, margin.what, unknown, margin.published, shown.replace("-", "−"))
        rows.append(cells)
    return [head, *rows]


def annotator_table() -> list[tuple[str, ...]]:
    """Give how far annotators agree with each other, and the judge with them."""
    head = ("Cohort", "Between", "Raw", "Cohen's κ", "Krippendorff's α")
    rows = []
    for cohort in JUDGES:
        pair = space(cohort, "wrong").agreement()
        if pair is None:
            raise RuntimeError(f"{cohort} must have several annotators.")
        for who, found in zip(("annotators", "judge and annotators"), pair, strict=True):
            kappa, alpha = found.cohen_kappa or 0.0, found.krippendorff_alpha or 0.0
            rows.append((cohort, who, f"{found.raw:.2f}", f"{kappa:.2f}", f"{alpha:.2f}"))
    return [head, *rows]
