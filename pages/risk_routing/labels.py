"""Places for names on lines, so that they cover neither a line nor each other."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

#: Distance between a line and its name, in shares of the plot.
_GAP = 0.05


@dataclass(frozen=True)
class Box:
    """A label's place: centre and size, in shares of the plot's width and height."""

    x: float
    y: float
    width: float
    height: float

    def clearance(self, paths: Sequence[NDArray[np.float64]], boxes: Sequence[Box]) -> float:
        """Distance to the nearest path or box, negative where it is covered."""
        distances = [self._from_path(path) for path in paths if len(path)]
        distances += [self._from_box(box) for box in boxes]
        return min(distances, default=1.0)

    def _from_path(self, path: NDArray[np.float64]) -> float:
        dx = np.abs(path[:, 0] - self.x) - self.width / 2
        dy = np.abs(path[:, 1] - self.y) - self.height / 2
        return float(np.min(np.maximum(dx, dy)))

    def _from_box(self, other: Box) -> float:
        return max(
            abs(self.x - other.x) - (self.width + other.width) / 2,
            abs(self.y - other.y) - (self.height + other.height) / 2,
        )


def clear_spot(
    path: NDArray[np.float64],
    paths: Sequence[NDArray[np.float64]],
    taken: Sequence[Box],
    *,
    width: float,
    height: float,
) -> Box:
    """The place beside `path` that is clearest of all paths and of what is taken.

    Parameters
    ----------
    path : array of shape (n, 2)
        The line to name, in shares of the plot.
    paths, taken
        Lines (`path` included) and labels to stay clear of.
    """
    best, most = None, -np.inf
    low, high = width / 2 + 0.01, 1 - width / 2 - 0.01
    for x in np.linspace(low, high, 25):
        near = np.abs(path[:, 0] - x) <= width / 2
        if not near.any():
            continue
        above = float(path[near, 1].max()) + height / 2 + _GAP / 2
        below = float(path[near, 1].min()) - height / 2 - _GAP / 2
        for y in (above, below):
            if not height / 2 <= y <= 1 - height / 2:
                continue
            box = Box(float(x), y, width, height)
            # Beyond a small margin more room is no better: then the first, leftmost place wins.
            room = min(box.clearance(paths, taken), 0.02) + 0.004 * x
            if room > most:
                best, most = box, room
    return best or Box(0.5, 0.5, width, height)
