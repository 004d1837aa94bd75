"""What the terminal shows: foreign text made harmless, columns that line up, colour where it is wanted."""

from __future__ import annotations

import io
import json
import os
import re
import shutil
import sys
from collections.abc import Container, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Final, TextIO

PLAIN_WIDTH: Final = 80
"""Columns where nobody watches: the same on every machine."""

WIDEST: Final = 110
"""Columns beyond which lines are no longer easy to read."""

# Control characters, and the marks that reorder or hide what stands beside them: none may reach a terminal.
_UNSAFE: Final = re.compile(
    "[\x00-\x1f\x7f-\x9f\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\ud800-\udfff]"
)
_UNSAFE_IN_TEXT: Final = re.compile(f"(?![\n\t]){_UNSAFE.pattern}")
_SHORT: Final = {"\n": "\\n", "\r": "\\r", "\t": "\\t"}


@dataclass(frozen=True)
class Line:
    """A line of output; ``style`` holds rich style words and means nothing where there is no colour."""

    text: str = ""
    style: str = ""


def shown(text: str) -> str:
    """Return ``text`` on one line, with characters that would act on a terminal spelled out."""
    return _UNSAFE.sub(_spelled, text)


def shown_text(text: str) -> str:
    """Return ``text`` as :func:`shown`, its lines and tabs kept."""
    return _UNSAFE_IN_TEXT.sub(_spelled, text)


def _spelled(match: re.Match[str]) -> str:
    char = match[0]
    code = ord(char)
    return _SHORT.get(char) or (f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}")


def set_up_streams() -> None:
    """Write UTF-8 with LF to files and pipes whatever the locale, and never fail on a character."""
    if isinstance(sys.stdout, io.TextIOWrapper) and isinstance(sys.stdout.buffer, io.RawIOBase):
        # PYTHONUNBUFFERED leaves out the layer that writes on after a write which the pipe took in part.
        raw = sys.stdout.detach()
        sys.stdout = io.TextIOWrapper(io.BufferedWriter(raw), encoding="utf-8", line_buffering=raw.isatty())
    for stream in (sys.stdout, sys.stderr):
        reconfigure = getattr(stream, "reconfigure", None)
        if reconfigure is None:
            continue
        if stream.isatty():
            reconfigure(errors="backslashreplace")
        else:
            reconfigure(encoding="utf-8", errors="backslashreplace", newline="\n")


def width() -> int:
    """Return the columns of standard output."""
    if not sys.stdout.isatty():
        return PLAIN_WIDTH
    return max(24, min(WIDEST, shutil.get_terminal_size((PLAIN_WIDTH, 24)).columns))


def print_lines(lines: Iterable[Line], *, to: TextIO | None = None) -> None:
    """Print ``lines``, with colour on a terminal that wants it."""
    stream = to or sys.stdout
    if not stream.isatty() or os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb":
        stream.writelines(f"{line.text}\n" for line in lines)
        return
    from rich.console import Console
    from rich.text import Text

    console = Console(file=stream, highlight=False, markup=False, emoji=False)
    for line in lines:
        console.print(Text(line.text, style=line.style), soft_wrap=True)


def print_json(data: Any) -> None:
    """Print ``data`` as indented JSON; inside its texts, what would act on a terminal is escaped."""
    print_text(json.dumps(data, indent=2, ensure_ascii=False) + "\n", json_escapes=True)


def print_text(text: str, *, json_escapes: bool = False) -> None:
    """Print ``text`` as it stands; on a terminal, or as JSON, with unsafe characters escaped."""
    if json_escapes:
        text = _UNSAFE_IN_TEXT.sub(lambda match: f"\\u{ord(match[0]):04x}", text)
    elif sys.stdout.isatty():
        text = shown_text(text)
    sys.stdout.write(text)


def note(text: str, *, kind: str = "note", style: str = "dim") -> None:
    """Print a message for the person on standard error, behind what standard output has so far."""
    sys.stdout.flush()
    print_lines([Line(f"{kind}: {shown(text)}", style)], to=sys.stderr)


def columns(
    rows: Sequence[Sequence[str]], *, right: Container[int] = (), indent: int = 2, limit: int | None = None
) -> list[str]:
    """Return ``rows`` as lines whose columns line up, two spaces apart.

    Parameters
    ----------
    right
        Columns that are aligned to the right.
    limit
        Cells that a line may fill: the last column is cut, with an ellipsis, to stay within it.
    """
    from rich.cells import cell_len, set_cell_size

    if not rows:
        return []
    sizes = [max(cell_len(row[i]) for row in rows) for i in range(len(rows[0]))]
    lines = []
    for row in rows:
        cells = []
        for i, cell in enumerate(row):
            pad = " " * (sizes[i] - cell_len(cell))
            cells.append(pad + cell if i in right else cell + pad)
        line = " " * indent + "  ".join(cells).rstrip()
        if limit is not None and cell_len(line) > limit:
            line = set_cell_size(line, limit - 1).rstrip() + "…"
        lines.append(line)
    return lines


def number(value: int) -> str:
    """Return a whole number with its thousands set apart."""
    return f"{value:,}"


def count(value: int, noun: str) -> str:
    """Return ``3 units`` or ``1 unit``."""
    return f"{value:,} {noun}{'' if value == 1 else 's'}"


def worth(value: float) -> str:
    """Return a value as people read it: a whole one in full, others to four digits behind the point."""
    return f"{value:,.0f}" if value.is_integer() else f"{value:,.4f}"


def share(part: float) -> str:
    """Return a share (0..1) as a percentage; what is not quite nothing or all is not shown as that."""
    if 0 < part < 0.001:
        return "<0.1 %"
    if 0.999 < part < 1:
        return ">99.9 %"
    return f"{part:.1%}".replace("%", " %")
