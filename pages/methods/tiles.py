"""What each tile of the Risk & routing page means, and what it is a share of."""

from __future__ import annotations

import pandas as pd

_ALL = "all records of the selection, labelled or not"

#: Tile, what it is, and of how many.
TILES = (
    ("Coverage", "Records that the judge decides, through either mode.", _ALL),
    (
        "Risk",
        (
            "Wrong verdicts among those accepted. The pill gives the bound that the certificate "
            "allows to be claimed; pointwise allows none."
        ),
        "accepted, labelled records that the certificate tested",
    ),
    (
        "Retrievals avoided",
        "Records that need no evidence looked up: Mode 1 decides them, or Mode 2 isn't used.",
        _ALL,
    ),
    ("Mode 1", "Records decided from what the judge knows.", _ALL),
    ("Mode 2", "Records that Mode 1 left, decided with retrieved evidence.", _ALL),
    (
        "To a person",
        "Records that neither mode is sure enough about, or that have no usable verdict.",
        _ALL,
    ),
    (
        "Scored n of N",
        (
            "Records with a verdict and an uncertainty in that mode. The others stay in N, and "
            "that mode can't accept them."
        ),
        _ALL,
    ),
)


def tiles_table() -> pd.DataFrame:
    """Return the definitions as a table, in the order of the page."""
    return pd.DataFrame(TILES, columns=["Tile", "What it is", "Of how many"])
