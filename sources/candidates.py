"""From a folder to fragments with their files: walk, read, classify, redact, extract."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Protocol

from ..models import Kind
from .classify import Classification, classify
from .extract import Document, Fragment, Registry
from .extract.grammars import GRAMMARS
from .file_classes import FileClass
from .files import Skipped, SkipReason, SourceFile
from .parallel import read_apart
from .read import Decoded, read_text
from .roots import walk_roots
from .score.risk import Finding, injections, redact
from .walk import WalkOptions, WalkResult

_PREFIXES: Final = {
    "section": "doc",
    "operation": "api",
    "schema": "api",
    **dict.fromkeys(("key", "service", "job", "stage", "resource"), "cfg"),
    **dict.fromkeys(("sql", "plsql"), "sql"),
    **{language: language for language in ("graphql", "proto", "thrift")},
}
"""How ids begin, by language or else by role, where the grammar of the language does not say."""

_CONFIGURED: Final = frozenset({"key", "service", "job", "stage", "resource"})
_DIAGRAMS: Final = frozenset({"mermaid", "plantuml", "dot", "d2"})

_NAME_CHARS: Final = 80
"""Headings and test names can be sentences; an id takes this much of them."""


@dataclass(frozen=True, slots=True)
class ScannedFile:
    """A file that was read.

    Attributes
    ----------
    source
        Where it is.
    text
        Decoded, with secrets replaced: no other text of the file is used anywhere.
    lines
        Number of lines.
    file_class, language
        By the classifier.
    secrets, speeches
        Secrets that were replaced, and passages that speak to a model.
    notes
        On decoding and parsing.
    """

    source: SourceFile
    text: str
    lines: int
    file_class: FileClass
    language: str
    secrets: tuple[Finding, ...] = ()
    speeches: tuple[Finding, ...] = ()
    notes: tuple[str, ...] = ()

    @property
    def path(self) -> str:
        return self.source.path


@dataclass(frozen=True, slots=True)
class Candidate:
    """A fragment that will be a unit.

    Attributes
    ----------
    file_class
        The file's, or ``test`` for a test inside a source file.
    number
        Place among the fragments of its file, from 0.
    """

    id: str
    file: ScannedFile
    fragment: Fragment
    file_class: FileClass
    kind: Kind
    number: int = 0

    def holds(self, finding: Finding) -> bool:
        """Whether the fragment owns the line of a finding."""
        return any(span.start <= finding.line <= span.end for span in self.fragment.spans)


@dataclass(frozen=True, slots=True)
class Reading:
    """What a folder holds.

    Attributes
    ----------
    walked
        The walk, with its notes.
    files
        Files read, by path.
    skipped
        Everything left out, by path: by the walk and by reading. Our own output is not listed: what a
        scan says must not depend on whether there was an earlier one.
    empty
        Files that hold nothing.
    candidates
        In order of path and line; ids are unique.
    """

    walked: WalkResult
    files: tuple[ScannedFile, ...]
    skipped: tuple[Skipped, ...]
    empty: tuple[str, ...]
    candidates: tuple[Candidate, ...]


@dataclass(frozen=True, slots=True)
class Content:
    """What a text is made into, whichever file it stands in.

    Attributes
    ----------
    text
        With secrets replaced.
    lines
        Number of lines.
    fragments
        In file order.
    notes
        On parsing.
    secrets, speeches
        As in :class:`ScannedFile`.
    """

    text: str
    lines: int
    fragments: tuple[Fragment, ...]
    notes: tuple[str, ...] = ()
    secrets: tuple[Finding, ...] = ()
    speeches: tuple[Finding, ...] = ()


Outcome = Skipped | tuple[ScannedFile, tuple[Fragment, ...]]
"""What became of a file: a reason why it is no source, or its text and fragments."""


Parsed = Skipped | tuple[Decoded, Classification, Content]
"""What reading and cutting a file gave, before anything is remembered of it."""


class Memory(Protocol):
    """Remembers what reading gave, so that an unchanged file need not be read again (:mod:`.cache`)."""

    def recall(self, source: SourceFile) -> Outcome | None:
        """Return what became of the file when last read, if it is certain not to have changed since."""
        ...

    def content(self, source: SourceFile, decoded: Decoded, found: Classification) -> Content | None:
        """Return what this very text was made into before, in this file or another."""
        ...

    def keep(
        self, source: SourceFile, outcome: Outcome, decoded: Decoded | None, content: Content | None
    ) -> None:
        """Remember what became of a file that was read."""
        ...


def read_candidates(
    root: Path | Sequence[Path],
    options: WalkOptions,
    registry: Registry,
    memory: Memory | None = None,
    jobs: int | None = None,
) -> Reading:
    """Read every file below ``root`` and cut it into fragments; raises as :func:`.walk.walk`.

    Of several roots each path begins with a label (:mod:`.roots`).

    With a ``memory``, files that have not changed since they were last read are not read again. ``jobs``
    processes share the work where there is enough of it (:mod:`.parallel`); the result is the same.
    """
    roots = [root] if isinstance(root, Path) else list(root)
    walked = walk_roots(roots, options)
    files: list[ScannedFile] = []
    skipped = list(walked.skipped)
    empty: list[str] = []
    candidates: list[Candidate] = []
    taken: set[str] = set()
    for read in _outcomes(walked, options, registry, memory, jobs):
        if isinstance(read, Skipped):
            skipped.append(read)
            continue
        file, fragments = read
        files.append(file)
        if not fragments:
            empty.append(file.path)
        candidates.extend(_candidates(file, fragments, taken))
    others = (item for item in skipped if item.reason is not SkipReason.OWN_OUTPUT)
    told = sorted(others, key=lambda item: (item.path, item.reason))
    return Reading(walked, tuple(files), tuple(told), tuple(empty), tuple(candidates))


def _outcomes(
    walked: WalkResult, options: WalkOptions, registry: Registry, memory: Memory | None, jobs: int | None
) -> Iterator[Outcome]:
    """Yield what becomes of each file, in order."""
    known = [memory.recall(source) if memory else None for source in walked.files]
    fresh = [source for source, outcome in zip(walked.files, known, strict=True) if outcome is None]
    limit = options.max_file_bytes
    read = read_apart(fresh, limit, registry.versions, jobs)
    with closing(read or (parsed(source, limit, registry, memory) for source in fresh)) as answers:
        for source, outcome in zip(walked.files, known, strict=True):
            yield outcome or _outcome(source, next(answers), memory)


def read_file(
    source: SourceFile, limit: int | None, registry: Registry, memory: Memory | None = None
) -> Outcome:
    """Read one file of a walk of at most ``limit`` bytes; a text that ``memory`` knows is not cut again."""
    return _outcome(source, parsed(source, limit, registry, memory), memory)


def parsed(source: SourceFile, limit: int | None, registry: Registry, memory: Memory | None = None) -> Parsed:
    """Read a file and cut its text into fragments, or return why it is no source."""
    decoded = read_text(source, max_bytes=limit)
    if isinstance(decoded, Skipped):
        return decoded
    found = classify(source.path, decoded.text)
    if found.file_class is FileClass.BINARY:
        return Skipped(source.path, SkipReason.BINARY, found.evidence)
    content = memory.content(source, decoded, found) if memory else None
    return decoded, found, content or _content(source, decoded, found, registry)


def _outcome(source: SourceFile, read: Parsed, memory: Memory | None) -> Outcome:
    """Return what became of a file, once ``memory`` has it."""
    if isinstance(read, Skipped):
        if memory is not None:
            memory.keep(source, read, None, None)
        return read
    decoded, found, content = read
    file = scanned(source, found.file_class, found.language, decoded.notes, content)
    if memory is not None:
        memory.keep(source, (file, content.fragments), decoded, content)
    return file, content.fragments


def scanned(
    source: SourceFile, file_class: FileClass, language: str, notes: tuple[str, ...], content: Content
) -> ScannedFile:
    """Return the record of a file whose text was made into ``content``; ``notes`` are on its decoding."""
    return ScannedFile(
        source=source,
        text=content.text,
        lines=content.lines,
        file_class=file_class,
        language=language,
        secrets=content.secrets,
        speeches=content.speeches,
        notes=(*notes, *content.notes),
    )


def _content(source: SourceFile, decoded: Decoded, found: Classification, registry: Registry) -> Content:
    text, secrets = redact(decoded.text)
    document = Document(source.path, text, found.file_class.value, found.language)
    extraction = registry.extract(document)
    return Content(
        text, len(document.lines), extraction.fragments, extraction.notes, secrets, injections(text)
    )


def _candidates(file: ScannedFile, fragments: Sequence[Fragment], taken: set[str]) -> Iterator[Candidate]:
    for number, fragment in enumerate(fragments):
        file_class = FileClass.TEST if "test" in fragment.tags else file.file_class
        yield Candidate(
            id=_unique(_id(file, fragment), taken),
            file=file,
            fragment=fragment,
            file_class=file_class,
            kind=_kind(file_class, file.language, fragment),
            number=number,
        )


def _id(file: ScannedFile, fragment: Fragment) -> str:
    """``py:src/a.py#Class.method``, ``doc:README.md#Install``, ``file:setup.cfg``."""
    if fragment.role == "file":
        return f"file:{file.path}"
    grammar = GRAMMARS.get(file.language)
    if grammar is not None:
        prefix = grammar.prefix
    else:
        prefix = _PREFIXES.get(file.language) or _PREFIXES.get(fragment.role, "text")
    name = fragment.name[:_NAME_CHARS]
    return f"{prefix}:{file.path}#{name}" if name else f"{prefix}:{file.path}"


def _unique(name: str, taken: set[str]) -> str:
    unique, n = name, 1
    while unique in taken:
        n += 1
        unique = f"{name}~{n}"
    taken.add(unique)
    return unique


def _kind(file_class: FileClass, language: str, fragment: Fragment) -> Kind:
    role = fragment.role
    by_class = {
        FileClass.TEST: Kind.TEST_CASE,
        FileClass.EXAMPLE: Kind.EXAMPLE,
        FileClass.CONTRACT: Kind.CONTRACT,
        FileClass.DOC: Kind.KM_NOTE if "note" in fragment.tags else Kind.DOC_PAGE,
    }
    if language in _DIAGRAMS:
        return Kind.DIAGRAM_SOURCE
    if file_class in by_class:
        return by_class[file_class]
    if role == "file":
        return Kind.FILE_FULL
    if role in _CONFIGURED:
        return Kind.CONFIG_KEY
    return Kind.FILE_EXCERPT if role in ("module", "block", "section") else Kind.SYMBOL


def document_of(file: ScannedFile) -> Document:
    """Return a file as its fragments were cut from it: redacted, with the lines that they count."""
    return Document(file.path, file.text, file.file_class.value, file.language)
