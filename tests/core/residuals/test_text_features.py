from __future__ import annotations

import math

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.residuals import wordlists
from core.residuals.text_features import FAMILIES, FIELDS, SUPPORT, TEXT_FEATURES, text_features
from core.residuals.text_parts import Text, plain_number, syllables


def value(name: str, **texts: object) -> float:
    """One record's feature."""
    made = text_features(pd.DataFrame({field: [text] for field, text in texts.items()}))
    return made[name][0] if name in made else math.nan


def test_text_features_are_named_once_and_described() -> None:
    names = [feature.name for feature in TEXT_FEATURES]
    assert len(set(names)) == len(names)
    for feature in TEXT_FEATURES:
        assert feature.family in FAMILIES
        assert set(feature.needs) <= {*FIELDS, SUPPORT}
        assert feature.description.endswith(".")
    assert {feature.family for feature in TEXT_FEATURES} == set(FAMILIES)


@pytest.mark.parametrize(
    ("name", "texts", "wanted"),
    [
        ("question words", {"question": "Who's the king_of Spain?"}, 5),
        ("question words", {"question": "谁是西班牙国王？"}, 7),
        ("question words", {"question": "हिन्दी भाषा"}, 2),
        ("question words", {"question": "من هو مَلِك إسبانيا؟"}, 4),
        ("question words", {"question": "😀 🎉"}, 0),
        ("question words", {"question": 42}, 1),
        ("answer words", {"answer": "It’s 3.5 km."}, 4),
        ("explanation words", {"explanation": "Fully supported."}, 2),
        ("support words", {"reference": "one two", "evidence": "three"}, 3),
        ("explanation hedges", {"explanation": "Perhaps it is LIKELY, likely so"}, 3),
        ("answer hedges", {"answer": "Paris"}, 0),
        ("question hedges", {"question": "About how many, roughly?"}, 2),
        # Content words: paris, capital, france; two of them are there.
        (
            "answer found in support",
            {"answer": "Paris is the capital of France", "evidence": "PARIS, France."},
            2 / 3,
        ),
        ("answer found in support", {"answer": "Yes, it is", "evidence": "x"}, math.nan),
        (
            "reference found in answer",
            {"answer": "Paris", "reference": "Paris, in the north"},
            1 / 2,
        ),
        ("unsupported numbers", {"answer": "1,500 of 3", "reference": "1500.0 and three"}, 0),
        ("unsupported numbers", {"answer": "12, 12 and 13 men", "reference": "13"}, 1),
        ("unsupported numbers", {"answer": "no number", "reference": "13"}, 0),
        ("unsupported numbers", {"answer": "1984 sheep", "reference": "1,984 sheep"}, 0),
        ("unsupported numbers", {"answer": "٣", "reference": "3"}, 0),
        ("unsupported dates", {"answer": "1984 sheep", "reference": "1,984 sheep"}, 0),
        ("unsupported dates", {"answer": "5 March 2021", "reference": "2021-03-05"}, 0),
        ("unsupported dates", {"answer": "in 2021", "reference": "2021-03-05"}, 0),
        ("unsupported dates", {"answer": "March 5", "reference": "the 5th of March, 2021"}, 0),
        ("unsupported dates", {"answer": "March 5, 2021", "reference": "in 2021"}, 1),
        ("unsupported dates", {"answer": "March 6, 2021", "reference": "March 5, 2021"}, 1),
        ("unsupported dates", {"answer": "3/5/2021", "reference": "5 March 2021"}, 0),
        ("unsupported dates", {"answer": "3/5/2021", "reference": "3 May 2021"}, 0),
        ("unsupported dates", {"answer": "3/5/2021", "reference": "4 May 2021"}, 1),
        ("unsupported dates", {"answer": "1999, 2000", "reference": "x", "evidence": "2000"}, 1),
        ("question time words", {"question": "Who is the CURRENT president today?"}, 2),
        ("question time words", {"question": "Who won this year, and last March?"}, 1),
        ("question time words", {"question": "What changed in 2023, not in 1999?"}, 1),
        ("question time words", {"question": "Who built the Louvre?"}, 0),
        ("answer negations", {"answer": "It isn’t and won't; never, not cannot"}, 5),
        ("answer numbers and dates", {"answer": "7 of 7 in May 2020, 8 left"}, 3),
        ("answer quoted share", {"answer": 'say "abcd" ok'}, 4 / 13),
        ("answer quoted share", {"answer": "„ab“ «c»"}, 3 / 8),
        ("answer quoted share", {"answer": 'an open " quote'}, 0),
        # Six words of seven syllables in one sentence.
        (
            "answer reading ease",
            {"answer": "The cat sat on the table."},
            206.835 - 1.015 * 6 - 84.6 * 7 / 6,
        ),
        ("answer reading ease", {"answer": "Кошка сидит."}, math.nan),
        ("answer reading ease", {"answer": "42"}, math.nan),
        ("answer letters not a–z", {"answer": "été!"}, 2 / 3),
        ("answer letters not a–z", {"answer": "plain 123"}, 0),
        ("answer letters not a–z", {"answer": "123 😀"}, math.nan),
        ("answer English stopwords", {"answer": "It is the Louvre"}, 3 / 4),
        ("answer English stopwords", {"answer": "Es ist ja so"}, 1 / 4),
    ],
)
def test_text_features_by_hand(name: str, texts: dict, wanted: float) -> None:
    assert value(name, **texts) == pytest.approx(wanted, nan_ok=True)


