"""Placeholder until the page can be measured."""

from __future__ import annotations

from benchmarks.table import Row


def run() -> list[Row]:
    return []
