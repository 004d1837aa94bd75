"""What every extractor takes and gives: a document in, fragments of it out.

A fragment owns whole lines of its file, and no line belongs to two fragments: so no pack can hold a
text twice, whichever units it keeps.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Final, Protocol

from ...models import State

WORD: Final = re.compile(r"[^\W\d]\w*")
"""An identifier or a word, in any script."""


@dataclass(frozen=True, slots=True, order=True)
class Span:
    """Lines ``start`` to ``end`` of a file, 1-based, both included."""

    start: int
    end: int

    def __len__(self) -> int:
        return self.end - self.start + 1


@dataclass(frozen=True, slots=True)
class Document:
    """A decoded file with its classification.

    Attributes
    ----------
    path
        POSIX path relative to the root.
    text
        Line breaks are ``\\n`` only.
    file_class
        What the file is for, as the classifier names it: ``source``, ``test``, ``doc`` and so on.
    language
        Lower-case name of the language, empty when unknown.
    """

    path: str
    text: str
    file_class: str = "source"
    language: str = ""
    lines: tuple[str, ...] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        # A final line break ends the last line; it does not begin another.
        body = self.text.removesuffix("\n")
        object.__setattr__(self, "lines", tuple(body.split("\n")) if self.text else ())


@dataclass(frozen=True, slots=True)
class Form:
    """A shorter form of a fragment: a rung, and the lines of the file that it shows."""

    state: State
    text: str
    spans: tuple[Span, ...]


@dataclass(frozen=True, slots=True)
class Fragment:
    """One symbol, section or block of a file.

    Attributes
    ----------
    role
        What it is within its language: ``file``, ``module``, ``class``, ``type``, ``function``,
        ``method``, ``constant``, ``case``, ``section``, ``block``, ``key``.
    name
        Qualified name within the file (``Context.invoke``, ``Install > Linux``); empty for the part of
        a file that nothing names.
    title
        What a reader would call it.
    spans
        The lines it owns, in order, disjoint.
    text
        Those lines, with a mark where lines of others stand between them.
    forms
        Shorter forms, fullest first.
    signature, doc
        Declaration and documentation as they stand in the file, for ranking and summaries.
    public
        Whether users of the project can reach it by its language's rules.
    parent
        Name of the fragment that it stands in, empty at the top.
    defines
        Names that its lines define, its own first.
    imports
        Modules that its lines import, as written.
    needs
        Names of fragments of the same file without which it cannot be understood.
    tags
        Hints for coverage and policy, sorted.
    """

    role: str
    name: str
    title: str
    spans: tuple[Span, ...]
    text: str
    forms: tuple[Form, ...] = ()
    signature: str = ""
    doc: str = ""
    public: bool = True
    parent: str = ""
    defines: tuple[str, ...] = ()
    imports: tuple[str, ...] = ()
    needs: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()

    @property
    def references(self) -> frozenset[str]:
        """Names that the text uses and does not define itself."""
        return frozenset(WORD.findall(self.text)).difference(self.defines)


@dataclass(frozen=True, slots=True)
class Extraction:
    """The fragments of one document, in file order, and what the reader should know about them."""

    fragments: tuple[Fragment, ...]
    notes: tuple[str, ...] = ()


class NotParsedError(Exception):
    """An extractor gives a document up, and the registry asks the next one.

    The message says what is wrong with the text; it is empty when nothing is, and there only is nothing in
    it that this extractor looks for.
    """


class Extractor(Protocol):
    """Cuts documents of some languages or classes into fragments.

    ``version`` changes whenever the same text would give other fragments: caches key on it.
    """

    @property
    def name(self) -> str: ...

    @property
    def version(self) -> str: ...

    def accepts(self, document: Document) -> bool:
        """Whether this extractor is meant for the document; cheap, looks at no text."""
        ...

    def extract(self, document: Document) -> Extraction:
        """Return the fragments.

        Raises
        ------
        NotParsedError
            The text is not what its classification says.
        """
        ...


def merge(spans: Iterable[Span]) -> tuple[Span, ...]:
    """Return the spans sorted, with touching and overlapping ones joined."""
    out: list[Span] = []
    for span in sorted(spans):
        if out and span.start <= out[-1].end + 1:
            out[-1] = Span(out[-1].start, max(out[-1].end, span.end))
        else:
            out.append(span)
    return tuple(out)


def subtract(span: Span, taken: Sequence[Span]) -> tuple[Span, ...]:
    """Return what is left of ``span`` without the lines of ``taken`` (sorted, disjoint)."""
    out: list[Span] = []
    at = span.start
    for other in taken:
        if other.end < at or other.start > span.end:
            continue
        if other.start > at:
            out.append(Span(at, other.start - 1))
        at = max(at, other.end + 1)
    if at <= span.end:
        out.append(Span(at, span.end))
    return tuple(out)


def trim(spans: Iterable[Span], lines: Sequence[str]) -> tuple[Span, ...]:
    """Return the spans without blank lines at their ends; spans of blank lines only vanish."""
    out: list[Span] = []
    for span in spans:
        start, end = span.start, span.end
        while start <= end and not lines[start - 1].strip():
            start += 1
        while end >= start and not lines[end - 1].strip():
            end -= 1
        if start <= end:
            out.append(Span(start, end))
    return tuple(out)
