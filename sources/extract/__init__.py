"""From decoded files to fragments: symbols, sections, keys and blocks, with exact lines."""

from .base import Document, Extraction, Extractor, Form, Fragment, NotParsedError, Span
from .registry import Registry, default_registry

__all__ = [
    "Document",
    "Extraction",
    "Extractor",
    "Form",
    "Fragment",
    "NotParsedError",
    "Registry",
    "Span",
    "default_registry",
]
