"""Every cached call of the pages.

Results are keyed by the content hash of the cohort and a frozen request. The records themselves
are passed with a leading underscore: Streamlit hashes only a sample of a large array, so an edited
label could bring back an old answer.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
import pandas as pd
import streamlit as st
from numpy.typing import NDArray

from core.annotation_space import AnnotationSpace, load_annotation_space
from core.failure_space import FailureSpace, load_failure_space
from core.jobs import RoutingJob, RoutingRequest, RoutingRun
from core.risk_score import RiskScored, with_risk_score
from core.store.columns import list_features
from core.store.database import Database, open_database
from core.store.records import (
    Cohort,
    JudgedRecords,
    list_cohorts,
    load_judged,
    record_table,
)
from core.store.residual_records import ResidualRecords, load_texts
from pages.risk_routing.points import Curve, PlanePoints, chosen_curve, mode_curve, plane_points

#: Settings of the server: start with an empty store; open the records without writing to them.
NO_SAMPLES = "ASSAY_NO_SAMPLES"
READ_ONLY = "ASSAY_READ_ONLY"
#: Targets tested in one call of a sweep, so that a moved control interrupts it soon.
_CHUNK = 10


@st.cache_resource(show_spinner="Opening the records …")
def database() -> Database:
    """The one connection that all sessions share; an empty store gets the sample cohorts."""
    db = open_database(read_only=bool(os.environ.get(READ_ONLY)))
    if not db.read_only and not os.environ.get(NO_SAMPLES) and not list_cohorts(db):
        load_samples(db)
    return db


def load_samples(db: Database) -> None:
    """Import the sample cohorts that are not there yet."""
    from core.store.imports import guess_mapping, prepare, read_records, write_cohort
    from sample_data import sample_files

    known = {cohort.name for cohort in list_cohorts(db)}
    for sample in sample_files():
        if sample.name in known:
            continue
        raw = read_records([sample.path])
        write_cohort(
            db,
            prepare(raw, guess_mapping(raw)),
            sample.name,
            description=sample.description,
            source=f"sample_data/{sample.path.name}",
        )


def cohorts() -> list[Cohort]:
    """The cohorts as they are now; not cached, since an import in another tab adds one."""
    return list_cohorts(database())


# Resources, not data: cached data is copied for each call, and these arrays are only read.
@st.cache_resource(max_entries=24, show_spinner=False)
def _records(
    data_hash: str,  # noqa: ARG001 - the key: new content, new records
    cohort_id: str,
    judge: str,
    candidate: str | None,
    label_source: str | None,
    _db: Database,
) -> JudgedRecords:
    return load_judged(_db, cohort_id, judge, candidate=candidate, label_source=label_source)


@st.cache_resource(max_entries=24, show_spinner=False)
def _job(
    key: tuple[str | None, ...],  # noqa: ARG001 - the key of the records
    mode: str,
    seed: int,
    _judged: JudgedRecords,
) -> RoutingJob:
    return RoutingJob(_judged, mode, seed)


@st.cache_data(max_entries=2_000, show_spinner=False)
def result(
    what: str,  # noqa: ARG001 - with the next two, the key of what `_compute` gives
    key: tuple[str | None, ...],  # noqa: ARG001
    choices: tuple[Any, ...],  # noqa: ARG001
    _compute: Callable[[], Any],
) -> Any:
    return _compute()


def key(judged: JudgedRecords) -> tuple[str | None, ...]:
    """What tells two sets of records apart."""
    return (
        judged.data_hash,
        judged.cohort_id,
        judged.judge,
        judged.candidate,
        judged.label_source,
        judged.uncertainty_kind1,
        judged.uncertainty_kind2,
    )


@st.cache_resource(max_entries=12, show_spinner="Training the risk model …")
def _risk_scored(
    key: tuple[str | None, ...],  # noqa: ARG001 - the key of the records
    way: str,
    _judged: JudgedRecords,
    _db: Database,
) -> RiskScored:
    return with_risk_score(_db, _judged, way)


@st.cache_resource(max_entries=12, show_spinner="Learning from the labels …")
def _annotation_space(
    data_hash: str,  # noqa: ARG001 - the key: new content, new records
    cohort_id: str,
    judge: str,
    mode: str,
    candidate: str | None,
    label_source: str | None,
    _db: Database,
) -> AnnotationSpace:
    return load_annotation_space(
        _db, cohort_id, judge, mode=mode, candidate=candidate, label_source=label_source
    )


def annotation_space(
    cohort: Cohort, judge: str, mode: str, candidate: str | None, label_source: str | None
) -> AnnotationSpace:
    """What a plan stands on: calibration records, population, and both models."""
    return _annotation_space(
        cohort.data_hash, cohort.cohort_id, judge, mode, candidate, label_source, database()
    )


def risk_scored(judged: JudgedRecords, way: str) -> RiskScored:
    """Records with the risk model's score in place of their uncertainty."""
    return _risk_scored(key(judged), way, judged, database())


