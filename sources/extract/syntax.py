"""From text to the outline of a source file, read by the table of its language."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Final

from ast_grep_py import SgNode, SgRoot

from .base import NotParsedError, Span, merge, subtract
from .grammar import Grammar
from .outline import Member, Outline, lines_of
from .reader import Reader, is_licence

__all__ = ["Member", "Outline", "lines_of", "read"]

_CONDITIONAL: Final = re.compile(r"[ \t]*#[ \t]*(if\w*|el\w+|endif)\b")

_MOSTLY: Final = 0.5
"""A file is given up when more than this share of its lines is inside syntax errors."""


def read(text: str, lines: Sequence[str], grammar: Grammar) -> Outline:
    """Parse a file and return its outline.

    Raises
    ------
    NotParsedError
        Most of the text is not of that language.
    """
    root, errors = _parsed(text, grammar)
    reader = Reader(lines, grammar)
    children = root.children()
    members = reader.members(children, exported=False, top=True)
    lost = merge(errors)
    if members and sum(map(len, lost)) > _MOSTLY * len(lines):
        # One error can span a file in which nearly every definition was understood.
        known = [member.span for member in members]
        lost = tuple(part for span in lost for part in subtract(span, known))
    if sum(map(len, lost)) > _MOSTLY * len(lines) or (root.kind() == "ERROR" and not members):
        first = min((span.start for span in errors), default=1)
        raise NotParsedError(f"is not {grammar.parser} that can be parsed, from line {first} on")
    reader.mark_exported(text, members)
    licence, docs = _top_comments(lines, grammar, children, members, reader)
    statements = list(_statements(children, grammar))
    return Outline(
        members=members,
        borders=sorted({lines_of(child)[1] for child in statements}),
        imports=_import_spans(statements, lines, grammar, members),
        licence=licence,
        docs=docs,
        errors=errors,
    )


def _parsed(text: str, grammar: Grammar) -> tuple[SgNode, list[Span]]:
    """Return the syntax tree and the lines inside syntax errors, of the reading that has the fewest.

    What the grammar cannot know (macros, branches of ``#if`` that open and close different blocks) is
    blanked when the text does not parse with it; blanks take its place, so that lines and columns stay.
    """
    shown = grammar.mask.sub(_blanks, text) if grammar.mask else text
    best = _tree(shown, grammar)
    if not best[1]:
        return best
    others: list[str] = []
    if grammar.mask_on_error:
        others.append(grammar.mask_on_error.sub(_blanks, shown))
    if grammar.conditionals:
        others.append(_first_branches(others[-1] if others else shown))
    for other in others:
        found = _tree(other, grammar)
        if sum(map(len, merge(found[1]))) < sum(map(len, merge(best[1]))):
            best = found
        if not found[1]:
            break
    return best


def _tree(text: str, grammar: Grammar) -> tuple[SgNode, list[Span]]:
    try:
        root = SgRoot(text, grammar.parser).root()
    except UnicodeEncodeError:
        raise NotParsedError("holds characters that are not text") from None
    return root, [Span(*lines_of(node)) for node in root.find_all(kind="ERROR")]


def _first_branches(text: str) -> str:
    """Blank the directives of ``#if`` and every branch but the first."""
    out: list[str] = []
    skipping: list[bool] = []
    for line in text.split("\n"):
        found = _CONDITIONAL.match(line)
        word = found[1] if found else ""
        if word.startswith("if"):
            skipping.append(False)
        elif word.startswith("el") and skipping:
            skipping[-1] = True
        hide = bool(word) or any(skipping)
        if word == "endif" and skipping:
            skipping.pop()
        out.append(" " * len(line) if hide else line)
    return "\n".join(out)


def _blanks(match: re.Match[str]) -> str:
    kept = ";" if match.re.groupindex and match["end"] else ""
    return kept + re.sub(r"[^\n]", " ", match[0][len(kept) :])


def _statements(children: Iterable[SgNode], grammar: Grammar) -> Iterable[SgNode]:
    """Yield the statements of a file, those inside ``#ifdef`` and namespaces among them."""
    for child in children:
        if child.kind() in grammar.transparent and not grammar.docstrings:
            yield from _statements(child.children(), grammar)
        yield child


def _import_spans(
    statements: Iterable[SgNode], lines: Sequence[str], grammar: Grammar, members: Sequence[Member]
) -> list[Span]:
    """Return the lines of imports: by their nodes, and outside definitions by how the line begins."""
    found = {
        span.start: span
        for node in statements
        if node.kind() in grammar.imports
        for span in [Span(*lines_of(node))]
    }
    if grammar.import_line:
        everything = Span(1, len(lines)) if lines else Span(1, 0)
        for free in subtract(everything, [member.span for member in members]):
            for n in range(free.start, free.end + 1):
                if grammar.import_line.match(lines[n - 1]):
                    found.setdefault(n, Span(n, n))
    return sorted(found.values())


def _top_comments(
    lines: Sequence[str],
    grammar: Grammar,
    children: Sequence[SgNode],
    members: Sequence[Member],
    reader: Reader,
) -> tuple[Span | None, Span | None]:
    """Return the licence text at the top, and the documentation of the file as a whole."""
    taken = members[0].start if members else len(lines) + 1
    licence: Span | None = None
    docs: Span | None = None
    for child in children:
        start, end = lines_of(child)
        if child.kind() not in grammar.comments or start >= taken:
            if child.kind() == "php_tag":
                continue
            if grammar.docstrings and (found := reader.docstring_at(child)) is not None:
                return (docs if docs and is_licence(lines, docs) else None), found
            break
        if docs is not None and start == docs.end + 1:
            docs = Span(docs.start, end)
        elif docs is not None and licence is None and is_licence(lines, docs):
            licence, docs = docs, Span(start, end)
        else:
            docs = Span(start, end)
    if docs is not None and licence is None and is_licence(lines, docs):
        return docs, None
    return licence, docs
