"""The questions of a cohort: drawn topic by topic, each with its exact answer and wrong ones.

The four styles follow the manner of four public question sets; `wording.toml` holds the wordings
and how often each topic comes up.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from sample_data import hops, topics
from sample_data.drafts import one_of

WORDING_FILE = Path(__file__).with_name("wording.toml")


@dataclass(frozen=True)
class Question:
    """One question: its subject and text, the exact answer, and plausible wrong answers."""

    subject: str
    text: str
    answer: str
    wrong: tuple[str, ...]


def make_questions(style: str, n: int, *, seed: list[int]) -> list[Question]:
    """Draw `n` questions with different texts in a style of `wording.toml`, in random order."""
    rng = np.random.default_rng(seed)
    wording: dict[str, dict[str, Any]] = tomllib.loads(WORDING_FILE.read_text(encoding="utf-8"))
    used = {name: entry for name, entry in wording.items() if style in entry}
    questions: list[Question] = []
    seen: set[str] = set()
    for name, quota in _quotas({name: entry["share"] for name, entry in used.items()}, n).items():
        make = getattr(hops if style == "hops" else topics, name)
        goal, tries = len(questions) + quota, 0
        while len(questions) < goal:
            tries += 1
            if tries > 100 * quota:
                raise RuntimeError(f"Topic {name!r} has too few questions for a share of {quota}.")
            draft = make(rng)
            text = _phrase(one_of(rng, used[name][style]), draft.fields, style)
            if text in seen:
                continue
            seen.add(text)
            questions.append(Question(used[name]["subject"], text, draft.answer, draft.wrong))
    # An own stream: another wording leaves every question's subject, and so the labels, in place.
    return [questions[i] for i in np.random.default_rng([*seed, n]).permutation(n)]


def same_answer(answer: str, reference: str) -> bool:
    """Tell whether two answers say the same: case, thousands separators and a full stop aside."""
    return _bare(answer) == _bare(reference)


def with_separators(answer: str) -> str:
    """Write a whole number from 1,000 on with thousands separators; leave other answers alone."""
    return f"{int(answer):,}" if answer.isdecimal() and int(answer) >= 1000 else answer


def _bare(answer: str) -> str:
    return answer.strip().rstrip(".").replace(",", "").casefold()


def _phrase(wording: str, fields: Mapping[str, str], style: str) -> str:
    text = wording.format(**fields)
    if style == "query":
        return text.lower().replace("°c", "°C").replace("°f", "°F")
    return text[0].upper() + text[1:]


def _quotas(share: Mapping[str, int], n: int) -> dict[str, int]:
    """Split `n` in proportion to the shares; what rounding leaves goes to the first topics."""
    total = sum(share.values())
    quota = {name: n * part // total for name, part in share.items()}
    for name in list(quota)[: n - sum(quota.values())]:
        quota[name] += 1
    return quota