def test_every_text_feature_has_a_hand_worked_value() -> None:
    (mark,) = test_text_features_by_hand.pytestmark
    assert {case[0] for case in mark.args[1]} == {feature.name for feature in TEXT_FEATURES}


@pytest.mark.parametrize("missing", [None, np.nan, pd.NA, pd.NaT, "", " \n\t"])
def test_text_features_are_missing_where_a_text_is(missing: object) -> None:
    texts = pd.DataFrame(
        {"answer": ["Yes.", missing, "No."], "evidence": ["Yes", "no", missing]}, dtype=object
    )
    made = text_features(texts)
    assert made["answer words"].isna().tolist() == [False, True, False]
    assert made["support words"].isna().tolist() == [False, False, True]
    assert made["unsupported numbers"].isna().tolist() == [False, True, True]


def test_text_features_leaves_out_what_no_record_has() -> None:
    made = text_features(pd.DataFrame({"answer": ["42", "7"], "question": [None, ""]}))
    assert "question words" not in made
    assert "answer reading ease" not in made
    assert "unsupported numbers" not in made
    assert "answer words" in made
    order = [feature.name for feature in TEXT_FEATURES if feature.name in made]
    assert list(made) == order
    assert (made.dtypes == np.float64).all()
    assert text_features(pd.DataFrame({"answer": []})).shape == (0, 0)


def test_text_features_keeps_the_index_and_passes_over_other_columns() -> None:
    texts = pd.DataFrame({"answer": ["a", "b c"], "score": [1, 2]}, index=["x", "x"])
    made = text_features(texts)
    assert made.index.tolist() == ["x", "x"]
    assert made["answer words"].tolist() == [1, 2]


def test_text_features_refuses_a_table_without_texts() -> None:
    with pytest.raises(ValueError, match=r"columns question, answer.*got Answer"):
        text_features(pd.DataFrame({"Answer": ["x"]}))
    with pytest.raises(ValueError, match="each once"):
        text_features(pd.DataFrame([["a", "b"]], columns=["answer", "answer"]))
    with pytest.raises(ValueError, match="must be a DataFrame"):
        text_features({"answer": ["x"]})


@given(st.lists(st.tuples(*[st.one_of(st.none(), st.text())] * 5), min_size=1, max_size=5))
def test_text_features_of_any_text_are_in_range(rows: list) -> None:
    made = text_features(pd.DataFrame(rows, columns=list(FIELDS), dtype=object))
    assert not np.isinf(made.to_numpy()).any()
    for name in made:
        known = made[name].dropna()
        if name != "answer reading ease":
            assert (known >= 0).all()
        if "share" in name or "found" in name or "stopwords" in name or "not a–z" in name:
            assert (known <= 1).all()
    # A record's features are its own.
    alone = text_features(pd.DataFrame(rows[:1], columns=list(FIELDS), dtype=object))
    for name in alone:
        assert alone[name][0] == pytest.approx(made[name][0])


