"""A mapping that can't be carried out is refused."""

from __future__ import annotations

from typing import Any

import pytest

from core.store.imports import (
    FeatureColumn,
    LabelColumn,
    Mapping,
    StratumColumn,
    guess_mapping,
    prepare,
    read_records,
)

COLUMNS = ["id", "v", "v2", "u", "h"]


def test_mapping_replace_roles_and_columns() -> None:
    mapping = Mapping(id="id", verdict="v").replace(
        uncertainty="u", labels=(LabelColumn("h"), LabelColumn("v", "auto"))
    )
    assert mapping.roles() == {"id": "id", "verdict": "v", "uncertainty": "u"}
    assert mapping.columns() == ["id", "v", "u", "h"]
    with pytest.raises(TypeError):
        mapping.replace(no_such_role="x")


@pytest.mark.parametrize(
    ("mapping", "message"),
    [
        ({"verdict": "w"}, "'mapping' must name columns of the file; got 'w'. Columns: 'id', 'v'"),
        ({"uncertainty_as": "entropy"}, "'uncertainty_as' must be one of .*; got 'entropy'"),
        ({"judge_kind_name": "human"}, "'judge_kind_name' must be one of .*; got 'human'"),
        ({"judge_name": ""}, "'judge_name' must be a name; got ''"),
        ({"mode_name": ""}, "'mode_name' must be a name; got ''"),
        ({"mode": "u", "verdict2": "v2"}, "'mode' must be empty where 'verdict2' is mapped"),
        ({"id": None, "mode": "u"}, "'id' must be a column where 'mode' is mapped; got None"),
        ({"labels": (LabelColumn("v"),)}, "must not repeat the verdict's column; got 'v'"),
        (
            {"labels": (LabelColumn("h"), LabelColumn("u"))},
            "'labels' must have a name for each column; got 'human 1' twice",
        ),
        (
            {
                "labels": (LabelColumn("h"), LabelColumn("u", annotator="anna")),
                "annotator": "v2",
            },
            "'labels' must have a name for each column; got 'human' twice",
        ),
        ({"labels": (LabelColumn("h", ""),)}, "must have names that aren't empty"),
        (
            {"features": (FeatureColumn("u", "f", "n"), FeatureColumn("h", "f", "n"))},
            "'features' must have a name for each column; got 'f n' twice",
        ),
        ({"strata": (StratumColumn("h", ""),)}, "'strata' must have names that aren't empty"),
        ({"verdict2": "v"}, "'verdict2' must be another column than 'verdict'; got 'v' for both"),
        ({"verdict2": "v2", "mode_name": "2"}, "'mode_name' must not be Mode 2 .*; got '2'"),
    ],
)
def test_mapping_check_refuses(mapping: dict[str, Any], message: str) -> None:
    whole = Mapping(**{"id": "id", "verdict": "v", **mapping})
    with pytest.raises(ValueError, match=message):
        whole.check(COLUMNS)


def test_a_file_in_which_nothing_is_recognised_is_refused() -> None:
    raw = read_records([("x.csv", b"foo,bar\n1,2\n")])
    for mapping in (guess_mapping(raw), Mapping(id="foo"), Mapping(candidate="bar")):
        with pytest.raises(
            ValueError, match=r"No column of this file plays a role: .* Columns: 'foo', 'bar'\."
        ):
            prepare(raw, mapping)
    for role in ("verdict", "question", "answer"):
        assert len(prepare(raw, Mapping(id="foo", **{role: "bar"})).items) == 1
