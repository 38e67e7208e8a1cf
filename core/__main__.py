"""The same jobs from a terminal: ``python -m core --help`` lists them.

Exit codes: 0 done, 1 refused (the sentence on standard error says why and what to do), 2 wrong use
of the command, 3 calibrated, but nothing can be accepted.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable, Sequence

from core import __version__
from core.failure_space import CUTS, UNKNOWN_AS
from core.jobs import MODES
from core.risk.calibration import PREFERENCES
from core.risk.certification import CERTIFICATES
from core.risk_score import WAYS
from core.store.database import DatabaseLockedError
from core.store.migrations import DatabaseVersionError
from core.studies import DELTA, N_SPLITS
from core.terminal.annotation import add_commands
from core.terminal.common import DONE, NOTHING_ACCEPTED, REFUSED
from core.terminal.records import export, import_records, list_all
from core.terminal.residuals import residuals
from core.terminal.routing import calibrate, route_cohort
from core.terminal.stability import drift, splits

__all__ = ["DONE", "NOTHING_ACCEPTED", "REFUSED", "main"]


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; give its exit code."""
    options = _parser().parse_args(arguments)
    command: Callable[[argparse.Namespace], int] = options.command
    try:
        return command(options)
    except BrokenPipeError:  # whoever read the output has seen enough
        sys.stdout = open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115, PTH123
        return DONE
    except (ValueError, DatabaseLockedError, DatabaseVersionError, OSError) as error:
        print(f"{options.prog}: {error}", file=sys.stderr)
        return REFUSED


