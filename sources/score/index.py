"""BM25 over several fields of many texts, from one forward index in flat arrays.

The arrays hold, field by field, the word of every position and the text that it stands in. A question
selects the positions of its terms and counts them; there is nothing to sort or to invert, and the same
arrays answer which texts name a word.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Self

import numpy as np
import numpy.typing as npt

from .vocabulary import Numbering, Words, words_that_may_hold
from .words import terms

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]

K1: Final = 1.2
"""Saturation of term frequency (Robertson and Zaragoza, The Probabilistic Relevance Framework, 2009)."""

B: Final = 0.75
"""Strength of length normalisation (same source)."""


@dataclass(frozen=True, slots=True)
class Field:
    """One field of all texts.

    Attributes
    ----------
    words
        int32, word id at every position, texts one after the other.
    starts
        int64, shape (texts + 1,): where each text begins in ``words``.
    """

    words: npt.NDArray[np.int32]
    starts: Ints

    @property
    def lengths(self) -> Ints:
        """int64, words in each text."""
        return np.diff(self.starts)


def sums(at: Ints, values: Floats, size: int) -> Floats:
    """float64, shape (size,): the sum of the values at each place."""
    return np.asarray(np.bincount(at, weights=values, minlength=size), dtype=np.float64)


def _field(words: Sequence[npt.NDArray[np.int32]], lengths: Sequence[npt.NDArray[np.int32]]) -> Field:
    starts = np.zeros(sum(map(len, lengths)) + 1, dtype=np.int64)
    np.cumsum(np.concatenate(lengths), out=starts[1:])
    return Field(np.concatenate(words), starts)


class Index:
    """Texts by field, ready to be asked.

    Parameters
    ----------
    fields
        For each field, one text for each document; all the same number.
    """

    def __init__(self, fields: Mapping[str, Sequence[str]]) -> None:
        self._put_together([Words.of(fields)] if fields else [])

    @classmethod
    def from_words(cls, parts: Sequence[Words]) -> Self:
        """Return the index of all texts of several parts, in order, all of the same fields."""
        index = cls({})
        index._put_together(parts)
        return index

    def _put_together(self, parts: Sequence[Words]) -> None:
        self._ids = Numbering()
        self._by_term: dict[str, list[int]] = {}
        ids = self._ids
        tables = [
            np.fromiter(map(ids.__getitem__, part.vocabulary), np.int32, len(part.vocabulary))
            for part in parts
        ]
        names = parts[0].places if parts else ()
        self.fields = {
            name: _field(
                [table[part.places[name]] for table, part in zip(tables, parts, strict=True)],
                [part.lengths[name] for part in parts],
            )
            for name in names
        }
        self.size = len(next(iter(self.fields.values())).starts) - 1 if self.fields else 0
        self.words: tuple[str, ...] = tuple(self._ids)

    def word_ids(self, words: Sequence[str]) -> list[int]:
        """Return the ids of those words that occur."""
        return [self._ids[word] for word in words if word in self._ids]

    def of(self, field: str, document: int) -> npt.NDArray[np.int32]:
        """int32, ids of the words of one text, in order."""
        data = self.fields[field]
        return data.words[data.starts[document] : data.starts[document + 1]]

    def scores(
        self, query: Mapping[str, float], weights: Mapping[str, float], among: Ints | None = None
    ) -> Floats:
        """Return the score of every text: the weighted sum of its fields' BM25 scores.

        Parameters
        ----------
        query
            Terms (:func:`.words.terms`) with their weights.
        weights
            Weight of each field; fields not named do not count.
        among
            int64, sorted: only these texts are scored and counted for rarity; the others get 0.

        Returns
        -------
        float64, shape (texts,), 0 or more.
        """
        total = np.zeros(self.size, dtype=np.float64)
        asked = sorted(query)
        chosen = np.ones(self.size, dtype=bool)
        if among is not None:
            chosen[:] = False
            chosen[among] = True
        if not asked or not chosen.any():
            return total
        hits = self._hits(asked)
        found = {name: self._counts(self.fields[name], hits, len(asked), chosen) for name in weights}
        # A term is as rare as the texts are few that hold it in any field.
        keys = np.unique(np.concatenate([keys for keys, _ in found.values()]))
        having = np.bincount(keys % len(asked), minlength=len(asked))
        rarity = np.log1p((chosen.sum() - having + 0.5) / (having + 0.5))
        wanted = rarity * np.array([query[term] for term in asked])
        for name, weight in weights.items():
            keys, counts = found[name]
            texts = keys // len(asked)
            lengths = self.fields[name].lengths
            norm = K1 * (1.0 - B + B * lengths[texts] / max(1.0, float(lengths[chosen].mean())))
            parts = wanted[keys % len(asked)] * counts * (K1 + 1.0) / (counts + norm)
            total += weight * sums(texts, parts, self.size)
        return total

    def _hits(self, asked: Sequence[str]) -> Ints:
        """int64, shape (pairs, 2): word id and number of the asked term that it holds, by word id."""
        self._find([term for term in asked if term not in self._by_term])
        pairs = [(word, n) for n, term in enumerate(asked) for word in self._by_term[term]]
        return np.array(sorted(pairs), dtype=np.int64).reshape(-1, 2)

    def _find(self, asked: Sequence[str]) -> None:
        """Find the words that hold each of these terms."""
        found: dict[str, list[int]] = {term: [] for term in asked}
        for word in words_that_may_hold(self.words, asked) if asked else ():
            for term in terms(word):
                if term in found:
                    found[term].append(self._ids[word])
        self._by_term.update(found)

    def _counts(
        self, field: Field, hits: Ints, asked: int, chosen: npt.NDArray[np.bool_]
    ) -> tuple[Ints, Floats]:
        """Return the pairs of text and asked term that occur, as ``text * asked + term``, and how often."""
        per_word = np.bincount(hits[:, 0], minlength=max(1, len(self._ids)))
        first = np.concatenate([[0], np.cumsum(per_word)])
        at = np.flatnonzero(per_word[field.words] > 0)
        texts = np.searchsorted(field.starts, at, side="right") - 1
        kept = chosen[texts]
        at, texts = at[kept], texts[kept]
        words = field.words[at]
        repeats = per_word[words]
        offsets = np.arange(repeats.sum()) - np.repeat(np.cumsum(repeats) - repeats, repeats)
        numbers = hits[np.repeat(first[words], repeats) + offsets, 1]
        keys, counts = np.unique(np.repeat(texts, repeats) * asked + numbers, return_counts=True)
        return keys, counts.astype(np.float64)
