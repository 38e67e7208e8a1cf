"""One label a record from those of several annotators."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from core.validation import choice

#: Whose label settles a record, whatever others said.
ADJUDICATOR: Final = "adjudicator"
RULES: Final = ("majority", "unanimous")


@dataclass(frozen=True, eq=False)
class Adjudicated:
    """Labels of the records asked for.

    Attributes
    ----------
    value : float array of shape (n,)
        1, 0, or NaN where there is no label or none that counts.
    returned : bool array of shape (n,)
        Where anyone gave a label.
    open : bool array of shape (n,)
        Where annotators differ and nothing settles it: a third label or an adjudicator would.
    n_annotators : int array of shape (n,)
    """

    value: NDArray[np.float64]
    returned: NDArray[np.bool_]
    open: NDArray[np.bool_]
    n_annotators: NDArray[np.int64]


def adjudicate(labels: pd.DataFrame, item_id: ArrayLike, rule: str = "majority") -> Adjudicated:
    """Settle each record's label.

    Parameters
    ----------
    labels : DataFrame
        item_id, annotator, value (bool); one row an annotator and record.
    item_id : array of shape (n,)
        The records asked for.
    rule : {"majority", "unanimous"}
        "majority": what more than half of the annotators say; a tie stays open until a third label
        comes. "unanimous": any difference stays open. The adjudicator's label settles either.

    Raises
    ------
    ValueError
        If the rule is unknown.

    Examples
    --------
    >>> labels = pd.DataFrame(
    ...     {"item_id": ["a", "a", "b"], "annotator": ["x", "y", "x"], "value": [True, False, True]}
    ... )
    >>> found = adjudicate(labels, ["a", "b", "c"])
    >>> found.value.tolist(), found.open.tolist()
    ([nan, 1.0, nan], [True, False, False])
    """
    choice("rule", rule, RULES)
    wanted = pd.Index(np.asarray(item_id, dtype=object))
    settled = labels["annotator"] == ADJUDICATOR
    people = labels[~settled].groupby("item_id")["value"]
    share = people.mean().reindex(wanted).to_numpy(dtype=float)
    count = np.asarray(people.count().reindex(wanted, fill_value=0), dtype=np.int64)
    last = labels[settled].groupby("item_id")["value"].last().reindex(wanted)
    final = last.astype(float).to_numpy()
    differs = (share == 0.5) if rule == "majority" else (share > 0) & (share < 1)
    value = np.where(np.isnan(share) | differs, np.nan, (share > 0.5).astype(float))
    value = np.where(np.isnan(final), value, final)
    return Adjudicated(
        value=value,
        returned=(count > 0) | ~np.isnan(final),
        open=differs & np.isnan(final),
        n_annotators=count,
    )
