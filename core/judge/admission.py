"""Admission functions: is an answer right, by comparing its words with known good answers.

The two string comparisons of the JRA paper's three admission functions (arXiv 2608.17994, eq. 1 and
section 4); its third, an LLM evaluator, comes as imported labels.

References
----------
P. Rajpurkar, J. Zhang, K. Lopyrev, P. Liang, SQuAD: 100,000+ questions for machine comprehension of
text, EMNLP 2016, for the normalisation and the token F1.
"""

from __future__ import annotations

import ast
import json
import re
import string
from collections import Counter
from collections.abc import Sequence

#: The paper admits an answer from this token F1 on.
F1_THRESHOLD = 0.5

_ARTICLES = re.compile(r"\b(a|an|the)\b")
_PUNCTUATION = str.maketrans("", "", string.punctuation)


def normalise(text: str) -> str:
    """Lower the case, drop punctuation and English articles, and join words by one space.

    Examples
    --------
    >>> normalise("The  Marshall-Islands!")
    'marshallislands'
    """
    bare = text.lower().translate(_PUNCTUATION)
    return " ".join(_ARTICLES.sub(" ", bare).split())


def exact_match(answer: str, references: Sequence[str]) -> bool:
    """Tell whether an answer equals one of the references after `normalise`.

    Raises
    ------
    ValueError
        If there is no reference.

    Examples
    --------
    >>> exact_match("the Nile.", ["Nile", "Amazon"])
    True
    """
    _check(references)
    return normalise(answer) in {normalise(reference) for reference in references}


def token_f1(answer: str, references: Sequence[str]) -> float:
    """Give the largest F1 of shared words between an answer and any of the references.

    Parameters
    ----------
    answer : str
    references : sequence of str
        At least one.

    Returns
    -------
    float
        In [0, 1]. Where answer or reference has no word left, 1.0 if both have none, else 0.0.

    Raises
    ------
    ValueError
        If there is no reference.

    Examples
    --------
    >>> round(token_f1("river Nile in Egypt", ["the Nile"]), 2)
    0.4
    """
    _check(references)
    words = Counter(normalise(answer).split())
    return max(_f1(words, Counter(normalise(reference).split())) for reference in references)


def split_references(text: str) -> list[str]:
    """Read the reference cell of a record: a list of answers, as JSON or Python, or one answer.

    A list's gaps are left out, and numbers beside texts read as text. Other text is one answer,
    whatever separators it has: "and/or" is no list.

    Examples
    --------
    >>> split_references('["Nile", "River Nile"]'), split_references("Nile")
    (['Nile', 'River Nile'], ['Nile'])
    >>> split_references("['Nile', None]"), split_references('["1,200", 1200, null]')
    (['Nile'], ['1,200', '1200'])
    """
    if text.lstrip().startswith("["):
        listed = _listed(text.strip())
        # Numbers alone may be the answer: an interval, a vector.
        if listed is not None and any(isinstance(one, str) for one in listed):
            given = [str(one) for one in listed if one is not None and str(one).strip()]
            return given or [text]
    return [text]


def _listed(text: str) -> list[object] | None:
    """The list that a text is; None where it is none."""
    try:
        listed = json.loads(text)
    except json.JSONDecodeError:
        try:
            listed = ast.literal_eval(text)
        except (ValueError, SyntaxError):
            return None
        # As Python writes a list, no other literal: 'Nile' 'River' would be read as one string.
        if repr(listed).replace(" ", "") != text.replace(" ", ""):
            return None
    return listed if isinstance(listed, list) else None


def _f1(answer: Counter[str], reference: Counter[str]) -> float:
    if not answer or not reference:
        return float(answer == reference)
    shared = (answer & reference).total()
    return 2 * shared / (answer.total() + reference.total())


def _check(references: Sequence[str]) -> None:
    if isinstance(references, str) or not references:
        raise ValueError(f"'references' must be a list of at least one answer; got {references!r}.")
