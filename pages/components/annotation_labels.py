"""Labels: what came back, matched before anything is saved; and labelling here."""

from __future__ import annotations

import numpy as np
import pandas as pd
import streamlit as st

from core.adjudication import ADJUDICATOR, RULES, adjudicate
from core.residuals.agreement import agreement
from core.store.batches import Batch, load_drawn, load_labels, save_labels
from core.store.returns import Returns, read_returns
from core.store.tasks import INSTRUCTIONS
from pages.components import cached, downloads, link_state, words
from pages.components.annotation_controls import PAGE, Asked, batch_picker, pick, step_button

RULE_NAMES = {"majority": "The majority", "unanimous": "Only where all agree"}
_RULE_HELP = """What counts where several people label a record. **The majority**: a tie waits for a
third label. **Only where all agree**: any difference waits. An adjudicator's label settles both."""
_WORDS = {"correct": True, "wrong": False}


def draw(asked: Asked) -> None:
    """Draw the step."""
    batch = batch_picker(asked, needs="Labels come back to the records of a batch.")
    if batch is None:
        return
    drawn = load_drawn(cached.database(), batch.batch_id)
    rule = link_state.choice("rule", RULES, default="majority")
    _upload(asked, batch, drawn)
    labels = load_labels(cached.database(), batch.batch_id)
    st.subheader("Labels so far", anchor=False)
    pick(st, "What counts", "rule", RULE_NAMES, rule, _RULE_HELP)
    settled = adjudicate(labels, drawn["id"].to_numpy(), rule)
    back, still_open = int((~np.isnan(settled.value)).sum()), int(settled.open.sum())
    grid = st.grid(4, min_column_width=135, gap="small")
    people = labels["annotator"].nunique()
    agreed = _agreement(labels)
    for label, value, pill in (
        ("Labels that count", words.count(back), f"of {words.count(len(drawn))}"),
        ("Waiting", words.count(still_open), "annotators differ"),
        ("Not returned", words.count(int((~settled.returned).sum())), "no label"),
        ("Annotators", words.count(people), agreed),
    ):
        grid.metric(label, value, pill, delta_color="off", delta_arrow="off", border=True)
    if back:
        step_button("See the estimate", "estimate")
    _label_here(batch, drawn, settled.open, settled.returned)
    with st.container(horizontal=True):
        downloads.tables(
            "Tables", {"Labels": labels}, stem=words.file_stem(batch.batch_id),
            key=f"{PAGE}_labels_tables",
        )  # fmt: skip


def _agreement(labels: pd.DataFrame) -> str:
    wide = labels.pivot_table(index="item_id", columns="annotator", values="value", aggfunc="last")
    if wide.shape[1] < 2:
        return "one, or none"
    found = agreement(wide.to_numpy(dtype=float))
    if np.isnan(found.raw):
        return "no record twice"
    kappa = "" if found.cohen_kappa is None else f", κ {found.cohen_kappa:.2f}"
    return f"{words.percent(found.raw)} equal{kappa}"


def _upload(asked: Asked, batch: Batch, drawn: pd.DataFrame) -> None:
    """Read files, report, and save what is asked to be saved."""
    db = cached.database()
    st.caption(
        "CSV, JSON Lines, JSON or Parquet with `id` and `label`, and `annotator` where several "
        "people label; or an export of Label Studio or Argilla."
    )
    files = st.file_uploader(
        "Labels that came back", accept_multiple_files=True, key=f"{PAGE}_upload_{batch.batch_id}"
    )
    if files:
        try:
            found = read_returns([(one.name, one.getvalue()) for one in files], set(drawn["id"]))
        except ValueError as error:
            st.error(words.plain(str(error)), icon=":material/error:")
            return
        _report(found)
        if len(found.labels) and st.button(
            f"Save {words.count(len(found.labels))} labels", type="primary", key=f"{PAGE}_save",
            disabled=db.read_only,
        ):  # fmt: skip
            save_labels(db, batch.batch_id, found.labels)
            st.toast("Saved.")
    hidden = asked.space.hidden
    if asked.space.rehearsal and batch.settings["rehearsal"] and not db.read_only:
        known = dict(zip(asked.space.records.item_id, hidden, strict=True))
        ids = [one for one in drawn["id"] if not np.isnan(known.get(one, np.nan))]
        if st.button(
            f"Rehearsal: hand back the {words.count(len(ids))} hidden labels",
            key=f"{PAGE}_hand_back",
            help="The cohort's own labels of the drawn records, as if people had just given them.",
        ):
            given = pd.DataFrame({"item_id": ids, "annotator": "rehearsal"})
            given["value"] = [known[one] == 1 for one in ids]
            save_labels(db, batch.batch_id, given)
            st.toast("The hidden labels are handed back.")


def _report(found: Returns) -> None:
    st.markdown(
        f"**{words.of(found.n_records, found.n_drawn)} records have a label in "
        f"{words.count(found.n_rows)} rows.** Nothing is saved yet."
    )
    parts = [
        (found.unknown, "with an id outside this batch"), (found.blank, "without a label"),
        (found.unparseable, "with a label that can't be read"),
        (found.conflicting, "where one annotator says two things (neither counts)"),
        (found.duplicated, "said twice"),
    ]  # fmt: skip
    said = [f"{words.count(count)} {what}" for count, what in parts if count]
    if said:
        st.warning("Left out: " + ", ".join(said) + ".", icon=":material/rule:")
        st.dataframe(
            found.problems, hide_index=True, width="stretch", key=f"{PAGE}_problems",
            alt="Rows that are left out, and why",
        )  # fmt: skip


@st.fragment
def _label_here(
    batch: Batch, drawn: pd.DataFrame, still_open: np.ndarray, returned: np.ndarray
) -> None:
    """One record at a time, with keys: those that wait for an adjudicator, then the rest."""
    db = cached.database()
    if db.read_only:
        return
    with st.expander("Label here", key=f"{PAGE}_here"):
        name = st.text_input(
            "Your name", value=ADJUDICATOR if still_open.any() else "", key=f"{PAGE}_name",
            help=f"“{ADJUDICATOR}” settles records on which others differ.",
        ).strip()  # fmt: skip
        done = load_labels(db, batch.batch_id)
        mine = set(done["item_id"][done["annotator"] == name])
        waiting = still_open if name == ADJUDICATOR else ~returned
        left = drawn[waiting & ~drawn["id"].isin(mine).to_numpy()]
        if not name:
            st.caption("Say who you are first: labels are kept by annotator.")
            return
        if left.empty:
            st.caption("Nothing is left to label here.")
            return
        row = left.iloc[0]
        st.caption(f"{words.count(len(left))} left. {INSTRUCTIONS}")
        for title in ("question", "answer", "reference"):
            text = row[title]
            if isinstance(text, str) and text:
                st.caption(title.capitalize())
                st.markdown(words.plain(text))

        def save(value: bool) -> None:
            label = {"item_id": [row["id"]], "annotator": [name], "value": [value]}
            save_labels(db, batch.batch_id, pd.DataFrame(label))

        with st.container(horizontal=True):
            for key, (word, value) in zip(("1", "2"), _WORDS.items(), strict=True):
                st.button(
                    word.capitalize(), key=f"{PAGE}_say_{word}", on_click=save, args=(value,),
                    shortcut=key,
                )  # fmt: skip