def records(
    cohort: Cohort, judge: str, candidate: str | None, label_source: str | None = None
) -> JudgedRecords:
    """One judge's records of a cohort, for one candidate or all, by one source of labels."""
    return _records(cohort.data_hash, cohort.cohort_id, judge, candidate, label_source, database())


def has_features(judged: JudgedRecords) -> bool:
    """Whether the cohort has numeric features."""
    found: list[tuple[str, str]] = result(
        "features", (judged.data_hash, judged.cohort_id), (),
        lambda: list_features(database(), judged.cohort_id),
    )  # fmt: skip
    return bool(found)


def texts(judged: JudgedRecords, item_ids: Sequence[str]) -> pd.DataFrame:
    """A page of records with their texts, in the order asked."""
    found: pd.DataFrame = result(
        "texts", key(judged), tuple(item_ids), lambda: all_texts(judged, item_ids)
    )
    return found


def all_texts(judged: JudgedRecords, item_ids: Sequence[str]) -> pd.DataFrame:
    """Any number of records with their texts; not kept, for a file that is asked for once."""
    return record_table(
        database(),
        judged.cohort_id,
        judged.judge,
        candidate=judged.candidate,
        label_source=judged.label_source,
        item_ids=item_ids,
    )


def _prepared(judged: JudgedRecords, request: RoutingRequest) -> RoutingJob:
    return _job(key(judged), request.mode, request.seed, judged)


def routing(judged: JudgedRecords, request: RoutingRequest) -> RoutingRun:
    """The policy for a request, with what it does to every record."""
    run: RoutingRun = result(
        "routing", key(judged), (request,), lambda: _prepared(judged, request).run(request)
    )
    return run


def sweep(
    judged: JudgedRecords, request: RoutingRequest, alphas: tuple[float, ...]
) -> Iterator[pd.DataFrame]:
    """Coverage and shares at many targets, a part at a time, whatever alpha the request has."""
    fixed = replace(request, alpha=0.5)
    job = _prepared(judged, fixed)
    for start in range(0, len(alphas), _CHUNK):
        part = alphas[start : start + _CHUNK]
        yield result("sweep", key(judged), (fixed, part), partial(job.sweep, fixed, part))


def curve(judged: JudgedRecords, mode: int) -> Curve:
    """Risk against coverage of one mode alone."""
    found: Curve = result("curve", key(judged), (mode,), lambda: mode_curve(judged, mode))
    return found


def chosen(judged: JudgedRecords, run: RoutingRun) -> Curve:
    """Risk against coverage of what the policy stands on, through its operating point."""
    found: Curve = result("chosen", key(judged), (run.request,), lambda: chosen_curve(judged, run))
    return found


def plane(judged: JudgedRecords, run: RoutingRun) -> PlanePoints:
    """A sample of the records on the plane of both uncertainties."""
    found: PlanePoints = result(
        "plane", key(judged), (run.request,), lambda: plane_points(judged, run)
    )
    return found


