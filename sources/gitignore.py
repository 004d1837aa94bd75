"""Git's ignore rules, byte for byte: the files that hold them, and what they match.

The semantics are those of git's ``dir.c`` and ``wildmatch.c``, tested against ``git check-ignore``.
Ready-made matchers were measured first and differ in corners: ripgrep's crate reads ``{a,b}`` as
alternatives where git takes it literally, and no walker tells which rule left a file out.

Paths and names are given in byte form (:func:`~satchel.sources.paths.byte_form`).
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from .paths import display_path, from_byte_form

_GLOB_SPECIAL: Final = re.compile(r"[*?\[\\]")
_BOM: Final = b"\xef\xbb\xbf"


@dataclass(frozen=True, slots=True)
class Rule:
    """One line of an ignore file.

    Attributes
    ----------
    origin
        The file that holds the rule, in printable form.
    line
        1-based line number in it.
    pattern
        The rule as written, without trailing spaces, in printable form.
    negated
        Whether the rule takes a path back in (``!``).
    dir_only
        Whether it matches folders only (a trailing slash).
    """

    origin: str
    line: int
    pattern: str
    negated: bool
    dir_only: bool

    def __str__(self) -> str:
        return f"{self.origin}:{self.line}: {self.pattern}"


@dataclass(frozen=True, slots=True)
class _Matcher:
    """A rule taken apart for matching; ``literal`` or ``suffix`` or ``regex`` is set."""

    rule: Rule
    by_name: bool
    literal: str | None = None
    suffix: str | None = None
    regex: re.Pattern[str] | None = None

    def matches(self, path: str, name: str) -> bool:
        """Whether the pattern fits ``path`` (relative to the rule's folder) whose last part is ``name``."""
        subject = name if self.by_name else path
        if self.literal is not None:
            return subject == self.literal
        if self.suffix is not None:
            return subject.endswith(self.suffix)
        return self.regex is not None and self.regex.fullmatch(subject) is not None


class RuleSet:
    """The rules of one ignore file, indexed so that the last one that matches is found fast."""

    __slots__ = ("_dirs", "_files", "_matchers", "base", "folded")

    def __init__(self, matchers: Iterable[_Matcher], base: str, *, folded: bool = False) -> None:
        self._matchers = tuple(matchers)
        self.base = base
        """Byte form of the folder whose paths the rules are relative to; empty, or ends in a slash."""
        self.folded = folded
        """Whether case is ignored (git's ``core.ignoreCase``)."""
        self._files = _Index((n, m) for n, m in enumerate(self._matchers) if not m.rule.dir_only)
        self._dirs = _Index(enumerate(self._matchers))

    def __len__(self) -> int:
        return len(self._matchers)

    @property
    def rules(self) -> tuple[Rule, ...]:
        """The rules, in the order of the file."""
        return tuple(matcher.rule for matcher in self._matchers)

    def match(self, path: str, name: str, *, is_dir: bool) -> Rule | None:
        """Return the last rule that matches, or ``None``.

        Parameters
        ----------
        path
            Byte form, in the same frame as ``base``, and below it.
        name
            Its last part.
        is_dir
            Whether it is a folder.
        """
        if self.folded:
            path, name = _fold(path), _fold(name)
        found = (self._dirs if is_dir else self._files).last(path, name, len(self.base))
        return None if found < 0 else self._matchers[found].rule

    def opened(self, folder: str) -> RuleSet:
        """Return the rules that still hold inside ``folder`` when the user has named that folder.

        Void are the rules that leave out the folder itself, a folder above it, or whatever is in it
        (``dist/*``); a rule about a name or another place (``*.log``, ``dist/old.js``) holds.
        """
        parts = folder[len(self.base) :].split("/")
        names = ["/".join(parts[: n + 1]) for n in range(len(parts))]
        if self.folded:
            names = [_fold(name) for name in names]
        any_child = f"{names[-1]}/\x01"
        kept = [
            matcher
            for matcher in self._matchers
            if matcher.rule.negated
            or not (
                any(matcher.matches(name, name.rpartition("/")[2]) for name in names)
                or (not matcher.rule.dir_only and matcher.matches(any_child, "\x01"))
            )
        ]
        return self if len(kept) == len(self) else RuleSet(kept, self.base, folded=self.folded)


class _Index:
    """Rules by what they need: a dictionary look-up where they are literal, a regex where not."""

    __slots__ = ("names", "paths", "regexes", "suffixes")

    def __init__(self, matchers: Iterable[tuple[int, _Matcher]]) -> None:
        self.names: dict[str, int] = {}
        self.paths: dict[str, int] = {}
        self.suffixes: dict[int, dict[str, int]] = {}
        wild: dict[bool, list[tuple[int, re.Pattern[str]]]] = {True: [], False: []}
        for number, matcher in matchers:
            if matcher.literal is not None:
                (self.names if matcher.by_name else self.paths)[matcher.literal] = number
            elif matcher.suffix is not None:
                self.suffixes.setdefault(len(matcher.suffix), {})[matcher.suffix] = number
            elif matcher.regex is not None:
                wild[matcher.by_name].append((number, matcher.regex))
        self.regexes = [(by_name, _gate(rules), rules[::-1]) for by_name, rules in wild.items() if rules]

    def last(self, path: str, name: str, skip: int) -> int:
        """Return the number of the last matching rule, or -1; ``skip`` is the length of the base."""
        best = self.names.get(name, -1)
        for length, suffixes in self.suffixes.items():
            found = suffixes.get(name[max(len(name) - length, 0) :], -1)
            if found > best:
                best = found
        if self.paths:
            best = max(best, self.paths.get(path[skip:], -1))
        for by_name, gate, rules in self.regexes:
            subject = name if by_name else path[skip:]
            if gate.fullmatch(subject):
                best = max(best, next((n for n, regex in rules if regex.fullmatch(subject)), -1))
        return best


def _gate(rules: list[tuple[int, re.Pattern[str]]]) -> re.Pattern[str]:
    """Return one expression for all: nearly every path matches none of them, which one look then tells."""
    if len(rules) == 1:
        return rules[0][1]
    return re.compile("|".join(f"(?:{regex.pattern})" for _, regex in rules), re.DOTALL)


def parse_rules(data: bytes, origin: str, base: str = "", *, folded: bool = False) -> RuleSet:
    """Read the bytes of an ignore file.

    A byte-order mark is skipped, as git does; the line end may be LF or CRLF.

    Parameters
    ----------
    data
        The bytes of the file.
    origin
        Its name, for explanations.
    base
        Byte form of the folder that it stands in; empty, or ends in a slash.
    folded
        Ignore case.
    """
    matchers: list[_Matcher] = []
    for number, line in enumerate(data.removeprefix(_BOM).split(b"\n"), start=1):
        text = line.removesuffix(b"\r").partition(b"\0")[0].decode("latin-1")
        if text and not text.startswith("#"):
            matchers.append(_compile(_trim(text), origin, number, folded=folded))
    return RuleSet(matchers, base, folded=folded)


def _trim(line: str) -> str:
    """Cut trailing spaces, unless a backslash quotes them; tabs stay."""
    end = 0
    i = 0
    while i < len(line):
        if line[i] == "\\":
            i += 1
            if i == len(line):
                return line
            end = i + 1
        elif line[i] != " ":
            end = i + 1
        i += 1
    return line[:end]


def _compile(line: str, origin: str, number: int, *, folded: bool) -> _Matcher:
    negated = line.startswith("!")
    body = line[1:] if negated else line
    fixed = _GLOB_SPECIAL.search(body)
    prefix = len(body) if fixed is None else fixed.start()
    dir_only = body.endswith("/")
    body = body[:-1] if dir_only else body
    prefix = min(prefix, len(body))
    rule = Rule(origin, number, display_path(from_byte_form(line)), negated, dir_only)
    by_name = "/" not in body
    if body.startswith("/"):
        body, prefix = body[1:], prefix - 1
    head, tail = body[:prefix], body[prefix:]
    if folded:
        head = _fold(head)
    if not tail:
        return _Matcher(rule, by_name, literal=head)
    if by_name and not head and tail[0] == "*" and not _GLOB_SPECIAL.search(tail[1:]):
        return _Matcher(rule, by_name, suffix=_fold(tail[1:]) if folded else tail[1:])
    # Git compares the part before the first wildcard itself and hands only the rest to its matcher,
    # for which a leading ** then stands at the start: `a**/b` matches `a/x/b`.
    source = translate(tail if not by_name else body, folded=folded)
    if source is None:
        return _Matcher(rule, by_name)
    if not by_name:
        source = re.escape(head) + source
    return _Matcher(rule, by_name, regex=re.compile(source, re.DOTALL))


def _fold(text: str) -> str:
    """Lower the ASCII letters, and only those."""
    return text.lower() if text.isascii() else text.encode("latin-1").lower().decode("latin-1")


def translate(pattern: str, *, folded: bool = False) -> str | None:
    """Return a wildcard pattern as a regular expression for ``fullmatch``, ``None`` if it matches nothing.

    Every star that another one follows sits in an atomic group: the first place where the text after
    it fits is as good as any later one, so a hostile pattern cannot make matching slow.
    """
    skips = [""]
    """What stands before each piece: nothing, or a run of parts that ``**`` passes over."""
    pieces: list[list[str | None]] = [[]]
    """Pieces between the ``**``, each a list of one-character expressions and ``None`` for a star."""
    i = 0
    while i < len(pattern):
        char = pattern[i]
        if char == "*":
            end = i
            while end < len(pattern) and pattern[end] == "*":
                end += 1
            rest = pattern[end : end + 2]
            crosses = end - i > 1 and (i == 0 or pattern[i - 1] == "/")
            if crosses and rest[:1] == "/":
                skips.append("(?:[^/]*/)*?")
                pieces.append([])
                end += 1
            elif crosses and rest in ("", "\\/"):
                skips.append(".*?" if rest else ".*")
                pieces.append([])
            else:
                pieces[-1].append(None)
            i = end
            continue
        if char == "[":
            found = _bracket(pattern, i, folded=folded)
            if found is None:
                return None
            accepted, i = found
            pieces[-1].append(accepted)
            continue
        if char == "?":
            pieces[-1].append("[^/]")
        elif char == "\\":
            i += 1
            if i == len(pattern):
                return None
            pieces[-1].append(re.escape(pattern[i]))
        else:
            pieces[-1].append(re.escape(_fold(char) if folded else char))
        i += 1
    last = len(pieces) - 1
    return "".join(
        skip + _piece(piece, last=True) if n == last else f"(?>{skip}{_piece(piece, last=False)})"
        for n, (skip, piece) in enumerate(zip(skips, pieces, strict=True))
    )


def _piece(tokens: list[str | None], *, last: bool) -> str:
    stars = [n for n, token in enumerate(tokens) if token is None]
    bounds = [*stars, len(tokens)]
    out = "".join(token for token in tokens[: bounds[0]] if token)
    for n, star in enumerate(stars):
        chunk = "".join(token for token in tokens[star + 1 : bounds[n + 1]] if token)
        out += f"[^/]*{chunk}" if last and n == len(stars) - 1 else f"(?>[^/]*?{chunk})"
    return out


_BETWEEN_COLONS: Final = re.compile(r"\[:([^\]]*)")

_CLASSES: Final[dict[str, frozenset[int]]] = {
    "alnum": frozenset(b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"),
    "alpha": frozenset(b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"),
    "blank": frozenset(b" \t"),
    "cntrl": frozenset((*range(32), 127)),
    "digit": frozenset(b"0123456789"),
    "graph": frozenset(range(33, 127)),
    "lower": frozenset(b"abcdefghijklmnopqrstuvwxyz"),
    "print": frozenset(range(32, 127)),
    "punct": frozenset(b"!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~"),
    "space": frozenset(b" \t\n\r"),
    "upper": frozenset(b"ABCDEFGHIJKLMNOPQRSTUVWXYZ"),
    "xdigit": frozenset(b"0123456789abcdefABCDEF"),
}
"""The named classes, over ASCII only, as git's own character tables define them."""


def _bracket(pattern: str, start: int, *, folded: bool) -> tuple[str, int] | None:
    """Return the expression of the ``[...]`` at ``start`` and the index after it; ``None`` if malformed."""
    accepted: set[int] = set()
    i = start + 1
    negated = pattern[i : i + 1] in ("!", "^") and i < len(pattern)
    i += negated
    previous = 0
    first = True
    while first or pattern[i : i + 1] != "]":
        first = False
        if i >= len(pattern):
            return None
        char = pattern[i]
        named = _BETWEEN_COLONS.match(pattern, i) if char == "[" else None
        if char == "-" and previous and i + 1 < len(pattern) and pattern[i + 1] != "]":
            i += 2 if pattern[i + 1] == "\\" else 1
            if i >= len(pattern):
                return None
            accepted |= _span(previous, ord(pattern[i]), folded=folded)
            previous = 0
        elif named is not None:
            if named.end() == len(pattern):
                return None
            name = named[1]
            if name.endswith(":"):
                if name[:-1] not in _CLASSES:
                    return None
                accepted |= _CLASSES[name[:-1]]
                if folded and name == "upper:":
                    accepted |= _CLASSES["lower"]
                i = named.end()
                previous = 0
            else:
                accepted.add(ord("["))
                previous = ord("[")
        else:
            if char == "\\":
                i += 1
                if i >= len(pattern):
                    return None
            previous = ord(pattern[i])
            accepted.add(previous)
        i += 1
    if negated:
        accepted = set(range(1, 256)) - accepted
    accepted.discard(ord("/"))
    codes = "".join(f"\\x{code:02x}" for code in sorted(accepted))
    return (f"[{codes}]" if codes else "(?!)"), i + 1


def _span(low: int, high: int, *, folded: bool) -> set[int]:
    span = set(range(low, high + 1))
    if folded:
        span |= {code + 32 for code in span if chr(code).isascii() and chr(code).isupper()}
    return span
