"""What the project's own documents, examples and tests say about a task, passed on to the code they name.

A page of documentation and the code that it is about often share no word but the names of things. The
sections nearest to the task are found by their words; each passes its score to the definitions that it
names, a rare name counting more than a common one.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import sqrt
from typing import Final

import numpy as np
import numpy.typing as npt

from .index import Floats, Index, Ints
from .words import WORD

SECTIONS: Final = 80
"""How many of the nearest sections are read."""

IN_PASSING: Final = 0.2
"""What a name counts that stands in running text like any other word."""

_SHORTEST_NAME: Final = 3
"""Shorter names are too common to mean anything."""


def linked_scores(
    index: Index,
    field: str,
    section_scores: Floats,
    sections: Ints,
    definitions: Mapping[str, Sequence[int]],
    *,
    spoken: Mapping[int, str] | None = None,
    read: int = SECTIONS,
) -> Floats:
    """Return what each text receives from the sections nearest to the task.

    Parameters
    ----------
    index, field
        Where the words of the sections are.
    section_scores
        float64, shape (texts,): nearness to the task.
    sections
        int64, sorted: which texts are sections that may pass something on.
    definitions
        Name to the texts that define it.
    spoken
        Sections in running text, with what of them is set as code: a name that stands outside it may be
        an ordinary word, and counts :data:`IN_PASSING`.
    read
        How many sections are read.

    Returns
    -------
    float64, shape (texts,), 0 or more: the sum over sections of (score / best score) squared, over the
    root of the number of sections that hold the name times the number of definitions that it has.
    """
    received = np.zeros(index.size, dtype=np.float64)
    if not len(sections):
        return received
    by_id = _definitions_by_id(index, definitions)
    is_name = np.zeros(max(1, len(index.words)), dtype=bool)
    is_name[list(by_id)] = True
    naming = _sections_naming(index, field, sections, is_name)
    nearest = sections[np.lexsort((sections, -section_scores[sections]))][:read]
    best = float(section_scores[nearest].max(initial=0.0))
    for section in nearest:
        nearness = float(section_scores[section]) / best if best > 0 else 0.0
        if nearness <= 0.0:
            break
        words = np.unique(index.of(field, int(section)))
        code = spoken.get(int(section)) if spoken else None
        as_code = None if code is None else frozenset(WORD.findall(code))
        for word in words[is_name[words]]:
            texts = by_id[int(word)]
            passed = nearness * nearness / sqrt(int(naming[word]) * len(texts))
            if as_code is not None and not _is_name(index.words[word], as_code):
                passed *= IN_PASSING
            received[texts] += passed
    return received


def _is_name(word: str, as_code: frozenset[str]) -> bool:
    """Whether a word of running text is meant as a name: set as code, or spelled as no word is."""
    return word in as_code or "_" in word or not (word.islower() or word.istitle())


def _definitions_by_id(index: Index, definitions: Mapping[str, Sequence[int]]) -> dict[int, Ints]:
    names = sorted(name for name in definitions if len(name) >= _SHORTEST_NAME)
    out: dict[int, Ints] = {}
    for name in names:
        for word_id in index.word_ids([name]):
            out[word_id] = np.array(sorted(definitions[name]), dtype=np.int64)
    return out


def _sections_naming(index: Index, field: str, sections: Ints, is_name: npt.NDArray[np.bool_]) -> Ints:
    """int64, by word id: how many sections hold each name."""
    naming = np.zeros(len(is_name), dtype=np.int64)
    for section in sections:
        words = np.unique(index.of(field, int(section)))
        naming[words[is_name[words]]] += 1
    return naming
