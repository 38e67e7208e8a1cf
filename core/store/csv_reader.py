"""Separated text files, read cell by cell as exact text with the line each row begins on."""

from __future__ import annotations

import csv
import io
import re
from dataclasses import dataclass, field
from typing import Final

import pyarrow as pa
import pyarrow.compute as pc

from core.store.layout import FORMULA, is_records_format
from core.store.problems import Problem, counted, shorten

SEPARATORS: Final = (",", ";", "\t", "|")
SEPARATOR_NAMES: Final = {",": "comma", ";": "semicolon", "\t": "tab", "|": "bar"}

_CHUNK = 50_000
_BYTE_ORDER_MARKS: Final = (
    (b"\xef\xbb\xbf", "utf-8"),
    (b"\xff\xfe\x00\x00", "utf-32-le"),
    (b"\x00\x00\xfe\xff", "utf-32-be"),
    (b"\xff\xfe", "utf-16-le"),
    (b"\xfe\xff", "utf-16-be"),
)
_SURROGATE = re.compile("[\ud800-\udfff]")

# The default limit of 131,072 characters is less than a long answer has.
csv.field_size_limit(2**31 - 1)


@dataclass
class FileTable:
    """One file's rows: text columns, where each row began, and what was wrong."""

    columns: list[str]
    arrays: list[pa.ChunkedArray]
    line: list[int]
    unreadable: list[bool]
    format: str
    separator: str = ""
    encoding: str = ""
    records_format: bool = False
    problems: list[Problem] = field(default_factory=list)


# PNG, JPEG, GIF, ZIP (and so Excel), gzip, PDF.
_SIGNATURES: Final = (b"\x89PNG", b"\xff\xd8\xff", b"GIF8", b"PK\x03\x04", b"\x1f\x8b", b"%PDF-")
_LEAST_JUDGED: Final = 64


def decode(data: bytes) -> tuple[str, str]:
    """Decode UTF-8 or, with a byte order mark or by its zero bytes, UTF-16 or UTF-32.

    Returns
    -------
    text : str
        Bytes that don't belong to the encoding are kept as lone surrogates, to be found again.
    encoding : str
    """
    for mark, encoding in _BYTE_ORDER_MARKS:
        if data.startswith(mark):
            return _decode(data[len(mark) :], encoding), encoding
    sample = data[:4000]
    for encoding, start in (("utf-16-le", 1), ("utf-16-be", 0)):
        zeros = sample[start::2].count(0)
        if len(sample) >= 4 and zeros * 2 > len(sample[start::2]):
            return _decode(data, encoding), encoding
    return _decode(data, "utf-8"), "utf-8"


def _decode(data: bytes, encoding: str) -> str:
    if encoding == "utf-8":
        return data.decode(encoding, errors="surrogateescape")
    try:
        return data.decode(encoding)
    except UnicodeDecodeError:
        # U+DC80 marks the place, as surrogateescape does for UTF-8.
        return data.decode(encoding, errors="replace").replace("\ufffd", "\udc80")


