"""How near each fragment is to the task: its own words, and what the project's documents say of it.

A score estimates how likely it is that a page about the task needs the fragment, so that values can be
added up and weighed against tokens. It is a product of parts, each to a power (a logarithmic model; the
powers were fitted on pages taken away from real projects, and rounded; what each part is worth stands in
``bench/sources``):

``words``
    BM25 of the whole question over name, path, documentation and body; the best of the repository has 1;
``links``
    what the nearest documents, examples and tests pass on to what they name (:mod:`.links`); best 1;
``documented``, ``exercised``
    how often documents name its own name, and examples and tests any name of its: the logarithm of
    1 + sections, over the root of the number of definitions of that name;
``defines``
    how many names it defines: of a fragment with many a page needs only some;
``factor``
    what the kind of task makes of such a fragment: privacy, role, path, class of file;
``used``
    in how many files of examples and tests its own name stands: the logarithm of 1 + files, over that root;
``titled``
    BM25 of the title alone over its path; best 1.

A product of powers says too much of the best and too little between what nothing speaks for and what
something does. So in source code the product, and the parts of which that holds, pass through a curve each
(:data:`CURVES`; fitted as a sum of steps, repositories held out, and drawn with few points).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final

import numpy as np

from .index import Floats, Index, Ints
from .links import Mentions, linked_scores, mentions
from .words import query_terms

CODE_WEIGHTS: Final = MappingProxyType({"name": 0.7, "path": 1.0, "doc": 0.7, "body": 0.5})
"""Weights of the fields of code."""

PROSE_WEIGHTS: Final = MappingProxyType({"name": 1.0, "path": 1.0, "body": 1.0})
"""Weights of the fields of documents, examples and tests."""

OTHER_THAN_DOC: Final = 0.7
"""What examples and tests count beside documents as tellers of what a task is about."""

POWERS: Final = MappingProxyType(
    {
        "links": 1.5,
        "words": 1.6,
        "documented": 0.45,
        "exercised": 0.28,
        "defines": -0.4,
        "factor": 1.5,
    }
)
"""The power of each part of code's score; ``documented`` and ``exercised`` are logarithms already."""

EVENNESS: Final = 0.8
"""The power of the product of parts, before the curves."""

STEEPER: Final = 1.2
"""The power of the whole, behind the curves."""

LEAST: Final = 1e-4
"""A product of parts is never taken for less, as a share of the best: below, its order is chance."""

CURVES: Final = MappingProxyType(
    {
        "product": ((0.0, 0.012, 0.05, 0.12, 0.45), (0.35, 0.2, 0.15, -0.25, -0.6)),
        "links": ((0.0, 0.001, 0.0027, 0.0035, 0.0085, 0.017), (-0.98, -0.85, -0.6, -0.3, 0.07, 0.3)),
        "used": ((0.0, 0.5, 0.69, 0.85, 1.7), (-0.55, -0.5, 0.05, 0.27, 0.32)),
        "titled": ((0.0, 0.18, 0.69, 0.94), (-0.06, 0.02, 0.16, 0.33)),
    }
)
"""What is added to the logarithm of a score, by the product of its parts (as a share of the best times its
factor) and by single parts: at these points, straight between them, level beyond."""

FLOOR: Final = 0.1
"""Added to parts that are shares of the best: what has nothing of one part may have much of another."""

STEEPNESS: Final = 2.0
"""The power of the scores of documents, examples and tests."""

PROSE: Final = 0.4
"""What the best of them is worth beside the best code: they say how it is told, code says what holds."""


@dataclass(frozen=True, slots=True)
class Corpus:
    """The fragments of a repository, as ranking sees them.

    Attributes
    ----------
    index
        Fields ``name``, ``path``, ``doc`` and ``body``; one document for each fragment.
    code, prose
        int64, sorted: which fragments are code and the like, and which are documents, examples and tests.
    source
        Those of ``code`` that define names: no configuration, no data.
    documents
        Those of ``prose`` that are documents, with the ids of the words that each sets as code.
    files
        int64, shape (fragments,): the number of the file that each stands in.
    names
        The name that each fragment of code is called by; empty for none.
    definitions
        Name to the fragments of code that define it.
    """

    index: Index
    code: Ints
    prose: Ints
    source: Ints
    documents: Mapping[int, Sequence[int]]
    files: Ints
    names: Sequence[str]
    definitions: Mapping[str, Sequence[int]]


@dataclass(frozen=True, slots=True)
class Standing:
    """What holds of a repository's fragments whatever the task: worked out once for many tasks.

    Attributes
    ----------
    named
        Which section names what.
    parts
        The parts ``documented``, ``exercised``, ``used`` and ``defines`` of every score.
    """

    named: Mentions
    parts: Mapping[str, Floats]

    @classmethod
    def of(cls, corpus: Corpus) -> Standing:
        """Return what holds in ``corpus``."""
        named = mentions(corpus.index, "body", corpus.prose, corpus.definitions, corpus.documents)
        return cls(named, _known(corpus, named))


