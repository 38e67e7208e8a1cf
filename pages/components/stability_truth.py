"""Truth by simulation: how often each certificate misses where the true risk is known."""

from __future__ import annotations

from collections.abc import Iterator

import pandas as pd
import streamlit as st

from core.jobs import PROMISES
from core.risk.certification import CERTIFICATES
from core.risk.truth import count_misses, fit_population
from core.studies import ALPHAS
from pages.components import charts, long_work, words
from pages.components.long_work import Work
from pages.components.risk_controls import CERTIFICATE_NAMES
from pages.components.stability_controls import N_SPLITS, PAGE, QUICK, SEED, Asked
from pages.components.stability_run import chart, offer, table
from pages.stability import figures, tables
from pages.stability.looks import certificate_looks

SHOWN = ("draws", "delta")
#: Certificates that promise something of the thresholds chosen.
PROMISING = tuple(name for name in CERTIFICATES if name != "pointwise")


def draw(asked: Asked) -> None:
    """Draw the view."""
    n = int(asked.judged.labelled.sum())
    with st.container(horizontal=True, gap="small"):
        st.badge("Simulated truth", color="gray", help=_MODEL_HELP)
        st.caption(
            "No cohort shows its true risk. Here a model fitted to this one stands for the "
            "population: the risks below are true of the model, not of your records."
        )
    done = long_work.draw(
        asked.key("truth", asked.delta),
        lambda: _begin(asked, n),
        wanted=asked.n,
        unit="draws",
        page=PAGE,
        quick=n <= QUICK,
        shows=f"Each draw takes {words.count(n)} records from a model fitted to this cohort, "
        "calibrates on them with each certificate, and compares the true risk of the policy with "
        "its target. The share of draws above α stands beside the promise δ.",
    )
    if done is None:
        return
    colours = charts.colours()
    rates: pd.DataFrame = done.result("rates", tables.miss_rates)
    title = tables.miss_title(rates, asked.delta, CERTIFICATE_NAMES)
    subtitle = (
        f"{words.count(done.units)} draws of {words.count(n)} records from a fitted model, "
        "simulated truth; 95% intervals. "
        "● Fixed\u00a0sequence, ■\u00a0Bonferroni, ◆\u00a0Pointwise"
    )
    figure = figures.misses(
        rates, certificate_looks(colours), asked.delta, title=title, subtitle=subtitle,
        colours=colours,
    )  # fmt: skip
    left, right = st.columns(2, gap="medium")
    with left:
        chart(figure, "misses", f"{title}. Share of draws whose true risk is above the target.")
    with right:
        table(
            tables.miss_cells(rates, asked.delta, CERTIFICATE_NAMES, PROMISING),
            "truth_table",
            "Certificates and targets with the draws whose true risk is above the target",
        )
    st.caption(
        " ".join(f"**{CERTIFICATE_NAMES[one]}.** {PROMISES[one]}" for one in CERTIFICATES)
        + f" A draw that accepts nothing can't miss. Seed {SEED}."
    )
    offer(
        asked,
        "truth",
        {"Miss rates": rates, "Every draw": done.rows},
        {"Miss rates": ("misses", figure)},
    )


def _begin(asked: Asked, n: int) -> Work:
    judged, known = asked.judged, asked.judged.labelled
    population = fit_population(
        judged.uncertainty1[known], judged.is_error1[known],
        judged.uncertainty2[known], judged.is_error2[known],
    )  # fmt: skip
    return Work(_draws(population, asked.delta, n), len(CERTIFICATES), None)


def _draws(population, delta: float, n: int) -> Iterator[pd.DataFrame]:
    """One draw of one certificate at a time; every certificate sees the same draws."""
    runs = [
        count_misses(
            population, alphas=ALPHAS, delta=delta, certificate=name, n=n,
            n_draws=int(N_SPLITS[-1]), seed=SEED,
        )
        for name in CERTIFICATES
    ]  # fmt: skip
    for _ in range(int(N_SPLITS[-1])):
        for name, run in zip(CERTIFICATES, runs, strict=True):
            rows = next(run)
            rows.insert(0, "certificate", name)
            yield rows


_MODEL_HELP = """The cohort's labelled records with their uncertainties, as a population of which
records are drawn with replacement. A record's chance of an error in a mode is the share of errors
among the records nearest to it in that mode's uncertainty; the two modes err independently."""
