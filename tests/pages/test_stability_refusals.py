"""What the Stability page says where it can show nothing, and the way on from there."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from core.store.database import Database
from tests.pages.stability_app import N, add, open_page, rows, small_store, words_of


@pytest.fixture
def db(monkeypatch: pytest.MonkeyPatch) -> Iterator[Database]:
    with small_store(monkeypatch) as store:
        yield store


@pytest.mark.parametrize(
    ("link", "title", "hint"),
    [
        ({"view": "sensitivity", "vary": "labels"}, "one label source", "`answer` and `reference`"),
        ({"view": "sensitivity", "vary": "depth"}, "one retrieval depth only", "`mode2:k=6`"),
        ({"view": "scores"}, "no numeric features", "`feature:<family>:<name>`"),
        ({"view": "drift"}, "one snapshot of Mode 2 only", "`mode2:t1`"),
    ],
)
def test_view_without_its_columns_says_what_to_import(
    db: Database, link: dict[str, str], title: str, hint: str
) -> None:
    add(db, "Mine", rows())
    at = open_page(**link)
    said = words_of(at)
    assert title in said
    assert hint in said
    assert not at.get("plotly_chart")
    at.button[0].click().run()
    assert at.title[0].value == "Data"


@pytest.mark.parametrize("view", ["splits", "truth", "sensitivity", "retrieval"])
def test_records_without_labels_are_refused_or_say_so(db: Database, view: str) -> None:
    add(db, "Mine", rows(labelled=0))
    at = open_page(view=view)
    assert "No record has a label, so no verdict can be checked" in words_of(at)
    at.button(key="stability_import").click().run()
    assert at.title[0].value == "Data"


def test_too_few_labels_are_refused_with_the_number_needed(db: Database) -> None:
    add(db, "Mine", rows(labelled=21))
    said = words_of(open_page())
    assert f"Only 21 of {N} records have a label" in said
    assert "11 are needed there, so 22 in all" in said
    assert "No combination has enough labelled records" in words_of(open_page(view="judges"))


@pytest.mark.parametrize("view", ["baselines", "retrieval", "drift"])
def test_views_of_mode_2_are_refused_without_it(db: Database, view: str) -> None:
    add(db, "Mine", rows(modes=("mode1",)))
    assert "Mode 2 has no scored record" in words_of(open_page(view=view))


@pytest.mark.parametrize("view", ["splits", "truth", "drift"])
def test_a_judge_without_uncertainty_is_refused(db: Database, view: str) -> None:
    add(db, "Mine", rows().assign(uncertainty=""))
    at = open_page(view=view)
    assert "one never says how unsure it is" in words_of(at)
    assert not at.get("plotly_chart")
    at.button(key="stability_import").click().run()
    assert at.title[0].value == "Data"


def test_splits_without_mode_2_say_that_the_pair_is_mode_1(db: Database) -> None:
    add(db, "Mine", rows(modes=("mode1",)))
    at = open_page()
    assert "the pair is Mode 1 alone" in words_of(at)
    assert set(at.dataframe[0].value["Mode 2"]) == {"0%"}


def test_all_candidates_are_named_as_dependent(db: Database) -> None:
    add(db, "Mine", rows(), rows(candidate="large"))
    at = open_page(candidate="*")
    assert f"{2 * N} records share {N} questions" in words_of(at)