HOSTILE = {
    "letters": "a",
    "figures": "1",
    "figures and commas": "1,",
    "figures and points": "1.",
    "figures and spaces": "1 ",
    "dates": "1/1/",
    "day and gap": "1st  ,",
    "months": "march ",
    "march": "march",
    "month and gap": "may  , ",
    "apostrophes": "a'",
    "curly apostrophes": "é’",
    "exclamation marks": "!",
    "straight quotes": '"',
    "opening quotes": "“",
    "low quotes": "„",
    "guillemets": "«",
    "corners": "「",
    "spaces": " ",
    "accents": "\u0301\u0323",
    "Han": "国",
    "emoji": "👩‍👩‍👧",
    "hebrew": "שָׁלוֹם ",
    "letters of e": "ee",
}


@pytest.mark.parametrize("piece", HOSTILE.values(), ids=HOSTILE)
def test_text_features_of_a_hostile_megabyte(piece: str) -> None:
    """If a failed match scanned to the end from every place, this would take hours."""
    text = (piece * (1_000_000 // len(piece))) + "x"
    record = pd.DataFrame({field: [text] for field in ("question", "answer", "evidence")})
    made = text_features(record)
    assert not made.isna().all(axis=None)


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("1,234.50", "1234.5"), ("1.234,5", "1234.5"), ("1.234.567", "1234567"), ("0.50", "0.5"),
        ("1.500", "1.5"), ("1,500", "1500"), ("12,5", "12.5"), ("000", "0"), ("1.2.3", "1.2.3"),
        ("1" * 5000, "1" * 5000), ("１２", "12"),
    ],
)  # fmt: skip
def test_plain_number(text: str, wanted: str) -> None:
    assert plain_number(text) == wanted


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("2021-03-05", [((2021, 3, 5),)]),
        ("2021/3/5 and 2021.03.05", [((2021, 3, 5),)] * 2),
        ("13/3/2021", [((2021, 3, 13),)]),
        ("3/4/2021", [((2021, 4, 3), (2021, 3, 4))]),
        ("Mar. 5, 2021", [((2021, 3, 5),)]),
        ("5th of March", [((None, 3, 5),)]),
        ("SEPT 2001", [((2001, 9, None),)]),
        ("from 1914 to 1918.", [((1914, None, None),), ((1918, None, None),)]),
        ("1914.5 or 21914 or 2,014 or 3.1914", []),
        ("2021-13-05", []),
        ("40 March", []),
        ("dismay 5, smart 2020", [((2020, None, None),)]),
        ("You may go. 7 men", []),
    ],
)
def test_dates_of_a_text(text: str, wanted: list) -> None:
    assert sorted(Text(text).dates, key=str) == sorted(wanted, key=str)


def test_dates_leave_the_numbers_alone() -> None:
    assert Text("5 March 2021: 3 of 12").numbers == {"3", "12"}
    assert Text("2021-13-05").numbers == {"2021", "13", "5"}


@pytest.mark.parametrize(
    ("word", "wanted"), [("tree", 1), ("be", 1), ("little", 2), ("name", 1), ("banana", 3), ("", 1)]
)
def test_syllables(word: str, wanted: int) -> None:
    assert syllables(word) == wanted


def test_wordlists_hold_words_that_a_text_can_yield() -> None:
    for words in (wordlists.STOPWORDS, wordlists.HEDGES, wordlists.NEGATIONS, wordlists.TIME_WORDS,
                  wordlists.TIME_POINTERS, wordlists.TIME_UNITS, wordlists.NUMBER_WORDS,
                  wordlists.MONTHS):  # fmt: skip
        assert words
        for word in words:
            assert Text(word).words == [word]
    assert "one" not in wordlists.NUMBER_WORDS
    assert sorted(set(wordlists.MONTHS.values())) == list(range(1, 13))
