"""One heading for several units of a file: its path once, instead of above each of them.

A heading is a unit without text that is worth nothing, and the units under it depend on it. So the solver
weighs what a name takes against what stands under it, and sizes add up exactly.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from ..models import ContextUnit, Kind, SourceRef, heading_of
from .candidates import Candidate

_LEAST: Final = 2
"""Of so many units of a file that may come in, each stands under the heading."""


def headed(candidates: Sequence[Candidate], wanted: Iterable[int]) -> frozenset[int]:
    """Return which of the candidates stand under a heading of their file.

    Parameters
    ----------
    candidates
        In order of path and line.
    wanted
        Those that may come in: the others are seldom shown, and need not be weighed together.
    """
    own = [n for n in wanted if candidates[n].file_class is candidates[n].file.file_class]
    many = Counter(candidates[n].file.path for n in own)
    return frozenset(n for n in own if many[candidates[n].file.path] >= _LEAST)


def with_headings(units: Iterable[ContextUnit]) -> Iterator[ContextUnit]:
    """Yield the units, each heading in front of the first that stands under it."""
    given: set[str] = set()
    for unit in units:
        heading = unit.heading
        if heading is not None and heading not in given:
            given.add(heading)
            yield _heading(unit)
        yield unit


def _heading(unit: ContextUnit) -> ContextUnit:
    """Return the heading that a unit stands under."""
    file = unit.source_refs[0]
    return ContextUnit.trusted(
        id=heading_of(file.path),
        kind=Kind.HEADING,
        title=file.path,
        source_refs=(SourceRef.trusted(path=file.path, total_lines=file.total_lines),),
        text="",
        zone=unit.zone,
        coverage={},
        value=0.0,
    )
