"""Where real judges and people disagree: the residual part of `python -m tests.real.report`."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache

import numpy as np
import pandas as pd

from core.failure_space import FailureSpace, load_failure_space
from core.store.database import open_database
from core.store.exports import to_csv
from core.store.imports import guess_mapping, prepare, read_records, write_cohort
from tests.real.convert import llm_rubric, llmbar, llmbar_judges, pandalm
from tests.shared import SHARED

LLMBAR, PANDALM = SHARED / "data/llmbar", SHARED / "data/pandalm"
LLM_RUBRIC = SHARED / "data/llm_rubric"
FOLDERS = (LLMBAR, PANDALM, LLM_RUBRIC)
Table = list[tuple[str, ...]]


@cache
def spaces() -> dict[tuple[str, str], FailureSpace]:
    """Give the failure space of every data set and judge."""
    frames = {
        "LLMBar": llmbar(LLMBAR, llmbar_judges(LLMBAR)),
        "PandaLM": pandalm(PANDALM),
        "LLM-Rubric": llm_rubric(LLM_RUBRIC),
    }
    return {key: space for name, frame in frames.items() for key, space in _load(name, frame)}


def _load(name: str, frame: pd.DataFrame) -> Iterator[tuple[tuple[str, str], FailureSpace]]:
    with open_database(":memory:") as db:
        raw = read_records([(f"{name}.csv", to_csv(frame))])
        cohort = write_cohort(db, prepare(raw, guess_mapping(raw)), name)
        for judge in cohort.judges:
            yield (
                (name, judge.name),
                load_failure_space(db, cohort.cohort_id, judge.name, computed=True),
            )


def overview_rows() -> Table:
    """Give rates, gap, disagreement and agreement of each data set and judge."""
    rows: Table = [
        (
            "Data", "Judge", "Scored", "Judge", "People", "Gap, points",
            "Disagreement", "Over-rejection", "People agree (κ)", "Judge with people (κ)",
        )
    ]  # fmt: skip
    for (name, judge), space in spaces().items():
        found = space.overview()
        agreed = space.agreement()
        coefficients = ["–", "–"]
        if agreed is not None:
            coefficients = [
                "–" if np.isnan(one.raw) else f"{_percent(one.raw)} ({_decimal(one.cohen_kappa)})"
                for one in agreed
            ]
        gap = [f"{100 * one:+.1f}" for one in (found.gap, found.gap_low, found.gap_high)]
        rows.append(
            (
                name, judge, f"{found.n_scored} of {space.n}",
                _percent(found.judge_rate), _percent(found.human_rate),
                f"{gap[0]} ({gap[1]} to {gap[2]})",
                f"{_percent(found.disagreements / found.n_scored)}",
                f"{found.over_rejections} of {found.disagreements}",
                *coefficients,
            )
        )  # fmt: skip
    return rows


def lift_rows() -> Table:
    """Give the two strata with most excess residual of each data set and judge."""
    rows: Table = [
        ("Data", "Judge", "Stratum", "n", "Prevalence", "E[Δ²]", "Lift (95 % interval)", "Holm p")
    ]
    for (name, judge), space in spaces().items():
        table = space.lift()
        table = table[~table["column"].isin(["judge says"])]
        for row in table.nlargest(2, "excess").itertuples():
            rows.append(
                (
                    name, judge, str(row.stratum), str(row.n), _percent(row.prevalence),
                    f"{row.mean_squared_residual:.2f}",
                    f"{row.lift:.2f} ({row.lift_low:.2f} to {row.lift_high:.2f})",
                    "< .001" if row.p_holm < 0.001 else f"{row.p_holm:.3f}",
                )
            )  # fmt: skip
    return rows


@cache
def model_rows() -> Table:
    """Give how well features predict the residual out of fold, and what is as good as any."""
    rows: Table = [("Data", "Judge", "Features", "Trained on", "AUROC", "Spearman with |Δ|")]
    for (name, judge), space in spaces().items():
        model = space.risk_model(space.varying())
        rows.append(
            (
                name, judge, str(len(model.feature_names)), str(model.n_trained),
                _decimal(model.auroc),
                _decimal(model.spearman),
            )
        )  # fmt: skip
    return rows


OVERVIEW_TEXT = """\
**Residuals** of real judges. The claim that is judged is: output 1 is the better one (LLMBar,
PandaLM; a tie says that it isn't), or the dialogue deserves 3 of 4 or more (LLM-Rubric). Gap: judge
minus people, with a 95 % interval. Over-rejection: of the disagreements, those where the judge says
no. Agreement: equal pairs of labels, and Cohen's κ in brackets."""
LIFT_TEXT = """\
The two strata with most excess residual, of imported columns, the judge's uncertainty, and features
computed from the texts, numbers cut at quartiles:"""
MODEL_TEXT = """\
The risk model on these features; scores are out of fold (five folds, answers to one question stay
together):"""


def parts() -> list[str | Table]:
    """Give texts and tables in their order."""
    return [
        OVERVIEW_TEXT, overview_rows(), LIFT_TEXT, lift_rows(), MODEL_TEXT, model_rows(),
    ]  # fmt: skip


def _percent(share: float) -> str:
    return f"{100 * share:.1f} %"


def _decimal(value: float | None) -> str:
    return "–" if value is None else f"{value:.2f}"
