"""The one glob matcher of Satchel, for selectors and for include and exclude options.

Paths (``/`` between parts, relative to the root):

========== =====================================================
``*.py``   a pattern without a slash matches a name at any depth
``src/*``  a slash anchors at the root; ``*`` stays in one part
``**/x``   ``**`` crosses parts, none included
``dir``    also matches everything below a folder of that name
``dir/``   only what is below a folder of that name
========== =====================================================

Ids are plain texts: ``*`` and ``?`` match any characters. ``[abc]``, ``[a-z]`` and ``[!a]`` work in both.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final


@lru_cache(maxsize=4096)
def path_glob(pattern: str) -> re.Pattern[str]:
    """Return the compiled path pattern; use ``fullmatch`` on a POSIX path relative to the root."""
    body = pattern.removeprefix("./")
    below_only = body.endswith("/")
    body = body.rstrip("/")
    anchored = "/" in body
    body = body.removeprefix("/")
    pieces = _pieces(body, paths=True)
    if not anchored:
        pieces = [_FOLDERS, *pieces]
    suffix = "/.*" if below_only else "(?:/.*)?"
    return re.compile(_joined(pieces, star="[^/]*") + suffix, re.DOTALL)


@lru_cache(maxsize=4096)
def id_glob(pattern: str) -> re.Pattern[str]:
    """Return the compiled id pattern; use ``fullmatch`` on an id."""
    return re.compile(_joined(_pieces(pattern, paths=False), star=".*"), re.DOTALL)


_STAR: Final = "*"
_ANY: Final = "**"
_FOLDERS: Final = "**/"


def _pieces(pattern: str, *, paths: bool) -> list[str]:
    """Split into the wildcards, runs of equal ones taken once, and expressions of one character each."""
    out: list[str] = []
    i = 0
    while i < len(pattern):
        char = pattern[i]
        piece, step = re.escape(char), 1
        if paths and pattern.startswith(_FOLDERS, i) and (i == 0 or pattern[i - 1] == "/"):
            piece, step = _FOLDERS, 3
        elif paths and pattern.startswith(_ANY, i):
            piece, step = _ANY, 2
        elif char == "*":
            piece = _STAR
        elif char == "?":
            piece = "[^/]" if paths else "."
        elif char == "[" and (end := _class_end(pattern, i)):
            piece, step = _class(pattern[i + 1 : end]), end + 1 - i
        elif char == "\\" and i + 1 < len(pattern):
            piece, step = re.escape(pattern[i + 1]), 2
        if not (piece in (_STAR, _ANY, _FOLDERS) and out[-1:] == [piece]):
            out.append(piece)
        i += step
    return out


def _joined(pieces: list[str], *, star: str) -> str:
    """Return the regular expression, in which only the last wildcard of each kind can be tried twice.

    What stands between two wildcards is best matched as early as it can be, since the second takes up any
    slack: so it is an atomic group, and no pattern takes more than quadratic time.
    """
    runs = _split(pieces, {_ANY, _FOLDERS})
    out = ""
    for number, (wildcard, run) in enumerate(runs):
        last_run = number == len(runs) - 1
        text = ""
        parts = _split(run, {_STAR})
        for index, (small, fixed) in enumerate(parts):
            last = last_run and index == len(parts) - 1
            body = "".join(fixed)
            text += f"{star if last else f'(?>{star}?'}{body}{'' if last else ')'}" if small else body
        lead = {_ANY: ".*", _FOLDERS: "(?:.*/)?"} if last_run else {_ANY: ".*?", _FOLDERS: "(?:.*?/)??"}
        out += f"(?>{lead[wildcard]}{text})" if wildcard and not last_run else lead.get(wildcard, "") + text
    return out


def _split(pieces: list[str], wildcards: set[str]) -> list[tuple[str, list[str]]]:
    """Return the runs of ``pieces`` that each of ``wildcards`` leads; the first has none before it."""
    runs: list[tuple[str, list[str]]] = [("", [])]
    for piece in pieces:
        if piece in wildcards:
            runs.append((piece, []))
        else:
            runs[-1][1].append(piece)
    return runs


def _class(inner: str) -> str:
    negate = inner[:1] in ("!", "^")
    inner = inner[1:] if negate else inner
    escaped = re.sub(r"([\\\[\]^&~|])", r"\\\1", inner)
    return f"[{'^' if negate else ''}{escaped}]"


def _class_end(pattern: str, start: int) -> int:
    """Return the index of the ``]`` that ends the class at ``start``, or 0 when it is not a class."""
    first = start + 2 if pattern[start + 1 : start + 2] in ("!", "^") else start + 1
    end = pattern.find("]", first + 1)
    return max(end, 0)
