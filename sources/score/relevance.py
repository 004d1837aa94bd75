"""How near each fragment is to the task: its own words, and what the project's documents say of it.

The parts, in this order (the numbers were tuned on real pages taken away from real projects; what each
is worth stands in ``bench``):

1. code is scored by BM25 over its name, path, documentation and body; the best gets 1;
2. sections of documents, examples and tests pass their own score on to the definitions that they name
   (:mod:`.links`); the best gets 1, and counts twice as much as the words;
3. a member receives a tenth of what its class has;
4. the sum is multiplied by what the kind of task says of such a fragment (privacy, role, path, class of
   file), scaled so that the best is 1, and raised to a power: steep enough that many small fragments of
   little relevance do not outbid a large one that is needed.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final

import numpy as np

from .index import Floats, Index, Ints
from .links import linked_scores
from .words import query_terms

CODE_WEIGHTS: Final = MappingProxyType({"name": 0.7, "path": 1.0, "doc": 0.7, "body": 0.5})
"""Weights of the fields of code."""

PROSE_WEIGHTS: Final = MappingProxyType({"name": 1.0, "path": 1.0, "body": 1.0})
"""Weights of the fields of documents, examples and tests."""

OTHER_THAN_DOC: Final = 0.7
"""What examples and tests count beside documents as tellers of what a task is about."""

LINKS: Final = 2.0
"""Weight of what is passed on, beside 1 for a fragment's own words."""

FROM_PARENT: Final = 0.1
"""Share of its class's score that a member receives."""

STEEPNESS: Final = 2.0
"""The power that the scores are raised to."""


@dataclass(frozen=True, slots=True)
class Corpus:
    """The fragments of a repository, as ranking sees them.

    Attributes
    ----------
    index
        Fields ``name``, ``path``, ``doc`` and ``body``; one document for each fragment.
    code, prose
        int64, sorted: which fragments are code and the like, and which are documents, examples and tests.
    documents
        Those of ``prose`` that are documents, with what of each is set as code.
    parents
        int64: the fragment that each one stands in, -1 for none.
    definitions
        Name to the fragments of code that define it.
    """

    index: Index
    code: Ints
    prose: Ints
    documents: Mapping[int, str]
    parents: Ints
    definitions: Mapping[str, Sequence[int]]


@dataclass(frozen=True, slots=True)
class Relevance:
    """Scores 0..1, one for each fragment.

    Attributes
    ----------
    scores
        The result.
    words, links
        What it is made of, before the factors: own words, and what documents passed on.
    """

    scores: Floats
    words: Floats
    links: Floats


def relevance(corpus: Corpus, asked: Sequence[str], factors: Floats) -> Relevance:
    """Return how near each fragment is to a task.

    Parameters
    ----------
    corpus
        The repository.
    asked
        Texts that say what the task is about.
    factors
        float64, shape (fragments,), 0..1: what the kind of task makes of each fragment.
    """
    index = corpus.index
    query = query_terms(*asked)
    own = index.scores(query, CODE_WEIGHTS, corpus.code)
    said = index.scores(query, PROSE_WEIGHTS, corpus.prose)
    teller = np.full(index.size, OTHER_THAN_DOC)
    teller[list(corpus.documents)] = 1.0
    nearness = said * teller
    linked = linked_scores(index, "body", nearness, corpus.prose, corpus.definitions, spoken=corpus.documents)
    words = _to_one(own)
    words[corpus.prose] = _to_one(said)[corpus.prose]
    links = _to_one(linked)
    total = words + LINKS * links
    below = np.flatnonzero(corpus.parents >= 0)
    total[below] += FROM_PARENT * total[corpus.parents[below]]
    total *= factors
    scores = np.zeros(index.size, dtype=np.float64)
    # Code and prose are scaled apart: nothing is passed on to prose, which would leave it behind.
    for part in (corpus.code, corpus.prose):
        scores[part] = _to_one(total[part]) ** STEEPNESS * factors[part].max(initial=0.0)
    return Relevance(scores, words, links)


def _to_one(values: Floats) -> Floats:
    best = float(values.max(initial=0.0))
    return values / best if best > 0 else np.zeros_like(values)
