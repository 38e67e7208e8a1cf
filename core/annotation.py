"""The annotation loop: draw a batch and keep it; estimate from the labels that came back.

Joins the store and `core.active`, for the Annotation page and the terminal. Source of the method:
*Human-Anchored Factuality Evaluation with Strategic Annotation*.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
import pandas as pd

from core.active.combine import BatchPart, combine_batches
from core.active.draw import audit_slice, draw_batch
from core.active.estimate import (
    ESTIMATORS,
    MeanEstimate,
    Tuning,
    bounds_of_missing,
    estimate_mean,
)
from core.active.inclusion import inclusion_probabilities
from core.active.plan import Plan
from core.adjudication import adjudicate
from core.annotation_space import AnnotationSpace
from core.store.batches import (
    Batch,
    get_batch,
    list_batches,
    load_labels,
    load_population,
    save_batch,
)
from core.store.database import Database
from core.store.residual_records import ResidualRecords, load_residual_records

#: Share of labels below which a point estimate would be a guess.
LEAST_RETURNED: Final = 0.5


def draw(
    db: Database,
    space: AnnotationSpace,
    plan: Plan,
    *,
    design: str = "fixed",
    seed: int = 0,
    audit_size: int = 0,
    after: Sequence[Batch] = (),
) -> Batch:
    """Draw a batch as planned, and keep it.

    Parameters
    ----------
    db : Database
    space : AnnotationSpace
    plan : Plan
        Of `AnnotationSpace.plan`.
    design : {"fixed", "poisson"}
    seed : int
    audit_size : int
        Expected number of drawn records that are marked as a uniform slice.
    after : sequence of Batch
        Earlier batches of the same population: their records are not drawn again.

    Raises
    ------
    ValueError
        When nothing is left to draw, or the audit slice is too large for the mixing.
    """
    population = np.flatnonzero(space.population)
    ids = space.records.item_id[population]
    drawn_before = np.zeros(len(ids), dtype=bool)
    for batch in after:
        if batch.settings["data_hash"] != space.records.data_hash:
            raise ValueError(
                f"The cohort has changed since batch {batch.number} was drawn, and a top-up needs "
                "the same records. Draw a batch of its own."
            )
        known = load_population(db, batch.batch_id)
        drawn_before |= pd.Index(ids).isin(known["item_id"][known["drawn"]])
    left = ~drawn_before
    if not left.any():
        raise ValueError(
            "Every record of this population has been drawn: there is nothing left to top up with."
        )
    if left.sum() < plan.budget:
        raise ValueError(
            f"'budget' must be at most {int(left.sum()):,}, the records not drawn yet; got "
            f"{plan.budget:,}."
        )
    chance = plan.inclusion_prob
    if drawn_before.any():
        chance = inclusion_probabilities(plan.risk_score[left], plan.budget, mixing=plan.mixing)
    taken = draw_batch(chance, design=design, seed=seed)
    if not taken.any():
        raise ValueError("No record was drawn: ask for a larger budget, or a fixed size.")
    marked = (
        audit_slice(chance, taken, audit_size, seed=seed + 1)
        if audit_size
        else np.zeros(len(taken), dtype=bool)
    )
    order = np.random.default_rng(seed + 2).permutation(len(taken))
    frame = pd.DataFrame(
        {
            "item_id": ids[left],
            "inclusion_prob": chance,
            "predictor": plan.predictor[left],
            "risk_score": plan.risk_score[left],
            "drawn": taken,
            "audit": marked,
            "place": pd.Series(np.where(taken, order, np.nan)).rank(method="first") - 1,
        }
    )
    records, tuned = space.records, plan.tuning
    settings = {
        "judge": records.judge, "judge_kind": records.judge_kind, "mode": records.mode,
        "candidate": records.candidate, "label_source": records.label_source,
        "data_hash": records.data_hash, "policy": plan.policy, "design": design,
        "budget": plan.budget, "mixing": plan.mixing, "seed": seed, "audit": audit_size,
        "offset": _finite(tuned.offset), "power": _finite(tuned.power),
        "plain_power": _finite(plan.plain_power),
        "planned_half_width": _finite(plan.half_width), "rehearsal": space.rehearsal,
        "features": list(space.feature_names), "n_calibration": space.n_calibration,
        "after": [batch.batch_id for batch in after],
    }  # fmt: skip
    return save_batch(db, records.cohort_id, settings, frame)


def earlier_batches(db: Database, records: ResidualRecords) -> list[Batch]:
    """The cohort's batches by the same judge, mode, candidate and label source."""
    names = ("judge", "mode", "candidate", "label_source")
    wanted = tuple(getattr(records, name) for name in names)
    return [
        batch
        for batch in list_batches(db, records.cohort_id)
        if tuple(batch.settings[name] for name in names) == wanted
    ]


def _finite(value: float) -> float | None:
    return float(value) if np.isfinite(value) else None


