"""What the sample records show beside what the paper says: `python -m sample_data.report`.

It measures coverage as the paper does, on 100 random halves, and writes the tables between the two
marks in README.md.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from core.risk.calibration import calibrate_single
from core.risk.splits import repeated_splits
from sample_data import FOLDER, annotation_report, residual_report, sample_files, study_report
from sample_data.cohorts import LABEL, STYLES
from sample_data.judges import CANDIDATES, JUDGES

README = FOLDER / "README.md"
MARKS = ("<!-- figures: python -m sample_data.report -->", "<!-- end of figures -->")
GRID_ALPHA = 0.20
DELTA = 0.05
N_SPLITS = 100
SPLIT_SEED = 0
CERTIFICATES = ("pointwise", "fixed-sequence", "bonferroni")
QWEN, LLAMA = CANDIDATES
QWEN_4B, QWEN_8B, QWEN_14B, LLAMA_8B = JUDGES


@dataclass(frozen=True)
class Figure:
    """A figure of the paper's prose: what it measures, and the range that stands for it."""

    cohort: str
    candidate: str
    judge: str
    what: str
    alpha: float
    published: str
    low: float
    high: float


def _near(value: float, published: str = "") -> tuple[str, float, float]:
    return published or f"{value:.2f}", value - 0.03, value + 0.03


MODE1, PAIR, SHARE = "Mode 1 alone", "pair", "Mode 1's share of the pair"
FIGURES = (
    Figure("hotpotqa-like", QWEN, QWEN_8B, MODE1, 0.20, "at most 0.07", 0.0, 0.07),
    Figure("hotpotqa-like", QWEN, QWEN_8B, PAIR, 0.20, *_near(0.74)),
    Figure("hotpotqa-like", QWEN, QWEN_8B, PAIR, 0.10, *_near(0.04)),
    Figure("hotpotqa-like", QWEN, LLAMA_8B, MODE1, 0.20, *_near(0.40)),
    Figure("hotpotqa-like", QWEN, LLAMA_8B, PAIR, 0.20, *_near(0.85)),
    Figure("hotpotqa-like", QWEN, QWEN_14B, PAIR, 0.20, "above 0.80", 0.80, 1.0),
    Figure("hotpotqa-like", QWEN, QWEN_4B, PAIR, 0.20, "below 0.15", 0.0, 0.15),
    Figure("hotpotqa-like", LLAMA, QWEN_14B, PAIR, 0.20, *_near(0.53, "0.53, the best judge")),
    Figure("triviaqa-like", QWEN, QWEN_14B, MODE1, 0.20, *_near(0.87)),
    Figure("triviaqa-like", QWEN, QWEN_14B, SHARE, 0.20, *_near(0.45)),
    Figure("triviaqa-like", QWEN, QWEN_4B, SHARE, 0.20, *_near(0.09)),
    Figure("triviaqa-like", QWEN, QWEN_4B, PAIR, 0.25, "nearly all", 0.97, 1.0),
    Figure("nq-like", QWEN, QWEN_8B, MODE1, 0.20, *_near(0.07)),
    Figure("nq-like", QWEN, QWEN_8B, PAIR, 0.20, *_near(0.82)),
    Figure("nq-like", QWEN, QWEN_8B, PAIR, 0.15, *_near(0.24)),
    Figure("nq-like", QWEN, QWEN_14B, PAIR, 0.15, *_near(0.56)),
    Figure("nq-like", QWEN, LLAMA_8B, PAIR, 0.20, "above 0.80", 0.80, 1.0),
    Figure("nq-like", QWEN, QWEN_4B, PAIR, 0.20, "below 0.15", 0.0, 0.15),
    Figure("popqa-like", QWEN, QWEN_4B, MODE1, 0.20, *_near(0.04)),
    Figure("popqa-like", QWEN, QWEN_4B, PAIR, 0.20, "1.00", 0.97, 1.0),
    Figure("popqa-like", QWEN, QWEN_8B, PAIR, 0.05, *_near(0.0)),
)
NAMES = {sample.cohort_id: sample.name for sample in sample_files() if sample.cohort_id in STYLES}


