"""What a test or an example exercises: the definitions that its text names."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Final

from .candidates import Candidate
from .file_classes import FileClass
from .score.vocabulary import words_of

SHOWN: Final = 3
"""So many are told of one test: the most relevant, by the number of definitions that share the name."""

_SHORTEST_NAME: Final = 3
_MOST_HOMONYMS: Final = 3
"""A name that more definitions have tells of none of them."""

_EXERCISING: Final = frozenset({FileClass.TEST, FileClass.EXAMPLE})
_EXERCISED: Final = frozenset({FileClass.SOURCE, FileClass.CONTRACT})


class Exercises:
    """The links from tests and examples to what they exercise.

    Parameters
    ----------
    candidates
        Of a scan, in order.
    scores
        Their relevance: the more relevant is told first.
    """

    def __init__(self, candidates: Sequence[Candidate], scores: Sequence[float]) -> None:
        self._candidates = candidates
        self._scores = scores

    @cached_property
    def _defined(self) -> dict[str, list[int]]:
        found: dict[str, list[int]] = {}
        for n, candidate in enumerate(self._candidates):
            if candidate.file_class in _EXERCISED:
                for name in dict.fromkeys(candidate.fragment.defines):
                    if len(name) >= _SHORTEST_NAME:
                        found.setdefault(name, []).append(n)
        return {name: places for name, places in found.items() if len(places) <= _MOST_HOMONYMS}

    def of(self, n: int) -> tuple[str, ...]:
        """Return the ids of what a candidate exercises; none of what is no test and no example."""
        candidate = self._candidates[n]
        if candidate.file_class not in _EXERCISING:
            return ()
        homonyms: dict[int, int] = {}
        for name in dict.fromkeys(words_of(candidate.fragment.text)):
            places = self._defined.get(name, ())
            for place in places:
                homonyms[place] = min(homonyms.get(place, len(places)), len(places))
        best = sorted(homonyms, key=lambda place: (-self._scores[place] / homonyms[place], place))
        return tuple(self._candidates[place].id for place in best[:SHOWN])

    def told(self, n: int, explained: str) -> str:
        """Return what is told of the score of a candidate, with what it exercises."""
        found = self.of(n)
        return f"{explained}; exercises {', '.join(found)}" if found else explained
