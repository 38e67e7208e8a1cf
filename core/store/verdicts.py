"""Verdicts and uncertainties of a file's rows, for one or both modes."""

from __future__ import annotations

from typing import Final

import numpy as np
import pandas as pd

from core.store.layout import JUDGE_KINDS, mode_label
from core.store.parsing import STORED_KIND, as_uncertainty, truth_values
from core.store.parts import Part
from core.store.problems import shorten
from core.store.rows import Mask, Rows

NO_VERDICT: Final = "no verdict"
UNREADABLE: Final = "unreadable verdict: "
#: The cause where the judge itself says that it can't tell.
UNKNOWN: Final = "unknown"
UNKNOWN_WORDS: Final = frozenset(
    {
        "unknown", "unverifiable", "unsure", "undecided", "uncertain", "cannot determine",
        "can't tell", "cannot tell", "not enough information", "not enough info", "nei",
    }
)  # fmt: skip

_SLOT: Final = (
    "verdict",
    "uncertainty",
    "uncertainty_false",
    "explanation",
    "failure_cause",
    "evidence",
    "spans",
)


def verdict_parts(rows: Rows) -> list[Part]:
    """A part for each mode; none where no column of verdicts is mapped."""
    mapping = rows.mapping
    slots = []
    if mapping.verdict is not None:
        slots.append(({role: getattr(mapping, role) for role in _SLOT}, _modes(rows)))
    if mapping.verdict2 is not None:
        second = {role: getattr(mapping, f"{role}2") for role in _SLOT}
        slots.append((second, rows.constant("mode2")))
    if not slots:
        return []
    judge = rows.constant(mapping.judge_name)
    if mapping.judge is not None:
        judge = rows.text(mapping.judge)
    judged = judge.notna().to_numpy()
    kind = _judge_kinds(rows, judge)
    parts = []
    for slot, mode in slots:
        stray = (rows.filled(slot["verdict"]) | rows.filled(slot["uncertainty"])) & ~judged
        if stray.any():
            message = "must name the judge where there is a verdict or an uncertainty"
            rows.report(stray, str(mapping.judge), message)
        score, score_kind = _uncertainty(rows, slot["uncertainty"], slot["uncertainty_false"])
        verdict, causes = _verdicts(rows, slot["verdict"], slot["failure_cause"], judged)
        values = {
            "judge_kind": kind,
            "verdict": verdict,
            "uncertainty": score,
            "uncertainty_kind": score_kind,
            "explanation": rows.text(slot["explanation"]),
            "failure_cause": causes,
            "evidence": rows.text(slot["evidence"]),
            "spans": rows.text(slot["spans"]),
        }
        names = {"judge": judge, "mode": mode}
        parts.append(Part("verdicts", slot["verdict"], np.flatnonzero(judged), names, values))
    return parts


def _modes(rows: Rows) -> pd.Series:
    """Mode names of the rows."""
    if rows.mapping.mode is None:
        return rows.constant(mode_label(rows.mapping.mode_name))
    given = rows.text(rows.mapping.mode).fillna(rows.mapping.mode_name)
    places, distinct = pd.factorize(given)
    names = [mode_label(mode) for mode in distinct.to_list()]
    return pd.Series(names, dtype="str").take(places).reset_index(drop=True)


def _judge_kinds(rows: Rows, judge: pd.Series) -> pd.Series:
    """The kind of each row's judge; rows that leave it out take it from the others."""
    column = rows.mapping.judge_kind
    if column is None:
        return rows.constant(rows.mapping.judge_kind_name)
    given = rows.text(column).str.strip().str.casefold()
    wrong = given.notna() & ~given.isin(JUDGE_KINDS)
    rows.report(wrong.to_numpy(), column, f"must be one of {', '.join(JUDGE_KINDS)}; got {{value}}")
    stated = (given.notna() & ~wrong & judge.notna()).to_numpy() & ~rows.bad
    kind_of: dict[str, str] = {}
    pairs = pd.DataFrame({"judge": judge[stated], "kind": given[stated]}).drop_duplicates()
    for name, kind in pairs.itertuples(index=False):
        if kind_of.setdefault(name, kind) != kind:
            differs = stated & ((judge == name) & (given == kind)).to_numpy()
            message = f"judge {name!r} is {kind_of[name]!r} in earlier rows; got {{value}}"
            rows.report(differs, column, message)
    return judge.map(kind_of).astype("str").fillna(rows.mapping.judge_kind_name)


