"""What an annotation plan stands on: a judge's records, a calibration part, and two models.

Joins the store, the risk model and active inference, for the Annotation page and the terminal.
Source of the method: *Human-Anchored Factuality Evaluation with Strategic Annotation*.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from core.active.plan import (
    DEFAULT_MIXING,
    Calibration,
    Plan,
    make_calibration,
    plan_blind,
    plan_draw,
)
from core.active.policies import FSA, Part, make_part
from core.failure_space import load_failure_space
from core.residuals.acceptance import fit_acceptance
from core.residuals.risk_model import fit_risk_model
from core.store.database import Database
from core.store.residual_records import ResidualRecords

Floats = NDArray[np.float64]

#: With fewer records without a label, labels of a part are hidden instead: a rehearsal.
LEAST_UNLABELLED: Final = 50
#: Share of the labelled records that calibrate in a rehearsal, as in the paper.
CALIBRATION_SHARE: Final = 0.4
#: Labelled records below which no model is trained: five folds with some of both kinds.
LEAST_CALIBRATION: Final = 50


@dataclass(frozen=True, eq=False)
class AnnotationSpace:
    """What planning and drawing a batch need.

    Attributes
    ----------
    records : ResidualRecords
    predictor : float array of shape (n,)
        The judge's verdict, 1 or 0; an unknown one is 0, a missing one the mean of the others.
    human : float array of shape (n,)
        Labels of the calibration records; NaN elsewhere.
    hidden : float array of shape (n,)
        In a rehearsal the labels of the population; else NaN.
    calibration, population : bool arrays of shape (n,)
        Labelled records that the plan may learn from, and records that a batch may draw.
    doubt : float array of shape (n,)
        Expected squared residual by the judge's uncertainty alone; without a model the rank of
        the uncertainty, in [0, 1].
    risk_score : float array of shape (n,), or None
        Expected squared residual, out of fold for the calibration records; None without a model.
    recalibrated : float array of shape (n,), or None
        Probability that people accept the answer, likewise.
    features : DataFrame of shape (n, p)
        Imported features and the judge's uncertainty.
    families : mapping of str to str
        Family of each.
    feature_names : tuple of str
        What both models learn from.
    notes : tuple of str
    """

    records: ResidualRecords
    predictor: NDArray[np.float64]
    human: NDArray[np.float64]
    hidden: NDArray[np.float64]
    calibration: NDArray[np.bool_]
    population: NDArray[np.bool_]
    doubt: NDArray[np.float64]
    risk_score: NDArray[np.float64] | None
    recalibrated: NDArray[np.float64] | None
    features: pd.DataFrame
    families: Mapping[str, str]
    feature_names: tuple[str, ...]
    notes: tuple[str, ...]

    @property
    def rehearsal(self) -> bool:
        """Whether the population's labels are known and only hidden."""
        return not np.isnan(self.hidden).all()

    @property
    def n_population(self) -> int:
        """Records that a batch may draw."""
        return int(self.population.sum())

    @property
    def n_calibration(self) -> int:
        """Labelled records that the plan learns from."""
        return int(self.calibration.sum())

    def part(self, chosen: NDArray[np.bool_]) -> Part:
        """What is known of some records before their labels."""
        risk, accepted = self.risk_score, self.recalibrated
        return make_part(
            self.predictor[chosen],
            doubt=self.doubt[chosen],
            risk=None if risk is None else risk[chosen],
            accepted=None if accepted is None else accepted[chosen],
        )

    def calibrated(self) -> Calibration | None:
        """Labels to plan by; None where there are too few."""
        if self.risk_score is None:
            return None
        return make_calibration(
            self.human[self.calibration], self.part(self.calibration), self.part(self.population)
        )

    def plan(
        self,
        policy: str,
        budget: int,
        *,
        mixing: float | None = None,
        power: float | None = None,
    ) -> Plan:
        """Plan a draw, by the labels where there are enough."""
        found = self.calibrated()
        if found is not None:
            return plan_draw(found, policy, budget, mixing=mixing, power=power)
        share = DEFAULT_MIXING if mixing is None else mixing
        return plan_blind(self.part(self.population), policy, budget, mixing=share)


def feature_set_gains(
    space: AnnotationSpace, sets: Mapping[str, Sequence[str]], budget: int, *, seed: int = 0
) -> Iterator[dict[str, Any]]:
    """Plan the paper's policy with each of some feature sets (its Table 5).

    Yields
    ------
    dict
        name, size, spearman (of the out-of-fold score with |residual|), mixing, power, ess_gain.
    """
    residual = space.human - space.predictor
    for name, chosen in sets.items():
        model = fit_risk_model(
            space.features[list(chosen)], residual, groups=space.records.question, seed=seed
        )
        risk = np.clip(model.score_out_of_fold, 0.0, None)
        parts = [
            make_part(space.predictor[rows], risk=risk[rows])
            for rows in (space.calibration, space.population)
        ]
        plan = plan_draw(make_calibration(space.human[space.calibration], *parts), FSA, budget)
        yield {
            "name": name, "size": len(chosen), "spearman": model.spearman,
            "mixing": plan.mixing, "power": plan.tuning.power, "ess_gain": plan.ess_gain,
        }  # fmt: skip


