"""Several batches, one estimate: each batch treats earlier labels as known."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy import stats

from core.active.estimate import MeanEstimate
from core.validation import choice, open_unit


@dataclass(frozen=True)
class BatchPart:
    """What one batch says.

    Attributes
    ----------
    rest : MeanEstimate
        Of the mean over the records not drawn before, with ``target="finite"``.
    n_rest : int
        Those records.
    known_sum : float
        Sum of the labels of records drawn before.
    budget : int
    """

    rest: MeanEstimate
    n_rest: int
    known_sum: float
    budget: int


def combine_batches(
    parts: Sequence[BatchPart],
    n: int,
    *,
    target: str = "process",
    confidence_level: float = 0.95,
) -> MeanEstimate:
    """Combine batches drawn one after another, each from the records not drawn before.

    Parameters
    ----------
    parts : sequence of BatchPart
        In the order in which they were drawn.
    n : int
        Records of the whole population.
    target : {"process", "finite"}
    confidence_level : float

    Returns
    -------
    MeanEstimate
        `offset`, `power` are those of the last batch, `ess_kish` the sum.

    Raises
    ------
    ValueError
        If there is no batch, or a value is outside its range.

    Notes
    -----
    Given the batches before it, each estimate is unbiased for the mean of the n records, so the
    estimates are uncorrelated, and the variance of a fixed mixture is the sum of w² V. The weights
    go by budget over the squared share of records that a batch had left: the inverse variances
    where records are alike, and fixed before any label. For the process, the variance of the n
    records' own mean is added.
    """
    choice("target", target, ("process", "finite"))
    level = open_unit("confidence_level", confidence_level)
    if not parts:
        raise ValueError("'parts' must hold at least one batch; got none.")
    left = np.array([part.n_rest / n for part in parts])
    weight = np.array([part.budget for part in parts]) / np.maximum(left, 1e-12) ** 2
    weight = weight / weight.sum()
    values = np.array([(part.known_sum + part.n_rest * part.rest.value) / n for part in parts])
    errors = left * np.array([part.rest.standard_error for part in parts])
    value = float(np.sum(weight * values))
    variance = float(np.sum((weight * errors) ** 2))
    if target == "process":
        inside = min(max(value, 0.0), 1.0)
        variance += inside * (1 - inside) / n
    reach = float(stats.norm.isf((1 - level) / 2)) * variance**0.5
    last = parts[-1].rest
    return MeanEstimate(
        value=value,
        low=max(value - reach, 0.0),
        high=min(value + reach, 1.0),
        standard_error=variance**0.5,
        n_population=n,
        n_labelled=sum(part.rest.n_labelled for part in parts),
        offset=last.offset,
        power=last.power,
        ess_kish=float(sum(part.rest.ess_kish for part in parts)),
        warnings=tuple(dict.fromkeys(note for part in parts for note in part.rest.warnings)),
    )
