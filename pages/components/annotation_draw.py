"""Draw: a batch, kept once and never drawn again, and the tasks that go out."""

from __future__ import annotations

import numpy as np
import streamlit as st

from core.annotation import draw as draw_and_keep
from core.store.batches import Batch, load_drawn, load_population
from core.store.tasks import (
    INSTRUCTIONS,
    LABEL_STUDIO_CONFIG,
    argilla_records,
    label_studio_tasks,
    task_table,
)
from pages.components import cached, downloads, link_state, words
from pages.components.annotation_controls import (
    PAGE,
    POLICY_HELP,
    Asked,
    batch_picker,
    budget_and_width,
    pick,
    points,
)

DESIGN_NAMES = {"fixed": "Exactly this many", "poisson": "About this many (Poisson)"}
_DESIGN_HELP = """**Exactly**: the batch has the size of the budget. **About**: each record is drawn
by itself, as in the paper; the number varies."""
_AUDIT_HELP = """About this many of the drawn records are marked so that each record of the
population had the same chance: the *Audit* step asks them whether the scores still rank."""
_AFTER_HELP = """A top-up: records of the batches drawn so far are left out, and the estimate
combines all of them."""


def draw(asked: Asked) -> None:
    """Draw the step."""
    db = cached.database()
    grid = budget_and_width(asked)
    names = {name: name for name in asked.policies}
    pick(grid, "Policy", "policy", names, asked.policy, POLICY_HELP)
    design = link_state.choice("design", list(DESIGN_NAMES), default="fixed")
    pick(grid, "Size", "design", DESIGN_NAMES, design, _DESIGN_HELP)
    grid = st.grid(4, min_column_width=150)
    seed = grid.number_input(
        "Seed", 0, value=0, step=1, key=f"{PAGE}_seed", persist_state="session",
        help="The same seed, records and settings draw the same batch.",
    )  # fmt: skip
    audit = grid.number_input(
        "Audit slice", 0, value=0, step=10, key=f"{PAGE}_audit", persist_state="session",
        help=_AUDIT_HELP,
    )  # fmt: skip
    same = asked.space.records.data_hash
    earlier = [one for one in asked.batches() if one.settings["data_hash"] == same]
    after = bool(earlier) and grid.toggle(
        "Top up", value=True, key=f"{PAGE}_after", persist_state="session", help=_AFTER_HELP
    )
    try:
        plan = asked.chosen()
    except ValueError as error:
        st.warning(words.plain(str(error)), icon=":material/block:")
        return
    expected = "" if np.isnan(plan.half_width) else f", expected {points(plan.half_width)}"
    st.caption(
        f"{words.count(plan.budget)} of {words.count(asked.space.n_population)} records, "
        f"{plan.policy}, τ {plan.mixing:.2f}{expected}. A batch is kept as it is drawn: "
        "downloading, reloading or another browser never draws it again."
    )
    if st.button(
        "Draw the batch", type="primary", key=f"{PAGE}_draw", disabled=db.read_only,
        help="The database is open for reading only." if db.read_only else None,
    ):  # fmt: skip
        try:
            batch = draw_and_keep(
                db, asked.space, plan, design=design, seed=int(seed), audit_size=int(audit),
                after=earlier if after else (),
            )  # fmt: skip
        except ValueError as error:
            st.warning(words.plain(str(error)), icon=":material/block:")
        else:
            link_state.put({"batch": batch.batch_id})
            st.toast(f"Batch {batch.number} is drawn: {words.count(batch.n_drawn)} records.")
    if asked.batches():
        chosen = batch_picker(asked, needs="")
        assert chosen is not None
        _drawn(asked, chosen)


def _drawn(asked: Asked, batch: Batch) -> None:
    """What a batch is, and its files."""
    population = load_population(cached.database(), batch.batch_id)
    chance = population["inclusion_prob"].to_numpy(dtype=float)
    drawn = population["drawn"].to_numpy(dtype=bool)
    heaviest = float((1 / chance[drawn]).max() * drawn.sum() / len(drawn))
    price = float(st.session_state.get(f"{PAGE}_price", 1.2))
    rate = float(st.session_state.get(f"{PAGE}_rate", 120))
    settings = batch.settings
    power = "" if settings["power"] is None else f" · λ {settings['power']:.2f}"
    st.subheader(f"Batch {batch.number}, drawn", anchor=False)
    grid = st.grid(6, min_column_width=135, gap="small")
    for label, value, pill in (
        ("Records drawn", words.count(batch.n_drawn), f"of {words.count(batch.n_population)}"),
        ("Policy", str(settings["policy"]), f"τ {settings['mixing']:.2f}{power}"),
        ("Design", "Fixed size" if settings["design"] == "fixed" else "Poisson",
         f"seed {settings['seed']}"),
        ("Audit slice", words.count(int(population["audit"].sum())), "uniform, among these"),
        ("Largest weight", f"{heaviest:.1f}×", "of the average"),
        ("Cost", f"{price * batch.n_drawn:,.2f}", f"{batch.n_drawn / rate:.1f} days"),
    ):  # fmt: skip
        grid.metric(label, value, pill, delta_color="off", delta_arrow="off", border=True)
    if settings["data_hash"] != asked.space.records.data_hash:
        st.info(
            "The cohort has changed since this batch was drawn. The batch stays as it is.",
            icon=":material/history:",
        )
    _files(batch, population)


@st.fragment
def _files(batch: Batch, population) -> None:
    db = cached.database()
    st.markdown("**Tasks for annotators**")
    grid = st.grid(3, min_column_width=180)
    twice = grid.select_slider(
        "Labelled by two", [step / 20 for step in range(21)], value=0.0,
        format_func=words.setting, key=f"{PAGE}_twice", persist_state="session",
        help="Two rows for these records. Where the two differ, a third label decides.",
    )  # fmt: skip
    shown = grid.toggle(
        "Show the judge", value=False, key=f"{PAGE}_show_judge", persist_state="session",
        help="A verdict that is seen sways people; the estimate then leans towards the judge.",
    )  # fmt: skip
    st.caption(f"Instructions: {INSTRUCTIONS}")
    seed = int(batch.settings["seed"])

    def tasks():
        return task_table(
            load_drawn(db, batch.batch_id), twice=float(twice), seed=seed, show_judge=shown
        )

    stem = words.file_stem(batch.batch_id)
    with st.container(horizontal=True, gap="small"):
        downloads.tables(
            "Tasks", {"Tasks": tasks, "Chances of every record": population}, stem=stem,
            key=f"{PAGE}_tasks",
        )  # fmt: skip
        for label, made, name in (
            ("Label Studio tasks", lambda: label_studio_tasks(tasks()), "label-studio.json"),
            ("Label Studio set-up", LABEL_STUDIO_CONFIG.encode, "label-studio.xml"),
            ("Argilla records", lambda: argilla_records(tasks()), "argilla.json"),
        ):
            st.download_button(
                label, made, file_name=f"{stem}_{name}", mime="application/octet-stream",
                on_click="ignore", key=f"{PAGE}_{name}",
            )  # fmt: skip
