"""The one list of extractors: who is asked for a document, in which order."""

from __future__ import annotations

from collections.abc import Sequence

from .base import Document, Extraction, Extractor, NotParsedError
from .blocks import BlockExtractor, WholeExtractor
from .config import ConfigExtractor
from .listed import ListExtractor
from .markdown import MarkdownExtractor
from .notebook import NotebookExtractor
from .outlines import OutlineExtractor
from .rst import RstExtractor
from .shapes import ShapeExtractor
from .sql import SqlExtractor
from .symbols import SymbolExtractor


class Registry:
    """Extractors in order of preference; the last one must take everything."""

    def __init__(self, extractors: Sequence[Extractor]) -> None:
        self._extractors = tuple(extractors)

    @property
    def versions(self) -> str:
        """Names and versions of all extractors: what a cache of fragments is keyed by."""
        return ",".join(f"{extractor.name}-{extractor.version}" for extractor in self._extractors)

    def extract(self, document: Document) -> Extraction:
        """Return the fragments by the first extractor that accepts the document and can read it.

        Each extractor that found something wrong leaves a note.
        """
        notes: list[str] = []
        for extractor in self._extractors:
            if not extractor.accepts(document):
                continue
            try:
                found = extractor.extract(document)
            except NotParsedError as error:
                if str(error):
                    notes.append(f"{error}; taken as plain text")
                continue
            return Extraction(found.fragments, (*notes, *found.notes))
        raise AssertionError("the last extractor must take everything")


def default_registry() -> Registry:
    """Return the extractors that come with Satchel."""
    return Registry(
        [
            WholeExtractor(),
            SymbolExtractor(),
            MarkdownExtractor(),
            RstExtractor(),
            OutlineExtractor(),
            NotebookExtractor(),
            ShapeExtractor(),
            ListExtractor(),
            SqlExtractor(),
            ConfigExtractor(),
            BlockExtractor(),
        ]
    )
