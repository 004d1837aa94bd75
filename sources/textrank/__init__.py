"""TextRank: the sentences of a text or of source code that say most of it, without a model or a network.

Texts come redacted (:func:`..score.risk.redact`), as everything that is read: a summary only quotes.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from ..extract import Document, Fragment, Span
from . import code, prose
from .base import Part
from .summary import Quote, Summary, SummaryOptions, summarise

__all__ = ["VERSION", "Quote", "Summary", "SummaryOptions", "summarise_code", "summarise_prose"]

VERSION: Final = "1"
"""Changes whenever the same text would get another summary: caches key on it."""


def summarise_prose(
    text: str, options: SummaryOptions | None = None, *, extent: Span | None = None
) -> Summary:
    """Return a summary of a text in any language, plain or with light markup.

    Parameters
    ----------
    text
        Line breaks are ``\\n``. Its first heading leads the summary where it fits.
    options
        Limits and leanings; five sentences by default.
    extent
        The lines to summarise, all when absent; line numbers are those of the text.
    """
    lines = Document("", text).lines
    if not lines:
        return Summary()
    extent = extent or Span(1, len(lines))
    sentences = prose.read(lines, extent)
    title = next((n for n, sentence in enumerate(sentences) if sentence.part is not Part.MARKUP), 0)
    lead = [title] if sentences and sentences[title].part is Part.HEADING else []
    return summarise(sentences, lines, options or SummaryOptions(), lead=lead, extent=extent)


def summarise_code(
    document: Document,
    fragments: Sequence[Fragment],
    options: SummaryOptions | None = None,
    *,
    extent: Span | None = None,
) -> Summary:
    """Return a summary of source code: signatures, and sentences of documentation and comments.

    Parameters
    ----------
    document
        The file.
    fragments
        Those of its fragments to summarise, as the extractor gave them. Where they hold neither a signature
        nor a word of documentation, the lines are summarised as prose.
    options
        Limits and leanings; five sentences by default.
    extent
        The lines that the summary stands for: from the first to the last of the fragments when absent.
    """
    spans = sorted(span for fragment in fragments for span in fragment.spans)
    if not spans:
        return Summary()
    extent = extent or Span(spans[0].start, max(span.end for span in spans))
    sentences = code.read(document, fragments)
    if not sentences:
        return summarise_prose(document.text, options, extent=extent)
    lead = [n for n, sentence in enumerate(sentences) if sentence.part is Part.SIGNATURE][:1]
    if len(fragments) > 1:
        # A file is what its first documentation says, of the file or of what stands first in it.
        lead = [n for n, sentence in enumerate(sentences) if sentence.part is Part.DOC][:1]
    return summarise(sentences, document.lines, options or SummaryOptions(), lead=lead, extent=extent)
