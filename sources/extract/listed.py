"""Definitions of small languages, each a head and a block in brackets: GraphQL, Protocol Buffers and others.

One table says how definitions begin; where they end, the brackets say. Text in quotes and comments is
passed over.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Final

from .base import Document, Extraction, NotParsedError, Span
from .entries import JOINED_CHARS, Entry, assemble, comments_above
from .keyed import without_tail


@dataclass(frozen=True, slots=True)
class Listing:
    """One language.

    Attributes
    ----------
    head
        Finds the first line of a definition, with its name in group ``name`` and, where they tell its
        role, its keyword in ``kind``.
    roles
        Role by keyword; ``type`` for others.
    quotes
        Finds texts and comments, in which brackets mean nothing.
    comments
        How lines begin that belong to the definition below them.
    field
        Finds the name that a line inside declares.
    users
        Keywords of definitions that need the types that they name.
    bracketed
        Whether a definition reaches to the end of its brackets; otherwise to the next one.
    described
        Whether a text in quotes may stand above a definition.
    """

    head: re.Pattern[str]
    roles: Mapping[str, str]
    quotes: re.Pattern[str]
    comments: tuple[str, ...]
    field: re.Pattern[str]
    users: frozenset[str] = frozenset()
    bracketed: bool = True
    described: bool = False


_C_QUOTES: Final = re.compile(r"//[^\n]*|/\*.*?\*/|\"(?:[^\"\\\n]|\\.)*\"|'(?:[^'\\\n]|\\.)*'", re.DOTALL)

LISTINGS: Final[Mapping[str, Listing]] = MappingProxyType(
    {
        "graphql": Listing(
            head=re.compile(
                r"^(?:extend[ \t]+)?(?P<kind>type|interface|input|enum|union|scalar|directive|schema|query"
                r"|mutation|subscription|fragment)\b[ \t]*(?P<name>@?\w*)",
                re.MULTILINE,
            ),
            roles={"query": "operation", "mutation": "operation", "subscription": "operation"},
            quotes=re.compile(r"\"\"\".*?\"\"\"|\"(?:[^\"\\\n]|\\.)*\"|#[^\n]*", re.DOTALL),
            comments=("#",),
            described=True,
            field=re.compile(r"^\s+(\w+)\s*[(:]|^\s+([A-Z][A-Z0-9_]*)\s*$"),
        ),
        "proto": Listing(
            head=re.compile(r"^(?P<kind>message|enum|service|extend)[ \t]+(?P<name>[\w.]+)", re.MULTILINE),
            roles={"service": "service"},
            quotes=_C_QUOTES,
            comments=("//", "/*", "*"),
            field=re.compile(r"^\s+(?:rpc\s+(\w+)|[\w.<>, ]*?\b(\w+)\s*=\s*-?\d+)"),
            users=frozenset({"service"}),
        ),
        "thrift": Listing(
            head=re.compile(
                r"^(?P<kind>struct|union|exception|enum|service|typedef|const|senum)[ \t]+(?P<name>\w+)",
                re.MULTILINE,
            ),
            roles={"service": "service", "const": "constant"},
            quotes=_C_QUOTES,
            comments=("//", "/*", "*", "#"),
            field=re.compile(
                r"^\s+(?:\d+\s*:\s*)?(?:(?:required|optional|oneway)\s+)?[\w.<>,]+\s+(\w+)\s*[(;,=]?"
            ),
            users=frozenset({"service"}),
        ),
        "hcl": Listing(
            head=re.compile(
                r"^(?P<kind>resource|data|module|variable|output|provider|locals|terraform|job)\b"
                r"(?P<name>(?:[ \t]+\"[^\"\n]*\")*)[ \t]*\{",
                re.MULTILINE,
            ),
            roles={
                "variable": "key",
                "output": "key",
                "locals": "key",
                "terraform": "key",
                "provider": "key",
            },
            quotes=re.compile(r"#[^\n]*|//[^\n]*|/\*.*?\*/|\"(?:[^\"\\\n]|\\.)*\"", re.DOTALL),
            comments=("#", "//"),
            field=re.compile(r"^\s+(\w+)\s*="),
        ),
        "dockerfile": Listing(
            head=re.compile(
                r"^(?P<kind>FROM)[ \t]+(?:--\S+[ \t]+)*(?P<name>\S+(?:[ \t]+AS[ \t]+\S+)?)",
                re.MULTILINE | re.IGNORECASE,
            ),
            roles={"FROM": "stage"},
            quotes=re.compile(r"(?!)"),
            comments=("#",),
            field=re.compile(r"^\s*(?:ARG|ENV)\s+(\w+)", re.IGNORECASE),
            users=frozenset({"FROM"}),
            bracketed=False,
        ),
        "make": Listing(
            head=re.compile(
                r"^(?P<kind>)(?P<name>[\w./%$(){}-]+)(?:[ \t]+[\w./%$(){}-]+)*[ \t]*::?(?!=)", re.MULTILINE
            ),
            roles={"": "key"},
            quotes=re.compile(r"(?!)"),
            comments=("#", ".PHONY"),
            field=re.compile(r"(?!)"),
            bracketed=False,
        ),
    }
)
"""By the language names of the classifier."""

_OPENING: Final = re.compile(r"[{(\[]")
_BRACKETS: Final = re.compile(r"[{}()\[\]]")
_IDENTIFIER: Final = re.compile(r"\w+")


class ListExtractor:
    """Cuts files of small languages at their definitions."""

    name = "listed"
    version = "2"

    def accepts(self, document: Document) -> bool:
        """Whether the document's language is in the table."""
        return document.language in LISTINGS

    def extract(self, document: Document) -> Extraction:
        """Return the definitions; gives up when there is none."""
        listing = LISTINGS[document.language]
        found = list(_found(document, listing))
        if not found:
            raise NotParsedError
        names = frozenset(entry.name for entry in found)
        return assemble(document, [_linked(document, entry, listing, names) for entry in found])


