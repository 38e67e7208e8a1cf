"""The README says what is so: its commands, pages, columns, settings and links."""

from __future__ import annotations

import ast
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

import run
from core.store.layout import COLUMNS
from tests.test_imports import ROOT, source_files

README = (ROOT / "README.md").read_text(encoding="utf-8")


def section(title: str) -> str:
    found = re.search(rf"^## {title}\n(.*?)(?=^## |\Z)", README, re.MULTILINE | re.DOTALL)
    assert found, f"README has no section {title!r}"
    return found.group(1)


def commands() -> list[list[str]]:
    """Return the words of every command line in the README."""
    blocks = re.findall(r"```console\n(.*?)```", README, re.DOTALL)
    joined = "\n".join(blocks).replace("\\\n", " ")
    return [
        shlex.split(line.removeprefix("$ "), comments=True)
        for line in joined.splitlines()
        if line.startswith("$ ")
    ]


def first_cells(table: str) -> list[str]:
    rows = re.findall(r"^\| *(.+?) *\|", table, re.MULTILINE)
    return rows[2:]


def test_run_commands_are_the_ones_that_run_py_knows() -> None:
    named = [words for words in commands() if words[:2] == ["python3", "run.py"]]
    assert {"app", "test"} <= {words[2] for words in named}
    for words in named:
        run.parse(words[2:])


def test_terminal_commands_run_as_written(tmp_path: Path) -> None:
    """They run in order, in a folder where the sample data are, on a database of their own."""
    (tmp_path / "sample_data").symlink_to(ROOT / "sample_data")
    settings = {"ASSAY_DATABASE": str(tmp_path / "assay.duckdb"), "PYTHONPATH": str(ROOT)}
    others = [words for words in commands() if words[:2] != ["python3", "run.py"]]
    assert others
    for words in others:
        assert words[:3] == [".venv/bin/python", "-m", "core"]
        done = subprocess.run(
            [sys.executable, *words[1:]],
            cwd=tmp_path,
            env={**os.environ, **settings},
            capture_output=True,
            text=True,
        )
        assert done.returncode == 0, f"{shlex.join(words)}: {done.stderr}"


def test_page_table_is_the_navigation() -> None:
    tree = ast.parse((ROOT / "app.py").read_text(encoding="utf-8"))
    titles = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and ast.unparse(node.func) == "st.Page":
            said = {key.arg: ast.unparse(key.value).strip("\"'") for key in node.keywords}
            if said.get("visibility") != "hidden":
                titles.append(said["title"])
                assert (ROOT / ast.literal_eval(node.args[0])).is_file()
    assert titles
    assert sorted(first_cells(section("Pages"))) == sorted(titles)


def test_record_columns_are_the_exported_ones_in_order() -> None:
    named = [cell.strip("`") for cell in first_cells(section("Records format"))]
    fixed = [name for name in named if ":" not in name]
    assert fixed == list(COLUMNS)
    assert named[len(fixed) :] == [
        "label:<source>:<annotator>",
        "feature:<family>:<name>",
        "stratum:<name>",
    ]


def test_settings_in_the_readme_are_the_settings_in_the_code() -> None:
    read = set()
    for path in source_files():
        if "tests" not in path.relative_to(ROOT).parts:
            read |= set(re.findall(r"\bASSAY_[A-Z_]+\b", path.read_text(encoding="utf-8")))
    assert {cell.strip("`") for cell in first_cells(section("Configuration"))} == read


@pytest.mark.parametrize("link", sorted(set(re.findall(r"\]\((?!https?:)([^)#]+)\)", README))))
def test_linked_file_exists(link: str) -> None:
    assert (ROOT / link).is_file()


def test_benchmark_markers_are_there_for_the_table() -> None:
    assert README.count("<!-- benchmarks:start -->") == README.count("<!-- benchmarks:end -->") == 1
