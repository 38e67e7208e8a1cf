"""A real server, started as ``run.py app`` starts it, and a browser that fails on any error."""

from __future__ import annotations

import os
import re
import socket
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import (
    Browser,
    BrowserContext,
    ConsoleMessage,
    Page,
    Request,
    Response,
    expect,
    sync_playwright,
)

from tests.browser.waiting import until_settled
from tools import server as servers
from tools.browser import MISSING, find_browser
from tools.environment import ROOT
from tools.first_visit import first_visit

Theme = Literal["light", "dark"]
# A busy machine draws slowly; what never comes still fails.
expect.set_options(timeout=20_000)
# Without these a headless Chromium looks for its maker's servers by itself.
QUIET_BROWSER = [
    *["--disable-background-networking", "--disable-component-update", "--disable-sync"],
    *["--no-first-run", "--disable-quic", "--disable-gpu"],
]


@dataclass
class RunningApp:
    """A server with records of its own."""

    url: str
    database: Path
    log: Path
    pid: int
    read: int = 0

    def new_log(self) -> str:
        """Return what the server has printed since this was last asked; it prints only warnings."""
        text = self.log.read_text(encoding="utf-8", errors="replace")
        new, self.read = text[self.read :], len(text)
        return new.strip()


def unused_port() -> int:
    """Return a port that the system chooses, so that two runs of the tests never meet."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


@contextmanager
def started(
    folder: Path, *, visited: bool = True, samples: bool = True, database: Path | None = None
) -> Iterator[RunningApp]:
    """Start a server; ``visited=False`` leaves out the first visit that ``run.py app`` makes."""
    port = unused_port()
    database = database or folder / "assay.duckdb"
    settings = {"ASSAY_DATABASE": str(database), "ASSAY_NO_SAMPLES": "" if samples else "1"}
    log = folder / f"server-{port}.log"
    with log.open("wb") as sink, servers.running(port, settings=settings, log=sink) as process:
        url = servers.address(port)
        if visited:
            first_visit(url)
        yield RunningApp(url, database, log, process.pid)


@pytest.fixture(scope="session")
def app(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningApp]:
    """One server for the tests that only look, or add cohorts of their own."""
    with started(tmp_path_factory.mktemp("app")) as running:
        yield running


@pytest.fixture(scope="session")
def chromium() -> Iterator[Browser]:
    path = find_browser()
    if path is None:
        pytest.fail(MISSING)
    root = hasattr(os, "geteuid") and os.geteuid() == 0
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=path, args=[*QUIET_BROWSER, *["--no-sandbox"] * root]
        )
        yield browser
        browser.close()


@dataclass
class Visitor:
    """One person's browser; ``wrong`` is all that went wrong in it."""

    context: BrowserContext
    wrong: list[str] = field(default_factory=list)

    def open(self, url: str, *, settle: bool = True) -> Page:
        page = self.context.new_page()
        page.on("pageerror", lambda error: self.wrong.append(f"page error: {error}"))
        page.on("console", self.listen)
        page.on("request", self.stays_on_this_machine)
        page.on("response", self.is_served)
        page.goto(url)
        if settle:
            until_settled(page)
        return page

    def listen(self, message: ConsoleMessage) -> None:
        # A missing resource is named by its address in is_served.
        if message.type == "error" and not message.text.startswith("Failed to load resource"):
            self.wrong.append(f"console: {message.text}")

    def stays_on_this_machine(self, request: Request) -> None:
        parts = urlsplit(request.url)
        if parts.scheme in {"http", "https", "ws", "wss"} and parts.hostname != "127.0.0.1":
            self.wrong.append(f"request to another machine: {request.url}")

    def is_served(self, response: Response) -> None:
        # On a page's own address Streamlit first asks for its server below that address.
        probe = re.search(r"/[a-z_]+/_stcore/(health|host-config)$", response.url)
        if response.status >= 400 and not (response.status == 404 and probe):
            self.wrong.append(f"status {response.status}: {response.url}")


@pytest.fixture
def visitor(chromium: Browser) -> Iterator[Callable[..., Visitor]]:
    """Return a maker of browsers with nothing in them; errors in any of them fail the test."""
    visitors: list[Visitor] = []

    def new(*, width: int = 1280, height: int = 800, theme: Theme = "light") -> Visitor:
        context = chromium.new_context(
            viewport={"width": width, "height": height},
            color_scheme=theme,
            accept_downloads=True,
            permissions=["clipboard-read", "clipboard-write"],
        )
        context.set_default_timeout(20_000)
        visitors.append(Visitor(context))
        return visitors[-1]

    yield new
    wrong = [complaint for person in visitors for complaint in person.wrong]
    for person in visitors:
        person.context.close()
    assert wrong == []


@pytest.fixture(autouse=True)
def _quiet_server(request: pytest.FixtureRequest) -> Iterator[None]:
    """Fail a test during which the shared server printed a traceback or a warning."""
    yield
    if "app" in request.fixturenames:
        printed = request.getfixturevalue("app").new_log()
        if printed:
            pytest.fail(f"the server printed:\n{printed[-5000:]}")


@pytest.fixture(scope="session")
def screenshots() -> Path:
    folder = ROOT / "screenshots"
    folder.mkdir(exist_ok=True)
    return folder
