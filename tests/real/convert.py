"""Published judge records, turned into the records format: a row for each item, judge and mode.

Every function takes the folder of one data set and gives a frame with the columns of the records
format, ready for ``to_csv``. Missing cells are None.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from core.store.layout import COLUMNS

LLMBAR_SUBSETS = (
    "Natural",
    "Adversarial/Neighbor",
    "Adversarial/GPTInst",
    "Adversarial/GPTOut",
    "Adversarial/Manual",
)
LLMBAR_MODES = {"mode1": "Vanilla", "mode2": "Metrics_Reference"}
ARENA_MODES = {"mode1": "gpt-4o-mini", "mode2": "gpt-5.2"}
EVOUNA_SYSTEMS = ("fid", "gpt35", "chatgpt", "gpt4", "newbing")

Row = dict[str, Any]


def llmbar_judges(folder: Path) -> list[str]:
    """Judges whose results lie there in both modes and for every subset."""
    return [
        path.name
        for path in sorted((folder / LLMBAR_SUBSETS[0] / "evaluators").iterdir())
        if all(
            (folder / subset / "evaluators" / path.name / evaluator / "result.json").is_file()
            for subset in LLMBAR_SUBSETS
            for evaluator in LLMBAR_MODES.values()
        )
    ]


def llmbar(folder: Path, judges: Iterable[str] = ("GPT-4", "PaLM2")) -> pd.DataFrame:
    """Which of two outputs follows the instruction better: is it the first one?

    The verdict is the winner when the outputs come in their own order; the uncertainty is 1 when
    the winner changes with the order, else 0. An order without a winner leaves it unknown.
    """
    return _frame(
        row
        for subset in LLMBAR_SUBSETS
        for judge in judges
        for mode, evaluator in LLMBAR_MODES.items()
        for row in _llmbar_rows(folder, subset, judge, mode, evaluator)
    )


def _llmbar_rows(folder: Path, subset: str, judge: str, mode: str, evaluator: str) -> Iterator[Row]:
    path = folder / subset / "evaluators" / judge / evaluator / "result.json"
    for number, record in enumerate(json.loads(path.read_text(encoding="utf-8"))):
        (orders,) = (step for step in record["results"] if isinstance(step, dict))
        winner = orders["swap = False"]["winner"]
        swapped = orders["swap = True"]["winner"]
        known = winner is not None and swapped is not None
        name = subset.rpartition("/")[2]
        yield {
            "id": f"{name}-{number:03d}",
            "question": record["input"],
            "answer": f"Output 1: {record['output_1']}\n\nOutput 2: {record['output_2']}",
            "judge": judge,
            "judge_kind": "model",
            "mode": mode,
            "verdict": None if winner is None else winner == "1",
            "uncertainty": float(winner != swapped) if known else None,
            "uncertainty_kind": "order flip",
            "explanation": orders["swap = False"]["completion"][0],
            "failure_cause": "no winner in the reply" if winner is None else None,
            "label:human:experts": record["label"] == 1,
            "stratum:subset": name,
        }


def llm_rubric(folder: Path, criterion: str = "Q0", *, part: str = "real") -> pd.DataFrame:
    """Is the dialogue's grade on a criterion at least 3 of 4?

    The verdict is the expected grade under the judge's distribution over the four answers, the
    uncertainty that distribution's entropy. A person's grade 0, "not applicable", is no label.
    """
    data = folder / "data" / f"{part}_data"
    human_file = {
        "real": "human_judges_real_convs_FIXED_ANON.tsv",
        "synth": "human_judges_synth_all_FIXED_ANON.tsv",
    }[part]
    judged = pd.read_csv(
        data / f"gpt-3.5-turbo-16k_{part}_evaluations_FIXED.tsv", sep="\t", dtype={"text_id": str}
    )
    human = pd.read_csv(data / human_file, sep="\t", dtype={"text_id": str, "annotator_id": str})
    human = human[human[criterion] > 0]
    labels: dict[str, Row] = {}
    for item, annotator, grade in human[["text_id", "annotator_id", criterion]].itertuples(
        index=False
    ):
        labels.setdefault(item, {})[f"label:human:{annotator}"] = bool(grade >= 3)
    chosen = judged[judged["criterion"] == criterion]
    shares = chosen[[f"answer{k}_prob" for k in (1, 2, 3, 4)]].to_numpy()
    expected = shares @ np.arange(1, 5) / shares.sum(axis=1)
    entropy = -np.sum(shares * np.log(np.maximum(shares, 1e-300)), axis=1)
    return _frame(
        {
            "id": item,
            "judge": "gpt-3.5-turbo-16k",
            "judge_kind": "model",
            "mode": "mode1",
            "verdict": bool(grade >= 3),
            "uncertainty": float(unsure),
            "uncertainty_kind": "entropy of four answers",
            **labels.get(item, {}),
        }
        for item, grade, unsure in zip(chosen["text_id"], expected, entropy, strict=True)
    )


def arena_two_judges(folder: Path) -> pd.DataFrame:
    """Is the first model's answer the better one? A cheap judge first, a newer one second."""
    rows: list[Row] = []
    for mode, judge in ARENA_MODES.items():
        paths = sorted((folder / "judge_results").glob(f"*_{judge}.json"))
        for path in paths:
            for record in json.loads(path.read_text(encoding="utf-8")):
                pick = record["judge_pick"]
                rows.append(
                    {
                        "id": record["id"],
                        "answer": f"A: {record['model_a']}, B: {record['model_b']}",
                        "judge": "escalation",
                        "judge_kind": "model",
                        "mode": mode,
                        "verdict": None if pick is None else pick == "A",
                        "explanation": f"picked by {judge}",
                        "failure_cause": "no pick" if pick is None else None,
                        "label:human:voter": record["human_winner"] == "model_a",
                        "stratum:match-up": path.name.rpartition("_")[0],
                    }
                )
    return _frame(rows)


