"""The shortest form of a symbol that says what it is: its declaration alone, as it stands in the file."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from ..models import State
from .candidates import Candidate
from .extract import Form, Span
from .extract.base import merge
from .extract.cuts import close_small_gaps, cut
from .file_classes import FileClass

_DECLARING: Final = frozenset({FileClass.SOURCE, FileClass.CONTRACT, FileClass.GENERATED})
_NAMELESS: Final = frozenset({"module", "block", "section", "key"})

_LONG_QUOTES: Final = ('"""', "'''", "`")

_SAVES: Final = 0.85
"""It must be at most this share of the form above it, in characters, to be worth weighing."""


def with_signature(candidate: Candidate, lines: Sequence[str], forms: tuple[Form, ...]) -> tuple[Form, ...]:
    """Return the forms of a candidate, fullest first, with its declarations as one of state ``contract``.

    Parameters
    ----------
    candidate
        A definition, or a small file with several.
    lines
        All lines of its file.
    forms
        Those that it has; of one that has a contract form already nothing changes, nor where a declaration
        saves too little.

    Notes
    -----
    It has no mark for what comes behind the declaration: its state says that it is condensed.
    """
    fragment = candidate.fragment
    if candidate.file_class not in _DECLARING or fragment.role in _NAMELESS:
        return forms
    if any(form.state is State.CONTRACT for form in forms):
        return forms
    above = tuple(form for form in forms if form.state.depth < State.CONTRACT.depth)
    spans = _declared(fragment.signature, fragment.spans, lines)
    if not spans:
        return forms
    shown = close_small_gaps(spans, fragment.spans)
    text = cut(lines, shown)
    if any(text.count(quote) % 2 for quote in _LONG_QUOTES):
        return forms  # a declaration that ends within a text would look like another one
    if len(text) > _SAVES * len(above[-1].text if above else fragment.text):
        return forms
    return (*above, Form(State.CONTRACT, text, shown), *forms[len(above) :])


def _declared(signature: str, own: Sequence[Span], lines: Sequence[str]) -> tuple[Span, ...]:
    """Return where the lines of a signature stand, in order, or nothing where they are not all found."""
    wanted = signature.split("\n") if signature.strip() else []
    found: list[Span] = []
    for number in (number for span in own for number in range(span.start, span.end + 1)):
        if len(found) == len(wanted):
            break
        if lines[number - 1] == wanted[len(found)]:
            found.append(Span(number, number))
    return merge(found) if len(found) == len(wanted) else ()
