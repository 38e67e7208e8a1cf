"""Long work: chunks, cancel, going on, and nothing twice."""

from __future__ import annotations

import time

import pandas as pd
import pytest
from streamlit.testing.v1 import AppTest

from pages.components import long_work
from pages.components.long_work import Work, duration


def steps(number: int, seconds: float = 0.0):
    for one in range(number):
        time.sleep(seconds)
        yield pd.DataFrame({"step": [one]})


def test_advance_stops_at_what_is_wanted_and_goes_on_later() -> None:
    work = Work(steps(100), 2, None)
    work.advance(60, 3)
    assert (len(work.parts), work.units) == (6, 3)
    work.advance(60, 5)
    assert list(work.rows(5)["step"]) == list(range(10))
    assert list(work.rows(3)["step"]) == list(range(6))


def test_advance_takes_about_the_time_it_is_given() -> None:
    work = Work(steps(1000, 0.01), 1, None)
    started = time.monotonic()
    work.advance(0.1, 1000)
    assert 0.1 <= time.monotonic() - started < 1
    assert 1 <= work.units <= 11


def test_result_is_made_once_for_each_number_of_units() -> None:
    work = Work(steps(10), 1, None)
    work.advance(60, 4)
    made = []

    def count(rows: pd.DataFrame) -> int:
        made.append(len(rows))
        return len(rows)

    assert [work.result(units, "n", count) for units in (4, 4, 2, 2)] == [4, 4, 2, 2]
    assert made == [4, 2]


def test_stopped_work_keeps_whole_units_and_knows_its_speed() -> None:
    work = Work(steps(100, 0.002), 3, None)
    work.start()
    work.advance(0.05, 30)
    work.stop()
    assert not work.running
    assert work.settled == len(work.parts) // 3
    left = work.seconds_left(30)
    assert left is not None
    assert left == pytest.approx(work.step_seconds * (90 - len(work.parts)))
    assert work.step_seconds >= 0.002


def test_time_spent_elsewhere_is_not_counted() -> None:
    work = Work(steps(100, 0.002), 1, None)
    work.try_out(100)
    before = work.step_seconds
    work.start()
    work.advance(0, work.units + 1)
    time.sleep(0.3)
    work.stop(timed=False)
    assert work.step_seconds == before


def test_trying_out_shows_nothing() -> None:
    work = Work(steps(100), 2, None)
    work.try_out(100)
    assert (work.units, work.settled) == (1, 0)
    assert work.step_seconds is not None


def test_a_slow_first_step_is_not_what_the_rest_is_expected_to_take() -> None:
    def slow_at_first():
        time.sleep(0.7)
        yield from steps(100, 0.002)

    work = Work(slow_at_first(), 1, None)
    work.try_out(100)
    assert work.step_seconds is not None
    assert work.step_seconds < 0.2
    single = Work(steps(1), 1, None)
    single.try_out(1)
    assert single.units == 1


def test_length_of_time_in_words() -> None:
    assert [duration(one) for one in (0, 1.4, 89, 90, 500)] == [
        "about 1 s", "about 1 s", "about 89 s", "about 2 min", "about 8 min",
    ]  # fmt: skip


def test_work_that_trying_it_out_finishes_is_shown() -> None:
    def small() -> None:
        import pandas as pd
        import streamlit as st

        from pages.components import long_work

        def begin():
            return long_work.Work(iter([pd.DataFrame({"step": [0]})] * 2), 1, None)

        done = long_work.draw(
            "key", begin, wanted=2, unit="splits", page="test", quick=True, shows=""
        )
        st.text(f"done {done.units} of {done.wanted}" if done else "nothing")

    at = AppTest.from_function(small).run()
    assert said(at) == "done 2 of 2"


