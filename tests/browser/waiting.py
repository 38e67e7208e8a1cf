"""Waiting for Streamlit: a run that has ended, and a page that shows its result."""

from __future__ import annotations

from playwright.sync_api import Page, expect

APP = "[data-testid=stApp][data-test-connection-state=CONNECTED]"


def until_settled(page: Page, *, seconds: float = 30) -> None:
    """Wait until the run has ended and what an earlier run left has gone."""
    timeout = seconds * 1000
    idle = page.locator(f"{APP}[data-test-script-state=notRunning]")
    expect(idle).to_have_count(1, timeout=timeout)
    for leftover in ("[data-testid=stSkeleton]", "[data-stale=true]", "[data-testid=stSpinner]"):
        expect(page.locator(leftover)).to_have_count(0, timeout=timeout)
    page.wait_for_timeout(150)  # a change may ask for one more run
    expect(idle).to_have_count(1, timeout=timeout)


def no_exception(page: Page) -> None:
    expect(page.get_by_test_id("stException")).to_have_count(0)


def cells(page: Page, table: str) -> list[str]:
    """Return the texts in a table that is drawn on a canvas, from its copy for screen readers."""
    found = page.get_by_role("region", name=table).locator("canvas td")
    expect(found.first).to_be_attached()
    return found.all_text_contents()


def until_drawn(page: Page) -> None:
    """Wait until figures and fonts stand still as well: charts change places for a moment."""
    until_settled(page)
    page.evaluate("document.fonts.ready.then(() => true)")
    page.wait_for_timeout(700)
