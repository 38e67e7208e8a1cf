"""What rows state, as keys and values, so that repetitions and contradictions can be found."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np
import pandas as pd

from core.store.problems import shorten
from core.store.rows import Codes, Mask, Rows, codes, combine, first_of, is_first

ITEM_FIELDS: Final = ("question", "answer", "candidate", "reference")

_ABOUT: Final = {
    "verdicts": "verdict by",
    "labels": "label by",
    "features": "feature",
    "strata": "stratum",
}


@dataclass(frozen=True, eq=False)
class Part:
    """Statements of one kind, one for each row in `row`.

    `names` and `values` are columns over all rows. An item and its `names` are the key; two rows
    that state different values for one key contradict each other.
    """

    table: str
    column: str
    row: Codes
    names: dict[str, pd.Series]
    values: dict[str, pd.Series]

    def key(self, item: Codes, chosen: Codes) -> Codes:
        """Codes of the keys of the chosen rows."""
        return combine(item[chosen], *(codes(name.iloc[chosen]) for name in self.names.values()))

    def content(self, chosen: Codes) -> Codes:
        """Codes of what the chosen rows state."""
        return combine(*(codes(value.iloc[chosen]) for value in self.values.values()))


def item_parts(rows: Rows) -> list[Part]:
    """Question, answer, candidate, reference: a row may leave out what another one says."""
    parts = []
    for name in ITEM_FIELDS:
        column = getattr(rows.mapping, name)
        if column is not None:
            row = np.flatnonzero(rows.filled(column))
            parts.append(Part("items", column, row, {}, {name: rows.text(column)}))
    return parts


def label_parts(rows: Rows) -> list[Part]:
    """Labels, by source and annotator."""
    parts = []
    given = rows.text(rows.mapping.annotator)
    for label in rows.mapping.labels:
        value = rows.truth(label.column)
        annotator = rows.constant(label.annotator)
        if rows.mapping.annotator is not None:
            annotator = given.fillna(label.annotator)
        names = {"source": rows.constant(label.source), "annotator": annotator}
        row = np.flatnonzero(value.notna())
        parts.append(Part("labels", label.column, row, names, {"value": value}))
    return parts


def feature_parts(rows: Rows) -> list[Part]:
    """Features, by family and name."""
    parts = []
    for feature in rows.mapping.features:
        value = pd.Series(rows.numbers(feature.column))
        names = {"family": rows.constant(feature.family), "name": rows.constant(feature.name)}
        row = np.flatnonzero(value.notna())
        parts.append(Part("features", feature.column, row, names, {"value": value}))
    return parts


def stratum_parts(rows: Rows) -> list[Part]:
    """Strata, by name."""
    return [
        Part(
            "strata",
            stratum.column,
            np.flatnonzero(rows.filled(stratum.column)),
            {"name": rows.constant(stratum.name)},
            {"value": rows.text(stratum.column)},
        )
        for stratum in rows.mapping.strata
    ]


def report_conflicts(rows: Rows, part: Part, ids: pd.Series, item: Codes, usable: Mask) -> None:
    """List every row of a group that states different values for one key.

    Which of them is right can't be known, so none is kept.
    """
    chosen = part.row[usable[part.row]]
    key = part.key(item, chosen)
    if key.max(initial=-1) + 1 == len(key):
        return
    content = part.content(chosen)
    head = first_of(key)
    differs = content != content[head]
    groups = np.unique(key[differs])
    if not len(groups):
        return
    members = np.flatnonzero(np.isin(key, groups))
    other: dict[int, int] = {}
    for place in np.flatnonzero(differs):
        other.setdefault(int(key[place]), int(place))
    for place in members:
        one, two = chosen[head[place]], chosen[other[int(key[place])]]
        names = " ".join(repr(str(name.iloc[one])) for name in part.names.values())
        about = f"{_ABOUT.get(part.table) or next(iter(part.values))} {names}".strip()
        message = (
            f"{rows.where(one)} and {rows.where(two)} contradict each other about the {about} of "
            f"item {shorten(ids.iloc[one])!r}"
        )
        value = shorten(rows.text(part.column).iloc[chosen[place]])
        rows.add(int(chosen[place]), part.column, value, message, "error")
    rows.bad[chosen[members]] = True
    name = "conflicting_duplicates"
    rows.counts[name] = rows.counts.get(name, 0) + len(groups)


def count_duplicates(rows: Rows, item: Codes) -> int:
    """Usable rows that repeat an earlier one in every mapped column."""
    chosen = np.flatnonzero(~rows.bad)
    if not len(chosen):
        return 0
    times = np.bincount(item[chosen])
    chosen = chosen[times[item[chosen]] > 1]
    if not len(chosen):
        return 0
    columns = [codes(rows.text(column).iloc[chosen]) for column in rows.mapping.columns()]
    return int((~is_first(combine(item[chosen], *columns))).sum())


def table_frame(
    columns: tuple[str, ...], parts: list[Part], ids: pd.Series, item: Codes, good: Mask
) -> pd.DataFrame:
    """A row for each key, from the rows without an error."""
    pieces = []
    for part in parts:
        chosen = part.row[good[part.row]]
        chosen = chosen[is_first(part.key(item, chosen))]
        cells = {"item_id": ids, **part.names, **part.values}
        pieces.append(
            pd.DataFrame(
                {name: cells[name].iloc[chosen].reset_index(drop=True) for name in columns}
            )
        )
    if not pieces:
        return pd.DataFrame({name: pd.Series(dtype="str") for name in columns})
    frame = pieces[0] if len(pieces) == 1 else pd.concat(pieces, ignore_index=True)
    if parts[0].table == "labels":
        frame["value"] = frame["value"].astype("boolean")
    if parts[0].table == "verdicts":
        frame["verdict"] = frame["verdict"].astype("boolean")
    return frame


def item_frame(
    rows: Rows, parts: list[Part], ids: pd.Series, item: Codes, good: Mask
) -> pd.DataFrame:
    """A row for each item, in the order in which files name them first."""
    chosen = np.flatnonzero(good)
    head = chosen[is_first(pd.factorize(item[chosen])[0])]
    frame = pd.DataFrame({"item_id": ids.iloc[head].reset_index(drop=True)})
    for name in ITEM_FIELDS:
        # For each item the row that states the field; −1 takes the missing cell at the end.
        stating = np.full(int(item.max(initial=-1)) + 1, -1, dtype=np.int64)
        cells = rows.constant(None)
        for part in parts:
            if name in part.values:
                cells = part.values[name]
                stated = part.row[good[part.row]][::-1]
                stating[item[stated]] = stated
        padded = pd.concat([cells, pd.Series([None], dtype="str")], ignore_index=True)
        frame[name] = padded.iloc[stating[item[head]]].reset_index(drop=True)
    return frame
