"""Where judge and people disagree."""

from __future__ import annotations

import argparse
import sys
from dataclasses import asdict

import pandas as pd

from core.failure_space import load_failure_space
from core.residuals.correlation import feature_correlations
from core.store.records import get_cohort
from core.terminal.common import (
    DONE,
    chosen_records,
    print_json,
    print_table,
    reading,
    write,
    written,
)

_SHOWN = 20


def residuals(options: argparse.Namespace) -> int:
    """See where a judge disagrees with people, by stratum, and which features follow it."""
    with reading(options) as db:
        records = chosen_records(db, options, options.judge, options.candidate)
        info = {one.name: one for one in get_cohort(db, records.cohort_id).judges}[records.judge]
        mode = options.mode or ("mode1" if "mode1" in info.modes else info.modes[0])
        space = load_failure_space(
            db, records.cohort_id, records.judge, mode=mode, candidate=records.candidate,
            label_source=records.label_source, unknown_as=options.unknown_as,
            computed=options.computed,
        )  # fmt: skip
    overview = space.overview()
    strata = space.lift(options.cuts)
    features = feature_correlations(space.features, space.residuals.residual)
    features.insert(1, "family", [space.families[str(name)] for name in features["feature"]])
    if options.out:
        write(options.out, written(strata, options.out, bom=False))
    agreed = space.agreement()
    answer = {
        "cohort": records.cohort_id,
        "data_hash": records.data_hash,
        "judge": records.judge,
        "judge_kind": records.judge_kind,
        "mode": mode,
        "candidate": records.candidate,
        "label_source": records.label_source,
        "unknown_as": options.unknown_as,
        "overview": asdict(overview),
        "not_scored": space.missing(),
        "agreement": None if agreed is None else asdict(agreed[0]),
        "judge_agreement": None if agreed is None else asdict(agreed[1]),
        "strata": _rows(strata),
        "features": _rows(features),
    }
    model = None
    if options.model:
        model = space.risk_model(space.varying())
        answer["model"] = {
            "features": list(model.feature_names),
            "n_trained": model.n_trained,
            "auroc": model.auroc,
            "spearman": model.spearman,
            "notes": list(model.notes),
        }
    if options.json:
        print_json(answer)
    elif not options.out:
        print_table(strata.drop(columns=["column", "level"]).head(_SHOWN).round(4))
        print(
            f"\nScored {overview.n_scored:,} of {overview.n:,} records; judge "
            f"{overview.judge_rate:.1%} correct, people {overview.human_rate:.1%}, "
            f"{overview.disagreements:,} disagreements ({overview.over_rejections:,} "
            f"over-rejections). {len(strata):,} strata; unknown counts as {options.unknown_as}.",
            file=sys.stderr,
        )
        print_table(features.head(_SHOWN).round(4))
        if model is not None:
            print(
                f"\nRisk model on {len(model.feature_names)} features, out of fold: AUROC "
                f"{_figure(model.auroc)}, Spearman {_figure(model.spearman)} with |residual|"
            )
            print("\n".join(model.notes), file=sys.stderr)
    return DONE


def _figure(value: float | None) -> str:
    return "–" if value is None else f"{value:.3f}"


def _rows(table: pd.DataFrame) -> list[dict[str, object]]:
    plain = table.astype(object).where(table.notna(), None)
    return [{str(name): value for name, value in row.items()} for row in plain.to_dict("records")]
