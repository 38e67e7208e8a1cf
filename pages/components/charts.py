"""Show a figure in the current appearance, with the same toolbar everywhere."""

from __future__ import annotations

from typing import Any

import streamlit as st

from pages.components.theme import Palette, palette

#: Everything but camera and full screen: no figure here zooms or selects.
_REMOVED = ["zoom", "pan", "select", "lasso", "zoomIn", "zoomOut", "autoScale", "resetScale"]


def colours() -> Palette:
    """The palette of the appearance that the browser shows."""
    return palette(st.context.theme.type)


def show(figure: Any, *, key: str, alt: str, name: str, toolbar: bool = True) -> None:
    """Draw a Plotly figure across its column.

    Parameters
    ----------
    key : str
        Of the element; the download button finds the figure by it.
    alt : str
        What the figure shows, for people who can't see it.
    name : str
        File name of the picture that the camera saves.
    toolbar : bool
        Whether camera and full screen show; strips have no room for them.
    """
    st.plotly_chart(
        figure,
        width="stretch",
        theme=None,
        key=key,
        alt=alt,
        config={
            "displaylogo": False,
            "modeBarButtonsToRemove": _REMOVED,
            "displayModeBar": toolbar or "hover",
            "toImageButtonOptions": {"format": "png", "filename": name, "scale": 2},
        },
    )
