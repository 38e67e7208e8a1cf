"""A picture of every page as people see it, to look at: ``screenshots/``, which git ignores."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import RunningApp, Theme, Visitor
from tests.browser.waiting import until_drawn
from tools.environment import ROOT

PAGES = ["risk_routing", "stability", "residuals", "annotation", "data", "methods"]
VIEWS: list[tuple[str, int, int, Theme]] = [
    ("1280-light", 1280, 800, "light"),
    ("1280-dark", 1280, 800, "dark"),
    ("390-light", 390, 844, "light"),
]


def test_every_page_is_pictured() -> None:
    folders = {path.parent.name for path in (ROOT / "pages").glob("*/page.py")}
    assert set(PAGES) == folders


@pytest.mark.parametrize("name", PAGES)
@pytest.mark.parametrize("view", VIEWS, ids=[view[0] for view in VIEWS])
def test_page_fits_its_window(
    name: str,
    view: tuple[str, int, int, Theme],
    app: RunningApp,
    visitor: Callable[..., Visitor],
    screenshots: Path,
) -> None:
    """Nothing sticks out to the side; taken at window size, and the whole page beside it."""
    label, width, height, theme = view
    page = visitor(width=width, height=height, theme=theme).open(f"{app.url}/{name}")
    until_drawn(page)
    expect(page.get_by_test_id("stException")).to_have_count(0)
    page.screenshot(path=screenshots / f"{name}-{label}.png")
    assert widest(page) <= width
    page.set_viewport_size({"width": width, "height": tallest(page)})
    until_drawn(page)
    page.screenshot(path=screenshots / f"{name}-{label}-whole.png")


def widest(page: Page) -> int:
    """Return how wide the page's content is, in pixels."""
    wide: int = page.get_by_test_id("stMain").evaluate("main => main.scrollWidth")
    return wide


def tallest(page: Page) -> int:
    tall: int = page.get_by_test_id("stMain").evaluate("main => main.scrollHeight")
    return min(tall + 80, 8000)
