"""What the Stability page says of its tables: cells in words, titles that are findings."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd

from core.risk.bounds import risk_upper
from pages.components import words
from pages.stability.looks import Change


def as_rows(frame: pd.DataFrame) -> list[dict[str, Any]]:
    """The rows as plain dictionaries."""
    return [{str(name): value for name, value in row.items()} for row in frame.to_dict("records")]


def unbroken(name: str) -> str:
    """A short name that no line break splits."""
    return name.replace(" ", "\u00a0") if len(name) <= 12 else name


def mean_spread(mean: float, spread: float) -> str:
    """A mean with its standard deviation: 14.2% ± 1.1 pp."""
    if math.isnan(mean):
        return words.DASH
    return f"{words.percent(mean)} ± {100 * spread:.1f} pp"


def summary_cells(
    summary: pd.DataFrame, column: str, names: Mapping[str, str] | None = None
) -> pd.DataFrame:
    """Every variant and target of `core.studies.summarise`, in words; `column` names variants."""
    variants = summary["variant"].map(lambda one: (names or {}).get(one, one))
    above = [
        words.of(round(row["above"] * row["accepting"]), row["accepting"])
        if row["accepting"]
        else words.DASH
        for row in as_rows(summary)
    ]
    return pd.DataFrame(
        {
            column: variants,
            "α": [words.setting(alpha) for alpha in summary["alpha"]],
            "Decided": list(map(mean_spread, summary["coverage"], summary["coverage_sd"])),
            "Wrong": list(map(mean_spread, summary["risk"], summary["risk_sd"])),
            "Above α": above,
            "Mode 1": [words.percent(share) for share in summary["share_mode1"]],
            "Mode 2": [words.percent(share) for share in summary["share_mode2"]],
            "Person": [words.percent(share) for share in summary["share_abstain"]],
        }
    )


def side_by_side(
    summary: pd.DataFrame, column: str, names: Mapping[str, str] | None = None
) -> pd.DataFrame:
    """A row a variant; coverage and risk at each target beside each other."""
    rows: dict[str, dict[str, str]] = {}
    for value, label in (("coverage", "decided"), ("risk", "wrong")):
        for one in as_rows(summary):
            name = (names or {}).get(one["variant"], one["variant"])
            row = rows.setdefault(name, {column: name})
            row[f"{label} at {words.setting(one['alpha'])}"] = words.percent(one[value])
    return pd.DataFrame(list(rows.values()))


def risk_title(summary: pd.DataFrame, names: Mapping[str, str] | None = None) -> str:
    """Whether the mean risk stays at or below its target, and where it does not.

    Where fewer than half of the splits accept anything, their mean is over a lucky few, and says
    nothing about the rest: it is left out.
    """
    accepting = [row for row in as_rows(summary) if 2 * row["accepting"] >= row["splits"]]
    if not accepting:
        return "Most splits accept nothing at any of these targets"
    above = [row for row in accepting if row["risk"] > row["alpha"]]
    if not above:
        return "Mean risk is at or below α wherever most splits accept anything"
    worst = max(above, key=lambda row: row["risk"] - row["alpha"])
    name = words.short((names or {}).get(worst["variant"], worst["variant"]))
    return (
        f"Mean risk is above α in {len(above)} of {len(accepting)} cases: "
        f"{unbroken(name)}, {words.percent(worst['risk'])} at {words.setting(worst['alpha'])}"
    )


def coverage_title(
    summary: pd.DataFrame, alpha: float, names: Mapping[str, str] | None = None
) -> str:
    """Who decides most and least at one target."""
    rows = [row for row in as_rows(summary) if row["alpha"] == alpha]
    best = max(rows, key=lambda row: row["coverage"])
    worst = min(rows, key=lambda row: row["coverage"])

    def decides(row: dict[str, Any], verb: str) -> str:
        name = words.short((names or {}).get(row["variant"], row["variant"]), 24)
        return f"{unbroken(name)}{verb} {words.percent(row['coverage'])}"

    at = f"At {unbroken('α = ' + words.setting(alpha))}"
    if len(rows) > 1 and best["coverage"] == worst["coverage"]:
        share = best["coverage"]
        return f"{at}, each decides {words.percent(share)}" if share else f"{at}, none decides any"
    said = f"{at}, {decides(best, ' decides')}"
    return said + (f", {decides(worst, '')}" if best["coverage"] > worst["coverage"] else "")


def nothing_accepted(summary: pd.DataFrame) -> str:
    """A sentence on what accepts nothing in any split; empty where everything does in some."""
    variants = list(dict.fromkeys(summary["variant"]))
    none: dict[float, list[str]] = {}
    for row in as_rows(summary):
        if not row["accepting"]:
            none.setdefault(row["alpha"], []).append(row["variant"])
    said = []
    for alpha, names in none.items():
        who = "" if len(names) == len(variants) else " by " + ", ".join(map(words.plain, names))
        said.append(f"at {words.setting(alpha)}{who}")
    return f"Nothing is accepted in any split {'; '.join(said)}." if said else ""


def miss_rates(rows: pd.DataFrame) -> pd.DataFrame:
    """Count the draws whose true risk is above alpha, with an exact 95% binomial interval.

    Parameters
    ----------
    rows : DataFrame
        certificate, draw, alpha, missed, coverage.

    Returns
    -------
    DataFrame
        certificate, alpha, draws, missed, rate, low, high, coverage (mean).
    """
    made = []
    for (certificate, alpha), group in rows.groupby(["certificate", "alpha"], sort=False):
        draws, missed = len(group), int(group["missed"].sum())
        made.append(
            {
                "certificate": certificate,
                "alpha": alpha,
                "draws": draws,
                "missed": missed,
                "rate": missed / draws,
                "low": 1 - float(risk_upper(draws - missed, draws, 0.025)),
                "high": float(risk_upper(missed, draws, 0.025)),
                "coverage": group["coverage"].mean(),
            }
        )
    return pd.DataFrame(made)


def miss_title(rates: pd.DataFrame, delta: float, names: Mapping[str, str]) -> str:
    """Which certificates are seen to miss more often than delta, beyond what chance explains."""
    over = [row for row in as_rows(rates) if row["low"] > delta]
    if not over:
        return f"No certificate is seen to miss α more often than {words.setting(delta)}"
    worst = max(over, key=lambda row: row["rate"])
    return (
        f"{names[worst['certificate']]} misses "
        f"{unbroken('α = ' + words.setting(worst['alpha']))} in "
        f"{words.percent(worst['rate'])} of draws, more than {words.setting(delta)}"
    )


def miss_cells(
    rates: pd.DataFrame, delta: float, names: Mapping[str, str], promising: Sequence[str]
) -> pd.DataFrame:
    """The miss rates in words, beside what was promised."""
    promise = {name: f"at most {words.setting(delta)}" for name in promising}
    return pd.DataFrame(
        {
            "Certificate": rates["certificate"].map(names),
            "α": [words.setting(alpha) for alpha in rates["alpha"]],
            "Promise": [promise.get(name, "none") for name in rates["certificate"]],
            "Draws above α": list(map(words.of, rates["missed"], rates["draws"])),
            "Rate": [words.percent(rate) for rate in rates["rate"]],
            "95% interval": [
                f"{words.percent(low)} to {words.bound(high)}"
                for low, high in zip(rates["low"], rates["high"], strict=True)
            ],
            "Decided": [words.percent(share) for share in rates["coverage"]],
        }
    )


def points(share: float) -> str:
    """A difference of shares in percentage points: +0.6, −1.2."""
    return f"{100 * share:+.1f}".replace("-", "−")


def drift_cells(changes: Sequence[Change]) -> pd.DataFrame:
    """Both snapshots and the change between them, in words."""
    return pd.DataFrame(
        {
            "Share": [one.name for one in changes],
            "First": [words.percent(one.before) for one in changes],
            "Later": [words.percent(one.after) for one in changes],
            "Δ, pp": [points(one.after - one.before) for one in changes],
            "95% interval": [f"{points(one.low)} to {points(one.high)}" for one in changes],
        }
    )
