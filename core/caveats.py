"""Why a certificate can promise nothing on some records, whatever it found."""

from __future__ import annotations

from core.store.records import JudgedRecords

#: From this share of records that repeat another record's question on, nothing is promised: answers
#: to one question are wrong together more often than apart, and the bounds assume independence.
MAX_REPEATED = 0.05

#: What an uncertainty is called that the labels which set thresholds had a part in.
OUT_OF_FOLD = "risk score, out-of-fold"


def caveat(records: JudgedRecords) -> str | None:
    """Say why a certificate can promise nothing on these records; None where it can."""
    found = [dependence(records), trained_on_itself(records)]
    return " ".join(one for one in found if one is not None) or None


def dependence(records: JudgedRecords) -> str | None:
    """Say why records are not independent of each other, where too many share a question."""
    repeated = records.n - records.n_questions
    if repeated <= MAX_REPEATED * records.n:
        return None
    return (
        f"{records.n:,} records share {records.n_questions:,} questions, and answers to one "
        "question are not independent: the certificate assumes that they are."
    )


def trained_on_itself(records: JudgedRecords) -> str | None:
    """Say where the uncertainty was learnt from the labels that set the thresholds."""
    if OUT_OF_FOLD not in (records.uncertainty_kind1, records.uncertainty_kind2):
        return None
    return (
        "The labels that set the thresholds have trained the scores of other records: out-of-fold "
        "scores are an approximation."
    )
