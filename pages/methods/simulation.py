"""How often each certificate misses its target on records whose true risk is known.

The numbers that the page shows are in ``misses.json`` beside this file; this command makes them::

    python -m pages.methods.simulation
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np

from core.risk.calibration import calibrate_joint

RESULTS = Path(__file__).with_name("misses.json")
CERTIFICATES = ("fixed-sequence", "bonferroni", "pointwise")
N_RECORDS = 1_000
DELTA = 0.05
SEED = 20_260


@dataclass(frozen=True)
class Model:
    """Records whose uncertainties are uniform and independent, with a linear chance of an error.

    ``P(error of mode k | U_k = u) = base_k + slope_k * u``; a slope of 0 says that the
    uncertainty knows nothing. The risk of any pair of thresholds then has a closed form.
    """

    name: str
    base1: float
    slope1: float
    base2: float
    slope2: float
    alpha: float

    def risk(self, threshold1: float | None, threshold2: float | None) -> float:
        """Return the true risk of a pair of thresholds; 0.0 where the pair accepts nothing."""
        t1 = 0.0 if threshold1 is None else threshold1
        t2 = 0.0 if threshold2 is None else threshold2
        accepted = t1 + (1.0 - t1) * t2
        errors = self.base1 * t1 + self.slope1 * t1**2 / 2
        errors += (1.0 - t1) * (self.base2 * t2 + self.slope2 * t2**2 / 2)
        return errors / accepted if accepted > 0 else 0.0


#: Three cohorts that are hard at their target, and one where uncertainty is useless.
MODELS = (
    Model("hard, most of it within reach", 0.12, 0.30, 0.04, 0.24, 0.15),
    Model("hard, Mode 1 weak", 0.20, 0.30, 0.06, 0.20, 0.15),
    Model("hard at a loose target", 0.15, 0.30, 0.10, 0.22, 0.20),
    Model("uncertainty says nothing", 0.22, 0.0, 0.22, 0.0, 0.20),
)


@dataclass(frozen=True)
class Misses:
    """What one certificate did in the repetitions on one model."""

    model: str
    certificate: str
    alpha: float
    delta: float
    n_records: int
    repetitions: int
    missed: int
    mean_coverage: float
    seed: int

    @property
    def share_missed(self) -> float:
        """Share of repetitions whose chosen pair has a true risk above alpha."""
        return self.missed / self.repetitions

    @property
    def standard_error(self) -> float:
        """Binomial standard error of ``share_missed``."""
        share = self.share_missed
        return math.sqrt(share * (1 - share) / self.repetitions)


def simulate(model: Model, certificate: str, *, repetitions: int, seed: int) -> Misses:
    """Calibrate on fresh records again and again; count the pairs whose true risk exceeds alpha.

    Parameters
    ----------
    model : Model
        Where the records come from, and the target.
    certificate : {"fixed-sequence", "bonferroni", "pointwise"}
    repetitions : int
    seed : int
        Every certificate sees the same records for the same seed.

    Returns
    -------
    Misses
        Coverage is that of the calibration records tested; a repetition that accepts nothing
        counts with coverage 0 and cannot miss.
    """
    rng = np.random.default_rng(seed)
    missed = 0
    coverage = 0.0
    for repetition in range(repetitions):
        u1, u2 = rng.random((2, N_RECORDS))
        error1 = (rng.random(N_RECORDS) < model.base1 + model.slope1 * u1).astype(float)
        error2 = (rng.random(N_RECORDS) < model.base2 + model.slope2 * u2).astype(float)
        policy = calibrate_joint(
            u1, error1, u2, error2,
            alpha=model.alpha, delta=DELTA, certificate=certificate, seed=repetition,
        )  # fmt: skip
        missed += model.risk(policy.threshold1, policy.threshold2) > model.alpha
        coverage += policy.accepted / policy.n_calib
    return Misses(
        model.name, certificate, model.alpha, DELTA, N_RECORDS, repetitions, missed,
        round(coverage / repetitions, 4), seed,
    )  # fmt: skip


def load() -> tuple[Misses, ...]:
    """Return the stored results, models in the order of ``MODELS``."""
    return tuple(Misses(**row) for row in json.loads(RESULTS.read_text(encoding="utf-8")))


def save(results: Iterable[Misses]) -> None:
    """Write results where ``load`` finds them."""
    text = json.dumps([asdict(result) for result in results], indent=1)
    RESULTS.write_text(text + "\n", encoding="utf-8")


if __name__ == "__main__":
    save(
        simulate(model, certificate, repetitions=2_000, seed=SEED)
        for model in MODELS
        for certificate in CERTIFICATES
    )
