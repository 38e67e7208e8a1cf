"""Buttons that act in the browser alone: nothing runs on the server."""

from __future__ import annotations

import streamlit as st


def picture(label: str, *, element: str, key: str) -> None:
    """Save the chart `element` as a picture, by its own camera: no browser on the server."""
    _button(label, {"camera": element}, key)


def jump(label: str, *, anchor: str, key: str) -> None:
    """Scroll to a heading. A link would open a new tab."""
    _button(label, {"anchor": anchor}, key)


def _button(label: str, data: dict[str, str], key: str) -> None:
    # Registered for each call: the same definition again is no new one.
    component = st.components.v2.component("browser_button", html=_HTML, css=_CSS, js=_JS)
    component(data={"label": label, **data}, key=key, width="content")


_HTML = '<button type="button"></button>'
_CSS = """
button {
  font: inherit; font-size: 0.875rem; line-height: 1.6; padding: 0.25rem 0.75rem;
  min-height: 2.5rem; cursor: pointer; white-space: nowrap;
  color: var(--st-text-color); background: var(--st-background-color);
  border: 1px solid var(--st-border-color); border-radius: var(--st-base-radius);
}
button:hover, button:focus-visible {
  color: var(--st-primary-color); border-color: var(--st-primary-color); outline: none;
}
"""
_JS = """
export default function({ data, parentElement }) {
  const button = parentElement.querySelector("button");
  button.textContent = data.label;
  button.onclick = () => {
    if (data.anchor) {
      document.getElementById(data.anchor)?.scrollIntoView({ behavior: "smooth" });
    } else {
      const chart = document.querySelector(`.st-key-${CSS.escape(data.camera)}`);
      chart?.querySelector('.modebar-btn[data-attr="toImage"], .modebar-btn')?.click();
    }
  };
}
"""
