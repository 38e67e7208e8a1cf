"""Failure-space analysis: a judge's records of a cohort, through `core.residuals`.

Joins the store and the statistics, for the Residuals page and the terminal alike. Source of the
method: *Human-Anchored Factuality Evaluation with Strategic Annotation*, Sections 3 and 4.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from core.residuals.agreement import Agreement, agreement, judge_agreement
from core.residuals.levels import cross, cut_at_quantiles
from core.residuals.overview import Overview, overview
from core.residuals.residual import UNKNOWN_AS, Residuals, judge_residual
from core.residuals.risk_model import RiskModel, fit_risk_model
from core.residuals.slices import find_slices
from core.residuals.strata import lift_table, stratum_name
from core.store.database import Database
from core.store.residual_records import (
    ResidualRecords,
    load_features_table,
    load_ratings,
    load_residual_records,
    load_strata_table,
    load_texts,
)
from core.store.tags import FAILURE_CLASS

__all__ = ["CUTS", "UNKNOWN_AS", "FailureSpace", "load_failure_space"]

#: Where a numeric column is cut into strata, by name.
CUTS: Final[Mapping[str, tuple[float, ...]]] = {
    "halves": (0.5,),
    "thirds": (1 / 3, 2 / 3),
    "quartiles": (0.25, 0.5, 0.75),
    "deciles": (0.1, 0.9),
}
#: The judge's own verdict as a stratum.
VERDICT: Final = "judge says"
UNCERTAINTY: Final = "uncertainty"


@dataclass(frozen=True, eq=False)
class FailureSpace:
    """A judge's residuals on a cohort, and what may explain them.

    Attributes
    ----------
    records : ResidualRecords
        Verdicts and labels, ordered by item id.
    unknown_as : {"wrong", "zero", "excluded"}
        What a verdict "unknown" counts as.
    residuals : Residuals
    features : DataFrame of shape (n, p)
        Numeric features, NaN where missing; the judge's uncertainty is one of them.
    families : mapping of str to str
        Family of each feature.
    strata : DataFrame of shape (n, q)
        Text columns, None where missing; the judge's verdict is one of them.
    ratings : array of shape (n, n_annotators)
        Labels of each annotator of the label source, 1, 0 or NaN.
    annotators : tuple of str
    """

    records: ResidualRecords
    unknown_as: str
    residuals: Residuals
    features: pd.DataFrame
    families: Mapping[str, str]
    strata: pd.DataFrame
    ratings: NDArray[np.float64]
    annotators: tuple[str, ...]

    @property
    def n(self) -> int:
        """Number of records."""
        return len(self.records.item_id)

    def overview(self) -> Overview:
        """Rates, gap and disagreement, over the scored records."""
        return overview(
            self.records.human,
            self.records.verdict,
            self.records.unknown,
            unknown_as=self.unknown_as,
        )

    def agreement(self) -> tuple[Agreement, Agreement] | None:
        """How far annotators agree among themselves, and the judge with them; None for one."""
        if len(self.annotators) < 2:
            return None
        return agreement(self.ratings), judge_agreement(self.ratings, self.residuals.judge)

    def missing(self) -> dict[str, int]:
        """Why records aren't scored: reason to count, most first."""
        return self.records.missing(self.unknown_as)

    def varying(self) -> list[str]:
        """Features that take more than one value among the scored records."""
        scored = self.features[self.residuals.scored]
        return [str(name) for name in scored if scored[name].nunique() > 1]

    def risk_model(self, names: Sequence[str], *, seed: int = 0) -> RiskModel:
        """Train the risk model on some features; answers to one question share a fold."""
        return fit_risk_model(
            self.features[list(names)],
            self.residuals.residual,
            groups=self.records.question,
            seed=seed,
        )

    def slices(self, *, seed: int = 0) -> pd.DataFrame:
        """Search for slices over strata and features."""
        columns = pd.concat([self._known_before(), self.features], axis=1)
        return find_slices(self.residuals.residual, columns, seed=seed)

    def inside(self, name: str, cuts: str = "quartiles") -> NDArray[np.bool_]:
        """Tell which records are in a stratum, by its name in the table of lifts."""
        for column, levels in self.columns(cuts).items():
            if name == column:
                return np.array([str(one).casefold() == "true" for one in levels])
            if name.startswith(column):
                inside = np.array(
                    [one is not None and stratum_name(column, str(one)) == name for one in levels]
                )
                if inside.any():
                    return inside
        raise ValueError(f"There is no stratum {name!r}. Choose one of the table of lifts.")

    def columns(self, cuts: str = "quartiles") -> dict[str, NDArray[np.object_]]:
        """Every stratum column: text as it is, numbers cut at stated quantiles.

        A feature with at most three values is taken as it is.
        """
        known = self._known_before()
        found = {str(name): known[name].to_numpy(dtype=object) for name in known}
        for name in self.features:
            values = self.features[name].to_numpy(dtype=float)
            distinct = np.unique(values[~np.isnan(values)])
            if len(distinct) < 2:
                continue
            if len(distinct) <= 3:
                level = np.array([f"{value:g}" for value in np.nan_to_num(values)], dtype=object)
                level[np.isnan(values)] = None
            else:
                level = cut_at_quantiles(values, CUTS[cuts])
            found[str(name)] = level
        return found

    def _known_before(self) -> pd.DataFrame:
        """Strata but for the class of failure, which only records with a residual have."""
        return self.strata.drop(columns=FAILURE_CLASS, errors="ignore")

    def lift(
        self, cuts: str = "quartiles", pair: tuple[str, str] | None = None, *, seed: int = 0
    ) -> pd.DataFrame:
        """Lift of every stratum, or of the combinations of two columns."""
        columns = self.columns(cuts)
        if pair is not None:
            first, second = pair
            columns = {f"{first} × {second}": cross(columns[first], columns[second])}
        return lift_table(self.residuals.residual, columns, seed=seed)


