"""A move of the α slider at 100,000 records: from the key to the redrawn page, in Chromium."""

from __future__ import annotations

import os
import statistics
import tempfile
import time
from pathlib import Path

from playwright.sync_api import Page, sync_playwright

from benchmarks.store import N, write_records
from benchmarks.table import Row
from core.store.database import open_database
from core.store.imports import guess_mapping, prepare, read_records, write_cohort
from tests.browser.waiting import APP, until_drawn
from tools import server as servers
from tools.browser import MISSING, find_browser
from tools.first_visit import first_visit

MOVES = 9
#: The texts of the page's figures: SVG holds what innerText leaves out.
SHOWS = """(wanted) => [...document.querySelectorAll("svg text")]
    .some((text) => text.textContent.includes(wanted))"""


def run() -> list[Row]:
    path = find_browser()
    if path is None:
        raise SystemExit(MISSING)
    with tempfile.TemporaryDirectory() as folder:
        database = Path(folder) / "records.duckdb"
        records = Path(folder) / "records.csv"
        write_records(records)
        with open_database(database) as db:
            raw = read_records([records])
            write_cohort(db, prepare(raw, guess_mapping(raw)), "Made")
        port = servers.free_port(8751)
        settings = {"ASSAY_DATABASE": str(database), "ASSAY_NO_SAMPLES": "1"}
        with (
            (Path(folder) / "log").open("wb") as log,
            servers.running(port, settings=settings, log=log),
            sync_playwright() as playwright,
        ):
            first_visit(servers.address(port))
            root = hasattr(os, "geteuid") and os.geteuid() == 0
            browser = playwright.chromium.launch(
                executable_path=path, args=["--disable-gpu", *["--no-sandbox"] * root]
            )
            page = browser.new_page(viewport={"width": 1280, "height": 800})
            page.goto(f"{servers.address(port)}/risk_routing?cohort=made&alpha=0.15&delta=0.05")
            until_drawn(page)
            times = [move(page, 0.15 + 0.005 * step) for step in range(1, MOVES + 1)]
            browser.close()
    figure, whole = (statistics.median(part) for part in zip(*times, strict=True))
    return [
        Row("α slider to redrawn curve, in Chromium", f"{N:,}", figure, target="1 s"),
        Row("α slider to the end of the run, in Chromium", f"{N:,}", whole),
    ]


def move(page: Page, alpha: float) -> tuple[float, float]:
    """Move the slider one step; times until the curve shows the new target, and until the end."""
    slider = page.get_by_role("slider").first
    slider.focus()
    start = time.perf_counter()
    slider.press("ArrowRight")
    page.wait_for_function(SHOWS, arg=f"target α = {100 * alpha:.3g}%", polling=10, timeout=30_000)
    figure = time.perf_counter() - start
    page.wait_for_selector(f"{APP}[data-test-script-state=notRunning]", timeout=30_000)
    return figure, time.perf_counter() - start
