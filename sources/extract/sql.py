"""SQL by statement, in the dialects of the common engines, without a parser for any of them.

A statement ends at its semicolon. Where semicolons mean nothing: in texts, names in quotes, comments,
bodies between dollar signs, the bodies of routines between ``BEGIN`` and ``END``, and the data of
``COPY … FROM stdin``. ``GO`` and ``DELIMITER`` are read as their engines read them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final

from .base import Document, Extraction, NotParsedError, Span
from .entries import SMALL_CHARS, Entry, assemble, comments_above
from .grammar import words
from .keyed import without_tail

_TOKEN: Final = re.compile(
    r"--[^\n]*|/\*.*?(?:\*/|\Z)|'(?:[^'\\]|''|\\.)*(?:'|\Z)|\"(?:[^\"]|\"\")*(?:\"|\Z)|`[^`]*(?:`|\Z)"
    r"|(?P<dollar>\$(?:[A-Za-z_]\w*)?\$)|(?P<word>(?<![\w$@#.])(?:begin|case|end|go|delimiter)(?![\w$]))|(?P<end>;)"
    r"|^[ \t]*(?P<slash>/)[ \t]*$",
    re.DOTALL | re.MULTILINE | re.IGNORECASE,
)
_DELIMITER: Final = re.compile(r"^[ \t]*delimiter[ \t]+(\S+)[ \t]*$", re.IGNORECASE)
_GO: Final = re.compile(r"^[ \t]*go(?:[ \t]+\d+)?[ \t]*;?[ \t]*$", re.IGNORECASE)
_PART: Final = r"(?:[\w$#@]+|\"[^\"]+\"|`[^`]+`|\[[^\]]+\])"
_NAME: Final = rf"({_PART}(?:\s*\.\s*{_PART})*)"
_CREATE: Final = re.compile(
    r"(?:CREATE|ALTER)\s+(?:OR\s+(?:REPLACE|ALTER)\s+)?(?:(?:GLOBAL|LOCAL|TEMP(?:ORARY)?|UNLOGGED|EXTERNAL|UNIQUE|"
    r"CLUSTERED|NONCLUSTERED|FULLTEXT|MATERIALIZED|RECURSIVE|FORCE|EDITIONABLE|VIRTUAL|CONSTRAINT|DEFINER\s*=\s*\S+"
    r"|TRUSTED|PUBLIC|FOREIGN)\s+)*"
    r"(TABLE|VIEW|FUNCTION|PROC(?:EDURE)?|TRIGGER|TYPE|DOMAIN|INDEX|SEQUENCE|SCHEMA|DATABASE"
    r"|PACKAGE(?:\s+BODY)?|EXTENSION|ROLE|USER|POLICY|AGGREGATE|OPERATOR|CAST|EVENT|RULE|SYNONYM|SERVER|PUBLICATION|CONVERSION)\s+"
    rf"(?:CONCURRENTLY\s+)?(?:IF\s+(?:NOT\s+)?EXISTS\s+)?(?:ONLY\s+)?{_NAME}",
    re.IGNORECASE,
)
_ON: Final = re.compile(
    r"(?:INSERT\s+INTO|UPDATE|DELETE\s+FROM|COPY|MERGE\s+INTO|COMMENT\s+ON\s+\w+|TRUNCATE(?:\s+TABLE)?"
    rf"|DROP\s+\w+(?:\s+IF\s+EXISTS)?)\s+{_NAME}",
    re.IGNORECASE,
)
_ROUTINE: Final = re.compile(
    r"\s*(?:CREATE|ALTER)\b[^;]{0,400}?\b(?:FUNCTION|PROC(?:EDURE)?|TRIGGER|PACKAGE|EVENT)\b",
    re.IGNORECASE | re.DOTALL,
)
_COPY: Final = re.compile(r"\s*COPY\b.*\bFROM\s+stdin\b", re.IGNORECASE | re.DOTALL)
_COLUMN: Final = re.compile(r"^\s*[,(]?\s*[\"`\[]?([A-Za-z_]\w*)[\"`\]]?\s+[A-Za-z]")
_NO_COLUMNS: Final = words(
    """constraint primary foreign unique key index check references create alter table insert select from
    where and or on as begin end return returns declare set if else then values into language engine comment
    partition"""
)
_ROLES: Final = {
    "function": "function",
    "procedure": "function",
    "proc": "function",
    "trigger": "function",
    "aggregate": "function",
    "package": "function",
    "package body": "function",
}
_OPENS: Final = frozenset({"begin", "case"})
_INNER_ENDS: Final = frozenset({"if", "loop", "while", "repeat", "for"})
_HEAD_END: Final = re.compile(r"\(\s*$|\bAS\b|\bBEGIN\b", re.IGNORECASE)
_SIGNATURE_LINES: Final = 12


class SqlExtractor:
    """Cuts SQL at its statements."""

    name = "sql"
    version = "1"

    def accepts(self, document: Document) -> bool:
        """Whether the document's language is SQL or a dialect of it."""
        return document.language in ("sql", "plsql")

    def extract(self, document: Document) -> Extraction:
        """Return the statements; gives up when none of them names anything."""
        entries = [entry for span in statements(document) for entry in _entry(document, span)]
        if not entries:
            raise NotParsedError
        return assemble(document, entries)


