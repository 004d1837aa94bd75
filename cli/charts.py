"""Curves drawn with characters."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from typing import Final

HEIGHT: Final = 12
LABEL: Final = 10
DOTS: Final = ((0x01, 0x02, 0x04, 0x40), (0x08, 0x10, 0x20, 0x80))
"""Bits of a braille character by column and row of its dots."""


def curve(points: Sequence[tuple[float, float]], *, width: int, marked: float | None = None) -> list[str]:
    """Return a curve through ``points`` (by rising x) as lines of braille dots, with its ends labelled.

    ``marked`` is an x that gets a mark below the axis. Empty where there is no curve to draw.
    """
    if len(points) < 2 or points[-1][0] <= points[0][0]:
        return []
    columns = max(10, min(72, width - LABEL - 3))
    low, high = min(y for _, y in points), max(y for _, y in points)
    rise = (high - low) or 1.0
    first, last = points[0][0], points[-1][0]
    cells = [[0] * columns for _ in range(HEIGHT)]
    before: int | None = None
    for step in range(2 * columns):
        x = first + (last - first) * step / (2 * columns - 1)
        row = round((1 - (_at(points, x) - low) / rise) * (4 * HEIGHT - 1))
        for dot in range(min(row, row if before is None else before), max(row, before or row) + 1):
            cells[dot // 4][step // 2] |= DOTS[step % 2][dot % 4]
        before = row
    lines = []
    for number, row_cells in enumerate(cells):
        label = {0: _number(high), HEIGHT - 1: _number(low)}.get(number, "")
        dots = "".join(chr(0x2800 + bits) for bits in row_cells).rstrip("\u2800")
        lines.append(f"{label:>{LABEL}} ┤{dots}")
    left, right = _number(first), _number(last)
    lines.append(f"{'':>{LABEL}} └{'─' * columns}")
    axis = f"{left}{right:>{max(1, columns - len(left))}}"
    lines.append(f"{'':>{LABEL}}  {axis}")
    if marked is not None and first <= marked <= last:
        place = round((marked - first) / (last - first) * (columns - 1))
        lines.append(f"{'':>{LABEL}}  {' ' * place}▲ {_number(marked)}".rstrip())
    return lines


def _at(points: Sequence[tuple[float, float]], x: float) -> float:
    """Return y at ``x`` on the line through ``points``."""
    place = min(max(bisect_right([p for p, _ in points], x), 1), len(points) - 1)
    (x0, y0), (x1, y1) = points[place - 1], points[place]
    return y0 if x1 == x0 else y0 + (y1 - y0) * (x - x0) / (x1 - x0)


def _number(value: float) -> str:
    return f"{value:,.0f}" if abs(value) >= 1000 or float(value).is_integer() else f"{value:,.4g}"
