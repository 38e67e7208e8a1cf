"""Work of many steps: shown as it goes, stopped when asked, kept for the session.

The steps run in chunks of about half a second inside a fragment that the browser asks for again
and again, so that a click gets through between two chunks. What is done is kept under a key that
holds the content of the records and every setting: moving another control computes nothing anew,
and more steps of the same work go on where it stopped.
"""

from __future__ import annotations

import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Hashable, Iterator
from dataclasses import dataclass, field
from typing import Any

import pandas as pd
import streamlit as st

from pages.components import words

CHUNK = 0.5
#: Work that is expected to take no longer than this (seconds) starts by itself.
AT_ONCE = 1.5
_PAUSE = 0.1
#: What pauses and drawing add to the time that the steps take.
_OVERHEAD = 1.3
_KEPT = 40
_WORKS = "long_work"
_SHOWN, _SHOWN_BEFORE = "long_work_shown", "long_work_shown_before"


@dataclass
class Progress:
    """How fast a run goes, by the clock of the wall."""

    started: float
    done_before: int


@dataclass(eq=False)
class Work:
    """Steps done so far.

    Attributes
    ----------
    steps : iterator
        Gives what one step made: rows, as a rule.
    per_unit : int
        Steps that make one whole unit, a split of every variant for example.
    about : object
        Whatever the views want to know of what runs.
    parts : list
        What the steps done have made.
    running : bool
        Whether the page goes on with it by itself.
    settled : int
        Units done when it last stopped: what the page shows until it stops again.
    step_seconds : float or None
        How long a step took when it was tried; None where it was not.
    """

    steps: Iterator[Any]
    per_unit: int
    about: Any
    parts: list[Any] = field(default_factory=list)
    running: bool = False
    settled: int = 0
    step_seconds: float | None = None
    progress: Progress | None = None
    _results: dict[Hashable, Any] = field(default_factory=dict)
    # Streamlit may start a new run while an old one is still in a step.
    _lock: threading.Lock = field(default_factory=threading.Lock)

    @property
    def units(self) -> int:
        """Whole units done."""
        return len(self.parts) // self.per_unit

    def advance(self, seconds: float, wanted: int) -> None:
        """Do steps for about `seconds`, up to `wanted` units; at least one."""
        until = time.monotonic() + seconds
        while True:
            with self._lock:
                if self.units >= wanted:
                    return
                self.parts.append(next(self.steps))
            if time.monotonic() >= until:
                return

    def try_out(self, wanted: int) -> None:
        """Do the steps of one unit, or as many as half a second has room for, to time them.

        Two at least: the first may be slow for once, as things are loaded and compiled.
        """
        took: list[float] = []
        least = min(2, wanted * self.per_unit)
        while len(took) < least or (not self.units and sum(took) < CHUNK):
            started = time.monotonic()
            self.advance(0, wanted)
            took.append(time.monotonic() - started)
        counted = took[1:] or took
        self.step_seconds = sum(counted) / len(counted)

    def seconds_left(self, wanted: int) -> float | None:
        """About how long the rest takes; None before anything was measured."""
        left = wanted * self.per_unit - len(self.parts)
        if self.progress and len(self.parts) > self.progress.done_before:
            took = time.monotonic() - self.progress.started
            return took / (len(self.parts) - self.progress.done_before) * left
        return None if self.step_seconds is None else self.step_seconds * left

    def start(self) -> None:
        self.running = True
        self.progress = Progress(time.monotonic(), len(self.parts))

    def stop(self, *, timed: bool = True) -> None:
        """Stop; `timed` False where the clock went on while nothing was done."""
        self.running, self.settled = False, self.units
        if timed and self.progress and len(self.parts) > self.progress.done_before:
            took = time.monotonic() - self.progress.started
            self.step_seconds = took / (len(self.parts) - self.progress.done_before)
        self.progress = None

    def result(self, units: int, name: str, compute: Callable[[pd.DataFrame], Any]) -> Any:
        """What `compute` makes of the rows of the first `units` units; made once."""
        if (units, name) not in self._results:
            self._results[units, name] = compute(self.rows(units))
        return self._results[units, name]

    def rows(self, units: int) -> pd.DataFrame:
        """The rows of the first `units` units."""
        if (units, None) not in self._results:
            kept = self.parts[: units * self.per_unit]
            self._results[units, None] = pd.concat(kept, ignore_index=True)
        rows: pd.DataFrame = self._results[units, None]
        return rows


@dataclass(frozen=True)
class Done:
    """What of a piece of work can be shown: the first `units` of the `wanted`."""

    work: Work
    units: int
    wanted: int

    @property
    def about(self) -> Any:
        return self.work.about

    def rows(self) -> pd.DataFrame:
        return self.work.rows(self.units)

    def last(self) -> Any:
        """What the last of these steps made, where each includes those before it."""
        return self.work.parts[self.units * self.work.per_unit - 1]

    def result(self, name: str, compute: Callable[[pd.DataFrame], Any]) -> Any:
        """What `compute` makes of the rows; made once for the session."""
        return self.work.result(self.units, name, compute)


