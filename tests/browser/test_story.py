"""The main job as a person does it: sample, sliders, link, own file, downloads, reload."""

from __future__ import annotations

import csv
import io
import re
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from urllib.parse import parse_qsl, urlsplit

import numpy as np
from playwright.sync_api import Page, expect

from core.policy_file import PolicyFile, read_policy
from core.risk.routing import Route, route
from tests.browser.conftest import RunningApp, Visitor
from tests.browser.waiting import cells, until_settled

NewVisitor = Callable[..., Visitor]
ROUTES = {Route.MODE1: "Mode 1", Route.MODE2: "Mode 2", Route.ABSTAIN: "to a person"}
N_OWN = 600
BAD_LINE = 103


def test_story_from_the_sample_to_ones_own_routed_records(
    app: RunningApp, visitor: NewVisitor
) -> None:
    # The sample is there at once, and says what it is.
    page = visitor().open(app.url)
    main = page.get_by_test_id("stMain")
    expect(page.get_by_role("heading", name="Risk & routing")).to_be_visible()
    expect(main).to_contain_text("Simulated judge")
    first = tiles(page)
    assert {"Coverage", "Risk", "Retrievals avoided"} <= first.keys()

    # A smaller risk decides less, and the link follows.
    press(page, "Target risk α", "ArrowLeft", times=6)
    press(page, "missing it, δ", "ArrowRight")
    until_address_says(page, alpha="0.17", delta="0.075")
    moved = tiles(page)
    assert share(moved["Coverage"]) < share(first["Coverage"])

    # The copied link shows another person the same numbers.
    other = visitor().open(page.url)
    assert tiles(other) == moved
    other.close()

    # One's own file: the bad row is named, and nothing is written before it is skipped.
    import_own_file(page)
    page.get_by_role("button", name="Open in Risk & routing").click()
    until_address_says(page, cohort="own-answers")
    own = tiles(page)
    expect(main).not_to_contain_text("Simulated judge")
    assert own["Coverage"].endswith(f"of {N_OWN - 1}")
    assert share(own["Coverage"]) > 0

    # Policy, routed records and tiles agree.
    taken = take_away(page)
    assert taken.policy.policy.alpha == 0.17
    assert taken.policy.document["data"]["cohort"] == "Own answers"
    assert len(taken.rows) == N_OWN - 1
    counted = Counter(row["route"] for row in taken.rows)
    for name in ROUTES.values():
        shown = next(text for label, text in own.items() if label.lower().endswith(name.lower()))
        assert f"{counted[name]} records" in shown
    again = route(
        taken.policy.policy,
        [float(row["uncertainty1"]) for row in taken.rows],
        [float(row["uncertainty2"]) for row in taken.rows],
    )
    assert [ROUTES[Route(int(one))] for one in again] == [row["route"] for row in taken.rows]

    # Reloading shows the same.
    page.reload()
    assert tiles(page) == own


def test_link_with_values_that_cannot_be_is_mended_in_sight(
    app: RunningApp, visitor: NewVisitor
) -> None:
    page = visitor().open(f"{app.url}/?alpha=7&delta=abc&mode=3&cohort=nq-like")
    notices = page.get_by_test_id("stAlert")
    for text in ("alpha in the link", "delta in the link", "mode in the link"):
        expect(notices.filter(has_text=text)).to_be_visible()
    until_address_says(page, cohort="nq-like", alpha="0.2", delta="0.05", mode="both")


def own_file() -> bytes:
    """Return a judge that errs more the less sure it is, wide, with one label nobody can read."""
    rng = np.random.default_rng(20)
    out = io.StringIO()
    writer = csv.writer(out)
    modes = ["verdict", "uncertainty", "verdict2", "uncertainty2"]
    writer.writerow(["id", "question", "answer", "label", *modes])
    for place in range(N_OWN):
        label = bool(rng.integers(2))
        unsure = rng.random(2)
        said = np.where(rng.random(2) < unsure * [0.6, 0.25], not label, label)
        given = "maybe" if place + 2 == BAD_LINE else label
        texts = [f"{place:03d}", f"Question {place}?", f"Answer {place}, with a comma"]
        writer.writerow([*texts, given, said[0], unsure[0], said[1], unsure[1]])
    return out.getvalue().encode()


