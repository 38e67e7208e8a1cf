"""The risk model's score as a judge's uncertainty: trained on labels that set no threshold."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from core.caveats import OUT_OF_FOLD
from core.failure_space import load_failure_space
from core.residuals.folds import group_codes
from core.residuals.risk_model import fit_on, fit_risk_model
from core.store.database import Database
from core.store.records import JudgedRecords
from core.validation import IntArray

#: How the score is kept apart from the labels that set thresholds, and what it is then called.
KINDS: Final = {"half": "risk score, half", "out-of-fold": OUT_OF_FOLD}
WAYS: Final = tuple(KINDS)


@dataclass(frozen=True, eq=False)
class RiskScored:
    """Records with their own uncertainty, and the same records with the risk model's score.

    Attributes
    ----------
    recorded, scored : JudgedRecords
        With ``"half"`` only the records that trained no model.
    n_trained : int
        Labelled records that trained the model and are left out; 0 with ``"out-of-fold"``.
    notes : tuple of str
        What the models warn of: a feature that may hold the label, for example.
    """

    recorded: JudgedRecords
    scored: JudgedRecords
    n_trained: int
    notes: tuple[str, ...] = ()


def with_risk_score(db: Database, judged: JudgedRecords, way: str, *, seed: int = 0) -> RiskScored:
    """Replace both modes' uncertainties by the score of a risk model of that mode.

    Parameters
    ----------
    db : Database
    judged : JudgedRecords
    way : {"half", "out-of-fold"}
        "half": the labelled records of a random half of the questions train the model, and are
        left out; a certificate on the others holds as for any score fixed beforehand.
        "out-of-fold": every record is scored by trees that never saw it. All records stay, but the
        records that set thresholds have trained the trees of other records' scores, so that a
        certificate is approximate.
    seed : int
        Settles halves and folds.

    Returns
    -------
    RiskScored

    Raises
    ------
    ValueError
        When `way` is unknown, no feature varies, or too few records are labelled.
    """
    if way not in WAYS:
        raise ValueError(f"'way' must be one of {', '.join(WAYS)}; got {way!r}.")
    changes: dict[str, Any] = {}
    trains = np.zeros(judged.n, dtype=bool)
    codes = np.arange(judged.n)
    notes: list[str] = []
    for number, mode, verdict in (
        (1, judged.modes[0], judged.verdict1),
        (2, judged.modes[1], judged.verdict2),
    ):
        if np.isnan(verdict).all():
            continue
        space = load_failure_space(
            db, judged.cohort_id, judged.judge, mode=mode, candidate=judged.candidate,
            label_source=judged.label_source, unknown_as="excluded",
        )  # fmt: skip
        questions = space.records.question
        codes = group_codes(questions, judged.n)
        features = space.features[space.varying()]
        if features.shape[1] == 0:
            raise ValueError(
                "No feature of these records varies, so there is nothing to train on. Import "
                "numeric columns (`feature:<family>:<name>`)."
            )
        residual = space.residuals.residual
        if way == "half":
            trains = _half(codes, judged.labelled, seed)
            held = fit_on(features, residual, trains, groups=questions)
            score, said = held.score, held.notes
        else:
            model = fit_risk_model(features, residual, groups=questions, seed=seed)
            score, said = model.score_out_of_fold, model.notes
        notes += [one for one in said if "hold the human label" in one or "contain the" in one]
        changes[f"uncertainty{number}"] = np.where(np.isnan(verdict), np.nan, score)
        changes[f"uncertainty_kind{number}"] = KINDS[way]
    kept = ~trains
    return RiskScored(
        recorded=_only(judged, kept, codes),
        scored=_only(replace(judged, **changes), kept, codes),
        n_trained=int(trains.sum()),
        notes=tuple(dict.fromkeys(notes)),
    )


def _half(codes: IntArray, labelled: NDArray[np.bool_], seed: int) -> NDArray[np.bool_]:
    """Labelled records of a random half of the questions that have any."""
    groups = np.unique(codes[labelled])
    chosen = np.random.default_rng(seed).permutation(groups)[: len(groups) // 2]
    return np.isin(codes, chosen) & labelled


def _only(judged: JudgedRecords, kept: NDArray[np.bool_], codes: IntArray) -> JudgedRecords:
    """The records kept, in their order."""
    if kept.all():
        return judged
    arrays = (
        "item_id", "verdict1", "uncertainty1", "verdict2", "uncertainty2", "human",
    )  # fmt: skip
    parts: dict[str, Any] = {name: getattr(judged, name)[kept] for name in arrays}
    return replace(judged, n_questions=len(np.unique(codes[kept])), **parts)
