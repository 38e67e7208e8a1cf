"""The store's records through core.residuals, and the same from the terminal."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from core import failure_space
from core.__main__ import DONE, REFUSED, main
from core.failure_space import (
    FailureSpace,
    computed_by_part,
    joined_features,
    load_failure_space,
    with_computed,
)
from core.residuals.text_features import text_features
from core.store.database import open_database
from core.store.residual_records import load_texts
from core.store.tags import FAILURE_CLASS
from tests.core.residual_cohort import N, rows, write


@pytest.fixture(scope="module")
def database(tmp_path_factory) -> str:
    path = str(tmp_path_factory.mktemp("space") / "space.duckdb")
    with open_database(path) as db:
        write(db, rows())
        write(db, rows().assign(**{f"label:human:{one}": "" for one in "abc"}), "Unlabelled")
    return path


@pytest.fixture(scope="module")
def space(database) -> FailureSpace:
    with open_database(database, read_only=True) as db:
        return load_failure_space(db, "space", "J", computed=True)


def test_scored_and_missing_records_are_all_of_them(space) -> None:
    assert space.overview().n_scored + sum(space.missing().values()) == N
    assert space.overview().table["unknown"]["correct"] > 0


def test_features_computed_in_parts_are_those_of_all_at_once(monkeypatch) -> None:
    monkeypatch.setattr(failure_space, "PART", 70)
    frame = rows()
    # The first part has nothing to hold an answer against.
    frame.loc[frame.index < 80, ["reference", "evidence"]] = ""
    with open_database(":memory:") as db:
        write(db, frame)
        space = load_failure_space(db, "space", "J")
        parts = list(computed_by_part(db, space.records))
        texts = load_texts(db, "space", "J", "mode1")
    assert [len(part) for part in parts] == [70, 70, 70, 70, 20]
    assert "support words" not in parts[0]
    pd.testing.assert_frame_equal(joined_features(parts), text_features(texts))
    full = with_computed(space, joined_features(parts))
    assert full.families["support words"] == "evidence"
    assert full.features.shape[1] == space.features.shape[1] + parts[-1].shape[1]


def test_names_that_meet_are_told_apart() -> None:
    frame = rows().assign(
        **{
            "stratum:support [share]": "red",
            "stratum:answer words": "few",
            "feature:task:noise": 2,
            "feature:task:noise (task)": 3,
            "feature:task:answer words (computed)": 4,
            "feature:task:answer words": 5,
        }
    )
    with open_database(":memory:") as db:
        write(db, frame)
        space = load_failure_space(db, "space", "J", computed=True)
    assert space.features.columns.is_unique
    assert not set(space.features) & set(space.strata)
    assert "support [share] (stratum) = red" in set(space.lift()["stratum"])
    assert len(space.slices()) >= 0
    assert space.features.filter(regex=r"^answer words").shape[1] == 3


def test_class_of_failure_is_no_stratum(space) -> None:
    tagged = replace(space, strata=space.strata.assign(**{FAILURE_CLASS: "judge reasoning"}))
    assert set(tagged.columns()) == set(space.columns())
    assert len(tagged.slices()) == len(space.slices())


def test_features_are_imported_computed_and_the_uncertainty(space) -> None:
    names = set(space.features)
    assert {"support [share]", "constant", "noise", "uncertainty", "answer words"} <= names
    assert set(space.families) == names
    assert space.families["uncertainty"] == "judge output"


def test_every_stratum_of_the_table_selects_its_records(space) -> None:
    table = space.lift()
    scored = space.residuals.scored
    for row in table.itertuples():
        assert (space.inside(row.stratum) & scored).sum() == row.n, row.stratum
    assert "time-sensitive" in set(table["stratum"])
    assert any(name.startswith("support [share] ≤ ") for name in table["stratum"])
    with pytest.raises(ValueError, match="no stratum 'nothing'"):
        space.inside("nothing")


def test_pairs_cross_two_columns(space) -> None:
    table = space.lift(pair=("subject", "time-sensitive"))
    assert len(table) == 4
    assert table["stratum"].str.startswith("subject × time-sensitive = ").all()


def test_low_support_lifts_and_is_found_by_model_and_search(space) -> None:
    table = space.lift().set_index("stratum")
    lowest = [name for name in table.index if name.startswith("support [share] ≤")]
    assert table.loc[lowest[0], "lift"] > 1.3
    model = space.risk_model(["support [share]", "noise"])
    assert model.auroc > 0.6
    found = space.slices()
    assert found["slice"].str.contains("support").any()


def test_raters_are_the_ceiling(space) -> None:
    among, judge = space.agreement()
    assert among.n_annotators == 3
    assert among.n_items_twice == 40
    assert among.raw > judge.raw


def test_terminal_says_the_same(space, database, tmp_path, capsys) -> None:
    out = tmp_path / "strata.csv"
    command = ["residuals", "space", "--database", database, "--computed", "--model"]
    assert main([*command, "--json", "--out", str(out)]) == DONE
    answer = json.loads(capsys.readouterr().out)
    overview = space.overview()
    assert answer["overview"]["gap_low"] == overview.gap_low
    assert answer["not_scored"] == space.missing()
    lifts = {row["stratum"]: row["lift"] for row in answer["strata"]}
    assert lifts == dict(zip(space.lift()["stratum"], space.lift()["lift"], strict=True))
    assert answer["model"]["auroc"] > 0.6
    assert len(out.read_text().splitlines()) == 1 + len(lifts)
    assert main(command[:4]) == DONE
    assert f"Scored {overview.n_scored} of {N} records" in capsys.readouterr().err


def test_terminal_refuses_in_a_sentence(database, capsys) -> None:
    for command, words in (
        (["residuals", "unlabelled"], "at least one record"),
        (["residuals", "space", "--mode", "mode2"], "Known: 'mode1'"),
    ):
        assert main([*command, "--database", database]) == REFUSED
        assert words in capsys.readouterr().err


def test_meaning_of_unknown_moves_the_figures(database) -> None:
    with open_database(database, read_only=True) as db:
        found = {
            way: load_failure_space(db, "space", "J", unknown_as=way).overview()
            for way in ("wrong", "zero", "excluded")
        }
    assert found["wrong"].disagreements > found["zero"].disagreements
    assert found["excluded"].n_scored < found["zero"].n_scored
    assert np.isclose(found["zero"].disagreements, found["excluded"].disagreements)
