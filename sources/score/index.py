"""BM25 over several fields of many texts, from one forward index in flat arrays.

The arrays hold, field by field, the word of every position and the text that it stands in. A question
selects the positions of its terms and counts them; there is nothing to sort or to invert, and the same
arrays answer which texts name a word.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt

from .words import WORD, terms

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


@dataclass(frozen=True, slots=True)
class Contributions:
    """What terms add to scores.

    Attributes
    ----------
    size
        Number of texts.
    asked
        The terms.
    keys
        int64, sorted: text * number of terms + term, for each pair that occurs.
    values
        float64: what the term adds to the text's score, asked for with weight 1.
    """

    size: int
    asked: tuple[str, ...]
    keys: Ints
    values: Floats

    def scores(self, query: Mapping[str, float]) -> Floats:
        """float64, shape (texts,): the scores for a question whose terms are among those asked for."""
        if not len(self.keys):
            return np.zeros(self.size, dtype=np.float64)
        wanted = np.array([query.get(term, 0.0) for term in self.asked])
        texts, terms_ = np.divmod(self.keys, len(self.asked))
        return sums(texts, wanted[terms_] * self.values, self.size)


def sums(at: Ints, values: Floats, size: int) -> Floats:
    """float64, shape (size,): the sum of the values at each place."""
    return np.asarray(np.bincount(at, weights=values, minlength=size), dtype=np.float64)


class Index:
    """Texts by field, ready to be asked.

    Parameters
    ----------
    fields
        For each field, one text for each document; all the same number.
    """

    def __init__(self, fields: Mapping[str, Sequence[str]]) -> None:
        self._ids: dict[str, int] = {}
        self._by_term: Mapping[str, Sequence[int]] | None = None
        self.fields = {name: self._field(texts) for name, texts in fields.items()}
        self.size = len(next(iter(fields.values()))) if fields else 0
        self.words: tuple[str, ...] = tuple(self._ids)

    def _field(self, texts: Sequence[str]) -> Field:
        ids = self._ids
        chunks: list[npt.NDArray[np.int32]] = []
        starts = np.zeros(len(texts) + 1, dtype=np.int64)
        for n, text in enumerate(texts):
            found = WORD.findall(text)
            chunks.append(np.array([ids.setdefault(word, len(ids)) for word in found], dtype=np.int32))
            starts[n + 1] = starts[n] + len(found)
        words = np.concatenate(chunks) if chunks else np.zeros(0, dtype=np.int32)
        return Field(words, starts)

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
        return self.contributions(tuple(sorted(query)), weights, among).scores(query)

    def contributions(
        self, asked: Sequence[str], weights: Mapping[str, float], among: Ints | None = None
    ) -> Contributions:
        """Return what each term adds to the score of each text; parameters as in :meth:`scores`.

        BM25 is a sum over terms: many questions about the same terms cost one look at the texts.
        """
        chosen = np.ones(self.size, dtype=bool)
        if among is not None:
            chosen[:] = False
            chosen[among] = True
        if not asked or not chosen.any():
            return Contributions(self.size, tuple(asked), np.zeros(0, np.int64), np.zeros(0))
        hits = self._hits(asked)
        found = {name: self._counts(self.fields[name], hits, len(asked), chosen) for name in weights}
        # A term is as rare as the texts are few that hold it in any field.
        keys = np.unique(np.concatenate([keys for keys, _ in found.values()]))
        having = np.bincount(keys % len(asked), minlength=len(asked))
        rarity = np.log1p((chosen.sum() - having + 0.5) / (having + 0.5))
        values = np.zeros(len(keys), dtype=np.float64)
        for name, weight in weights.items():
            own, counts = found[name]
            lengths = self.fields[name].lengths
            norm = K1 * (1.0 - B + B * lengths[own // len(asked)] / max(1.0, float(lengths[chosen].mean())))
            parts = rarity[own % len(asked)] * counts * (K1 + 1.0) / (counts + norm)
            values[np.searchsorted(keys, own)] += weight * parts
        return Contributions(self.size, tuple(asked), keys, values)

    def _hits(self, asked: Sequence[str]) -> Ints:
        """int64, shape (pairs, 2): word id and number of the asked term that it holds, by word id."""
        pairs = [(word, n) for n, term in enumerate(asked) for word in self._words_of().get(term, ())]
        return np.array(sorted(pairs), dtype=np.int64).reshape(-1, 2)

    def _words_of(self) -> Mapping[str, Sequence[int]]:
        """Return the ids of the words that hold each term; made when first asked."""
        if self._by_term is None:
            by_term: dict[str, list[int]] = {}
            for word, word_id in self._ids.items():
                for term in terms(word):
                    by_term.setdefault(term, []).append(word_id)
            self._by_term = by_term
        return self._by_term

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
