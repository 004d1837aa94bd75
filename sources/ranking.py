"""The relevance of every candidate to the task, with what the kind of task makes of each."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Final, Protocol

import numpy as np

from .candidates import Candidate
from .file_classes import FileClass
from .score.index import Floats, Index, Ints
from .score.relevance import Corpus, Standing, relevance
from .score.vocabulary import Words
from .score.words import WORD, query_terms, terms
from .tasks import TaskKind
from .tasks.kinds import Start

_PROSE: Final = frozenset({FileClass.DOC, FileClass.EXAMPLE, FileClass.TEST})
_NAMELESS: Final = frozenset({"file", "module", "block", "section", "key"})
_DEFINING: Final = frozenset({FileClass.SOURCE, FileClass.CONTRACT, FileClass.GENERATED})
_LATER: Final = 0.8
"""What a later part of a page is worth, beside the one before it, where a task is always about the page."""

_ENTRY: Final = 0.9
"""Least relevance of the function that its module is named after, where the task is one word: that name."""

_OF_NAMED: Final = 0.25
"""The same of the other public names of a file or folder so named."""

_TOLD: Final = 0.005
"""Smaller parts of a score are not told."""

_SET_AS_CODE: Final = re.compile(
    r"```.*?```|``[^`]+``|`[^`\n]+`|(?<=::)\n\n(?:[ \t]+\S.*\n|\n)+|\b\w++(?:(?:\.\w++)+|(?=\())", re.DOTALL
)
"""Code in Markdown and reStructuredText: fences, literals, literal blocks, dotted names and calls."""


@dataclass(frozen=True, slots=True)
class Ranking:
    """Relevance 0..1 for each candidate, and its parts by name (:mod:`.score.relevance`)."""

    scores: list[float]
    parts: Mapping[str, Floats]

    def explained(self, n: int) -> str:
        """Return what the relevance of one candidate is made of, in one line."""
        told = [f"{name} {values[n]:.2f}" for name, values in self.parts.items() if values[n] >= _TOLD]
        return f"relevance {self.scores[n]:.3f}: {', '.join(told)}"


class WordMemory(Protocol):
    """Remembers the words of files that have not changed (:mod:`.cache`)."""

    def words(self, path: str) -> Words | None:
        """Return the words of a file's fragments, if they were kept."""
        ...

    def keep_words(self, path: str, words: Words) -> None:
        """Remember them."""
        ...


@dataclass(frozen=True, slots=True)
class Library:
    """The words of all candidates, and what holds of them whatever the task: made once for many tasks."""

    corpus: Corpus
    standing: Standing

    @classmethod
    def of(cls, candidates: Sequence[Candidate], memory: WordMemory | None = None) -> Library:
        """Read the candidates; words that ``memory`` has are not taken apart again."""
        corpus = _corpus(candidates, memory)
        return cls(corpus, Standing.of(corpus))


def rank(
    candidates: Sequence[Candidate],
    kind: TaskKind,
    asked: Sequence[str],
    memory: WordMemory | None = None,
    library: Library | None = None,
) -> Ranking:
    """Return the relevance of every candidate to what is asked, for this kind of task.

    ``library`` is that of the candidates, where it is made already.
    """
    library = library or Library.of(candidates, memory)
    factors = _factors(candidates, kind)
    found = relevance(library.corpus, asked, factors, library.standing)
    scores = [float(score) for score in found.scores]
    _raise_named(scores, candidates, query_terms(*asked), factors)
    for start in kind.start:
        _raise(scores, candidates, start)
    return Ranking(scores, found.parts)


def _raise_named(
    scores: list[float], candidates: Sequence[Candidate], query: Mapping[str, float], factors: Floats
) -> None:
    """Raise what users call of the files and folders that are named by a word of the task.

    The more words a task has, the less one of them decides: of ten, hardly anything.
    """
    for n, candidate in enumerate(candidates):
        fragment = candidate.fragment
        if candidate.file_class is not FileClass.SOURCE or not fragment.public or fragment.parent:
            continue
        folders = re.split(r"[/.]", candidate.file.path)[:-1]
        about = {terms(part)[-1] for part in folders if WORD.fullmatch(part)}.intersection(query)
        if not about or fragment.role in _NAMELESS:
            continue
        least = _ENTRY if about.intersection(terms(fragment.name)[-1:]) else _OF_NAMED
        scores[n] = max(scores[n], least / len(query) ** 2 * float(factors[n]))


