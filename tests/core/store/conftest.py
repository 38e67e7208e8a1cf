"""A database in memory for each test."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from core.store.database import Database, open_database


@pytest.fixture
def db() -> Iterator[Database]:
    with open_database(":memory:") as database:
        yield database