@dataclass(frozen=True, eq=False)
class BatchEstimate:
    """What the labels of a batch say.

    Attributes
    ----------
    judge_rate : float
        Mean of the judge's verdicts over the population.
    estimates : mapping of str to MeanEstimate
        "labels alone", "difference", "hajek", "horvitz-thompson"; "batches combined" too where
        there is an earlier batch.
    missing : tuple of float, or None
        The difference estimate if all missing labels were 0, and if they were 1.
    n_drawn, n_returned, n_open : int
        Records drawn, those with a label that counts, and those on which annotators differ.
    population : DataFrame
        Of `core.store.batches.load_population`, with human, weight and contribution.
    """

    judge_rate: float
    estimates: Mapping[str, MeanEstimate]
    missing: tuple[float, float] | None
    n_drawn: int
    n_returned: int
    n_open: int
    population: pd.DataFrame

    @property
    def return_rate(self) -> float:
        """Share of the drawn records that have a label that counts."""
        return self.n_returned / self.n_drawn


def estimate(
    db: Database, batch: Batch, *, rule: str = "majority", target: str = "process"
) -> BatchEstimate:
    """Estimate people's rate from a batch's labels.

    Parameters
    ----------
    db : Database
    batch : Batch
    rule : {"majority", "unanimous"}
        As in `core.adjudication.adjudicate`.
    target : {"process", "finite"}

    Raises
    ------
    ValueError
        When fewer than half of the labels are back.
    """
    population = load_population(db, batch.batch_id)
    drawn = population["drawn"].to_numpy(dtype=bool)
    settled = adjudicate(load_labels(db, batch.batch_id), population["item_id"].to_numpy(), rule)
    human = np.where(drawn, settled.value, np.nan)
    back = int((drawn & ~np.isnan(human)).sum())
    if back < LEAST_RETURNED * drawn.sum():
        raise ValueError(
            f"{back:,} of {int(drawn.sum()):,} records have a label that counts. An estimate needs "
            f"{LEAST_RETURNED:.0%} of them back: with fewer, the missing ones could say anything."
        )
    predictor = population["predictor"].to_numpy(dtype=float)
    chance = population["inclusion_prob"].to_numpy(dtype=float)
    offset, power = batch.settings["offset"], batch.settings["power"]
    tuning = None if offset is None else Tuning(offset, power)
    plain = None if offset is None else Tuning(0.0, batch.settings["plain_power"])
    arrays, design = (human, predictor, chance, drawn), str(batch.settings["design"])
    found = {
        "labels alone": estimate_mean(
            *arrays, tuning=Tuning(0.0, 0.0), estimator="hajek", target=target, design=design
        ),
        **{
            name: estimate_mean(
                *arrays,
                tuning=plain if name == "horvitz-thompson" else tuning,
                estimator=name,
                target=target,
                design=design,
            )
            for name in ESTIMATORS
        },
    }
    if batch.settings["after"]:
        found["batches combined"] = _combined(db, batch, rule, target)
    weight = np.where(drawn & ~np.isnan(human), 1 / chance, np.nan)
    base = found["difference"].offset + found["difference"].power * predictor
    return BatchEstimate(
        judge_rate=_judge_rate(db, batch, population["item_id"]),
        estimates=found,
        missing=bounds_of_missing(*arrays, tuning=tuning) if back < drawn.sum() else None,
        n_drawn=int(drawn.sum()),
        n_returned=back,
        n_open=int((settled.open & drawn).sum()),
        population=population.assign(
            human=human, weight=weight, contribution=weight * (human - base) / len(population)
        ),
    )


def _combined(db: Database, batch: Batch, rule: str, target: str) -> MeanEstimate:
    parts: list[BatchPart] = []
    known_sum, n = 0.0, 0
    for one in (*(get_batch(db, name) for name in batch.settings["after"]), batch):
        population = load_population(db, one.batch_id)
        n = n or len(population)
        drawn = population["drawn"].to_numpy(dtype=bool)
        labels = load_labels(db, one.batch_id)
        value = adjudicate(labels, population["item_id"].to_numpy(), rule).value
        human = np.where(drawn, value, np.nan)
        offset = one.settings["offset"]
        rest = estimate_mean(
            human, population["predictor"], population["inclusion_prob"], drawn,
            tuning=None if offset is None else Tuning(offset, one.settings["power"]),
            target="finite", design=str(one.settings["design"]),
        )  # fmt: skip
        parts.append(BatchPart(rest, len(population), known_sum, int(drawn.sum())))
        # Labels that are missing are taken to be like the others of their batch.
        known_sum += float(np.nanmean(human)) * int(drawn.sum())
    return combine_batches(parts, n, target=target)


def _judge_rate(db: Database, batch: Batch, item_id: pd.Series) -> float:
    records = load_residual_records(
        db, batch.cohort_id, str(batch.settings["judge"]), mode=str(batch.settings["mode"]),
        candidate=batch.settings["candidate"], label_source=batch.settings["label_source"],
    )  # fmt: skip
    inside = pd.Index(records.item_id).isin(item_id)
    verdict = np.where(records.unknown, 0.0, records.verdict)[inside]
    return float(np.nanmean(verdict)) if (~np.isnan(verdict)).any() else float("nan")
