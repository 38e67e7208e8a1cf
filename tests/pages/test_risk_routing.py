"""The Risk & routing page as a person meets it: empty, normal, refused, wrongly linked."""

from __future__ import annotations

import io
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
import streamlit as st
from streamlit.testing.v1 import AppTest

from core.jobs import RoutingRequest, routed_table, run_routing
from core.store.database import Database, DatabaseLockedError
from core.store.imports import guess_mapping, prepare, read_records, write_cohort
from core.store.records import get_cohort, load_judged
from pages.components import cached, record_browser, words

ROOT = Path(__file__).resolve().parents[2]
N = 1_500


@pytest.fixture
def db(monkeypatch: pytest.MonkeyPatch) -> Iterator[Database]:
    """A store of its own without the samples, as the page will open it."""
    monkeypatch.setenv("ASSAY_DATABASE", ":memory:")
    monkeypatch.setenv(cached.NO_SAMPLES, "1")
    st.cache_resource.clear()
    st.cache_data.clear()
    yield cached.database()
    st.cache_resource.clear()
    st.cache_data.clear()


def rows(
    *,
    judge: str = "one",
    kind: str = "model",
    candidate: str = "small",
    unsure: bool = True,
    wrong: float = 0.4,
    labels: bool = True,
) -> pd.DataFrame:
    """A judge whose errors rise with its uncertainty, less so with evidence."""
    rng = np.random.default_rng(7)
    label = rng.random(N) < 0.5
    frame: dict[str, Any] = {
        "id": [f"{candidate}-{i:04d}" for i in range(N)],
        "question": [f"Question {i}?" for i in range(N)],
        "answer": [f"Answer {i}" for i in range(N)],
        "candidate": candidate,
        "judge": judge,
        "judge_kind": kind,
    }
    if labels:
        frame["label"] = label
    for suffix, share in (("", wrong), ("2", wrong / 2)):
        u = rng.random(N)
        frame[f"verdict{suffix}"] = label ^ (rng.random(N) < 2 * share * u)
        frame[f"uncertainty{suffix}"] = np.round(u, 5) if unsure else ""
    return pd.DataFrame(frame)


def add(db: Database, name: str, *parts: pd.DataFrame) -> str:
    text = io.StringIO()
    pd.concat(parts).to_csv(text, index=False)
    raw = read_records([(f"{name}.csv", text.getvalue().encode())])
    return write_cohort(db, prepare(raw, guess_mapping(raw)), name, source="a test").cohort_id


def open_page(**link: str) -> AppTest:
    at = AppTest.from_file(str(ROOT / "app.py"), default_timeout=60)
    for name, value in link.items():
        at.query_params[name] = value
    at.run()
    assert not at.exception
    return at


def tiles(at: AppTest) -> dict[str, tuple[str, str]]:
    return {tile.label.split("} ")[-1]: (tile.value, tile.delta) for tile in at.metric}


def tip(at: AppTest, label: str) -> str:
    return next(str(tile.proto.help) for tile in at.metric if tile.label == label)


def charts(at: AppTest) -> list[Any]:
    return [chart.proto for chart in at.get("plotly_chart")]


def figure(at: AppTest, key: str) -> dict:
    return json.loads(next(chart.spec for chart in charts(at) if key in chart.id))


def words_of(at: AppTest) -> str:
    """Everything the page says, figures included."""
    said = [one.value for one in [*at.markdown, *at.caption, *at.subheader, *at.info]]
    said += [f"{tile.label} {tile.value} {tile.delta}" for tile in at.metric]
    for chart in charts(at):
        said += [json.dumps(json.loads(chart.spec), ensure_ascii=False), chart.alt]
    said += [table.value.to_string() for table in at.table]
    return "\n".join(said)


def test_empty_store_says_what_will_show_and_how_to_get_there(db: Database) -> None:
    at = open_page()
    assert at.title[0].value == "Risk & routing"
    assert "how many records a judge can decide" in words_of(at)
    at.button(key="empty_import").click().run()
    assert not at.exception
    assert at.title[0].value == "Data"


