"""Sensitivity, baselines and other scores: what changes when one choice is made differently."""

from __future__ import annotations

from dataclasses import replace

import pandas as pd
import streamlit as st

from core.store.columns import has_references
from core.studies import (
    DELTAS,
    FRACTIONS,
    Variant,
    baselines,
    by_delta,
    by_depth,
    by_fraction,
    by_label_source,
    scores,
    with_score,
)
from pages.components import cached, charts, link_state, words
from pages.components.long_work import Done
from pages.components.risk_controls import CERTIFICATE_NAMES
from pages.components.stability_controls import Asked, over, pick
from pages.components.stability_run import (
    RISK_NOTE,
    chart,
    offer,
    splits,
    summary_of,
    table,
)
from pages.components.stability_splits import TITLE_ALPHA
from pages.stability import figures, tables
from pages.stability.looks import Ticks, baseline_look, plain_looks

SHOWN = ("splits", "certificate", "delta")
VARY = {
    "delta": "Chance of missing, δ",
    "fraction": "Calibration share",
    "labels": "Label source",
    "depth": "Retrieval depth",
}
_RECORDED = ""
SCORES = {
    "features": "A feature",
    "half": "Risk score, half trains it",
    "out-of-fold": "Risk score, out of fold (approximate)",
}
_SCORES_HELP = """What stands in for the recorded uncertainty. The risk score is the *Residuals*
page's model of the imported features: trained on the labels of one half of the questions, which are
then left out, or out of fold on all, where the certificate is approximate."""
FIXED = "fixed-sequence"
_WALK = (
    "With one mode, a fixed sequence has a single walk, and it ends at once where the surest tenth "
    "is wrong too often; *Pointwise* shows what such a mode could decide without a guarantee."
)


def varied() -> str:
    """Which setting the sensitivity view varies."""
    return link_state.choice("vary", list(VARY), default="delta")


def sensitivity_controls() -> tuple[str, ...]:
    """The controls of the sensitivity view: all but the one that varies."""
    return SHOWN[:2] if varied() == "delta" else SHOWN


def sensitivity(asked: Asked) -> None:
    """One setting at a time, the rest as chosen above."""
    vary = varied()
    pick(st.segmented_control, "What varies", "vary", VARY, vary, required=True)
    judged, certificate, delta = asked.judged, asked.certificate, asked.delta
    settings = (vary, certificate, None if vary == "delta" else delta)
    if vary == "delta":
        done = splits(
            asked, "sensitivity", lambda: by_delta(judged, certificate), settings=settings,
            shows="Coverage and risk at three chances of missing α: what more confidence costs.",
        )  # fmt: skip
        ticks = Ticks((0, 1, 2), tuple(map(words.setting, DELTAS)), "chance of missing α, δ")
        fraction = "half calibrate"
    elif vary == "fraction":
        done = splits(
            asked, "sensitivity", lambda: by_fraction(judged, certificate, delta=delta),
            settings=settings,
            shows="Coverage and risk when a tenth to nine tenths of the labelled records "
            "calibrate: whether more labels would help.",
        )  # fmt: skip
        ticks = Ticks(FRACTIONS, tuple(f"{one:.0%}" for one in FRACTIONS), "share that calibrates")
        fraction = "10% to 90% calibrate"
    elif vary == "labels":
        _labels(asked, settings)
        return
    else:
        _depth(asked, settings)
        return
    if done is not None:
        _over_settings(asked, done, ticks, vary, fraction)


def _labels(asked: Asked, settings: tuple) -> None:
    db, cohort = cached.database(), asked.cohort
    if len(cohort.label_sources) < 2 and not has_references(db, cohort.cohort_id):
        _missing(
            "This cohort has one label source and no references to compare answers with",
            "With several label columns (`label:<source>:<annotator>`), or with `answer` and "
            "`reference`, this shows what each source would certify: people, an LLM evaluator, "
            "exact match, token F1.",
        )
        return
    done = splits(
        asked, "sensitivity",
        lambda: by_label_source(db, cohort, asked.judged, asked.certificate, delta=asked.delta),
        settings=settings,
        shows="What each source of labels would certify, the string comparisons included. Each "
        "is calibrated and looked at with its own labels.",
    )  # fmt: skip
    if done is not None:
        names = [variant.name for variant in done.about]
        ticks = Ticks(tuple(range(len(names))), tuple(names), "label source")
        note = (
            "Risk is by each source's own labels: a lower one need not be a better judge. "
            "Labelled: "
            + "; ".join(
                f"{words.plain(name)} {words.of(int(records.labelled.sum()), records.n)}"
                for name, records in ((one.name, one.records) for one in done.about)
            )
            + "."
        )
        _over_settings(asked, done, ticks, "labels", "half calibrate", note=note)


