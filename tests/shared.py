"""Files beside the checkout that are never copied into it; tests that need them skip without."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

SHARED = Path(__file__).resolve().parents[2] / "shared"


def shared_path(name: str) -> Path:
    path = SHARED / name
    if not path.exists():
        pytest.skip(f"needs {name} in the shared folder beside the checkout")
    return path


def reference_values(part: str) -> Any:
    text = shared_path("reference/reference_values.json").read_text(encoding="utf-8")
    return json.loads(text)[part]
