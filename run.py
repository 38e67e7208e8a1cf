#!/usr/bin/env python3
"""Set Assay up and run it; a Python 3.11 or newer is all it needs.

    python3 run.py app      opens the app on the sample data
    python3 run.py test     lint, types and every test, the browser's included
    python3 run.py bench    the benchmarks

Each command first makes .venv beside this file with the exact versions of the lock files; once that
is done it costs nothing until a lock file changes.
"""

from __future__ import annotations

import argparse
import sys
import time

from tools.browser import require_browser
from tools.environment import VENV_PYTHON, SetupError, say, set_up, succeeds
from tools.server import LOOPBACK, serve, stop_like_ctrl_c

PYTHON = str(VENV_PYTHON)


def app(options: argparse.Namespace) -> int:
    set_up("app")
    return serve(options.port, options.host, browser=not options.no_browser)


def test(pytest_args: list[str]) -> int:
    """Run every check, whatever fails before it; the exit code is 0 when all passed."""
    start = time.monotonic()
    say("--- set-up")
    set_up("test")
    say(f"browser: {require_browser()}")
    results = [("set-up", True, time.monotonic() - start)]
    for name, args in {
        "ruff check": ["ruff", "check", "."],
        "ruff format": ["ruff", "format", "--check", "."],
        "mypy": ["mypy"],
        "pytest": ["pytest", "-n", "auto", "--dist", "loadgroup", *pytest_args],
    }.items():
        say(f"\n--- {name}")
        begun = time.monotonic()
        passed = succeeds([PYTHON, "-m", *args])
        results.append((name, passed, time.monotonic() - begun))
    say("")
    for name, passed, seconds in results:
        say(f"{'passed' if passed else 'FAILED'} {seconds:7.1f} s  {name}")
    failed = [name for name, passed, _ in results if not passed]
    outcome = f"{', '.join(failed)} failed" if failed else "all steps passed"
    say(f" {outcome} in {time.monotonic() - start:.1f}s ".center(80, "="))
    return 1 if failed else 0


def bench(args: list[str]) -> int:
    set_up("test")
    return 0 if succeeds([PYTHON, "-m", "benchmarks", *args]) else 1


def parse(argv: list[str]) -> tuple[argparse.Namespace, list[str]]:
    parser = argparse.ArgumentParser(
        prog="run.py", description="Set Assay up and run it. Every command does its own set-up."
    )
    commands = parser.add_subparsers(dest="command", required=True, metavar="app|test|bench")
    opens = commands.add_parser("app", help="open the app on the sample data")
    opens.add_argument("--port", type=int, default=8501, help="default %(default)s")
    opens.add_argument("--host", default=LOOPBACK, help="default %(default)s: this machine only")
    opens.add_argument("--no-browser", action="store_true", help="only print the address")
    commands.add_parser("test", help="every check; passes its arguments on to pytest")
    commands.add_parser("bench", help="the benchmarks; passes its arguments on to them")
    options, rest = parser.parse_known_args(argv)
    if options.command == "app":
        if rest:
            parser.error(f"unknown arguments: {' '.join(rest)}")
        if not 1 <= options.port <= 65535:
            parser.error(f"'--port' must be between 1 and 65535; got {options.port}.")
    return options, rest


def main(argv: list[str]) -> int:
    options, rest = parse(argv)
    stop_like_ctrl_c()
    try:
        if options.command == "app":
            return app(options)
        return test(rest) if options.command == "test" else bench(rest)
    except SetupError as error:
        say(f"\n{error}")
        return 2
    except KeyboardInterrupt:
        say("\nStopped.")
        return 130


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
