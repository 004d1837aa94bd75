"""What the project's own documents, examples and tests say about a task, passed on to the code they name.

A page of documentation and the code that it is about often share no word but the names of things. The
sections nearest to the task are found by their words; each passes its score to the definitions that it
names, a rare name counting more than a common one. How often documents and tests name a definition at
all tells, whatever the task, whether it is one that pages are written about.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt

from .index import Floats, Index, Ints, sums

SECTIONS: Final = 300
"""How many of the nearest sections are read."""

NEARNESS_POWER: Final = 3
"""A section passes on its score, as a share of the best section's, to this power."""

IN_PASSING: Final = 0.2
"""What a name counts that stands in running text like any other word."""

_SHORTEST_NAME: Final = 3
"""Shorter names are too common to mean anything."""


@dataclass(frozen=True, slots=True)
class Mentions:
    """Which section names what, and which text defines it, as pairs in flat arrays.

    Attributes
    ----------
    size, words
        Number of texts, and of words.
    sections, names
        int64: a section, and the word that is a name in it; each pair once.
    weights
        float64: 1, or :data:`IN_PASSING`.
    texts, defined
        int64: a text, and the word that it defines; each pair once.
    """

    size: int
    words: int
    sections: Ints
    names: Ints
    weights: Floats
    texts: Ints
    defined: Ints

    def homonyms(self) -> Floats:
        """float64, by word: how many texts define it, at least 1."""
        return np.maximum(1.0, np.bincount(self.defined, minlength=self.words))

    def said(self, sections: npt.NDArray[np.bool_]) -> Floats:
        """float64, by word: in how many of these sections it is named, in passing counting less."""
        kept = sections[self.sections]
        return sums(self.names[kept], self.weights[kept], self.words)

    def files(self, sections: npt.NDArray[np.bool_], files: Ints) -> Floats:
        """float64, by word: in how many files one of these sections names it.

        ``files`` is the number of the file of each text.
        """
        kept = sections[self.sections]
        keys = _distinct(files[self.sections[kept]] * self.words + self.names[kept])
        return sums(keys % self.words, np.ones(len(keys)), self.words)


def mentions(
    index: Index,
    field: str,
    sections: Ints,
    definitions: Mapping[str, Sequence[int]],
    spoken: Mapping[int, Sequence[int]] | None = None,
) -> Mentions:
    """Return what is named where.

    Parameters
    ----------
    index, field
        Where the words of the sections are.
    sections
        int64, sorted: which texts are sections.
    definitions
        Name to the texts that define it.
    spoken
        Sections in running text, with the ids of the words that are set as code in them: a name that
        stands outside may be an ordinary word, and counts :data:`IN_PASSING`.
    """
    words = max(1, len(index.words))
    texts, defined = _pairs(
        (text, word)
        for name in sorted(definitions)
        if len(name) >= _SHORTEST_NAME
        for word in index.word_ids([name])
        for text in set(definitions[name])
    )
    is_name = np.zeros(words, dtype=bool)
    is_name[defined] = True
    is_section = np.zeros(index.size, dtype=bool)
    is_section[sections] = True
    data = index.fields[field]
    # Only the words of sections are looked at: they are a small part of a repository.
    inside = np.flatnonzero(np.repeat(is_section, data.lengths))
    at = inside[is_name[data.words[inside]]]
    where = np.searchsorted(data.starts, at, side="right") - 1
    keys = _distinct(where * words + data.words[at])
    weights = np.where(_plain(index, keys, words, spoken or {}), IN_PASSING, 1.0)
    return Mentions(index.size, words, keys // words, keys % words, weights, texts, defined)


def _pairs(found: Iterable[tuple[int, int]]) -> tuple[Ints, Ints]:
    pairs = np.array(sorted(found), dtype=np.int64).reshape(-1, 2)
    return pairs[:, 0], pairs[:, 1]


def _distinct(keys: Ints) -> Ints:
    """Return the keys sorted, each once: several times quicker than ``np.unique``, which hashes them."""
    keys = np.sort(keys)
    return keys[np.concatenate([[True], keys[1:] != keys[:-1]])] if len(keys) else keys


def _plain(
    index: Index, keys: Ints, words: int, spoken: Mapping[int, Sequence[int]]
) -> npt.NDArray[np.bool_]:
    """bool, by pair of section and name: whether it stands in running text like any other word."""
    in_prose = np.zeros(index.size, dtype=bool)
    in_prose[list(spoken)] = True
    as_code = [
        section * words + word
        for section in sorted(set((keys // words).tolist()).intersection(spoken))
        for word in set(spoken[section])
    ]
    plain_spelling = np.zeros(words, dtype=bool)
    for word in np.unique(keys % words).tolist():
        plain_spelling[word] = _is_plain(index.words[word])
    named_as_code = np.isin(keys, np.array(as_code, dtype=np.int64))
    return in_prose[keys // words] & plain_spelling[keys % words] & ~named_as_code


def _is_plain(word: str) -> bool:
    """Whether a name is spelled as an ordinary word may be."""
    return "_" not in word and (word.islower() or word.istitle())


def linked_scores(named: Mentions, nearness: Floats, read: int = SECTIONS) -> Floats:
    """Return what each text receives from the sections nearest to the task.

    Parameters
    ----------
    named
        What is named where.
    nearness
        float64, shape (texts,): nearness of the sections to the task.
    read
        How many sections are read.

    Returns
    -------
    float64, shape (texts,), 0 or more: the sum over sections of (score / best score) to the power of
    :data:`NEARNESS_POWER`, over the root of the number of sections that hold the name times the number
    of definitions that it has.
    """
    sections = np.unique(named.sections)
    near = nearness[sections]
    best = float(near.max(initial=0.0))
    if best <= 0.0:
        return np.zeros(named.size, dtype=np.float64)
    nearest = np.lexsort((sections, -near))[:read]
    passed = np.zeros(named.size, dtype=np.float64)
    passed[sections[nearest]] = (near[nearest] / best) ** NEARNESS_POWER
    holding = np.maximum(1.0, np.bincount(named.names, minlength=named.words))
    received = sums(named.names, passed[named.sections] * named.weights, named.words)
    received /= np.sqrt(holding * named.homonyms())
    return sums(named.texts, received[named.defined], named.size)
