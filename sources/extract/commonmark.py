"""Headings of a Markdown text, found as CommonMark finds them, by one look at each line.

A full parser builds every block of a text; where its headings are is known from much less: which lines
stand inside a fence, HTML, a quote or a list item, and where paragraphs begin. Whatever stands inside
another block is no heading of the page.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

_FENCE: Final = re.compile(r"(`{3,})[^`]*$|(~{3,})")
_ATX: Final = re.compile(r"(#{1,6})(?:[ \t]+(.*?))??(?:[ \t]+#+)?[ \t]*$")
_RULE: Final = re.compile(r"(?:(?:\*[ \t]*){3,}|(?:-[ \t]*){3,}|(?:_[ \t]*){3,})$")
_UNDERLINE: Final = re.compile(r"(?:=+|-+)[ \t]*$")
_ITEM: Final = re.compile(r"(?:[-+*]|(\d{1,9})[.)])(?=[ \t]|$)")
_ITEMS: Final = re.compile(r"\A(?:(?:[-+*]|\d{1,9}[.)])(?:[ \t]+|$))+")
_REFERENCE: Final = re.compile(
    r"\[(?:[^\]\\]|\\.)+\]:[ \t]*\S+(?:[ \t]+(?:\"[^\"]*\"|'[^']*'|\([^)]*\)))?[ \t]*$"
)
_BLOCK_TAGS: Final = (
    "address|article|aside|base|basefont|blockquote|body|caption|center|col|colgroup|dd|details|dialog|dir|div"
    "|dl|dt|fieldset|figcaption|figure|footer|form|frame|frameset|h[1-6]|head|header|hr|html|iframe|legend|li"
    "|link|main|menu|menuitem|nav|noframes|ol|optgroup|option|p|param|search|section|summary|table|tbody|td"
    "|tfoot|th|thead|title|tr|track|ul"
)
_ATTRIBUTE: Final = r"\s+[A-Za-z_:][\w.:-]*(?:\s*=\s*(?:[^\s\"'=<>`]+|'[^']*'|\"[^\"]*\"))?"
_HTML: Final = tuple(
    (re.compile(begin, re.IGNORECASE), re.compile(end, re.IGNORECASE) if end else None)
    for begin, end in (
        (r"<(?:script|pre|style|textarea)(?:\s|>|$)", r"</(?:script|pre|style|textarea)>"),
        (r"<!--", r"-->"),
        (r"<\?", r"\?>"),
        (r"<![A-Z]", r">"),
        (r"<!\[CDATA\[", r"\]\]>"),
        (rf"</?(?:{_BLOCK_TAGS})(?:\s|/?>|$)", ""),
    )
)
"""How HTML blocks begin and end; those without an end, at a blank line."""

_LONE_TAG: Final = re.compile(rf"(?:<[A-Za-z][\w-]*(?:{_ATTRIBUTE})*\s*/?>|</[A-Za-z][\w-]*\s*>)\s*$")
_BLANK: Final = re.compile(r"^[ \t]*$")
_CODE_INDENT: Final = 4


class HeadingScanner:
    """Looks at the lines of one text, first to last.

    Attributes
    ----------
    headings
        Level, text, first and last line (1-based) of each heading that stands in no other block.
    borders
        Last lines of what a blank line or a list item follows, outside fences and HTML: where a text may
        be divided.
    """

    def __init__(self) -> None:
        self.headings: list[tuple[int, str, int, int]] = []
        self.borders: list[int] = []
        self._fence = ""
        self._html: re.Pattern[str] | None = None
        self._offset = 0
        """Column at which the content of the outermost open list item begins; 0 outside lists."""
        self._paragraph: list[str] = []
        self._start = 0
        self._lazy = False
        """Whether a paragraph inside a quote or list item is open, which a bare line continues."""
        self._quote = self._empty = False
        """Whether the line above is of a quote, or begins a list item that has no content yet."""
        self._inner_fence = ""

    def scan(self, lines: Sequence[str], skipped: int = 0) -> None:
        """Look at the lines after the first ``skipped``."""
        for n in range(skipped + 1, len(lines) + 1):
            self._line(n, lines[n - 1])

    def _line(self, n: int, line: str) -> None:
        text = line.lstrip(" ")
        indent = len(line) - len(text)
        if text[:1] == "\t":
            expanded = line.expandtabs(_CODE_INDENT)
            text = expanded.lstrip(" ")
            indent = len(expanded) - len(text)
        if self._fence:
            if indent < _CODE_INDENT and _closes(text, self._fence):
                self._fence = ""
                self.borders.append(n)
            return
        if self._html is not None:
            if self._html.search(line):
                self._html = None
                self.borders.append(n)
            return
        if not text or _BLANK.match(text):
            if n > 1 and (not self.borders or self.borders[-1] != n - 1):
                self.borders.append(n - 1)
            if self._quote or self._empty:
                self._leave()
            self._paragraph = []
            self._lazy = False
        elif self._offset and indent >= self._offset:
            self._empty = False
            self._inside(text)
        else:
            self._outside(n, text, indent)

    def _inside(self, text: str) -> None:
        """A line of the content of a list item or quote: only what it leaves open matters."""
        text = text.lstrip()
        if not _RULE.match(text):
            text = _ITEMS.sub("", text, count=1)
        if self._inner_fence:
            if _closes(text, self._inner_fence):
                self._inner_fence = ""
            self._lazy = False
            return
        fence = _FENCE.match(text)
        if fence:
            self._inner_fence = fence[1] or fence[2]
        plain = bool(text) and not (fence or _ATX.match(text) or _RULE.match(text) or text.startswith("<"))
        self._lazy = plain

    def _outside(self, n: int, text: str, indent: int) -> None:
        first = text[0]
        if indent >= _CODE_INDENT:
            if not (self._paragraph or self._lazy):
                self._leave()  # indented code
            elif self._paragraph:
                self._paragraph.append(text)
            return
        if first == "#" and (found := _ATX.match(text)):
            self._leave()
            self.headings.append((len(found[1]), found[2] or "", n, n))
            return
        if first in "=-" and self._paragraph and _UNDERLINE.match(text):
            heading = " ".join(part.strip() for part in self._paragraph)
            self.headings.append((1 if first == "=" else 2, heading, self._start, n))
            self._leave()
            return
        if first in "`~" and (found := _FENCE.match(text)):
            self._leave()
            self._fence = found[1] or found[2]
            return
        if first == ">":
            if not self._quote:
                self._leave()
            self._quote = True
            self._inside(text[1:].lstrip(" >"))
            return
        if first in "*-_" and _RULE.match(text):
            self._leave()
            return
        if first == "<" and self._opens_html(text):
            return
        if first in "-+*0123456789" and self._opens_item(n, text, indent):
            return
        if self._lazy:
            return
        if not self._paragraph:
            self._leave()
            if first == "[" and _REFERENCE.match(text):
                return
            self._start = n
        self._paragraph.append(text)

    def _opens_html(self, text: str) -> bool:
        for begin, end in _HTML:
            if begin.match(text):
                self._leave()
                if end is None or not end.search(text, 2):
                    self._html = end or _BLANK
                return True
        if not (self._paragraph or self._lazy) and _LONE_TAG.match(text):
            self._leave()
            self._html = _BLANK
            return True
        return False

    def _opens_item(self, n: int, text: str, indent: int) -> bool:
        found = _ITEM.match(text)
        if found is None:
            return False
        rest = text[found.end() :]
        content = rest.lstrip(" \t")
        if self._paragraph and not self._offset and (not content or found[1] not in (None, "1")):
            return False
        self._leave()
        if n > 1 and (not self.borders or self.borders[-1] != n - 1):
            self.borders.append(n - 1)  # a list is divided between its items
        column = indent + found.end()
        spaced = (" " * column + rest[: len(rest) - len(content)]).expandtabs(_CODE_INDENT)
        space = len(spaced) - column
        is_code = space > _CODE_INDENT
        self._offset = column + (1 if is_code or not content else space)
        self._empty = not content
        if not is_code:
            self._inside(content)
        return True

    def _leave(self) -> None:
        """Close the paragraph, and every list item and quote that is open."""
        self._paragraph = []
        self._offset = 0
        self._lazy = self._quote = self._empty = False
        self._inner_fence = ""


def _closes(text: str, fence: str) -> bool:
    body = text.rstrip(" \t")
    return len(body) >= len(fence) and body == fence[0] * len(body)
