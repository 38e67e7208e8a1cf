"""Why nothing can be accepted, in a sentence that says what was missing and by how much."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from core.risk.bounds import min_accepted
from core.risk.certification import Tests
from core.risk.search import SortedPair

_UNSCORED = "No record has both a verdict and an uncertainty, so none can be accepted."


def first_test(tests: list[Tests], allowed: NDArray[np.int32], alpha: float, level: float) -> str:
    """Say how the first tests of the walks failed, by the one that came closest."""
    firsts = [
        (int(walk.errors[0]), int(allowed[walk.accepted[0]]), int(walk.accepted[0]))
        for walk in tests
    ]
    scored = max((int(walk.accepted[-1]) for walk in tests), default=0)
    if scored < min_accepted(alpha, level):
        return _too_few(scored, alpha, level)
    testable = [first for first in firsts if first[1] >= 0]
    if not testable:
        most = max(first[2] for first in firsts)
        return (
            f"The first test takes the {most:,} surest records; at α = {_percent(alpha)} and this "
            f"certificate's level ({level:.2g}) {min_accepted(alpha, level):,} are needed even "
            "without an error."
        )
    wrong, allows, size = min(testable, key=lambda first: first[0] - first[1])
    return (
        f"The first test takes the {size:,} surest records: {wrong:,} are wrong, {allows:,} are "
        f"allowed at α = {_percent(alpha)} and this certificate's level ({level:.2g})."
    )


def closest_test(tests: list[Tests], allowed: NDArray[np.int32], alpha: float, level: float) -> str:
    """Say how close a single mode's best threshold comes where no threshold passes."""
    scored = max((int(walk.accepted[-1]) for walk in tests), default=0)
    if scored < min_accepted(alpha, level):
        return _too_few(scored, alpha, level)
    closest: tuple[int, int, int] | None = None
    for walk in tests:
        over = np.where(allowed[walk.accepted] >= 0, walk.errors - allowed[walk.accepted], np.inf)
        place = int(np.argmin(over))
        if np.isfinite(over[place]) and (closest is None or over[place] < closest[0] - closest[1]):
            size = int(walk.accepted[place])
            closest = (int(walk.errors[place]), int(allowed[size]), size)
    if closest is None:
        return _too_few(scored, alpha, level)
    wrong, allows, size = closest
    return (
        f"No threshold passes. The closest one of a single mode takes {size:,} records: {wrong:,} "
        f"are wrong, {allows:,} are allowed at α = {_percent(alpha)} and this certificate's level "
        f"({level:.2g})."
    )


def single_modes(pair: SortedPair) -> list[Tests]:
    """Give every threshold of each mode alone, for `closest_test`."""
    scored1 = pair.ends1[-1] if len(pair.ends1) else 0
    cumulative1 = np.concatenate([[0], np.cumsum(pair.error1[:scored1])])
    ends1 = np.concatenate([[0], pair.ends1])
    has2 = pair.group2 >= 0
    n2 = np.bincount(pair.group2[has2], minlength=len(pair.threshold2))
    errors2 = np.bincount(
        pair.group2[has2], weights=pair.error2[has2], minlength=len(pair.threshold2)
    )
    nothing1, nothing2 = np.full(len(ends1), -np.inf), np.full(len(n2) + 1, -np.inf)
    return [
        Tests(np.concatenate([[-np.inf], pair.threshold1]), nothing1, ends1, cumulative1[ends1], 0),
        Tests(
            nothing2,
            np.concatenate([[-np.inf], pair.threshold2]),
            np.concatenate([[0], np.cumsum(n2)]),
            np.concatenate([[0], np.cumsum(errors2).astype(np.int64)]),
            pair.n,
        ),
    ]


def _too_few(scored: int, alpha: float, level: float) -> str:
    if scored == 0:
        return _UNSCORED
    return (
        f"{min_accepted(alpha, level):,} accepted records without an error are needed at "
        f"α = {_percent(alpha)} and this certificate's level ({level:.2g}); there are {scored:,}."
    )


def _percent(share: float) -> str:
    return f"{100 * share:.6g}%"
