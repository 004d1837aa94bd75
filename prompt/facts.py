"""What the header of a block says, worked out once for all formats."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Final, Literal, NamedTuple

from ..models import ContextUnit, Kind, Rendering, SchemaError, SourceRef, State, Trust, UsageError
from .emit import unix_lines
from .languages import language_of

Authority = Literal["high", "medium", "low"]

_AUTHORITY: Final[tuple[tuple[float, Authority], ...]] = ((0.7, "high"), (0.4, "medium"))

_SHOWN_SOURCES: Final = 3
"""A header names this many files; a unit made of more (a repository map) states how many more."""

_SHOWN_RANGES: Final = 2
"""Where the text marks its gaps with line numbers, a header lists this many runs of lines of a file;
of more it gives the outer bounds and the sum."""

_MARKED_GAP: Final = re.compile(r"^[ \t]*… .*\d", re.MULTILINE)

_CUT_ID: Final = 40
"""From this length on, the end of an id may be a heading that was cut."""

_VERBATIM: Final = frozenset({State.RAW, State.EXCERPTED})
_IN_CODE: Final = frozenset({State.RAW, State.EXCERPTED, State.SYMBOLIZED})

_KIND_WORDS: Final = {
    Kind.SYMBOL: "symbol",
    Kind.CONTRACT: "contract",
    Kind.EXAMPLE: "example",
    Kind.TEST_CASE: "test",
    Kind.CONFIG_KEY: "config",
    Kind.DOC_PAGE: "doc",
    Kind.REPO_SUMMARY: "map",
    Kind.DIAGRAM_SOURCE: "diagram",
    Kind.KM_NOTE: "note",
}
"""A file, whole or in part, is the default and goes unnamed."""

_KIND_PREFIXES: Final = {"cfg": "config", "repo": "map"}
"""Beginnings of ids that say the kind in another word than its own."""


class Place(NamedTuple):
    """A name that a header shows, as it came, and the lines there: ``120-123,170/410``, or empty."""

    name: str
    lines: str


@dataclass(frozen=True, slots=True)
class UnitFacts:
    """One unit at one rung, as every format shows it; names are as they came, not yet escaped.

    Attributes
    ----------
    id
        With the lines, where it holds the path of the unit's only file.
    title
        Empty where it would only repeat the id or the source.
    sources
        Files with their lines, at most three; none where the id says it.
    more_sources
        Files beyond those.
    marks
        What differs from the defaults that the guide states (a file or a symbol whose id says so,
        verbatim, of high authority, untrusted), in this order: kind, form, an amount of lines that the
        places do not say, authority, trust.
    language
        Of the fence, from our own table.
    body
        The text at this rung, with LF line ends.
    """

    id: Place
    title: str
    sources: tuple[Place, ...]
    more_sources: int
    marks: tuple[str, ...]
    language: str
    body: str


def facts_of(unit: ContextUnit, rung: int) -> UnitFacts:
    """Return the facts of ``unit`` at rung ``rung`` of its ladder; nothing else is looked at.

    Raises
    ------
    UsageError
        The unit has no such rung.
    SchemaError
        The rung has no text (``no_text``): it can be solved, but not rendered.
    """
    ladder = unit.ladder()
    if not 0 <= rung < len(ladder):
        raise UsageError(
            f"unit {unit.id!r} has no such rung",
            field="rung",
            value=rung,
            hint=f"accepted: 0 to {len(ladder) - 1}",
        )
    form = ladder[rung]
    if form.text is None:
        raise SchemaError(
            f"unit {unit.id!r} has no text in its {form.state.value} form",
            code="no_text",
            field="text",
            hint="give text to render it; token counts alone can only be solved",
        )
    body = unix_lines(form.text)
    refs = form.source_refs or unit.source_refs
    places = _places(unit, refs, body)
    paths = [place.name for place in places]
    is_said = len(places) == 1 and _holds_path(unit.id, paths[0])
    authority = authority_level(unit.authority_score)
    marks = (
        _kind_mark(unit),
        form.state.value if form.state is not State.RAW else "",
        _amount(unit, rung, form, places, body),
        authority if authority != "high" else "",
        unit.trust.value if unit.trust is not Trust.UNTRUSTED else "",
    )
    return UnitFacts(
        id=Place(unit.id, places[0].lines if is_said else ""),
        title="" if _is_said(unit.title, unit.id, paths) else unit.title,
        sources=() if is_said else places[:_SHOWN_SOURCES],
        more_sources=max(0, len(places) - _SHOWN_SOURCES),
        marks=tuple(mark for mark in marks if mark),
        language=language_of(paths[0]) if len(paths) == 1 and form.state in _IN_CODE else "",
        body=body,
    )


def _kind_mark(unit: ContextUnit) -> str:
    prefix, _, rest = unit.id.partition(":")
    word = _KIND_WORDS.get(unit.kind, "")
    said = _KIND_PREFIXES.get(prefix, prefix) == word or (unit.kind is Kind.SYMBOL and "#" in rest)
    return "" if said else word


def _holds_path(name: str, path: str) -> bool:
    """Whether an id is a path, or a prefix, a path and a name in that file."""
    head, found, tail = name.partition(path)
    return bool(found) and (not head or head.endswith(":")) and (not tail or tail[0] in "#~")


def _is_said(title: str, name: str, paths: list[str]) -> bool:
    """Whether a title is the end of the id or of a path, but for a breadcrumb or one word before it."""
    end = re.sub(r"~\d+$", "", name.partition("#")[2])
    said = {"", name, end, *paths, *(PurePosixPath(path).name for path in paths)}
    last = title.rpartition(" > ")[2]
    words = title.split()
    if not said.isdisjoint((title, last, title.partition(", ")[0], words[-1] if len(words) == 2 else title)):
        return True
    return len(end) >= _CUT_ID and last.startswith(end)


def authority_level(score: float) -> Authority:
    """Return ``high`` from 0.7, ``medium`` from 0.4, else ``low``."""
    return next((level for floor, level in _AUTHORITY if score >= floor), "low")


def count_lines(text: str) -> int:
    """Return the number of LF-terminated lines; a last line without LF counts."""
    return text.count("\n") + (not text.endswith("\n") and text != "")


def _places(unit: ContextUnit, refs: tuple[SourceRef, ...], body: str) -> tuple[Place, ...]:
    """Return one place per file, in the order of their first references."""
    by_path = _ranges(refs)
    is_short = _is_shortened(by_path, body)
    totals = {ref.path: ref.total_lines for ref in refs}
    totals |= {ref.path: ref.total_lines for ref in refs if ref.total_lines is not None}
    if unit.kind is Kind.FILE_FULL and len(by_path) == 1:
        totals = {path: _own_lines(unit, 0) if total is None else total for path, total in totals.items()}
    return tuple(Place(path, _label(ranges, totals[path], is_short)) for path, ranges in by_path.items())


def _amount(unit: ContextUnit, rung: int, form: Rendering, places: tuple[Place, ...], body: str) -> str:
    """Return how much is shown of how much, where the lines of the places do not tell it."""
    refs = form.source_refs or unit.source_refs
    verbatim = form.state in _VERBATIM
    shown = _covered(refs if not verbatim else form.source_refs)
    told = shown is not None
    if told and _is_shortened(_ranges(refs), body):
        return f"{shown} shown"
    total = _own_lines(unit, rung)
    if told and (total is None or all("/" in place.lines for place in places)):
        return ""
    if not verbatim:
        return f"from {_plural(total)}" if total is not None and total != shown else ""
    if shown is None:
        if not refs and total is None:
            return ""
        shown = count_lines(body)
        stated = refs[0].total_lines if len(places) == 1 else None
        total = total if stated is None else stated
    # A total below what is shown can only come from references that do not fit the text.
    if total is None or total < shown:
        return _plural(shown)
    return f"{shown} of {_plural(total)}"


def _own_lines(unit: ContextUnit, rung: int) -> int | None:
    """Return the lines of the unit's own form, as far as they tell how much a shorter form leaves out."""
    own = unit.ladder()[0]
    if rung == 0 and not (unit.kind is Kind.FILE_FULL and own.state is State.RAW):
        return None
    if own.state not in _VERBATIM:
        return None
    covered = _covered(own.source_refs)
    if covered is None and own.text is not None:
        covered = count_lines(unix_lines(own.text))
    return covered