def load_failure_space(
    db: Database,
    cohort_id: str,
    judge: str,
    *,
    mode: str = "mode1",
    candidate: str | None = None,
    label_source: str | None = None,
    unknown_as: str = "wrong",
    computed: bool = False,
) -> FailureSpace:
    """Load a judge's residuals, with features and strata.

    Parameters
    ----------
    db : Database
    cohort_id, judge, mode : str
    candidate, label_source : str, optional
        As in `core.store.records.load_judged`.
    unknown_as : {"wrong", "zero", "excluded"}
    computed : bool
        Whether the features that follow from the texts are computed too.

    Raises
    ------
    ValueError
        When one of the names is unknown; the text names the known ones.
    """
    records = load_residual_records(
        db, cohort_id, judge, mode=mode, candidate=candidate, label_source=label_source
    )
    residuals = judge_residual(
        records.human, records.verdict, records.unknown, unknown_as=unknown_as
    )
    features, families = load_features_table(db, cohort_id, candidate=candidate)
    if not np.isnan(records.uncertainty).all():
        features = features.assign(**{_free(UNCERTAINTY, features): records.uncertainty})
        families = {**families, features.columns[-1]: "judge output"}
    strata = load_strata_table(db, cohort_id, candidate=candidate)
    verdict = np.full(len(records.item_id), None, dtype=object)
    for name, chosen in (
        ("unknown", records.unknown),
        ("correct", records.verdict == 1),
        ("wrong", records.verdict == 0),
    ):
        verdict[chosen] = name
    strata = strata.assign(**{_free(VERDICT, strata): verdict})
    strata = _apart(strata, features)
    annotators, ratings = load_ratings(db, cohort_id, records.label_source, candidate=candidate)
    space = FailureSpace(
        records, unknown_as, residuals, features, families, strata, ratings, annotators
    )
    return with_computed(space, computed_features(db, records)) if computed else space


#: Records whose texts are read at a time.
PART: Final = 5_000


def computed_features(db: Database, records: ResidualRecords) -> pd.DataFrame:
    """Features that follow from the texts of the records, without a call to a model.

    Returns
    -------
    DataFrame of shape (n, p)
        As `core.residuals.text_features.text_features`, in the order of the records.
    """
    return joined_features(list(computed_by_part(db, records)))


def computed_by_part(db: Database, records: ResidualRecords) -> Iterator[pd.DataFrame]:
    """Give what `computed_features` would return, `PART` records at a time."""
    from core.residuals.text_features import text_features

    for start in range(0, len(records.item_id), PART):
        yield text_features(
            load_texts(
                db, records.cohort_id, records.judge, records.mode, candidate=records.candidate,
                item_ids=list(records.item_id[start : start + PART]),
            )
        )  # fmt: skip


def joined_features(parts: Sequence[pd.DataFrame]) -> pd.DataFrame:
    """Put the parts of `computed_by_part` together; a feature that one part lacks is missing."""
    from core.residuals.text_features import TEXT_FEATURES

    made = pd.concat(parts, ignore_index=True) if parts else pd.DataFrame()
    return made[[one.name for one in TEXT_FEATURES if one.name in made]]


def with_computed(space: FailureSpace, made: pd.DataFrame) -> FailureSpace:
    """The same failure space with computed features beside the imported ones."""
    from core.residuals.text_features import TEXT_FEATURES

    names = {str(name): _free(str(name), space.features) for name in made}
    family = {one.name: one.family for one in TEXT_FEATURES}
    features = space.features.join(made.rename(columns=names).set_axis(space.features.index))
    return replace(
        space,
        features=features,
        strata=_apart(space.strata, features),
        families={**space.families, **{names[name]: family[name] for name in names}},
    )


def _apart(strata: pd.DataFrame, features: pd.DataFrame) -> pd.DataFrame:
    """Strata under names that no feature has: each would take the other's place."""
    names = {name: f"{name} (stratum)" for name in strata if name in features}
    while any(name in features or name in strata for name in names.values()):
        names = {name: f"{new} " for name, new in names.items()}
    return strata.rename(columns=names)


def _free(name: str, frame: pd.DataFrame) -> str:
    """A name that no column has yet."""
    for ending in ("", " (computed)", " (computed again)"):
        if f"{name}{ending}" not in frame:
            return f"{name}{ending}"
    return _free(f"{name} ", frame)
