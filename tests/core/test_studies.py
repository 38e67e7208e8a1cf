from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from core import studies
from core.risk.certification import CERTIFICATES
from core.risk.splits import repeated_splits
from core.store.database import open_database
from core.store.records import load_judged
from core.studies import Variant, run_variants, summarise
from tests.core.records import judged
from tests.core.study_cohort import write_study


@pytest.fixture(scope="module")
def study():
    with open_database(":memory:") as db:
        cohort = write_study(db)
        yield db, cohort, load_judged(db, cohort.cohort_id, "J")


def arrays(records):
    return (records.uncertainty1, records.is_error1, records.uncertainty2, records.is_error2)


def test_run_variants_is_repeated_splits_of_each():
    records = judged(400)
    parts = list(run_variants(studies.by_certificate(records), alphas=[0.3], n_splits=3, seed=1))
    assert [part["variant"][0] for part in parts[:3]] == list(CERTIFICATES)
    assert len(parts) == 9
    rows = pd.concat(parts)
    for name in CERTIFICATES:
        alone = repeated_splits(
            *arrays(records), alphas=[0.3], delta=0.05, certificate=name, n_splits=3, seed=1
        )
        found = rows[rows["variant"] == name].drop(columns="variant").reset_index(drop=True)
        pd.testing.assert_frame_equal(found, alone)


def test_only_labelled_records_are_split():
    found = next(run_variants([Variant("v", judged(400, labelled=200))], alphas=[0.9], n_splits=1))
    same = next(run_variants([Variant("v", judged(400))], alphas=[0.9], n_splits=1))
    assert not found.equals(same)
    with pytest.raises(ValueError, match="must leave a record on both sides"):
        next(run_variants([Variant("v", judged(400, labelled=1))]))


def test_summarise_by_hand():
    rows = pd.DataFrame(
        {
            "variant": "v", "alpha": 0.1, "split": [0, 1, 2, 3],
            "coverage": [0.2, 0.4, 0.0, 0.6], "risk": [0.05, 0.15, np.nan, 0.10],
            "share_mode1": 0.0, "share_mode2": [0.2, 0.4, 0.0, 0.6], "share_abstain": 0.7,
        }
    )  # fmt: skip
    (row,) = summarise(rows).to_dict("records")
    assert (row["splits"], row["accepting"]) == (4, 3)
    assert row["coverage"] == pytest.approx(0.3)
    assert row["risk"] == pytest.approx(0.1)
    assert row["risk_sd"] == pytest.approx(np.std([0.05, 0.15, 0.10]))
    assert row["above"] == pytest.approx(1 / 3)  # a risk equal to alpha is not above it
    nothing = summarise(rows.assign(risk=np.nan))
    assert nothing[["risk", "risk_sd", "above"]].isna().all(axis=None)


def test_settings_make_one_variant_each():
    records = judged(100)
    assert [v.delta for v in studies.by_delta(records, "pointwise")] == [0.01, 0.05, 0.10]
    fractions = studies.by_fraction(records, "pointwise", delta=0.1)
    assert [v.calib_fraction for v in fractions] == [k / 10 for k in range(1, 10)]
    assert {v.delta for v in fractions} == {0.1}


def test_label_sources_hold_the_string_comparisons(study):
    db, cohort, records = study
    variants = studies.by_label_source(db, cohort, records, "pointwise")
    assert [v.name for v in variants] == ["human", "evaluator", "exact match", "token F1 ≥ 0.5"]
    human, evaluator, exact, overlap = (v.records.human for v in variants)
    assert human.tolist() == records.human.tolist() == exact.tolist() == overlap.tolist()
    assert 0.01 < np.mean(human != evaluator) < 0.1


def test_admitted_leaves_out_what_can_not_be_compared():
    found = studies.admitted(
        [("the Nile", '["Nile"]'), ("blue Nile", "Nile"), (None, "x"), ("y", None)]
    )
    assert found["exact match"][:2].tolist() == [1, 0]
    assert found["token F1 ≥ 0.5"][:2].tolist() == [1, 1]
    assert all(np.isnan(values[2:]).all() for values in found.values())


def test_depths_and_baselines_take_their_modes(study):
    db, cohort, records = study
    depths = studies.by_depth(db, cohort, records, "pointwise")
    assert [v.name for v in depths] == ["as recorded", "k = 6", "k = 12"]
    assert [v.records.modes[1] for v in depths] == ["mode2", "mode2:k=6", "mode2:k=12"]
    lines = studies.baselines(db, cohort, records, "pointwise")
    assert [v.name for v in lines] == [
        "Mode 1 only", "Self-evaluation", "Empty evidence", "Always retrieve", "Pair",
    ]  # fmt: skip
    rows = pd.concat(list(run_variants(lines, alphas=[0.3], n_splits=4)))
    coverage = summarise(rows).set_index("variant")
    assert coverage.loc["Mode 1 only", "share_mode2"] == 0
    assert coverage.loc["Always retrieve", "share_mode1"] == 0
    assert coverage.loc["Pair", "coverage"] > coverage.loc["Mode 1 only", "coverage"]


def test_a_score_takes_the_place_of_the_uncertainty(study):
    db, cohort, records = study
    (feature,) = studies.scores(db, cohort)
    recorded, changed = studies.with_score(db, records, "pointwise", None, feature)
    assert recorded.records is records
    assert changed.name == "as recorded and probe"
    assert changed.records.uncertainty1 is records.uncertainty1
    assert not np.allclose(changed.records.uncertainty2, records.uncertainty2)
    assert changed.records.uncertainty_kind2 == "probe"


def test_snapshots_and_their_evidence(study):
    db, cohort, records = study
    assert studies.snapshots(cohort, records) == ["mode2:t1"]
    overlap = studies.evidence_overlap(db, records, "mode2:t1")
    assert len(overlap) == 400
    assert overlap["ranked"].unique().tolist() == [0.2]  # one of three places is the same
    assert overlap["unranked"].unique().tolist() == [0.5]
    assert studies.later(db, records, "mode2:t1").modes == ("mode1", "mode2:t1")


def test_what_a_cohort_lacks_is_empty():
    with open_database(":memory:") as db:
        cohort = write_study(db, 20, modes={"mode1": 0.3, "mode2": 0.1})
        records = load_judged(db, cohort.cohort_id, "J")
        assert studies.by_depth(db, cohort, records, "pointwise") == []
        assert studies.snapshots(cohort, records) == []
        names = [v.name for v in studies.baselines(db, cohort, records, "pointwise")]
        assert names == ["Mode 1 only", "Always retrieve", "Pair"]


def test_accuracy_is_of_the_labelled_verdicts():
    records = judged(1000, labelled=500)
    first, second = studies.accuracy(records)
    assert first == pytest.approx(1 - np.nanmean(records.is_error1))
    assert second > first
    assert np.isnan(studies.accuracy(judged(10, labelled=0))).all()