def import_own_file(page: Page) -> None:
    main = page.get_by_test_id("stMain")
    page.get_by_role("link", name="Data").click()
    page.get_by_text("Add records", exact=True).click()
    until_settled(page)
    page.locator("input[type=file]").set_input_files(
        {"name": "own answers.csv", "mimeType": "text/csv", "buffer": own_file()}
    )
    expect(main).to_contain_text("1 row can't be used")
    until_settled(page)
    problem = cells(page, "Problems in the files")
    assert {"own answers.csv", str(BAD_LINE), "label", "maybe"} <= set(problem)
    button = page.get_by_role("button", name=f"Import {N_OWN - 1} records")
    expect(button).to_be_disabled()
    page.get_by_text("Skip the 1 row listed").click()
    until_settled(page)
    name = page.get_by_role("textbox", name="Name of the cohort")
    name.fill("Own answers")
    name.press("Tab")
    until_settled(page)
    button.click()
    expect(main).to_contain_text(f"Own answers: {N_OWN - 1} records")
    expect(main).to_contain_text("1 row skipped")


@dataclass
class Taken:
    """What was downloaded."""

    policy: PolicyFile
    rows: list[dict[str, str]]


def take_away(page: Page) -> Taken:
    """Download the policy, the routed records and a picture; no run starts anew."""
    watch_runs(page)
    with page.expect_download() as policy:
        page.get_by_role("button", name="Policy (JSON)").click()
    page.get_by_role("button", name="Routed records").click()
    with page.expect_download() as routes:
        page.get_by_role("button", name="CSV", exact=True).first.click()
    page.keyboard.press("Escape")
    page.get_by_role("button", name="Figures").click()
    with page.expect_download() as picture:
        page.get_by_role("button", name="PNG").first.click()
    page.keyboard.press("Escape")
    assert page.evaluate("window.runs") == []
    assert picture.value.path().read_bytes().startswith(b"\x89PNG")
    table = routes.value.path().read_text(encoding="utf-8")
    return Taken(
        read_policy(policy.value.path().read_text(encoding="utf-8")),
        list(csv.DictReader(io.StringIO(table))),
    )


def tiles(page: Page) -> dict[str, str]:
    """Return the numbers of the tiles, as shown."""
    expect(page.get_by_test_id("stMetric").filter(has_text="Coverage")).to_be_visible()
    until_settled(page)
    expect(page.get_by_test_id("stException")).to_have_count(0)
    texts = [tile.inner_text().split("\n") for tile in page.get_by_test_id("stMetric").all()]
    return {lines[0].strip(): " ".join(" ".join(lines[1:]).split()) for lines in texts}


def share(tile: str) -> float:
    found = re.match(r"([\d.]+)%", tile)
    assert found, tile
    return float(found[1])


def until_address_says(page: Page, **settings: str) -> None:
    """Wait until the page's address holds these settings, among others."""
    page.wait_for_url(lambda url: settings.items() <= dict(parse_qsl(urlsplit(url).query)).items())


def press(page: Page, slider: str, key: str, times: int = 1) -> None:
    for _ in range(times):
        page.get_by_role("slider", name=slider).press(key)
    until_settled(page)


def watch_runs(page: Page) -> None:
    """Record from now on whether the page runs again."""
    page.evaluate(
        """() => {
            window.runs = [];
            const app = document.querySelector("[data-testid=stApp]");
            new MutationObserver(() => window.runs.push(app.dataset.testScriptState))
                .observe(app, {attributeFilter: ["data-test-script-state"]});
        }"""
    )
