"""``satchel diff``: what differs between two packs, and which byte ends the prefix that they share."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from ..console import Line, columns, count, number, print_json, print_lines, shown, width
from ..options import Json

if TYPE_CHECKING:
    from ... import DiffReport

NAMED = 10
"""Units of one kind of change that are named; --json names all."""


def command(
    a: Annotated[str, typer.Argument(metavar="A", help="A packed-context.v1 file, or a folder with one.")],
    b: Annotated[str, typer.Argument(metavar="B", help="Another one.")],
    json: Json = False,
) -> None:
    """Compare two packs.

    The first byte that differs and the unit that holds it, for a prompt cache reuses no more; and the units
    that came, went, changed their form or moved.
    """
    from ... import diff

    report = diff(a, b)
    if json:
        print_json(report.to_data())
    else:
        print_lines(_lines(report))


def _lines(report: DiffReport) -> list[Line]:
    if report.is_empty:
        return [Line("the same prompt, byte by byte", "bold")]
    facts = [["prefix", "the same" if report.same_prefix else "differs"]]
    facts.append(["tokens of it", " and ".join(map(number, report.prefix_tokens))])
    if report.shared_tokens is not None:
        facts.append(["shared units", f"{number(report.shared_tokens)} tokens in front of the difference"])
    if (found := report.difference) is not None:
        place = f"byte {number(found.byte)}, line {number(found.line)}, column {number(found.column)}"
        facts.append(["first difference", place])
        facts += [["in A", _holder(found.in_a)], ["in B", _holder(found.in_b)]]
    lines = [Line("Prompts", "bold"), *(Line(text) for text in columns(facts, limit=width()))]
    missing = "no prompt or problem beside {}: bytes were not compared"
    lines += [Line(shown(f"  {missing.format(path)}"), "yellow") for path in report.lacking]
    units = report.units
    rungs = [f"{name}: rung {one} to {two}" for name, one, two in units.changed_rung]
    for head, names in (
        ("Entered", units.entered),
        ("Left", units.left),
        ("Changed form", rungs),
        ("Moved", units.moved),
    ):
        if names:
            lines += [Line(), Line(f"{head}: {count(len(names), 'unit')}", "bold")]
            lines += [Line(f"  {shown(name)}") for name in names[:NAMED]]
            lines += [Line(f"  and {number(len(names) - NAMED)} more")] if len(names) > NAMED else []
    return lines


def _holder(name: str) -> str:
    return shown(name) if name else "no unit: the frame of the prompt, or its end"
