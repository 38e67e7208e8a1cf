"""Settings that live in the URL: one store, shared by the pages.

A link is read once, when it is opened. A value in it that is not understood is named in a
notice and replaced. A change of a control adds an entry to the browser's history, so that
Back returns to the setting before; filling in what a link left out does not.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import streamlit as st

from pages.components import words

#: Every parameter that a page may keep in the URL, in the order in which it is written.
NAMES = (
    "cohort",
    "judge",
    "candidate",
    "labels",
    "alpha",
    "delta",
    "mode",
    "certificate",
    "prefer",
    "view",
    "verdicts",
    "unknown",
    "features",
    "cuts",
    "stratum",
    "vary",
    "scope",
    "splits",
    "score",
    "score1",
    "score2",
    "snapshot",
    "step",
    "budget",
    "half_width",
    "policy",
    "mixing",
    "power",
    "design",
    "batch",
    "target",
    "rule",
)
#: Those that mean something on the page that reads them alone; no other page's URL has them.
OF_ONE_PAGE = frozenset(NAMES[NAMES.index("view") :])

_SETTINGS = "link_settings"
_URL = "link_url"
_UNCHECKED = "link_unchecked"
_NOTICES = "link_notices"
_EXTRAS = "link_extras"
_READ = "link_read"


def begin() -> None:
    """Take over what the URL says, if it says anything new. Once a run, before the page."""
    st.session_state[_READ] = set()
    url = _shown()
    if url and url != st.session_state.get(_URL):
        _settings().update(url)
        st.session_state[_URL] = url
        st.session_state[_UNCHECKED] = set(url)
        st.session_state[_NOTICES] = []


def number(name: str, *, low: float, high: float, default: float) -> float:
    """The number that `name` is set to; the default where a link says anything else."""
    text = _settings().get(name)
    if text is None:
        value = default
    else:
        try:
            value, problem = read_number(text, low=low, high=high, default=default)
        except ValueError as error:
            value, problem = default, str(error)
        if problem:
            _notice(name, problem, instead=f"{default:g}")
    _settle(name, repr(value))
    return value


def read_number(text: str, *, low: float, high: float, default: float) -> tuple[float, str | None]:
    """A number in [low, high] and no problem, or the default and what is wrong with `text`."""
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if low <= value <= high:
        return value, None
    return default, f"must be a number from {low:g} to {high:g}"


def choice(
    name: str, options: Sequence[str], *, default: str, aliases: Mapping[str, str] | None = None
) -> str:
    """The option that `name` is set to; the default where a link says anything else.

    `aliases` are other words for an option, that older links may hold.

    A value that was valid until the options changed (a judge of another cohort) gives way
    to the default silently: nobody asked for it by name.
    """
    text = _settings().get(name)
    if text is not None and text not in options:
        text = (aliases or {}).get(text, text)
    value = text if text is not None and text in options else default
    if text is not None and text != value:
        known = ", ".join(words.plain(words.short(option)) for option in options[:6])
        more = f" and {len(options) - 6} more" if len(options) > 6 else ""
        _notice(name, f"must be one of: {known}{more}", instead=words.plain(value))
    _settle(name, value)
    return value


def grid(name: str, steps: Sequence[float], value: float) -> list[float]:
    """The steps of a slider, with every value between them that a link has brought.

    Values stay for the session: a slider whose options change under its handle jumps.
    """
    extras: dict[str, set[float]] = st.session_state.setdefault(_EXTRAS, {})
    kept = extras.setdefault(name, set())
    if value not in steps:
        kept.add(value)
    return sorted({*steps, *kept})


def keep(key: str, value: Any) -> None:
    """Let the widget that is about to be drawn under `key` show `value`."""
    if key not in st.session_state or st.session_state[key] != value:
        st.session_state[key] = value


def changed(key: str, write: Callable[[Any], Mapping[str, str]]) -> None:
    """On a change of the widget `key`: keep its settings and add a history entry."""
    put(write(st.session_state[key]))


def put(values: Mapping[str, str]) -> None:
    """Set parameters from the page itself, as a control would."""
    settings = _settings()
    settings.update(values)
    st.session_state[_NOTICES] = []
    _unchecked().difference_update(values)
    url = _ordered(settings)
    st.session_state[_URL] = {**_shown(), **url}
    st.query_params.update(url)


def text(value: float) -> str:
    """A number as it stands in a link: read back, it is the same number."""
    return repr(float(value))


def notices() -> None:
    """Show what a link had wrong. After everything was read, where the eye is."""
    messages = st.session_state.get(_NOTICES, [])
    if messages:
        st.warning("\n\n".join(messages), icon=":material/link_off:")


def finish() -> None:
    """Complete the URL in place (no history entry). Once a run, after the page."""
    url, shown = _ordered(_settings()), _shown()
    st.session_state[_URL] = {**shown, **url}
    if url.items() - shown.items():
        # Through the browser, since a write from here would add a history entry, and Back
        # would return to the incomplete link and be sent forward again.
        st.html(f"<script>{_REPLACE % _literal(url)}</script>", unsafe_allow_javascript=True)


_REPLACE = """
{
  const address = new URL(window.location.href);
  for (const [name, value] of Object.entries(JSON.parse(%s))) address.searchParams.set(name, value);
  window.history.replaceState(window.history.state, "", address);
}
"""


def _literal(values: Mapping[str, str]) -> str:
    """A JavaScript string that holds `values` as JSON; names in it can't end the script."""
    return json.dumps(json.dumps(values)).replace("<", "\\u003c")


def _settings() -> dict[str, str]:
    settings: dict[str, str] = st.session_state.setdefault(_SETTINGS, {})
    return settings


def _read() -> set[str]:
    read: set[str] = st.session_state.setdefault(_READ, set())
    return read


def _unchecked() -> set[str]:
    unchecked: set[str] = st.session_state.setdefault(_UNCHECKED, set())
    return unchecked


def _settle(name: str, value: str) -> None:
    _settings()[name] = value
    _read().add(name)
    _unchecked().discard(name)


def _notice(name: str, problem: str, *, instead: str) -> None:
    if name not in _unchecked():
        return
    said = words.plain(words.short(_settings()[name], 40))
    notices: list[str] = st.session_state.setdefault(_NOTICES, [])
    notices.append(
        f"**{name}** in the link {problem}; it says “{said}”. {instead} is used instead."
    )


def _shown() -> dict[str, str]:
    """What the URL says."""
    return {name: st.query_params[name] for name in NAMES if name in st.query_params}


def _ordered(settings: Mapping[str, str]) -> dict[str, str]:
    """What the URL is to say: the settings, but of the pages' own only those of this page."""
    elsewhere = OF_ONE_PAGE - _read()
    return {name: settings[name] for name in NAMES if name in settings and name not in elsewhere}