def test_normal_page_agrees_with_the_same_job_done_by_hand(db: Database) -> None:
    cohort = add(db, "Mine", rows(), rows(judge="two", wrong=0.3))
    at = open_page(alpha="0.12")
    judged = load_judged(db, cohort, "one")
    run = run_routing(judged, RoutingRequest(0.12, 0.05))
    assert run.policy.accepts
    shown = tiles(at)
    assert shown["Coverage"] == (
        f"{run.coverage:.1%}",
        f"{round(run.coverage * N):,} of {N:,}",
    )
    assert shown["Risk"][0] == f"{run.policy.errors / run.policy.accepted:.1%}"
    assert shown["Risk"][1] == f"{run.policy.errors:,} of {run.policy.accepted:,} tested"
    assert f"bound {words.bound(run.policy.risk_upper)}" in tip(at, "Risk")
    assert shown["Mode 2"][1] == f"{round(run.share2 * N):,} records"
    said = words_of(at)
    assert "Guaranteed with 95% confidence" in said
    assert f"Of the {run.coverage:.1%} it decides, at most 12% are wrong" in said
    assert f"Scored {N:,} of {N:,} records" in said
    assert f"{N:,} of {N:,} have a label (human)" in said
    assert "Choosing the best of these 2 after looking needs δ / 2, here 2.5%." in said
    assert f"Mode 1 and 2: {N:,} labelled; Both: {run.policy.n_tested:,} tested" in said
    assert f"of {run.policy.accepted:,} tested wrong" in said
    assert "Simulated" not in said
    assert "simulated" not in said
    assert [len(table.value) for table in at.table] == [3, 2]


def test_slider_changes_the_page_and_keeps_the_rest(db: Database) -> None:
    add(db, "Mine", rows())
    at = open_page(alpha="0.12", mode="2")
    before = tiles(at)
    at.select_slider(key="risk_alpha").set_value(0.25).run()
    assert not at.exception
    assert tiles(at)["Coverage"] != before["Coverage"]
    assert at.segmented_control(key="risk_mode").value == "2"
    assert tiles(at)["Mode 1"][0] == "0%"


def test_bad_link_is_named_and_mended(db: Database) -> None:
    add(db, "Mine", rows())
    at = open_page(alpha="7", delta="abc", mode="3", cohort="gone", judge="nobody", prefer="x")
    text = at.warning[0].value
    for name in ("alpha", "delta", "mode", "cohort", "judge", "prefer"):
        assert f"**{name}** in the link" in text
    assert at.select_slider(key="risk_alpha").value == 0.2
    assert at.select_slider(key="risk_delta").value == 0.05


def test_preference_that_the_certificate_does_not_have_is_mended(db: Database) -> None:
    add(db, "Mine", rows())
    at = open_page(certificate="bonferroni", prefer="retrieval")
    assert "**prefer** in the link" in at.warning[0].value
    assert at.selectbox(key="risk_certificate").value == "bonferroni"


def test_value_between_the_steps_is_used_as_it_is(db: Database) -> None:
    add(db, "Mine", rows())
    at = open_page(alpha="0.1234")
    assert not at.warning
    assert "target α = 12.34%" in words_of(at)


def test_refusal_says_why_and_offers_what_works(db: Database) -> None:
    add(db, "Mine", rows(), rows(judge="better", wrong=0.02))
    at = open_page(alpha="0.02", judge="one")
    said = words_of(at)
    assert "Nothing can be accepted" in said
    assert "No threshold can be shown to keep risk at or below 2%" in said
    assert "allowed at α = 2%" in said
    assert tiles(at)["Risk"] == ("–", "none accepted")
    assert tiles(at)["To a person"] == ("100%", f"{N:,} records")
    offered = {button.key: button.label for button in at.button}
    paid = "Use better at δ = 2.5%, which pays for choosing among 2 judges; it decides "
    assert offered["risk_use_judge"].startswith(paid)
    assert "not paid for" in at.button(key="risk_set_alpha").help
    assert set(at.table[0].value["Upper bound"]) == {words.DASH}
    assert "The true risk" not in said  # of no certificate in the comparison
    assert "risk_more_labels" not in offered  # every record has one
    smallest = at.button(key="risk_set_alpha").label.split("%")[0].removeprefix("Set α to ")
    at.button(key="risk_set_alpha").click().run()
    assert not at.exception
    assert at.select_slider(key="risk_alpha").value == pytest.approx(float(smallest) / 100)
    assert "Guaranteed with 95% confidence" in words_of(at)


