"""Parts of an answer that a judge flags."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator
from typing import Any

Span = tuple[int, int]


def read_spans(cell: str, answer: str) -> tuple[list[Span], list[str]]:
    """Read a cell of flagged spans.

    Parameters
    ----------
    cell : str
        A JSON list of pairs [start, end], of objects with ``start`` and ``end`` (characters from
        0, the end left out), of objects with a ``text``, or of texts.
    answer : str
        What the spans are of.

    Returns
    -------
    spans : list of (start, end)
        In the order of the answer; those that meet are joined.
    lost : list of str
        What isn't a part of the answer, as the cell has it.

    Examples
    --------
    >>> read_spans('[[0, 3], "is", {"start": 9, "end": 99}]', "The Nile is long")
    ([(0, 3), (9, 11)], ['{"start": 9, "end": 99}'])
    """
    try:
        listed = json.loads(cell)
    except (ValueError, RecursionError):
        listed = [cell]
    found: list[Span] = []
    lost: list[str] = []
    for one in listed if isinstance(listed, list) else [listed]:
        places = list(_places(one, answer))
        found += places
        if not places:
            lost.append(one if isinstance(one, str) else json.dumps(one, ensure_ascii=False))
    return _joined(found), lost


def _places(one: Any, answer: str) -> Iterator[Span]:
    """Where an entry is in the answer; a text is wherever it occurs."""
    if isinstance(one, dict):
        ends = [one.get("start"), one.get("end")]
        one = ends if None not in ends else one.get("text")
    if isinstance(one, list) and len(one) == 2 and all(map(_whole, one)):
        start, end = (int(place) for place in one)
        if 0 <= start < end <= len(answer):
            yield start, end
    elif isinstance(one, str) and one.strip():
        at = answer.find(one)
        while at >= 0:
            yield at, at + len(one)
            at = answer.find(one, at + len(one))


def _whole(value: Any) -> bool:
    return (
        isinstance(value, (int, float))
        and not isinstance(value, bool)
        and math.isfinite(value)
        and value == int(value)
    )


def _joined(spans: list[Span]) -> list[Span]:
    joined: list[Span] = []
    for start, end in sorted(spans):
        if joined and start <= joined[-1][1]:
            joined[-1] = joined[-1][0], max(end, joined[-1][1])
        else:
            joined.append((start, end))
    return joined