@cache
def cohort_frame(cohort: str) -> pd.DataFrame:
    """Read a sample cohort, with an error flag for each mode."""
    (path,) = (sample.path for sample in sample_files() if sample.cohort_id == cohort)
    frame = pd.read_parquet(path)
    for mode in ("", "2"):
        frame[f"is_error{mode}"] = (frame[f"verdict{mode}"] != frame[LABEL]).astype(float)
    return frame


def judged(cohort: str, candidate: str, judge: str) -> pd.DataFrame:
    """Give one judge's records on one candidate's answers, ordered by id."""
    frame = cohort_frame(cohort)
    mine = (frame["candidate"] == candidate) & (frame["judge"] == judge)
    return frame[mine].sort_values("id")


@cache
def splits(
    cohort: str, candidate: str, judge: str, certificate: str, *, mode1_only: bool
) -> pd.DataFrame:
    """Repeat the paper's protocol: the mean over splits, a row a risk level that is reported."""
    frame = judged(cohort, candidate, judge)
    u1, e1, u2, e2 = (
        frame[column].to_numpy(dtype=float)
        for column in ("uncertainty", "is_error", "uncertainty2", "is_error2")
    )
    key = (cohort, candidate, judge)
    alphas = sorted(
        {f.alpha for f in FIGURES if (f.cohort, f.candidate, f.judge) == key} | {GRID_ALPHA}
    )
    if mode1_only:
        table = _mode1_splits(u1, e1, alphas, certificate)
    else:
        table = repeated_splits(
            u1,
            e1,
            u2,
            e2,
            alphas=alphas,
            delta=DELTA,
            certificate=certificate,
            n_splits=N_SPLITS,
            seed=SPLIT_SEED,
        )
    return table.groupby("alpha")[["coverage", "share_mode1"]].mean()


def _mode1_splits(
    uncertainty: NDArray[np.float64],
    is_error: NDArray[np.float64],
    alphas: list[float],
    certificate: str,
) -> pd.DataFrame:
    """Calibrate Mode 1 alone on the same halves."""
    random = np.random.default_rng(SPLIT_SEED)
    rows = []
    for _ in range(N_SPLITS):
        calib, test = np.split(random.permutation(len(uncertainty)), 2)
        for alpha in alphas:
            policy = calibrate_single(
                uncertainty[calib],
                is_error[calib],
                alpha=alpha,
                delta=DELTA,
                certificate=certificate,
                reference=uncertainty[test],
            )
            threshold = -np.inf if policy.threshold1 is None else policy.threshold1
            coverage = np.mean(uncertainty[test] <= threshold)
            rows.append((alpha, coverage, coverage))
    return pd.DataFrame(rows, columns=["alpha", "coverage", "share_mode1"])


def measure(figure: Figure, certificate: str) -> float:
    """Measure a figure on the sample records."""
    means = splits(
        figure.cohort,
        figure.candidate,
        figure.judge,
        certificate,
        mode1_only=figure.what == MODE1,
    )
    column = "share_mode1" if figure.what == SHARE else "coverage"
    return float(means[column].loc[figure.alpha])


def figure_table() -> str:
    """Give the table of the paper's figures beside what the three certificates accept."""
    rows = [
        (
            NAMES[figure.cohort],
            figure.candidate,
            figure.judge,
            figure.what,
            f"{figure.alpha:.2f}",
            figure.published,
            *(f"{measure(figure, certificate):.3f}" for certificate in CERTIFICATES),
        )
        for figure in FIGURES
    ]
    head = ("Cohort", "Candidate", "Judge", "Coverage of", "α", "Published figure", *CERTIFICATES)
    return _markdown(head, rows)


def grid_table() -> str:
    """Give coverage at α = .20 for every candidate, judge and cohort: Mode 1 alone → the pair."""
    rows = []
    for candidate in CANDIDATES:
        for judge in JUDGES:
            cells = []
            for cohort in NAMES:
                alone, pair = (
                    splits(cohort, candidate, judge, "pointwise", mode1_only=only)["coverage"][
                        GRID_ALPHA
                    ]
                    for only in (True, False)
                )
                cells.append(f"{alone:.2f} → {pair:.2f}")
            rows.append((candidate, judge, *cells))
    return _markdown(("Candidate", "Judge", *NAMES.values()), rows)


