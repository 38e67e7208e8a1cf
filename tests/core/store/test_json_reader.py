"""JSON and JSON Lines."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest

from core.store.csv_reader import FileTable
from core.store.json_reader import read_json, read_jsonl


def rows(table: FileTable) -> list[dict[str, str | None]]:
    cells = (array.to_pylist() for array in table.arrays)
    return [dict(zip(table.columns, row, strict=True)) for row in zip(*cells, strict=True)]


def test_read_jsonl_numbers_keep_their_digits() -> None:
    line = '{"id": 123456789012345678901234567890, "a": 1.0, "b": 1e-05, "c": -0.10, "d": NaN}'
    assert rows(read_jsonl("a.jsonl", line.encode())) == [
        {"id": "123456789012345678901234567890", "a": "1.0", "b": "1e-05", "c": "-0.10", "d": "NaN"}
    ]


def test_read_jsonl_values_as_cells() -> None:
    line = '{"a": "007", "b": true, "c": false, "d": null, "e": "", "f": "\\ud83d\\ude42 \\u2028x"}'
    assert rows(read_jsonl("a.jsonl", line.encode())) == [
        {"a": "007", "b": "true", "c": "false", "d": None, "e": "", "f": "🙂 \u2028x"}
    ]


def test_read_jsonl_flattens_one_level_and_keeps_lists_as_json() -> None:
    value = '{"a": {"b": 1.50, "c": {"d": [1.0, "é"]}}, "e": [1, {"f": "x\\"y"}], "g": {}, "h": []}'
    assert rows(read_jsonl("a.jsonl", value.encode())) == [
        {
            "a.b": "1.50",
            "a.c": '{"d": [1.0, "é"]}',
            "e": '[1, {"f": "x\\"y"}]',
            "g": "{}",
            "h": "[]",
        }
    ]


def test_read_jsonl_counts_lines_past_blank_and_separator_characters() -> None:
    text = '{"id": 1}\n\n{"id": "a\u2028b\u0085c"}\r\n{"id": 3}'
    table = read_jsonl("a.jsonl", text.encode())
    assert table.line == [1, 3, 4]
    assert [row["id"] for row in rows(table)] == ["1", "a\u2028b\u0085c", "3"]


def test_read_jsonl_broken_lines_keep_their_place() -> None:
    text = '{"id": 1}\n{"id": 2,\n[3]\n"4"\n{"id": 5}\n'
    table = read_jsonl("a.jsonl", text.encode())
    assert table.unreadable == [False, True, True, True, False]
    assert [problem.line for problem in table.problems] == [2, 3, 4]
    assert str(table.problems[0]).startswith("a.jsonl, line 2: isn't JSON (")
    assert table.problems[1].message == "isn't a JSON object"
    assert [row["id"] for row in rows(table)] == ["1", None, None, None, "5"]


def test_read_jsonl_with_every_line_broken() -> None:
    table = read_jsonl("a.jsonl", b"{\n{\n")
    assert table.columns == []
    assert table.unreadable == [True, True]


def test_read_jsonl_characters_that_are_not_unicode() -> None:
    table = read_jsonl("a.jsonl", b'{"id": "1", "a": "x\\ud800"}\n{"id": "2", "a": "caf\xe9"}\n')
    assert table.unreadable == [True, True]
    assert [row["a"] for row in rows(table)] == ["x\ufffd", "caf\ufffd"]
    assert table.problems[0].column == "a"


def test_read_jsonl_two_values_of_one_name() -> None:
    table = read_jsonl("a.jsonl", b'{"a.b": 1, "a": {"b": 2}}\n')
    assert table.unreadable == [True]
    assert table.problems[0].column == "a.b"


def test_read_json_list_and_its_record_numbers() -> None:
    table = read_json("a.json", b'[\n{"id": 1},\n{"id": 2, "x": 3}]')
    assert rows(table) == [{"id": "1", "x": None}, {"id": "2", "x": "3"}]
    assert table.line == [1, 2]


def test_read_json_object_with_one_list() -> None:
    value = {"version": 3, "tags": ["a"], "rows": [{"id": "1"}, {"id": "2"}]}
    table = read_json("a.json", json.dumps(value).encode("utf-16"))
    assert rows(table) == [{"id": "1"}, {"id": "2"}]
    assert table.encoding == "utf-16-le"


def test_read_json_one_object_is_one_record() -> None:
    assert rows(read_json("a.json", b'{"id": "1", "tags": [1]}')) == [{"id": "1", "tags": "[1]"}]


def test_read_json_elements_that_are_not_objects() -> None:
    table = read_json("a.json", b'[{"id": 1}, [2], null]')
    assert table.unreadable == [False, True, True]
    assert [problem.line for problem in table.problems] == [2, 3]


def test_read_json_takes_lines_under_the_wrong_name() -> None:
    table = read_json("a.json", b'{"id": 1}\n{"id": 2}\n')
    assert table.format == "jsonl"
    assert [row["id"] for row in rows(table)] == ["1", "2"]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('{"a": [{"x": 1}], "b": [{"x": 1}]}', r"must hold one list of objects; got 2: 'a', 'b'"),
        ("17", "must hold a list of objects; got '17'"),
        ("[1, 2", r"a\.json isn't JSON \(.*[^.]\)\.$"),
        ("", r"a\.json isn't JSON"),
        ("[" * 100_000, r"a\.json can't be read: the JSON is nested too deeply\.$"),
    ],
)
def test_read_json_errors(text: str, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        read_json("a.json", text.encode())


@pytest.mark.parametrize("depth", [900, 100_000])
def test_a_record_nested_too_deeply_is_a_problem_of_its_line(depth: int) -> None:
    deep = "[" * depth + "]" * depth
    table = read_jsonl("a.jsonl", f'{{"id": 1}}\n{{"id": {deep}}}\n'.encode())
    assert table.unreadable == [False, True]
    assert str(table.problems[0]) == (
        "a.jsonl, line 2: can't be read: the JSON is nested too deeply"
    )


def test_a_list_nested_too_deeply_is_a_problem_of_its_record() -> None:
    deep = "[" * 900 + "]" * 900
    table = read_json("a.json", f'[{{"id": 1}}, {{"id": {deep}}}, {deep}]'.encode())
    assert table.unreadable == [False, True, True]


@pytest.mark.parametrize("reader", [read_json, read_jsonl])
def test_a_binary_file_is_no_json(reader: Callable[[str, bytes], FileTable]) -> None:
    with pytest.raises(ValueError, match=r"x\.json is not a text file"):
        reader("x.json", bytes(3000))
