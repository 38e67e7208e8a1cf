"""The Streamlit app: page config and navigation."""

from __future__ import annotations

import streamlit as st

from pages.components import link_state

st.set_page_config(page_title="Assay", page_icon="pages/components/icon.svg", layout="wide")

page = st.navigation(
    [
        st.Page("pages/data/page.py", title="Data", url_path="data"),
        st.Page(
            "pages/risk_routing/page.py",
            title="Risk & routing",
            url_path="risk_routing",
            default=True,
        ),
        st.Page("pages/methods/page.py", title="Methods", url_path="methods"),
    ],
    position="top",
)
link_state.begin()
page.run()
link_state.finish()
