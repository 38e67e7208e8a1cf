"""Separated text files."""

from __future__ import annotations

import csv
import io

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.store.csv_reader import FileTable, read_csv
from core.store.layout import COLUMNS

CELLS = st.text(st.characters(exclude_categories=["Cs"]))


def read(text: str | bytes) -> FileTable:
    return read_csv("a.csv", text.encode() if isinstance(text, str) else text)


def rows(table: FileTable) -> list[tuple[str, ...]]:
    return list(zip(*(array.to_pylist() for array in table.arrays), strict=True))


@pytest.mark.parametrize("separator", [",", ";", "\t", "|"])
def test_read_csv_finds_the_separator(separator: str) -> None:
    others = " ".join({",", ";", "\t", "|"} - {separator})
    text = "\n".join(
        separator.join(line) for line in (["id", "text"], ["1", others], ["2", f"a {others}"])
    )
    table = read(text)
    assert table.separator == separator
    assert rows(table) == [("1", others), ("2", f"a {others}")]


def test_read_csv_excel_separator_line() -> None:
    table = read("\ufeffsep=;\r\nid;text\r\n1;a,b\r\n2\r\n")
    assert rows(table)[0] == ("1", "a,b")
    assert table.line == [3, 4]
    assert table.problems[0].line == 4


@pytest.mark.parametrize(
    ("encoding", "named"),
    [
        ("utf-8", "utf-8"),
        ("utf-8-sig", "utf-8"),
        ("utf-16", "utf-16-le"),
        ("utf-16-le", "utf-16-le"),
        ("utf-16-be", "utf-16-be"),
        ("utf-32", "utf-32-le"),
    ],
)
def test_read_csv_encodings(encoding: str, named: str) -> None:
    text = "id,answer\r\n1,naïve 東京 🙂\r\n2,plain\r\n"
    table = read(text.encode(encoding))
    assert table.encoding == named
    assert table.columns == ["id", "answer"]
    assert rows(table) == [("1", "naïve 東京 🙂"), ("2", "plain")]


def test_read_csv_utf16_with_a_big_endian_mark() -> None:
    table = read(b"\xfe\xff" + "id,a\n7,é\n".encode("utf-16-be"))
    assert rows(table) == [("7", "é")]


def test_read_csv_cells_are_exact_text() -> None:
    cells = ("007", "1.0", "1234567890123456789", "123456789012345678901234567890", " x ", "🙂", "")
    header = ",".join(f"c{k}" for k in range(len(cells)))
    assert rows(read(f"{header}\n{','.join(cells)}\n")) == [cells]


def test_read_csv_lines_count_what_an_editor_counts() -> None:
    text = 'id,text\r\n\r\n1,"two\r\nlines"\r\n2,x\r\n\r\n3,"a\n\n\nb"\r\n4,y\r\n'
    table = read(text)
    assert table.line == [3, 5, 7, 11]
    assert rows(table) == [("1", "two\r\nlines"), ("2", "x"), ("3", "a\n\n\nb"), ("4", "y")]


def test_read_csv_ragged_rows_are_problems_with_line_and_column() -> None:
    table = read("id,text,label\n1,a,yes\n2,b\n3,c,no,more\n4,d,no,\n")
    assert table.unreadable == [False, True, True, False]
    assert rows(table) == [("1", "a", "yes"), ("2", "b", ""), ("3", "c", "no"), ("4", "d", "no")]
    few, many = table.problems
    assert str(few) == "a.csv, line 3, column 'label': the row has 2 cells, the header 3"
    assert (many.line, many.column, many.value) == (4, "column 4", "more")


def test_read_csv_undecodable_bytes_are_problems() -> None:
    table = read(b"id,answer\n1,ok\n2,caf\xe9\n3,ok\n")
    assert table.unreadable == [False, True, False]
    (problem,) = table.problems
    assert str(problem) == (
        "a.csv, line 3, column 'answer': holds bytes that aren't UTF-8; save the file as UTF-8"
    )
    assert problem.value == "caf\ufffd"