def script() -> None:
    import time

    import pandas as pd
    import streamlit as st

    from pages.components import long_work

    begun = st.session_state.setdefault("begun", [])
    seconds = st.session_state.setdefault("seconds", 0.15)

    def steps():
        for one in range(500):
            time.sleep(seconds)
            yield pd.DataFrame({"step": [one]})

    def begin():
        begun.append(1)
        if st.session_state.get("refuse"):
            raise ValueError("There is nothing to *split*.")
        return long_work.Work(steps(), 1, None)

    long_work.begin_run()
    elsewhere = st.session_state.get("elsewhere")
    if elsewhere == "cut short":
        st.stop()  # what a click does to a run that hasn't reached the work yet
    if elsewhere == "another page":
        long_work.finish_run()
        st.stop()
    wanted = st.selectbox("Wanted", [5, 20, 40], index=1, key="wanted")
    done = long_work.draw(
        ("key", st.session_state.get("other")), begin, wanted=wanted, unit="splits", page="test",
        quick=True, shows="What will show.",
    )  # fmt: skip
    st.text(f"done {done.units} of {done.wanted}" if done else "nothing")
    long_work.finish_run()


def opened(**state) -> AppTest:
    at = AppTest.from_function(script, default_timeout=30)
    for name, value in state.items():
        at.session_state[name] = value
    return at.run()


def said(at: AppTest) -> str:
    assert not at.exception
    return str(at.text[0].value)


def test_short_work_starts_by_itself_and_moving_back_computes_nothing() -> None:
    at = opened(seconds=0.001)
    assert said(at) == "done 20 of 20"
    at.selectbox(key="wanted").set_value(5).run()
    assert said(at) == "done 5 of 5"
    at.selectbox(key="wanted").set_value(20).run()
    assert said(at) == "done 20 of 20"
    assert at.session_state["begun"] == [1]
    assert len(at.session_state[long_work._WORKS]["key", None].parts) == 20


def test_long_work_waits_for_its_button_and_says_how_long() -> None:
    at = opened()
    assert said(at) == "nothing"
    assert at.markdown[0].value == "What will show."
    assert at.button(key="test_run").label == "Run 20 splits (about 4 s)"


def test_cancel_keeps_what_is_done_and_the_rest_can_follow() -> None:
    at = opened()
    at.button(key="test_run").click().run()
    assert at.button(key="test_cancel").label == "Cancel"
    assert said(at) == "nothing"
    at.button(key="test_cancel").click().run()
    work = at.session_state[long_work._WORKS]["key", None]
    assert 2 <= work.units < 20
    assert said(at) == f"done {work.units} of 20"
    assert at.markdown[0].value.startswith(f"**{work.units} of 20 splits done.**")
    assert at.button(key="test_run").label.startswith(f"Run the other {20 - work.units} splits")
    at.button(key="test_run").click().run()
    for _ in range(20):
        if not work.running:
            break
        at.run()
    assert said(at) == "done 20 of 20"
    assert list(work.rows(20)["step"]) == list(range(20))


@pytest.mark.parametrize(("elsewhere", "goes_on"), [("cut short", True), ("another page", False)])
def test_work_stops_when_left_but_not_by_a_run_that_a_click_cut_short(
    elsewhere: str, goes_on: bool
) -> None:
    at = opened()
    at.button(key="test_run").click().run()
    work = at.session_state[long_work._WORKS]["key", None]
    assert work.running
    at.session_state["elsewhere"] = elsewhere
    at.run()
    at.session_state["elsewhere"] = None
    at.run()
    assert work.running is goes_on


def test_reason_of_a_refusal_is_shown_as_text() -> None:
    at = opened(refuse=True)
    assert said(at) == "nothing"
    assert at.warning[0].value == r"There is nothing to \*split\*\."


def test_error_in_a_step_is_not_swallowed_and_does_not_run_on() -> None:
    def failing():
        yield pd.DataFrame({"step": [0]})
        raise RuntimeError("broken")

    work = Work(failing(), 1, None)
    work.advance(60, 1)
    with pytest.raises(RuntimeError, match="broken"):
        work.advance(60, 2)
