"""The Stability page's figures and tables as plain functions."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from scipy.stats import binomtest

from core.risk.certification import CERTIFICATES
from core.studies import Variant, run_variants, summarise
from pages.components.theme import DARK, LIGHT, Palette
from pages.stability import figures, tables
from pages.stability.grid import Cell, accuracy_columns, coverage_grid, least_labelled
from pages.stability.looks import Change, Ticks, baseline_look, certificate_looks, plain_looks
from tests.core.records import judged

COLOURS = pytest.mark.parametrize("colours", [LIGHT, DARK], ids=["light", "dark"])
TARGETS = (0.05, 0.15, 0.25)


@pytest.fixture(scope="module")
def rows() -> pd.DataFrame:
    records = judged(600)
    variants = [Variant(name, records, name) for name in CERTIFICATES]
    return pd.concat(list(run_variants(variants, alphas=TARGETS, n_splits=6)))


@pytest.fixture(scope="module")
def summary(rows: pd.DataFrame) -> pd.DataFrame:
    return summarise(rows)


def look(colours: Palette = LIGHT) -> dict:
    return {"title": "A title", "subtitle": "a subtitle", "colours": colours}


def notes(figure) -> list[str]:
    return [note.text for note in figure.layout.annotations]


@COLOURS
@pytest.mark.parametrize("value", ["risk", "coverage"])
def test_lines_show_means_and_spread(summary: pd.DataFrame, value: str, colours: Palette) -> None:
    figure = figures.by_target(summary, value, certificate_looks(colours), **look(colours))
    assert [line.name for line in figure.data] == list(CERTIFICATES)
    for line in figure.data:
        own = summary[summary["variant"] == line.name]
        np.testing.assert_array_equal(line.y, own[value])
        np.testing.assert_array_equal(line.error_y.array, own[f"{value}_sd"])
        assert np.abs(np.array(line.x) - TARGETS).max() <= 0.02
    assert ("<b>risk = α</b>" in notes(figure)) == (value == "risk")
    assert figure.layout.yaxis.range[1] >= summary[value].max()


def test_diagonal_is_where_risk_equals_the_target(summary: pd.DataFrame) -> None:
    figure = figures.by_target(summary, "risk", certificate_looks(LIGHT), **look())
    line = next(one for one in figure.layout.shapes if one.line.color == LIGHT.limit)
    assert (line.x0, line.x1) == (line.y0, line.y1)
    assert line.x1 > max(TARGETS)


def test_mean_over_a_lucky_few_is_hollow_and_left_out_of_the_title() -> None:
    table = pd.DataFrame(
        {
            "variant": "one", "alpha": [0.1, 0.2], "splits": 20, "coverage": [0.01, 0.6],
            "coverage_sd": 0.1, "risk": [0.3, 0.15], "risk_sd": 0.0, "share_mode1": 0.0,
            "share_mode2": 0.0, "share_abstain": 1.0, "accepting": [2, 20], "above": [1.0, 0.1],
        }
    )  # fmt: skip
    figure = figures.by_target(table, "risk", plain_looks(["one"], LIGHT), **look())
    assert list(figure.data[0].marker.symbol) == ["circle-open", "circle"]
    assert tables.risk_title(table).startswith("Mean risk is at or below α")
    assert tables.risk_title(table.assign(accepting=20)).startswith(
        "Mean risk is above α in 1 of 2 cases: one, 30.0% at 10%"
    )
    assert tables.risk_title(table.assign(accepting=0)).startswith("Most splits accept nothing")


def test_names_at_the_right_do_not_meet(summary: pd.DataFrame) -> None:
    same = pd.concat([summary[summary["variant"] == "pointwise"].assign(variant=name)
                      for name in "abcde"])  # fmt: skip
    figure = figures.by_target(same, "coverage", plain_looks(list("abcde"), LIGHT), **look())
    names = [note for note in figure.layout.annotations if note.xref == "paper"]
    places = sorted(note.y for note in names)
    assert len(places) == 5
    assert np.diff(places).min() * (330 - 48) / 1.02 >= 16.9
    assert places[-1] <= 1.02


def test_small_figures_have_no_names(summary: pd.DataFrame) -> None:
    figure = figures.by_target(summary, "coverage", certificate_looks(LIGHT), small=True, **look())
    assert notes(figure) == []


def test_a_line_a_target_over_the_settings(summary: pd.DataFrame) -> None:
    ticks = Ticks((0, 1, 2), CERTIFICATES, "certificate")
    figure = figures.by_setting(summary, "coverage", ticks, bold=0.25, **look())
    assert [line.name for line in figure.data] == ["α = 5%", "α = 15%", "α = 25%"]
    for line, target in zip(figure.data, TARGETS, strict=True):
        np.testing.assert_array_equal(line.x, [0, 1, 2])
        np.testing.assert_array_equal(line.y, summary.loc[summary["alpha"] == target, "coverage"])
    assert [line.line.width for line in figure.data] == [2, 2, 3]
    risk = figures.by_setting(summary, "risk", ticks, bold=0.25, **look())
    assert sorted(shape.y0 for shape in risk.layout.shapes) == list(TARGETS)


@COLOURS
def test_routes_sum_to_everything(summary: pd.DataFrame, colours: Palette) -> None:
    figure = figures.routing(summary, **look(colours))
    assert len(figure.data) == 9
    for first in range(0, 9, 3):
        total = sum(np.array(bar.y) for bar in figure.data[first : first + 3])
        np.testing.assert_allclose(total, 1)
    assert [bar.marker.color for bar in figure.data[:2]] == [colours.mode1, colours.mode2]
    small = figures.routes_small(summary, list(CERTIFICATES), **look(colours))
    np.testing.assert_array_equal(small.data[1].base, small.data[0].y)


def test_miss_rates_have_exact_intervals_and_stand_beside_the_promise() -> None:
    rows = pd.DataFrame(
        {
            "certificate": ["pointwise"] * 40, "draw": range(40), "alpha": 0.1,
            "missed": [True] * 12 + [False] * 28, "coverage": 0.5,
        }
    )  # fmt: skip
    rates = tables.miss_rates(rows)
    exact = binomtest(12, 40).proportion_ci(0.95)
    assert rates.loc[0, ["draws", "missed", "rate"]].tolist() == [40, 12, 0.3]
    assert rates.loc[0, "low"] == pytest.approx(exact.low)
    assert rates.loc[0, "high"] == pytest.approx(exact.high)
    names = {"pointwise": "Pointwise"}
    assert "Pointwise misses α\u00a0=\u00a010% in 30.0% of draws" in tables.miss_title(
        rates, 0.05, names
    )
    assert tables.miss_title(rates, 0.25, names).startswith("No certificate is seen to miss")
    cells = tables.miss_cells(rates, 0.05, names, ["fixed-sequence"])
    assert cells.loc[0, "Promise"] == "none"
    figure = figures.misses(rates, [certificate_looks(LIGHT)[2]], 0.05, **look())
    assert "<b>δ = 5%</b>" in notes(figure)
    assert figure.data[0].error_y.array[0] == pytest.approx(exact.high - 0.3)
    assert figure.layout.yaxis.range[1] >= exact.high


def test_change_between_snapshots_is_drawn_and_tabled() -> None:
    changes = [Change("Decided", 0.8, 0.7, -0.15, -0.05), Change("Wrong", 0.1, 0.14, 0.01, 0.07)]
    figure = figures.drift(changes, 0.12, **look())
    assert [point.x[0] for point in figure.data] == [0.8, 0.7, 0.1, 0.14]
    target = next(one for one in figure.layout.shapes if one.line.color == LIGHT.limit)
    assert target.x0 == target.x1 == 0.12
    cells = tables.drift_cells(changes)
    assert cells["Δ, pp"].tolist() == ["−10.0", "+4.0"]
    assert cells["95% interval"].tolist() == ["−15.0 to −5.0", "+1.0 to +7.0"]


def test_bars_carry_their_shares() -> None:
    figure = figures.bars([("Verdict", [("a", 0.25, "#000000"), ("b", 0.75, "#FFFFFF")])], **look())
    assert [bar.x[0] for bar in figure.data] == [0.25, 0.75]
    assert [bar.text[0] for bar in figure.data] == ["a<br>25.0%", "b<br>75.0%"]


def test_cells_agree_with_the_summary(rows: pd.DataFrame, summary: pd.DataFrame) -> None:
    cells = tables.summary_cells(summary, "Certificate")
    last = summary.iloc[-1]
    group = rows[(rows["variant"] == "pointwise") & (rows["alpha"] == 0.25)]
    above = int((group["risk"] > 0.25).sum())
    assert cells.iloc[-1]["Above α"] == f"{above} of {len(group)}"
    assert cells.iloc[-1]["Decided"].startswith(f"{last['coverage']:.1%} ±")
    wide = tables.side_by_side(summary, "Certificate")
    assert wide["Certificate"].tolist() == list(CERTIFICATES)
    assert wide.loc[2, "decided at 25%"] == f"{last['coverage']:.1%}"
    none = tables.nothing_accepted(summary.assign(accepting=0))
    assert none == "Nothing is accepted in any split at 5%; at 15%; at 25%."
    one = summary.assign(accepting=np.where(summary["variant"] == "bonferroni", 0, 6))
    assert "at 5% by bonferroni" in tables.nothing_accepted(one)
    assert tables.nothing_accepted(summary.assign(accepting=6)) == ""


def test_grid_has_a_row_a_cell() -> None:
    cell = Cell("a", "A", None, "judge", "model", "hash")
    other = Cell("a", "A", "small", "judge", "model", "hash")
    records = judged(300)
    table = summarise(
        pd.concat(
            list(
                run_variants(
                    [Variant(one.key, records) for one in (cell, other)], alphas=TARGETS, n_splits=2
                )
            )
        )
    )
    grid = coverage_grid(table, {cell.key: cell, other.key: other})
    assert grid["candidate"].fillna("all").tolist() == ["all", "small"]
    assert grid["splits"].tolist() == [2, 2]
    assert grid.loc[0, "coverage at 25%"] == table.loc[2, "coverage"]
    right = accuracy_columns({cell.key: records})
    assert right.loc[0, "accuracy1"] == pytest.approx(np.mean(records.verdict1 == records.human))
    assert right.loc[0, "labelled"] == 300


def test_too_few_labels_are_those_whose_half_can_certify_nothing() -> None:
    # (1 - .25)^11 <= .05 < (1 - .25)^10
    assert least_labelled(0.05) == 22


@COLOURS
def test_looks_are_told_apart(colours: Palette) -> None:
    names = [str(one) for one in range(6)]
    looks = plain_looks(names, colours, bold="3")
    assert looks[3].width == 3
    assert len({(one.dash, one.symbol) for one in looks}) == 6
    pair = baseline_look("Pair", colours)
    assert (pair.colour, pair.width) == (colours.ink, 3)
    assert baseline_look("Mode 1 only", colours).colour == colours.mode1
    assert len({one.symbol for one in certificate_looks(colours)}) == 3


def test_title_of_variants_that_decide_alike() -> None:
    table = pd.DataFrame(
        {"variant": ["a", "b"], "alpha": 0.2, "coverage": 0.0, "risk": np.nan, "accepting": 0}
    )
    assert tables.coverage_title(table, 0.2).endswith("20%, none decides any")
    assert tables.coverage_title(table.assign(coverage=0.5), 0.2).endswith("each decides 50.0%")
    assert "a decides" in tables.coverage_title(table[:1], 0.2)