def _depth(asked: Asked, settings: tuple) -> None:
    judge = next(one for one in asked.cohort.judges if one.name == asked.judged.judge)
    if not any(mode.startswith("mode2:k=") for mode in judge.modes):
        _missing(
            f"{words.plain(judge.name)} has verdicts at one retrieval depth only",
            "With verdicts in modes named `mode2:k=6`, `mode2:k=9`, … beside `mode2`, this shows "
            "whether more evidence decides more. Run the judge at other depths, and import those "
            "verdicts with the records.",
        )
        return
    done = splits(
        asked, "sensitivity",
        lambda: by_depth(
            cached.database(), asked.cohort, asked.judged, asked.certificate, delta=asked.delta
        ),
        settings=settings,
        shows="Coverage and risk with Mode 2 at every retrieval depth of this judge.",
    )  # fmt: skip
    if done is not None:
        names = tuple(variant.name for variant in done.about)
        ticks = Ticks(tuple(range(len(names))), names, "pages retrieved in Mode 2")
        _over_settings(asked, done, ticks, "depth", "half calibrate")


def _missing(title: str, text: str) -> None:
    with st.container(border=True):
        st.markdown(f"**{title}**")
        st.markdown(text)
        if st.button("Import records", key="stability_missing_import"):
            st.switch_page("pages/data/page.py")


def _over_settings(
    asked: Asked, done: Done, ticks: Ticks, vary: str, fraction: str, *, note: str = ""
) -> None:
    colours = charts.colours()
    # Chances of missing are written as everywhere on the pages.
    labels = {f"δ = {one:g}": f"δ = {words.setting(one)}" for one in DELTAS}
    summary = summary_of(done, labels if vary == "delta" else None)
    name = CERTIFICATE_NAMES[asked.certificate]
    used = [int(one.records.labelled.sum()) for one in done.about]
    subtitle = f"{name}. {over(asked, done.units, fraction=fraction, used=used)}"
    left, right = st.columns(2, gap="medium")
    title = tables.coverage_title(summary, TITLE_ALPHA)
    coverage = figures.by_setting(
        summary,
        "coverage",
        ticks,
        title=title,
        subtitle=subtitle,
        colours=colours,
        bold=TITLE_ALPHA,
    )
    with left:
        chart(coverage, f"{vary}_coverage", f"{title}. Coverage by {VARY[vary]}.")
    title = tables.risk_title(summary)
    risk = figures.by_setting(
        summary,
        "risk",
        ticks,
        title=title,
        subtitle=subtitle,
        colours=colours,
        bold=TITLE_ALPHA,
    )
    with right:
        chart(risk, f"{vary}_risk", f"{title}. Realised risk by {VARY[vary]}.")
    _table_and_downloads(
        asked, done, summary, VARY[vary], f"sensitivity-{vary}",
        {"Coverage": (f"{vary}_coverage", coverage), "Risk": (f"{vary}_risk", risk)}, note=note,
    )  # fmt: skip


def _table_and_downloads(
    asked: Asked,
    done: Done,
    summary: pd.DataFrame,
    column: str,
    view: str,
    shown: dict[str, tuple],
    *,
    note: str = "",
) -> None:
    table(tables.side_by_side(summary, column), f"{view}_table", "Coverage and risk side by side")
    st.caption(f"{RISK_NOTE} {tables.nothing_accepted(summary)} {note}".strip())
    offer(asked, view, {"Summary": summary, "Every split": done.rows}, shown)


def draw_baselines(asked: Asked) -> None:
    """The pair against a judge that never, or always, looks something up."""
    done = splits(
        asked, "baselines",
        lambda: baselines(
            cached.database(), asked.cohort, asked.judged, asked.certificate, delta=asked.delta
        ),
        settings=(asked.certificate, asked.delta),
        shows="What the pair gains over simpler judges at the same certificate: Mode 1 alone, a "
        "second look without evidence, an empty evidence slot, and evidence for every record.",
    )  # fmt: skip
    if done is None:
        return
    _by_target(asked, done, "baselines", "Judge", note=_WALK * (asked.certificate == FIXED))
    known = {variant.name for variant in done.about}
    absent = [
        f"{name} (mode `{mode}`)"
        for name, mode in (
            ("Self-evaluation", "self-evaluation"),
            ("Empty evidence", "empty-evidence"),
        )
        if name not in known
    ]
    if absent:
        st.caption(
            f"Not in this cohort: {' and '.join(absent)}. Import such verdicts with the records "
            "to see them here."
        )


