"""From ``run.py app`` to Ctrl-C: the first visitor, taken ports, crashes, and a second process."""

from __future__ import annotations

import os
import re
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from playwright.sync_api import expect

from core.store.database import open_database
from core.store.records import list_cohorts
from tests.browser.conftest import RunningApp, Visitor, started
from tests.browser.waiting import until_settled
from tools.environment import ROOT

NewVisitor = Callable[..., Visitor]


@contextmanager
def run_app(folder: Path, port: int) -> Iterator[tuple[subprocess.Popen[str], list[str]]]:
    """Run ``python3 run.py app`` until it says where the app is; yield it and what it said."""
    with subprocess.Popen(
        [sys.executable, "run.py", "app", "--no-browser", "--port", str(port)],
        cwd=ROOT,
        env={**os.environ, "ASSAY_DATABASE": str(folder / "assay.duckdb")},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    ) as process:
        said: list[str] = []
        assert process.stdout is not None
        try:
            for line in process.stdout:
                said.append(line.strip())
                if line.startswith("Assay is at"):
                    break
            yield process, said
        finally:
            process.terminate()


def test_run_app_shows_a_deep_link_to_its_first_visitor_and_stops_at_ctrl_c(
    tmp_path: Path, visitor: NewVisitor
) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        with run_app(tmp_path, port) as (process, said):
            used = port_named(said)
            assert used > port
            assert f"Port {port} is taken; using {used}." in said
            assert said[-1] == f"Assay is at http://127.0.0.1:{used} (Ctrl-C stops it)."
            page = visitor().open(f"http://127.0.0.1:{used}/data?cohort=nq-like")
            expect(page.get_by_role("heading", name="NQ-like")).to_be_visible()
            expect(page.get_by_role("dialog")).to_have_count(0)
            assert "/data?cohort=nq-like" in page.url
            process.send_signal(signal.SIGTERM if sigint_is_ignored() else signal.SIGINT)
            out = process.communicate(timeout=30)[0]
            assert process.returncode == 0
            assert "Traceback" not in out
            assert out.strip().endswith("Assay has stopped.")
            with socket.socket() as probe:
                assert probe.connect_ex(("127.0.0.1", used)) != 0


def port_named(said: list[str]) -> int:
    found = re.search(r"http://127\.0\.0\.1:(\d+) ", said[-1])
    assert found, said
    return int(found[1])


def sigint_is_ignored() -> bool:
    """Say whether these tests run in a shell's background, whose children never see Ctrl-C."""
    return signal.getsignal(signal.SIGINT) == signal.SIG_IGN


def test_without_a_first_visit_the_deep_link_of_a_cold_server_fails(
    tmp_path: Path, chromium: object, visitor: NewVisitor
) -> None:
    """The reason for that visit; once Streamlit mends it, ``tools/first_visit.py`` can go."""
    with started(tmp_path, visited=False) as app:
        person = visitor()
        page = person.open(f"{app.url}/methods", settle=False)
        expect(page.get_by_role("dialog")).to_contain_text("Page not found")
        assert [text for text in person.wrong if "does not seem to exist" in text]
        person.wrong.clear()


def test_killed_server_leaves_the_records_as_they_were(tmp_path: Path, visitor: NewVisitor) -> None:
    with started(tmp_path, samples=False) as app:
        page = visitor().open(f"{app.url}/data?view=Add+records")
        page.get_by_role("button", name="Try it with the example").click()
        page.get_by_role("textbox", name="Name of the cohort").fill("Kept")
        page.get_by_role("textbox", name="Name of the cohort").press("Tab")
        until_settled(page)
        page.get_by_role("button", name=re.compile(r"^Import [\d,]+ records")).click()
        expect(page.get_by_test_id("stMain")).to_contain_text("Imported")
        page.close()
        os.kill(app.pid, signal.SIGKILL)
        database = app.database
        until_ended(app.pid)
    with open_database(database) as db:
        before = {cohort.name: (cohort.n_items, cohort.data_hash) for cohort in list_cohorts(db)}
    assert "Kept" in before
    with started(tmp_path, database=database, samples=False) as again:
        page = visitor().open(f"{again.url}/data?cohort=kept")
        expect(page.get_by_test_id("stMain")).to_contain_text("Kept")
    with open_database(database) as db:
        after = {cohort.name: (cohort.n_items, cohort.data_hash) for cohort in list_cohorts(db)}
    assert after == before


def until_ended(pid: int, *, seconds: float = 10) -> None:
    """Wait until a killed child has let go of its files; its entry may stay for a while."""
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        state = Path(f"/proc/{pid}/stat")
        if not state.exists() or state.read_text().rsplit(")", 1)[1].split()[0] == "Z":
            return
        time.sleep(0.05)
    pytest.fail(f"process {pid} is still there")


def test_second_server_on_the_same_file_says_who_holds_it(
    app: RunningApp, tmp_path: Path, visitor: NewVisitor
) -> None:
    with started(tmp_path, database=app.database) as second:
        page = visitor().open(second.url)
        main = page.get_by_test_id("stMain")
        expect(main).to_contain_text(f"is open in process {app.pid} (")
        expect(main).to_contain_text("ASSAY_DATABASE")
        expect(page.get_by_test_id("stException")).to_have_count(0)
        assert "Traceback" not in second.new_log()
