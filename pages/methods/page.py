"""Methods: what is promised, why it holds, and what every number means."""

from __future__ import annotations

import streamlit as st

from core.jobs import PROMISES
from pages.components import badges
from pages.methods import examples
from pages.methods.content import Block, Section, sections, tables

#: Lines longer than this are hard to read.
TEXT_WIDTH = 760


def show() -> None:
    """Draw the page."""
    st.title("Methods", anchor=False)
    st.markdown("What Assay promises, why the promise holds, and what every number means.")
    _promises()
    parts = sections()
    contents, body = st.columns([1, 3.2], gap="medium")
    contents.markdown("**On this page**")
    contents.markdown("  \n".join(f"[{part.title}](#{part.anchor})" for part in parts))
    with body:
        for part in parts:
            _section(part)


def _promises() -> None:
    st.header("What each certificate promises", anchor="promises")
    with st.grid(3, min_column_width=250):
        for certificate, name in examples.NAMES.items():
            with st.container(border=True, height="stretch", key=f"methods_card_{certificate}"):
                if certificate == "pointwise":
                    badges.no_guarantee()
                else:
                    st.badge("Guaranteed", color="green", icon=":material/check_circle:")
                st.markdown(f"**[{name}](#{certificate})**")
                st.markdown(PROMISES[certificate])


def _section(section: Section) -> None:
    st.header(section.title, anchor=section.anchor)
    with st.container(width=TEXT_WIDTH):
        for block in section.blocks:
            _block(block)


def _block(block: Block) -> None:
    if block.kind == "text":
        st.markdown(block.body)
    elif block.kind == "formula":
        st.latex(block.body)
    elif block.body == "calculator":
        _calculator()
    else:
        st.table(tables()[block.body], border="horizontal", hide_index=True)


@st.fragment
def _calculator() -> None:
    """Turn a count of errors into a bound, and a target into the records it needs."""
    with st.container(border=True, key="methods_calculator"):
        with st.grid(4, min_column_width=150):
            accepted = st.number_input(
                "Accepted, m", 0, 10_000_000, 1_000, step=1, key="methods_accepted",
                persist_state="session",
            )  # fmt: skip
            errors = st.number_input(
                "Wrong among them, w", 0, 10_000_000, 178, step=1, key="methods_errors",
                persist_state="session",
            )  # fmt: skip
            alpha = st.number_input(
                "Target risk α", 0.005, 0.5, 0.20, step=0.005, format="%.3f",
                key="methods_alpha", persist_state="session",
            )  # fmt: skip
            delta = st.number_input(
                "Chance of missing it, δ", 0.001, 0.25, 0.05, step=0.005, format="%.3f",
                key="methods_delta", persist_state="session",
            )  # fmt: skip
        if errors > accepted:
            st.warning(
                f"{errors:,} wrong among {accepted:,} accepted can't be: lower the errors, or "
                "raise the accepted records."
            )
            return
        st.markdown(examples.bound_sentence(errors, accepted, delta))
        st.markdown(examples.verdict_sentence(errors, accepted, alpha, delta))
        st.markdown(examples.feasibility_sentence(alpha, delta))
        st.caption("For one threshold fixed beforehand.")


show()
