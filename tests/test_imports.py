"""Who imports whom, as the layout promises it, and files that hold one idea each."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
SOURCE_FOLDERS = ["core", "pages", "sample_data", "benchmarks", "tools", "tests"]
LONGEST_FILE = 400

STATISTICS = ["core.risk", "core.residuals", "core.active"]
# What each part of core may use of the project beside itself; the modules directly in core
# (the terminal's, and those that join store, judge and statistics) may use all of core.
MAY_USE = {
    "core.validation": [],
    **{part: ["core.validation"] for part in STATISTICS},
    "core.bench": ["core.validation", *STATISTICS],
    "core.live": ["core.validation", *STATISTICS],
    "core.judge": ["core.validation"],
    "core.store": ["core.validation"],
}
# Where a package may appear; tests and benchmarks may use anything.
ONLY_IN = {
    "streamlit": ["app.py", "pages/*/page.py", "pages/components/*.py", "tools/first_visit.py"],
    "plotly": ["pages/*/*figures.py", "pages/components/theme.py"],
    "duckdb": ["core/store/*.py"],
    "openai": ["core/judge/client.py"],
    "xgboost": ["core/residuals/*.py"],
    "shap": ["core/residuals/*.py"],
}
# Arrays in, dataclasses out: no file, network, process or clock.
NOT_IN_STATISTICS = {
    *["pathlib", "io", "tempfile", "shutil", "sqlite3", "pickle"],
    *["socket", "urllib", "http", "requests", "httpx", "subprocess", "time", "datetime"],
    *["matplotlib"],
}


def source_files() -> list[Path]:
    found = [ROOT / "app.py", ROOT / "run.py"]
    for folder in SOURCE_FOLDERS:
        found += sorted((ROOT / folder).rglob("*.py"))
    return found


def relative(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def imported(source: str, root: Path = ROOT) -> set[str]:
    """Return the dotted names that a source imports, wherever in it the import stands."""
    names: set[str] = set()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            module = node.module or ""
            names.add(module)
            for alias in node.names:
                place = root.joinpath(*module.split("."), alias.name)
                if place.is_dir() or place.with_suffix(".py").is_file():
                    names.add(f"{module}.{alias.name}")
    return names


def part_of(name: str) -> str:
    """Return the part of core that a dotted name belongs to, ``core.risk`` for example."""
    return ".".join(name.split(".")[:2])


def test_imported_finds_every_way_to_import() -> None:
    source = """
import numpy as np, core.risk.bounds
from core import store, __version__
def late():
    from core.judge import client
if TYPE_CHECKING:
    import duckdb
"""
    found = imported(source)
    assert {"numpy", "core.risk.bounds", "core", "core.store", "core.judge", "duckdb"} <= found
    assert "core.__version__" not in found


@pytest.mark.parametrize("path", source_files(), ids=relative)
def test_file_imports_only_what_its_place_allows(path: Path) -> None:
    names = imported(path.read_text(encoding="utf-8"))
    place = relative(path)
    wrong: set[str] = set()
    if place.split("/")[0] not in {"tests", "benchmarks"}:
        for package, places in ONLY_IN.items():
            if not any(Path(place).match(pattern) for pattern in places):
                wrong |= {name for name in names if name.split(".")[0] == package}
    if place.startswith("core/"):
        own = part_of(place.removesuffix(".py").replace("/", "."))
        outside = {"app", "run", *SOURCE_FOLDERS} - {"core"}
        wrong |= {name for name in names if name.split(".")[0] in outside}
        if own in MAY_USE:
            allowed = {"core", own, *MAY_USE[own]}
            wrong |= {
                name for name in names if name.startswith("core") and part_of(name) not in allowed
            }
        if own in STATISTICS:
            wrong |= {name for name in names if name.split(".")[0] in NOT_IN_STATISTICS}
    assert not wrong, f"{place} must not import {', '.join(sorted(wrong))}"


def test_core_loads_neither_streamlit_nor_plotly() -> None:
    program = """
import importlib, pkgutil, sys
import core
for module in pkgutil.walk_packages(core.__path__, "core."):
    importlib.import_module(module.name)
assert "core.risk.bounds" in sys.modules
print(*sorted({name.split(".")[0] for name in sys.modules} & {"streamlit", "plotly"}))
"""
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert done.stdout.split() == []


def test_pages_folder_holds_no_python_file_directly() -> None:
    """Streamlit's automatic menu would show such a file for a moment."""
    assert (ROOT / "pages").is_dir()
    assert list((ROOT / "pages").glob("*.py")) == []


@pytest.mark.parametrize("path", source_files(), ids=relative)
def test_file_holds_one_idea(path: Path) -> None:
    lines = len(path.read_text(encoding="utf-8").splitlines())
    assert lines <= LONGEST_FILE, f"{relative(path)} has {lines} lines: find its second idea"