def pandalm(folder: Path) -> pd.DataFrame:
    """Is the first of two responses the better one? Two judges, three annotators.

    A tie says that it isn't, whoever says it. GPT-3.5's garbage is no verdict.
    """
    pairs, first, second = (
        json.loads((folder / f"{name}.json").read_text(encoding="utf-8"))
        for name in ("testset-v1", "gpt-3.5-turbo-testset-v1", "pandalm-7b-testset-v1")
    )
    rows: list[Row] = []
    for pair, gpt, small in zip(pairs, first, second, strict=True):
        assert pair["idx"] == gpt["idx"] == small["idx"]
        # One response is the truth value that its text reads as.
        pair = {key: str(value) for key, value in pair.items()}
        said = {"gpt-3.5-turbo": str(gpt["gpt_result"]), "pandalm-7b": str(small["pandalm_result"])}
        why = {"gpt-3.5-turbo": gpt["gpt_reason"], "pandalm-7b": small["pandalm_reason"]}
        for judge, result in said.items():
            rows.append(
                {
                    "id": str(pair["idx"]),
                    "question": f"{pair['instruction']}\n\n{pair['input']}".strip(),
                    "answer": f"1: {pair['response1']}\n\n2: {pair['response2']}",
                    "judge": judge,
                    "judge_kind": "model",
                    "mode": "mode1",
                    "verdict": None if result == "garbage" else result == "1",
                    "explanation": why[judge],
                    "failure_cause": "garbage" if result == "garbage" else None,
                    **{f"label:human:{k}": pair[f"annotator{k}"] == "1" for k in (1, 2, 3)},
                    "feature:judge output:pandalm prefers 1": int(said["pandalm-7b"] == "1"),
                    "feature:judge output:pandalm prefers 2": int(said["pandalm-7b"] == "2"),
                    "feature:judge output:pandalm ties": int(said["pandalm-7b"] == "0"),
                    "feature:judge output:gpt prefers 2": int(said["gpt-3.5-turbo"] == "2"),
                    "feature:judge output:gpt ties": int(said["gpt-3.5-turbo"] == "Tie"),
                    "feature:answer:response 1 length": len(pair["response1"]),
                    "feature:answer:response 2 length": len(pair["response2"]),
                    "feature:answer:length difference": len(pair["response1"])
                    - len(pair["response2"]),
                    "feature:task:instruction length": len(pair["instruction"]),
                    "stratum:models": pair["cmp_key"],
                }
            )
    return _frame(rows)


def evouna(folder: Path) -> pd.DataFrame:
    """Is a system's answer to an open question right? People's labels, no judge.

    A slash parts the known good answers, which become a JSON list. Where a slash belongs to an
    answer, this breaks it.
    """
    return _frame(
        {
            "id": f"{name}-{number:04d}-{system}",
            "question": record["question"],
            "answer": record[f"answer_{system}"],
            "candidate": system,
            "reference": _json_list(record["golden_answer"]),
            "label:human:author": record[f"judge_{system}"],
            "stratum:dataset": name,
        }
        for name in ("NQ", "TQ")
        for number, record in enumerate(
            json.loads((folder / f"{name}.json").read_text(encoding="utf-8"))
        )
        if not record["improper"]
        for system in EVOUNA_SYSTEMS
        if record[f"judge_{system}"] is not None and record[f"answer_{system}"] is not None
    )


def _json_list(text: str) -> str:
    parts = [part.strip() for part in text.split("/")]
    return json.dumps([part for part in parts if part], ensure_ascii=False)


def _frame(rows: Iterable[Row]) -> pd.DataFrame:
    listed = list(rows)
    extra = sorted({column for row in listed for column in row} - set(COLUMNS))
    return pd.DataFrame(
        {column: [row.get(column) for row in listed] for column in (*COLUMNS, *extra)}
    )
