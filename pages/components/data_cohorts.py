"""The cohorts there are, and what the chosen one holds."""

from __future__ import annotations

import streamlit as st

from core.store.batches import list_batches
from core.store.database import Database
from core.store.exports import export_frame
from core.store.problems import counted
from core.store.records import Cohort, JudgeInfo, delete_cohort
from pages.components import badges, cached, downloads, link_state, words
from pages.data import tables

ROWS_A_PAGE = 20
_COLUMNS = {
    "Cohort": st.column_config.TextColumn(width=140),
    "Records": st.column_config.NumberColumn(format="localized", width=70),
    "Labelled": st.column_config.TextColumn(width=120),
    "Judges": st.column_config.TextColumn(width=190),
    "Candidates": st.column_config.TextColumn(width=150),
    "Kind": st.column_config.TextColumn(width=115),
    "Created": st.column_config.TextColumn(width=125, help="In UTC."),
    "Data hash": st.column_config.TextColumn(
        width=95, help="Start of the content's SHA-256: equal records have an equal hash."
    ),
    "Source": st.column_config.TextColumn(width=120),
}


def choose(cohorts: list[Cohort]) -> Cohort:
    """List the cohorts, the chosen one marked; choosing another one changes the link."""
    ids = [cohort.cohort_id for cohort in cohorts]
    chosen = link_state.choice("cohort", ids, default=ids[0])
    link_state.keep("data_list", {"selection": {"rows": [ids.index(chosen)], "columns": []}})
    st.dataframe(
        tables.cohort_table(cohorts),
        key="data_list",
        hide_index=True,
        on_select=_chosen,
        selection_mode="single-row-required",
        column_config=_COLUMNS,
        alt="Cohorts",
    )
    st.session_state["data_ids"] = ids
    return cohorts[ids.index(chosen)]


def _chosen() -> None:
    rows = st.session_state["data_list"]["selection"]["rows"]
    if rows:
        link_state.put({"cohort": st.session_state["data_ids"][rows[0]]})


def judge(cohort: Cohort) -> JudgeInfo | None:
    """The judge whose verdicts stand beside the records; None where the cohort has none."""
    if not cohort.judges:
        return None
    known = {one.name: one for one in cohort.judges}
    return known[link_state.choice("judge", list(known), default=cohort.judges[0].name)]


def show(db: Database, cohort: Cohort, judge: JudgeInfo | None) -> None:
    """What the cohort holds, what it can be taken away as, and how to be rid of it."""
    with st.container(horizontal=True, vertical_alignment="center"):
        st.subheader(words.plain(cohort.name), anchor=False, width="content")
        for kind in dict.fromkeys(one.kind for one in cohort.judges):
            badges.judge(kind)
        st.space("stretch")
        downloads.tables(
            "Export",
            {"Records": lambda: export_frame(db, cohort.cohort_id)},
            stem=words.file_stem(cohort.name),
            key="data_export",
        )
        if st.button("Open in Risk & routing", key="data_open", disabled=not cohort.judges):
            st.switch_page("pages/risk_routing/page.py")
    if cohort.description:
        st.markdown(words.plain(cohort.description))
    _tiles(cohort)
    _verdicts(cohort)
    if judge is not None:
        _preview(cohort, judge)
    if not db.read_only:
        _delete(db, cohort)


def _tiles(cohort: Cohort) -> None:
    with st.grid(4, min_column_width=150):
        st.metric("Records", words.count(cohort.n_items), border=True, height="stretch")
        st.metric(
            "Labelled", words.percent(_share(cohort.n_labelled, cohort.n_items)),
            words.of(cohort.n_labelled, cohort.n_items), delta_color="off", delta_arrow="off",
            border=True, help="Records with a label that a threshold can be certified on.",
        )  # fmt: skip
        st.metric("Judges", words.count(len(cohort.judges)), border=True, height="stretch")
        st.metric("Candidates", words.count(len(cohort.candidates)), border=True, height="stretch")