def load_annotation_space(
    db: Database,
    cohort_id: str,
    judge: str,
    *,
    mode: str = "mode1",
    candidate: str | None = None,
    label_source: str | None = None,
    features: Sequence[str] | None = None,
    seed: int = 0,
) -> AnnotationSpace:
    """Load records, split them into calibration and population, and train both models.

    Parameters
    ----------
    db : Database
    cohort_id, judge, mode : str
    candidate, label_source : str, optional
        As in `core.store.records.load_judged`.
    features : sequence of str, optional
        Features for the models; all that vary by default.
    seed : int
        Settles folds, and in a rehearsal which labels are hidden.

    Raises
    ------
    ValueError
        When one of the names is unknown; the text names the known ones.
    """
    space = load_failure_space(
        db, cohort_id, judge, mode=mode, candidate=candidate, label_source=label_source
    )
    records = space.records
    predictor = np.where(records.unknown, 0.0, records.verdict)
    silent = np.isnan(predictor)
    predictor[silent] = 0.5 if silent.all() else predictor[~silent].mean()
    notes = []
    if silent.any():
        notes.append(
            f"{int(silent.sum()):,} of {len(predictor):,} records have no verdict; the mean of the "
            "others stands in, which costs precision and no validity."
        )
    labelled = ~np.isnan(records.human)
    calibration, population = labelled.copy(), ~labelled
    hidden = np.full(len(predictor), np.nan)
    if population.sum() < LEAST_UNLABELLED:
        order = np.random.default_rng(seed).permutation(np.flatnonzero(labelled))
        kept = order[: round(CALIBRATION_SHARE * len(order))]
        calibration = np.zeros(len(labelled), dtype=bool)
        calibration[kept] = True
        population = labelled & ~calibration
        hidden[population] = records.human[population]
        notes.append(
            f"Rehearsal: nearly every record has a label, so those of {int(population.sum()):,} "
            "are hidden, and can be handed back as if people had given them."
        )
    human = np.where(calibration, records.human, np.nan)
    names, risk, recalibrated, doubt = _models(
        space.features, features, predictor, human, records, seed
    )
    if risk is None:
        notes.append(
            f"{int(calibration.sum()):,} labelled records are too few to learn from, or no feature "
            "varies: only Classical, Uniform and Confidence can be drawn."
        )
    return AnnotationSpace(
        records=records,
        predictor=predictor,
        human=human,
        hidden=hidden,
        calibration=calibration,
        population=population,
        doubt=doubt,
        risk_score=risk,
        recalibrated=recalibrated,
        features=space.features,
        families=space.families,
        feature_names=names,
        notes=tuple(notes),
    )


def _models(
    features: pd.DataFrame,
    chosen: Sequence[str] | None,
    predictor: NDArray[np.float64],
    human: NDArray[np.float64],
    records: ResidualRecords,
    seed: int,
) -> tuple[tuple[str, ...], Floats | None, Floats | None, Floats]:
    """Features, risk score, recalibrated verdict and doubt; None where there is too little."""
    labelled, unsure = ~np.isnan(human), records.uncertainty
    ranks: Floats = np.asarray(pd.Series(unsure).rank(pct=True).fillna(1.0), dtype=np.float64)
    names = tuple(
        str(name)
        for name in (features if chosen is None else chosen)
        if features[str(name)][labelled].nunique() > 1
    )
    classes = len(np.unique(human[labelled]))
    if labelled.sum() < LEAST_CALIBRATION or not names or classes < 2:
        return names, None, None, ranks

    def learn(frame: pd.DataFrame, target: NDArray[np.float64]) -> Floats:
        model = fit_risk_model(frame, target, groups=records.question, seed=seed)
        return np.asarray(np.clip(model.score_out_of_fold, 0.0, None))

    frame = features[list(names)]
    residual = human - predictor
    accepted = fit_acceptance(
        frame.assign(**{_free("verdict", frame): predictor}), human, groups=records.question,
        seed=seed,
    )  # fmt: skip
    doubt: Floats = ranks
    if np.nanstd(unsure) > 0:
        doubt = learn(pd.DataFrame({"uncertainty": unsure}), residual)
    return names, learn(frame, residual), accepted, doubt


def _free(name: str, frame: pd.DataFrame) -> str:
    while name in frame:
        name += " "
    return name
