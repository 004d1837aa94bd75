"""The summary of a pack as lines of text (seed 000 §16)."""

from __future__ import annotations

import textwrap
from typing import TYPE_CHECKING

from .console import Line, columns, count, number, share, shown, worth

if TYPE_CHECKING:
    from collections.abc import Iterator

    from .. import Summary
    from ..summary import Line as Group

HEADING = "bold"
GOOD, FAIR, BAD = "green", "yellow", "red"

_COVERAGE_STYLES = {"covered": GOOD, "partial": FAIR, "missing": BAD}


def summary_lines(summary: Summary, width: int) -> list[Line]:
    """Return ``summary`` as text within ``width`` cells."""
    lines = [Line(_title(summary, width), HEADING)]
    for section in (_budget, cost_lines, zone_lines, _included, _left_out, _files, _coverage, status_lines):
        body = list(section(summary, width))
        if body:
            lines += [Line(), *body]
    return lines


def _title(summary: Summary, width: int) -> str:
    task = shown(summary.task)
    return columns([[f"Packed context for {task}" if task else "Packed context"]], indent=0, limit=width)[0]


def _budget(summary: Summary, width: int) -> Iterator[Line]:
    yield Line("Budget", HEADING)
    filled = share(summary.used / max(1, summary.available))
    rows = [
        ["available input", _tokens(summary.available), ""],
        ["estimated input", _tokens(summary.used), f"{filled} of it"],
    ]
    rows += [
        [name, _tokens(size), ""]
        for name, size in (
            ("frame of the prompt", summary.overhead),
            ("safety margin", summary.safety_margin),
            ("reserved output", summary.reserved_output),
        )
        if size
    ]
    if summary.prompt_tokens is not None and summary.prompt_limit is not None:
        limit = f"of {number(summary.prompt_limit)}, recounted"
        rows.append(["whole prompt", _tokens(summary.prompt_tokens), limit])
    yield from _plain(rows, {1}, width)


def zone_lines(summary: Summary, width: int) -> Iterator[Line]:
    """Yield where the tokens went, by zone."""
    if not summary.zones:
        return
    empty = [zone.name for zone in summary.zones if not zone.units and not zone.minimum]
    yield Line("Tokens by zone", HEADING)
    rows = []
    for zone in summary.zones:
        if zone.name in empty:
            continue
        limits = [
            f"{word} {number(tokens)}"
            for word, tokens in (
                ("min", zone.minimum or None),
                ("target", zone.target),
                ("max", zone.maximum),
            )
            if tokens is not None
        ]
        rows.append(
            [
                shown(zone.name),
                _tokens(zone.tokens),
                f"{zone.share:.0%}".replace("%", " %"),
                count(zone.units, "unit"),
                ", ".join(limits),
            ]
        )
    yield from _plain(rows, {1, 2, 3}, width)
    if empty:
        yield from wrapped(f"empty: {', '.join(shown(name) for name in empty)}", width)


def _included(summary: Summary, width: int) -> Iterator[Line]:
    yield Line("Included", HEADING)
    if not summary.included:
        yield Line("  nothing", FAIR)
    yield from _groups(summary.included, width)


def _left_out(summary: Summary, width: int) -> Iterator[Line]:
    if summary.left_out:
        yield Line("Rejected", HEADING)
        yield from _groups(summary.left_out, width)


def _groups(groups: list[Group], width: int) -> list[Line]:
    rows = [
        [
            number(group.units),
            group.name.replace("_", " "),
            _tokens(group.tokens),
            ", ".join(shown(title) for title in group.examples),
        ]
        for group in groups
    ]
    return _plain(rows, {0, 2}, width)


def _files(summary: Summary, width: int) -> Iterator[Line]:
    if not any(summary.files_skipped.values()):
        return
    yield Line("Files not read", HEADING)
    rows = [
        [number(files), shown(reason).replace("_", " ")]
        for reason, files in sorted(summary.files_skipped.items(), key=lambda item: (-item[1], item[0]))
        if files
    ]
    yield from _plain(rows, {0}, width)


def _coverage(summary: Summary, width: int) -> Iterator[Line]:
    if not summary.coverage:
        return
    yield Line("Coverage", HEADING)
    states = list(summary.coverage.values())
    rows = [[shown(name).replace("_", " "), state] for name, state in summary.coverage.items()]
    for text, state in zip(columns(rows, limit=width), states, strict=True):
        yield Line(text, _COVERAGE_STYLES[state])


def status_lines(summary: Summary, width: int) -> Iterator[Line]:
    """Yield how good the pack is known to be, and what the reader should know."""
    good = summary.status == "optimal"
    yield Line(f"Status: {summary.status}", f"bold {GOOD if good else FAIR}")
    claim = f"value {worth(summary.objective)}, {_claim(summary)}"
    yield from wrapped(f"{claim}: {proof(summary)}", width)
    if not summary.reproducible:
        yield from wrapped("another run may end with another pack: a clock or threads decided", width, FAIR)
    for warning in summary.warnings:
        yield from wrapped(f"warning: {shown(warning)}", width, FAIR)


def _claim(summary: Summary) -> str:
    """Return what no pack does better, in words."""
    cost = summary.cost
    if cost is None or (cost["objective"] == "value" and "costLimit" not in cost):
        return f"no pack is worth more than {worth(summary.bound)}"
    if cost["objective"] == "value":
        return f"no pack within the cost limit is worth more than {worth(summary.bound)}"
    return f"no value per cost is higher than that of {worth(summary.bound)} at this cost"


def cost_lines(summary: Summary, width: int) -> Iterator[Line]:
    """Yield what all expected calls cost."""
    cost = summary.cost
    if cost is None:
        return
    currency = shown(cost["currency"])
    yield Line(f"Cost of {count(cost['expectedCalls'], 'call')}, in millionths of {currency}", HEADING)
    rows = [["all calls", number(cost["costMicro"])]]
    if cost["cachedTokens"]:
        tokens = f"{number(cost['cachedTokens'])} of {_tokens(cost['cachedTokens'] + cost['freshTokens'])}"
        rows.append(["without a cache", number(cost["uncachedMicro"])])
        rows.append(["cached", tokens])
    if "costLimit" in cost:
        rows.append(["limit", number(cost["costLimit"])])
    yield from _plain(rows, {1}, width)


def wrapped(text: str, width: int, style: str = "") -> Iterator[Line]:
    """Yield ``text`` as lines of at most ``width`` characters, no word cut."""
    for part in textwrap.wrap(
        text,
        width,
        initial_indent="  ",
        subsequent_indent="    ",
        break_long_words=False,
        break_on_hyphens=False,
    ):
        yield Line(part, style)


def proof(summary: Summary) -> str:
    """Return how good the pack is known to be, and why the search ended."""
    end = summary.stop_reason.replace("_", " ")
    if summary.gap == 0:
        return f"proven ({summary.engine})"
    return f"gap {share(summary.gap)}, {summary.engine} ended by {end}"


def _tokens(size: int) -> str:
    return count(size, "token")


def _plain(rows: list[list[str]], right: set[int], width: int) -> list[Line]:
    return [Line(text) for text in columns(rows, right=right, limit=width)]
