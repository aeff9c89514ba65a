"""Tables of results: plain text for a terminal or a log, Markdown for a report."""

import csv
import io
import math
import numbers
import unicodedata
from dataclasses import dataclass
from typing import Any

from widemargin.errors import InputError

MISSING = "-"


@dataclass(frozen=True)
class Column:
    """One column: the key of its values in the rows, its title (the key unless given), and the decimals of its numbers."""

    key: str
    title: str | None = None
    precision: int | None = None  # None: whole numbers as they are, others with up to six digits

    @property
    def heading(self) -> str:
        return _one_line(self.key if self.title is None else self.title)


def text_table(rows: list[dict], columns: list[Column]) -> str:
    """Aligned plain text: the titles, a rule, one line per row; each line ends in a newline.

    >>> print(text_table([{"learner": "ops", "f1": 93.456}], [Column("learner"), Column("f1", "F1", 2)]), end="")
    learner     F1
    -------  -----
    ops      93.46
    """
    cells, right = _layout(rows, columns)
    widths = [max(map(_width, column)) for column in zip(*cells)]
    cells.insert(1, ["-" * width for width in widths])
    return "".join(
        "  ".join(_pad(cell, width, to_right) for cell, width, to_right in zip(line, widths, right)).rstrip() + "\n" for line in cells
    )


def markdown_table(rows: list[dict], columns: list[Column]) -> str:
    """The same as a Markdown table, which reads well unrendered too."""
    cells, right = _layout(rows, columns)
    cells = [[cell.replace("\\", "\\\\").replace("|", "\\|") for cell in line] for line in cells]
    widths = [max(3, *map(_width, column)) for column in zip(*cells)]
    cells.insert(1, ["-" * (width - 1) + (":" if to_right else "-") for width, to_right in zip(widths, right)])
    return "".join(
        "| " + " | ".join(_pad(cell, width, to_right) for cell, width, to_right in zip(line, widths, right)) + " |\n" for line in cells
    )


def csv_table(rows: list[dict], columns: list[Column]) -> str:
    """The same as comma-separated values, for programs: keys as titles, numbers in full, nothing where something is missing."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow([column.key for column in columns])
    writer.writerows(["" if (value := row.get(column.key)) is None else value for column in columns] for row in rows)
    return out.getvalue()


def _layout(rows: list[dict], columns: list[Column]) -> tuple[list[list[str]], list[bool]]:
    """The cells as text, titles first, and for each column whether it holds numbers and so goes to the right."""
    if not columns:
        raise InputError("a table needs at least one column; give a list of Column.")
    cells = [[column.heading for column in columns]]
    cells += [[_cell(row.get(column.key), column.precision) for column in columns] for row in rows]
    values = [[row[column.key] for row in rows if row.get(column.key) is not None] for column in columns]
    return cells, [bool(held) and all(map(_is_number, held)) for held in values]


def _is_number(value: Any) -> bool:
    return isinstance(value, numbers.Real) and not isinstance(value, bool)


def _cell(value: Any, precision: int | None) -> str:
    """A value as text; numbers with the decimals asked for, never -0.00; what is missing or not a number as a dash."""
    if value is None or (_is_number(value) and math.isnan(value)):
        return MISSING
    if isinstance(value, bool):
        return "yes" if value else "no"
    if _is_number(value):
        if precision is not None:
            return f"{float(value):z.{precision}f}"
        return str(int(value)) if isinstance(value, numbers.Integral) else f"{float(value):zg}"
    return _one_line(str(value))


def _one_line(text: str) -> str:
    return " ".join(text.split())


def _width(text: str) -> int:
    """How many places a text takes on a terminal: two for wide letters, none for accents that combine."""
    return sum(0 if unicodedata.combining(letter) else 2 if unicodedata.east_asian_width(letter) in "WF" else 1 for letter in text)


def _pad(text: str, width: int, to_right: bool) -> str:
    space = " " * (width - _width(text))
    return space + text if to_right else text + space
