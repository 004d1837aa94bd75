"""What a file is for, and in which language, with the rule that decided.

The first rule that fits decides, in this order: binary, vendored, lock, minified, generated, test,
documentation, example, contract, configuration, data, and at last what its language is for.
The rules are data (:mod:`.file_classes`, :mod:`.languages`).
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from .file_classes import (
    BINARY_EXTENSIONS,
    COMMENT_START,
    CONFIG_RULES,
    CONTRACT_RULES,
    CONTRACT_TEXTS,
    DATA_RULES,
    DATA_TEXTS,
    DOC_RULES,
    EXAMPLE_RULES,
    GENERATED_LINES,
    GENERATED_MARKER,
    GENERATED_RULES,
    LOCK_RULES,
    MINIFIED_RULES,
    SETTINGS_JSON_CHARS,
    TEST_RULES,
    VENDORED_RULES,
    FileClass,
    PathRule,
    TextRule,
)
from .languages import ROLES, Role, language_of

_MINIFIED_CHARS: Final = 1_000
"""Shorter texts are never minified by shape."""

_MEAN_LINE: Final = 250
"""Characters in a line, on average, above which code was not written by hand."""

_LONG_LINE: Final = 2_000
"""A line above this is long; code of which long lines make half is minified."""

_BY_ROLE: Final = {
    Role.CODE: FileClass.SOURCE,
    Role.PROSE: FileClass.DOC,
    Role.SETTINGS: FileClass.CONFIG,
    Role.DATA: FileClass.DATA,
}


@dataclass(frozen=True, slots=True)
class Classification:
    """Class and language of a file.

    Attributes
    ----------
    file_class
        What it is for.
    language
        Lower-case name, empty when not known.
    rule
        Identifier of the rule that decided the class, ``class:what``.
    evidence
        What the rule saw: the part of the path, the line, the numbers.
    """

    file_class: FileClass
    language: str
    rule: str
    evidence: str


def classify(path: str, text: str | None = None) -> Classification:
    """Classify a file.

    Parameters
    ----------
    path
        POSIX path relative to the root.
    text
        Its decoded content; ``None`` when it is binary or was not read, so that only the path tells.
    """
    language, told = language_of(path, text)
    name = path.rpartition("/")[2]
    extension = name.rpartition(".")[2].lower()
    if text is None and extension in BINARY_EXTENSIONS:
        return Classification(FileClass.BINARY, language, "binary:extension", f".{extension}")
    found = (
        _by_path((*VENDORED_RULES, *LOCK_RULES, *MINIFIED_RULES), path, name, language)
        or _minified(text, language)
        or _by_path(GENERATED_RULES, path, name, language)
        or _generated(text, language)
        or _by_path((*TEST_RULES, *DOC_RULES, *EXAMPLE_RULES, *CONTRACT_RULES), path, name, language)
        or _by_text((*CONTRACT_TEXTS, *DATA_TEXTS), text, language)
        or _by_path((*CONFIG_RULES, *DATA_RULES), path, name, language)
        or _by_language(language, told, name, text)
    )
    return Classification(found[0], language, found[1], found[2])


_Found = tuple[FileClass, str, str]
"""Class, rule and evidence."""


def _by_path(rules: Iterable[PathRule], path: str, name: str, language: str) -> _Found | None:
    for rule in rules:
        if rule.languages and language not in rule.languages:
            continue
        found = rule.pattern.match(name) if rule.by_name else rule.pattern.search(path)
        if found:
            return rule.file_class, rule.id, name if rule.by_name else found[0].lstrip("/")
    return None


def _by_text(rules: Iterable[TextRule], text: str | None, language: str) -> _Found | None:
    if not text:
        return None
    for rule in rules:
        if rule.languages and language not in rule.languages:
            continue
        found = rule.pattern.search(text, 0, rule.chars)
        if found:
            return rule.file_class, rule.id, f"line {_line_number(text, found.end())}: {_shown(found[0])}"
    return None


def _minified(text: str | None, language: str) -> _Found | None:
    """Decide by the shape of the lines, for code and mark-up only: prose and data have long lines."""
    if text is None or len(text) < _MINIFIED_CHARS or ROLES.get(language) is not Role.CODE:
        return None
    lines = text.split("\n")
    mean = len(text) // len(lines)
    if mean > _MEAN_LINE:
        return FileClass.MINIFIED, "minified:lines", f"{mean} characters a line on average"
    sizes = list(map(len, lines))
    long = sum(size for size in sizes if size > _LONG_LINE) if max(sizes) > _LONG_LINE else 0
    if 2 * long > len(text):
        return FileClass.MINIFIED, "minified:lines", f"{100 * long // len(text)} % of it in very long lines"
    return None


def _generated(text: str | None, language: str) -> _Found | None:
    if not text:
        return None
    head = text[: GENERATED_LINES * 400]
    if head.isascii() and not any(words in head.lower() for words in ("generated", "do not ")):
        return None  # every marker says one of them; most files need no look at their lines
    for number, line in enumerate(head.split("\n")[:GENERATED_LINES], start=1):
        # In prose a sentence about generated files is no marker; a comment is.
        if not COMMENT_START.match(line) or (ROLES.get(language) is Role.PROSE and "<!--" not in line):
            continue
        if GENERATED_MARKER.match(line[:400]):
            return FileClass.GENERATED, "generated:marker", f"line {number}: {_shown(line)}"
    return None


def _by_language(language: str, told: str, name: str, text: str | None) -> _Found:
    role = ROLES.get(language)
    if language in ("json", "jsonc", "json5", "xml") and text is not None and len(text) > SETTINGS_JSON_CHARS:
        return FileClass.DATA, "data:size", f"{len(text)} characters of {language}"
    if role is not None:
        file_class = _BY_ROLE[role]
        return file_class, f"{file_class}:language", told
    return FileClass.DATA, "data:unknown", name


def _line_number(text: str, end: int) -> int:
    return text.count("\n", 0, end) + 1


def _shown(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= 100 else line[:99] + "…"