def _parser() -> argparse.ArgumentParser:
    common = argparse.ArgumentParser(add_help=False)
    common.add_argument("--json", action="store_true", help="print JSON")
    common.add_argument("--database", help="DuckDB file (else ASSAY_DATABASE, else data/)")
    choosing = argparse.ArgumentParser(add_help=False)
    choosing.add_argument("--judge", help="needed where the cohort has several")
    choosing.add_argument("--candidate", help="one candidate model, or 'all'")
    choosing.add_argument("--labels", help="label source (else 'human', else the first by name)")
    writing = argparse.ArgumentParser(add_help=False)
    writing.add_argument("--bom", action="store_true", help="CSV that Excel reads as UTF-8")

    parser = argparse.ArgumentParser(prog="python -m core", description=__doc__.split("\n")[0])
    parser.add_argument("--version", action="version", version=f"Assay {__version__}")
    commands = parser.add_subparsers(required=True, metavar="COMMAND")

    def add(
        name: str, command: Callable[[argparse.Namespace], int], *parents: argparse.ArgumentParser
    ) -> argparse.ArgumentParser:
        text = command.__doc__ or ""
        made = commands.add_parser(name, help=text, description=text, parents=[*parents, common])
        made.set_defaults(command=command, prog=made.prog)
        return made

    made = add("import", import_records)
    made.add_argument(
        "source", nargs="+", help="files, folders or globs: CSV, JSONL, JSON, Parquet"
    )
    made.add_argument("--name", required=True, help="name of the cohort")
    made.add_argument("--description", default="")
    made.add_argument("--map", action="append", default=[], metavar="ROLE=COLUMN")
    made.add_argument("--label", action="append", metavar="COLUMN[=SOURCE[=ANNOTATOR]]")
    made.add_argument("--feature", action="append", metavar="COLUMN[=FAMILY[=NAME]]")
    made.add_argument("--stratum", action="append", metavar="COLUMN[=NAME]")
    made.add_argument("--uncertainty-as", metavar="uncertainty|p_true|logprobs|confidence")
    made.add_argument("--judge-name")
    made.add_argument("--judge-kind", dest="judge_kind_name", metavar="model|simulated|rule")
    made.add_argument("--mode-name")
    made.add_argument("--on-problem", choices=("stop", "skip"), default="stop")
    made.add_argument("--replace", action="store_true", help="replace a cohort of that name")
    made.add_argument("--dry-run", action="store_true", help="report only, write nothing")
    made.add_argument("--show", type=int, default=20, help="problems to list (default 20)")

    add("cohorts", list_all)

    made = add("calibrate", calibrate, choosing)
    made.add_argument("cohort", help="cohort id, see: python -m core cohorts")
    made.add_argument("--alpha", type=float, required=True, help="target risk")
    made.add_argument("--delta", type=float, required=True, help="allowed chance of missing it")
    made.add_argument("--mode", choices=MODES, default="both")
    made.add_argument("--certificate", choices=CERTIFICATES, default=CERTIFICATES[0])
    made.add_argument("--prefer", choices=PREFERENCES, default=PREFERENCES[0])
    made.add_argument(
        "--score",
        choices=WAYS,
        help="the risk model's score as uncertainty, trained on a random half of the labelled "
        "records (left out) or out of fold (approximate)",
    )
    made.add_argument("--seed", type=_seed, default=0)
    made.add_argument("--out", help="write the policy to this file")

    made = add("splits", splits, choosing)
    made.add_argument("cohort", help="cohort id")
    made.add_argument("--alphas", default="0.05,0.1,0.15,0.2,0.25", help="target risks, by comma")
    made.add_argument("--delta", type=float, default=DELTA, help="allowed chance of missing each")
    made.add_argument(
        "--certificate", choices=(*CERTIFICATES, "all"), default="all", help="default: all three"
    )
    made.add_argument("--n-splits", type=int, default=N_SPLITS)
    made.add_argument("--calib-fraction", type=float, default=0.5)
    made.add_argument("--seed", type=_seed, default=42)
    made.add_argument("--every", action="store_true", help="a row a split, not their averages")
    made.add_argument("--out", help="file ending in .csv, .jsonl or .parquet")

    made = add("drift", drift, choosing)
    made.add_argument("cohort", help="cohort id")
    made.add_argument(
        "--after", help="later snapshot, such as mode2:t1; needed if there are several"
    )
    made.add_argument("--alpha", type=float, required=True, help="target risk")
    made.add_argument("--delta", type=float, required=True, help="allowed chance of missing it")
    made.add_argument("--certificate", choices=CERTIFICATES, default=CERTIFICATES[0])
    made.add_argument("--n-splits", type=int, default=N_SPLITS)
    made.add_argument("--seed", type=_seed, default=42)
    made.add_argument("--out", help="file ending in .csv, .jsonl or .parquet")

    add_commands(add, (choosing,), _seed)

    made = add("residuals", residuals, choosing)
    made.add_argument("cohort", help="cohort id")
    made.add_argument("--mode", default=None, help="mode of the verdicts (else mode1)")
    made.add_argument("--unknown-as", choices=UNKNOWN_AS, default=UNKNOWN_AS[0])
    made.add_argument("--cuts", choices=CUTS, default="quartiles", help="where numbers are cut")
    made.add_argument("--computed", action="store_true", help="features from the texts too")
    made.add_argument("--model", action="store_true", help="train the risk model too")
    made.add_argument("--out", help="strata: file ending in .csv, .jsonl or .parquet")

    made = add("route", route_cohort, choosing, writing)
    made.add_argument("policy", help="policy file, from the page or from calibrate --out")
    made.add_argument(
        "--anyway", action="store_true", help="route another judge or candidate than the policy's"
    )
    made.add_argument("cohort", help="cohort id")
    made.add_argument("--out", help="file ending in .csv, .jsonl or .parquet (else CSV printed)")

    made = add("export", export, writing)
    made.add_argument("cohort", help="cohort id")
    made.add_argument("--out", help="file ending in .csv, .jsonl or .parquet (else CSV printed)")
    return parser


def _seed(text: str) -> int:
    """Read a seed; argparse puts the name of the option before the sentence."""
    if not (text.isascii() and text.isdigit()):
        raise argparse.ArgumentTypeError(f"must be a whole number from 0 on; got {text!r}.")
    return int(text)


if __name__ == "__main__":
    sys.exit(main())
