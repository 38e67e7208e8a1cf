"""Data: the cohorts there are, and the way to bring one's own records in."""

from __future__ import annotations

import streamlit as st

from core.store.database import Database
from core.store.records import Cohort
from pages.components import data_cohorts, data_files, data_import, data_store, link_state, words
from pages.data import format_help

#: As the link says it, and as the page does.
VIEWS = {"cohorts": "Cohorts", "add": "Add records"}


def show() -> None:
    """Draw the page."""
    data_import.leave()
    st.title("Data", anchor=False)
    found = data_store.opened()
    if found is None:
        return
    db, cohorts = found
    if trouble := st.session_state.pop("data_trouble", None):
        st.error(words.plain(trouble))
    if _view(default="cohorts" if cohorts else "add") == "add":
        _add(db, cohorts)
    elif cohorts:
        chosen = data_cohorts.choose(cohorts)
        judge = data_cohorts.judge(chosen)
        link_state.notices()
        try:
            data_cohorts.show(db, chosen, judge)
        except ValueError as error:
            # Somebody else may have deleted or replaced it since the list was read.
            st.error(words.plain(str(error)))
    else:
        _empty()


def _view(default: str) -> str:
    """Draw the switch between looking and adding; a link may say which."""
    asked = st.query_params.get("view")
    if asked != st.session_state.get("data_view_asked"):
        st.session_state["data_view_asked"] = asked
        if asked in VIEWS:
            st.session_state["data_view"] = asked
        elif asked is not None:
            st.warning(
                f"**view** in the link must be one of: {', '.join(VIEWS)}; it says "
                f"“{words.plain(words.short(asked))}”. {default} is used instead."
            )
    st.session_state.setdefault("data_view", default)
    view = st.segmented_control(
        "View", list(VIEWS), key="data_view", format_func=lambda one: VIEWS[one],
        label_visibility="collapsed", required=True, on_change=_viewed, persist_state="session",
    )  # fmt: skip
    return view or default


def _viewed() -> None:
    _look_at(st.session_state["data_view"])


def _look_at(view: str) -> None:
    st.session_state["data_view"] = st.session_state["data_view_asked"] = view
    st.query_params["view"] = view


def _empty() -> None:
    with st.container(border=True):
        st.markdown("**No records yet**")
        st.markdown(
            "Your cohorts will be listed here: how many records they hold, how many are labelled, "
            "and who judged them. Every other page works on one of them."
        )
        st.button("Add records", key="data_first", on_click=_look_at, args=("add",))


def _add(db: Database, cohorts: list[Cohort]) -> None:
    st.markdown(
        "Bring records that a judge has judged and, for some of them at least, people have "
        "labelled. Nothing is written before the last step."
    )
    data_import.steps(db, cohorts)
    with st.expander("The records format", key="data_format"):
        st.markdown(format_help.TEXT)
        st.table(format_help.columns_table(), border="horizontal", hide_index=True)
        if data_files.kept():
            data_files.template()


show()