def statements(document: Document) -> Iterator[Span]:
    """Yield the lines of each statement, comments in front of it included."""
    start = 1
    for end in _ends(document.text, document.lines):
        if end >= start:
            yield Span(start, end)
            start = end + 1
    if start <= len(document.lines):
        yield Span(start, len(document.lines))


def _ends(text: str, lines: Sequence[str]) -> Iterator[int]:
    """Yield the last line of each statement."""
    offsets = [0]
    for shown in lines:
        offsets.append(offsets[-1] + len(shown) + 1)
    at = begin = depth = 0
    routine: dict[int, bool] = {}
    """By the beginning of a statement, whether it makes a routine."""
    line = 1
    previous, separator = "", ";"
    while (found := _next(text, at, separator)) is not None:
        kind, position, end = found
        while line < len(lines) and offsets[line] <= position:
            line += 1
        if kind == "word":
            word = text[position:end].lower()
            if word in _OPENS and previous != "end" and not (word == "begin" and _is_transaction(text, end)):
                if begin not in routine:
                    routine = {begin: bool(_ROUTINE.match(_bare_head(text, begin)))}
                depth += routine[begin]
            elif word == "end" and depth:
                depth -= not _closes_inner(text, end)
            previous = word
        elif kind == "delimiter":
            separator = text[position:end]
            begin, depth = end, 0
            yield line
        elif kind in ("end", "go"):
            if kind == "go" or depth == 0:
                last = _data_end(lines, line) if _COPY.match(text, begin, end) else line
                yield last
                end = max(end, offsets[last] - 1) if last > line else end
                begin, depth = end, 0
            previous = ""
        at = max(end, at + 1)


def _next(text: str, at: int, separator: str) -> tuple[str, int, int] | None:
    """Return the next thing that matters from ``at`` on: its kind, and where it begins and ends."""
    stop = text.find(separator, at) if separator != ";" else -1
    for found in _TOKEN.finditer(text, at):
        start, end, kind = found.start(), found.end(), found.lastgroup
        if 0 <= stop < start:
            break
        if stop >= 0 and stop < end:  # inside a text or a comment
            stop = text.find(separator, end)
        if kind == "dollar":
            close = text.find(found[0], end)
            return "text", start, len(text) if close < 0 else close + len(found[0])
        if kind == "word":
            told = _told(text, found)
            if told is not None:
                return told
        elif (kind == "end" and separator == ";") or kind == "slash":
            return "end", start, end
    return ("end", stop, stop + len(separator)) if stop >= 0 else None


