"""JSON and JSON Lines, in which every number keeps the digits it was written with."""

from __future__ import annotations

import io
import json
from typing import Any, Final

import pyarrow as pa

from core.store.csv_reader import FileTable, check_is_text, decode, has_bad_characters, mend
from core.store.problems import Problem, shorten

TOO_DEEP: Final = "can't be read: the JSON is nested too deeply"


class _Digits(str):
    """A number as it was written; a type of its own, so that it isn't quoted again."""

    __slots__ = ()


def _loads(text: str) -> Any:
    return json.loads(text, parse_int=_Digits, parse_float=_Digits, parse_constant=_Digits)


def read_jsonl(name: str, data: bytes) -> FileTable:
    """Read one JSON object a line; a line that isn't one is a problem."""
    check_is_text(name, data)
    text, encoding = decode(data)
    table = FileTable([], [], [], [], "jsonl", encoding=encoding)
    records: list[dict[str, str | None]] = []
    # Only a line feed ends a line: JSON text may hold U+2028, which str.splitlines() splits at.
    for number, line in enumerate(io.StringIO(text, newline="\n"), start=1):
        if line.isspace():
            continue
        try:
            value = _loads(line)
        except (ValueError, RecursionError) as error:
            _add(table, records, name, number, None, _why(error), line)
            continue
        _add(table, records, name, number, value, "isn't a JSON object", line)
    _finish(table, records)
    return table


def _why(error: Exception) -> str:
    return TOO_DEEP if isinstance(error, RecursionError) else f"isn't JSON ({error})"


def read_json(name: str, data: bytes) -> FileTable:
    """Read a list of objects, an object that holds one such list, or one object.

    Raises
    ------
    ValueError
        When the text isn't JSON, or it isn't clear which list holds the records.
    """
    check_is_text(name, data)
    text, encoding = decode(data)
    try:
        value = _loads(text)
    except (ValueError, RecursionError) as error:
        if _looks_like_lines(text):
            return read_jsonl(name, data)
        raise ValueError(f"{name} {_why(error)}.") from error
    table = FileTable([], [], [], [], "json", encoding=encoding)
    records: list[dict[str, str | None]] = []
    for number, one in enumerate(_find_records(name, value), start=1):
        _add(table, records, name, number, one, "isn't a JSON object", _shown(one))
    _finish(table, records)
    return table


def _looks_like_lines(text: str) -> bool:
    first = text.lstrip().split("\n", 1)[0]
    try:
        return isinstance(_loads(first), dict)
    except (ValueError, RecursionError):
        return False


def _find_records(name: str, value: Any) -> list[Any]:
    if isinstance(value, list):
        return value
    if not isinstance(value, dict):
        raise ValueError(f"{name} must hold a list of objects; got {shorten(_as_text(value))!r}.")
    lists = {
        key: inner
        for key, inner in value.items()
        if isinstance(inner, list) and inner and isinstance(inner[0], dict)
    }
    if len(lists) > 1:
        raise ValueError(
            f"{name} must hold one list of objects; got {len(lists)}: "
            f"{', '.join(map(repr, lists))}. Save the one with the records as a file of its own."
        )
    return next(iter(lists.values())) if lists else [value]


def _add(
    table: FileTable,
    records: list[dict[str, str | None]],
    name: str,
    number: int,
    value: Any,
    message: str,
    shown: str,
) -> None:
    """Append one record; what isn't an object is a problem that keeps its place."""
    table.line.append(number)
    record: dict[str, str | None] | None = None
    if isinstance(value, dict):
        try:
            record, twice = _flatten(value)
        except RecursionError:  # parsing reaches deeper than writing the cell again
            message = TOO_DEEP
    if record is None:
        table.problems.append(Problem(name, number, "", shorten(mend(shown.strip())), message))
        table.unreadable.append(True)
        records.append({})
        return
    unreadable = False
    if twice:
        message = "two values have this name once the nested objects are laid out flat"
        table.problems.append(Problem(name, number, twice, "", message))
        unreadable = True
    for column, cell in record.items():
        if cell is not None and has_bad_characters(cell):
            record[column] = mend(cell)
            message = "holds a character that isn't Unicode; save the file as UTF-8"
            table.problems.append(Problem(name, number, column, shorten(mend(cell)), message))
            unreadable = True
    table.unreadable.append(unreadable)
    records.append(record)


def _flatten(value: dict[str, Any]) -> tuple[dict[str, str | None], str]:
    record: dict[str, str | None] = {}
    twice = ""
    for key, cell in value.items():
        inside = isinstance(cell, dict) and cell
        pairs = [(f"{key}.{k}", v) for k, v in cell.items()] if inside else [(key, cell)]
        for raw_column, inner in pairs:
            column = mend(raw_column) if has_bad_characters(raw_column) else raw_column
            if column in record:
                twice = column
            record[column] = _as_text(inner)
    return record, twice


def _as_text(value: Any) -> str | None:
    """A JSON value as a cell: text and numbers as they are, lists and objects as JSON."""
    if value is None:
        return None
    return str(value) if isinstance(value, str) else json_text(value)


def _shown(value: Any) -> str:
    """What a problem shows of a record that isn't an object."""
    try:
        return "" if isinstance(value, dict) else _as_text(value) or ""
    except RecursionError:
        return ""


def json_text(value: Any) -> str:
    """Write a parsed value as JSON again, numbers with the digits they had."""
    if isinstance(value, _Digits):
        return str(value)
    if isinstance(value, dict):
        inner = ", ".join(
            f"{json.dumps(key, ensure_ascii=False)}: {json_text(one)}" for key, one in value.items()
        )
        return f"{{{inner}}}"
    if isinstance(value, list):
        return f"[{', '.join(map(json_text, value))}]"
    return json.dumps(value, ensure_ascii=False)


def _finish(table: FileTable, records: list[dict[str, str | None]]) -> None:
    table.columns = list(dict.fromkeys(column for record in records for column in record))
    table.arrays = [
        pa.chunked_array([pa.array([record.get(column) for record in records], pa.large_string())])
        for column in table.columns
    ]
