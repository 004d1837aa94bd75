"""Pages of documentation: their title, headings, and the names of code that they speak of."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

_FENCED: Final = re.compile(r"^([ \t]*)(```+|~~~+|-{4,}$)[^\n]*\n(.*?)^\1?\2", re.MULTILINE | re.DOTALL)
_INDENTED: Final = re.compile(r"(?<=::)\n\n((?:[ \t]+\S.*\n|\n)+)")
_INLINE: Final = re.compile(r"(?:``([^`\n]+)``|`([^`\n]+)`)")
_ROLE: Final = re.compile(r":(?:\w+:)?\w+:`([^`]+)`")
_ATX: Final = re.compile(r"^(?:#{1,4}|={1,4})[ \t]+(\S.*?)[ \t#]*(?:\{#[^}]*\})?$", re.MULTILINE)
_UNDERLINED: Final = re.compile(r"^(\S[^\n]*)\n(={3,}|-{3,}|~{3,}|\^{3,})[ \t]*$", re.MULTILINE)
_FRONT: Final = re.compile(r"\A---\n(.*?)\n---\n", re.DOTALL)
_FRONT_TITLE: Final = re.compile(r"^title:\s*[\"']?(.+?)[\"']?\s*$", re.MULTILINE)
_LINK: Final = re.compile(r"\[([^\]]*)\]\([^)]*\)")
_MARKUP: Final = re.compile(r"[`*]|:\w+:|<[^>]+>")
_DOTTED: Final = re.compile(r"[A-Za-z_$][\w$]*(?:(?:\.|::|#|->)[A-Za-z_$][\w$]*)*")
_TYPE: Final = re.compile(r"\b[A-Z][\w$]*[a-z][\w$]*\b")


@dataclass(frozen=True, slots=True)
class Page:
    """What a page says of itself and of code.

    Attributes
    ----------
    title, headings
        As text; the title is the first heading or the front matter's.
    named
        Names set as code in running text, in order, qualified as they stand: ``("Context", "invoke")``.
    used
        Names spelled like types, in blocks of code.
    """

    title: str
    headings: tuple[str, ...]
    named: tuple[tuple[str, ...], ...]
    used: tuple[str, ...]


def read_page(text: str) -> Page:
    """Read a page in Markdown, MDX, reStructuredText or AsciiDoc."""
    text = text.replace("\r\n", "\n")
    front = _FRONT.match(text)
    title = ""
    if front:
        text = text[front.end() :]
        found = _FRONT_TITLE.search(front.group(1))
        title = found.group(1) if found else ""
    blocks = [m.group(3) for m in _FENCED.finditer(text)]
    prose = _FENCED.sub("\n", text)
    blocks += [m.group(1) for m in _INDENTED.finditer(prose)]
    prose = _INDENTED.sub("\n", prose)
    headings = [_plain(h) for h in _headings(prose)]
    if not title and headings:
        title = headings.pop(0)
    named: dict[tuple[str, ...], None] = {}
    for found in _ROLE.finditer(prose):
        named.update(dict.fromkeys(_names(found.group(1).split("<")[-1].rstrip(">").lstrip("~!"))))
    for found in _INLINE.finditer(_ROLE.sub(" ", prose)):
        named.update(dict.fromkeys(_names(found.group(1) or found.group(2))))
    used: dict[str, None] = {}
    for block in blocks:
        used.update(dict.fromkeys(_TYPE.findall(block)))
    return Page(title, tuple(h for h in headings if h), tuple(named), tuple(used))


def _headings(prose: str) -> list[str]:
    found = [(m.start(), m.group(1)) for m in _ATX.finditer(prose)]
    found += [(m.start(), m.group(1)) for m in _UNDERLINED.finditer(prose)]
    return [text for _, text in sorted(found)]


def _plain(heading: str) -> str:
    return " ".join(_MARKUP.sub("", _LINK.sub(r"\1", heading)).split())


def _names(code: str) -> list[tuple[str, ...]]:
    """Return the one name that a literal is, with what qualifies it; nothing of a longer phrase."""
    literal = code.strip().removeprefix("@").split("(")[0].split("<")[0].rstrip(":!?")
    found = _DOTTED.fullmatch(literal)
    return [tuple(re.split(r"\.|::|#|->", literal))] if found else []