@st.cache_resource(max_entries=12, show_spinner=False)
def _failure_space(
    data_hash: str,  # noqa: ARG001 - the key: new content, new records
    cohort_id: str,
    judge: str,
    mode: str,
    candidate: str | None,
    label_source: str | None,
    unknown_as: str,
    computed: bool,
    _db: Database,
) -> FailureSpace:
    return load_failure_space(
        _db, cohort_id, judge, mode=mode, candidate=candidate, label_source=label_source,
        unknown_as=unknown_as, computed=computed,
    )  # fmt: skip


def failure_space(
    cohort: Cohort,
    judge: str,
    mode: str,
    *,
    candidate: str | None,
    label_source: str | None,
    unknown_as: str,
    computed: bool,
) -> FailureSpace:
    """A judge's residuals with features and strata."""
    return _failure_space(
        cohort.data_hash, cohort.cohort_id, judge, mode, candidate, label_source, unknown_as,
        computed, database(),
    )  # fmt: skip


# Models and arrays are only read: as resources they aren't copied for each call.
@st.cache_resource(max_entries=64, show_spinner=False)
def _kept(
    what: str,  # noqa: ARG001 - with the next two, the key of what `_compute` gives
    key: tuple[Any, ...],  # noqa: ARG001
    choices: tuple[Any, ...],  # noqa: ARG001
    _compute: Callable[[], Any],
) -> Any:
    return _compute()


def lift(
    key: tuple[Any, ...], space: FailureSpace, cuts: str, pair: tuple[str, str] | None = None
) -> pd.DataFrame:
    """Lift of every stratum."""
    table: pd.DataFrame = _kept("lift", key, (cuts, pair), lambda: space.lift(cuts, pair))
    return table


def columns(key: tuple[Any, ...], space: FailureSpace, cuts: str) -> dict[str, NDArray[np.object_]]:
    """Every stratum column."""
    found: dict[str, NDArray[np.object_]] = _kept(
        "columns", key, (cuts,), lambda: space.columns(cuts)
    )
    return found


def correlations(
    key: tuple[Any, ...],
    space: FailureSpace,
    subset: str,
    inside: NDArray[np.bool_] | None,
) -> pd.DataFrame:
    """Rank correlation of every feature with the residual's size, on a subset by its name."""
    from core.residuals.correlation import feature_correlations

    table: pd.DataFrame = _kept(
        "correlations", key, (subset,),
        lambda: feature_correlations(space.features, space.residuals.residual, subset=inside),
    )  # fmt: skip
    return table


def redundancy(key: tuple[Any, ...], space: FailureSpace, names: tuple[str, ...]) -> pd.DataFrame:
    """Rank correlations between features."""
    from core.residuals.correlation import redundancy as between

    table: pd.DataFrame = _kept(
        "redundancy", key, names, lambda: between(space.features[list(names)])
    )
    return table


def slices(key: tuple[Any, ...], space: FailureSpace, seed: int) -> pd.DataFrame:
    """Slices that a search proposes, with their lift on the other half."""
    table: pd.DataFrame = _kept("slices", key, (seed,), lambda: space.slices(seed=seed))
    return table


def risk_model(key: tuple[Any, ...], space: FailureSpace, names: tuple[str, ...], seed: int) -> Any:
    """The risk model of some features."""
    return _kept("model", key, (names, seed), lambda: space.risk_model(names, seed=seed))


def explanation(key: tuple[Any, ...], model: Any, features: pd.DataFrame) -> Any:
    """SHAP values of every record."""
    from core.residuals.explain import explain

    return _kept("explanation", key, tuple(features), lambda: explain(model, features))


def residual_texts(
    key: tuple[Any, ...], records: ResidualRecords, item_ids: Sequence[str]
) -> pd.DataFrame:
    """Some records with their texts."""
    found: pd.DataFrame = result(
        "residual texts", key, tuple(item_ids),
        lambda: load_texts(
            database(), records.cohort_id, records.judge, records.mode,
            candidate=records.candidate, item_ids=item_ids,
        ),
    )  # fmt: skip
    return found
