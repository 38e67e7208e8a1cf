"""The sample data: made anew byte for byte, right by construction, like the published figures."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow.parquet as pq
import pytest

from core.store.database import open_database
from core.store.imports import guess_mapping, prepare, read_records
from core.store.records import list_cohorts
from core.store.verdicts import UNKNOWN
from pages.components.cached import load_samples
from sample_data import FOLDER, OWN_RECORDS_EXAMPLE, STUDY, facts, make, report, sample_files
from sample_data.cohorts import LABEL, STYLES
from sample_data.judges import CANDIDATES, JUDGES
from tests.sample_solver import CAPITALS, CODES, COUNTRIES, PERIODS, STATE_OF, SYMBOLS, solve

COHORTS = [sample.cohort_id for sample in sample_files() if sample.cohort_id in STYLES]
# Cohorts with residuals: the number of items. 400 have three labels, the others one.
RESIDUALS = {"autofa-like.parquet": 2338, "ragtruth-like.parquet": 2937}
# Elements whose symbol comes from another name.
_FOREIGN = """
    Na=sodium K=potassium Fe=iron Cu=copper Ag=silver Sn=tin Sb=antimony W=tungsten Au=gold
    Hg=mercury Pb=lead
"""
_CAPITALS = """
    Australia=Canberra Brazil=Brasília Canada=Ottawa Egypt=Cairo France=Paris Japan=Tokyo
    Kenya=Nairobi Mongolia=Ulaanbaatar Norway=Oslo Peru=Lima Slovenia=Ljubljana Turkey=Ankara
    Zambia=Lusaka
