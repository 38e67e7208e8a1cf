"""The store as a page opens it; a sentence and a way on where it can't be opened."""

from __future__ import annotations

import os

import streamlit as st

from core.store.database import Database, DatabaseLockedError
from core.store.migrations import DatabaseVersionError
from core.store.records import Cohort
from pages.components import cached, words


def opened() -> tuple[Database, list[Cohort]] | None:
    """The database and its cohorts; None, after saying why, where it can't be opened."""
    try:
        db, cohorts = cached.database(), cached.cohorts()
    except DatabaseLockedError as error:
        st.error(words.plain(str(error)))
        with st.container(horizontal=True):
            st.button("Try again", key="data_again", on_click=_writable)
            # Refused read-only too: the holder writes, and asking again can't help.
            if not os.environ.get(cached.READ_ONLY):
                st.button(
                    "Open read-only", key="data_read_only", on_click=_read_only,
                    help="Works while no other program has the file open for writing. Records "
                    "can then be looked at and exported, not added.",
                )  # fmt: skip
        return None
    except (DatabaseVersionError, ValueError) as error:
        st.error(words.plain(str(error)))
        st.button("Try again", key="data_again")
        return None
    if db.read_only:
        st.info("The records are open read-only: they can be looked at and exported, not added.")
        st.button("Open for writing", key="data_writable", on_click=_reopen)
    return db, cohorts


# For the whole server: the sessions share one connection, and DuckDB doesn't mix the two ways.
def _read_only() -> None:
    os.environ[cached.READ_ONLY] = "1"
    cached.database.clear()


def _writable() -> None:
    os.environ.pop(cached.READ_ONLY, None)
    cached.database.clear()


def _reopen() -> None:
    cached.database().close()
    _writable()
