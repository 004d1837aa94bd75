"""Configuration and other keyed files: whole while small, else by top-level key."""

from __future__ import annotations

import re
from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from .base import Document, Extraction, Fragment, NotParsedError, Span, trim
from .blocks import whole
from .cuts import cut

_SMALL_CHARS: Final = 1_600
"""About 400 tokens: a file up to this size is not divided, and short neighbours stay together."""

_KEYS: Final[Mapping[str, re.Pattern[str]]] = MappingProxyType(
    {
        "yaml": re.compile(r"([\w$.\"'/-][^:#]*?):(?:\s|$)"),
        "toml": re.compile(r"\[+\s*([^\]]+?)\s*\]"),
        "ini": re.compile(r"\[+\s*([^\]]+?)\s*\]"),
        "properties": re.compile(r"([\w.-]+?)(?:\.[\w-]+)*\s*[=:]"),
        "dotenv": re.compile(r"#?\s*(?:export\s+)?([A-Za-z_][\w.]*)\s*="),
        "json": re.compile(r"(?:  |    |\t)\"([^\"]+)\"\s*:"),
    }
)
"""What begins a top-level entry, at the start of a line, with its name in group 1."""

_ALIASES: Final[Mapping[str, str]] = MappingProxyType({"json5": "json", "jsonc": "json", "cfg": "ini"})


class ConfigExtractor:
    """Cuts YAML, TOML, INI, properties and JSON files at their top-level keys."""

    name = "config"
    version = "2"

    def accepts(self, document: Document) -> bool:
        """Whether the document's language has top-level keys."""
        return _ALIASES.get(document.language, document.language) in _KEYS

    def extract(self, document: Document) -> Extraction:
        """Return the file, or runs of its top-level entries; gives up without any."""
        lines = document.lines
        own = trim((Span(1, len(lines)),), lines) if lines else ()
        if not own:
            return Extraction(())
        if len(document.text) <= _SMALL_CHARS:
            return Extraction((whole(document, own[0]),))
        keys = self._keys(document)
        if len(keys) < 2:
            raise NotParsedError
        return Extraction(tuple(self._runs(document, keys, own[0])))

    def _keys(self, document: Document) -> list[tuple[int, str]]:
        """Return the first line of each entry, with its name; comments right above belong to it."""
        pattern = _KEYS[_ALIASES.get(document.language, document.language)]
        lines = document.lines
        out: list[tuple[int, str]] = []
        indent: str | None = None
        for n, line in enumerate(lines, 1):
            found = pattern.match(line)
            if not found:
                continue
            margin = line[: len(line) - len(line.lstrip())]
            indent = margin if indent is None else indent
            if margin != indent:
                continue
            start = n
            while start > 1 and lines[start - 2].startswith(("#", ";", "//")):
                start -= 1
            out.append((start, found.group(1).strip("\"' ")))
        return out

    def _runs(self, document: Document, keys: list[tuple[int, str]], own: Span) -> list[Fragment]:
        """Join short neighbours; what stands above the first key belongs to it."""
        lines = document.lines
        starts = [own.start, *(start for start, _ in keys[1:])]
        ends = [start - 1 for start, _ in keys[1:]] + [own.end]
        out: list[Fragment] = []
        names: list[str] = []
        first, chars = own.start, 0
        for (_, name), start, end in zip(keys, starts, ends, strict=True):
            size = sum(len(line) + 1 for line in lines[start - 1 : end])
            if names and chars + size > _SMALL_CHARS:
                out.extend(_entry(document, Span(first, start - 1), names))
                first, chars, names = start, 0, []
            names.append(name)
            chars += size
        out.extend(_entry(document, Span(first, own.end), names))
        return out


def _entry(document: Document, span: Span, names: list[str]) -> list[Fragment]:
    unique = list(dict.fromkeys(names))
    return [
        Fragment(
            role="key",
            name=unique[0],
            title=", ".join(unique[:4]) + (" …" if len(unique) > 4 else ""),
            spans=(part,),
            text=cut(document.lines, [part]),
            signature="\n".join(unique),
            defines=tuple(unique),
        )
        for part in trim((span,), document.lines)
    ]