def has_bad_characters(text: str) -> bool:
    """True when a text holds what UTF-8 can't: lone surrogates."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return True
    return False


def mend(cell: str) -> str:
    """Replace lone surrogates by U+FFFD, so that the cell can be shown."""
    return _SURROGATE.sub("\ufffd", cell)


def is_binary(data: bytes) -> bool:
    """True for what no text is: a known signature, or control characters over and over."""
    if data.startswith(_SIGNATURES):
        return True
    text = decode(data[:4096])[0]
    strange = sum((one < " " and one not in "\t\r\n\f") or has_bad_characters(one) for one in text)
    return len(text) >= _LEAST_JUDGED and strange > 0.3 * len(text)


def check_is_text(name: str, data: bytes) -> None:
    """Refuse a binary file as a whole, where its rows would be thousands of problems.

    Raises
    ------
    ValueError
    """
    if is_binary(data):
        raise ValueError(
            f"{name} is not a text file, whatever its name says. Save it as CSV, JSON Lines, JSON "
            "or Parquet."
        )


def read_csv(name: str, data: bytes) -> FileTable:
    """Read a file of separated values.

    Rows of another width than the header, cells with undecodable bytes and broken quotes are
    problems; such a row stays in its place, marked unreadable, so that rows can be counted.

    Raises
    ------
    ValueError
        When there is no header, or the file holds no text.
    """
    check_is_text(name, data)
    text, encoding = decode(data)
    separator, text, skipped = _separator(text)
    table = FileTable([], [], [], [], "csv", separator, encoding)
    bad_text = has_bad_characters(text)
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=separator, strict=True)
    header: list[str] = []
    chunks: list[list[pa.Array]] = []
    rows: list[list[str]] = []
    line = reader.line_num
    while True:
        try:
            for row in reader:
                start, line = line + 1 + skipped, reader.line_num
                if not row:
                    continue
                if not header:
                    header = _header(row, name, start, table)
                    width = len(header)
                    continue
                unreadable = False
                if bad_text or len(row) != width:
                    row, unreadable = _mend_row(row, header, name, start, table)
                rows.append(row)
                table.line.append(start)
                table.unreadable.append(unreadable)
                if len(rows) == _CHUNK:
                    chunks.append(_columns(rows, width))
                    rows = []
            break
        except csv.Error as error:
            start, line = line + 1 + skipped, reader.line_num
            if not header:
                raise ValueError(f"{name} has no readable header line ({error}).") from error
            rows.append([""] * width)
            table.line.append(start)
            table.unreadable.append(True)
            table.problems.append(_broken(name, start, line + skipped, error))
    if not header:
        raise ValueError(f"{name} is empty: a header line with column names is needed.")
    if rows or not chunks:
        chunks.append(_columns(rows, width))
    table.columns = header
    table.arrays = [pa.chunked_array([chunk[k] for chunk in chunks]) for k in range(width)]
    table.records_format = is_records_format(header)
    if table.records_format:
        table.arrays = [
            pc.replace_substring_regex(array, rf"\A'({FORMULA})", r"\1", max_replacements=1)
            for array in table.arrays
        ]
    return table


def _columns(rows: list[list[str]], width: int) -> list[pa.Array]:
    if not rows:
        return [pa.array([], pa.large_string()) for _ in range(width)]
    return [pa.array(cells, pa.large_string()) for cells in zip(*rows, strict=True)]


def _separator(text: str) -> tuple[str, str, int]:
    """Find the separator; returns it, the text after a `sep=` line, and the lines skipped."""
    told = re.match(r"sep=(.)\r?\n", text)
    if told:
        return told[1], text[told.end() :], 1
    sample = text[:100_000]
    best, best_score = ",", (0.0, 0)
    for separator in SEPARATORS:
        widths = []
        reader = csv.reader(io.StringIO(sample, newline=""), delimiter=separator)
        for row in reader:
            if row:
                widths.append(len(row))
            if len(widths) == 200:
                break
        if len(sample) < len(text) and len(widths) > 1:
            widths.pop()  # cut off in the middle
        if not widths or widths[0] < 2:
            continue
        score = (sum(width == widths[0] for width in widths) / len(widths), widths[0])
        if score > best_score:
            best, best_score = separator, score
    return best, text, 0


def _header(row: list[str], name: str, line: int, table: FileTable) -> list[str]:
    """Give every column a name of its own."""
    header: list[str] = []
    for place, cell in enumerate(row, start=1):
        given = mend(cell)
        column, again = given or f"column {place}", 2
        while column in header:
            column, again = f"{given or 'column'} ({again})", again + 1
        if column != given:
            message = f"column {place} has no name of its own; it is called {column!r} here"
            table.problems.append(Problem(name, line, column, given, message, "note"))
        header.append(column)
    return header


def _mend_row(
    row: list[str], header: list[str], name: str, line: int, table: FileTable
) -> tuple[list[str], bool]:
    """Bring a row to the header's width and to proper text; True when that lost something."""
    width, before = len(header), len(table.problems)
    if len(row) < width or any(row[width:]):  # empty cells past the header's end lose nothing
        column = header[len(row)] if len(row) < width else f"column {width + 1}"
        value = mend("".join(row[width : width + 1]))
        message = f"the row has {counted(len(row), 'cell')}, the header {width}"
        table.problems.append(Problem(name, line, column, shorten(value), message))
    cells = [mend(cell) for cell in row[:width]]
    for column, cell, given in zip(header, cells, row, strict=False):
        if cell != given:
            message = f"holds bytes that aren't {table.encoding.upper()}; save the file as UTF-8"
            table.problems.append(Problem(name, line, column, shorten(cell), message))
    return cells + [""] * (width - len(cells)), len(table.problems) > before


def _broken(name: str, start: int, end: int, error: csv.Error) -> Problem:
    if "unexpected end" in str(error):
        message = (
            f"a quotation mark opened here is never closed, so lines {start} to {end} can't be "
            "told apart"
        )
    else:
        message = f"the quotation marks can't be read ({error})"
    return Problem(name, start, "", "", message)