def _plural(lines: int) -> str:
    return f"{lines} line{'' if lines == 1 else 's'}"


def _covered(refs: tuple[SourceRef, ...]) -> int | None:
    """Return how many lines ``refs`` name, or None where one of them names none."""
    if not refs or any(ref.start_line is None for ref in refs):
        return None
    return sum(end - start + 1 for ranges in _ranges(refs).values() for start, end in ranges)


def _ranges(refs: tuple[SourceRef, ...]) -> dict[str, list[tuple[int, int]]]:
    """Return the line ranges by path, sorted and merged; paths in the order of their first reference."""
    by_path: dict[str, list[tuple[int, int]]] = {}
    for ref in refs:
        ranges = by_path.setdefault(ref.path, [])
        if ref.start_line is not None:
            ranges.append((ref.start_line, ref.end_line or ref.start_line))
    return {path: _merge(ranges) for path, ranges in by_path.items()}


def _merge(ranges: list[tuple[int, int]]) -> list[tuple[int, int]]:
    merged: list[tuple[int, int]] = []
    for start, end in sorted(ranges):
        if merged and start <= merged[-1][1] + 1:
            merged[-1] = (merged[-1][0], max(end, merged[-1][1]))
        else:
            merged.append((start, end))
    return merged


def _is_shortened(by_path: dict[str, list[tuple[int, int]]], body: str) -> bool:
    """Whether the header gives bounds instead of all ranges, because the text itself says its gaps."""
    many = any(len(ranges) > _SHOWN_RANGES for ranges in by_path.values())
    return many and _MARKED_GAP.search(body) is not None


def _label(ranges: list[tuple[int, int]], total: int | None, is_short: bool) -> str:
    if not ranges:
        return ""
    listed = [(ranges[0][0], ranges[-1][1])] if is_short and len(ranges) > _SHOWN_RANGES else ranges
    spans = ",".join(str(start) if start == end else f"{start}-{end}" for start, end in listed)
    # A total below a line that is shown can only come from references that do not fit the text.
    return f"{spans}/{total}" if total is not None and total >= ranges[-1][1] else spans