def _told(text: str, found: re.Match[str]) -> tuple[str, int, int] | None:
    """Return what a word tells: a block that begins or ends, or a line that is for the client."""
    word = found[0].lower()
    if word in ("begin", "case", "end"):
        return "word", found.start(), found.end()
    head = text.rfind("\n", 0, found.start()) + 1
    tail = text.find("\n", found.end())
    line = text[head : len(text) if tail < 0 else tail]
    if word == "go" and _GO.match(line):
        return "go", found.start(), head + len(line)
    if word == "delimiter" and (told := _DELIMITER.match(line)):
        return "delimiter", head + told.start(1), head + told.end(1)
    return None


def _bare_head(text: str, begin: int) -> str:
    """Return the beginning of a statement without comments."""
    return re.sub(r"--[^\n]*|/\*.*?\*/", " ", text[begin : begin + 4000], flags=re.DOTALL)


def _is_transaction(text: str, end: int) -> bool:
    return bool(re.match(r"\s*(?:;|TRAN|WORK|ISOLATION)", text[end : end + 20], re.IGNORECASE))


def _closes_inner(text: str, end: int) -> bool:
    """Whether an END ends something that no BEGIN or CASE began: ``END IF``."""
    found = re.match(r"\s+(\w+)", text[end : end + 20])
    return bool(found and found[1].lower() in _INNER_ENDS)


def _data_end(lines: Sequence[str], line: int) -> int:
    for n in range(line + 1, len(lines) + 1):
        if lines[n - 1] == "\\.":
            return n
    return line


def _entry(document: Document, span: Span) -> Iterator[Entry]:
    lines = document.lines
    first = span.start
    while first <= span.end and (not lines[first - 1].strip() or _is_comment(lines, first, span)):
        first += 1
    if first > span.end:
        return
    text = "\n".join(lines[first - 1 : min(span.end, first + 40)]).lstrip(" \t(")
    created, touched = _CREATE.match(text), _ON.match(text)
    if created is None and touched is None:
        return
    kind = " ".join(created[1].lower().split()) if created else text.split(None, 1)[0].lower()
    name = _plain(created[2] if created else touched[1] if touched else "")
    start = comments_above(lines, first, ("--",), span.start)
    own = without_tail(Span(start, span.end), lines)
    is_new = created is not None and text[:6].upper() == "CREATE"
    role = _ROLES.get(kind, "type") if is_new and kind not in ("index", "extension") else "statement"
    head = min(own.end, first + _SIGNATURE_LINES)
    signature_end = next((n for n in range(first, head + 1) if _HEAD_END.search(lines[n - 1])), first)
    yield Entry(
        role=role,
        name=name,
        span=own,
        title=f"{kind} {name}",
        signature=" ".join("\n".join(lines[first - 1 : signature_end]).split()).rstrip("( "),
        doc="\n".join(lines[start - 1 : first - 1]),
        shown=(Span(start, max(signature_end, first)),)
        if role == "function" and own.end > signature_end
        else (),
        defines=tuple(_columns(lines[first : own.end])) if kind == "table" and is_new else (),
        joins=SMALL_CHARS if role == "statement" else 0,
    )


def _is_comment(lines: Sequence[str], n: int, span: Span) -> bool:
    """Whether a line is of a comment that stands in front of a statement."""
    line = lines[n - 1].strip()
    if line.startswith(("--", "#", "\\")) or _GO.match(line) or _DELIMITER.match(line):
        return True
    opened = next((k for k in range(n, span.start - 1, -1) if "/*" in lines[k - 1]), 0)
    if not opened or not lines[opened - 1].lstrip().startswith("/*"):
        return False
    closed = next((k for k in range(opened, span.end + 1) if "*/" in lines[k - 1]), span.end)
    return n <= closed and (n < closed or lines[n - 1].rstrip().endswith(("*/", "*/;")))


def _columns(lines: Sequence[str]) -> Iterator[str]:
    for line in lines:
        found = _COLUMN.match(line)
        if found and found[1].lower() not in _NO_COLUMNS:
            yield found[1]


def _plain(name: str) -> str:
    return re.sub(r"[\"`\[\]]", "", re.sub(r"\s*\.\s*", ".", name))
