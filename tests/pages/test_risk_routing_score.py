"""The risk model's score as uncertainty on the Risk & routing page."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pandas as pd
import pytest

from core.jobs import RoutingRequest, run_routing
from core.risk_score import with_risk_score
from core.store.database import Database
from core.store.records import load_judged
from tests.pages.stability_app import small_store
from tests.pages.test_risk_routing import N, add, open_page, rows, tiles, tip, words_of


@pytest.fixture
def db(monkeypatch: pytest.MonkeyPatch) -> Iterator[Database]:
    with small_store(monkeypatch) as store:
        yield store


def telling(**options: bool) -> pd.DataFrame:
    """Uncertainties that say nothing, beside a feature that does."""
    frame = rows(**options)
    frame["feature:evidence:support"] = frame["uncertainty"]
    noise = np.random.default_rng(3).random((2, N)).round(4)
    return frame.assign(uncertainty=noise[0], uncertainty2=noise[1])


def options(at) -> list[str]:
    return [one.label for one in at.selectbox]


def test_without_features_there_is_nothing_to_choose(db: Database) -> None:
    add(db, "Mine", rows())
    assert "Uncertainty" not in options(open_page(score="half"))


def test_half_of_the_labels_train_and_are_left_out(db: Database) -> None:
    cohort = add(db, "Mine", telling(), telling().assign(judge="two"))
    recorded = tiles(open_page())["Coverage"]
    at = open_page(score="half")
    judged = load_judged(db, cohort, "one")
    found = with_risk_score(db, judged, "half")
    run = run_routing(found.scored, RoutingRequest(0.2, 0.05))
    assert run.policy.accepts
    assert tiles(at)["Coverage"][0] == f"{run.coverage:.1%}" != recorded[0]
    assert f"{run.n:,}" in tiles(at)["Coverage"][1]
    said = words_of(at)
    assert f"{N // 2:,} of {N:,} labelled records trained the risk score" in said
    assert "Guaranteed with 95% confidence" in said
    assert "risk score as uncertainty" in said
    assert "Judges are compared by the uncertainties they record" in said
    assert "left out below" in said


def test_out_of_fold_promises_nothing(db: Database) -> None:
    add(db, "Mine", telling())
    at = open_page(score="out-of-fold")
    said = words_of(at)
    assert "Not a guarantee" in said
    assert "let half of the labelled records train the score" in said
    assert "guarantee" in tip(at, "Risk")
    assert f"of {N:,}" in tiles(at)["Coverage"][1]


def test_what_cannot_be_trained_gets_a_sentence_and_the_recorded_uncertainty(db: Database) -> None:
    add(db, "Mine", rows(unsure=False).assign(**{"feature:task:constant": 1}))
    at = open_page(score="half")
    assert "No feature of these records varies" in at.warning[0].value
    assert "Shown as recorded." in at.warning[0].value
    assert "risk score as uncertainty" not in words_of(at)


def test_a_choice_on_the_other_page_is_kept_where_both_have_it(db: Database) -> None:
    add(db, "Mine", telling())
    at = open_page(score="half")
    at.switch_page("pages/stability/page.py").run()
    assert not at.exception
    assert not at.warning
    at = open_page(score="features")
    assert not at.warning
