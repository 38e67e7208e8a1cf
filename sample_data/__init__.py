"""Sample records with simulated judges, and where their files are."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

FOLDER = Path(__file__).parent
OWN_RECORDS_EXAMPLE = FOLDER / "own_records_example.csv"
STUDY = FOLDER / "triviaqa-like-study.parquet"


@dataclass(frozen=True)
class SampleCohort:
    """A sample cohort: its id, name and description, and the file that holds its records."""

    cohort_id: str
    name: str
    description: str
    path: Path


def sample_files() -> list[SampleCohort]:
    """List the sample cohorts in the order in which pages show them."""
    return [
        _cohort(
            "HotpotQA-like",
            "Two-step questions. Most judges decide little alone; retrieval opens the cohort.",
        ),
        _cohort(
            "TriviaQA-like",
            "One-step questions in full sentences. Strong judges decide most of them alone.",
        ),
        _cohort(
            "NQ-like",
            "One-step questions worded like search queries. Retrieval carries most verdicts.",
        ),
        _cohort(
            "PopQA-like",
            "Questions for “the … of …”. Judges know little alone and nearly all with evidence.",
        ),
        SampleCohort(
            "triviaqa-like-retrieval-study",
            "TriviaQA-like, retrieval study",
            "TriviaQA-like answers of one candidate before one judge: more pages, none, those of "
            "three months later; a second label source; supervised scores. All of it is simulated.",
            STUDY,
        ),
        _residuals(
            "AutoFA-like",
            "Simulated judge of 2,338 voice-assistant answers that may say “unknown”: it rejects "
            "much that simulated people accept, where references are weak.",
        ),
        _residuals(
            "RAGTruth-like",
            "Simulated judge that flags spans of 2,937 answers from a source: it flags far more "
            "than simulated people do, mostly where it is unsure.",
        ),
    ]


def _residuals(name: str, description: str) -> SampleCohort:
    cohort_id = name.lower()
    return SampleCohort(cohort_id, name, description, FOLDER / f"{cohort_id}.parquet")


def _cohort(name: str, description: str) -> SampleCohort:
    cohort_id = name.lower()
    return SampleCohort(
        cohort_id,
        name,
        f"{description} Simulated judges and candidates; 2,000 questions with computed answers.",
        FOLDER / f"{cohort_id}.parquet",
    )
