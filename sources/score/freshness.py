"""How likely a file still says what holds, by when it last changed."""

from __future__ import annotations

from typing import Final

from ..gitinfo import History

UNKNOWN: Final = 0.5
"""Of files that git knows nothing of."""

_HALF_LIFE: Final = 2 * 365.25 * 86_400
"""Seconds before the newest commit at which the score has fallen to half: two years."""


def freshness(history: History, raw_path: str) -> float:
    """Return 1 for what changed in the newest commit, half of it for each two years before; 0.5 unknown.

    Ages are measured from the newest commit, not from today: the same tree always scores the same.
    """
    changed = history.last_changes.get(raw_path, history.horizon)
    if history.head_time is None or changed is None:
        return UNKNOWN
    age = max(0, history.head_time - changed)
    return float(round(0.5 ** (age / _HALF_LIFE), 4))
