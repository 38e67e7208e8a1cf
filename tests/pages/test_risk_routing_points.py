"""The points that the figures draw: what they leave out, and what they may not."""

from __future__ import annotations

import numpy as np
import pytest

from core.jobs import RoutingRequest, run_routing
from core.store.records import JudgedRecords
from pages.risk_routing import points


def judged(n: int = 900, *, seed: int = 1, steps: int = 0, labelled: float = 1.0) -> JudgedRecords:
    """Two modes whose errors rise with uncertainty; `steps` makes ties."""
    rng = np.random.default_rng(seed)
    u1, u2 = rng.random(n), rng.random(n)
    if steps:
        u1, u2 = np.round(u1 * steps) / steps, np.round(u2 * steps) / steps
    human = (rng.random(n) < 0.5).astype(float)
    verdict1 = np.abs(human - (rng.random(n) < 0.5 * u1))
    verdict2 = np.abs(human - (rng.random(n) < 0.3 * u2))
    human[rng.random(n) >= labelled] = np.nan
    return JudgedRecords(
        cohort_id="c",
        cohort_name="C",
        data_hash="0",
        judge="j",
        judge_kind="simulated",
        candidate=None,
        label_source="human",
        item_id=np.array([f"{i:05d}" for i in range(n)], dtype=object),
        verdict1=verdict1,
        uncertainty1=u1,
        verdict2=verdict2,
        uncertainty2=u2,
        human=human,
        uncertainty_kind1=None,
        uncertainty_kind2=None,
        n_questions=n,
        n_label_ties=0,
    )


@pytest.mark.parametrize("mode", ["both", "1", "2"])
@pytest.mark.parametrize("certificate", ["fixed-sequence", "pointwise"])
@pytest.mark.parametrize("steps", [0, 8])
@pytest.mark.parametrize("labelled", [1.0, 0.6])
def test_chosen_curve_passes_through_the_operating_point(
    mode: str, certificate: str, steps: int, labelled: float
) -> None:
    records = judged(3_000, steps=steps, labelled=labelled)
    run = run_routing(records, RoutingRequest(0.15, 0.05, mode=mode, certificate=certificate))
    assert run.policy.accepted
    curve = points.chosen_curve(records, run)
    at = np.flatnonzero(curve.accepted == run.policy.accepted)
    assert curve.errors[at].tolist() == [run.policy.errors]
    assert curve.of == run.policy.n_tested
    assert curve.coverage[at[0]] == pytest.approx(run.policy.accepted / run.policy.n_tested)


def test_curves_are_thinned_and_keep_their_ends() -> None:
    records = judged(20_000)
    curve = points.mode_curve(records, 2)
    assert len(curve.accepted) <= points.CURVE_POINTS
    assert curve.accepted[0] == 1
    assert curve.accepted[-1] == 20_000
    assert (np.diff(curve.accepted) > 0).all()
    assert curve.errors[-1] == np.sum(records.is_error2)


def test_curve_start_leaves_out_small_counts() -> None:
    curve = points.mode_curve(judged(500), 1).start_at(40)
    assert curve.accepted.min() == 40
    assert curve.of == 500


def test_unscored_and_unlabelled_records_are_no_part_of_a_curve_but_of_n() -> None:
    records = judged(200)
    records.uncertainty1[:50] = np.nan
    records.human[150:] = np.nan
    curve = points.mode_curve(records, 1)
    assert curve.of == 150
    assert curve.accepted[-1] == 100
    assert curve.coverage[-1] == pytest.approx(100 / 150)


@pytest.mark.parametrize("steps", [0, 5])
def test_plane_puts_every_record_on_the_side_of_its_route(steps: int) -> None:
    records = judged(4_000, steps=steps)
    run = run_routing(records, RoutingRequest(0.2, 0.05, prefer="retrieval"))
    plane = points.plane_points(records, run)
    assert len(plane.place) == points.PLANE_RECORDS
    assert (plane.scored, plane.n) == (4_000, 4_000)
    assert plane.line1 is not None
    assert plane.line2 is not None
    by1, by2 = plane.x < plane.line1, plane.y < plane.line2
    assert ((plane.route == 1) == by1).all()
    assert ((plane.route == 2) == (~by1 & by2)).all()
    assert plane.wrong.any()
    assert not plane.wrong[plane.route == 0].any()
    assert (run.route[plane.place] == plane.route).all()


def test_plane_tells_ties_from_a_fine_scale() -> None:
    for steps, tied in ((5, True), (0, False)):
        records = judged(400, steps=steps)
        run = run_routing(records, RoutingRequest(0.2, 0.05))
        assert points.plane_points(records, run).tied is tied
    few = judged(6)
    assert not points.plane_points(few, run_routing(few, RoutingRequest(0.2, 0.05))).tied


def test_plane_without_a_second_uncertainty_is_empty() -> None:
    records = judged(100)
    records.uncertainty2[:] = np.nan
    plane = points.plane_points(records, run_routing(records, RoutingRequest(0.2, 0.05)))
    assert (len(plane.place), plane.scored, plane.line2) == (0, 0, None)


def test_plane_is_the_same_each_time() -> None:
    records = judged(3_000)
    run = run_routing(records, RoutingRequest(0.2, 0.05))
    first, again = points.plane_points(records, run), points.plane_points(records, run)
    assert first.place.tolist() == again.place.tolist()
    assert first.x.tolist() == again.x.tolist()