def begin_run() -> None:
    """Before the page, once a run: no work is drawn yet."""
    st.session_state[_SHOWN] = None


def finish_run() -> None:
    """After the page: what is on the screen now. A run that a click cut short never gets here."""
    st.session_state[_SHOWN_BEFORE] = st.session_state[_SHOWN]


def draw(
    key: Hashable,
    begin: Callable[[], Work],
    *,
    wanted: int,
    unit: str,
    page: str,
    quick: bool,
    shows: str,
    figures_of_part: bool = True,
) -> Done | None:
    """Draw start button, progress or what is missing; return what is done, None if nothing is.

    Parameters
    ----------
    key : hashable
        The content of the records and every setting that `begin` uses.
    begin : callable
        Prepares the work; a ValueError of it is shown as the reason why there is none.
    wanted : int
        Units asked for.
    unit : str
        What a unit is called, in the plural.
    quick : bool
        Whether a step is short enough to try one before anything was asked for.
    shows : str
        A sentence on what will show, while nothing is done.
    figures_of_part : bool
        Whether a part that is done is shown.
    """
    works = _works()
    work = works.get(key)
    if work is None:
        try:
            work = begin()
            if quick:
                work.try_out(wanted)
        except ValueError as error:
            st.warning(words.plain(str(error)), icon=":material/block:")
            return None
        works[key] = work
        while len(works) > _KEPT:
            works.popitem(last=False)
    works.move_to_end(key)
    st.session_state[_SHOWN] = key
    if work.running and st.session_state.get(_SHOWN_BEFORE, key) != key:
        # Back from elsewhere. The controls beside it are new to the browser, and a fragment that
        # asked for its next chunk before they are there would report them as set to nothing.
        work.stop(timed=False)
    if work.units < wanted and not work.running:
        left = work.seconds_left(wanted)
        if left is not None and left < AT_ONCE:
            work.start()
            with st.spinner(f"{words.count(wanted)} {unit} …"):
                work.advance(10 * AT_ONCE, wanted)
            work.stop()
    if work.units < wanted:
        if work.running:
            st.fragment(_go_on, run_every=_PAUSE)(key, wanted, unit, page)
        else:
            _offer(work, wanted, unit, page, shows, figures_of_part=figures_of_part)
    elif not work.running:
        work.settled = work.units  # where trying it out was all there is
    # Not what is tried or still running: figures that change under the eye, drawn for nothing.
    units = min(work.settled, wanted)
    return Done(work, units, wanted) if units else None


def _go_on(key: Hashable, wanted: int, unit: str, page: str) -> None:
    """One chunk; the browser asks for the next."""
    work = _works().get(key)
    if work is None or not work.running:
        st.rerun()
    with st.container(horizontal=True, vertical_alignment="center", key=f"{page}_work"):
        bar = st.empty()
        st.button("Cancel", key=f"{page}_cancel", on_click=work.stop, help="Keeps what is done.")
    _show(bar, work, wanted, unit)
    try:
        work.advance(CHUNK, wanted)
    except BaseException:
        work.stop()
        raise
    _show(bar, work, wanted, unit)
    if work.units >= wanted:
        work.stop()
        st.rerun()


def _show(bar, work: Work, wanted: int, unit: str) -> None:
    text = f"{words.of(work.units, wanted)} {unit}"
    left = work.seconds_left(wanted)
    if left is not None:
        text += f", {duration(left)} left"
    bar.progress(min(len(work.parts) / (wanted * work.per_unit), 1.0), text)


def _offer(
    work: Work, wanted: int, unit: str, page: str, shows: str, *, figures_of_part: bool
) -> None:
    left = work.seconds_left(wanted)
    takes = "" if left is None else f" ({duration(_OVERHEAD * left)})"
    with st.container(border=True, key=f"{page}_offer"):
        if work.settled:
            over = " Figures are over these." if figures_of_part else ""
            st.markdown(f"**{words.of(work.units, wanted)} {unit} done.**{over}")
            rest = words.count(wanted - work.units)
            label = f"Run the other {rest} {unit}" if rest != "1" else "Run the last one"
        else:
            st.markdown(shows)
            label = f"Run {words.count(wanted)} {unit}"
        st.button(label + takes, key=f"{page}_run", on_click=work.start)


def duration(seconds: float) -> str:
    """A length of time as a person says it: about 12 s, about 3 min.

    Examples
    --------
    >>> duration(0.2), duration(47.4), duration(200)
    ('about 1 s', 'about 47 s', 'about 3 min')
    """
    if seconds < 90:
        return f"about {max(round(seconds), 1)} s"
    return f"about {round(seconds / 60)} min"


def _works() -> OrderedDict[Hashable, Work]:
    works: OrderedDict[Hashable, Work] = st.session_state.setdefault(_WORKS, OrderedDict())
    return works
