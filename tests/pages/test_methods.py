"""The Methods page: its text is whole, its numbers are right, and its claims can be shown."""

from __future__ import annotations

import ast
import math
import re
from pathlib import Path

import numpy as np
import pytest
from scipy.stats import binom
from streamlit.testing.v1 import AppTest

from core.jobs import MIN_REFERENCE, PROMISES
from core.risk import calibrators
from core.risk.bounds import risk_upper
from core.risk.calibration import calibrate_joint
from pages.components import routing_tiles
from pages.methods import content, examples
from pages.methods.tiles import TILES

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def page() -> AppTest:
    at = AppTest.from_file(str(ROOT / "pages/methods/page.py"), default_timeout=30).run()
    assert not at.exception
    return at


def prose(anchor: str) -> str:
    (section,) = [one for one in content.sections() if one.anchor == anchor]
    return re.sub(r"\s+", " ", " ".join(block.body for block in section.blocks))


def errors_allowed(m: int, alpha: float, delta: float) -> int:
    """Count by the definition: the most errors w with P(Bin(m, alpha) <= w) <= delta."""
    return int(np.count_nonzero(binom.cdf(np.arange(m), m, alpha) <= delta)) - 1


def test_page_shows_every_section_and_the_promises_of_the_job(page: AppTest) -> None:
    headings = [one.value for one in page.header]
    assert headings == ["What each certificate promises", *(s.title for s in content.sections())]
    shown = [one.value for one in page.markdown]
    assert set(PROMISES.values()) <= set(shown)
    formulas = [b.body for s in content.sections() for b in s.blocks if b.kind == "formula"]
    assert [one.value.strip("$\n") for one in page.latex] == formulas
    assert len(page.table) == len(content.tables())


def test_text_uses_every_value_and_leaves_no_placeholder() -> None:
    source = content.TEXT.read_text(encoding="utf-8")
    outside_formulas = re.sub(r"```math.*?```", "", source, flags=re.DOTALL)
    placeholders = set(re.findall(r"\{(\w+)\}", outside_formulas))
    assert placeholders == set(content.values())
    names = {b.body for s in content.sections() for b in s.blocks if b.kind == "named"}
    assert names == {"calculator", *content.tables()}
    for section in content.sections():
        for block in section.blocks:
            if block.kind == "text":
                assert not re.search(r"\{\w+\}|\[\[|```", block.body)


def test_links_of_the_contents_lead_to_sections(page: AppTest) -> None:
    anchors = {section.anchor for section in content.sections()}
    linked = {
        anchor for one in page.markdown for anchor in re.findall(r"\]\(#([\w-]+)\)", one.value)
    }
    assert linked == anchors
    assert set(PROMISES) <= anchors


def test_calculator_follows_its_inputs() -> None:
    at = AppTest.from_file(str(ROOT / "pages/methods/page.py"), default_timeout=30).run()
    for key, value in {"accepted": 59, "errors": 0, "alpha": 0.05, "delta": 0.05}.items():
        at.number_input(key=f"methods_{key}").set_value(value).run()
    shown = " ".join(one.value for one in at.markdown)
    assert "at most **5.0%**" in shown
    assert "A target of 5% is kept: up to 0 errors are allowed." in shown
    at.number_input(key="methods_accepted").set_value(58).run()
    assert "can't be promised with 58 accepted" in " ".join(one.value for one in at.markdown)
    at.number_input(key="methods_errors").set_value(59).run()
    assert "59 wrong among 58" in at.warning[0].value
    assert not at.exception


@pytest.mark.parametrize(
    ("errors", "accepted", "said"),
    [(0, 0, "bound is 100%"), (3, 3, "bound is 100%"), (178, 1000, "**20.0%**")],
)
def test_bound_sentence(errors: int, accepted: int, said: str) -> None:
    assert said in examples.bound_sentence(errors, accepted, 0.05)


def test_bound_percent_rounds_up_but_not_past_the_bound_itself() -> None:
    assert examples.bound_percent(0.2) == "20.0%"
    assert examples.bound_percent(0.20001) == "20.1%"
    assert examples.bound_percent(1.0) == "100%"