def test_offered_judge_is_taken(db: Database) -> None:
    add(db, "Mine", rows(), rows(judge="better", wrong=0.02))
    at = open_page(alpha="0.02", judge="one")
    at.button(key="risk_use_judge").click().run()
    assert not at.exception
    assert at.selectbox(key="risk_judge").value == "better"
    assert at.select_slider(key="risk_delta").value == 0.025  # the choice of two is paid for
    assert tiles(at)["Coverage"][0] != "0%"


def test_pointwise_never_promises(db: Database) -> None:
    add(db, "Mine", rows())
    at = open_page(certificate="pointwise", alpha="0.12")
    said = words_of(at)
    assert "Not a guarantee" in said
    assert "were wrong in this sample" in said
    assert "No guarantee for the thresholds chosen" in said
    assert "no guarantee" in tip(at, "Risk")
    assert "Fixed sequence.** The true risk" in said
    drawn = "".join(chart.spec + chart.alt for chart in charts(at))
    for word in ("Guaranteed", "at most", "bound", "certified"):
        assert word not in drawn
        assert word not in at.subheader[0].value
    assert "Guaranteed" not in said


def test_judge_without_uncertainty_decides_nothing(db: Database) -> None:
    add(db, "Mine", rows(unsure=False))
    at = open_page(alpha="0.5")
    said = words_of(at)
    assert "No record has both a verdict and an uncertainty" in said
    assert "there is no curve to draw" in said
    assert "there is no plane to draw" in said
    assert f"Scored 0 of {N:,} records" in said
    offered = {button.key: button.label for button in at.button}
    assert offered["risk_more_labels"] == "Import an uncertainty column"
    assert "No target up to 50% works with this judge" in said
    assert tiles(at)["Coverage"] == ("0%", f"0 of {N:,}")
    at.button(key="risk_more_labels").click().run()
    assert not at.exception
    assert at.segmented_control(key="data_view").value == "add"


def test_records_without_labels_are_refused_with_the_reason(db: Database) -> None:
    add(db, "Mine", rows(labels=False))
    at = open_page()
    assert at.button(key="risk_more_labels").label == "Import more labels"
    said = words_of(at)
    assert "No record has a label, so no verdict can be checked" in said
    assert f"0 of {N:,} have a label" in said
    assert "Guaranteed" not in said


def test_missing_verdicts_are_counted_and_stay_in_n(db: Database) -> None:
    gaps = rows()
    gaps = gaps.astype(str)
    gaps.loc[:99, ["verdict", "uncertainty"]] = ""
    gaps.loc[:9, "verdict2"] = "perhaps"
    add(db, "Mine", gaps)
    at = open_page(alpha="0.2")
    assert set(at.dataframe[0].value["verdict2"][:10]) == {"no verdict"}
    assert "perhaps" in at.dataframe[0].value["explanation2"][0]
    said = words_of(at)
    assert f"Scored {N - 100:,} of {N:,} records in Mode 1, {N - 10:,} of {N:,} in Mode 2" in said
    assert tiles(at)["Coverage"][1].endswith(f"of {N:,}")


def test_candidates_of_the_same_questions_are_one_by_one_or_without_guarantee(
    db: Database,
) -> None:
    add(db, "Mine", rows(), rows(candidate="large"))
    at = open_page(alpha="0.12")
    assert at.selectbox(key="risk_candidate").value == "small"
    assert "Guaranteed" in words_of(at)
    at.selectbox(key="risk_candidate").set_value("all").run()
    said = words_of(at)
    assert f"{2 * N:,} records share {N:,} questions" in said
    assert "For a guarantee choose one candidate." in said
    assert "Not a guarantee" in said
    assert "Guaranteed" not in said
    assert "The true risk" not in said  # of no certificate in the comparison either


