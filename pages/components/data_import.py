"""The import, from files to a cohort: read, map, check, choose, name, write."""

from __future__ import annotations

import streamlit as st

from core.store.database import Database
from core.store.imports import (
    Mapping,
    PreparedCohort,
    RawTable,
    prepare,
    problem_table,
    write_cohort,
)
from core.store.problems import counted
from core.store.records import Cohort
from pages.components import data_files, data_mapping, downloads, link_state, words

STOP = "Stop: I'll correct the file first"
_DONE = "data_done"
_LEAVE = "data_leave"


def steps(db: Database, cohorts: list[Cohort]) -> None:
    """Draw the import as far as it has come."""
    if _DONE in st.session_state:
        _done()
    st.subheader("1 · Files", anchor=False)
    files = data_files.take()
    if not files:
        return
    st.subheader("2 · As they were read", anchor=False)
    raw = data_files.read(files)
    if raw is None:
        return
    st.subheader("3 · Columns", anchor=False)
    fingerprint = data_files.fingerprint(files)
    mapping = data_mapping.choose(raw, fingerprint)
    st.subheader("4 · What would be imported", anchor=False)
    prepared = _check(raw, mapping, fingerprint)
    if prepared is None or prepared.items.empty:
        return
    st.subheader("5 · Import", anchor=False)
    _finish(db, cohorts, prepared, files)


def _check(raw: RawTable, mapping: Mapping, fingerprint: str) -> PreparedCohort | None:
    """Show the quality report and the problems. Nothing has been written."""
    try:
        with st.spinner("Checking every row …", show_time=True):
            prepared = data_files.remember(
                "prepared", (fingerprint, mapping), lambda: prepare(raw, mapping)
            )
    except ValueError as error:
        st.warning(f"{words.plain(str(error))} Change it in step 3.")
        return None
    _summary(prepared)
    report = prepared.quality.as_table().rename(columns=str.capitalize)
    report["Check"] = report["Check"].map(lambda check: check[:1].upper() + check[1:])
    st.dataframe(
        report, hide_index=True, height="content", placeholder=words.DASH, alt="Quality report",
        column_config=dict.fromkeys(
            ("Count", "Of"), st.column_config.NumberColumn(format="localized")
        ),
    )  # fmt: skip
    errors = prepared.errors
    notes = tuple(found for found in prepared.problems if found.severity != "error")
    if errors:
        number = prepared.quality.rows_with_errors
        st.error(
            f"{_rows(number)} can't be used as {'it is' if number == 1 else 'they are'}. "
            "What is wrong, by file, line, column and value:"
        )
        data_files.problems(errors, "errors")
    if notes:
        with st.expander(f"{counted(len(notes), 'note')} on what is used, and how"):
            data_files.problems(notes, "notes")
    if prepared.problems:
        downloads.tables(
            "Download the list",
            {"Problems": lambda: problem_table(prepared.problems)},
            stem="import",
            key="data_list",
        )
    if prepared.items.empty:
        st.error("No row can be used. Change the columns in step 3, or correct the files.")
    return prepared


def _summary(prepared: PreparedCohort) -> None:
    quality = prepared.quality
    with st.grid(4, min_column_width=150):
        st.metric("Rows read", words.count(quality.rows_read), border=True)
        st.metric("Records", words.count(quality.items), border=True)
        st.metric("Labels", words.count(len(prepared.labels)), border=True)
        st.metric(
            "Verdicts", words.count(int(prepared.verdicts["verdict"].notna().sum())), border=True
        )


def _rows(number: int) -> str:
    return counted(number, "row")


