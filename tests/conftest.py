"""What holds for every test; pyproject.toml turns warnings into errors."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

# Before NumPy or XGBoost start their threads, and before a test could open a person's records.
os.environ.setdefault("OMP_NUM_THREADS", "1")
os.environ["ASSAY_DATABASE"] = ":memory:"

from hypothesis import settings

settings.register_profile("person", deadline=None)
settings.register_profile("ci", deadline=None, derandomize=True, print_blob=True)
settings.load_profile("ci" if os.environ.get("CI") else "person")

BROWSER = Path(__file__).parent / "browser"


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Keep a file's tests in one process of a parallel run, for they share what they have computed.

    The browser's tests are one such group altogether: they share a server and a browser.
    """
    for item in items:
        together = BROWSER if item.path.is_relative_to(BROWSER) else item.path
        item.add_marker(pytest.mark.xdist_group(str(together)))
