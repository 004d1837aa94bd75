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


@lru_cache(maxsize=4096)
def path_glob(pattern: str) -> re.Pattern[str]:
    """Return the compiled path pattern; use ``fullmatch`` on a POSIX path relative to the root."""
    body = pattern.removeprefix("./")
    below_only = body.endswith("/")
    body = body.rstrip("/")
    anchored = "/" in body
    body = body.removeprefix("/")
    prefix = "" if anchored else "(?:.*/)?"
    suffix = "/.*" if below_only else "(?:/.*)?"
    return re.compile(prefix + _translate(body, star="[^/]*", one="[^/]") + suffix, re.DOTALL)


@lru_cache(maxsize=4096)
def id_glob(pattern: str) -> re.Pattern[str]:
    """Return the compiled id pattern; use ``fullmatch`` on an id."""
    return re.compile(_translate(pattern, star=".*", one="."), re.DOTALL)


def _translate(pattern: str, *, star: str, one: str) -> str:
    out: list[str] = []
    i = 0
    while i < len(pattern):
        char = pattern[i]
        if pattern.startswith("**/", i) and (i == 0 or pattern[i - 1] == "/"):
            out.append("(?:.*/)?")
            i += 3
            continue
        if pattern.startswith("**", i):
            out.append(".*")
            i += 2
            continue
        if char == "*":
            out.append(star)
        elif char == "?":
            out.append(one)
        elif char == "[" and (end := _class_end(pattern, i)):
            inner = pattern[i + 1 : end]
            negate = inner[:1] in ("!", "^")
            inner = inner[1:] if negate else inner
            escaped = re.sub(r"([\\\[\]^&~|])", r"\\\1", inner)
            out.append(f"[{'^' if negate else ''}{escaped}]")
            i = end
        elif char == "\\" and i + 1 < len(pattern):
            i += 1
            out.append(re.escape(pattern[i]))
        else:
            out.append(re.escape(char))
        i += 1
    return "".join(out)


def _class_end(pattern: str, start: int) -> int:
    """Return the index of the ``]`` that ends the class at ``start``, or 0 when it is not a class."""
    first = start + 2 if pattern[start + 1 : start + 2] in ("!", "^") else start + 1
    end = pattern.find("]", first + 1)
    return max(end, 0)
