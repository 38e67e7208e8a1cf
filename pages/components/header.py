"""The head of a page: its title, and the records that it is about."""

from __future__ import annotations

from dataclasses import dataclass

import streamlit as st

from core.store.records import Cohort, JudgeInfo
from pages.components import badges, data_store, link_state, words

ALL_CANDIDATES = "all"


@dataclass(frozen=True)
class Selection:
    """What the pickers are set to; `candidate` None is all of them."""

    cohort: Cohort
    judge: JudgeInfo
    candidate: str | None
    label_source: str | None


def page_header(title: str, *, page: str, shows: str, helps: str) -> Selection | None:
    """Draw title and pickers; where there is nothing to pick, say why and return None.

    Parameters
    ----------
    title : str
    page : str
        Short name of the page; widget keys start with it.
    shows, helps : str
        One sentence each for the empty state: what will show here, and what it is good for.
    """
    left, right = st.columns([1, 2], vertical_alignment="bottom")
    left.title(title, anchor=False)
    found = data_store.opened()
    if found is None:
        return None
    _, cohorts = found
    if not cohorts:
        _empty("No records yet", f"{shows} {helps}")
        return None
    by_id = {cohort.cohort_id: cohort for cohort in cohorts}
    # Both modes show what the pages are about.
    first = next((one for one in cohorts if _has_both_modes(one)), cohorts[0])
    cohort = by_id[link_state.choice("cohort", list(by_id), default=first.cohort_id)]
    several = (len(cohort.candidates) > 1) + (len(cohort.label_sources) > 1)
    pickers = right.grid(2 + several, min_column_width=140)
    _pick(
        pickers,
        "Cohort",
        f"{page}_cohort",
        "cohort",
        {one.cohort_id: f"{one.name} · {words.count(one.n_items)}" for one in cohorts},
        cohort.cohort_id,
    )
    if not cohort.judges:
        _empty(
            "No verdicts in this cohort",
            f"{shows} It needs a judge's verdicts on these records: import them with the records.",
        )
        return None
    judges = {judge.name: judge for judge in cohort.judges}
    judge = judges[link_state.choice("judge", list(judges), default=cohort.judges[0].name)]
    _pick(
        pickers,
        "Judge",
        f"{page}_judge",
        "judge",
        {name: badges.judge_name(name, one.kind) for name, one in judges.items()},
        judge.name,
    )
    candidate = _candidate(pickers, page, cohort.candidates)
    return Selection(cohort, judge, candidate, _labels(pickers, page, cohort.label_sources))


def _has_both_modes(cohort: Cohort) -> bool:
    return any({"mode1", "mode2"} <= set(judge.modes) for judge in cohort.judges)


def _labels(pickers, page: str, sources: tuple[str, ...]) -> str | None:
    """Whose labels count; there is nothing to pick from one source."""
    if len(sources) < 2:
        return sources[0] if sources else None
    chosen = link_state.choice("labels", list(sources), default=sources[0])
    names = {name: name for name in sources}
    _pick(pickers, "Labels", f"{page}_labels", "labels", names, chosen)
    return chosen


def _candidate(pickers, page: str, candidates: tuple[str, ...]) -> str | None:
    if len(candidates) < 2:
        return None
    names = {name: name for name in candidates} | {ALL_CANDIDATES: "All candidates"}
    chosen = link_state.choice(
        "candidate", list(names), default=candidates[0], aliases={"*": ALL_CANDIDATES}
    )
    _pick(pickers, "Candidate", f"{page}_candidate", "candidate", names, chosen)
    return None if chosen == ALL_CANDIDATES else chosen


def _pick(parent, label: str, key: str, name: str, options: dict[str, str], value: str) -> None:
    link_state.keep(key, value)
    parent.selectbox(
        label,
        list(options),
        format_func=lambda option: options.get(option, option),
        key=key,
        on_change=link_state.changed,
        args=(key, lambda chosen: {name: chosen}),
    )


def _empty(title: str, text: str) -> None:
    with st.container(border=True):
        st.markdown(f"**{title}**")
        st.markdown(text)
        if st.button("Import records", key="empty_import"):
            st.switch_page("pages/data/page.py")