def draw_scores(asked: Asked) -> None:
    """The recorded uncertainty against other numbers in its place."""
    found = scores(cached.database(), asked.cohort)
    if not found:
        _missing(
            "This cohort has no numeric features",
            "Any column `feature:<family>:<name>` can stand in for the judge's uncertainty, a "
            "probe on its hidden states for example (larger means less sure). This shows whether "
            "it decides more at the same risk.",
        )
        return
    way = link_state.choice(
        "score", list(SCORES), default="features", aliases={"recorded": "features"}
    )
    pick(st.segmented_control, "Scores", "score", SCORES, way, tip=_SCORES_HELP, required=True)
    if way != "features":
        _risk_score(asked, way)
        return
    options = {f"{family}:{name}": (family, name) for family, name in found}
    names = {_RECORDED: "As recorded"} | {
        key: f"{name} ({family})" for key, (family, name) in options.items()
    }
    grid = st.grid(2, min_column_width=220)
    chosen = []
    for mode in ("1", "2"):
        default = _default_score(list(options), mode)
        value = link_state.choice(f"score{mode}", list(names), default=default)
        pick(
            grid.selectbox, f"Uncertainty of Mode {mode}", f"score{mode}", names, value,
            tip="Larger has to mean less sure. A score trained on these records' labels must come "
            "from folds that left the record out, or its certificate means nothing.",
        )  # fmt: skip
        chosen.append(value)
    if chosen == [_RECORDED, _RECORDED]:
        st.info("Both modes use the recorded uncertainty: choose a feature for one of them.")
        return
    first, second = (options.get(value) for value in chosen)
    done = splits(
        asked, "scores",
        lambda: _chosen(asked, first, second),
        settings=(asked.certificate, asked.delta, *chosen),
        shows="Coverage and risk with the chosen features as uncertainty, beside the recorded one.",
    )  # fmt: skip
    if done is not None:
        _by_target(asked, done, "scores", "Uncertainty")


def _risk_score(asked: Asked, way: str) -> None:
    """The risk model's score against the recorded uncertainty, on the same records."""

    def variants() -> list[Variant]:
        found = cached.risk_scored(asked.judged, way)
        return [
            Variant("Recorded uncertainty", found.recorded, asked.certificate, asked.delta),
            Variant("Risk score", found.scored, asked.certificate, asked.delta),
        ]

    done = splits(
        asked, "scores", variants, settings=(asked.certificate, asked.delta, way),
        shows="Coverage and risk with the risk model's score as uncertainty, beside the recorded "
        "one, on the same records.",
    )  # fmt: skip
    if done is None:
        return
    records = done.about[0].records
    used, labelled = int(records.labelled.sum()), int(asked.judged.labelled.sum())
    note = (
        f"{words.of(labelled - used, labelled)} labelled records trained the score and are left "
        f"out; splits are of the other {words.count(used)}, for both lines."
        if way == "half"
        else "Approximate: the labels that set thresholds have trained other records' scores, so "
        "no certificate is promised here."
    )
    _by_target(asked, done, "scores", "Uncertainty", note=note, used=used)


def _chosen(
    asked: Asked, first: tuple[str, str] | None, second: tuple[str, str] | None
) -> list[Variant]:
    recorded, other = with_score(
        cached.database(), asked.judged, asked.certificate, first, second, delta=asked.delta
    )
    return [recorded, replace(other, name="Chosen above")]


def _default_score(options: list[str], mode: str) -> str:
    """A feature that names the mode, else none for Mode 2 and the first for Mode 1."""
    named = [one for one in options if one.endswith(f"mode {mode}")]
    if named:
        return named[0]
    return options[0] if mode == "1" else _RECORDED


def _by_target(
    asked: Asked, done: Done, view: str, column: str, *, note: str = "", used: int | None = None
) -> None:
    colours, summary = charts.colours(), summary_of(done)
    names = list(dict.fromkeys(summary["variant"]))
    if view == "baselines":
        looks = [baseline_look(name, colours) for name in names]
    else:
        looks = plain_looks(names, colours, bold=names[-1])
    described = over(asked, done.units, used=() if used is None else (used,))
    subtitle = f"{CERTIFICATE_NAMES[asked.certificate]}. {described}, ± sd"
    left, right = st.columns(2, gap="medium")
    title = tables.coverage_title(summary, TITLE_ALPHA)
    coverage = figures.by_target(
        summary, "coverage", looks, title=title, subtitle=subtitle, colours=colours
    )
    with left:
        chart(coverage, f"{view}_coverage", f"{title}. Coverage against the target risk.")
    title = tables.risk_title(summary)
    risk = figures.by_target(
        summary, "risk", looks, title=title, subtitle=subtitle, colours=colours
    )
    with right:
        chart(risk, f"{view}_risk", f"{title}. Realised risk against the target risk.")
    _table_and_downloads(
        asked, done, summary, column, view,
        {"Coverage": (f"{view}_coverage", coverage), "Risk": (f"{view}_risk", risk)}, note=note,
    )  # fmt: skip
