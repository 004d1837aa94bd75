"""Edges of a conflict graph joined into cliques: as many packs, fewer rows, and a tighter relaxation."""

from __future__ import annotations

from collections.abc import Iterable


def cliques(edges: Iterable[tuple[int, int]]) -> list[list[int]]:
    """Return cliques that hold every edge, each of them maximal, found greedily in a fixed order.

    Each edge that no clique holds yet is grown by common neighbours, those of more neighbours first.
    """
    around: dict[int, set[int]] = {}
    for a, b in edges:
        around.setdefault(a, set()).add(b)
        around.setdefault(b, set()).add(a)
    held: set[tuple[int, int]] = set()
    found: list[list[int]] = []
    for a in sorted(around):
        for b in sorted(around[a]):
            if a > b or (a, b) in held:
                continue
            clique = [a, b]
            common = around[a] & around[b]
            while common:
                best = max(common, key=lambda v: (len(around[v]), -v))
                clique.append(best)
                common &= around[best]
            clique.sort()
            held.update((v, w) for i, v in enumerate(clique) for w in clique[i + 1 :])
            found.append(clique)
    return found
