"""Groups of pages: where they start, and which page goes where once prefixes are known."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

PASSES = 8
"""Of the assignment to centres: enough for it to settle on what it is used for."""


def seeded(likings: Floats, count: int) -> list[list[int]]:
    """Return ``count`` groups of pages that like the same, as far apart as can be told.

    Parameters
    ----------
    likings
        A row per page: tokens of each form that it would take by itself.
    count
        How many groups; fewer come back where pages like the same.

    The first centre is the page nearest to all others, each next one the page farthest from all centres; then
    means and pages take turns (Lloyd 1982), by the angle between them.
    """
    lengths = np.linalg.norm(likings, axis=1, keepdims=True)
    units = likings / np.where(lengths > 0, lengths, 1.0)
    near = units @ units.T
    centres = [int(np.argmax(near.sum(axis=1)))]
    while len(centres) < count:
        nearest = near[:, centres].max(axis=1)
        centres.append(int(np.argmin(nearest)))
    means = units[centres]
    owner = np.argmax(units @ means.T, axis=1)
    for _ in range(PASSES):
        means = np.array([_mean(units, owner == g, means[g]) for g in range(len(means))])
        other = np.argmax(units @ means.T, axis=1)
        if (other == owner).all():
            break
        owner = other
    return [part for g in range(count) if (part := np.flatnonzero(owner == g).tolist())]


def _mean(units: Floats, inside: NDArray[np.bool_], before: Floats) -> Floats:
    if not inside.any():
        return before
    mean = units[inside].mean(axis=0)
    length = float(np.linalg.norm(mean))
    result: Floats = mean / length if length > 0 else mean
    return result


def moved(groups: Sequence[Sequence[int]], worths: Floats) -> list[list[int]] | None:
    """Return the groups in which each page is where it is worth most, or None where all are there already.

    ``worths`` has a row per page and a column per group. A page stays where nothing is better; a group that
    all pages leave is empty.
    """
    owner = {p: g for g, part in enumerate(groups) for p in part}
    parts: list[list[int]] = [[] for _ in range(worths.shape[1])]
    changed = False
    for p in range(worths.shape[0]):
        best = int(np.argmax(worths[p]))
        if worths[p, best] <= worths[p, owner[p]]:
            best = owner[p]
        changed |= best != owner[p]
        parts[best].append(p)
    return parts if changed else None