def _raise(scores: list[float], candidates: Sequence[Candidate], start: Start) -> None:
    """Raise the scores of what a kind of task is always about."""
    path = re.compile(start.pattern)
    unless = re.compile(start.unless) if start.unless else None
    for n, candidate in enumerate(candidates):
        if not path.search(candidate.file.path.lower()):
            continue
        if unless is None or not unless.search(candidate.fragment.title):
            # The parts of a page come in its order, each a little less certain to be needed.
            scores[n] = max(scores[n], start.relevance * _LATER ** _place(candidates, n))


def _place(candidates: Sequence[Candidate], n: int) -> int:
    """Return how many candidates of the same file come before."""
    path, place = candidates[n].file.path, 0
    while n - place - 1 >= 0 and candidates[n - place - 1].file.path == path:
        place += 1
    return place


def _corpus(candidates: Sequence[Candidate], memory: WordMemory | None) -> Corpus:
    parts = [_words(path, list(own), memory) for path, own in groupby(candidates, _path_of)]
    index = Index.from_words(parts or [_words("", (), None)])
    definitions: dict[str, list[int]] = {}
    for n, candidate in enumerate(candidates):
        if candidate.file_class in _DEFINING:
            for name in candidate.fragment.defines:
                definitions.setdefault(name, []).append(n)
    return Corpus(
        index=index,
        code=_numbers(n for n, c in enumerate(candidates) if c.file_class not in _PROSE),
        prose=_numbers(n for n, c in enumerate(candidates) if c.file_class in _PROSE),
        source=_numbers(n for n, c in enumerate(candidates) if c.file_class in _DEFINING),
        documents={
            n: index.of("code", n).tolist() for n, c in enumerate(candidates) if c.file_class is FileClass.DOC
        },
        files=_numbers(n for n, (_, own) in enumerate(groupby(candidates, _path_of)) for _ in own),
        names=[c.fragment.defines[0] if c.fragment.defines else "" for c in candidates],
        definitions=definitions,
    )


def _path_of(candidate: Candidate) -> str:
    return candidate.file.path


def _words(path: str, candidates: Sequence[Candidate], memory: WordMemory | None) -> Words:
    """Return the words of the candidates of one file."""
    known = memory.words(path) if memory else None
    if known is not None:
        return known
    fragments = [candidate.fragment for candidate in candidates]
    words = Words.of(
        {
            "name": [_names(candidate) for candidate in candidates],
            "path": [path] * len(candidates),
            "doc": [fragment.doc for fragment in fragments],
            "body": ["" if "imports_only" in f.tags else f.text for f in fragments],
            "code": [_set_as_code(candidate) for candidate in candidates],
        }
    )
    if memory:
        memory.keep_words(path, words)
    return words


def _set_as_code(candidate: Candidate) -> str:
    """Return what a document sets as code; nothing of other files, which are code or no text."""
    is_document = candidate.file_class is FileClass.DOC
    return " ".join(_SET_AS_CODE.findall(candidate.fragment.text)) if is_document else ""


def _numbers(found: Iterable[int]) -> Ints:
    return np.fromiter(found, dtype=np.int64)


def _names(candidate: Candidate) -> str:
    """Return the name field: of a symbol its name and fields, of a section its heading."""
    fragment = candidate.fragment
    if candidate.file_class in _PROSE or fragment.role in _NAMELESS:
        heading = fragment.signature if fragment.role in ("section", "key") else ""
        return " ".join((heading, *fragment.defines))
    return fragment.defines[0] if fragment.defines else fragment.name


def _factors(candidates: Sequence[Candidate], kind: TaskKind) -> Floats:
    """float64, 0..1: authority of the class of file, times what the kind says of role, privacy and path."""
    patterns = [(re.compile(rule.pattern), rule.factor) for rule in kind.path_factors]
    by_path: dict[str, float] = {}
    out = np.empty(len(candidates), dtype=np.float64)
    for n, candidate in enumerate(candidates):
        path, fragment = candidate.file.path, candidate.fragment
        if path not in by_path:
            factor = 1.0
            for pattern, less in patterns:
                factor *= less if pattern.search(path.lower()) else 1.0
            by_path[path] = 1.0 if candidate.file.source.explicit else factor
        factor = by_path[path] * kind.authority.get(candidate.file_class, 0.0)
        factor *= 1.0 if fragment.public else kind.factors.private
        factor *= kind.factors.roles.get(fragment.role, 1.0)
        out[n] = factor * (kind.factors.imports_only if "imports_only" in fragment.tags else 1.0)
    return out
