"""The mapping step: which column plays which role, guessed first, then corrected."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from core.store.imports import (
    FeatureColumn,
    LabelColumn,
    Mapping,
    RawTable,
    StratumColumn,
    guess_mapping,
)
from core.store.problems import counted
from pages.components import link_state, words
from pages.data import roles
from pages.data.roles import Role

_MAPPING = "data_mapping"
#: Narrow enough for two controls side by side on a phone.
_SHORTEST = 150


def choose(raw: RawTable, fingerprint: str) -> Mapping:
    """Draw the step; return the mapping as it stands.

    A mapping belongs to the columns of the files: other columns start from a fresh guess, and a
    corrected file with the same columns keeps the person's answers.
    """
    columns = tuple(raw.columns)
    if st.session_state.get(_MAPPING, (None,))[0] != columns:
        st.session_state[_MAPPING] = (columns, guess_mapping(raw))
    mapping = _current()
    st.markdown(_summary(mapping, raw))
    open_it = bool(roles.missing(mapping))
    with st.expander("Which column is what", expanded=open_it, key=f"data_roles_{fingerprint}"):
        _group("The record", roles.RECORD, mapping, columns)
        _judge(mapping, columns)
        st.markdown("**What the uncertainty columns hold**")
        _choice("uncertainty_as", "They hold", roles.UNCERTAINTY_AS, mapping)
        first = "Mode 1: the judge alone" if mapping.mode is None else "The verdict"
        _group(first, roles.VERDICT1, mapping, columns)
        if mapping.mode is None:
            _group("Mode 2: the judge with evidence", roles.VERDICT2, mapping, columns)
        _extras(raw, mapping)
        st.button("Guess again", key="data_guess", on_click=_guess_again, args=(raw,))
    return _current()


def forget() -> None:
    """Let go of the person's answers."""
    st.session_state.pop(_MAPPING, None)


def _current() -> Mapping:
    mapping: Mapping = st.session_state[_MAPPING][1]
    return mapping


def _set(mapping: Mapping) -> None:
    st.session_state[_MAPPING] = (st.session_state[_MAPPING][0], mapping)


def _guess_again(raw: RawTable) -> None:
    _set(guess_mapping(raw))


def _summary(mapping: Mapping, raw: RawTable) -> str:
    """Say how the columns are understood, and what is missing."""
    if all(one.records_format for one in raw.formats):
        return "In the records format: every column says itself what it is."
    said = roles.understood(mapping, raw.columns)
    missing = roles.missing(mapping)
    return f"{said}\n\n{missing}" if missing else said


def _group(title: str, group: Sequence[Role], mapping: Mapping, columns: Sequence[str]) -> None:
    st.markdown(f"**{title}**")
    with st.grid(5, min_column_width=_SHORTEST):
        for role in roles.shown_roles(group, mapping):
            _role(role, mapping, columns)


def _role(role: Role, mapping: Mapping, columns: Sequence[str]) -> None:
    key = f"data_role_{role.name}"
    link_state.keep(key, getattr(mapping, role.name))
    st.selectbox(
        role.title, columns, index=None, placeholder="not in the file", key=key, help=role.help,
        on_change=_change, args=(role.name, key),
    )  # fmt: skip


def _change(name: str, key: str) -> None:
    value = st.session_state[key]
    changed = {name: value}
    if name == "mode" and value is not None:
        # One row per verdict: there is no second verdict in the row.
        changed |= {role.name: None for role in roles.VERDICT2}
    if name == "uncertainty_as" and value != "logprobs":
        changed |= {"uncertainty_false": None, "uncertainty_false2": None}
    _set(_current().replace(**changed))


def _judge(mapping: Mapping, columns: Sequence[str]) -> None:
    st.markdown("**The judge**")
    with st.grid(5, min_column_width=_SHORTEST):
        for role in roles.JUDGE:
            _role(role, mapping, columns)
        if mapping.judge is None:
            link_state.keep("data_judge_name", mapping.judge_name)
            st.text_input(
                "Name of the judge", key="data_judge_name",
                on_change=_change_text, args=("judge_name", "data_judge_name"),
            )  # fmt: skip
        if mapping.judge_kind is None:
            _choice("judge_kind_name", "It is", roles.JUDGE_KINDS, mapping)
        if mapping.mode is None and mapping.verdict2 is None:
            _choice("mode_name", "It judged in", roles.MODE_NAMES, mapping)


def _choice(name: str, label: str, options: dict[str, str], mapping: Mapping) -> None:
    key = f"data_{name}"
    link_state.keep(key, getattr(mapping, name))
    st.selectbox(
        label, list(options), format_func=lambda option: options.get(option, option), key=key,
        on_change=_change, args=(name, key), width=340 if name == "uncertainty_as" else "stretch",
    )  # fmt: skip


def _change_text(name: str, key: str) -> None:
    value = st.session_state[key].strip()
    if value:
        _set(_current().replace(**{name: value}))


def _extras(raw: RawTable, mapping: Mapping) -> None:
    """Draw the columns that are labels, groups or features, and the way to add one."""
    _group("Labels, groups and features", roles.LABELS, mapping, raw.columns)
    for column, use in roles.extra_columns(mapping):
        _extra(raw, mapping, column, use)
    free = roles.free_columns(mapping, raw.columns)
    if free:
        st.selectbox(
            "Use another column",
            free,
            index=None,
            format_func=lambda column: f"{column}  ({roles.examples(raw.frame, column)})",
            placeholder=f"{counted(len(free), 'column')} not used",
            key="data_add_column",
            on_change=_add,
        )


def _extra(raw: RawTable, mapping: Mapping, column: str, use: roles.Use) -> None:
    with st.grid(4, min_column_width=_SHORTEST, vertical_alignment="bottom"):
        st.markdown(
            f"{words.plain(column)}  \n:gray[{words.plain(roles.examples(raw.frame, column))}]"
        )
        key = f"data_use_{column}"
        link_state.keep(key, use)
        st.selectbox(
            "Used as", [None, *roles.USES], key=key,
            format_func=lambda one: roles.NOT_USED if one is None else roles.USES[one],
            on_change=_change_use, args=(column, key),
        )  # fmt: skip
        match roles.part_of(mapping, column):
            case LabelColumn() as label:
                _name(column, "source", "Source", label.source)
                _name(column, "annotator", "Annotator", label.annotator)
            case FeatureColumn() as feature:
                _name(column, "family", "Family", feature.family)
                _name(column, "name", "Name", feature.name)
            case StratumColumn() as stratum:
                _name(column, "name", "Name", stratum.name)


def _name(column: str, part: str, label: str, value: str) -> None:
    key = f"data_{part}_{column}"
    link_state.keep(key, value)
    st.text_input(label, key=key, on_change=_rename, args=(column, part, key))


def _rename(column: str, part: str, key: str) -> None:
    value = st.session_state[key].strip()
    if value:
        _set(roles.rename_column(_current(), column, **{part: value}))


def _change_use(column: str, key: str) -> None:
    _set(roles.use_column(_current(), column, st.session_state[key]))


def _add() -> None:
    column = st.session_state["data_add_column"]
    if column is not None:
        _set(roles.use_column(_current(), column, "label"))
    st.session_state["data_add_column"] = None
