"""What holds for every test; pyproject.toml turns warnings into errors."""

from __future__ import annotations

import os

# Before NumPy or XGBoost start their threads, and before a test could open a person's records.
os.environ.setdefault("OMP_NUM_THREADS", "1")
os.environ["ASSAY_DATABASE"] = ":memory:"

from hypothesis import settings

settings.register_profile("person", deadline=None)
settings.register_profile("ci", deadline=None, derandomize=True, print_blob=True)
settings.load_profile("ci" if os.environ.get("CI") else "person")