def _share(part: int, whole: int) -> float | None:
    return part / whole if whole else None


def _verdicts(cohort: Cohort) -> None:
    """Scored n of N by judge and mode, and the class balance."""
    records = [cached.records(cohort, judge.name, None) for judge in cohort.judges]
    modes = [mode for judged in records for mode in tables.modes_of(judged)]
    if modes:
        st.markdown("**Scored, by judge and mode**")
        st.dataframe(tables.mode_table(modes), hide_index=True, height="content", alt="Scored")
    labels = tables.labels_of(records[0]) if records else None
    if labels:
        st.markdown("**Class balance of the labels**")
        st.dataframe(tables.label_table([labels]), hide_index=True, alt="Class balance")
    if len(cohort.label_sources) > 1:
        first, *others = map(words.plain, cohort.label_sources)
        st.caption(
            f"Shown here: labels of {first}. Those of {', '.join(others)} are in the export too; "
            "Risk & routing asks whose count."
        )
    if not modes:
        st.info("No judge's verdicts are in this cohort: import them with the records.")


def _preview(cohort: Cohort, judge: JudgeInfo) -> None:
    """Read the records, a page at a time."""
    st.markdown("**Records**")
    kinds = {one.name: one.kind for one in cohort.judges}
    link_state.keep("data_judge", judge.name)
    st.selectbox(
        "Verdicts of", list(kinds), key="data_judge", width=340,
        format_func=lambda name: badges.judge_name(name, kinds.get(name, "model")),
        on_change=link_state.changed, args=("data_judge", lambda name: {"judge": name}),
    )  # fmt: skip
    judged = cached.records(cohort, judge.name, None)
    pages = max(1, -(-judged.n // ROWS_A_PAGE))
    key = f"data_rows_{cohort.cohort_id}"
    page = min(st.session_state.get(key, 1), pages)
    first = (page - 1) * ROWS_A_PAGE
    shown = cached.texts(judged, list(judged.item_id[first : first + ROWS_A_PAGE]))
    st.dataframe(
        tables.preview(shown), hide_index=True, placeholder=words.DASH, alt="Records",
        column_config={"Question": st.column_config.TextColumn(width=330),
                       "Answer": st.column_config.TextColumn(width=150)},
    )  # fmt: skip
    with st.container(horizontal=True, vertical_alignment="center"):
        st.caption(
            f"{words.count(first + 1)}–{words.count(first + len(shown))} of "
            f"{words.count(judged.n)}", width="content",
        )  # fmt: skip
        if pages > 1:
            st.pagination(pages, key=key)


def _delete(db: Database, cohort: Cohort) -> None:
    """Two steps, the second of which says what would be lost."""
    asked = st.session_state.get("data_delete_asked") == cohort.cohort_id
    if not asked:
        if st.button("Delete this cohort …", key="data_delete", type="tertiary"):
            st.session_state["data_delete_asked"] = cohort.cohort_id
            st.rerun()
        return
    batches = list_batches(db, cohort.cohort_id)
    with st.container(border=True):
        lost = ""
        if batches:
            lost = (
                f" Lost too: annotation batches ({words.count(len(batches))}) with the labels that "
                "came back, which an export of the records doesn't hold."
            )
        st.markdown(
            f"**Delete {words.plain(cohort.name)}?** Its {counted(cohort.n_items, 'record')}, "
            "with their labels and verdicts, are gone for everyone who uses this app. Take an "
            f"export first to be able to bring them back.{lost}"
        )
        with st.container(horizontal=True):
            sure = st.button("Delete it", key="data_delete_yes", icon=":material/delete:")
            keep = st.button("Keep it", key="data_delete_no")
    if keep or sure:
        st.session_state.pop("data_delete_asked")
        if sure:
            try:
                delete_cohort(db, cohort.cohort_id)
                st.toast(f"{words.plain(cohort.name)} was deleted.")
            except (ValueError, RuntimeError) as error:
                st.session_state["data_trouble"] = str(error)
        st.rerun()
