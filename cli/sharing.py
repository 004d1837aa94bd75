"""The figures of a shared prefix for a person at a terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .console import Line, columns, count, number, shown, width, worth
from .summary import HEADING

if TYPE_CHECKING:
    from ..sharing import SharingReport

_SHOWN = 5
"""Pages and units that are named."""


def sharing_lines(report: SharingReport) -> list[Line]:
    """Return the table: cost apart and together, value kept, groups, and the pages that lose most."""
    lines = [Line(), Line("Shared prefix", HEADING)]
    rows = [
        ("each page on its own", _amount(report.cost_alone, report), ""),
        ("  with the same loss, nothing shared", *_less(report.cost_trimmed, report)),
        ("together", *_less(report.cost, report)),
        ("  no plan of these groups costs less than", *_less(report.cost_bound, report)),
    ]
    lines += [Line(line) for line in columns(rows, right={1, 2}, limit=width())]
    kept = f"{worth(report.value / report.scale)} of {worth(report.alone_value / report.scale)}"
    lines.append(Line(f"  value kept  {kept}, {_percent(report.kept)}"))
    if report.break_even is not None:
        lines.append(Line(f"  a prefix pays from {count(report.break_even, 'page')} on"))
    groups = [
        (
            f"  {count(len(group.pages), 'page')}",
            f"{number(group.prefix_tokens)} tokens" if group.units else "no prefix",
            count(len(group.units), "unit") if group.units else "",
            f"{number(group.cached_tokens)} cached" if group.units else "",
        )
        for group in report.groups
    ]
    lines += [Line(line) for line in columns(groups, limit=width())]
    losing = sorted((page for page in report.pages if page.kept < 1), key=lambda page: (page.kept, page.task))
    if losing:
        lines += [Line(), Line("Pages that lose most", HEADING)]
        table = [(shown(page.task), f"keeps {_percent(page.kept)}") for page in losing[:_SHOWN]]
        lines += [Line(line) for line in columns(table, limit=width())]
    for name, reason in list(report.left_out.items())[:_SHOWN]:
        lines.append(Line(f"  {shown(name)} is on its own: {shown(reason)}"))
    if len(report.left_out) > _SHOWN:
        lines.append(Line(f"  and {number(len(report.left_out) - _SHOWN)} more"))
    return lines


def _less(cost: int, report: SharingReport) -> tuple[str, str]:
    share = 1 - cost / report.cost_alone if report.cost_alone else 0.0
    return _amount(cost, report), f"{_percent(share)} less"


def _amount(cost: int, report: SharingReport) -> str:
    return f"{cost / 10**6:,.6f} {report.currency}"


def _percent(share: float) -> str:
    return f"{share:.2%}".replace("%", " %")
