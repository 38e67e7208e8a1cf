"""The page's figures as plain functions: what they show, and what they must not say."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pandas as pd
import plotly.graph_objects as go
import pytest

from pages.components.figures import OperatingPoint, certificate_strip, split_bar
from pages.components.theme import DARK, LIGHT, Palette
from pages.risk_routing import figures
from pages.risk_routing.labels import Box, clear_spot
from pages.risk_routing.points import Curve, JudgeRow, PlanePoints

COLOURS = pytest.mark.parametrize("colours", [LIGHT, DARK], ids=["light", "dark"])
PROMISED = OperatingPoint(
    decided=0.783, accepted=1_400, errors=250, tested=1_800, bound=0.1999, promised=True
)
POINTWISE = OperatingPoint(
    decided=0.783, accepted=1_400, errors=250, tested=1_800, bound=0.1999, promised=False
)


def curve(slope: float, n: int = 200) -> Curve:
    accepted = np.arange(10, n + 1)
    errors = (slope * accepted * accepted / n).astype(np.int64)
    return Curve(accepted / n, errors / accepted, accepted, errors, n)


def texts(figure: go.Figure) -> str:
    found = [note.text for note in figure.layout.annotations]
    found += [str(trace.hovertemplate) for trace in figure.data]
    found.append(str(figure.layout.title.text))
    return " | ".join(found)


ALL = {"1": curve(0.4), "2": curve(0.25), "both": curve(0.2)}


def risk_coverage(
    point: OperatingPoint | None, colours: Palette = LIGHT, named: Mapping[str, Curve] = ALL
) -> go.Figure:
    return figures.risk_coverage(
        named,
        "both" if "both" in named else "1",
        point,
        alpha=0.2,
        title="A title",
        subtitle="a subtitle",
        colours=colours,
    )


@COLOURS
def test_strip_marks_observed_risk_bound_and_target(colours: Palette) -> None:
    figure = certificate_strip(PROMISED, 0.2, colours)
    assert figure.data[0].x == (pytest.approx(250 / 1_400),)
    bar = next(line for line in figure.layout.shapes if line.line.color == colours.ink)
    assert (bar.x0, bar.x1, bar.line.dash) == (pytest.approx(250 / 1_400), 0.1999, "solid")
    target = next(line for line in figure.layout.shapes if line.line.color == colours.limit)
    assert target.x0 == target.x1 == 0.2
    for text in ("observed 17.9%", "bound 20.0%", "target α = 20%"):
        assert text in texts(figure)


def test_strip_of_a_pointwise_policy_promises_nothing() -> None:
    figure = certificate_strip(POINTWISE, 0.2, LIGHT)
    assert "no guarantee" in texts(figure)
    assert "bound" not in texts(figure)
    bar = next(line for line in figure.layout.shapes if line.line.color == LIGHT.ink)
    assert bar.line.dash == "dot"


@pytest.mark.parametrize("errors", [0, 250, 700, 1_400])
@pytest.mark.parametrize("alpha", [0.005, 0.2, 0.5])
def test_strip_keeps_everything_inside_its_range(errors: int, alpha: float) -> None:
    point = OperatingPoint(
        decided=1.0,
        accepted=1_400,
        errors=errors,
        tested=1_400,
        bound=min(1.0, errors / 1_400 + 0.01),
        promised=True,
    )
    figure = certificate_strip(point, alpha, LIGHT)
    low, high = figure.layout.xaxis.range
    assert all(low <= note.x <= high for note in figure.layout.annotations)
    assert low <= figure.data[0].x[0] <= high


def test_split_shows_only_parts_with_records() -> None:
    shares = {"mode1": (0.0, 0), "mode2": (0.75, 1_500), "person": (0.25, 500)}
    figure = split_bar(shares, LIGHT)
    assert [trace.x[0] for trace in figure.data] == [0.75, 0.25]
    assert "1,500 records" in texts(figure)


@COLOURS
def test_risk_coverage_has_the_ring_on_the_point(colours: Palette) -> None:
    figure = risk_coverage(PROMISED, colours)
    ring = figure.data[-1]
    assert (ring.x[0], ring.y[0]) == (PROMISED.coverage, PROMISED.risk)
    for text in ("78.3% decided", "17.9% of 1,400 tested wrong", "bound 20.0%", "target α = 20%"):
        assert text in texts(figure)
    assert [trace.name for trace in figure.data[:-1]] == ["Mode 1", "Mode 2", "Both"]
    assert figure.data[2].line.color == colours.ink


def test_risk_coverage_of_a_pointwise_policy_promises_nothing() -> None:
    assert "no guarantee" in texts(risk_coverage(POINTWISE))
    assert "bound" not in texts(risk_coverage(POINTWISE))


def test_risk_coverage_without_a_point_or_curves_is_still_drawn() -> None:
    refused = risk_coverage(None, named={"1": curve(0.4)})
    assert [trace.name for trace in refused.data] == ["Mode 1"]
    nothing = np.array([])
    empty = Curve(nothing, nothing, nothing.astype(int), nothing.astype(int), 0)
    assert not risk_coverage(None, named={"1": empty}).data


@pytest.mark.parametrize("alpha", [0.005, 0.03, 0.2, 0.5])
def test_risk_axis_holds_the_target_and_ends_on_a_tick(alpha: float) -> None:
    figure = figures.risk_coverage(
        {"1": curve(0.01)}, "1", None, alpha=alpha, title="t", subtitle="s", colours=LIGHT
    )
    axis = figure.layout.yaxis
    assert axis.range[1] > alpha
    ticks = axis.range[1] / axis.dtick
    assert ticks == pytest.approx(round(ticks))
    assert 2 <= ticks <= 6


def test_names_on_lines_cover_neither_line_nor_each_other() -> None:
    x = np.linspace(0.02, 1, 300)
    paths = [np.column_stack([x, height + 0.3 * x]) for height in (0.15, 0.35, 0.55)]
    taken: list[Box] = []
    for path in paths:
        box = clear_spot(path, paths, taken, width=0.14, height=0.06)
        assert box.clearance(paths, taken) > 0
        taken.append(box)


def sweep(start: float) -> pd.DataFrame:
    alphas = np.arange(1, 101) / 200
    coverage = np.where(alphas < start, 0.0, np.minimum(1, alphas * 2))
    return pd.DataFrame(
        {
            "alpha": alphas,
            "coverage": coverage,
            "share_mode1": 0.4 * coverage,
            "share_mode2": 0.6 * coverage,
            "share_abstain": 1 - coverage,
        }
    )


def test_target_range_stacks_to_all_records_and_marks_the_target() -> None:
    figure = figures.target_range(sweep(0.17), alpha=0.2, title="t", subtitle="s", colours=LIGHT)
    stacked = [trace for trace in figure.data if trace.stackgroup]
    assert np.sum([trace.y for trace in stacked], axis=0) == pytest.approx(np.ones(100))
    assert [line.x0 for line in figure.layout.shapes] == [0.2]
    for text in ("Mode 1", "Mode 2", "to a person", "α = 20%"):
        assert text in texts(figure)


def test_target_range_where_nothing_works_names_only_the_person() -> None:
    figure = figures.target_range(sweep(2.0), alpha=0.2, title="t", subtitle="s", colours=DARK)
    named = {note.text for note in figure.layout.annotations}
    assert named == {"<b>to a person</b>", "<b>α = 20%</b>"}


def plane_points() -> PlanePoints:
    rng = np.random.default_rng(0)
    x, y = rng.random(300), rng.random(300)
    route = np.where(x < 0.4, 1, np.where(y < 0.7, 2, 0)).astype(np.int8)
    wrong = (route > 0) & (rng.random(300) < 0.2)
    return PlanePoints(x, y, route, wrong, np.arange(300), 300, 320, 0.4, 0.7, tied=False)


def test_plane_draws_every_record_once_and_both_thresholds() -> None:
    points = plane_points()
    figure = figures.plane(points, (0.187, 0.194), title="t", subtitle="s", colours=LIGHT)
    assert sum(len(trace.x) for trace in figure.data) == 300
    crosses = figure.data[-1]
    assert len(crosses.x) == points.wrong.sum()
    assert "t1 = 0.187" in texts(figure)
    assert "t2 = 0.194" in texts(figure)
    assert [(line.x0, line.x1, line.y0, line.y1) for line in figure.layout.shapes] == [
        (0.4, 0.4, 0, 1),
        (0.4, 1, 0.7, 0.7),
    ]


def test_plane_of_a_refusal_has_no_lines() -> None:
    points = plane_points()
    nobody = PlanePoints(
        points.x,
        points.y,
        0 * points.route,
        points.wrong & False,
        points.place,
        300,
        300,
        None,
        None,
        tied=False,
    )
    figure = figures.plane(nobody, (None, None), title="t", subtitle="s", colours=LIGHT)
    assert not figure.layout.shapes
    assert [note.text for note in figure.layout.annotations] == ["<b>to a person</b>"]


def test_judges_compared_has_a_bar_and_a_number_each() -> None:
    rows = [
        JudgeRow("a", "A", True, 0.75, 0.25, 0.5, 0.25),
        JudgeRow("b", "B", False, 0.0, 0.0, 0.0, 1.0),
    ]
    figure = figures.judges_compared(rows, title="t", subtitle="s", colours=LIGHT)
    assert [trace.name for trace in figure.data] == ["Mode 1", "Mode 2", "to a person"]
    assert np.sum([trace.x for trace in figure.data], axis=0).tolist() == [1, 1]
    assert [note.text for note in figure.layout.annotations] == ["<b>75.0%</b>", "<b>0%</b>"]
    assert list(figure.data[0].y) == ["<b>A</b>", "B"]
