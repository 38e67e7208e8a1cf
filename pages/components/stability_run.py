"""Splits of several variants: run, then shown as figures and a table with downloads."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from typing import Any

import pandas as pd
import streamlit as st

from core.studies import Variant, run_variants, summarise
from pages.components import charts, downloads, long_work, words
from pages.components.long_work import Done, Work
from pages.components.stability_controls import N_SPLITS, PAGE, QUICK, SEED, Asked

SPLITS_NOTE = (
    "The share of splits above α is descriptive: splits overlap and test halves are noisy, so it "
    "has no interval, and a share above δ breaks no promise. The *Known truth* view counts misses."
)
RISK_NOTE = (
    "Risk is the mean over the splits that accept anything; a hollow mark where fewer than half do."
)


def splits(
    asked: Asked,
    view: str,
    make: Callable[[], Sequence[Variant]],
    *,
    settings: tuple[Hashable, ...],
    shows: str,
) -> Done | None:
    """Run the variants over the same splits, as far as asked for."""

    def begin() -> Work:
        variants = make()
        # More splits of the same work only go on: the first 20 of 500 are those of 20.
        steps = run_variants(variants, n_splits=int(N_SPLITS[-1]), seed=SEED)
        return Work(steps, len(variants), variants)

    return long_work.draw(
        asked.key(view, *settings),
        begin,
        wanted=asked.n,
        unit="splits",
        page=PAGE,
        quick=int(asked.judged.labelled.sum()) <= QUICK,
        shows=shows,
    )


def summary_of(done: Done, names: Mapping[str, str] | None = None) -> pd.DataFrame:
    """Means over the splits, variants under the names that people read."""

    def compute(rows: pd.DataFrame) -> pd.DataFrame:
        summary = summarise(rows)
        return summary.assign(
            variant=summary["variant"].map(lambda one: (names or {}).get(one, one))
        )

    summary: pd.DataFrame = done.result("summary", compute)
    return summary


def chart(figure: Any, element: str, alt: str) -> None:
    """Draw a figure of the page."""
    charts.show(figure, key=f"{PAGE}_{element}", alt=alt, name=f"stability-{element}")


def table(frame: pd.DataFrame, element: str, alt: str, *, most: int = 15) -> None:
    """A table of texts that scrolls by itself where it is wide or long."""
    st.dataframe(
        frame,
        hide_index=True,
        width="stretch",
        row_height=34,
        height=38 + 34 * min(max(len(frame), 1), most),
        key=f"{PAGE}_{element}",
        alt=alt,
    )


def offer(
    asked: Asked,
    view: str,
    tables: Mapping[str, downloads.Table],
    figures: Mapping[str, tuple[str, Any]],
) -> None:
    """The downloads of a view; figures are named by their elements."""
    stem = words.file_stem(asked.judged.cohort_id, asked.judged.judge, asked.judged.candidate, view)
    with st.container(horizontal=True, gap="small"):
        downloads.tables("Tables", tables, stem=stem, key=f"{PAGE}_{view}_tables")
        shown = {name: (f"{PAGE}_{element}", figure) for name, (element, figure) in figures.items()}
        if shown:
            downloads.figures("Figures", shown, stem=stem, key=f"{PAGE}_{view}_figures")
