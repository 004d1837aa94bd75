"""How much of what a page needs a prompt holds: definition lines, and bodies."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from .definitions import Place
from .tasks import Gold

BODY_LINES: Final = 40
"""Of a body at most so many lines count, from the definition on, blank ones aside."""

BODY_SHARE: Final = 0.6
"""A body is there when this share of its lines is."""

_PLAIN: Final = 6
"""A line of fewer letters and digits (``}``, ``else:``) says nothing about where it comes from."""

_GUTTER: Final = re.compile(r"^\s*L?\d{1,6}\s*[:|\t]\s?")
_WORD: Final = re.compile(r"\w")


@dataclass(frozen=True, slots=True)
class Found:
    """Shares 0..1 of the names whose definition line, and whose body, a prompt holds."""

    signature: float
    body: float

    @property
    def half(self) -> float:
        """The mean of the two."""
        return (self.signature + self.body) / 2


def found_in(prompt: str, gold: Sequence[Gold], files: Mapping[str, Sequence[str]]) -> Found:
    """Return what of ``gold`` is in ``prompt``; ``files`` gives the lines of each file."""
    lines = {plain for line in prompt.split("\n") for plain in (_plain(line), _plain(_GUTTER.sub("", line)))}
    hits = [_best([_holds(lines, place, files[place.path]) for place in name.places]) for name in gold]
    count = max(1, len(hits))
    return Found(sum(hit[0] for hit in hits) / count, sum(hit[1] for hit in hits) / count)


def _holds(lines: set[str], place: Place, own: Sequence[str]) -> tuple[bool, bool]:
    has_signature = _plain(own[place.start - 1]) in lines
    body = [line for line in map(_plain, own[place.start - 1 : place.end]) if line][:BODY_LINES]
    telling = [line for line in body if len(_WORD.findall(line)) >= _PLAIN]
    if not telling:
        return has_signature, has_signature
    return has_signature, sum(line in lines for line in telling) >= BODY_SHARE * len(telling)


def _best(hits: Sequence[tuple[bool, bool]]) -> tuple[bool, bool]:
    return any(hit[0] for hit in hits), any(hit[1] for hit in hits)


def _plain(line: str) -> str:
    return " ".join(line.split())