def test_read_csv_undecodable_utf16_is_a_problem() -> None:
    table = read("id,a\n1,x\n".encode("utf-16") + b"2\x00")
    assert table.unreadable == [False, True]


def test_read_csv_open_quotation_mark_names_its_line() -> None:
    table = read('id,text\n1,a\n2,"b\n3,c\n4,d\n')
    assert rows(table)[0] == ("1", "a")
    assert table.unreadable == [False, True]
    (problem,) = table.problems
    assert problem.line == 3
    assert "never closed, so lines 3 to 5 can't be told apart" in problem.message


def test_read_csv_goes_on_after_a_broken_quotation() -> None:
    table = read('id,text\n1,"a"b\n2,c\n')
    assert table.unreadable == [True, False]
    assert rows(table)[1] == ("2", "c")
    assert table.problems[0].line == 2


def test_read_csv_header_in_other_scripts() -> None:
    assert read("идентификатор;回答\n7;да\n".encode("utf-16")).columns == ["идентификатор", "回答"]


def test_read_csv_names_columns_apart() -> None:
    table = read("id,x,x,\n1,2,3,4\n")
    assert table.columns == ["id", "x", "x (2)", "column 4"]
    assert {problem.severity for problem in table.problems} == {"note"}
    assert len(table.problems) == 2
    assert table.unreadable == [False]


def test_read_csv_long_cell() -> None:
    assert rows(read(f"id,text\n1,{'x' * 300_000}\n")) == [("1", "x" * 300_000)]


def test_read_csv_header_only() -> None:
    table = read("id,text\n")
    assert table.columns == ["id", "text"]
    assert rows(table) == []


@pytest.mark.parametrize("text", ["", "\n\n", "\ufeff"])
def test_read_csv_empty(text: str) -> None:
    with pytest.raises(ValueError, match=r"a\.csv is empty: a header line"):
        read(text)


def test_read_csv_many_rows() -> None:
    """More rows than are turned into columns at a time."""
    count = 120_001
    table = read("id,n\n" + "".join(f"i{k},{k}\n" for k in range(count)))
    assert table.line[-1] == count + 1
    assert rows(table)[-1] == (f"i{count - 1}", str(count - 1))


def test_read_csv_takes_apostrophes_off_only_in_the_records_format() -> None:
    cells = ["'=1+1", "''=1", "'x", "'-3", "-3", "'", "'@a"]
    header = [*COLUMNS[: len(cells)]]
    plain = read(f"{','.join(header)}\n{','.join(cells)}\n")
    assert rows(plain) == [tuple(cells)]
    full = read(f"{','.join(COLUMNS)}\n{','.join(cells + [''] * 6)}\n")
    assert full.records_format
    assert rows(full)[0][: len(cells)] == ("=1+1", "'=1", "'x", "-3", "-3", "'", "@a")


@given(st.lists(st.tuples(CELLS, CELLS, CELLS), min_size=1, max_size=8))
def test_read_csv_gives_back_what_was_written(table: list[tuple[str, str, str]]) -> None:
    out = io.StringIO(newline="")
    csv.writer(out, lineterminator="\r\n").writerows([("a", "b", "c"), *table])
    assert rows(read(out.getvalue())) == table


@pytest.mark.parametrize(
    "data", [bytes(3000), b"\x89PNG\r\n\x1a\n" + bytes(range(256)) * 8, b"\x00\x01\x02\x03" * 50]
)
def test_a_binary_file_is_no_csv_whatever_its_name(data: bytes) -> None:
    with pytest.raises(ValueError, match=r"x\.csv is not a text file"):
        read_csv("x.csv", data)


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16", "utf-16-le", "utf-8-sig"])
def test_text_in_any_of_its_encodings_is_no_binary_file(encoding: str) -> None:
    table = read_csv("x.csv", "id,answer\n1,né 😀 日本\n".encode(encoding))
    assert table.line == [2]