def test_a_few_repeated_questions_are_a_note(db: Database) -> None:
    table = rows()
    table["question"] = table["question"].replace("Question 1?", "Question 0?")
    add(db, "Mine", table)
    said = words_of(open_page(alpha="0.12"))
    assert "1 record repeats another's question" in said
    assert "Guaranteed with 95% confidence" in said


def test_labels_are_named_and_chosen(db: Database) -> None:
    table = rows()
    table["label:crowd:1"] = ~table["label"].astype(bool)
    table = table.rename(columns={"label": "label:human:1"})
    add(db, "Mine", table)
    at = open_page(alpha="0.12")
    assert at.selectbox(key="risk_labels").value == "human"
    assert "have a label (human)" in words_of(at)
    at = open_page(alpha="0.12", labels="crowd")
    assert "have a label (crowd)" in words_of(at)
    assert "Nothing can be accepted" in words_of(at)


def test_simulated_judge_is_named_on_card_and_figures(db: Database) -> None:
    add(db, "Mine", rows(kind="simulated"))
    at = open_page()
    assert "Simulated judge" in words_of(at)
    for key in ("risk_curve", "risk_range", "risk_plane", "risk_judges"):
        assert "simulated" in figure(at, key)["layout"]["title"]["text"]


def test_rule_judge_is_no_llm(db: Database) -> None:
    add(db, "Mine", rows(kind="rule"))
    said = words_of(open_page())
    assert "Rule judge, not an LLM" in said
    assert "rule judge, not an LLM" in said


def test_names_from_records_are_text_not_markup(db: Database) -> None:
    nasty = "![x](http://127.0.0.1/x) <b>|$a$ :red[y]"
    add(db, nasty, rows(judge=nasty), rows(judge="plain"))
    at = open_page(alpha="0.12", judge=nasty)
    table = at.table[1].value.to_string()
    assert "](http" not in table
    assert not at.exception


def test_records_table_follows_route_and_wrong_only(db: Database) -> None:
    cohort = add(db, "Mine", rows())
    judged = load_judged(db, cohort, "one")
    run = run_routing(judged, RoutingRequest(0.15, 0.05))
    at = open_page(alpha="0.15")
    assert list(at.dataframe[0].value["id"]) == list(judged.item_id[:20])
    at.segmented_control(key="risk_records_route").set_value("Mode 2").run()
    at.toggle(key="risk_records_wrong").set_value(True).run()
    shown = at.dataframe[0].value
    assert set(shown["route"]) == {"Mode 2"}
    assert (shown["verdict2"] != shown["label"]).all()
    table = routed_table(judged, run.route)
    wrong = table[(table["route"] == "Mode 2") & (table["verdict"] != table["label"])]
    assert list(shown["id"]) == list(wrong["id"][:20])
    assert any(f"of {len(wrong):,} records" in one.value for one in at.caption)


def test_all_records_with_texts_hold_every_record(db: Database) -> None:
    cohort = get_cohort(db, add(db, "Mine", rows()))
    judged = cached.records(cohort, "one", None)
    run = run_routing(judged, RoutingRequest(0.15, 0.05))
    table = record_browser.everything(judged, run)
    assert len(table) == N
    assert list(table["route"]) == list(routed_table(judged, run.route)["route"])
    assert table["question"].notna().all()


def test_locked_store_is_a_sentence_not_a_crash(
    db: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    def locked() -> Database:
        raise DatabaseLockedError("The file is held by process 7. Stop it, or open it read-only.")

    monkeypatch.setattr(cached, "database", locked)
    at = open_page()
    assert "held by process 7" in at.error[0].value


def test_settings_survive_a_visit_to_another_page(db: Database) -> None:
    add(db, "Mine", rows())
    at = open_page(alpha="0.12")
    at.switch_page("pages/methods/page.py").run()
    assert not at.exception
    at.switch_page("pages/risk_routing/page.py").run()
    assert at.select_slider(key="risk_alpha").value == 0.12