def _finish(
    db: Database, cohorts: list[Cohort], prepared: PreparedCohort, files: list[data_files.File]
) -> None:
    """Ask for the name and what to do with unusable rows, then write all or nothing."""
    if db.read_only:
        st.warning("The records are open read-only, so nothing can be imported now.")
        return
    skip = f"Skip the {_rows(prepared.quality.rows_with_errors)} listed and import the others"
    on_problem = "stop"
    if prepared.errors:
        answer = st.radio(
            "What to do with rows that can't be used", [STOP, skip], index=0,
            key="data_on_problem", persist_state="session",
        )  # fmt: skip
        on_problem = "skip" if answer == skip else "stop"
    _propose(files)
    left, right = st.columns(2)
    name = left.text_input(
        "Name of the cohort", key="data_name", required=True, persist_state="session"
    ).strip()
    description = right.text_input(
        "Where the records come from, in a few words", key="data_description",
        persist_state="session",
    ).strip()  # fmt: skip
    replace = False
    if name in {cohort.name for cohort in cohorts}:
        st.warning(
            f"There is a cohort named “{words.plain(name)}” already. Choose another name, or "
            "replace it: its records are then gone."
        )
        replace = st.checkbox(
            f"Replace “{words.plain(name)}”", key="data_replace", persist_state="session"
        )
        blocked = not replace
    else:
        blocked = False
    waiting = bool(prepared.errors) and on_problem == "stop"
    if waiting:
        st.caption(
            "Add the corrected file in step 1, where it replaces the one of the same name, or "
            "choose to skip the listed rows."
        )
    if st.button(
        f"Import {counted(len(prepared.items), 'record')}", key="data_import",
        disabled=blocked or waiting or not name, icon=":material/download_done:",
    ):  # fmt: skip
        _write(db, prepared, name, on_problem, replace, description, files)


def _write(
    db: Database,
    prepared: PreparedCohort,
    name: str,
    on_problem: str,
    replace: bool,
    description: str,
    files: list[data_files.File],
) -> None:
    try:
        with st.spinner("Writing the records …", show_time=True):
            cohort = write_cohort(
                db, prepared, name, on_problem=on_problem, replace=replace,
                description=description, source=", ".join(file.name for file in files),
            )  # fmt: skip
    except (ValueError, RuntimeError) as error:
        st.error(f"{words.plain(str(error))} Nothing was written.")
        return
    st.session_state[_DONE] = (cohort, len({(p.file, p.line) for p in prepared.errors}))
    link_state.put({"cohort": cohort.cohort_id})
    data_files.forget()
    data_mapping.forget()
    for key in ("data_name", "data_description", "data_replace", "data_on_problem"):
        st.session_state.pop(key, None)
    st.rerun()


def _done() -> None:
    """Say what was imported, and lead on."""
    cohort, skipped = st.session_state[_DONE]
    left_out = f"; {_rows(skipped)} skipped" if skipped else ""
    with st.container(border=True, key="data_success"):
        st.badge("Imported", color="green", icon=":material/check_circle:")
        st.markdown(
            f"**{words.plain(cohort.name)}**: {counted(cohort.n_items, 'record')}, "
            f"{words.of(cohort.n_labelled, cohort.n_items)} labelled{left_out}."
        )
        with st.container(horizontal=True):
            st.button("Look at the records", key="data_done_look", on_click=_close)
            st.button("Open in Risk & routing", key="data_to_risk", on_click=_close, args=(True,))


def _close(to_risk: bool = False) -> None:
    """Leave the import: the next look at this page is at the cohorts."""
    cohort, _ = st.session_state.pop(_DONE)
    link_state.put({"cohort": cohort.cohort_id})
    st.session_state["data_view"] = "cohorts"
    st.session_state[_LEAVE] = to_risk


def leave() -> None:
    """Go where the success message led; a callback can't do it itself."""
    if st.session_state.pop(_LEAVE, False):
        st.switch_page("pages/risk_routing/page.py")


def _propose(files: list[data_files.File]) -> None:
    """Start the name from the first file's, and follow it until the person writes another."""
    stem = files[0].name.rsplit("/", 1)[-1].rsplit(".", 1)[0].replace("_", " ").strip()
    proposal = stem or "My records"
    if st.session_state.get("data_name") in (None, "", st.session_state.get("data_proposal")):
        st.session_state["data_name"] = proposal
    st.session_state["data_proposal"] = proposal
