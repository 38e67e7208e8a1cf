"""Numbers and names as the pages print them."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pages.components import words


@pytest.mark.parametrize(
    ("share", "text"),
    [
        (0.783, "78.3%"),
        (0.0, "0%"),
        (1.0, "100%"),
        (0.0004, "0.04%"),
        (1 / 100_000, "0.001%"),
        (0.9996, "99.96%"),
        (math.nan, "–"),
        (None, "–"),
    ],
)
def test_percent_tells_a_share_from_none_and_all(share: float | None, text: str) -> None:
    assert words.percent(share) == text


@given(st.integers(1, 10**6), st.integers(1, 10**6))
def test_percent_prints_nothing_and_all_only_for_them(one: int, other: int) -> None:
    part, whole = sorted((one, other))
    printed = float(words.percent(part / whole)[:-1])
    assert printed > 0
    assert (printed == 100) == (part == whole)


@given(st.floats(0, 1))
def test_bound_is_never_printed_below_itself(share: float) -> None:
    printed = float(words.bound(share)[:-1]) / 100
    assert share - 1e-9 <= printed <= share + 0.001 + 1e-9


def test_bound_of_a_round_share_is_that_share() -> None:
    assert [words.bound(step / 200) for step in (1, 40, 41)] == ["0.5%", "20.0%", "20.5%"]
    assert words.bound(0.2001) == "20.1%"


def test_setting_has_all_its_digits_and_no_more() -> None:
    assert [words.setting(one) for one in (0.2, 0.005, 0.123456, 0.07, 1 - 0.05)] == [
        "20%",
        "0.5%",
        "12.3456%",
        "7%",
        "95%",
    ]


def test_plain_text_has_no_markdown_left() -> None:
    assert words.plain("![x](http://y) **b**\n# c") == (r"\!\[x\]\(http\://y\) \*\*b\*\* \# c")


def test_file_stem_leaves_out_what_a_file_name_cannot_hold() -> None:
    assert words.file_stem("a/b: c", None, "gpt 4.1", "../../etc") == "a-b-c_gpt-4.1_etc"
    assert words.file_stem(None, "??") == "assay"
