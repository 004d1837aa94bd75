"""Values that look random, assigned to names that say that they are secret."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise
from typing import Final

_NAMED: Final = (
    r"(?:passwords?|passwd|pwd|passphrase|secrets?|tokens?|credentials?"
    r"|(?:api|access|private|auth|account|encryption|signing|master|shared)[_-]?keys?)"
)
_TAIL: Final = r"(?:[_-]?(?i:key|base|salt|hash|value|id)){0,2}\d?"

ASSIGNED: Final = re.compile(
    rf"(?P<name>(?i:{_NAMED}){_TAIL})(?![a-z])"
    r"(?P<sets>[\"'`]?\]?[ \t]*(?::[ \t]*(?:str|string|String|&str)[ \t]*)?"
    r"(?:=>|:=|=|:|,(?=[ \t]*[\"']))[ \t]*)"
    r"(?:[bru]?(?P<quote>[\"'`])(?P<quoted>[^\s\"'`\\]{8,256})(?P=quote)"
    r"|(?P<bare>[^\s\"'`<>]{8,256})(?=[ \t]*(?:\#|\r?\n|\Z)))"
)
"""A name, what sets it, and a value in quotes or bare up to the end of its line."""

_STEMS: Final = ("passw", "passphrase", "pwd", "secret", "token", "credential")
"""What every name begins with, but for those of keys; looked for first, as it is a hundred times quicker."""

_OF_KEYS: Final = tuple(
    word + mark
    for word in ("api", "access", "private", "auth", "account", "encryption", "signing", "master", "shared")
    for mark in ("", "_", "-")
)
"""What stands before ``key`` in such a name."""

_FOLDED: Final = frozenset("\u017f\u0130\u0131")
"""Letters that match ``s`` and ``i`` where case is ignored, and do not become them in lower case."""

_LINE_START: Final = re.compile(r"(?:\A|\n)[ \t]*(?:(?:export|ENV|ARG|set|-e|-)[ \t]+)?[\w.-]*\Z")
"""What stands before the name of a bare value: in code a bare word is no value but another name."""

_BEFORE: Final = 80
"""How many characters before a name are looked at."""

_LOOKED_UP: Final = re.compile(
    r"^[<$%@{*\[]|\||^urn:|\$[{(]|\{\{|%\(|[()]|://|[,;{\[]$|^(?:process|os|env|config|settings|self|this)\."
)
"""A value that is taken from somewhere else, or that a template fills in."""

_SEPARATORS: Final = re.compile(r"[-_./:]+")
_SHORTEST: Final = 16
_SHORTEST_PASSWORD: Final = 8
_LEAST_CHANGES: Final = 0.28
"""Changes between small letters, capitals, digits and marks, of all that there could be.

Random letters and digits, and hexadecimal digits, change in almost half of the places; words in any
spelling of identifiers in a fifth, the one from a capital to the rest of its word not counted.
"""
_WORD_BEGINS: Final = (2, 1)
_LEAST_DIFFERENT: Final = 6


def assignments(text: str) -> Iterator[re.Match[str]]:
    """Yield what ``ASSIGNED.finditer(text)`` yields, from where a name can begin at all."""
    if not text.isascii() and not _FOLDED.isdisjoint(text):
        yield from ASSIGNED.finditer(text)
        return
    end = 0
    for start in _starts(text.lower()):
        found = ASSIGNED.match(text, start) if start >= end else None
        if found is not None:
            end = found.end()
            yield found


def _starts(lower: str) -> list[int]:
    """Return where the name of an assignment may begin, in order."""
    starts: list[int] = []
    for stem in _STEMS:
        at = lower.find(stem)
        while at >= 0:
            starts.append(at)
            at = lower.find(stem, at + len(stem))
    at = lower.find("key")
    while at >= 0:
        if lower.endswith(_OF_KEYS, max(0, at - 11), at):
            starts.append(at - next(len(word) for word in _OF_KEYS if lower.endswith(word, 0, at)))
        at = lower.find("key", at + 3)
    return sorted(starts)


def assigned(found: re.Match[str]) -> tuple[str, int, int] | None:
    """Return rule, start and end of the secret in a match of :data:`ASSIGNED`; ``None`` if it holds none."""
    group = "quoted" if found["quoted"] is not None else "bare"
    value = found[group]
    if _LOOKED_UP.search(value):
        return None
    if group == "bare":
        before = found.string[max(0, found.start() - _BEFORE) : found.start()]
        if found["sets"].strip() not in ("=", ":") or not _LINE_START.search(before):
            return None
    password = found["name"].lower().startswith("pass") or found["name"].lower().startswith("pwd")
    # Bare, and set apart by spaces, it may be a name: it takes more to be a value.
    short = password and (group == "quoted" or found["sets"] in ("=", ": "))
    if not _random(value, _SHORTEST_PASSWORD if short else _SHORTEST):
        return None
    return "password" if password else "secret-value", found.start(group), found.end(group)


def _random(value: str, shortest: int) -> bool:
    plain = _SEPARATORS.sub("", value)
    if len(plain) < shortest or len(set(plain)) < _LEAST_DIFFERENT:
        return False
    sorts = [_sort(char) for char in plain]
    changes = sum(one != other and (one, other) != _WORD_BEGINS for one, other in pairwise(sorts))
    return changes >= _LEAST_CHANGES * (len(plain) - 1)


def _sort(char: str) -> int:
    if char.isdigit():
        return 0
    return 1 if char.islower() else 2 if char.isupper() else 3
