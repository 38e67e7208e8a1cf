"""Active annotation of PandaLM's pairs."""

from __future__ import annotations

import numpy as np
import pytest

from core.active.simulate import JUDGE, summarise
from tests.real import report_annotation
from tests.shared import shared_path


@pytest.fixture(autouse=True)
def _data() -> None:
    shared_path("data/pandalm")


def test_pairs_are_split_as_said() -> None:
    calibration, human = report_annotation.records()
    assert (len(calibration.human), len(human)) == (400, 599)
    # Ties and garbage count as no: 422 of 999 pairs have a majority for response 1.
    assert calibration.human.sum() + human.sum() == 422
    assert len(calibration.policies) == 5


def test_intervals_hold_and_policies_save_labels() -> None:
    table = report_annotation.simulation()
    drawn = table[table["policy"] != JUDGE]
    error = np.sqrt(0.95 * 0.05 / report_annotation.TRIALS)
    assert (np.abs(drawn["coverage"] - 0.95) < 4 * error).all()
    gain = summarise(table).set_index("policy")["ess_gain"]
    assert gain["Uniform"] > 0.30
    assert gain["FSA"] > gain["Uniform"]
    assert gain["Recalibrated"] > gain["Tuned"] > gain["FSA"]
    assert gain["Recalibrated"] > 0.55
