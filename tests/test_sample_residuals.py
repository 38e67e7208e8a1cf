"""The two cohorts with residuals: the published margins, and features that are odd on purpose."""

from __future__ import annotations

import json
from functools import cache

import numpy as np
import pandas as pd
import pytest

from core.failure_space import FailureSpace
from core.residuals.correlation import NO_VARIATION, feature_correlations, redundancy
from core.residuals.text_features import FAMILIES
from core.store.layout import COLUMNS, read_header
from core.store.tags import FAILURE_CLASS
from sample_data import autofa, passages, ragtruth, residual_parts, residual_report, sample_files
from sample_data.residual_report import AUTOFA, FLAGGED, JUDGES, RAGTRUTH, SHARE
from tests.sample_solver import solve

ROWS = {AUTOFA: autofa.autofa_rows, RAGTRUTH: ragtruth.ragtruth_rows}
SIZES = {AUTOFA: 2338, RAGTRUTH: 2937}
CONSTANT = {AUTOFA: "judge temperature", RAGTRUTH: "prompt version"}
GAPS = {
    AUTOFA: {"days since newest page": 0.15},
    RAGTRUTH: {"retrieval score": 0.12, "flag-reliability": 0.556},
}
NOISE = {
    AUTOFA: ("days since newest page", "hour of the day", "qualitative-language"),
    RAGTRUTH: ("retrieval score", "batch"),
}
RARE = {AUTOFA: "device = watch", RAGTRUTH: "kind of place = planetarium"}
LABELS = [f"label:{residual_parts.SOURCE}:{who}" for who in residual_parts.ANNOTATORS]
each = pytest.mark.parametrize("cohort", JUDGES)


@cache
def frame(cohort: str) -> pd.DataFrame:
    (sample,) = (one for one in sample_files() if one.name == cohort)
    return pd.read_parquet(sample.path)


def space(cohort: str, unknown_as: str = "wrong") -> FailureSpace:
    return residual_report.space(cohort, unknown_as)


def human(cohort: str) -> pd.Series:
    """The label that most annotators give."""
    return frame(cohort)[LABELS].astype(float).mean(axis=1) > 0.5


@each
def test_made_again_it_is_the_same(cohort: str) -> None:
    again = pd.DataFrame(ROWS[cohort]())
    kept = frame(cohort)
    assert list(again.columns) == list(kept.columns)
    text = again.columns[~again.columns.str.startswith(("feature:", "uncertainty"))]
    assert (again[text].fillna("–").astype(str) == kept[text].fillna("–").astype(str)).all(
        axis=None
    )
    numbers = [column for column in again if column not in text and column != "uncertainty_kind"]
    assert np.array_equal(again[numbers].astype(float), kept[numbers], equal_nan=True)


@each
def test_columns_are_those_of_the_records_format(cohort: str) -> None:
    columns = [column for column in frame(cohort) if read_header(column) is None]
    assert tuple(column for column in columns if column != "spans") == tuple(
        column for column in COLUMNS if column != "spans"
    )
    assert ("spans" in columns) == (cohort == RAGTRUTH)
    if cohort == RAGTRUTH:
        assert columns.index("spans") == columns.index("evidence") + 1
    assert len(frame(cohort)) == SIZES[cohort] == space(cohort).n
    assert frame(cohort)["question"].nunique() > 0.99 * SIZES[cohort]
    assert set(frame(cohort)["judge_kind"]) == {"simulated"}


@pytest.mark.parametrize("margin", residual_report.MARGINS, ids=lambda m: f"{m.cohort}-{m.what}")
def test_published_margin_holds(margin: residual_report.Margin) -> None:
    built = margin.built()
    assert built == pytest.approx(margin.wanted, abs=margin.tolerance), margin.published


def test_margins_hold_in_no_single_reading_of_unknown() -> None:
    """Each of the three readings breaks a margin of AutoFA, so the three of them are needed."""
    margins = [one for one in residual_report.MARGINS if one.cohort == AUTOFA]
    for reading in ("wrong", "zero", "excluded"):
        broken = [
            one.what
            for one in margins
            if abs(one.measure(space(AUTOFA, reading)) - one.wanted) > one.tolerance
        ]
        assert broken, reading


