"""Features of a judged record that its texts alone give, without a call to a model."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
import pandas as pd

from core.residuals.text_parts import Text, syllables
from core.residuals.wordlists import (
    HEDGES,
    NEGATIONS,
    STOPWORDS,
    TIME_POINTERS,
    TIME_UNITS,
    TIME_WORDS,
)

FIELDS = ("question", "answer", "reference", "evidence", "explanation")
#: The reference and the evidence, whichever are there: what an answer is held against.
SUPPORT = "support"
#: A question that names this year or a later one is taken to be about the present.
RECENT_YEAR = 2020
FAMILIES = ("judge output", "evidence", "task", "answer")
NAN = float("nan")

Texts = dict[str, Text]


@dataclass(frozen=True)
class TextFeature:
    """One feature: what it is called, where it belongs, what it says and what it reads.

    Attributes
    ----------
    name : str
    family : str
        "judge output", "evidence", "task" or "answer".
    description : str
        A sentence a reader can check the value by.
    needs : tuple of str
        Texts without which it is missing; "support" is the reference or the evidence.
    compute : callable
        From a record's texts to a float.
    """

    name: str
    family: str
    description: str
    needs: tuple[str, ...]
    compute: Callable[[Texts], float]


def _words(field: str) -> Callable[[Texts], float]:
    return lambda texts: len(texts[field].words)


def _among(field: str, wanted: frozenset[str]) -> Callable[[Texts], float]:
    def compute(texts: Texts) -> float:
        text = texts[field]
        if wanted.isdisjoint(text.distinct):
            return 0
        return sum(map(wanted.__contains__, text.words))

    return compute


def _negations(texts: Texts) -> float:
    text = texts["answer"]
    count = sum(map(NEGATIONS.__contains__, text.words))
    if "n't" in text.lower or "n’t" in text.lower:
        count += sum(word.endswith("n't") for word in text.words)
    return count


def _overlap(texts: Texts) -> float:
    content = texts["answer"].distinct - STOPWORDS
    return len(content & texts[SUPPORT].distinct) / len(content) if content else NAN


def _reference_covered(texts: Texts) -> float:
    content = texts["reference"].distinct - STOPWORDS
    return len(content & texts["answer"].distinct) / len(content) if content else NAN


def _unsupported_numbers(texts: Texts) -> float:
    stated = texts["answer"].numbers
    return len(stated - texts[SUPPORT].known_numbers) if stated else 0


def _unsupported_dates(texts: Texts) -> float:
    stated = set(texts["answer"].dates)
    if not stated:
        return 0
    known = texts[SUPPORT].known_dates
    return sum(not any(reading in known for reading in readings) for readings in stated)


def _numbers(texts: Texts) -> float:
    return len(texts["answer"].numbers) + len(set(texts["answer"].dates))


def _quoted(texts: Texts) -> float:
    return texts["answer"].quoted / len(texts["answer"].raw)


def _reading_ease(texts: Texts) -> float:
    text = texts["answer"]
    words = text.words
    if not words or not text.letters or 2 * text.foreign_letters > text.letters:
        return NAN
    count = len(words)
    spoken = sum(map(syllables, words))
    ease = 206.835 - 1.015 * count / text.sentences - 84.6 * spoken / count
    return min(max(ease, -100.0), 121.22)


def _foreign(texts: Texts) -> float:
    text = texts["answer"]
    return text.foreign_letters / text.letters if text.letters else NAN


def _english(texts: Texts) -> float:
    words = texts["answer"].words
    return sum(map(STOPWORDS.__contains__, words)) / len(words) if words else NAN


def _time_words(texts: Texts) -> float:
    text = texts["question"]
    words = text.words
    count = sum(map(TIME_WORDS.__contains__, words))
    if not TIME_POINTERS.isdisjoint(text.distinct):
        count += sum(
            first in TIME_POINTERS and second in TIME_UNITS for first, second in pairwise(words)
        )
    return count + sum((readings[0][0] or 0) >= RECENT_YEAR for readings in text.dates)


TEXT_FEATURES: tuple[TextFeature, ...] = (
    TextFeature(
        "explanation words", "judge output",
        "Words in the judge's explanation; each Chinese or Japanese character counts as one.",
        ("explanation",), _words("explanation"),
    ),
    TextFeature(
        "explanation hedges", "judge output",
        "Hedging words (perhaps, likely, unclear …) in the judge's explanation.",
        ("explanation",), _among("explanation", HEDGES),
    ),
    TextFeature(
        "support words", "evidence",
        "Words in the reference and the evidence together.",
        (SUPPORT,), _words(SUPPORT),
    ),
    TextFeature(
        "answer found in support", "evidence",
        "Share of the answer's different content words that the reference or evidence contains; "
        "missing where the answer has none.",
        ("answer", SUPPORT), _overlap,
    ),
    TextFeature(
        "reference found in answer", "evidence",
        "Share of the reference's different content words that the answer contains; missing where "
        "the reference has none.",
        ("answer", "reference"), _reference_covered,
    ),
    TextFeature(
        "unsupported numbers", "evidence",
        "Different numbers in figures in the answer that the reference and evidence don't contain, "
        "in figures or, up to twenty, in words; dates are counted apart.",
        ("answer", SUPPORT), _unsupported_numbers,
    ),
    TextFeature(
        "unsupported dates", "evidence",
        "Different dates and years in the answer that the reference and evidence neither contain "
        "nor imply; a day is not implied by its year. Where 3/4/2021 can be read two ways, either "
        "reading will do.",
        ("answer", SUPPORT), _unsupported_dates,
    ),
    TextFeature(
        "question words", "task",
        "Words in the question; each Chinese or Japanese character counts as one.",
        ("question",), _words("question"),
    ),
    TextFeature(
        "question time words", "task",
        "Signs that the question's answer changes with time: words (latest, current, today …), "
        f"pairs (this year, next week …) and dates from {RECENT_YEAR} on.",
        ("question",), _time_words,
    ),
    TextFeature(
        "question hedges", "task",
        "Hedging words (about, usually, possible …) in the question.",
        ("question",), _among("question", HEDGES),
    ),
    TextFeature(
        "answer words", "answer",
        "Words in the answer; each Chinese or Japanese character counts as one.",
        ("answer",), _words("answer"),
    ),
    TextFeature(
        "answer hedges", "answer",
        "Hedging words (perhaps, likely, roughly …) in the answer.",
        ("answer",), _among("answer", HEDGES),
    ),
    TextFeature(
        "answer negations", "answer",
        "Negating words in the answer: not, no, never, without, false …, and all that end in n't.",
        ("answer",), _negations,
    ),
    TextFeature(
        "answer numbers and dates", "answer",
        "Different numbers in figures and different dates in the answer.",
        ("answer",), _numbers,
    ),
    TextFeature(
        "answer quoted share", "answer",
        "Share of the answer's characters that stand between double quotation marks.",
        ("answer",), _quoted,
    ),
    TextFeature(
        "answer reading ease", "answer",
        "Flesch reading ease of the answer, −100 to 121.22, higher is easier: 206.835 − 1.015 × "
        "words per sentence − 84.6 × syllables per word, syllables by a rule for English; missing "
        "where most letters aren't a–z.",
        ("answer",), _reading_ease,
    ),
    TextFeature(
        "answer letters not a–z", "answer",
        "Share of the answer's letters that aren't a–z: a sign of another language; missing where "
        "it has no letter.",
        ("answer",), _foreign,
    ),
    TextFeature(
        "answer English stopwords", "answer",
        "Share of the answer's words that are common English ones (the, of, is …): about .4 in "
        "English prose, near 0 in other languages and in lists; no language detection.",
        ("answer",), _english,
    ),
)  # fmt: skip


def text_features(texts: pd.DataFrame) -> pd.DataFrame:
    """Compute every text feature that the texts allow, in time linear in their length.

    Parameters
    ----------
    texts : DataFrame of shape (n, any)
        Any of the columns question, answer, reference, evidence, explanation; others are passed
        over. None, NaN and text without a visible character are missing; what is no text is
        written as text.

    Returns
    -------
    DataFrame of shape (n, number of features), of float, with the index of ``texts``
        The features of ``TEXT_FEATURES``, in their order, that have a value for at least one
        record; NaN where a needed text is missing or the feature isn't defined.

    Raises
    ------
    ValueError
        If ``texts`` is no DataFrame, has none of the columns, or has one of them twice.

    Notes
    -----
    Words are compared in lower case, letter by letter: "runs" isn't "run", and "é" as one
    character isn't "e" with an accent mark. The word lists are English; in other languages the
    counts of hedges, negations and time words are 0, not missing.

    Examples
    --------
    >>> made = text_features(
    ...     pd.DataFrame(
    ...         {
    ...             "question": ["When did the latest model appear?"],
    ...             "answer": ["It appeared on 5 March 2021, in 3 colours."],
    ...             "reference": ["The model appeared in March 2021."],
    ...         }
    ...     )
    ... )
    >>> made[["question time words", "unsupported numbers", "unsupported dates"]].values.tolist()
    [[1.0, 1.0, 1.0]]
    """
    if not isinstance(texts, pd.DataFrame):
        raise ValueError(
            f"'texts' must be a DataFrame with text columns; got {type(texts).__name__}."
        )
    present = [str(name) for name in texts.columns if name in FIELDS]
    if not present or len(set(present)) < len(present):
        raise ValueError(
            f"'texts' must have one or more of the columns {', '.join(FIELDS)}, each once; "
            f"got {', '.join(map(str, texts.columns)) or 'no column'}. Rename the columns."
        )
    given = {*present, *([SUPPORT] if {"reference", "evidence"} & set(present) else [])}
    wanted = [feature for feature in TEXT_FEATURES if given.issuperset(feature.needs)]
    columns = [texts[name].tolist() for name in present]
    rows = []
    for cells in zip(*columns, strict=True):
        record = _record(present, cells)
        rows.append([
            feature.compute(record) if all(map(record.__contains__, feature.needs)) else NAN
            for feature in wanted
        ])  # fmt: skip
    values = np.array(rows, dtype=np.float64).reshape(len(rows), len(wanted))
    kept = np.flatnonzero(~np.isnan(values).all(axis=0))
    return pd.DataFrame(values[:, kept], texts.index, [wanted[at].name for at in kept])


def _record(present: list[str], cells: tuple[Any, ...]) -> Texts:
    record = {}
    for name, cell in zip(present, cells, strict=True):
        text = cell if isinstance(cell, str) else _as_text(cell)
        if text and not text.isspace():
            record[name] = Text(text)
    support = [record[name] for name in ("reference", "evidence") if name in record]
    if support:
        # A line between them keeps a date from spanning both.
        record[SUPPORT] = (
            support[0] if len(support) == 1 else Text("\n\n\n\n".join(one.raw for one in support))
        )
    return record


def _as_text(cell: Any) -> str:
    """Return what is no str as text; nothing for a missing value."""
    if cell is None or (pd.api.types.is_scalar(cell) and pd.isna(cell)):
        return ""
    return str(cell)