def _found(document: Document, listing: Listing) -> Iterator[Entry]:
    bare = listing.quotes.sub(lambda found: re.sub(r"[^\n]", " ", found[0]), document.text)
    lines = document.lines
    # Positions are those of the file: what is hidden is replaced character by character.
    every = listing.head.finditer(document.text)
    heads = [head for head in every if bare[head.start() : head.start() + 1].strip()]
    starts = _numbers(document.text, [head.start() for head in heads])
    last = 0
    for n, head in enumerate(heads):
        start = starts[n]
        if start <= last:
            continue
        limit = starts[n + 1] - 1 if n + 1 < len(heads) else len(lines)
        end = limit
        if listing.bracketed:
            end = _end(bare, head.start(), start)
            end = min(max(end, start), len(lines))
        described = _described(lines, start, last) if listing.described else start
        first = comments_above(lines, described, listing.comments, last + 1)
        name = " ".join(head["name"].replace('"', " ").split()).replace(" ", ".")
        kind = head["kind"]
        label = re.split(r"\.(?i:as)\.", name)[-1] if listing.roles.get("FROM") else name
        span = without_tail(Span(first, end), lines)
        yield Entry(
            role=listing.roles.get(kind.upper() if "FROM" in listing.roles else kind, "type"),
            name=label or kind,
            span=span,
            title=" ".join(part for part in (kind.lower() if kind.isupper() else kind, label) if part),
            signature=lines[start - 1].strip().rstrip("{").strip(),
            doc="\n".join(lines[first - 1 : start - 1]),
            shown=(Span(start, start),) if span.end > start else (),
            defines=tuple(_fields(lines[start : span.end], listing)),
            joins=JOINED_CHARS,
        )
        last = span.end


def _numbers(text: str, positions: Sequence[int]) -> list[int]:
    """Return the line of each position, in one pass."""
    out: list[int] = []
    line, at = 1, 0
    for position in positions:
        line += text.count("\n", at, position)
        at = position
        out.append(line)
    return out


def _described(lines: Sequence[str], start: int, last: int) -> int:
    """Return where the description in quotes above line ``start`` begins, or ``start`` without one."""
    if start <= last + 1:
        return start
    above = lines[start - 2].strip()
    if above.endswith('"') and above.startswith('"') and above != '"""':
        return start - 1
    if above.endswith('"""'):
        for n in range(start - 2, last, -1):
            if '"""' in lines[n - 1]:
                return n
    return start


def _end(bare: str, position: int, line: int) -> int:
    """Return the last line of a definition: where its first brackets close, or else of its own line.

    What goes on below (``union A =`` and ``| B``, a bracket on a line of its own) belongs to it.
    """
    depth = 0
    at = position
    while True:
        newline = bare.find("\n", at)
        newline = len(bare) if newline < 0 else newline
        for found in _BRACKETS.finditer(bare, at, newline):
            depth += 1 if _OPENING.match(found[0]) else -1
        if depth <= 0 or newline >= len(bare):
            following = bare[newline + 1 : newline + 200].lstrip(" \t")
            if depth <= 0 and following[:1] in ("|", "=", "{", "&") and newline < len(bare):
                at, line = newline + 1, line + 1
                continue
            return line
        at, line = newline + 1, line + 1


def _fields(lines: Sequence[str], listing: Listing) -> Iterator[str]:
    for line in lines:
        found = listing.field.match(line)
        if found:
            yield found[found.lastindex or 0]


def _linked(document: Document, entry: Entry, listing: Listing, names: frozenset[str]) -> Entry:
    if not entry.title.startswith(tuple(kind.lower() for kind in listing.users) or ("\0",)):
        return entry
    words = _IDENTIFIER.findall("\n".join(document.lines[entry.span.start - 1 : entry.span.end]))
    needs = tuple(dict.fromkeys(word for word in words if word in names and word != entry.name))
    return replace(entry, needs=needs, joins=0)
