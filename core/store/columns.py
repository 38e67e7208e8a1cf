"""Single columns of a cohort, in the order of `load_judged`: features, answers, evidence."""

from __future__ import annotations

import json

import numpy as np
from numpy.typing import NDArray

from core.store.database import Database

_ITEMS = (
    "SELECT item_id, answer, reference FROM items "
    "WHERE cohort_id = $cohort AND ($candidate IS NULL OR candidate = $candidate)"
)


def list_features(db: Database, cohort_id: str) -> list[tuple[str, str]]:
    """Family and name of every numeric feature of a cohort, in that order."""
    with db.cursor() as cursor:
        rows = cursor.execute(
            "SELECT DISTINCT family, name FROM features WHERE cohort_id = $1 ORDER BY ALL",
            [cohort_id],
        ).fetchall()
    return [(family, name) for family, name in rows]


def load_feature(
    db: Database, cohort_id: str, family: str, name: str, *, candidate: str | None = None
) -> NDArray[np.float64]:
    """Load one feature of every item, ordered by item id.

    Returns
    -------
    array of shape (n,)
        NaN where an item has no value.
    """
    with db.cursor() as cursor:
        found = cursor.execute(
            f"""
            SELECT value FROM ({_ITEMS}) LEFT JOIN (
                SELECT item_id, value FROM features
                WHERE cohort_id = $cohort AND family = $family AND name = $name
            ) USING (item_id) ORDER BY item_id
            """,
            {"cohort": cohort_id, "candidate": candidate, "family": family, "name": name},
        ).fetchnumpy()["value"]
    return np.ma.filled(np.ma.asarray(found, dtype=np.float64), np.nan)


def load_answers(
    db: Database, cohort_id: str, *, candidate: str | None = None
) -> list[tuple[str | None, str | None]]:
    """Load answer and reference of every item, ordered by item id."""
    with db.cursor() as cursor:
        return cursor.execute(
            f"SELECT answer, reference FROM ({_ITEMS}) ORDER BY item_id",
            {"cohort": cohort_id, "candidate": candidate},
        ).fetchall()


def has_references(db: Database, cohort_id: str) -> bool:
    """Tell whether any item has both an answer and a reference to compare it with."""
    with db.cursor() as cursor:
        found = cursor.execute(
            "SELECT count(*) FROM items "
            "WHERE cohort_id = $1 AND answer IS NOT NULL AND reference IS NOT NULL",
            [cohort_id],
        ).fetchall()
    return bool(found[0][0])


def load_evidence(
    db: Database, cohort_id: str, judge: str, mode: str, *, candidate: str | None = None
) -> list[list[str] | None]:
    """Load the URLs that a judge's mode used for every item, best first, ordered by item id.

    Returns
    -------
    list of list of str, or None
        None where an item has no evidence. A cell holds a JSON list of URLs, or of objects with a
        ``url``; anything else is one URL a line.
    """
    with db.cursor() as cursor:
        rows = cursor.execute(
            f"""
            SELECT evidence FROM ({_ITEMS}) LEFT JOIN (
                SELECT item_id, evidence FROM verdicts
                WHERE cohort_id = $cohort AND judge = $judge AND mode = $mode
            ) USING (item_id) ORDER BY item_id
            """,
            {"cohort": cohort_id, "candidate": candidate, "judge": judge, "mode": mode},
        ).fetchall()
    return [None if text is None else read_urls(text) for (text,) in rows]


def read_urls(text: str) -> list[str]:
    """Read a cell of evidence.

    Examples
    --------
    >>> read_urls('["a.org", {"url": "b.org", "title": "B"}]'), read_urls("a.org")
    (['a.org', 'b.org'], ['a.org'])
    """
    try:
        listed = json.loads(text)
    except json.JSONDecodeError:
        return [line.strip() for line in text.splitlines() if line.strip()]
    if not isinstance(listed, list):
        return [text]
    return [str(one.get("url", "")) if isinstance(one, dict) else str(one) for one in listed]
