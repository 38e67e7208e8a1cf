"""Labels back: as tables, from Label Studio, from Argilla; and the tasks that go out."""

from __future__ import annotations

import json
from xml.etree import ElementTree as ET

import pandas as pd
import pytest

from core.store.returns import read_returns
from core.store.tasks import (
    INSTRUCTIONS,
    LABEL_STUDIO_CONFIG,
    argilla_records,
    label_studio_tasks,
    task_table,
)
from tests.shared import shared_path

DRAWN = ["007", "8", "9", "10"]


def labels(found) -> list[tuple[str, str, bool]]:
    return [tuple(row) for row in found.labels.itertuples(index=False)]


def test_a_table_is_matched_by_id_as_text_and_every_row_is_accounted_for() -> None:
    text = (
        "Id,Label,Annotator\n"
        "007,yes,anna\n7,yes,anna\n8,,anna\n8,maybe,ben\n"
        "9,true,anna\n9,false,anna\n9,false,ben\n10,1,\n10,true,\n"
    )
    found = read_returns([("back.csv", text.encode())], DRAWN)
    assert labels(found) == [("007", "anna", True), ("9", "ben", False), ("10", "1", True)]
    assert (found.n_rows, found.n_records, found.n_drawn) == (9, 3, 4)
    counts = (found.unknown, found.blank, found.unparseable, found.conflicting, found.duplicated)
    assert counts == (1, 1, 1, 2, 1)
    assert found.n_rows == len(found.labels) + sum(counts)
    assert found.problems["place"].tolist() == [2, 3, 4, 5, 6, 9]
    assert found.problems["problem"].tolist()[2] == "label that can't be read"


def test_without_id_or_label_the_columns_are_named() -> None:
    with pytest.raises(ValueError, match=r"no column of labels.*label or human_label"):
        read_returns([("back.csv", b"id,note\n7,x\n")], DRAWN)
    with pytest.raises(ValueError, match=r"no column of ids.*'number'"):
        read_returns([("back.csv", b"number,label\n7,true\n")], DRAWN)
    with pytest.raises(ValueError, match="at least one file"):
        read_returns([], DRAWN)


def test_label_studio_export_with_skipped_empty_and_shared_accounts() -> None:
    def annotation(choice: str | None, who: object = 1, **more: object) -> dict[str, object]:
        result = [{"from_name": "label", "type": "choices", "value": {"choices": [choice]}}]
        return {"completed_by": who, "result": result if choice else [], **more}

    tasks = [
        {"id": 1, "data": {"record_id": "007"},
         "annotations": [annotation("true"), annotation("false")]},
        {"id": 2, "data": {"record_id": "8"},
         "annotations": [annotation("true", {"email": "a@b.org"}, was_cancelled=True)]},
        {"id": 3, "data": {"record_id": "9"}, "annotations": [annotation(None)]},
        {"id": 4, "data": {"record_id": "10"}, "annotations": []},
        {"id": 7, "data": {"record_id": "11"}, "annotations": [annotation("true")]},
    ]  # fmt: skip
    found = read_returns([("export.json", json.dumps(tasks).encode())], DRAWN)
    assert labels(found) == [("007", "1", True), ("007", "1 (2)", False)]
    assert (found.n_rows, found.blank, found.unknown) == (6, 3, 1)


def test_real_label_studio_exports_are_read_and_their_choices_named() -> None:
    path = shared_path("data/import_formats/label_studio/export.json")
    tasks = json.loads(path.read_text(encoding="utf-8"))
    for number, task in enumerate(tasks):
        task["data"]["record_id"] = str(number)
    found = read_returns([("export.json", json.dumps(tasks).encode())], [str(n) for n in range(39)])
    given = sum(len(task["annotations"]) for task in tasks)
    skipped = sum(one["was_cancelled"] for task in tasks for one in task["annotations"])
    bare = sum(not task["annotations"] for task in tasks)
    assert (skipped, bare) == (1, 4)
    assert found.n_rows == given + bare
    # "Response 2" is neither true nor false.
    assert found.unparseable == given - skipped
    assert found.blank == skipped + bare
    assert found.n_records == 0


@pytest.mark.parametrize("flat", [False, True])
def test_argilla_exports(flat: bool) -> None:
    users, said = ["u1", "u2"], ["true", "false"]
    record: dict[str, object] = {"id": "internal", "fields": {}, "metadata": {"record_id": "007"}}
    if flat:
        record |= {
            "label.responses": [*said, "true"], "label.responses.users": [*users, "u3"],
            "label.responses.status": ["submitted", "submitted", "draft"],
        }  # fmt: skip
    else:
        record["responses"] = {
            "label": [{"value": v, "user_id": u} for u, v in zip(users, said, strict=True)]
        }
    bare = {"id": "8", "fields": {}, "metadata": {}, "responses": {}}
    found = read_returns([("argilla.json", json.dumps([record, bare]).encode())], DRAWN)
    assert labels(found) == [("007", "u1", True), ("007", "u2", False)]
    assert found.blank == 1


def drawn(n: int = 10) -> pd.DataFrame:
    return pd.DataFrame(
        {
            "id": [f"00{k}" for k in range(n)], "question": "q", "answer": "a", "reference": None,
            "verdict": True, "explanation": "why", "audit": False,
        }
    )  # fmt: skip


def test_tasks_hide_the_judge_and_double_a_stated_share() -> None:
    table = task_table(drawn(), twice=0.3, seed=1)
    assert list(table.columns) == ["id", "annotator", "label", "question", "answer", "reference"]
    assert table["annotator"].value_counts().to_dict() == {"first": 10, "second": 3}
    assert (table["label"] == "").all()
    assert table.equals(task_table(drawn(), twice=0.3, seed=1))
    assert "verdict" in task_table(drawn(), show_judge=True)
    with pytest.raises(ValueError, match="'twice' must be a share"):
        task_table(drawn(), twice=1.5)


def test_label_studio_set_up_is_xml_that_shows_what_the_tasks_hold() -> None:
    view = ET.fromstring(LABEL_STUDIO_CONFIG)
    shown = {one.get("value") for one in view.iter("Text")}
    assert shown == {"$question", "$answer", "$reference"}
    assert [one.get("value") for one in view.iter("Choice")] == ["true", "false"]
    assert INSTRUCTIONS in {one.get("value") for one in view.iter("Header")}


def test_what_goes_out_comes_back() -> None:
    table = task_table(drawn(), twice=1.0)
    (task, *others) = json.loads(label_studio_tasks(table))
    assert len(others) == 9
    assert task["data"] == {"record_id": "000", "question": "q", "answer": "a", "reference": ""}
    result = [{"value": {"choices": ["false"]}}]
    task |= {"id": 99, "annotations": [{"completed_by": 4, "result": result}]}
    found = read_returns([("back.json", json.dumps([task]).encode())], ["000"])
    assert labels(found) == [("000", "4", False)]
    (record, *_) = json.loads(argilla_records(table))
    record["responses"] = {"label": [{"value": "true", "user_id": "u"}]}
    found = read_returns([("back.json", json.dumps([record]).encode())], ["000"])
    assert labels(found) == [("000", "u", True)]
    table["label"] = "yes"
    found = read_returns([("back.csv", table.to_csv(index=False).encode())], table["id"].unique())
    assert len(found.labels) == 20
    assert found.n_records == 10
