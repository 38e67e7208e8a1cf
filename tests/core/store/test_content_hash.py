"""The hash of a cohort's content."""

from __future__ import annotations

import pandas as pd
import pytest

from core.store.content_hash import KEYS, content_hash
from core.store.imports import FeatureColumn, LabelColumn, Mapping, PreparedCohort, StratumColumn
from core.store.writers import to_jsonl
from tests.core.store.helpers import prepare_text

MAPPING = Mapping(
    id="id",
    question="q",
    verdict="v",
    uncertainty="u",
    explanation="e",
    labels=(LabelColumn("h"),),
    features=(FeatureColumn("f", "text", "f"),),
    strata=(StratumColumn("s", "s"),),
)
BASE = "id,q,v,u,e,h,f,s\n1,x,yes,.5,,1,2,a\n2,yz,no,0,why,0,,b\n3,,,,,,3,\n"


def hash_of(prepared: PreparedCohort) -> str:
    return content_hash({name: getattr(prepared, name) for name in KEYS})


def test_content_hash_ignores_row_order_and_spelling() -> None:
    lines = BASE.splitlines(keepends=True)
    shuffled = lines[0] + lines[3] + lines[1] + lines[2]
    spelled = BASE.replace("yes", " TRUE").replace(",.5,", ",0.50,").replace(",0,why", ",-0.0,why")
    assert shuffled != BASE
    assert spelled != BASE
    expected = hash_of(prepare_text(BASE, MAPPING))
    assert hash_of(prepare_text(shuffled, MAPPING)) == expected
    assert hash_of(prepare_text(spelled, MAPPING)) == expected
    assert len(expected) == 64


def test_content_hash_ignores_the_format() -> None:
    header, *lines = (line.split(",") for line in BASE.splitlines())
    rows = [dict(zip(header, line, strict=True)) for line in lines]
    jsonl = to_jsonl(pd.DataFrame(rows)).decode()
    got = prepare_text(jsonl, MAPPING, name="a.jsonl")
    assert hash_of(got) == hash_of(prepare_text(BASE, MAPPING))


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("1,x", "10,x"),
        ("x,yes", "X,yes"),
        ("yes", "no"),
        (".5", "0.5000000000000001"),
        (",0,why", ",,why"),
        ("why", ""),
        ("why", "'why"),
        (",1,2,a", ",0,2,a"),
        (",1,2,a", ",,2,a"),
        (",2,a", ",2,b"),
        ("2,yz", "2,y"),
        ("2,yz,no,0,why,0,,b", "2,yz,no,0,why,0,,ab"),
        ("3,,,,,,3,\n", ""),
    ],
)
def test_content_hash_sees_every_change(old: str, new: str) -> None:
    assert BASE.count(old) == 1
    changed = prepare_text(BASE.replace(old, new), MAPPING)
    assert hash_of(changed) != hash_of(prepare_text(BASE, MAPPING))


def test_content_hash_keeps_neighbouring_cells_apart() -> None:
    mapping = Mapping(id="id", question="q", answer="a")
    one = prepare_text("id,q,a\n1,ab,c\n", mapping)
    two = prepare_text("id,q,a\n1,a,bc\n", mapping)
    three = prepare_text("id,q,a\n1,abc,\n", mapping)
    assert len({hash_of(one), hash_of(two), hash_of(three)}) == 3


def test_content_hash_keeps_neighbouring_rows_apart() -> None:
    mapping = Mapping(id="id", question="q")
    one = prepare_text("id,q\n1,ab\n2,c\n", mapping)
    two = prepare_text("id,q\n1,a\n2,bc\n", mapping)
    assert hash_of(one) != hash_of(two)


def test_content_hash_is_stable() -> None:
    """A policy file holds this hash, so a release that changes it has to say so."""
    expected = "29f470d68f7cc6ca9f5e9c542765aab137c933f0dd391b06a678a41327407f3a"
    assert hash_of(prepare_text(BASE, MAPPING)) == expected
