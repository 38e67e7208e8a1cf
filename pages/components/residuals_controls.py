"""The settings of the Residuals page, kept in the URL, and the failure space that they choose."""

from __future__ import annotations

from dataclasses import dataclass, replace

import streamlit as st

from core.failure_space import (
    CUTS,
    PART,
    UNKNOWN_AS,
    FailureSpace,
    computed_by_part,
    joined_features,
    with_computed,
)
from pages.components import badges, cached, charts, downloads, link_state, long_work, words
from pages.components.header import Selection
from pages.components.long_work import Work

PAGE = "residuals"
SEED = 0
#: Records up to which features are computed from their texts without being watched.
AT_ONCE = 20_000
UNKNOWN_NAMES = {"wrong": "wrong", "zero": "no residual", "excluded": "left out"}
FEATURE_NAMES = {"imported": "Imported", "all": "With computed"}
CUT_NAMES = {
    "halves": "Halves", "thirds": "Thirds", "quartiles": "Quartiles", "deciles": "Outer tenths",
}  # fmt: skip

_MODE_HELP = """Whose verdicts: what the judge says from its own knowledge (Mode 1), with retrieved
evidence (Mode 2), or in any other mode that the records have."""
_UNKNOWN_HELP = """What a verdict *unknown* counts as. **Wrong**: the answer was not accepted.
**No residual**: it is taken to agree with the label. **Left out**: the record is not scored. The
choice moves every figure here, so it is said beside them."""
_FEATURES_HELP = """**Imported**: the numeric columns that came with the records, and the judge's
uncertainty. **With computed**: also lengths, overlap of answer and evidence, numbers, hedging and
other features that follow from the texts, without any model call."""
_CUTS_HELP = "Where numeric features are cut into strata, by their quantiles."


@dataclass(frozen=True)
class Asked:
    """What is looked at, and the settings that tell one failure space from another."""

    selection: Selection
    space: FailureSpace
    cuts: str
    computed: bool
    pending: bool = False

    def key(self) -> tuple[str | bool | None, ...]:
        """What tells two failure spaces apart."""
        records = self.space.records
        return (
            records.data_hash,
            records.cohort_id,
            records.judge,
            records.mode,
            records.candidate,
            records.label_source,
            self.space.unknown_as,
            self.computed,
        )

    @property
    def note(self) -> str:
        """What every subtitle says: how many were scored, and who judged."""
        space = self.space
        text = f"{words.of(int(space.residuals.scored.sum()), space.n)} records scored"
        said = badges.JUDGE_KINDS.get(space.records.judge_kind)
        if space.records.unknown.any():
            text += f"; unknown {UNKNOWN_NAMES[space.unknown_as]}"
        return f"{text}; {said[0].lower()}{said[1:]}" if said else text


def read(selection: Selection) -> Asked:
    """The settings as the URL has them; what a link has wrong is replaced, and noted."""
    modes = selection.judge.modes
    mode = link_state.choice("verdicts", modes, default="mode1" if "mode1" in modes else modes[0])
    unknown = link_state.choice("unknown", UNKNOWN_AS, default="wrong")
    cuts = link_state.choice("cuts", list(CUTS), default="quartiles")
    features = link_state.choice("features", list(FEATURE_NAMES), default="imported")
    computed = features == "all"
    long = computed and selection.cohort.n_items > AT_ONCE
    space = cached.failure_space(
        selection.cohort, selection.judge.name, mode, candidate=selection.candidate,
        label_source=selection.label_source, unknown_as=unknown, computed=computed and not long,
    )  # fmt: skip
    return Asked(selection, space, cuts, computed, long)


def complete(asked: Asked) -> Asked | None:
    """With the computed features, where they take long: watched, and kept for the session."""
    if not asked.pending:
        return asked
    space, db = asked.space, cached.database()
    parts = -(-space.n // PART)
    done = long_work.draw(
        (*asked.key()[:6], "texts"),
        lambda: Work(computed_by_part(db, space.records), 1, None),
        wanted=parts, unit=f"parts of {words.count(PART)} records", page=f"{PAGE}_texts",
        quick=True, figures_of_part=False,
        shows="Lengths, overlaps, numbers and other features are computed from the texts of all "
        "records.",
    )  # fmt: skip
    if done is None or done.units < parts:
        return None
    full = done.work.result(
        parts,
        asked.space.unknown_as,
        lambda _: with_computed(space, joined_features(done.work.parts)),
    )
    return replace(asked, space=full, pending=False)


def draw(asked: Asked, *, cuts: bool) -> None:
    """Draw the controls: verdicts, unknown, features, and cuts where strata are shown."""
    grid = st.grid(4, min_column_width=150)
    records, modes = asked.space.records, asked.selection.judge.modes
    if len(modes) > 1:
        _pick(
            grid, "Verdicts", "verdicts", {mode: mode_name(mode) for mode in modes}, records.mode,
            _MODE_HELP,
        )  # fmt: skip
    if records.unknown.any():
        _pick(grid, "Unknown counts as", "unknown", UNKNOWN_NAMES, asked.space.unknown_as,
              _UNKNOWN_HELP)  # fmt: skip
    _pick(
        grid, "Features", "features", FEATURE_NAMES, "all" if asked.computed else "imported",
        _FEATURES_HELP,
    )  # fmt: skip
    if cuts:
        _pick(grid, "Numbers are cut in", "cuts", CUT_NAMES, asked.cuts, _CUTS_HELP)


def mode_name(mode: str) -> str:
    """A mode as people read it."""
    known = {"mode1": "Mode 1", "mode2": "Mode 2"}
    return known.get(mode, mode.replace("mode2:", "Mode 2, "))


def _pick(grid, label: str, name: str, options: dict[str, str], value: str, tip: str) -> None:
    key = f"{PAGE}_{name}"
    link_state.keep(key, value)
    grid.selectbox(
        label,
        list(options),
        format_func=lambda option: options.get(option, option),
        key=key,
        help=tip,
        on_change=link_state.changed,
        args=(key, lambda chosen: {name: chosen}),
    )


def chart(figure, element: str, alt: str) -> None:
    """Draw a figure of the page."""
    charts.show(figure, key=f"{PAGE}_{element}", alt=alt, name=f"residuals-{element}")


def offer(asked: Asked, view: str, tables: dict, figures: dict) -> None:
    """The downloads of a view: tables, and figures by name with their element."""
    records = asked.space.records
    stem = words.file_stem(
        records.cohort_id, records.judge, records.candidate, records.mode, "residuals", view
    )
    with st.container(horizontal=True, gap="small"):
        downloads.tables("Tables", tables, stem=stem, key=f"{PAGE}_{view}_tables")
        shown = {
            name: (f"{PAGE}_{element}", figure)
            for name, (element, figure) in figures.items()
            if figure is not None
        }
        if shown:
            downloads.figures("Figures", shown, stem=stem, key=f"{PAGE}_{view}_figures")