"""


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    return make.write_samples(tmp_path_factory.mktemp("sample_data"))


def grid() -> Iterator[tuple[str, str, str]]:
    for cohort in COHORTS:
        for candidate in CANDIDATES:
            for judge in JUDGES:
                yield cohort, candidate, judge


def test_make_gives_the_same_files_again(made: list[Path]) -> None:
    assert len(made) == 8
    for path in made:
        kept = FOLDER / path.name
        if path.suffix == ".parquet":
            assert pq.read_table(path).equals(pq.read_table(kept)), path.name
            writers = {pq.ParquetFile(one).metadata.created_by for one in (path, kept)}
            if len(writers) > 1:  # another version of pyarrow lays the same records out otherwise
                continue
        assert path.read_bytes() == kept.read_bytes(), path.name


@pytest.mark.parametrize("path", [*(sample.path for sample in sample_files()), OWN_RECORDS_EXAMPLE])
def test_files_import_without_a_correction(path: Path) -> None:
    raw = read_records([path])
    prepared = prepare(raw, guess_mapping(raw))
    assert not prepared.problems
    n = RESIDUALS.get(path.name, 0)
    special = {OWN_RECORDS_EXAMPLE: (60, 120, 60), STUDY: (2000, 14_000, 4000)}
    default = (n, n, n + 800) if n else (4000, 32_000, 4000)
    found = (len(prepared.items), len(prepared.verdicts), len(prepared.labels))
    assert found == special.get(path, default)
    verdicts = prepared.verdicts
    assert set(verdicts["judge_kind"]) == {"simulated"}
    assert verdicts["uncertainty"].notna().all()
    missing = set(verdicts.loc[verdicts["verdict"].isna(), "failure_cause"])
    assert missing == ({UNKNOWN} if path.name == "autofa-like.parquet" else set())


def test_files_are_small_and_described() -> None:
    assert sum(path.stat().st_size for path in FOLDER.rglob("*") if path.is_file()) < 4_000_000
    for sample in sample_files():
        assert "imulated" in sample.description
        assert sample.path.is_file()
    assert [one.path.name for one in sample_files()[4:]] == [STUDY.name, *RESIDUALS]
    assert set(COHORTS) == set(STYLES)


def test_cohort_ids_and_names_are_those_of_the_store() -> None:
    with open_database(":memory:") as db:
        load_samples(db)
        stored = {cohort.name: cohort for cohort in list_cohorts(db)}
    for sample in sample_files():
        cohort = stored.pop(sample.name)
        assert (cohort.cohort_id, cohort.description) == (sample.cohort_id, sample.description)
        assert cohort.simulated
    assert not stored


@pytest.mark.parametrize("cohort", COHORTS)
def test_cohort_holds_every_judge_on_every_answer(cohort: str) -> None:
    frame = report.cohort_frame(cohort)
    counts = frame.groupby(["candidate", "judge"])["id"].nunique()
    assert counts.to_dict() == {(c, j): 2000 for c in CANDIDATES for j in JUDGES}
    assert set(frame["judge_kind"]) == {"simulated"}
    asked = frame.groupby("question")["id"].nunique()
    assert len(asked) == 2000
    assert (asked == 2).all()
    for name in ("uncertainty", "uncertainty2"):
        values = frame[name]
        assert values.between(0, math.log(2)).all()
        assert (values.round(6) == values).all()
        per_judge = frame.groupby(["candidate", "judge"])[name].nunique()
        assert (per_judge > 1950).all(), f"{name} has many ties"


@pytest.mark.parametrize("cohort", COHORTS)
def test_answers_and_labels_follow_from_the_questions(cohort: str) -> None:
    columns = ["id", "question", "answer", "reference", LABEL]
    items = report.cohort_frame(cohort)[columns].drop_duplicates()
    assert items["id"].is_unique
    known = {text: solve(text) for text in items["question"].unique()}
    solved = items["question"].map(known)
    wrong = items[items["reference"].str.lower() != solved]
    assert wrong.empty, wrong.head().to_string()
    # Thousands separators are the only liberty that a right answer takes.
    given = items["answer"].str.lower().str.replace(",", "")
    assert ((given == solved) == items[LABEL]).all()
    assert items[LABEL].mean() == pytest.approx(0.5, abs=0.25)


@pytest.mark.parametrize("cohort", COHORTS)
def test_explanations_say_what_the_verdict_says(cohort: str) -> None:
    frame = report.cohort_frame(cohort)
    for mode in ("", "2"):
        quoted = frame[f"explanation{mode}"].str.findall("“(.*?)”")
        pairs = zip(quoted, frame["answer"], frame[f"verdict{mode}"], strict=True)
        for names, answer, verdict in pairs:
            others = [name for name in names if name != answer]
            assert bool(others) != verdict, (names, answer, verdict)
            assert names == [answer] or not verdict


def test_element_tables_agree_with_the_periodic_table() -> None:
    assert [symbol.lower() for symbol in facts.ELEMENT_SYMBOLS] == SYMBOLS
    assert [len(row) for row in PERIODS] == [2, 8, 8, 18, 18, 32, 32]
    foreign = dict(pair.split("=") for pair in _FOREIGN.split())
    for symbol, name in zip(facts.ELEMENT_SYMBOLS, facts.ELEMENT_NAMES, strict=True):
        pattern = foreign.get(symbol, ".*".join(symbol.lower()) + ".*")
        assert re.fullmatch(pattern, name), (symbol, name)


def test_places_have_one_capital_each() -> None:
    assert len(COUNTRIES) == len(CAPITALS) > 160
    assert len(STATE_OF) == 50
    assert [facts.STATE_CODE[state] for state in sorted(facts.STATE_CODE)] == CODES
    known = dict(pair.split("=") for pair in _CAPITALS.split())
    assert known.items() <= facts.CAPITAL_OF.items()
    assert not set(facts.OTHER_CITY_OF.values()) & set(facts.CAPITAL_OF.values())


@pytest.mark.parametrize(
    "figure", report.FIGURES, ids=lambda f: f"{f.cohort}-{f.judge}-{f.what}-{f.alpha}"
)
def test_published_figures_hold(figure: report.Figure) -> None:
    measured = report.measure(figure, "pointwise")
    assert figure.low <= measured <= figure.high, f"{measured:.3f}, published {figure.published}"


def test_stricter_certificates_accept_less() -> None:
    means = {
        certificate: np.mean([report.measure(one, certificate) for one in report.FIGURES])
        for certificate in report.CERTIFICATES
    }
    print(pd.Series(means))
    assert means["pointwise"] > means["fixed-sequence"] > means["bonferroni"] > 0


def test_retrieval_raises_uncertainty_on_some_records() -> None:
    raised = {}
    for cohort, candidate, judge in grid():
        frame = report.judged(cohort, candidate, judge)
        raised[cohort, candidate, judge] = (frame["uncertainty2"] > frame["uncertainty"]).mean()
    shares = pd.Series(raised)
    assert shares.between(0.14, 0.29).all(), shares[~shares.between(0.14, 0.29)]
    by_cohort = shares.groupby(level=0).mean()
    assert (
        by_cohort[["hotpotqa-like", "nq-like"]].min()
        > by_cohort.drop(["hotpotqa-like", "nq-like"]).max()
    )


def test_retrieval_makes_verdicts_better() -> None:
    gains = {}
    for cohort, candidate, judge in grid():
        frame = report.judged(cohort, candidate, judge)
        gains[cohort, candidate, judge] = (frame["is_error"] - frame["is_error2"]).mean()
    gain = pd.Series(gains)
    assert gain.min() > 0
    assert gain.xs("popqa-like").max() == gain.max()
    assert gain.max() == pytest.approx(0.44, abs=0.03)


def test_larger_candidate_is_harder_to_judge() -> None:
    qwen, llama = CANDIDATES
    for cohort in COHORTS:
        for judge in JUDGES:
            means = [
                report.splits(cohort, c, judge, "pointwise", mode1_only=False)["coverage"][0.20]
                for c in (qwen, llama)
            ]
            assert means[0] > means[1], (cohort, judge, means)
    best = max(
        report.splits("hotpotqa-like", llama, judge, "pointwise", mode1_only=False)["coverage"][
            0.20
        ]
        for judge in JUDGES
    )
    assert best == pytest.approx(0.53, abs=0.03)


def test_readme_tables_are_what_the_command_writes() -> None:
    page = report.README.read_text(encoding="utf-8")
    written = page.split(report.MARKS[0])[1].split(report.MARKS[1])[0].strip()
    assert written == report.report(), "Run: python -m sample_data.report"
