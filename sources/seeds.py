"""What a task starts from besides its words: what has changed since a revision, and a page that is there.

A seed raises the relevance of candidates and lowers none: what a diff touches, what refers to it, and the
sources that a page names. Where the task has no words of its own, they come from the seed.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Final

import numpy as np

from ..models import Diagnostic, Severity
from ..models.errors import FileError
from .candidates import Candidate, Reading, ScannedFile
from .extract.base import Span
from .file_classes import FileClass
from .gitdiff import Changes, changes_since, last_commit
from .origin import Ages, Origin
from .ranking import Ranking
from .score.index import Floats
from .score.vocabulary import words_of

CHANGED: Final = 0.9
"""Least relevance of what a diff touches."""

BESIDE: Final = 0.3
"""The same of the rest of a changed file."""

REFERRING: Final = 0.5
"""The same of what refers most to what has changed; of what refers less, in proportion."""

NAMED: Final = 0.6
"""The same of what defines a name that the page sets as code and that nothing else defines."""

DRIFTED: Final = 0.9
"""The same of that when it has changed since the page was last changed."""

_WORTH: Final = {
    **dict.fromkeys((FileClass.SOURCE, FileClass.CONTRACT, FileClass.DOC), 1.0),
    **dict.fromkeys((FileClass.TEST, FileClass.EXAMPLE, FileClass.CONFIG), 0.8),
}
_LITTLE: Final = 0.3
"""What all this is multiplied by for files that a change says less of: lock files, generated ones, data."""

_MOST_WORDS: Final = 60
"""So many names say what a diff is about."""

_SHOWN: Final = 50
_SHORTEST_NAME: Final = 3
_MOST_HOMONYMS: Final = 20
"""A name with more definitions says nothing of any of them."""

_DEFINING: Final = frozenset({FileClass.SOURCE, FileClass.CONTRACT, FileClass.GENERATED})
_AS_CODE: Final = re.compile(r"``([^`]+)``|`([^`\n]+)`")
_FENCED: Final = re.compile(r"^[ \t]*(```+|~~~+).*?^[ \t]*\1", re.MULTILINE | re.DOTALL)
_IDENTIFIER: Final = re.compile(r"~?[A-Za-z_$][\w$]*(?:(?:\.|::|#)[A-Za-z_$][\w$]*)*(?:\(\))?")
_LIKE_CODE: Final = re.compile(r"[a-z][A-Z]|_|\(\)|::|[A-Z]\w*[a-z]\w*\.")
"""What is spelled as words are not."""


@dataclass(frozen=True, slots=True)
class Seeding:
    """What a task starts from.

    Attributes
    ----------
    since
        A revision: what has changed since it, and what refers to that.
    page
        Path of a page, as ``focus`` has it: its headings, and the sources that it names. It is always read.
    """

    since: str = ""
    page: str = ""


@dataclass(frozen=True, slots=True)
class Seeds:
    """What a seed says of the candidates of a scan.

    Attributes
    ----------
    raised
        By name of the seed: float64, one for each candidate: its least relevance by it.
    asked
        What the task is about, where it does not say so itself.
    diagnostics
        What a reader should know.
    """

    raised: Mapping[str, Floats] = field(default_factory=lambda: MappingProxyType({}))
    asked: tuple[str, ...] = ()
    diagnostics: tuple[Diagnostic, ...] = ()

    def applied(self, ranking: Ranking) -> Ranking:
        """Return the ranking with what the seeds raise."""
        if not self.raised:
            return ranking
        least = np.maximum.reduce(list(self.raised.values()))
        scores = [max(score, float(seed)) for score, seed in zip(ranking.scores, least, strict=True)]
        return Ranking(scores, {**ranking.parts, **self.raised})


def seeds_of(seeding: Seeding, origin: Origin, reading: Reading, ages: Ages) -> Seeds:
    """Return what the seeds of a task say.

    Raises
    ------
    UsageError
        There is no such revision.
    FileError
        A folder is in no repository, or the page is not among the files that are read.
    """
    found = []
    if seeding.since:
        found.append(_of_changes(seeding.since, origin, reading))
    if seeding.page:
        found.append(_of_page(seeding.page, origin, reading, ages))
    return Seeds(
        {name: values for seed in found for name, values in seed.raised.items()},
        tuple(text for seed in found for text in seed.asked),
        tuple(diagnostic for seed in found for diagnostic in seed.diagnostics),
    )


# -- what has changed ------------------------------------------------------------------------------


def _of_changes(since: str, origin: Origin, reading: Reading) -> Seeds:
    changes = {
        label: changes_since(root, since, origin.revision)
        for root, label in zip(origin.roots, origin.labels, strict=True)
    }
    by_path = _lines_by_path(reading.files, origin, changes)
    candidates = reading.candidates
    touched = [n for n, c in enumerate(candidates) if _touches(c, by_path.get(c.file.path, ()))]
    raised = np.zeros(len(candidates))
    for n, candidate in enumerate(candidates):
        if candidate.file.path in by_path:
            raised[n] = BESIDE
    raised[touched] = CHANGED
    raised *= [_WORTH.get(candidate.file_class, _LITTLE) for candidate in candidates]
    raised = np.maximum(raised, _referring(candidates, touched))
    named = dict.fromkeys(candidates[n].fragment.name or candidates[n].file.path for n in touched)
    return Seeds(
        {"changed": raised},
        (" ".join(list(named)[:_MOST_WORDS]),) if named else (),
        tuple(_told_changes(since, changes, by_path)),
    )


def _lines_by_path(
    files: Sequence[ScannedFile], origin: Origin, changes: Mapping[str, Changes]
) -> dict[str, tuple[Span, ...]]:
    out: dict[str, tuple[Span, ...]] = {}
    for file in files:
        _, label, _ = origin.place(file.path)
        spans = changes[label].lines.get(file.source.raw)
        if spans is not None:
            out[file.path] = spans
    return out


def _touches(candidate: Candidate, changed: Sequence[Span]) -> bool:
    return any(
        span.start <= own.end and own.start <= span.end
        for own in candidate.fragment.spans
        for span in changed
    )


def _referring(candidates: Sequence[Candidate], touched: Sequence[int]) -> Floats:
    """Return how much each candidate refers to names that the touched ones define, at most REFERRING.

    A name counts less the more candidates hold it and the more define it.
    """
    own = set(touched)
    defined: dict[str, int] = {}
    for candidate in candidates:
        for name in set(candidate.fragment.defines):
            defined[name] = defined.get(name, 0) + 1
    names = {name for n in touched for name in candidates[n].fragment.defines}
    names = {name for name in names if len(name) >= _SHORTEST_NAME and defined[name] <= _MOST_HOMONYMS}
    out = np.zeros(len(candidates))
    if not names:
        return out
    held = {
        n: sorted(names.intersection(words_of(candidate.fragment.text)))
        for n, candidate in enumerate(candidates)
        if n not in own
    }
    holders: dict[str, int] = {}
    for n in sorted(held):
        for name in held[n]:
            holders[name] = holders.get(name, 0) + 1
    for n, found in held.items():
        out[n] = sum((holders[name] * defined[name]) ** -0.5 for name in found)
    best = float(out.max(initial=0.0))
    return out * (REFERRING / best) if best > 0 else out


def _told_changes(
    since: str, changes: Mapping[str, Changes], by_path: Mapping[str, Sequence[Span]]
) -> Iterator[Diagnostic]:
    count = sum(len(found.lines) for found in changes.values())
    gone = [f"{label}/{path}" if label else path for label, found in changes.items() for path in found.gone]
    message = f"{count} files have changed since {since}"
    if count > len(by_path):
        message += f", {count - len(by_path)} of them are not read"
    if gone:
        message += f"; {len(gone)} are gone"
    yield Diagnostic(
        severity=Severity.INFO,
        code="changed_since",
        message=message,
        data={
            "count": count,
            "places": sorted(by_path)[:_SHOWN],
            "gone": [path.encode("utf-8", "replace").decode() for path in gone[:_SHOWN]],
        },
    )


# -- a page that is there --------------------------------------------------------------------------


def _of_page(page: str, origin: Origin, reading: Reading, ages: Ages) -> Seeds:
    path = page.strip("/").removeprefix("./")
    parts = [candidate for candidate in reading.candidates if candidate.file.path == path]
    if not parts:
        raise FileError(
            "is not among the files that are read, or holds nothing",
            file=page,
            field="page",
            hint="give the path of a document below the folder that is read",
        )
    file = parts[0].file
    names, gone = _names_of(file.text, reading.candidates)
    raised = np.zeros(len(reading.candidates))
    for places in names.values():
        for n in places:
            raised[n] = max(raised[n], NAMED / len(places) ** 0.5)
    newer = _newer(file, names, origin, reading, ages)
    raised[newer] = np.maximum(raised[newer], DRIFTED)
    headings = [candidate.fragment.signature or candidate.fragment.title for candidate in parts]
    return Seeds({"page": raised}, tuple(headings), tuple(_told_page(path, names, gone, newer, reading)))


def _names_of(text: str, candidates: Sequence[Candidate]) -> tuple[dict[str, list[int]], list[str]]:
    """Return which candidates define each name that a page sets as code, and the names that nothing holds."""
    defined: dict[str, list[int]] = {}
    for n, candidate in enumerate(candidates):
        if candidate.file_class in _DEFINING:
            for name in dict.fromkeys(candidate.fragment.defines):
                defined.setdefault(name, []).append(n)
    names: dict[str, list[int]] = {}
    unknown: dict[str, str] = {}
    for written in _set_as_code(text):
        last = re.split(r"\.|::|#", written.removesuffix("()"))[-1]
        places = defined.get(last, [])
        if len(last) >= _SHORTEST_NAME and 0 < len(places) <= _MOST_HOMONYMS:
            names[last] = places
        elif not places and _LIKE_CODE.search(written):
            unknown[written] = last
    if unknown:
        known: set[str] = set()
        for candidate in candidates:
            if candidate.file_class is not FileClass.DOC:
                known.update(words_of(candidate.fragment.text))
        unknown = {written: last for written, last in unknown.items() if last not in known}
    return dict(sorted(names.items())), sorted(unknown)


def _set_as_code(text: str) -> Iterable[str]:
    """Yield the names in inline code, in order, each once."""
    prose = _FENCED.sub("\n", text)
    spans = (found[1] or found[2] for found in _AS_CODE.finditer(prose))
    return dict.fromkeys(name[0].lstrip("~") for span in spans for name in _IDENTIFIER.finditer(span))


def _newer(
    page: ScannedFile,
    names: Mapping[str, Sequence[int]],
    origin: Origin,
    reading: Reading,
    ages: Ages,
) -> list[int]:
    """Return, in order, which of the named candidates have changed since the page was last changed."""
    changed = ages.changed(page)
    root, label, _ = origin.place(page.path)
    commit = None if changed is None else last_commit(root, page.source.raw, origin.revision)
    if commit is None:
        return []
    changes = {label: changes_since(root, commit, origin.revision)}
    own = [file for file in reading.files if origin.place(file.path)[1] == label]
    by_path = _lines_by_path(own, origin, changes)
    named = sorted({n for places in names.values() for n in places})
    candidates = reading.candidates
    return [n for n in named if _touches(candidates[n], by_path.get(candidates[n].file.path, ()))]


def _told_page(
    path: str,
    names: Mapping[str, Sequence[int]],
    gone: Sequence[str],
    newer: Sequence[int],
    reading: Reading,
) -> Iterator[Diagnostic]:
    sources = {n for places in names.values() for n in places}
    yield Diagnostic(
        severity=Severity.WARNING if newer else Severity.INFO,
        code="page_drift",
        message=f"{path} names {len(names)} definitions; of their {len(sources)} places {len(newer)} have "
        "changed since it was last changed",
        data={
            "page": path,
            "names": len(names),
            "count": len(newer),
            "places": [reading.candidates[n].id for n in newer[:_SHOWN]],
        },
    )
    if gone:
        yield Diagnostic(
            severity=Severity.WARNING,
            code="page_names_unknown",
            message=f"{path} names {len(gone)} things that no source holds: {', '.join(gone[:5])}"
            + (", …" if len(gone) > 5 else ""),
            data={"page": path, "count": len(gone), "names": list(gone[:_SHOWN])},
        )
