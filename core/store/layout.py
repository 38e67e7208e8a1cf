"""The records format: its columns, and how names travel in column headers."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

COLUMNS: Final = (
    "id",
    "question",
    "answer",
    "candidate",
    "reference",
    "judge",
    "judge_kind",
    "mode",
    "verdict",
    "uncertainty",
    "uncertainty_kind",
    "explanation",
    "failure_cause",
    "evidence",
    "spans",
)
# Columns that older files lack. In a hash of records they count only where they say something.
LATER_COLUMNS: Final = frozenset({"evidence", "spans"})
JUDGE_KINDS: Final = ("model", "simulated", "rule")
DEFAULT_ANNOTATOR: Final = "1"
_MODE_NUMBER: Final = re.compile(r"\s*(?:mode)?[ _-]?([12])\s*", re.IGNORECASE)

# What a spreadsheet would run. An export puts one apostrophe before it, and an import in the
# records format takes one off; apostrophes in front belong to it, so that this can be undone.
FORMULA: Final = r"'*[=+\-@\t\r\n＝＋－＠]"


@dataclass(frozen=True)
class LabelColumn:
    """A column of labels, and who gave them."""

    column: str
    source: str = "human"
    annotator: str = DEFAULT_ANNOTATOR


@dataclass(frozen=True)
class FeatureColumn:
    """A column of numbers for the residual models; `family` groups them."""

    column: str
    family: str
    name: str


@dataclass(frozen=True)
class StratumColumn:
    """A column that sorts items into groups."""

    column: str
    name: str


def mode_label(text: str) -> str:
    """The stored name of a mode: "1", "Mode 2" and the like become "mode1" and "mode2".

    Examples
    --------
    >>> mode_label("Mode 1"), mode_label("2"), mode_label("self-evaluation")
    ('mode1', 'mode2', 'self-evaluation')
    """
    found = _MODE_NUMBER.fullmatch(text)
    return f"mode{found[1]}" if found else text


def label_header(source: str, annotator: str) -> str:
    """Header of an annotator's labels; a colon in the source is written ``%3A``.

    Examples
    --------
    >>> label_header("panel: A", "anna")
    'label:panel%3A A:anna'
    """
    return f"label:{_quote(source)}:{annotator}"


def feature_header(family: str, name: str) -> str:
    """Header of a feature; a colon in the family is written ``%3A``."""
    return f"feature:{_quote(family)}:{name}"


def stratum_header(name: str) -> str:
    """Header of a stratum."""
    return f"stratum:{name}"


def read_header(column: str) -> LabelColumn | FeatureColumn | StratumColumn | None:
    """Read a header of the three kinds above; None when it is another column.

    Examples
    --------
    >>> read_header("label:panel%3A A:anna")
    LabelColumn(column='label:panel%3A A:anna', source='panel: A', annotator='anna')
    >>> read_header("answer") is None
    True
    """
    prefix, _, rest = column.partition(":")
    first, _, second = rest.partition(":")
    if prefix == "label" and first:
        return LabelColumn(column, _unquote(first), second or DEFAULT_ANNOTATOR)
    if prefix == "feature" and first and second:
        return FeatureColumn(column, _unquote(first), second)
    if prefix == "stratum" and rest:
        return StratumColumn(column, rest)
    return None


def is_records_format(header: Sequence[str]) -> bool:
    """True when a header is exactly what an export writes, or an older one wrote."""
    fixed = [column for column in COLUMNS if column in header or column not in LATER_COLUMNS]
    return list(header[: len(fixed)]) == fixed and all(
        read_header(column) is not None for column in header[len(fixed) :]
    )


def _quote(text: str) -> str:
    return text.replace("%", "%25").replace(":", "%3A")


def _unquote(text: str) -> str:
    return text.replace("%3A", ":").replace("%25", "%")
