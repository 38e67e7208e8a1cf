"""What the Residuals page says of its tables: tiles, cells in words, titles that are findings."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd

from core.residuals.agreement import Agreement
from core.residuals.overview import Overview
from pages.components import words
from pages.residuals.figures import factor

LIFT_NOTE = (
    "Lift: mean squared residual in the stratum ÷ that of all scored records, with a 95% bootstrap "
    "interval. With many strata some stand out by luck: p is against the rest of the records, "
    "adjusted by Holm over all strata listed in the download. Strata under 20 records are marked."
)


def points(difference: float) -> str:
    """A difference of shares: −22.8 pp."""
    if math.isnan(difference):
        return words.DASH
    return f"{100 * difference:+.1f} pp".replace("-", "−")


def tiles(
    overview: Overview, agreed: tuple[Agreement, Agreement] | None
) -> list[tuple[str, str, str, str]]:
    """Label, value, pill and tooltip of the six tiles."""
    scored, differ = overview.n_scored, overview.disagreements
    rejects = overview.over_rejections >= overview.over_acceptances
    side = overview.over_rejections if rejects else overview.over_acceptances
    sixth = (
        "Over-acceptance" if rejects else "Over-rejection",
        words.percent((differ - side) / differ if differ else None),
        words.of(differ - side, differ),
        "Share of the disagreements on the other side.",
    )
    if agreed is not None:
        kappa = agreed[0].cohen_kappa
        sixth = (
            "Raters agree",
            words.percent(agreed[0].raw),
            "ceiling" if kappa is None else f"κ {kappa:.2f}, ceiling",
            "Equal pairs of labels by two annotators: the ceiling for a judge. κ is Cohen's.",
        )
    return [
        (
            "Judge calls correct", words.percent(overview.judge_rate),
            _interval(overview.judge_low, overview.judge_high),
            f"Share of {words.count(scored)} scored answers; 95% Wilson interval.",
        ),
        (
            "Humans call correct", words.percent(overview.human_rate),
            _interval(overview.human_low, overview.human_high),
            f"Share of {words.count(scored)} scored answers; 95% Wilson interval.",
        ),
        (
            "Gap", points(overview.gap),
            f"{points(overview.gap_low)[:-3]} to {points(overview.gap_high)}",
            "Judge minus people, on the same records, with a 95% interval for paired shares.",
        ),
        (
            "Disagreement", words.percent(differ / scored if scored else None),
            words.of(differ, scored), "Scored records where judge and people differ.",
        ),
        (
            "Over-rejection" if rejects else "Over-acceptance",
            words.percent(side / differ if differ else None), words.of(side, differ),
            "Share of the disagreements where the judge "
            + ("rejects what people accept." if rejects else "accepts what people reject."),
        ),
        sixth,
    ]  # fmt: skip


def confusion_cells(overview: Overview) -> pd.DataFrame:
    """Counts and shares of scored records, judge by people."""
    rows = {"Judge: correct": overview.table["correct"], "Judge: wrong": overview.table["wrong"]}
    if sum(overview.table["unknown"].values()):
        rows["Judge: unknown"] = overview.table["unknown"]
    total = sum(sum(row.values()) for row in rows.values())
    return pd.DataFrame(
        {
            f"People: {human}": [
                f"{words.count(row[human])} ({words.percent(row[human] / max(total, 1))})"
                for row in rows.values()
            ]
            for human in ("correct", "wrong")
        },
        index=list(rows),
    )


def agreement_cells(among: Agreement, judge: Agreement) -> pd.DataFrame:
    """People among themselves beside the judge with people."""
    return pd.DataFrame(
        [
            {
                "": name,
                "Equal": words.percent(one.raw),
                "Cohen's κ": _decimal(one.cohen_kappa),
                "Krippendorff's α": _decimal(one.krippendorff_alpha),
            }
            for name, one in (("People", among), ("Judge with people", judge))
        ]
    )


def overview_table(overview: Overview, agreed: tuple[Agreement, Agreement] | None) -> pd.DataFrame:
    """Everything that the tiles and the small tables say, for a file."""
    row = {
        name: getattr(overview, name)
        for name in (
            "n", "n_scored", "judge_rate", "judge_low", "judge_high", "human_rate", "human_low",
            "human_high", "gap", "gap_low", "gap_high", "disagreements", "over_rejections",
            "over_acceptances",
        )
    }  # fmt: skip
    for judge, cells in overview.table.items():
        for human, number in cells.items():
            row[f"judge_{judge}_human_{human}"] = number
    for name, one in zip(("raters", "judge_with_raters"), agreed or (), strict=False):
        row |= {
            f"{name}_equal": one.raw,
            f"{name}_cohen_kappa": one.cohen_kappa,
            f"{name}_krippendorff_alpha": one.krippendorff_alpha,
        }
    return pd.DataFrame([row])


def most_telling(lift: pd.DataFrame, most: int) -> pd.DataFrame:
    """The strata worth drawing: by excess either way, with the rare one that lifts most."""
    known = lift[lift["lift"].notna()]
    order = known["excess"].abs().sort_values(ascending=False, kind="stable").index
    kept = list(order[:most])
    rare = known[known["few"] & (known["n"] >= 5)]
    if len(rare) and (one := rare["lift"].idxmax()) not in kept:
        kept[-1:] = [one]
    return known.loc[kept].sort_values("excess", ascending=False, kind="stable")


def lift_title(lift: pd.DataFrame) -> str:
    """The finding of the lift figure."""
    significant = lift[(lift["p_holm"] < 0.05) & ~lift["few"] & (lift["lift"] > 1)]
    if significant.empty:
        return "No stratum stands out from the others"
    row = significant.iloc[int(significant["excess"].to_numpy().argmax())]
    name = words.short(str(row["stratum"]), 44)
    return f"{name}: {factor(row['lift'])} the average residual"


def lift_cells(lift: pd.DataFrame) -> pd.DataFrame:
    """Strata in words."""
    return pd.DataFrame(
        {
            "Stratum": [
                f"{name} (few)" if few else str(name)
                for name, few in zip(lift["stratum"], lift["few"], strict=True)
            ],
            "Lift": [factor(one) for one in lift["lift"]],
            "95% interval": [
                words.DASH if math.isnan(low) else f"{low:.2f} to {high:.2f}"
                for low, high in zip(lift["lift_low"], lift["lift_high"], strict=True)
            ],
            "Prevalence": [words.percent(one) for one in lift["prevalence"]],
            "n": [words.count(one) for one in lift["n"]],
            "E[Δ²]": [f"{one:.3f}" for one in lift["mean_squared_residual"]],
            "Holm p": [p_value(one) for one in lift["p_holm"]],
        }
    )


def p_value(value: float) -> str:
    """A p-value: .031, < .001."""
    if value is None or math.isnan(value):
        return words.DASH
    if value < 0.001:
        return "< .001"
    return f"{value:.3f}".lstrip("0") if value < 1 else "1"


def correlation_cells(table: pd.DataFrame, families: dict[str, str]) -> pd.DataFrame:
    """Features with their rank correlation, best first, constants last."""
    order = table["spearman"].abs().sort_values(ascending=False, na_position="last").index
    rows = table.loc[order]
    return pd.DataFrame(
        {
            "Feature": rows["feature"].astype(str),
            "Family": [families.get(str(one), "") for one in rows["feature"]],
            "ρ with |Δ|": [_signed(one) for one in rows["spearman"]],
            "95% interval": [
                words.DASH if math.isnan(low) else f"{_signed(low)} to {_signed(high)}"
                for low, high in zip(rows["low"], rows["high"], strict=True)
            ],
            "n": [words.count(one) for one in rows["n"]],
            "Missing": [words.percent(one) for one in rows["missing"]],
            "Note": rows["note"].fillna("").astype(str),
        }
    )


def correlation_title(table: pd.DataFrame) -> str:
    known = table[table["spearman"].notna()]
    if known.empty:
        return "Features or residuals don't vary: nothing to rank"
    row = known.iloc[int(known["spearman"].abs().to_numpy().argmax())]
    name = words.short(str(row["feature"]), 40)
    if row["low"] <= 0 <= row["high"] or np.isnan(row["low"]):
        return "No feature is seen to follow the residual"
    return f"{name} follows the residual most: ρ = {_signed(row['spearman'])}"


def set_cells(table: pd.DataFrame, sets: Mapping[str, Sequence[str]]) -> pd.DataFrame:
    """Feature sets in words, the smallest that is as good as any first."""
    table = table.sort_values("winner", ascending=False, kind="stable")
    return pd.DataFrame(
        {
            "Set": table["name"].astype(str),
            "As good as any": ["smallest" if one else "" for one in table["winner"]],
            "Size": [words.count(one) for one in table["size"]],
            "Spearman": [
                words.DASH
                if math.isnan(mean)
                else f"{mean:.3f} ± {0 if math.isnan(se) else se:.3f}"
                for mean, se in zip(table["spearman"], table["standard_error"], strict=True)
            ],
            "AUROC": [_decimal(one) for one in table["auroc"]],
            "Features": [", ".join(map(str, sets[str(name)])) for name in table["name"]],
        }
    )


def slice_cells(slices: pd.DataFrame) -> pd.DataFrame:
    """Slices in words: lift of the half set aside, beside that of the half searched."""
    return pd.DataFrame(
        {
            "Slice": slices["slice"],
            "Lift": [factor(one) for one in slices["lift"]],
            "95% interval": [
                words.DASH if math.isnan(low) else f"{low:.2f} to {high:.2f}"
                for low, high in zip(slices["lift_low"], slices["lift_high"], strict=True)
            ],
            "Where searched": [factor(one) for one in slices["lift_searched"]],
            "Prevalence": [words.percent(one) for one in slices["prevalence"]],
            "n": [words.count(one) for one in slices["n"]],
            "Holm p": [p_value(one) for one in slices["p_holm"]],
        }
    )


def _interval(low: float, high: float) -> str:
    return f"{words.percent(low)[:-1]} to {words.percent(high)}"


def _decimal(value: float | None) -> str:
    return words.DASH if value is None or np.isnan(value) else f"{value:.2f}"


def _signed(value: float) -> str:
    if math.isnan(value):
        return words.DASH
    return f"{value:+.2f}".replace("-", "−") if abs(value) >= 0.005 else "0.00"
