"""The risk score as uncertainty: on records whose labels trained nothing."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from core.risk_score import with_risk_score
from core.store.database import open_database
from core.store.records import JudgedRecords, load_judged
from tests.core.residual_cohort import N, rows, write


@pytest.fixture(scope="module")
def store():
    with open_database(":memory:") as db:
        first = rows(unknown=False)
        write(db, pd.concat([first, first.assign(mode="mode2", uncertainty=0.5)]))
        yield db, load_judged(db, "space", "J")


def area(records: JudgedRecords) -> float:
    """Chance that a wrong verdict is less sure than a right one."""
    error, u = records.is_error1, records.uncertainty1
    wrong, right = u[error == 1], u[error == 0]
    return float((wrong[:, None] > right).mean() + (wrong[:, None] == right).mean() / 2)


def test_half_leaves_out_what_trained_and_keeps_questions_whole(store) -> None:
    db, judged = store
    found = with_risk_score(db, judged, "half")
    assert found.recorded.n == found.scored.n == N - found.n_trained
    assert abs(found.n_trained - judged.labelled.sum() / 2) <= 4
    np.testing.assert_array_equal(found.recorded.item_id, found.scored.item_id)
    np.testing.assert_array_equal(found.recorded.human, found.scored.human)
    left = set(judged.item_id) - set(found.recorded.item_id)
    labelled = set(judged.item_id[judged.labelled])
    questions = {one: int(one[1:]) // 2 for one in judged.item_id}
    trained = {questions[one] for one in left}
    assert not {questions[one] for one in labelled - left} & trained
    assert area(found.scored) > 0.6
    assert found.scored.n_questions == len({int(one[1:]) // 2 for one in found.scored.item_id})
    assert found.scored.uncertainty_kind1 == "risk score, half"
    assert not np.isnan(found.scored.uncertainty2[~np.isnan(found.scored.verdict2)]).any()


@pytest.mark.parametrize("way", ["half", "out-of-fold"])
def test_a_feature_that_holds_the_label_is_named(way: str) -> None:
    frame = rows(unknown=False)
    differs = frame["verdict"] != frame["label:human:a"]
    frame["feature:task:leak"] = differs.astype(float) + 0.001 * np.arange(N) / N
    with open_database(":memory:") as db:
        write(db, frame)
        found = with_risk_score(db, load_judged(db, "space", "J"), way)
    assert "Feature 'leak' alone ranks disagreement" in " ".join(found.notes)


def test_out_of_fold_keeps_every_record(store) -> None:
    db, judged = store
    found = with_risk_score(db, judged, "out-of-fold")
    assert (found.n_trained, found.scored.n) == (0, N)
    np.testing.assert_array_equal(np.isnan(found.scored.uncertainty1), np.isnan(judged.verdict1))
    assert area(found.scored) > area(judged) + 0.1


def test_the_labels_kept_have_no_part_in_the_score(store) -> None:
    db, judged = store
    before = with_risk_score(db, judged, "half")
    frame = rows(unknown=False)
    kept = frame["id"].isin(before.recorded.item_id)
    turned = {"true": "false", "false": "true", "": ""}
    for one in "abc":
        frame.loc[kept, f"label:human:{one}"] = frame.loc[kept, f"label:human:{one}"].map(turned)
    write(db, pd.concat([frame, frame.assign(mode="mode2", uncertainty=0.5)]), "Turned")
    after = with_risk_score(db, load_judged(db, "turned", "J"), "half")
    np.testing.assert_array_equal(after.scored.item_id, before.scored.item_id)
    np.testing.assert_array_equal(after.scored.uncertainty1, before.scored.uncertainty1)


def test_nothing_to_train_on_is_said(store) -> None:
    db, judged = store
    with pytest.raises(ValueError, match="'way' must be one of"):
        with_risk_score(db, judged, "all")
    frame = rows()[["id", "judge", "mode", "verdict", "label:human:a"]]
    write(db, frame, "Bare")
    with pytest.raises(ValueError, match="No feature of these records varies"):
        with_risk_score(db, load_judged(db, "bare", "J"), "half")
