"""Arena pairs: the second judge is worse than the first, and there is no uncertainty."""

from __future__ import annotations

import numpy as np
import pytest

from core.jobs import RoutingRequest, run_routing
from core.store.database import Database
from core.store.exports import export_frame
from core.store.records import JudgedRecords, load_judged
from tests.real.conftest import Import
from tests.real.convert import arena_two_judges
from tests.shared import shared_path


@pytest.fixture(scope="module")
def records(db: Database, import_frame: Import) -> JudgedRecords:
    import_frame(arena_two_judges(shared_path("data/arena_two_judges")), "arena")
    return load_judged(db, "arena", "escalation")


def test_arena_records(records: JudgedRecords) -> None:
    assert records.n == 877
    assert records.labelled.all()
    assert np.isnan(records.uncertainty1).all()
    assert np.isnan(records.uncertainty2).all()
    assert records.uncertainty_kind1 is records.uncertainty_kind2 is None
    # One pick is missing in each judge's file.
    assert np.isnan(records.verdict1).sum() == np.isnan(records.verdict2).sum() == 1


def test_arena_second_judge_is_worse_on_every_match_up(
    db: Database, records: JudgedRecords
) -> None:
    frame = export_frame(db, "arena")
    frame["right"] = (frame["verdict"] == frame["label:human:voter"]).astype(float)
    right = frame.groupby(["stratum:match-up", "mode"])["right"].mean().unstack()
    assert len(right) == 3
    assert (right["mode2"] < right["mode1"]).all()


@pytest.mark.parametrize("certificate", ["fixed-sequence", "bonferroni", "pointwise"])
@pytest.mark.parametrize("alpha", [0.05, 0.5])
def test_arena_story_nothing_looks_certified(
    records: JudgedRecords, certificate: str, alpha: float
) -> None:
    run = run_routing(records, RoutingRequest(alpha=alpha, delta=0.1, certificate=certificate))
    assert (run.n_scored1, run.n_scored2) == (0, 0)
    assert run.policy.threshold1 is run.policy.threshold2 is None
    assert run.coverage == 0
    assert run.policy.reason
