"""Flagged spans: pairs, objects and texts, and what can't be found."""

from __future__ import annotations

import json
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.store.spans import read_spans

ANSWER = "The Nile is long. The Nile is old."


@pytest.mark.parametrize(
    ("cell", "spans", "lost"),
    [
        ("[]", [], []),
        ("[[0, 3], [12, 17.0]]", [(0, 3), (12, 17)], []),
        ("[[4, 8], [0, 5], [8, 9]]", [(0, 9)], []),
        ('[{"start": 4, "end": 8, "text": "Nile"}]', [(4, 8)], []),
        ('[{"text": "long"}, "Nile"]', [(4, 8), (12, 16), (22, 26)], []),
        ('"old"', [(30, 33)], []),
        ("old", [(30, 33)], []),
        ('["short", ""]', [], ["short", ""]),
        ("[[3, 3], [5, 2], [-1, 2], [0, 99], [0.5, 2], [true, 2], [1]]", [],
         ["[3, 3]", "[5, 2]", "[-1, 2]", "[0, 99]", "[0.5, 2]", "[true, 2]", "[1]"]),
        ('[null, 7, {"end": 4}]', [], ["null", "7", '{"end": 4}']),
        ("[[0, 3]", [], ["[[0, 3]"]),
        ("[[0, NaN], [0, Infinity]]", [], ["[0, NaN]", "[0, Infinity]"]),
    ],
)  # fmt: skip
def test_reads_what_judges_write(cell: str, spans: list[tuple[int, int]], lost: list[str]) -> None:
    assert read_spans(cell, ANSWER) == (spans, lost)


def test_a_cell_nested_too_deeply_is_lost_not_a_crash() -> None:
    cell = "[" * 100_000
    assert read_spans(cell, ANSWER) == ([], [cell])


@given(st.text(max_size=30), st.lists(st.tuples(st.integers(0, 30), st.integers(0, 30))))
def test_characters_marked_are_those_of_the_pairs(
    answer: str, pairs: list[tuple[int, int]]
) -> None:
    spans, lost = read_spans(json.dumps(pairs), answer)
    good = [(a, b) for a, b in pairs if a < b <= len(answer)]
    marked = {at for start, end in spans for at in range(start, end)}
    assert marked == {at for start, end in good for at in range(start, end)}
    assert len(lost) == len(pairs) - len(good)
    assert all(one[1] < two[0] for one, two in pairwise(spans))
