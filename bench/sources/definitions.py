"""Where the sources of a project define which name."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from satchel.sources.candidates import ScannedFile
from satchel.sources.extract.base import Document, NotParsedError
from satchel.sources.extract.grammars import GRAMMARS
from satchel.sources.extract.syntax import Member, read
from satchel.sources.file_classes import FileClass

_SHORTEST: Final = 3


@dataclass(frozen=True, slots=True)
class Place:
    """A definition: its file, the names around it, and its lines (1-based), the declaring one first."""

    path: str
    scope: tuple[str, ...]
    start: int
    end: int
    public: bool


def definitions(files: Iterable[ScannedFile]) -> dict[str, list[Place]]:
    """Return the definitions in files of class ``source``, by name; files that do not parse have none."""
    found: dict[str, list[Place]] = {}
    for file in files:
        grammar = GRAMMARS.get(file.language)
        if grammar is None or file.file_class is not FileClass.SOURCE:
            continue
        lines = Document(file.path, file.text).lines
        try:
            outline = read(file.text, lines, grammar)
        except NotParsedError:
            continue
        for name, place in _places(file.path, lines, outline.members, ()):
            found.setdefault(name, []).append(place)
    return found


def _places(
    path: str, lines: Sequence[str], members: Iterable[Member], scope: tuple[str, ...]
) -> Iterator[tuple[str, Place]]:
    for member in members:
        if member.role == "case" or member.is_test:
            continue
        own = tuple(part for part in member.name.partition(" as ")[0].replace("::", ".").split(".") if part)
        if member.family:
            yield from _places(path, lines, member.members, scope)
            continue
        if own and member.role != "impl" and len(own[-1]) >= _SHORTEST:
            inside = range(member.declared, member.signature_end + 1)
            start = next((n for n in inside if own[-1] in lines[n - 1]), member.declared)
            yield own[-1], Place(path, (*scope, *own[:-1]), start, member.end, member.public)
        yield from _places(path, lines, member.members, (*scope, *own))


def resolve(name: Sequence[str], known: Mapping[str, Sequence[Place]], most: int) -> tuple[Place, ...]:
    """Return where a name as a page writes it is defined; nothing where more than ``most`` places could be.

    ``Context.invoke`` is an ``invoke`` inside a ``Context`` where there is one; else any ``invoke``.
    """
    places = list(known.get(name[-1], ()))
    if len(name) > 1 and (inside := [p for p in places if p.scope[-1:] == (name[-2],)]):
        places = inside
    if len(places) > most and (public := [p for p in places if p.public]):
        places = public
    if len(places) > most and (top := [p for p in places if not p.scope]):
        places = top
    return tuple(places) if len(places) <= most else ()
