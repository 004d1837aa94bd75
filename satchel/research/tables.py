"""Tables as files: CSV, LaTeX and Parquet, the same bytes for the same rows."""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from .comparison import Table
from .extras import needed

DIGITS: Final = 6
"""Significant digits of a fraction in a table."""


def csv_text(table: Table, columns: Sequence[str]) -> str:
    """Return ``table`` as CSV; a cell with nothing to say is empty."""
    buffer = io.StringIO()
    writer = csv.writer(buffer, lineterminator="\n")
    writer.writerow(columns)
    for row in table:
        writer.writerow([cell(row[column]) for column in columns])
    return buffer.getvalue()


def cell(value: Any) -> str:
    """Return a cell as text."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return "yes" if value else "no"
    return f"{value:.{DIGITS}g}" if isinstance(value, float) else str(value)


def latex_text(table: Table, heads: Mapping[str, str], caption: str) -> str:
    """Return the columns ``heads`` of ``table`` as a LaTeX table (booktabs), numbers to the right."""
    kinds = "".join("r" if _is_numeric(table, column) else "l" for column in heads)
    lines = [
        "\\begin{table}",
        f"\\caption{{{_escaped(caption)}}}",
        "\\centering",
        f"\\begin{{tabular}}{{{kinds}}}",
        "\\toprule",
        " & ".join(_escaped(head) for head in heads.values()) + " \\\\",
        "\\midrule",
    ]
    lines += [" & ".join(_escaped(_short(row[column])) for column in heads) + " \\\\" for row in table]
    lines += ["\\bottomrule", "\\end{tabular}", "\\end{table}"]
    return "".join(f"{line}\n" for line in lines)


def _is_numeric(table: Table, column: str) -> bool:
    return all(row[column] is None or isinstance(row[column], int | float) for row in table)


def _short(value: Any) -> str:
    if isinstance(value, float):
        return f"{value:.3g}"
    return cell(value) or "--"


_SPECIAL: Final = {
    **{char: f"\\{char}" for char in "&%$#_{}"},
    "~": "\\textasciitilde{}",
    "^": "\\textasciicircum{}",
    "\\": "\\textbackslash{}",
}


def _escaped(text: str) -> str:
    return "".join(_SPECIAL.get(char, char) for char in text)


def write_parquet(table: Table, columns: Sequence[str], path: Path) -> None:
    """Write ``table`` as a Parquet file.

    Raises
    ------
    UsageError
        pyarrow is not installed.
    """
    pa, parquet = needed("pyarrow"), needed("pyarrow.parquet")
    arrays = {column: [row[column] for row in table] for column in columns}
    partial = path.with_suffix(".partial")
    parquet.write_table(pa.table(arrays), partial)
    partial.replace(path)
