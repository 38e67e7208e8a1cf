from __future__ import annotations

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]


def test_core_residuals_loads_no_learner_until_it_is_used() -> None:
    program = """
import importlib, pkgutil, sys
import core.residuals
for module in pkgutil.iter_modules(core.residuals.__path__, "core.residuals."):
    importlib.import_module(module.name)
assert "core.residuals.explain" in sys.modules
slow = {"xgboost", "shap", "sklearn", "numba"}
print(*sorted({name.split(".")[0] for name in sys.modules} & slow))
"""
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert done.stdout.split() == []
