"""Keeps text inside its boundary: what a repository holds cannot close, open or forge a marker.

========================  ==================================================================
``neutralise``            bodies in XML: structural tags of ours become visible references
``restore``               the inverse of ``neutralise``
``fence``                 bodies in Markdown: a fence that no run in the body can close
``rule``                  bodies in plain text: a line of ``=`` that no run in the body can close
``attribute``             names in XML attributes
``quoted``, ``is_bare``   names in headers of Markdown and plain text
``code_span``             words of the task in Markdown
========================  ==================================================================

All are deterministic functions of the text: no random nonce, so the same unit gives the same bytes.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator
from functools import lru_cache
from itertools import groupby
from typing import Final, NamedTuple

STRUCTURAL_TAGS: Final = ("source-unit", "pack-guide", "pack-task", "pack-request")
"""The tags of the XML format. Unusual names, so that ordinary markup is left alone."""

# Characters that stand for another one without being compatible with it in the sense of Unicode.
_LOOKALIKES: Final = {
    "<": "‹«⟨⟪〈〈《˂ᐸ❮❰",
    "/": "\\⁄∕⧸╱⟋",
    "-": "_−⁃",
    "a": "аɑα",
    "c": "сϲᴄ",
    "d": "ԁ",
    "e": "еҽ",
    "g": "ɡց",
    "i": "іıɩι",
    "k": "кκ",
    "n": "пո",
    "o": "оοօᴏ",
    "p": "рρ",
    "q": "ԛ",
    "r": "гᴦ",
    "s": "ѕꜱ",
    "t": "тτ",
    "u": "υսᴜ",
}

# Invisible, though Unicode calls them letters or symbols: Hangul fillers and the blank Braille cell.
_BLANK_LETTERS: Final = "\u115f\u1160\u2800\u3164\uffa0"

_IGNORED_CATEGORIES: Final = frozenset({"Cc", "Cf", "Me", "Mn", "Zl", "Zp", "Zs"})

# All that is assigned outside ideographs and private use, without the surrogates.
_SCANNED: Final = (range(0x80, 0xD800), range(0xE000, 0x20000), range(0xE0000, 0xE1000))

# Behind a class of "<" and "&": nothing more for the former, the rest of a reference for the latter.
# (One class in front lets the regex engine skip over everything else.)
_REFERENCE: Final = r"(?:(?<!&)|(?<=&)(?:amp;)*+(?:lt|#x[0-9A-F]{2,4});)"

_LONG_FENCE: Final = 16
"""Above this many backticks, tildes are tried: only a hostile or generated file gets there."""

_TAG_ASCII: Final = re.compile(
    rf"([<&]{_REFERENCE})"
    r"(?=[\x00-\x20\x7f]*+(?:[/\\][\x00-\x20\x7f]*+)*+(?:"
    + "|".join(
        r"[\x00-\x20\x7f]*+".join("[-_]" if c == "-" else f"[{c}{c.upper()}]" for c in tag)
        for tag in STRUCTURAL_TAGS
    )
    + "))"
)


class _Lookup(NamedTuple):
    """Spellings of each character (or pair) of a marker, and what is skipped between: classes of ``re``."""

    spellings: dict[str, str]
    ignored: str
    unseen: str


@lru_cache(maxsize=1)
def _lookup() -> _Lookup:
    """Scan Unicode once (about 0.1 s; only when a body is not ASCII)."""
    pairs = {tag[i : i + 2] for tag in STRUCTURAL_TAGS for i in range(len(tag) - 1)}
    wanted = set("".join(STRUCTURAL_TAGS)) | set("</`~=") | pairs
    spellings = {char: char + char.upper() * char.isalpha() for char in wanted if len(char) == 1}
    for char, alike in _LOOKALIKES.items():
        spellings[char] += "".join(dict.fromkeys(alike + alike.upper()))
    ignored = [chr(code) for code in (*range(0x21), 0x7F)]
    ignored += _BLANK_LETTERS
    for char in (chr(code) for span in _SCANNED for code in span):
        category = unicodedata.category(char)
        if category in _IGNORED_CATEGORIES:
            ignored.append(char)
        elif category == "Pd":
            spellings["-"] += char
        else:
            folded = _fold(char)
            if not folded:
                ignored.append(char)
            elif folded in wanted:
                spellings[folded] = spellings.get(folded, "") + char
    return _Lookup(
        spellings={text: _class(spelled) for text, spelled in spellings.items()},
        ignored=_class(ignored),
        unseen=_class(char for char in ignored if not char.isspace()),
    )


def _fold(char: str) -> str:
    """Return what ``char`` stands for: compatibility forms resolved, accents and case taken away."""
    if not unicodedata.decomposition(char):
        return char.casefold()  # most characters; of Hangul no part is of a marker
    parts = unicodedata.normalize("NFKD", char)
    return "".join(c for c in parts if unicodedata.category(c) not in _IGNORED_CATEGORIES).casefold()


def _class(chars: Iterable[str]) -> str:
    """Return the inside of a character class, as ranges."""
    parts: list[str] = []
    codes = sorted({ord(char) for char in chars})
    for _, run in groupby(enumerate(codes), key=lambda pair: pair[1] - pair[0]):
        members = [code for _, code in run]
        parts.append(f"\\U{members[0]:08x}-\\U{members[-1]:08x}")
    return "".join(parts)


@lru_cache(maxsize=1)
def _tag_unicode() -> re.Pattern[str]:
    """Return the pattern of :data:`_TAG_ASCII`, tolerant of every Unicode spelling."""
    found = _lookup()
    skip = f"[{found.ignored}]*+"

    def one(text: str) -> str:
        return f"[{found.spellings[text]}]"

    def spell(tag: str) -> Iterator[str]:
        i = 0
        while i < len(tag):
            pair = tag[i : i + 2]
            if len(pair) == 2 and pair in found.spellings:
                yield f"(?:{one(pair[0])}{skip}{one(pair[1])}|{one(pair)})"
                i += 2
            else:
                yield one(tag[i])
                i += 1

    tags = "|".join(skip.join(spell(tag)) for tag in STRUCTURAL_TAGS)
    return re.compile(f"([&{found.spellings['<']}]{_REFERENCE})(?={skip}(?:{one('/')}{skip})*+(?:{tags}))")


def _tag(text: str) -> re.Pattern[str]:
    return _TAG_ASCII if text.isascii() else _tag_unicode()


def neutralise(body: str) -> str:
    """Return ``body`` with the first character of every structural tag as a visible reference.

    ``</source-unit>`` becomes ``&lt;/source-unit>``, in whatever case, spacing or Unicode spelling it
    is written, and a body that already says ``&lt;/source-unit>`` says ``&amp;lt;/source-unit>``
    afterwards. Everything else stays as it is: ``a < b``, ``</div>``, ``&lt;p>``.
    """
    if "<" not in body and "&" not in body and body.isascii():
        return body

    def reference(match: re.Match[str]) -> str:
        found = match[1]
        if found.startswith("&"):
            return "&amp;" + found[1:]
        return "&lt;" if found == "<" else _reference(found)

    return _tag(body).sub(reference, body)


def restore(text: str) -> str:
    """Return the body of which ``text`` is the neutralised form."""

    def original(match: re.Match[str]) -> str:
        found = match[1]
        if not found.startswith("&"):
            return found
        if found.startswith("&amp;"):
            return "&" + found[5:]
        return "<" if found == "&lt;" else chr(int(found[3:-1], 16))

    return _tag(text).sub(original, text)


def fence(body: str) -> str:
    """Return a Markdown fence that is longer than any run of its character in ``body``.

    Backticks, at least three; tildes where that would be a long fence and they need fewer. Runs are
    counted with the characters inside them that cannot be seen.
    """
    ticks = max(2, longest_run(body, "`")) + 1
    if ticks <= _LONG_FENCE:
        return "`" * ticks
    tildes = max(2, longest_run(body, "~")) + 1
    return "~" * tildes if tildes < ticks else "`" * ticks


def longest_run(text: str, char: str) -> int:
    """Return the length of the longest run of ``char`` (a backtick, a tilde or ``=``) or of its variants."""
    if text.isascii():
        if char not in text:
            return 0
        return max(map(len, re.findall(f"{char}++", text)), default=0)
    return max((len(run) for run in _run(char).findall(text)), default=0)


@lru_cache(maxsize=3)
def _run(char: str) -> re.Pattern[str]:
    found = _lookup()
    one = found.spellings[char]
    return re.compile(f"[{one}][{one}{found.unseen}]*+")


def rule(body: str) -> str:
    """Return a run of ``=``, at least three, that is longer than any in ``body``."""
    return "=" * (max(2, longest_run(body, "=")) + 1)


_NAMED: Final = {"&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;"}
_SHORT: Final = {"\\": "\\\\", "\n": "\\n", "\r": "\\r", "\t": "\\t"}
_PLAIN_NAME: Final = re.compile(r"[\w ./:#@+=,()\[\]{}*?!$%^;|~'-]*", re.ASCII)

_BARE: Final = re.compile(r"(?=.*[/:#])(?:[a-z]+:)?[a-zA-Z_.@$][\w./#@~+$-]*", re.ASCII)
_BARE_FILE: Final = re.compile(r"(?=.*[/.])[a-zA-Z_.@$][\w./@~+$-]*", re.ASCII)


@lru_cache(maxsize=4096)
def _is_unsafe(char: str) -> bool:
    """Whether ``char`` is a control, cannot be seen, breaks a line, or is a variant of a delimiter."""
    category = unicodedata.category(char)
    if category in ("Cc", "Cf", "Cs", "Zl", "Zp") or char in _BLANK_LETTERS:
        return True
    return not char.isascii() and not set(unicodedata.normalize("NFKD", char)).isdisjoint('<>&"`\\')


def attribute(name: str) -> str:
    """Return ``name`` for a double-quoted attribute on one line; what cannot be seen is a reference."""
    if _PLAIN_NAME.fullmatch(name):
        return name
    # Guillemets and the like are left alone, unless they spell a tag of ours.
    also = _LOOKALIKES["<"] if _tag(name).search(name) else ""
    return "".join(_NAMED.get(c) or (_reference(c) if _is_unsafe(c) or c in also else c) for c in name)


def _reference(char: str) -> str:
    return f"&#x{ord(char):X};"


def visible(name: str) -> str:
    r"""Return ``name`` on one line: what cannot be seen as ``\n`` or ``\u202e``, a backslash doubled."""
    if _PLAIN_NAME.fullmatch(name):
        return name
    return "".join(_SHORT.get(c) or (_code_point(c) if _is_unsafe(c) else c) for c in name)


def _code_point(char: str) -> str:
    code = ord(char)
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


def is_bare(name: str) -> bool:
    """Whether a header can show ``name`` without delimiters.

    It is one ASCII word with a ``/``, ``:`` or ``#`` in it, as no word of ours is, and holds nothing
    that looks like the lines behind a name.
    """
    return _BARE.fullmatch(name) is not None


def is_bare_file(name: str) -> bool:
    """Whether a header can show the path ``name`` without delimiters: as :func:`is_bare`, and neither lines
    nor a name can be told wrong behind it. It holds a ``/`` or a dot, as no word of ours does.
    """
    return _BARE_FILE.fullmatch(name) is not None


def quoted(name: str) -> str:
    """Return ``name`` between double quotes on one line; quotes and backticks in it are escaped."""
    return '"' + visible(name).replace('"', '\\"').replace("`", "\\u0060") + '"'


def code_span(name: str) -> str:
    """Return ``name`` as a Markdown code span that its own backticks cannot close."""
    text = visible(name)
    ticks = "`" * (max(map(len, re.findall("`++", text)), default=0) + 1)
    # CommonMark strips one space from both ends, and needs one beside a backtick.
    pad = " " if text[:1] in ("`", " ") or text[-1:] in ("`", " ") else ""
    return f"{ticks}{pad}{text}{pad}{ticks}"