def _verdicts(
    rows: Rows, column: str, cause: str | None, judged: Mask
) -> tuple[pd.Series, pd.Series]:
    """Verdicts, and why one is missing; an unreadable one is kept as no verdict, with a note."""
    value, unreadable = truth_values(rows.text(column))
    said = rows.text(column).str.strip().str.casefold()
    unknown = unreadable & said.isin(UNKNOWN_WORDS).to_numpy() & judged
    unreadable &= judged & ~unknown
    message = "isn't a verdict: {value}; kept as no verdict"
    rows.report(unreadable & ~rows.bad, column, message, severity="note")
    causes = rows.text(cause)
    causes = causes.mask(np.isnan(value) & causes.isna().to_numpy(), NO_VERDICT)
    causes = causes.mask(unknown, UNKNOWN)
    if unreadable.any():
        cells = rows.text(column)[unreadable].to_list()
        causes[unreadable] = [f"{UNREADABLE}{shorten(cell)!r}" for cell in cells]
    return pd.Series(value), causes


def _uncertainty(rows: Rows, column: str | None, other: str | None) -> tuple[pd.Series, pd.Series]:
    """Uncertainties, and what they are."""
    mapping = rows.mapping
    if column is None:
        return pd.Series(np.full(rows.n, np.nan)), rows.constant(None)
    if mapping.uncertainty_as == "logprobs" and other is None:
        raise ValueError(
            "'uncertainty_as' must come with two columns for 'logprobs', the log-probabilities of "
            f"True and of False; got {column!r} alone. Choose the other one too."
        )
    given = rows.numbers(column, finite=False)
    second = rows.numbers(other, finite=False) if other is not None else None
    read_as, kind = _kinds(rows)
    values = np.full(rows.n, np.nan)
    for way in read_as.unique():
        chosen = (read_as == way).to_numpy()
        if way == "logprobs" and second is None:
            message = "is 'logprobs', for which the log-probability of False is needed too"
            rows.report(chosen & ~np.isnan(given), str(mapping.uncertainty_kind), message)
            continue
        score, outside, requirement = as_uncertainty(way, given, second)
        message = f"must be {requirement}; got {{value}}"
        rows.report(chosen & outside, column, message, count="uncertainty_out_of_range")
        values[chosen] = score[chosen]
    return pd.Series(values), kind.mask(np.isnan(values))


def _kinds(rows: Rows) -> tuple[pd.Series, pd.Series]:
    """How to read each row's number, and the name under which it is stored.

    A column of kinds goes before the mapping: "p_true", "confidence" and "logprobs" in it say how
    to read the number; any other text describes one that is an uncertainty already.
    """
    mapping = rows.mapping
    if mapping.uncertainty_kind is None:
        stored = STORED_KIND[mapping.uncertainty_as]
        return rows.constant(mapping.uncertainty_as), rows.constant(stored)
    stated = rows.text(mapping.uncertainty_kind)
    places, distinct = pd.factorize(stated)
    words = [text.strip().casefold() for text in distinct.to_list()]
    read_as = [word if word in STORED_KIND else "uncertainty" for word in words]
    names = [
        STORED_KIND.get(word, text) for word, text in zip(words, distinct.to_list(), strict=True)
    ]
    # The last place serves code -1, a row without a kind.
    read_as.append(mapping.uncertainty_as)
    names.append(STORED_KIND[mapping.uncertainty_as])
    places = np.where(places < 0, len(words), places)
    return (
        pd.Series(read_as, dtype="str").take(places).reset_index(drop=True),
        pd.Series(names, dtype="str").take(places).reset_index(drop=True),
    )