@dataclass(frozen=True, slots=True)
class Relevance:
    """Scores 0..1, one for each fragment, and the parts that they are made of, by name.

    Parts of prose are ``words`` and ``factor`` alone.
    """

    scores: Floats
    parts: Mapping[str, Floats]


def relevance(
    corpus: Corpus, asked: Sequence[str], factors: Floats, standing: Standing | None = None
) -> Relevance:
    """Return how near each fragment is to a task.

    Parameters
    ----------
    corpus
        The repository.
    asked
        Texts that say what the task is about: its title, then its headings.
    factors
        float64, shape (fragments,), 0..1: what the kind of task makes of each fragment.
    standing
        What holds in ``corpus`` whatever the task, if that is known already.
    """
    index = corpus.index
    query = query_terms(*asked)
    if not query:
        return Relevance(np.zeros(index.size), {})
    words = _to_one(index.scores(query, CODE_WEIGHTS, corpus.code))
    said = index.scores(query, PROSE_WEIGHTS, corpus.prose)
    teller = np.full(index.size, OTHER_THAN_DOC)
    teller[list(corpus.documents)] = 1.0
    standing = standing or Standing.of(corpus)
    links = _to_one(linked_scores(standing.named, said * teller))
    parts = {
        "links": links,
        "words": words,
        **standing.parts,
        "titled": _to_one(index.scores(query_terms(asked[0]), {"path": 1.0}, corpus.code)),
        "factor": factors,
    }
    words[corpus.prose] = _to_one(said)[corpus.prose]
    scores = np.zeros(index.size, dtype=np.float64)
    code, prose = corpus.code, corpus.prose
    # Scaled apart: nothing is passed on to prose, which would leave it behind.
    best = factors[code].max(initial=0.0)
    scores[code] = _to_one(_product(parts)[code]) * best
    source = {"product": scores, **parts}
    scores[corpus.source] = (
        _to_one(_curved({name: part[corpus.source] for name, part in source.items()})) * best
    )
    scores[prose] = PROSE * _to_one((words * factors)[prose]) ** STEEPNESS * factors[prose].max(initial=0.0)
    return Relevance(scores, parts)


def _product(parts: Mapping[str, Floats]) -> Floats:
    """Return the product of the parts to their powers."""
    log = sum(POWERS[name] * np.log(FLOOR + parts[name]) for name in ("links", "words"))
    log = log + POWERS["documented"] * parts["documented"] + POWERS["exercised"] * parts["exercised"]
    score = np.exp(log) * parts["factor"] ** POWERS["factor"]
    return np.asarray(score * (1.0 + parts["defines"]) ** POWERS["defines"], dtype=np.float64)


def _curved(parts: Mapping[str, Floats]) -> Floats:
    """Return what the curves make of the product; nothing stays nothing."""
    log = EVENNESS * np.log(np.maximum(LEAST, parts["product"]))
    for name, (points, added) in CURVES.items():
        log = log + np.interp(parts[name], points, added)
    return np.asarray(np.where(parts["product"] > 0, np.exp(STEEPER * log), 0.0), dtype=np.float64)


def _known(corpus: Corpus, named: Mentions) -> dict[str, Floats]:
    """Return what documents and tests tell of each fragment whatever the task, and how much it defines."""
    index = corpus.index
    is_document = np.zeros(index.size, dtype=bool)
    is_document[list(corpus.documents)] = True
    roots = np.sqrt(named.homonyms())
    by_documents = np.log1p(named.said(is_document)) / roots
    by_others = np.log1p(named.said(~is_document)) / roots
    defined = np.zeros(named.words, dtype=bool)
    defined[named.defined] = True
    by_files = np.log1p(named.files(~is_document, corpus.files)) / roots
    documented = np.zeros(index.size, dtype=np.float64)
    used = np.zeros(index.size, dtype=np.float64)
    for n, name in enumerate(corpus.names):
        for word in index.word_ids([name]) if name else ():
            documented[n] = by_documents[word] if defined[word] else 0.0
            used[n] = by_files[word] if defined[word] else 0.0
    exercised = np.zeros(index.size, dtype=np.float64)
    np.maximum.at(exercised, named.texts, by_others[named.defined])
    names = np.bincount(named.texts, minlength=index.size).astype(np.float64)
    return {"documented": documented, "exercised": exercised, "used": used, "defines": names}


def _to_one(values: Floats) -> Floats:
    best = float(values.max(initial=0.0))
    return values / best if best > 0 else np.zeros_like(values)
