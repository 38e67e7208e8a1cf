"""The worked examples of the Methods page: computed where they are shown, never typed."""

from __future__ import annotations

import math

import pandas as pd
from scipy.stats import beta

from core.risk.bounds import max_errors, min_accepted, risk_upper
from pages.methods.simulation import MODELS, load

_SUPERSCRIPTS = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")

#: Certificates by their names on the pages.
NAMES = {
    "fixed-sequence": "Fixed sequence",
    "bonferroni": "Bonferroni",
    "pointwise": "Pointwise",
}


def percent(share: float) -> str:
    """Return a share as text with one decimal, and a bare 0% or 100% where it is exactly that."""
    return f"{share:.0%}" if share in (0.0, 1.0) else f"{share:.1%}"


def level(share: float) -> str:
    """Return a chosen level such as alpha or delta without needless decimals."""
    return f"{100 * share:.4g}%"


def scientific(number: float) -> str:
    """Return a small number as people write it: 8.0 × 10⁻⁹."""
    digits, exponent = f"{number:.1e}".split("e")
    power = str(int(exponent)).translate(_SUPERSCRIPTS)
    return f"10{power}" if digits == "1.0" else f"{digits} × 10{power}"


def bound_percent(bound: float) -> str:
    """Return an upper bound as text, rounded up so that it never reads better than it is."""
    # 9 decimals first: 0.2 is stored as a hair more than 20.0 per cent.
    return percent(math.ceil(round(bound * 1000, 9)) / 1000)


def bound_sentence(errors: int, accepted: int, delta: float) -> str:
    """Say what a count of errors among accepted records allows to be claimed."""
    upper = float(risk_upper(errors, accepted, delta))
    if accepted == 0 or errors == accepted:
        return "Nothing can be claimed: the bound is 100%."
    return (
        f"{errors:,} wrong among {accepted:,} accepted is {percent(errors / accepted)} in this "
        f"sample. With {level(1 - delta)} confidence the true rate is at most "
        f"**{bound_percent(upper)}**."
    )


def verdict_sentence(errors: int, accepted: int, alpha: float, delta: float) -> str:
    """Say whether a count of errors keeps within the errors allowed, and by how many."""
    allowed = int(max_errors(accepted, alpha, delta))
    target = f"A target of {level(alpha)}"
    if allowed < 0:
        return f"{target} can't be promised with {accepted:,} accepted records, even without error."
    if errors <= allowed:
        return f"{target} is kept: up to {allowed:,} errors are allowed."
    return f"{target} is missed: {allowed:,} errors are allowed, {errors - allowed:,} fewer."


def feasibility_sentence(alpha: float, delta: float) -> str:
    """Say how many accepted records a target needs before anything can be promised."""
    none_wrong = int(min_accepted(alpha, delta))
    return (
        f"A target of {level(alpha)} with {level(1 - delta)} confidence needs at least "
        f"**{none_wrong:,} accepted records without one error**. With one error it needs "
        f"{needed(1, alpha, delta):,}, with five {needed(5, alpha, delta):,}."
    )


def needed(errors: int, alpha: float, delta: float) -> int:
    """Return the fewest accepted records among which ``errors`` wrong ones are allowed."""
    low, high = int(min_accepted(alpha, delta)), int(min_accepted(alpha, delta)) * 2 + errors
    while int(max_errors(high, alpha, delta)) < errors:
        low, high = high, high * 2
    while low < high:
        middle = (low + high) // 2
        if int(max_errors(middle, alpha, delta)) >= errors:
            high = middle
        else:
            low = middle + 1
    return low


def errors_allowed_table(delta: float = 0.05) -> pd.DataFrame:
    """Return the errors allowed among 50 … 2,000 accepted records, a column per target."""
    accepted = [50, 100, 200, 500, 1_000, 2_000]
    table = pd.DataFrame({"Accepted, m": [f"{count:,}" for count in accepted]})
    for alpha in (0.05, 0.10, 0.20):
        allowed = [int(max_errors(count, alpha, delta)) for count in accepted]
        table[f"α = {level(alpha)}"] = ["not even 0" if w < 0 else str(w) for w in allowed]
    return table


def lost_digits(delta: float = 1e-15, errors: int = 9, accepted: int = 1_000) -> str:
    """Say what the usual formula for the bound returns at a very small delta, and what is right."""
    usual = beta.ppf(1 - delta, errors + 1, accepted - errors)
    right = float(risk_upper(errors, accepted, delta))
    collapsed = beta.ppf(1 - delta / 100, errors + 1, accepted - errors)
    return (
        f"for {errors} wrong in {accepted:,} at δ = {scientific(delta)} it gives {usual:.7f} where "
        f"{right:.7f} is right, and at δ = {scientific(delta / 100)} it gives {collapsed:.0f}"
    )


def misses_table() -> pd.DataFrame:
    """Return how often each certificate missed alpha in the stored simulations."""
    results = {(row.model, row.certificate): row for row in load()}
    rows = []
    for model in MODELS:
        found = {"Simulated records": f"{model.name}, α = {level(model.alpha)}"}
        for certificate, name in NAMES.items():
            row = results[model.name, certificate]
            found[name] = f"{percent(row.share_missed)} (coverage {row.mean_coverage:.0%})"
        rows.append(found)
    return pd.DataFrame(rows)


def models_sentence() -> str:
    """Say how the records of the stored simulations were drawn."""

    def chance(base: float, slope: float) -> str:
        return f"{base:.2f} + {slope:.2f} u" if slope else f"{base:.2f}"

    return "; ".join(
        f"*{model.name}*: {chance(model.base1, model.slope1)} in Mode 1, "
        f"{chance(model.base2, model.slope2)} in Mode 2"
        for model in MODELS
    )


def misses_range(certificate: str, *, hard: bool) -> str:
    """Return the lowest and highest share of missed repetitions of a certificate, as text.

    ``hard`` takes the cohorts where uncertainty knows something; False those where it is useless.
    """
    useless = {model.name for model in MODELS if model.slope1 == model.slope2 == 0}
    shares = [
        f"{row.share_missed:.0%}"
        for row in sorted(load(), key=lambda row: row.share_missed)
        if row.certificate == certificate and (row.model not in useless) == hard
    ]
    return shares[0] if shares[0] == shares[-1] else f"{shares[0]} to {shares[-1]}"
