"""Settings in the URL: read once, mended in sight, kept across pages."""

from __future__ import annotations

import json
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st
from streamlit.testing.v1 import AppTest

from pages.components import link_state


def script() -> None:
    import streamlit as st

    from pages.components import link_state, words

    link_state.begin()
    alpha = link_state.number("alpha", low=0.005, high=0.5, default=0.2)
    mode = link_state.choice("mode", ("both", "1", "2"), default="both")
    link_state.notices()
    options = link_state.grid("alpha", (0.1, 0.2, 0.3), alpha)
    link_state.keep("alpha_slider", alpha)
    st.select_slider(
        "α",
        options,
        key="alpha_slider",
        format_func=words.setting,
        on_change=link_state.changed,
        args=("alpha_slider", lambda value: {"alpha": link_state.text(value)}),
    )
    link_state.keep("mode_choice", mode)
    st.selectbox(
        "Mode",
        ("both", "1", "2"),
        key="mode_choice",
        on_change=link_state.changed,
        args=("mode_choice", lambda value: {"mode": value}),
    )
    st.button("Set", key="set", on_click=link_state.put, args=({"alpha": "0.3"},))
    st.text(f"{alpha!r} {mode}")
    link_state.finish()


def opened(**link: str) -> AppTest:
    at = AppTest.from_function(script, default_timeout=20)
    for name, value in link.items():
        at.query_params[name] = value
    return at.run()


def shown(at: AppTest) -> str:
    assert not at.exception
    return str(at.text[0].value)


@pytest.mark.parametrize("said", ["7", "abc", "", "nan", "inf", "-0.1", "0,2", "20%", "0.0049"])
def test_read_number_names_what_it_cannot_be(said: str) -> None:
    value, problem = link_state.read_number(said, low=0.005, high=0.5, default=0.2)
    assert value == 0.2
    assert problem == "must be a number from 0.005 to 0.5"


@given(st.floats(0.005, 0.5))
def test_number_comes_back_from_a_link_exactly(value: float) -> None:
    read = link_state.read_number(link_state.text(value), low=0.005, high=0.5, default=0.2)
    assert read == (value, None)
    assert not math.isnan(read[0])


def test_defaults_without_a_link() -> None:
    at = opened()
    assert shown(at) == "0.2 both"
    assert not at.warning


def test_bad_values_are_named_and_replaced() -> None:
    at = opened(alpha="7", mode="<b>3</b>")
    assert shown(at) == "0.2 both"
    text = at.warning[0].value
    assert "**alpha** in the link must be a number from 0.005 to 0.5; it says “7”. 0.2 is" in text
    assert "**mode** in the link must be one of: both, 1, 2" in text
    assert "<b>" not in text


def test_notice_goes_with_the_next_change() -> None:
    at = opened(alpha="7")
    at.selectbox(key="mode_choice").set_value("1").run()
    assert not at.warning
    assert shown(at) == "0.2 1"


def test_value_between_the_steps_is_taken_as_it_is() -> None:
    at = opened(alpha="0.123")
    assert shown(at) == "0.123 both"
    assert not at.warning
    assert at.select_slider(key="alpha_slider").value == 0.123
    at.select_slider(key="alpha_slider").set_value(0.1).run()
    assert shown(at) == "0.1 both"
    at.select_slider(key="alpha_slider").set_value(0.123).run()
    assert shown(at) == "0.123 both"


def test_link_opened_in_the_same_session_wins_once() -> None:
    at = opened(alpha="0.3", mode="2")
    assert shown(at) == "0.3 2"
    at.select_slider(key="alpha_slider").set_value(0.1).run()
    assert shown(at) == "0.1 2"
    at.query_params["alpha"] = "0.2"
    at.run()
    assert shown(at) == "0.2 2"
    assert at.select_slider(key="alpha_slider").value == 0.2


def test_page_can_set_what_a_control_shows() -> None:
    at = opened()
    at.button(key="set").click().run()
    assert shown(at) == "0.3 both"
    assert at.select_slider(key="alpha_slider").value == 0.3


def test_names_in_the_url_cannot_end_the_script() -> None:
    nasty = {"cohort": "</script><img src=x onerror=alert(1)>\"'\\\u2028"}
    literal = link_state._literal(nasty)
    assert "<" not in literal
    assert json.loads(json.loads(literal)) == nasty


def two_pages() -> None:
    import streamlit as st

    from pages.components import link_state

    link_state.begin()
    link_state.number("alpha", low=0.005, high=0.5, default=0.2)
    if st.toggle("Other page", key="other"):
        link_state.choice("view", ("a", "b"), default="a")
    st.text(" ".join(sorted(link_state._ordered(link_state._settings()))))
    link_state.finish()


def test_setting_of_one_page_stays_out_of_the_url_of_another() -> None:
    at = AppTest.from_function(two_pages, default_timeout=20)
    at.query_params["view"] = "b"
    at.run()
    assert shown(at) == "alpha"
    at.toggle(key="other").set_value(True).run()
    assert shown(at) == "alpha view"
    assert at.session_state["link_settings"]["view"] == "b"
    at.toggle(key="other").set_value(False).run()
    assert shown(at) == "alpha"
