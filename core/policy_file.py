"""A policy as a file that says what it stands on, and the way back."""

from __future__ import annotations

import json
import math
import platform
from dataclasses import asdict, dataclass, fields
from importlib.metadata import version
from typing import Any

import core
from core.jobs import RoutingRun, guaranteed, promise
from core.risk.certification import CERTIFICATES
from core.risk.policy import RoutingPolicy
from core.store.records import JudgedRecords

FORMAT = "assay-policy/1"


@dataclass(frozen=True)
class PolicyFile:
    """A policy as read back: the thresholds, and the whole document they came in."""

    policy: RoutingPolicy
    document: dict[str, Any]


def policy_document(records: JudgedRecords, run: RoutingRun) -> dict[str, Any]:
    """Describe a policy so that it can be judged and used elsewhere.

    Parameters
    ----------
    records : JudgedRecords
    run : RoutingRun
        Of the same records.

    Returns
    -------
    dict
        JSON-ready and the same for the same records and request: format, promise, request, policy,
        data (hash, sizes, judge, candidate, label source, what the uncertainties are), result,
        versions.
    """
    policy = run.policy
    return {
        "format": FORMAT,
        "promise": promise(run),
        "guaranteed": guaranteed(run),
        "request": asdict(run.request),
        "policy": asdict(policy),
        "data": {
            "cohort": records.cohort_name,
            "cohort_id": records.cohort_id,
            "data_hash": records.data_hash,
            "judge": records.judge,
            "judge_kind": records.judge_kind,
            "candidate": records.candidate,
            "label_source": records.label_source,
            "uncertainty1": records.uncertainty_kind1,
            "uncertainty2": records.uncertainty_kind2,
            "n_records": run.n,
            "n_labelled": run.n_labelled,
            "n_scored1": run.n_scored1,
            "n_scored2": run.n_scored2,
            "tests_start": run.reference_source,
        },
        "result": {
            "coverage": run.coverage,
            "share_mode1": run.share1,
            "share_mode2": run.share2,
            "share_abstain": run.share_abstain,
            "retrieval_calls": run.retrieval_calls,
        },
        "versions": {
            "assay": core.__version__,
            "python": platform.python_version(),
            "numpy": version("numpy"),
            "scipy": version("scipy"),
        },
    }


def policy_text(document: dict[str, Any]) -> str:
    """Write a policy document as JSON text; floats come back exactly."""
    return json.dumps(document, indent=2, ensure_ascii=False, allow_nan=False) + "\n"


def read_policy(text: str | bytes) -> PolicyFile:
    """Read a policy file.

    Parameters
    ----------
    text : str or bytes
        What `policy_text` wrote.

    Returns
    -------
    PolicyFile

    Raises
    ------
    ValueError
        If it is no JSON, another format, or a field is missing or out of range; the message names
        the field.
    """
    try:
        document = json.loads(text)
    except (json.JSONDecodeError, UnicodeDecodeError) as error:
        raise ValueError(f"The policy file must be JSON; {error}.") from error
    if not isinstance(document, dict) or document.get("format") != FORMAT:
        found = document.get("format") if isinstance(document, dict) else None
        raise ValueError(
            f"'format' of the policy file must be {FORMAT!r}; got {found!r}. Download the policy "
            "from the Risk & routing page or write it with 'python -m core calibrate --out'."
        )
    values = document.get("policy")
    if not isinstance(values, dict):
        raise ValueError("'policy' must be an object in the policy file; it is missing.")
    missing = [field.name for field in fields(RoutingPolicy) if field.name not in values]
    if missing:
        raise ValueError(f"'policy' must hold {', '.join(missing)} in the policy file.")
    _check(values)
    if not isinstance(document.get("data"), dict):
        raise ValueError("'data' must be an object in the policy file; it is missing.")
    known = {field.name: values[field.name] for field in fields(RoutingPolicy)}
    return PolicyFile(RoutingPolicy(**known), document)


def differences(document: dict[str, Any], records: JudgedRecords) -> list[str]:
    """Name what a policy was calibrated on and these records are not, one sentence each.

    The certificate holds for the same judge, candidate, labels and uncertainty only; other records
    drawn alike are what a policy is for, and are no difference.
    """
    data = document["data"]
    pairs = {
        "judge": ("judge", records.judge),
        "candidate": ("candidate", records.candidate),
        "label_source": ("label source", records.label_source),
        "uncertainty1": ("uncertainty of Mode 1", records.uncertainty_kind1),
        "uncertainty2": ("uncertainty of Mode 2", records.uncertainty_kind2),
    }
    return [
        f"The policy's {name} is {_named(data[key])}; these records have {_named(found)}."
        for key, (name, found) in pairs.items()
        if key in data and data[key] != found
    ]


def _named(value: str | None) -> str:
    return "none" if value is None else repr(value)


def _check(values: dict[str, Any]) -> None:
    """Refuse a policy with a value that no calibration gives; the message names the field."""

    def number(value: object) -> bool:
        return (
            isinstance(value, (int, float)) and not isinstance(value, bool) and math.isfinite(value)
        )

    for name in ("threshold1", "threshold2"):
        value = values[name]
        if value is not None and not number(value):
            raise ValueError(f"'policy.{name}' must be a finite number or null; got {value!r}.")
    for name in ("alpha", "delta", "level", "risk_upper"):
        value = values[name]
        if not number(value) or not 0 < value <= 1:
            raise ValueError(f"'policy.{name}' must be a number in (0, 1]; got {value!r}.")
    for name in ("accepted", "errors", "n_calib", "n_tested"):
        value = values[name]
        if not isinstance(value, int) or isinstance(value, bool) or value < 0:
            raise ValueError(f"'policy.{name}' must be a whole number; got {value!r}.")
    if values["certificate"] not in CERTIFICATES:
        listed = ", ".join(CERTIFICATES)
        raise ValueError(
            f"'policy.certificate' must be one of {listed}; got {values['certificate']!r}."
        )
