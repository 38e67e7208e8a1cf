"""Several annotators, one label."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from core.adjudication import ADJUDICATOR, adjudicate


def frame(*rows: tuple[str, str, bool]) -> pd.DataFrame:
    return pd.DataFrame(rows, columns=["item_id", "annotator", "value"])


LABELS = frame(
    ("a", "x", True), ("a", "y", True), ("a", "z", False),
    ("b", "x", True), ("b", "y", False),
    ("c", "x", False),
    ("d", "x", True), ("d", "y", False), ("d", ADJUDICATOR, False),
    ("e", "x", True), ("e", "y", True), ("e", ADJUDICATOR, False),
)  # fmt: skip
ASKED = ["a", "b", "c", "d", "e", "f"]


@pytest.mark.parametrize(
    ("rule", "value", "still_open"),
    [
        ("majority", [1, np.nan, 0, 0, 0, np.nan], [False, True, False, False, False, False]),
        ("unanimous", [np.nan, np.nan, 0, 0, 0, np.nan], [True, True, False, False, False, False]),
    ],
)
def test_rules(rule: str, value: list[float], still_open: list[bool]) -> None:
    found = adjudicate(LABELS, ASKED, rule)
    np.testing.assert_array_equal(found.value, value)
    assert found.open.tolist() == still_open
    assert found.returned.tolist() == [True] * 5 + [False]
    assert found.n_annotators.tolist() == [3, 2, 1, 2, 2, 0]


def test_a_third_label_settles_a_tie() -> None:
    more = pd.concat([LABELS, frame(("b", "z", False))])
    assert adjudicate(more, ["b"]).value.tolist() == [0.0]


def test_no_label_at_all() -> None:
    found = adjudicate(frame(), ["a"])
    assert np.isnan(found.value).all()
    assert not found.returned.any()
    with pytest.raises(ValueError, match="'rule' must be one of"):
        adjudicate(LABELS, ["a"], "third")