@pytest.mark.parametrize("errors", [0, 1, 5, 40])
def test_needed_is_the_smallest_size_that_allows_the_errors(errors: int) -> None:
    m = examples.needed(errors, 0.05, 0.05)
    assert errors_allowed(m, 0.05, 0.05) == errors
    assert errors_allowed(m - 1, 0.05, 0.05) == errors - 1


def test_errors_allowed_table_by_definition() -> None:
    table = examples.errors_allowed_table(0.05)
    for row in table.to_dict("records"):
        m = int(row["Accepted, m"].replace(",", ""))
        for alpha in (0.05, 0.10, 0.20):
            allowed = errors_allowed(m, alpha, 0.05)
            said = row[f"α = {alpha:.0%}"]
            assert said == (str(allowed) if allowed >= 0 else "not even 0")


def test_worked_example_of_bonferroni_by_definition() -> None:
    level = 0.05 * 0.8**2 / 2001**2
    text = prose("bonferroni")
    assert f"{level * 1e9:.1f} × 10⁻⁹" in text
    assert f"{errors_allowed(1000, 0.2, level)} errors are allowed instead of " in text
    assert f"instead of {errors_allowed(1000, 0.2, 0.05)}." in text


def test_smallest_number_of_records_by_definition() -> None:
    assert f"that is {math.ceil(math.log(0.05) / math.log(0.95))}." in prose("errors-allowed")


def test_settings_named_in_the_text_are_those_of_the_code() -> None:
    assert content.KEPT == calibrators._KEPT
    assert f"at least {MIN_REFERENCE}, else a random tenth" in prose("fixed-sequence")


def test_eq_8_read_literally_accepts_nothing() -> None:
    for delta in (0.25, 0.05, 0.001):
        assert risk_upper(0, 1, delta) == pytest.approx(1 - delta)
        assert risk_upper(0, 1, delta) > 0.5


def test_usual_formula_loses_digits_where_the_text_says_so() -> None:
    from scipy.stats import beta

    said = [float(x) for x in re.findall(r"0\.0\d{6}", examples.lost_digits())]
    usual, right = said
    assert usual == pytest.approx(beta.ppf(1 - 1e-15, 10, 991), abs=1e-7)
    # By the definition of the bound: so few errors with probability delta.
    assert binom.cdf(9, 1000, right) == pytest.approx(1e-15, rel=1e-4, abs=0)
    assert binom.cdf(9, 1000, usual) != pytest.approx(1e-15, rel=1e-4, abs=0)
    assert examples.lost_digits().endswith("it gives 1")


def test_accepting_nothing_in_a_mode_can_accept_more_records() -> None:
    """The first record of Mode 1 is wrong, so a grid without "none" must accept an error."""
    n = 40
    u1 = np.linspace(0, 1, n)
    wrong1 = np.ones(n)
    wrong2 = np.zeros(n)
    policy = calibrate_joint(u1, wrong1, u1, wrong2, alpha=0.1, delta=0.05, certificate="pointwise")
    assert policy.threshold1 is None
    assert policy.accepted == n
    assert risk_upper(1, n, 0.05) > 0.1


def test_every_tile_of_risk_and_routing_is_defined() -> None:
    """Labels are the second argument of `_tile` in the tiles' own source."""
    tree = ast.parse(Path(routing_tiles.__file__).read_text(encoding="utf-8"))
    text = [node.value for node in ast.walk(tree) if isinstance(node, ast.Constant)]
    defined = [label for label, _, _ in TILES]
    for label in defined[:-1]:
        assert label in text
    called = [
        node.args[1].value
        for node in ast.walk(tree)
        if isinstance(node, ast.Call)
        and isinstance(node.func, ast.Name)
        and node.func.id == "_tile"
        and isinstance(node.args[1], ast.Constant)
    ]
    assert called
    assert set(called) <= set(defined)


def test_references_name_papers_by_title_and_number() -> None:
    text = prose("references")
    assert "Judge, Retrieve, or Abstain" in text
    assert "2608.17994" in text
    assert "Clopper" in text
