"""Measure what is claimed to be fast, beside the obvious alternative: python -m benchmarks."""

from __future__ import annotations

import argparse
import os
import platform
import sys
from pathlib import Path

os.environ.setdefault("OMP_NUM_THREADS", "1")

from benchmarks import active, page, residuals, search, store
from benchmarks.table import Row, markdown

README = Path(__file__).resolve().parents[1] / "README.md"
START, END = "<!-- benchmarks:start -->", "<!-- benchmarks:end -->"
PARTS = {
    "search": search.run,
    "store": store.run,
    "page": page.run,
    "residuals": residuals.run,
    "active": active.run,
}


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("parts", nargs="*", choices=[[], *PARTS], help="all of them by default")
    parser.add_argument("--write", action="store_true", help="put the table into the README")
    options = parser.parse_args()
    rows: list[Row] = []
    for name in options.parts or PARTS:
        print(f"{name} …", file=sys.stderr, flush=True)
        rows += PARTS[name]()
    text = (
        f"Python {platform.python_version()}, {os.cpu_count()} cores, {platform.machine()}; "
        "medians of warm runs, alternatives in the same run.\n\n" + markdown(rows)
    )
    print(text)
    if options.write:
        readme = README.read_text(encoding="utf-8")
        before, rest = readme.split(START)
        after = rest.split(END)[1]
        README.write_text(f"{before}{START}\n{text}\n{END}{after}", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