def accuracy_table() -> str:
    """Give verdict accuracy of Mode 1 → Mode 2, and where retrieval raises the uncertainty."""
    rows = []
    for candidate in CANDIDATES:
        for judge in JUDGES:
            cells = []
            for cohort in NAMES:
                frame = judged(cohort, candidate, judge)
                one, two = (100 * (1 - frame[f"is_error{mode}"].mean()) for mode in ("", "2"))
                raised = 100 * (frame["uncertainty2"] > frame["uncertainty"]).mean()
                cells.append(f"{one:.0f} → {two:.0f}, {raised:.0f}")
            rows.append((candidate, judge, *cells))
    return _markdown(("Candidate", "Judge", *NAMES.values()), rows)


PROTOCOL = f"""\
Mean over {N_SPLITS} random 50/50 splits, δ = {DELTA}, seed {SPLIT_SEED}. Published figures are what
arXiv 2608.17994 gives in its prose, measured with the pointwise certificate."""
ACCURACY = """\
Verdict accuracy of Mode 1 → Mode 2, and the share of records on which Mode 2 is less sure than
Mode 1, all in %:"""
STUDY = """\
### The retrieval study

Accuracy of each mode's 2,000 verdicts, and the share that Mode 1 and Mode 2 give too:"""
COVERAGE = f"""\
Coverage, pointwise / fixed-sequence, mean over {study_report.N_SPLITS} random 50/50 splits,
δ = {DELTA}, seed {study_report.SEED}. The last three rows are the pair under other labels than the
known answer:"""
DRIFT = """\
Three months later: mean Jaccard of the three pages {:.3f} by rank (published .30), {:.3f} without
(published .47). The first policy on both snapshots, fixed-sequence:"""

RESIDUALS = """\
### The cohorts with residuals

Published figures are those of *Human-Anchored Factuality Evaluation with Strategic Annotation*,
Section 4.2, Tables 2 and 3; where others force another figure, that one too. ρ is Spearman's, with
|Δ|; it is published without its sign:"""
ANNOTATORS = """\
Agreement of the three annotators on 400 records, and of the judge with them on all, unknown as
wrong:"""
ANNOTATION = f"""\
Batches drawn again and again where the labels are known: 40 % of the records calibrate, the others
are drawn anew with replacement {annotation_report.TRIALS} times, at budgets of 100, 400, 700 and
1,000 (Poisson draws, seed {annotation_report.SEED}). How often a 95 % interval holds the truth,
mean (least to most) over budgets, and what the labels are worth beyond Classical, ± sd over
budgets. Published gains are over budgets of 50 to 1,000 of records that aren't these; the paper's
own policy has the features that it selects:"""


def report() -> str:
    """Give the text that stands between the marks in README.md."""
    coverage = "Coverage at α = .20, pointwise, Mode 1 alone → the pair:"
    parts = (
        PROTOCOL, figure_table(), coverage, grid_table(), ACCURACY, accuracy_table(), STUDY,
        _rows(study_report.mode_table()), COVERAGE, _rows(study_report.coverage_table()),
        DRIFT.format(*study_report.overlap()),
        _rows(study_report.drift_table()), RESIDUALS, _rows(residual_report.margin_table()),
        ANNOTATORS, _rows(residual_report.annotator_table()),
        ANNOTATION, _rows(annotation_report.annotation_table()),
    )  # fmt: skip
    return "\n\n".join(parts)


def _rows(table: list[tuple[str, ...]]) -> str:
    return _markdown(table[0], table[1:])


def _markdown(head: Iterable[str], rows: Iterable[Iterable[str]]) -> str:
    titles = list(head)
    lines = [titles, ["---"] * len(titles), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


if __name__ == "__main__":
    page = README.read_text(encoding="utf-8")
    before, after = page.split(MARKS[0])[0], page.split(MARKS[1])[1]
    text = report()
    page = f"{before}{MARKS[0]}\n\n{text}\n\n{MARKS[1]}{after}"
    README.write_text(page, encoding="utf-8", newline="\n")
    print(text)
