"""What the header of a block says, worked out once for all formats."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Final, Literal, NamedTuple

from ..models import (
    ContextUnit,
    Kind,
    Rendering,
    SchemaError,
    SourceRef,
    State,
    Trust,
    UsageError,
    headings_of,
)
from .emit import Redact, leave, unix_lines

Authority = Literal["high", "medium", "low"]

_AUTHORITY: Final[tuple[tuple[float, Authority], ...]] = ((0.7, "high"), (0.4, "medium"))

_SHOWN_PLACES: Final = 3
"""A header names this many files; a unit made of more (a repository map) states how many more."""

_SHOWN_RANGES: Final = 2
"""Where the text marks its gaps with line numbers, a header lists this many runs of lines of a file;
of more it gives the outer bounds and the sum."""

_MARKED_GAP: Final = re.compile(r"^[ \t]*… .*\d", re.MULTILINE)

_CUT_ID: Final = 40
"""From this length on, the end of an id may be a heading that was cut."""

_FIRST_LINES: Final = 400
"""Characters at the beginning of a text: what a name that stands there need not be told again."""

_WORD: Final = re.compile(r"\w+")
_NUMBER: Final = re.compile(r"~\d+$")

_VERBATIM: Final = frozenset({State.RAW, State.EXCERPTED})

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

_PLAIN_KINDS: Final = frozenset({Kind.SYMBOL, Kind.CONFIG_KEY, Kind.DOC_PAGE})
"""What the name of a file and its text show without a word."""

_KIND_PREFIXES: Final = {"cfg": "config", "repo": "map"}
"""Beginnings of ids that say the kind in another word than its own."""


class Place(NamedTuple):
    """A file that a header shows, and the lines there: ``120-123,170/410``, or empty.

    The name is empty where a heading above the block tells it; the lines of the file stand there, too.
    """

    name: str
    lines: str


@dataclass(frozen=True, slots=True)
class UnitFacts:
    """One unit at one rung, as every format shows it; names are as they left, not yet escaped.

    Attributes
    ----------
    id
        Empty where the place says which unit it is: the manifest maps lines of the prompt to ids.
    places
        Files with their lines, at most three.
    more_places
        Files beyond those.
    label
        What the unit is about; empty where id, place or the first lines of the text say it.
    marks
        What differs from the defaults that the guide states (evidence of an ordinary kind, verbatim, of
        high authority, untrusted), in this order: kind, form, an amount of lines that the places do not
        say, authority, trust.
    body
        The text at this rung, with LF line ends.
    is_heading
        Whether it only names the file of the units below it (:func:`satchel.models.headings_of`): its one
        place has the number of lines of the file, or none.
    """

    id: str
    places: tuple[Place, ...]
    more_places: int
    label: str
    marks: tuple[str, ...]
    body: str
    is_heading: bool = False


def facts_of(unit: ContextUnit, rung: int, redact: Redact | None = None) -> UnitFacts:
    """Return the facts of ``unit`` at rung ``rung`` of its ladder; nothing else is looked at.

    All its texts leave through :func:`.emit.leave` here, before anything is made of them.

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
    if unit.kind is Kind.HEADING:
        return _heading(refs[0], redact)
    is_placed = len(places) == 1 and _says_which(places[0], unit.id)
    authority = authority_level(unit.authority_score)
    marks = (
        _kind_mark(unit, is_placed=is_placed),
        form.state.value if form.state is not State.RAW else "",
        _amount(unit, rung, form, places, body),
        authority if authority != "high" else "",
        unit.trust.value if unit.trust is not Trust.UNTRUSTED else "",
    )
    paths = [place.name for place in places]
    if len(places) == 1 and unit.heading in headings_of(paths[0]):
        places = (Place("", places[0].lines.partition("/")[0]),)
    return UnitFacts(
        id="" if is_placed else leave(unit.id, redact),
        places=tuple(Place(leave(name, redact), lines) for name, lines in places[:_SHOWN_PLACES]),
        more_places=max(0, len(places) - _SHOWN_PLACES),
        label=leave(_label_of(unit, paths, body, is_placed=is_placed), redact),
        marks=tuple(mark for mark in marks if mark),
        body=leave(body, redact),
    )


def _heading(file: SourceRef, redact: Redact | None) -> UnitFacts:
    lines = "" if file.total_lines is None else str(file.total_lines)
    return UnitFacts(
        id="",
        places=(Place(leave(file.path, redact), lines),),
        more_places=0,
        label="",
        marks=(),
        body="",
        is_heading=True,
    )


def _says_which(place: Place, name: str) -> bool:
    """Whether a place stands for the id: the id is made of its path, and it has lines or is the file."""
    fragment = _fragment(name, place.name)
    return fragment is not None and (place.lines != "" or fragment == "")


def _fragment(name: str, path: str) -> str | None:
    """Return what an id names in the file ``path``, or None where it is not made of that path.

    Such an id is the path, or a prefix that ends with a colon, the path, and ``#`` and a name, or ``~``.
    """
    head, found, tail = name.partition(path)
    if not found or (head and not head.endswith(":")) or (tail and tail[0] not in "#~"):
        return None
    return (_NUMBER.sub("", tail) if "~" in tail else tail).removeprefix("#")


def _kind_mark(unit: ContextUnit, *, is_placed: bool) -> str:
    if is_placed and unit.kind in _PLAIN_KINDS:
        return ""
    prefix, _, rest = unit.id.partition(":")
    word = _KIND_WORDS.get(unit.kind, "")
    said = _KIND_PREFIXES.get(prefix, prefix) == word or (unit.kind is Kind.SYMBOL and "#" in rest)
    return "" if said and not is_placed else word


def _label_of(unit: ContextUnit, paths: list[str], body: str, *, is_placed: bool) -> str:
    """Return the title, or the name in the file, where nothing beside it says the same.

    Of a breadcrumb the last part counts, and of a kind and a name (``class A``) the name.
    """
    fragment = (_fragment(unit.id, paths[0]) or "") if len(paths) == 1 else ""
    title = unit.title.rpartition(" > ")[2]
    names = {"", unit.id, *paths, *map(_base, paths)}
    is_known = title in names or (title.count(" ") == 1 and title.endswith(f" {fragment}"))
    label = fragment if is_known or (len(fragment) >= _CUT_ID and title.startswith(fragment)) else title
    words = set(_WORD.findall(label))
    said = " ".join((body[:_FIRST_LINES], *paths, *([] if is_placed else [unit.id])))
    # A word that does not even stand in another one is told by nothing: most often that is all to ask.
    is_said = all(word in said for word in words) and words <= set(_WORD.findall(said))
    return "" if is_said else label


def _base(path: str) -> str:
    """Return ``PurePosixPath(path).name``; several times quicker."""
    return PurePosixPath(path).name if path.endswith(("/", ".")) else path.rpartition("/")[2]


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
    if rung == 0 and unit.kind is not Kind.FILE_FULL:
        return None
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
    if len(refs) == 1:  # as of most forms
        (only,) = refs
        start = only.start_line
        return {only.path: [] if start is None else [(start, only.end_line or start)]}
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
