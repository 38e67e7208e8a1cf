"""Effect of retrieval: uncertainty that rises or falls, verdicts that turn, and which ones."""

from __future__ import annotations

import numpy as np
import pandas as pd
import streamlit as st
from numpy.typing import NDArray

from core.risk.effect import RetrievalEffect, retrieval_effect
from core.store.records import JudgedRecords
from pages.components import cached, charts, record_browser, words
from pages.components.stability_controls import PAGE, Asked, judge_note
from pages.components.stability_run import chart, offer
from pages.stability import figures

SHOWN = ()
_TURNED = {"right": "Wrong → right", "wrong": "Right → wrong"}
_PAGE_SIZE = 20


def draw(asked: Asked) -> None:
    """Draw the view."""
    judged, colours = asked.judged, charts.colours()
    effect = retrieval_effect(
        judged.uncertainty1, judged.is_error1, judged.uncertainty2, judged.is_error2
    )
    checked = int((~np.isnan(judged.is_error1) & ~np.isnan(judged.is_error2)).sum())
    right, wrong = int(effect.turned_right.sum()), int(effect.turned_wrong.sum())
    _tiles(effect, checked, right, wrong)
    title = _title(effect, checked, right, wrong)
    same = 1 - effect.share_raised - effect.share_lowered
    figure = figures.bars(
        [
            (
                "Uncertainty",
                [
                    ("lower", effect.share_lowered, colours.mode2),
                    ("same", max(same, 0.0), colours.person_area),
                    ("higher", effect.share_raised, colours.person),
                ],
            ),
            (
                "Verdict",
                [
                    ("to right", right / max(checked, 1), colours.mode2),
                    ("not turned", 1 - (right + wrong) / max(checked, 1), colours.person_area),
                    ("to wrong", wrong / max(checked, 1), colours.limit),
                ],
            ),
        ],
        title=title,
        subtitle=f"Mode 2 against Mode 1: {words.count(effect.n)} records that both scored, "
        f"{words.count(checked)} with both verdicts and a label{judge_note(judged.judge_kind)}",
        colours=colours,
    )
    chart(figure, "effect", f"{title}. Shares of records by what retrieval changed.")
    _records(judged, effect)
    offer(
        asked,
        "retrieval",
        {
            "Effect": _table(effect, checked, right, wrong),
            "Turned verdicts": lambda: _turned(judged, effect),
        },
        {"Effect of retrieval": ("effect", figure)},
    )


def _tiles(effect: RetrievalEffect, checked: int, right: int, wrong: int) -> None:
    raised, lowered = (
        round(share * effect.n) for share in (effect.share_raised, effect.share_lowered)
    )
    grid = st.grid(6, min_column_width=135, gap="small")
    for label, value, pill, tip in (
        (
            "Less sure", words.percent(effect.share_raised), words.of(raised, effect.n),
            "Records whose uncertainty is larger with evidence.",
        ),
        (
            "Mean rise", _change(effect.mean_raised), "of those less sure",
            "Mode 2 uncertainty minus that of Mode 1, in the units of the records.",
        ),
        (
            "Surer", words.percent(effect.share_lowered), words.of(lowered, effect.n),
            "Records whose uncertainty is smaller with evidence.",
        ),
        (
            "Mean fall", _change(effect.mean_lowered), "of those surer",
            "Mode 2 uncertainty minus that of Mode 1, in the units of the records.",
        ),
        (
            "Wrong → right", words.percent(right / checked if checked else None),
            words.of(right, checked), "Verdicts that evidence corrects.",
        ),
        (
            "Right → wrong", words.percent(wrong / checked if checked else None),
            words.of(wrong, checked), "Verdicts that evidence spoils.",
        ),
    ):  # fmt: skip
        grid.metric(label, value, pill, delta_color="off", delta_arrow="off", border=True, help=tip)


def _change(mean: float | None) -> str:
    return words.DASH if mean is None else f"{mean:+.3f}".replace("-", "−")


def _title(effect: RetrievalEffect, checked: int, right: int, wrong: int) -> str:
    if not checked:
        return f"Evidence makes the judge surer on {words.percent(effect.share_lowered)}"
    return (
        f"Evidence corrects {words.percent(right / checked)} of verdicts "
        f"and spoils {words.percent(wrong / checked)}"
    )


def _table(effect: RetrievalEffect, checked: int, right: int, wrong: int) -> pd.DataFrame:
    return pd.DataFrame(
        [
            {
                "n_scored": effect.n,
                "share_raised": effect.share_raised,
                "mean_raised": effect.mean_raised,
                "share_lowered": effect.share_lowered,
                "mean_lowered": effect.mean_lowered,
                "n_checked": checked,
                "wrong_to_right": right,
                "right_to_wrong": wrong,
            }
        ]
    )


def _turned(judged: JudgedRecords, effect: RetrievalEffect) -> pd.DataFrame:
    """Every record whose verdict turned, with its texts."""
    parts = []
    for name, which in (("right", effect.turned_right), ("wrong", effect.turned_wrong)):
        texts = cached.all_texts(judged, list(judged.item_id[which]))
        texts.insert(1, "turned", _TURNED[name])
        parts.append(texts)
    return pd.concat(parts, ignore_index=True)


@st.fragment
def _records(judged: JudgedRecords, effect: RetrievalEffect) -> None:
    st.subheader("Records whose verdict turned", anchor="turned")
    which = st.segmented_control(
        "Turned", list(_TURNED), format_func=lambda one: _TURNED[one], default="right",
        required=True, key=f"{PAGE}_turned", label_visibility="collapsed",
        persist_state="session",
    )  # fmt: skip
    turned: NDArray[np.bool_] = effect.turned_right if which == "right" else effect.turned_wrong
    where = np.flatnonzero(turned)
    if not len(where):
        st.info(f"No verdict turned {_TURNED[which].lower()}.", icon=":material/filter_alt_off:")
        return
    pages = -(-len(where) // _PAGE_SIZE)
    shown = st.container()
    with st.container(horizontal=True, horizontal_alignment="distribute"):
        counted = st.empty()
        number = st.pagination(pages, key=f"{PAGE}_turned_page") if pages > 1 else 1
    start = (min(number, pages) - 1) * _PAGE_SIZE
    here = where[start : start + _PAGE_SIZE]
    counted.caption(
        f"{words.count(start + 1)}–{words.count(start + len(here))} of "
        f"{words.count(len(where))} records"
    )
    columns = [name for name in record_browser.COLUMNS if name != "route"]
    shown.dataframe(
        record_browser.display(cached.texts(judged, list(judged.item_id[here])), columns),
        hide_index=True,
        width="stretch",
        row_height=34,
        height=38 + 34 * min(len(here), 10),
        column_config=record_browser.COLUMNS,
        key=f"{PAGE}_turned_table",
        alt="Records whose verdict turned, with question, answer, verdicts and label",
    )
