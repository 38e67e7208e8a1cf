"""Import, export and loading of many records."""

from __future__ import annotations

import csv
import tempfile
from pathlib import Path

import duckdb
import numpy as np

from benchmarks.table import Row, once
from core.store.database import open_database
from core.store.exports import export_frame, to_parquet
from core.store.imports import guess_mapping, prepare, read_records, write_cohort
from core.store.records import load_judged

N = 100_000


def write_records(path: Path, n: int = N) -> None:
    """Two modes on ``n`` made-up records, wide."""
    random = np.random.default_rng(3)
    u1, u2 = random.random((2, n)).round(6)
    label = random.random(n) < 0.6
    first, second = label ^ (random.random(n) < 0.4 * u1), label ^ (random.random(n) < 0.3 * u2)
    with path.open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(
            ["id", "question", "answer", "label", "verdict", "uncertainty", "verdict2",
             "uncertainty2"]
        )  # fmt: skip
        for i in range(n):
            writer.writerow(
                [f"{i:06d}", f"question {i}", f"answer {i}", label[i], first[i], u1[i], second[i],
                 u2[i]]
            )  # fmt: skip


def run() -> list[Row]:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "records.csv"
        write_records(path)
        with open_database(Path(folder) / "records.duckdb") as db:

            def load():
                raw = read_records([path])
                write_cohort(db, prepare(raw, guess_mapping(raw)), "Made", replace=True)

            load()
            imported = once(load)
            loaded = once(lambda: load_judged(db, "made", "judge"))
            exported = once(lambda: to_parquet(export_frame(db, "made")))
        with duckdb.connect(":memory:") as bare:
            plain = once(
                lambda: bare.execute(f"CREATE TABLE t AS FROM read_csv('{path}')").fetchall()
            )
    return [
        Row("import CSV: checked, mapped, written", f"{N:,}", imported, "DuckDB's bare read_csv",
            plain),
        Row("one judge's records as arrays", f"{N:,}", loaded),
        Row("export as Parquet, both modes", f"{N:,}", exported),
    ]  # fmt: skip