def test_most_unknown_verdicts_are_outside_partial_verification() -> None:
    """If all were inside, even a residual on the rest of it would leave the lift below 0.5."""
    found = space(AUTOFA, "zero")
    unknown, partial = found.records.unknown, found.inside("partial verification")
    residual = np.mean(found.residuals.residual**2)
    highest = (partial.mean() - unknown.mean()) / partial.mean() / residual
    assert highest < 0.5
    assert (unknown & ~partial).sum() > 0.5 * unknown.sum()
    assert (unknown & partial).any()


def test_flagged_records_force_what_is_not_printed() -> None:
    """From the three rates alone: prevalence .444 and lift 2.12, not .43 and 2.02."""
    judge, people, disagreement = 0.556, 0.862, 0.347
    rejected = (disagreement + people - judge) / 2
    prevalence = 1 - judge
    lift = rejected / prevalence / disagreement
    (built,) = (one.wanted for one in residual_report.MARGINS if one.what == f"lift of {FLAGGED}")
    assert lift == pytest.approx(built, abs=0.005)
    assert abs(prevalence - 0.43) > 0.01
    assert abs(lift - 2.02) > 0.05


@each
def test_three_annotators_rate_400_records(cohort: str) -> None:
    raters = frame(cohort)[LABELS].notna().sum(axis=1)
    assert raters.value_counts().to_dict() == {3: 400, 1: SIZES[cohort] - 400}
    assert (frame(cohort)[LABELS].notna().sum() > SIZES[cohort] / 4).all()
    pair = space(cohort).agreement()
    assert pair is not None
    people, judge = pair
    assert people.n_items_twice == 400
    assert people.raw == pytest.approx(0.88, abs=0.01)
    # κ goes with the base rate: here 74 % and 86 % are right.
    assert people.cohen_kappa == pytest.approx(0.70 if cohort == AUTOFA else 0.58, abs=0.03)
    assert judge.raw < people.raw - 0.1


@each
def test_majority_is_the_label(cohort: str) -> None:
    records = space(cohort).records
    ordered = frame(cohort).assign(human=human(cohort)).sort_values("id")["human"]
    assert np.array_equal(records.human, ordered.to_numpy(dtype=float))
    assert not records.tied.any()


@each
def test_features_are_twelve_of_four_families(cohort: str) -> None:
    found = space(cohort)
    named = {name: family for name, family in found.families.items() if name != "uncertainty"}
    assert len(named) == 12
    assert set(named.values()) == set(FAMILIES)


@each
def test_features_are_odd_as_said(cohort: str) -> None:
    found = space(cohort)
    table = feature_correlations(found.features, found.residuals.residual).set_index("feature")
    constant = table[table["distinct"] == 1]
    assert list(constant.index) == [CONSTANT[cohort]]
    assert set(constant["note"]) == {NO_VARIATION}
    gaps = table["missing"][(table["missing"] > 0) & (table.index != "uncertainty")]
    assert gaps.to_dict() == pytest.approx(GAPS[cohort], abs=0.025)
    # Within 3.5 standard errors of none.
    noise = table.loc[list(NOISE[cohort])]
    assert (noise["spearman"].abs() < 3.5 / np.sqrt(noise["n"])).all()
    pair = redundancy(found.features[["self-confidence", "self-confidence, asked again"]])
    assert 0.9 < pair.iloc[0, 1] < 0.999
    said = found.features["self-confidence"]
    assert said.between(0, 1).all()
    given = found.features["uncertainty"]
    assert np.allclose(given.dropna(), 1 - said[given.notna()])


@each
def test_one_level_is_rare_and_few(cohort: str) -> None:
    table = residual_report.lifts(space(cohort))
    rare = table[(table["prevalence"] < 0.01) & ~table.index.str.startswith(FAILURE_CLASS)]
    assert list(rare.index) == [RARE[cohort]]
    assert rare["few"].all()


