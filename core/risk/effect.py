"""What retrieval does to a judge: uncertainty that rises or falls, verdicts that turn."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from core.validation import binary, same_length, uncertainties


@dataclass(frozen=True, eq=False)
class RetrievalEffect:
    """Mode 2 against Mode 1 on the records that both scored.

    Attributes
    ----------
    n : int
        Records that both modes scored.
    share_raised, share_lowered : float
        Share of n whose uncertainty is larger, smaller in Mode 2; 0.0 without records.
    mean_raised, mean_lowered : float or None
        Mean change of the uncertainty within each group; None where it is empty.
    n_labelled : int
        Of n, those with a label.
    turned_right, turned_wrong : bool arrays of shape (n_records,)
        Records whose verdict turned from wrong to right, and from right to wrong.
    """

    n: int
    share_raised: float
    share_lowered: float
    mean_raised: float | None
    mean_lowered: float | None
    n_labelled: int
    turned_right: NDArray[np.bool_]
    turned_wrong: NDArray[np.bool_]


def retrieval_effect(
    uncertainty1: ArrayLike, is_error1: ArrayLike, uncertainty2: ArrayLike, is_error2: ArrayLike
) -> RetrievalEffect:
    """Compare Mode 2 with Mode 1, record by record.

    Parameters
    ----------
    uncertainty1, uncertainty2 : arrays of shape (n_records,)
        Both modes' uncertainties; NaN is unscored.
    is_error1, is_error2 : arrays of shape (n_records,)
        1 where verdict and human label differ, NaN where either is missing.

    Returns
    -------
    RetrievalEffect

    Raises
    ------
    ValueError
        If lengths differ or a value is outside its range.

    Notes
    -----
    JRA appendix E.1 and E.2 (arXiv 2608.17994).

    Examples
    --------
    >>> effect = retrieval_effect([0.5, 0.5, 0.1], [1, 0, 0], [0.1, 0.6, 0.1], [0, 0, 1])
    >>> effect.turned_right.tolist(), effect.turned_wrong.tolist(), round(effect.mean_lowered, 1)
    ([True, False, False], [False, False, True], -0.4)
    """
    score1, wrong1 = uncertainties("uncertainty1", uncertainty1), binary("is_error1", is_error1)
    score2, wrong2 = uncertainties("uncertainty2", uncertainty2), binary("is_error2", is_error2)
    same_length(uncertainty1=score1, is_error1=wrong1, uncertainty2=score2, is_error2=wrong2)
    both = ~(np.isnan(score1) | np.isnan(score2))
    change = (score2 - score1)[both]
    raised, lowered = change[change > 0], change[change < 0]
    n = len(change)
    labelled = ~(np.isnan(wrong1) | np.isnan(wrong2))
    return RetrievalEffect(
        n=n,
        share_raised=len(raised) / max(n, 1),
        share_lowered=len(lowered) / max(n, 1),
        mean_raised=float(raised.mean()) if len(raised) else None,
        mean_lowered=float(lowered.mean()) if len(lowered) else None,
        n_labelled=int((both & labelled).sum()),
        turned_right=labelled & (wrong1 == 1) & (wrong2 == 0),
        turned_wrong=labelled & (wrong1 == 0) & (wrong2 == 1),
    )
