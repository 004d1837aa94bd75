"""Groups whose members need each other, or the same unit: rows that the relaxation does not see by itself."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable

import numpy as np

from ..linear import Row
from .bounds import settled
from .closure import in_mask
from .program import Program
from .rows import Addition

Shared = dict[int, list[tuple[int, int]]]
"""For each target the members that need it, each with the mask of the target's rungs that will do."""


def clashing_needs(p: Program) -> Program:
    """Close the units that need, themselves counted, more members of a group than it keeps.

    Proof: a pack with such a unit holds all that it needs.
    """
    c, closure = p.c, p.closure
    if not c.cliques:
        return p
    sizes = [len(clique.units) for clique in c.cliques]
    member = np.concatenate([clique.units for clique in c.cliques])
    group = np.repeat(np.arange(len(sizes), dtype=np.int64), sizes)
    order = np.argsort(member, kind="stable")
    member, group = member[order], group[order]
    # Every (unit, group) once for the unit itself and once for each member of the group that it needs.
    starts = np.searchsorted(member, closure.target)
    counts = np.searchsorted(member, closure.target, side="right") - starts
    before = np.concatenate([[0], np.cumsum(counts)])
    hits = np.arange(before[-1], dtype=np.int64) - np.repeat(before[:-1] - starts, counts)
    unit = np.concatenate([member, np.repeat(closure.unit, counts)])
    pairs, held = np.unique(unit * len(sizes) + np.concatenate([group, group[hits]]), return_counts=True)
    most = np.array([clique.k for clique in c.cliques], dtype=np.int64)[pairs % len(sizes)]
    shut = np.zeros(c.n, dtype=np.bool_)
    shut[pairs[held > most] // len(sizes)] = True
    return settled(p, shut[c.rung_unit])


def group_needs(p: Program) -> Program:
    """For a group that keeps at most ``k``, and a unit ``v`` that more than ``k'`` of its members need:

        sum over those members of y_u  <=  k' * (rungs of v that will do for any of them)

    with ``k' = k - 1`` where ``v`` is a member itself, else ``k``.

    Proof: if none of those members is in, the left side is 0. Else ``v`` is in at such a rung, which makes
    the right side ``k'``; and at most ``k`` members are in, ``v`` among them where it is one. For fractional
    points the row is stronger than ``y_u <= y_v`` each: with ``k = 1``, two rivals and the unit that both
    need could all be half in.
    """
    rows = []
    for clique in p.c.cliques:
        for v, users in sorted(_shared(p, clique.units).items()):
            k = clique.k - int(v in clique.units)
            if k > 0 and len(users) > k and not p.required[v]:
                rows.append(_need_row(p, clique.name, v, users, k))
    return p.add_rows(rows)


def _need_row(p: Program, name: str, v: int, users: list[tuple[int, int]], k: int) -> Addition:
    own = p.rungs(np.array([u for u, _ in users], dtype=np.int64))
    target = p.rungs(np.array([v], dtype=np.int64))
    mask = int(np.bitwise_or.reduce([mask for _, mask in users]))
    target = target[in_mask(p.c, target, np.full(len(target), mask, dtype=np.int64))]
    coefs = np.concatenate([np.ones(len(own), dtype=np.int64), np.full(len(target), -k, dtype=np.int64)])
    return Row("group need", name, p.c.ids[v]), np.concatenate([own, target]), coefs, 0


def redundancy_needs(p: Program) -> Program:
    """For a group with a price on each member beyond the first, of which some members need others:

        sum over the members that are no roots of y_u  <=  surplus

    where a root needs no other member (of members that need each other, the first counts as the root).

    Proof: each member that is no root needs a root: go from member to needed member, and from the last of a
    cycle to its first, until there is no way on. So with ``j > 0`` of them in, a root is in too, ``j + 1``
    members or more, and the surplus is ``j`` or more. With none the left side is 0. The group's own row lets
    a member and the one that it needs be half in at no price.
    """
    extra = {p.linear.rows[i].name: int(p.entries(i)[0][-1]) for i in p.rows_of("redundancy").tolist()}
    rows = []
    for group in p.c.soft:
        if group.name not in extra:
            continue
        members = set(group.units.tolist())
        inside = {u: members.intersection(p.closure.of_unit(u)[0].tolist()) for u in members}
        led = [u for u in sorted(members) if any(v < u or u not in inside[v] for v in inside[u])]
        if led:
            own = p.rungs(np.array(led, dtype=np.int64))
            coefs = np.append(np.ones(len(own), dtype=np.int64), -1)
            rows.append((Row("redundancy need", group.name), np.append(own, extra[group.name]), coefs, 0))
    return p.add_rows(rows)


def _shared(p: Program, members: Iterable[int]) -> Shared:
    found: Shared = defaultdict(list)
    for u in members:
        if p.alive_units[u]:
            for v, mask in zip(*(part.tolist() for part in p.closure.of_unit(int(u))), strict=True):
                found[v].append((int(u), mask))
    return found
