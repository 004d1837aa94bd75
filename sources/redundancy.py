"""Groups of candidates that say the same: copies, near copies, translations, and what was made from what.

Of texts that say the same with the same authority one may stay (hard). Where two say much the same and each
says something else besides, both may stay, and the second is worth less (soft).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Final

from ..models import GroupPolicy, RedundancyGroup
from .alike import Pair, alike
from .candidates import Candidate
from .file_classes import FileClass
from .score.words import parts
from .units import duplicates

NEAR: Final = 0.6
"""Resemblance from which texts are near copies: windows of a text that overlap by four fifths."""

REPEATED: Final = 0.6
"""A section that holds this share of a documentation comment repeats it."""

COMPARED: Final = 2_000
"""So many candidates are compared, the most relevant: the others are hardly packed."""

_LEAST_RELEVANT: Final = 0.003
_SMALLEST: Final = 160
"""Characters below which texts are alike by nature."""

_SMALLEST_DOC: Final = 120
_PROSE: Final = frozenset({FileClass.DOC})
_NAMELESS: Final = frozenset({"file", "module", "block", "section", "key"})

_LANGUAGES: Final = (
    *("ar", "bg", "bn", "ca", "cs", "da", "de", "el", "en", "es", "et", "fa", "fi", "fr", "he", "hi", "hr"),
    *("hu", "id", "it", "ja", "ko", "lt", "lv", "ms", "nb", "nl", "no", "pl", "pt", "ro", "ru", "sk", "sl"),
    *("sr", "sv", "ta", "th", "tr", "uk", "ur", "vi", "zh"),
)
_CODE: Final = rf"(?:{'|'.join(_LANGUAGES)})(?:[-_](?:[a-z]{{2}}|hans|hant|latn|cyrl|\d{{3}}))?"
_FOLDER: Final = re.compile(rf"(?:^|/){_CODE}(?=/)", re.IGNORECASE)
_SUFFIX: Final = re.compile(rf"[._-]{_CODE}(?=\.\w+$)", re.IGNORECASE)
"""``docs/zh-CN/start.md`` and ``README.zh-CN.md``."""


def redundancy(
    candidates: Sequence[Candidate], scores: Sequence[float], required: frozenset[int]
) -> tuple[RedundancyGroup, ...]:
    """Return the groups: exact copies first, then what is nearly or otherwise the same, by id.

    Parameters
    ----------
    candidates, scores
        In order of path and line, and their relevance, 0..1.
    required
        Which must be in; of a group as many may stay as the user requires.
    """
    exact = duplicates(candidates, required)
    numbers = {candidate.id: n for n, candidate in enumerate(candidates)}
    # Of copies the first stands for all.
    copies = {numbers[member] for group in exact for member in group.members[1:]}
    relevant = [n for n in range(len(candidates)) if scores[n] >= _LEAST_RELEVANT and n not in copies]
    compared = sorted(sorted(relevant, key=lambda n: (-scores[n], n))[:COMPARED])
    groups = [
        *_near(candidates, scores, required, compared),
        *_translated(candidates, required, compared),
        *_generated(candidates, required, compared),
        *_repeated(candidates, compared),
    ]
    return (*exact, *sorted(groups, key=lambda group: group.id))


def _near(
    candidates: Sequence[Candidate],
    scores: Sequence[float],
    required: frozenset[int],
    compared: Sequence[int],
) -> Iterator[RedundancyGroup]:
    """Yield groups around the most relevant of near copies; no member is in two of one kind."""
    long = [n for n in compared if len(candidates[n].fragment.text) >= _SMALLEST]
    pairs = [
        pair
        for pair in alike([candidates[n].fragment.text for n in long], NEAR)
        if candidates[long[pair.first]].file is not candidates[long[pair.second]].file
    ]
    same = _around(pairs, long, scores, lambda a, b: _is_same_thing(candidates[a], candidates[b]))
    for anchor, others in same:
        yield _hard("near", candidates, [anchor, *others], required)
    other = _around(pairs, long, scores, lambda a, b: not _is_same_thing(candidates[a], candidates[b]))
    for anchor, others in other:
        yield _soft("like", candidates, [anchor, *others])


def _around(
    pairs: Iterable[Pair], numbers: Sequence[int], scores: Sequence[float], fits: Callable[[int, int], bool]
) -> Iterator[tuple[int, list[int]]]:
    beside: dict[int, set[int]] = {}
    for pair in pairs:
        a, b = numbers[pair.first], numbers[pair.second]
        if fits(a, b):
            beside.setdefault(a, set()).add(b)
            beside.setdefault(b, set()).add(a)
    taken: set[int] = set()
    for anchor in sorted(beside, key=lambda n: (-scores[n], n)):
        others = sorted(beside[anchor] - taken)
        if anchor not in taken and others:
            taken.update((anchor, *others))
            yield anchor, others


def _is_same_thing(a: Candidate, b: Candidate) -> bool:
    """Whether two near copies are one thing twice: prose and data, or symbols of one name (a vendored copy).

    Symbols of other names (a class and its asynchronous twin) are two things that look alike.
    """
    one, two = a.fragment, b.fragment
    if one.role in _NAMELESS and two.role in _NAMELESS:
        return a.file_class not in (FileClass.TEST, FileClass.EXAMPLE) or one.defines == two.defines
    return one.role == two.role and one.name == two.name


def _translated(
    candidates: Sequence[Candidate], required: frozenset[int], compared: Sequence[int]
) -> Iterator[RedundancyGroup]:
    """Yield the sections that stand at the same place of a document's translations.

    Files are translations of each other when their paths differ in a language's code alone, and they are
    divided alike.
    """
    sections: dict[str, int] = {}
    for candidate in candidates:
        path = candidate.file.path
        sections[path] = sections.get(path, 0) + 1
    pages: dict[str, list[str]] = {}
    for path in sections:
        pages.setdefault(_without_language(path), []).append(path)
    alike_pages = {path: plain for plain, paths in pages.items() if len(paths) > 1 for path in paths}
    places: dict[tuple[str, int, int], list[int]] = {}
    for n in compared:
        candidate = candidates[n]
        found = alike_pages.get(candidate.file.path)
        if found is not None and candidate.file_class in _PROSE:
            places.setdefault((found, sections[candidate.file.path], candidate.number), []).append(n)
    for members in places.values():
        if len(members) > 1:
            yield _hard("translated", candidates, members, required)


def _without_language(path: str) -> str:
    return _SUFFIX.sub("", _FOLDER.sub("", path, count=1)).lstrip("/")


def _generated(
    candidates: Sequence[Candidate], required: frozenset[int], compared: Sequence[int]
) -> Iterator[RedundancyGroup]:
    """Yield each definition of a contract with the machine-written code that has its name."""
    made: dict[str, list[int]] = {}
    for n in compared:
        if candidates[n].file_class is FileClass.GENERATED and candidates[n].fragment.role not in _NAMELESS:
            made.setdefault(_plain(candidates[n].fragment.name.rpartition(".")[2]), []).append(n)
    for n in compared if made else ():
        if candidates[n].file_class is FileClass.CONTRACT:
            names = {_plain(name) for name in candidates[n].fragment.defines}
            found = sorted({m for name in names - {""} for m in made.get(name, ())})
            if found:
                yield _hard("made", candidates, [n, *found], required)


def _plain(name: str) -> str:
    return "".join(part.lower() for part in parts(name))


def _repeated(candidates: Sequence[Candidate], compared: Sequence[int]) -> Iterator[RedundancyGroup]:
    """Yield each section of a document with the symbols whose documentation it repeats."""
    sections = [n for n in compared if candidates[n].file_class in _PROSE]
    documented = [
        n
        for n in compared
        if candidates[n].file_class is FileClass.SOURCE and len(candidates[n].fragment.doc) >= _SMALLEST_DOC
    ]
    numbers = [*sections, *documented]
    texts = [candidates[n].fragment.text for n in sections] + [candidates[n].fragment.doc for n in documented]
    found: dict[int, list[int]] = {}
    for pair in alike(texts, REPEATED, contained=True) if sections and documented else ():
        if pair.first < len(sections) <= pair.second and pair.second_in_first >= REPEATED:
            found.setdefault(numbers[pair.first], []).append(numbers[pair.second])
    for section, symbols in sorted(found.items()):
        yield _soft("repeated", candidates, [section, *symbols])


def _hard(
    kind: str, candidates: Sequence[Candidate], members: Sequence[int], required: frozenset[int]
) -> RedundancyGroup:
    return RedundancyGroup(
        id=f"{kind}:{candidates[members[0]].id}",
        members=tuple(candidates[n].id for n in sorted(members)),
        policy=GroupPolicy.KEEP_AT_MOST,
        k=max(1, sum(n in required for n in members)),
    )


def _soft(kind: str, candidates: Sequence[Candidate], members: Sequence[int]) -> RedundancyGroup:
    return RedundancyGroup(
        id=f"{kind}:{candidates[members[0]].id}",
        members=tuple(candidates[n].id for n in sorted(members)),
        policy=GroupPolicy.KEEP_ALL,
        penalty=1.0,
    )
