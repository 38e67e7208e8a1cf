"""What the Risk & routing page says of choices: judges, candidates, modes, and what is gone."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pandas as pd
import pytest

from core.store.database import Database
from core.store.exports import to_csv
from core.store.records import delete_cohort, get_cohort
from pages.components import cached, downloads, risk_panels
from tests.pages import test_risk_routing as shared
from tests.pages.test_risk_routing import N, add, open_page, rows, tiles, words_of

db = shared.db


def test_star_in_an_old_link_is_all_candidates(db: Database) -> None:
    add(db, "Mine", rows(), rows(candidate="large"))
    at = open_page(candidate="*")
    assert not at.warning
    assert at.selectbox(key="risk_candidate").value == "all"


def asking_again(n: int) -> pd.DataFrame:
    frame = rows()
    frame.loc[: n - 1, "question"] = "The same question?"
    return frame


def test_repeated_questions_cost_the_guarantee_whatever_the_candidate(db: Database) -> None:
    add(db, "Few", asking_again(40))
    add(db, "Many", asking_again(400))
    few, many = (words_of(open_page(alpha="0.15", cohort=name)) for name in ("few", "many"))
    assert "Guaranteed with 95% confidence" in few
    assert "39 records repeat another's question" in few
    assert "Guaranteed" not in many
    assert f"{N:,} records share {N - 399:,} questions" in many


def test_judge_without_mode_2_avoids_no_retrievals(db: Database) -> None:
    add(db, "Mine", rows().drop(columns=["verdict2", "uncertainty2"]))
    at = open_page(alpha="0.3")
    assert tiles(at)["Coverage"][0] != "0%"
    assert tiles(at)["Retrievals avoided"] == ("–", "no Mode 2")


@pytest.mark.parametrize(
    ("thresholds", "share2", "title"),
    [
        ((0.2, 0.3), 0.25, "Evidence settles 25.0% that Mode 1 can't"),
        ((None, 0.3), 0.25, "Mode 2 decides 25.0%, Mode 1 is not used"),
        ((0.2, None), 0.0, "Mode 1 decides 60.0% of records alone"),
        ((None, None), 0.0, "Every record goes to a person"),
    ],
)
def test_plane_title_says_which_modes_are_used(
    thresholds: tuple[float | None, float | None], share2: float, title: str
) -> None:
    policy = SimpleNamespace(
        threshold1=thresholds[0], threshold2=thresholds[1], accepts=thresholds != (None, None)
    )
    run: Any = SimpleNamespace(policy=policy, share2=share2, coverage=0.6)
    assert risk_panels._plane_title(run) == title


@pytest.mark.parametrize("among", range(1, 12))
@pytest.mark.parametrize("delta", [0.05, 0.01, 0.25, 0.001])
def test_shares_of_delta_never_sum_to_more(among: int, delta: float) -> None:
    share = risk_panels._shared(delta, among)
    assert share * among <= delta * (1 + 1e-12)
    assert share * among >= 0.99 * delta


def test_delta_shared_among_judges_is_read_back_from_a_link(db: Database) -> None:
    add(db, "Mine", rows())
    at = open_page(delta="0.00025")
    assert not at.warning
    assert at.select_slider(key="risk_delta").value == 0.00025


def test_download_of_a_deleted_cohort_is_a_sentence(db: Database) -> None:
    cohort = add(db, "Mine", rows())
    judged = cached.records(get_cohort(db, cohort), "one", None)
    delete_cohort(db, cohort)
    made = downloads._deferred(lambda: cached.all_texts(judged, ["small-0001"]), to_csv)()
    assert b"can't be made" in made
