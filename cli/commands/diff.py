"""``satchel diff``: what differs between two packs and why, and which byte ends their common prefix."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ..console import Line, columns, count, number, print_json, print_lines, shown, width, worth
from ..options import Json, naming

if TYPE_CHECKING:
    from ... import Cause, DiffReport, UnitChange

NAMED = 10
"""Units of one kind of change that are named; --json names all."""

HEADS = {"entered": "Entered", "left": "Left", "rung": "Changed form"}


def command(
    a: Annotated[str, typer.Argument(metavar="A", help="A packed-context.v1 file, or a folder with one.")],
    b: Annotated[str, typer.Argument(metavar="B", help="Another one.")],
    prices: Annotated[
        Path | None,
        typer.Option("--prices", metavar="FILE", help="Compare what they cost, too, by this price table."),
    ] = None,
    model: Annotated[
        str | None,
        typer.Option(
            "--model", metavar="NAME", help="With --prices: at the price of this model, not each pack's own."
        ),
    ] = None,
    calls: Annotated[
        int,
        typer.Option(
            "--calls", metavar="N", help="With --prices: how often each prompt is sent with the same prefix."
        ),
    ] = 1,
    min_cacheable: Annotated[
        int | None,
        typer.Option(
            "--min-cacheable",
            metavar="TOKENS",
            help="With --prices: the shortest prefix that is cached, instead of what is known of the model.",
        ),
    ] = None,
    json: Json = False,
) -> None:
    """Compare two packs.

    The first byte that differs and the unit that holds it, for a prompt cache reuses no more; the units that
    came, went or changed their form, each with its cause: its text, score, size, needs, a rule, the budget,
    or what competes with it; and with prices what each pack costs.
    """
    from ... import UsageError, diff, read_prices

    if calls < 0:
        raise UsageError("is no number of calls", field="--calls", value=calls, hint="give 0 or more")
    if prices is None and (model is not None or calls != 1 or min_cacheable is not None):
        raise UsageError("goes with prices", field="--prices", hint="give a price table with --prices FILE")
    table = None if prices is None else read_prices(prices)
    with naming(None, {"model": "--model", "minimum": "--min-cacheable"}):
        report = diff(a, b, prices=table, model=model, calls=calls, min_cacheable=min_cacheable)
    if json:
        print_json(report.to_data())
    else:
        print_lines([*_lines(report), *_costs(report)])


def _lines(report: DiffReport) -> list[Line]:
    if report.is_empty:
        same = "the same prompt, byte by byte" if report.same_prompt else "the same units in the same forms"
        return [Line(same, "bold")]
    lines = _prompts(report)
    facts = [
        ["tokens of units", _pair(report.tokens)],
        ["available", _pair(report.available)],
        ["value", _change(*report.values)],
    ]
    lines += [*([Line()] if lines else []), Line("Packs", "bold")]
    lines += [Line(text) for text in columns(facts, limit=width())]
    for kind, head in HEADS.items():
        found = [change for change in report.changes if change.change == kind]
        if found:
            lines += [Line(), Line(f"{head}: {count(len(found), 'unit')} {_why(found)}", "bold")]
            lines += _units(found)
            lines += [Line(f"  and {number(len(found) - NAMED)} more")] if len(found) > NAMED else []
    if moved := report.units.moved:
        lines += [Line(), Line(f"Moved: {count(len(moved), 'unit')}", "bold")]
        lines += [Line(f"  {shown(name)}") for name in moved[:NAMED]]
        lines += [Line(f"  and {number(len(moved) - NAMED)} more")] if len(moved) > NAMED else []
    return lines


def _prompts(report: DiffReport) -> list[Line]:
    if report.prefix_tokens is None:
        return []
    facts = [["prefix", "the same" if report.same_prefix else "differs"]]
    facts.append(["tokens of it", " and ".join(map(number, report.prefix_tokens))])
    if report.shared_tokens is not None:
        facts.append(["shared units", f"{number(report.shared_tokens)} tokens in front of the difference"])
    if (found := report.difference) is not None:
        place = f"byte {number(found.byte)}, line {number(found.line)}, column {number(found.column)}"
        facts.append(["first difference", place])
        facts += [["in A", _holder(found.in_a)], ["in B", _holder(found.in_b)]]
    missing = "no prompt or problem beside {}: bytes were not compared"
    return [
        Line("Prompts", "bold"),
        *(Line(text) for text in columns(facts, limit=width())),
        *(Line(shown(f"  {missing.format(path)}"), "yellow") for path in report.lacking),
    ]


def _why(found: list[UnitChange]) -> str:
    first = Counter(change.causes[0].kind for change in found)
    parts = sorted(first.items(), key=lambda part: (-part[1], part[0]))
    return f"({', '.join(f'{kind} {number(times)}' for kind, times in parts)})"


def _units(found: list[UnitChange]) -> list[Line]:
    """Return the units, those of the same causes together: each cause is told once, a common one first."""
    common = [cause for cause in found[0].causes if all(cause in change.causes for change in found)]
    if len(found) == 1:
        common = []
    lines = [Line(f"  all of them: {_cause(cause)}", "dim") for cause in common]
    groups: dict[tuple[Cause, ...], list[UnitChange]] = {}
    for change in found:
        own = tuple(cause for cause in change.causes if cause not in common)
        groups.setdefault(own, []).append(change)
    room = NAMED
    for own, changes in groups.items():
        shorter = changes[:room]
        room -= len(shorter)
        lines += [_unit(change) for change in shorter]
        lines += [Line(f"    {_cause(cause)}", "dim") for cause in own if shorter]
    return lines


def _unit(change: UnitChange) -> Line:
    rungs = f", rung {change.a} to {change.b}" if change.change == "rung" else ""
    return Line(f"  {shown(change.id)} ({change.tokens:+,} tokens{rungs})")


def _cause(cause: Cause) -> str:
    return f"{cause.kind}: {shown(cause.detail)}"


def _costs(report: DiffReport) -> list[Line]:
    if report.costs is None:
        return []
    one, two = report.costs
    rows = [["", "A", "B", "change"]]
    for name, x, y in (
        ("uncached", one.cost.uncached_micro, two.cost.uncached_micro),
        ("cache hit", one.cost.cache_hit_micro, two.cost.cache_hit_micro),
        ("cache write", one.cost.cache_write_micro, two.cost.cache_write_micro),
        (f"{count(one.calls, 'call')}, uncached", one.without_micro, two.without_micro),
        (f"{count(one.calls, 'call')}, cached", one.with_micro, two.with_micro),
    ):
        rows.append([name, number(x), number(y), f"{y - x:+,}"])
    head = f"Cost, in millionths of {shown(one.cost.currency)}"
    return [Line(), Line(head, "bold"), *(Line(text) for text in columns(rows, right={1, 2, 3}))]


def _holder(name: str) -> str:
    return shown(name) if name else "no unit: the frame of the prompt, or its end"


def _pair(pair: tuple[int, int]) -> str:
    a, b = pair
    return number(a) if a == b else f"{number(a)} to {number(b)} ({b - a:+,})"


def _change(a: float, b: float) -> str:
    return worth(a) if a == b else f"{worth(a)} to {worth(b)} ({b - a:+,.4g})"
