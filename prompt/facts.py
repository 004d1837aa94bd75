"""What the header of a block says, worked out once for all formats."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal

from ..models import ContextUnit, Kind, Rendering, SchemaError, SourceRef, State, UsageError
from .emit import unix_lines
from .languages import language_of

Authority = Literal["high", "medium", "low"]

_AUTHORITY: Final[tuple[tuple[float, Authority], ...]] = ((0.7, "high"), (0.4, "medium"))

_SHOWN_SOURCES: Final = 3
"""A header names this many files; a unit made of more (a repository map) states how many more."""

_VERBATIM: Final = frozenset({State.RAW, State.EXCERPTED})
_IN_CODE: Final = frozenset({State.RAW, State.EXCERPTED, State.SYMBOLIZED})


@dataclass(frozen=True, slots=True)
class UnitFacts:
    """One unit at one rung, as every format shows it; names are as they came, not yet escaped.

    Attributes
    ----------
    title
        Empty where it would only repeat the id or the source.
    sources
        ``path:10-20,31`` per file, at most three.
    more_sources
        Files beyond those.
    lines
        ``48 of 120 lines``, ``48 lines``, ``condensed from 120 lines``, or empty where there is no file.
    authority
        high from 0.7, medium from 0.4, else low.
    language
        Of the fence, from our own table.
    body
        The text at this rung, with LF line ends.
    """

    id: str
    title: str
    sources: tuple[str, ...]
    more_sources: int
    kind: str
    rung: str
    lines: str
    authority: Authority
    trust: str
    language: str
    body: str

    @property
    def label(self) -> str:
        """The sources in one text, or the empty string."""
        more = (f"and {self.more_sources} more",) if self.more_sources else ()
        return ", ".join((*self.sources, *more))


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
    by_path = _ranges(refs)
    labels = tuple(_label(path, ranges) for path, ranges in by_path.items())
    title = "" if unit.title in (unit.id, *by_path, *labels) else unit.title
    paths = list(by_path)
    return UnitFacts(
        id=unit.id,
        title=title,
        sources=labels[:_SHOWN_SOURCES],
        more_sources=max(0, len(labels) - _SHOWN_SOURCES),
        kind=unit.kind.value,
        rung=form.state.value,
        lines=_lines(unit, rung, form, body),
        authority=authority_level(unit.authority_score),
        trust=unit.trust.value,
        language=language_of(paths[0]) if len(paths) == 1 and form.state in _IN_CODE else "",
        body=body,
    )


def authority_level(score: float) -> Authority:
    """Return ``high`` from 0.7, ``medium`` from 0.4, else ``low``."""
    return next((level for floor, level in _AUTHORITY if score >= floor), "low")


def count_lines(text: str) -> int:
    """Return the number of LF-terminated lines; a last line without LF counts."""
    return text.count("\n") + (not text.endswith("\n") and text != "")


def _lines(unit: ContextUnit, rung: int, form: Rendering, body: str) -> str:
    refs = form.source_refs or unit.source_refs
    whole = _own_lines(unit, rung)
    if form.state not in _VERBATIM:
        source = whole if whole is not None else _covered(refs)
        return f"condensed from {_plural(source)}" if source is not None else ""
    if not refs and whole is None:
        return ""
    shown = _covered(form.source_refs)
    total = _file_lines(refs) if shown is not None or len(_ranges(refs)) == 1 else None
    if shown is None:
        shown = count_lines(body)
    if total is None:
        total = whole
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


def _file_lines(refs: tuple[SourceRef, ...]) -> int | None:
    """Return the lines of all files that ``refs`` name, or None where one is unknown."""
    totals: dict[str, int] = {}
    for ref in refs:
        if ref.total_lines is not None:
            totals[ref.path] = ref.total_lines
    known = refs and all(ref.path in totals for ref in refs)
    return sum(totals.values()) if known else None


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


def _label(path: str, ranges: list[tuple[int, int]]) -> str:
    spans = ",".join(str(start) if start == end else f"{start}-{end}" for start, end in ranges)
    return f"{path}:{spans}" if spans else path