@each
def test_failure_classes_are_on_a_part_of_the_wrong_records(cohort: str) -> None:
    found = space(cohort)
    tags = found.strata[FAILURE_CLASS]
    wrong = found.residuals.residual != 0
    assert set(tags.dropna()) == set(residual_parts.FAILURE_CLASSES)
    assert not tags[~wrong].notna().any()
    assert 0.3 < tags[wrong].notna().mean() < 0.6
    counts = pd.crosstab(found.strata["task type"], tags)
    assert counts.to_numpy().sum() == tags.notna().sum()


def test_answers_of_autofa_follow_from_the_questions() -> None:
    """Where a question can be worked out, the answer gives the value if people say it is right."""
    table = frame(AUTOFA).assign(human=human(AUTOFA))
    computed = table[table["stratum:time-sensitive query"] == "false"]
    assert len(computed) == 1403
    for row in computed[["question", "answer", "human"]].itertuples(index=False):
        claim = row.answer
        for aside in autofa.ASIDES[False]:
            claim = claim.removesuffix(f" {aside}")
        assert claim.lower().endswith(f" is {solve(row.question)}.") == row.human, row


def test_references_of_autofa_state_what_their_strength_says() -> None:
    table = frame(AUTOFA)
    references = table["reference"].str.split("\n")
    assert all(len(three) == 3 for three in references)
    silent = table["reference"].str.count(r"none that answers|leave this open|to settle it")
    assert (3 - silent == table["feature:evidence:ref-support-strength"]).all()
    unsure = table["verdict"] == "unknown"
    assert (table["explanation"].str.contains("do not settle") == unsure).all()
    checked = table["explanation"].str.contains("could not be checked")
    assert (checked == (table["stratum:partial verification"] == "true")).all()


def test_spans_lie_in_the_answer_and_are_what_the_judge_quotes() -> None:
    table = frame(RAGTRUTH)
    flagged = table["verdict"] == "false"
    assert (table["spans"].notna() == flagged).all()
    assert ((table["stratum:judge flagged output"] == "true") == flagged).all()
    for answer, cell, said in table.loc[flagged, ["answer", "spans", "explanation"]].itertuples(
        index=False
    ):
        spans = json.loads(cell)
        flat = [end for span in spans for end in span]
        assert flat == sorted(set(flat))
        assert flat[0] >= 0
        assert flat[-1] < len(answer)  # a full stop at least comes after the last one
        assert all(f"“{answer[start:end]}”" in said for start, end in spans)
        assert said.count("“") == len(spans)
    assert not table["answer"].str.contains("[{}]", regex=True).any()
    assert set(table.loc[flagged, "spans"].map(json.loads).str.len()) == {1, 2}


def test_people_object_to_what_the_source_contradicts() -> None:
    """Every literal number, day and sight in an answer that people accept is in its source."""
    table = frame(RAGTRUTH).assign(human=human(RAGTRUTH))
    facts = r"(\d+:00|\d+|[A-Z][a-z]+day|" + "|".join(passages.SIGHTS.values()) + ")"
    given = table["answer"].str.findall(facts)
    for answer, source, right in zip(given, table["reference"], table["human"], strict=True):
        assert all(fact in source for fact in answer) or not right
    doubtful = [
        not all(fact in source for fact in answer)
        for answer, source in zip(given, table["reference"], strict=True)
    ]
    # A wrong number may be found elsewhere in the source, hence not each of them.
    assert np.mean(np.array(doubtful)[~table["human"]]) > 0.9


@each
def test_tolerances_are_those_stated(cohort: str) -> None:
    """Two points for shares, .03 for correlations, .15 for lifts."""
    found = [one for one in residual_report.MARGINS if one.cohort == cohort]
    assert {one.tolerance for one in found} == {SHARE, 0.03, 0.15}
    assert SHARE == 0.02
    assert all(one.tolerance == 0.15 for one in found if one.what.startswith("lift"))
    assert all(one.tolerance == 0.03 for one in found if one.what.startswith("ρ"))
