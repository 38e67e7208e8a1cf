"""The records of a stratum, one at a time: question, answer, evidence and the judge's reasons."""

from __future__ import annotations

import numpy as np
import pandas as pd
import streamlit as st
from numpy.typing import NDArray

from core.store.spans import read_spans
from core.store.tags import FAILURE_CLASS, FAILURE_CLASSES, tag_item
from pages.components import cached, link_state, words
from pages.components.residuals_controls import PAGE, Asked

#: Strata that the picker offers beside the one in the link.
OFFERED = 200
EVERY = "All records"
_NOT_TAGGED = "not said"
_TAGGED = f"{PAGE}_tagged"


def chosen_stratum(
    asked: Asked, lift: pd.DataFrame, *, everything: bool
) -> tuple[NDArray[np.bool_], str]:
    """Draw the picker of a stratum; give its records and name."""
    known = lift[lift["n"] > 0]
    names = [str(one) for one in known["stratum"]]
    first = EVERY if everything or known.empty else names[0]
    value = link_state.choice("stratum", [EVERY, *names], default=first)
    order = known["excess"].abs().sort_values(ascending=False, kind="stable").index
    offered = [EVERY, *(str(one) for one in known.loc[order[:OFFERED], "stratum"])]
    if value not in offered:
        offered.append(value)
    key = f"{PAGE}_stratum"
    link_state.keep(key, value)
    st.selectbox(
        "Stratum",
        offered,
        key=key,
        on_change=link_state.changed,
        args=(key, lambda chosen: {"stratum": chosen}),
        help=f"The {OFFERED} with most excess residual, of {len(names)}."
        if len(names) > OFFERED
        else "By excess residual.",
    )
    if value == EVERY:
        return np.ones(asked.space.n, dtype=bool), EVERY
    return asked.space.inside(value, asked.cuts), value


@st.fragment
def draw(asked: Asked, inside: NDArray[np.bool_], name: str) -> None:
    """Draw filter, one record side by side, and the list that it is from."""
    residual = asked.space.residuals.residual
    st.subheader(f"Records: {words.plain(name)}", anchor="records")
    wrong_only = st.toggle(
        "Disagreements only", value=True, key=f"{PAGE}_wrong_only", persist_state="session",
        help="Records where judge and people differ.",
    )  # fmt: skip
    differs = np.nan_to_num(residual) != 0
    where = np.flatnonzero(inside & differs if wrong_only else inside)
    if not len(where):
        st.info("No record is left by this filter.", icon=":material/filter_alt_off:")
        return
    with st.container(horizontal=True, vertical_alignment="center"):
        at = st.pagination(len(where), key=f"{PAGE}_record") if len(where) > 1 else 1
        st.caption(
            f"Record {words.of(min(at, len(where)), len(where))} "
            f"({words.count(int(inside.sum()))} in the stratum)"
        )
    row = int(where[min(at, len(where)) - 1])
    records = asked.space.records
    try:
        texts = cached.residual_texts(asked.key(), records, [records.item_id[row]])
    except ValueError as error:  # deleted in another session since the page was drawn
        st.error(words.plain(str(error)))
        return
    if texts.empty:
        st.error("This record is gone: reload the page.")
        return
    _one(asked, row, texts.iloc[0])


def _one(asked: Asked, row: int, text: pd.Series) -> None:
    records, residual = asked.space.records, asked.space.residuals.residual[row]
    judge = "unknown" if records.unknown[row] else _said(records.verdict[row])
    with st.container(horizontal=True, gap="small"):
        st.badge(f"Judge: {judge}", color="gray")
        st.badge(f"People: {_said(records.human[row])}", color="gray")
        if not np.isnan(residual):
            st.badge(
                f"residual {residual:+g}".replace("-", "−"), color="orange" if residual else "gray"
            )
        st.caption(words.plain(str(text["id"])))
    answer, flagged = _text(text["answer"]), _text(text["spans"])
    spans, lost = read_spans(flagged, answer) if flagged else ([], [])
    marked = _marked(answer, spans)
    cells = [
        ("Question", words.plain(_text(text["question"]))),
        ("Answer", marked),
        ("Reference and evidence", _evidence(text)),
        ("The judge explains", words.plain(_text(text["explanation"]))),
    ]
    for pair in (cells[:2], cells[2:]):
        for column, (title, body) in zip(st.columns(2, gap="small"), pair, strict=True):
            with column.container(border=True, height="stretch"):
                st.caption(title)
                st.markdown(body or words.DASH)
                if title == "Answer" and flagged:
                    st.caption(_flags(spans, lost))
    if residual and not np.isnan(residual):
        _tag(asked, row)


def _marked(answer: str, spans: list[tuple[int, int]]) -> str:
    """The answer with what the judge flags on a coloured ground."""
    parts, at = [], 0
    for start, end in spans:
        parts += [
            words.part(answer[at:start]),
            f":orange-background[{words.part(answer[start:end])}]",
        ]
        at = end
    return "".join([*parts, words.part(answer[at:])]).strip()


def _flags(spans: list[tuple[int, int]], lost: list[str]) -> str:
    """How much the judge flags, and what of it isn't in the answer."""
    many = f"{words.count(len(spans))} parts" if len(spans) != 1 else "1 part"
    said = f"Flagged by the judge: {many} of the answer."
    if lost:
        quoted = ", ".join(f"“{words.plain(words.short(one, 60))}”" for one in lost[:3])
        more = f" and {words.count(len(lost) - 3)} more" if len(lost) > 3 else ""
        said += f" Not found in it: {quoted}{more}."
    return said


def _tag(asked: Asked, row: int) -> None:
    """Say why the verdict is wrong; kept with the records."""
    db = cached.database()
    strata, item = asked.space.strata, str(asked.space.records.item_id[row])
    now = strata[FAILURE_CLASS].iloc[row] if FAILURE_CLASS in strata else None
    options = [_NOT_TAGGED, *FAILURE_CLASSES]
    if now is not None and now not in options:
        options.append(now)
    cohort_id = asked.space.records.cohort_id
    key = f"{PAGE}_tag_{cohort_id}_{item}"
    # What is stored is shown, whatever the widget had; only a person's choice is written.
    link_state.keep(key, now or _NOT_TAGGED)

    def save() -> None:
        chosen = st.session_state[key]
        tag_item(db, cohort_id, item, FAILURE_CLASS, None if chosen == _NOT_TAGGED else chosen)
        st.session_state[_TAGGED] = True

    st.selectbox(
        "Why is the verdict wrong?", options, key=key, on_change=save, disabled=db.read_only,
        help="Kept with the records as the stratum *failure class*; counted below.",
    )  # fmt: skip
    if st.session_state.pop(_TAGGED, False):
        st.rerun()  # the whole page: the records have another hash now


def _evidence(text: pd.Series) -> str:
    parts = [_text(text["reference"]), _text(text["evidence"])]
    return "  \n".join(words.plain(part) for part in parts if part)


def _said(value: float) -> str:
    return "nothing" if np.isnan(value) else "correct" if value else "wrong"


def _text(value: object) -> str:
    return "" if value is None or (isinstance(value, float) and np.isnan(value)) else str(value)
