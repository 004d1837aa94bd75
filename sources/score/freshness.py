"""How likely a file still says what holds, by when it last changed."""

from __future__ import annotations

import re
from typing import Final

from ..extract.base import Fragment
from ..gitinfo import History

UNKNOWN: Final = 0.5
"""Of files that git knows nothing of."""

_HALF_LIFE: Final = 2 * 365.25 * 86_400
"""Seconds before the newest commit at which the score has fallen to half: two years."""


DEPRECATED_SHARE: Final = 0.5
"""What the freshness of a text is multiplied by that says of itself that it is on its way out."""

_DEPRECATED: Final = re.compile(
    r"@[Dd]eprecated\b|#!?\[deprecated\b|\[Obsolete\b|\[\[deprecated\b|@available\([^)]*\bdeprecated\b"
    r"|\.\.[ ]deprecated::|^[\s/*#!;>-]*:?deprecated:|(?-i:\bDEPRECATED\b)|\bis (?:now )?deprecated\b",
    re.MULTILINE | re.IGNORECASE,
)
_HEAD: Final = 1_500
"""Characters of a declaration and of its documentation in which it is said."""

_TELLING: Final = ("eprecated", "EPRECATED", "bsolete")

_SEVERAL: Final = frozenset({"file", "module", "block", "section", "key"})
"""Roles of what may speak of something else that is deprecated."""


def is_deprecated(fragment: Fragment) -> bool:
    """Whether the declaration or the documentation of a symbol says that it is deprecated."""
    if fragment.role in _SEVERAL:
        return False
    # Asked first, for speed: what is deprecated says so in one of these ways.
    texts = (fragment.signature, fragment.doc)
    if not any(word in text for text in texts for word in _TELLING):
        return False
    return _DEPRECATED.search(f"{fragment.signature[:_HEAD]}\n{fragment.doc[:_HEAD]}") is not None


def freshness(history: History, raw_path: str) -> float:
    """Return 1 for what changed in the newest commit, half of it for each two years before; 0.5 unknown.

    Ages are measured from the newest commit, not from today: the same tree always scores the same.
    """
    changed = history.last_changes.get(raw_path, history.horizon)
    if history.head_time is None or changed is None:
        return UNKNOWN
    age = max(0, history.head_time - changed)
    return float(round(0.5 ** (age / _HALF_LIFE), 4))
