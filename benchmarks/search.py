"""The pair search against the paper's search over every pair, in vectorised NumPy."""

from __future__ import annotations

import tracemalloc
from collections.abc import Callable
from functools import partial

import numpy as np

from benchmarks.table import Row, once, seconds
from core.risk.bounds import errors_allowed, risk_upper
from core.risk.calibration import calibrate_joint
from core.risk.splits import repeated_splits

DELTA = 0.05
Data = tuple[np.ndarray, ...]


def informative(n: int) -> tuple[Data, float]:
    """Risk rises with uncertainty; a target risk in mid-curve."""
    random = np.random.default_rng(1)
    u1, u2 = random.random((2, n))
    e1, e2 = random.random(n) < 0.15 + 0.4 * u1, random.random(n) < 0.05 + 0.35 * u2
    return (u1, e1.astype(float), u2, e2.astype(float)), 0.15


def useless(n: int) -> tuple[Data, float]:
    """Uncertainty says nothing and the risk equals the target: luck decides every test."""
    random = np.random.default_rng(2)
    u1, u2 = random.random((2, n))
    e1, e2 = (random.random((2, n)) < 0.2).astype(float)
    return (u1, e1, u2, e2), 0.2


def numpy_search(data: Data, fits: Callable[[np.ndarray, np.ndarray], np.ndarray]) -> int:
    """Every first threshold in a loop, all second ones at once by cumulative sums."""
    u1, e1, u2, e2 = data
    order1, order2 = np.argsort(u1), np.argsort(u2)
    rank1 = np.empty(len(u1), dtype=int)
    rank1[order1] = np.arange(len(u1))
    rank1, wrong2 = rank1[order2], e2[order2].astype(int)
    wrong1 = np.cumsum(e1[order1].astype(int))
    best = 0
    for first in range(len(u1)):
        left = rank1 > first
        m = first + 1 + np.cumsum(left)
        w = wrong1[first] + np.cumsum(np.where(left, wrong2, 0))
        passed = m[fits(w, m)]
        if passed.size:
            best = max(best, int(passed.max()))
    return best


def fits(allowed: np.ndarray, w: np.ndarray, m: np.ndarray) -> np.ndarray:
    return w <= allowed[m]


def bounded(alpha: float, w: np.ndarray, m: np.ndarray) -> np.ndarray:
    return np.asarray(risk_upper(w, m, DELTA) <= alpha)


def run() -> list[Row]:
    rows = []
    for name, make in (("informative", informative), ("useless, risk = α", useless)):
        for n in (1_000, 3_000, 10_000):
            data, alpha = make(n)
            allowed = errors_allowed(n, alpha, DELTA)
            ours = seconds(partial(pointwise, data, alpha))
            theirs = once(partial(numpy_search, data, partial(fits, allowed)))
            target = "50×" if n == 10_000 else ""
            rows.append(
                Row(f"pair search, {name}", f"{n:,}", ours, "NumPy, our table", theirs, target)
            )
            if n == 1_000:
                theirs = once(partial(numpy_search, data, partial(bounded, alpha)))
                rows.append(Row(f"pair search, {name}", f"{n:,}", ours, "NumPy, quantiles", theirs))
        for n, target in ((100_000, "0.5 s"), (1_000_000, "6 s")):
            data, alpha = make(n)
            ours = seconds(partial(pointwise, data, alpha))
            rows.append(Row(f"pair search, {name}", f"{n:,}", ours, target=target))
    data, alpha = informative(100_000)
    rows.append(
        Row(
            "fixed-sequence", "100,000",
            seconds(lambda: calibrate_joint(*data, alpha=alpha, delta=DELTA)),
        )
    )  # fmt: skip
    rows.append(splits())
    rows.append(memory())
    return rows


def pointwise(data: Data, alpha: float) -> object:
    return calibrate_joint(*data, alpha=alpha, delta=DELTA, certificate="pointwise")


def splits() -> Row:
    data, _ = informative(2_000)
    alphas = [0.05, 0.10, 0.15, 0.20, 0.25]

    def ours():
        return repeated_splits(*data, alphas=alphas, delta=DELTA, certificate="pointwise", seed=42)

    def theirs():
        random = np.random.default_rng(42)
        for _ in range(100):
            half = random.permutation(2_000)[:1_000]
            part = tuple(values[half] for values in data)
            for alpha in alphas:
                numpy_search(part, partial(fits, errors_allowed(1_000, alpha, DELTA)))

    return Row(
        "100 splits × 5 α, pointwise", "2,000", seconds(ours), "NumPy, our table", once(theirs),
        "2 s",
    )  # fmt: skip


def memory() -> Row:
    """Peak of NumPy's memory per record; the row's size says it, the time is incidental."""
    peaks = []
    for n in (100_000, 1_000_000):
        data, alpha = informative(n)
        pointwise(data, alpha)
        errors_allowed.cache_clear()
        tracemalloc.start()
        took = once(partial(pointwise, data, alpha))
        peaks.append(tracemalloc.get_traced_memory()[1] / n)
        tracemalloc.stop()
    text = " and ".join(f"{peak:.0f}" for peak in peaks)
    return Row(f"pair search, memory: {text} bytes a record", "100,000 and 1,000,000", took)
