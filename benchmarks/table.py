"""Timing, and the table of what was timed."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Row:
    """One measurement: what, its size, our time, the alternative's, and what was to be reached."""

    what: str
    size: str
    seconds: float
    alternative: str = ""
    alternative_seconds: float | None = None
    target: str = ""


def seconds(call: Callable[[], object], repeats: int = 3) -> float:
    """Median time of a call, after one that is not counted."""
    call()
    times = []
    for _ in range(repeats):
        start = time.perf_counter()
        call()
        times.append(time.perf_counter() - start)
    return statistics.median(times)


def once(call: Callable[[], object]) -> float:
    """Time of a single call, for alternatives too slow to repeat."""
    start = time.perf_counter()
    call()
    return time.perf_counter() - start


def duration(value: float) -> str:
    return f"{value:.2f} s" if value >= 1 else f"{1000 * value:.3g} ms"


def markdown(rows: Sequence[Row]) -> str:
    lines = [
        "| what | size | Assay | alternative, same run | ratio | to reach |",
        "|---|---|---|---|---|---|",
    ]
    for row in rows:
        other, ratio = row.alternative, ""
        if row.alternative_seconds is not None:
            other = f"{row.alternative} {duration(row.alternative_seconds)}"
            times = row.alternative_seconds / row.seconds
            ratio = f"{times:,.0f}×" if times >= 1 else f"{times:.1g}×"
        lines.append(
            f"| {row.what} | {row.size} | {duration(row.seconds)} | {other} | {ratio} "
            f"| {row.target} |"
        )
    return "\n".join(lines)
