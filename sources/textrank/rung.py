"""The summary of a fragment as the last rung of its ladder."""

from __future__ import annotations

from typing import Final

from ..extract import Document, Form, Fragment, Span
from ..languages import ROLES, Role
from . import code, prose
from .base import Part, Sentence
from .summary import SummaryOptions, summarise

SHORTEST: Final = 800
"""A text of fewer characters is its own summary."""

_SHARE: Final = 0.2
"""A summary has at most this share of the characters of its text."""

_LEAST: Final = 240
"""So many characters are allowed at any rate: one sentence, and the marks around it."""

_MOST: Final = 1_200
"""About 300 tokens: what is longer is no summary."""

_SAVES: Final = 0.85
"""It has at most this share of the characters of the rung above it."""


def summary_form(document: Document, fragment: Fragment) -> Form | None:
    """Return the summary of a fragment, or nothing where there is none that is worth a rung.

    Prose is summarised by sentences, code by signatures, documentation and comments. Settings and data have
    no sentences. The title of a section, or the declaration of a symbol, leads.
    """
    if len(fragment.text) < SHORTEST:
        return None
    sentences = _sentences(document, fragment)
    if len(sentences) < 2:
        return None
    above = len(fragment.forms[-1].text if fragment.forms else fragment.text)
    room = int(min(max(_LEAST, _SHARE * len(fragment.text)), _MOST, _SAVES * above))
    leads = (Part.HEADING, Part.SIGNATURE)
    summary = summarise(
        sentences,
        document.lines,
        SummaryOptions(chars=room),
        lead=[0] if sentences[0].part in leads else [],
        extent=Span(fragment.spans[0].start, fragment.spans[-1].end),
    )
    said = any(quote.part is not Part.HEADING for quote in summary.quotes)
    return summary.form() if summary.fits and said else None


def _sentences(document: Document, fragment: Fragment) -> list[Sentence]:
    role = ROLES.get(document.language)
    if role is Role.CODE:
        return code.read(document, [fragment])
    if role is Role.PROSE and len(fragment.spans) == 1:
        return prose.read(document.lines, fragment.spans[0])
    return []
