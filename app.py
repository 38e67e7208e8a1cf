"""The Streamlit app: page config and navigation."""

from __future__ import annotations

import streamlit as st

from pages.components import link_state, long_work

st.set_page_config(page_title="Assay", page_icon="pages/components/icon.svg", layout="wide")

risk_routing = st.Page(
    "pages/risk_routing/page.py", title="Risk & routing", url_path="risk_routing"
)


def home() -> None:
    """Send the bare address on, so that the page it opens has one address, with a name."""
    st.switch_page(risk_routing, query_params=st.query_params.to_dict())


page = st.navigation(
    [
        st.Page(home, title="Assay", default=True, visibility="hidden"),
        st.Page("pages/data/page.py", title="Data", url_path="data"),
        risk_routing,
        st.Page("pages/stability/page.py", title="Stability", url_path="stability"),
        st.Page("pages/residuals/page.py", title="Residuals", url_path="residuals"),
        st.Page("pages/annotation/page.py", title="Annotation", url_path="annotation"),
        st.Page("pages/methods/page.py", title="Methods", url_path="methods"),
    ],
    position="top",
)
link_state.begin()
long_work.begin_run()
page.run()
link_state.finish()
long_work.finish_run()
