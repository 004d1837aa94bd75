"""Rungs that another rung of the same unit, or leaving the unit out, beats in every respect."""

from __future__ import annotations

import numpy as np

from ..compile import Bools, Ints
from .program import Program


def dominated_rungs(p: Program) -> Program:
    """Close rung ``r`` of a unit where a shorter rung ``s`` of it is worth as much, covers as much of every
    dimension, and will do for every dependency that ``r`` will do for.

    Proof: put ``s`` in the place of ``r`` in any pack. The unit stays in, so groups, counts and its own needs
    are as before; those who need it are served; the zone and the budget hold fewer tokens, so maxima hold and
    a price over a target falls; covers and value are as large or larger. Where the zone has no minimum the
    shortfall is as before. The new pack is worth as much and has fewer tokens (a shorter rung has strictly
    fewer), hence comes before the old one in the canonical order, which therefore is not the answer.

    A rung that a *mix* of two others beats stays: whole units cannot be mixed.
    """
    c = p.c
    free = p.open & ~_hungry(p)[c.rung_unit]
    shut = np.zeros(c.m, dtype=np.bool_)
    longest = int(np.diff(c.rung_start).max(initial=1))
    for step in range(1, longest):
        rung = np.flatnonzero(free[: c.m - step] & p.open[step:])
        rung = rung[c.rung_unit[rung] == c.rung_unit[rung + step]]
        rung = rung[(c.values[rung + step] >= c.values[rung]) & (c.tokens[rung + step] < c.tokens[rung])]
        rung = rung[~_covers_less(p, step)[rung] & ~_serves_less(p, step)[rung]]
        shut[rung] = True
    # The relation is transitive and strict in tokens, so of those that beat a closed rung one stays open.
    return p.close(shut)


def worthless_rungs(p: Program) -> Program:
    """Close the rungs that add nothing: worth less than nothing, or nothing for some tokens, while the unit
    is optional, counts for nothing, covers nothing of worth, and nobody needs that rung.

    Proof: take the unit out of any pack that holds it at such a rung. Value does not fall (a price for
    surplus members or for tokens over a target can only fall with it), no other unit misses it, its zone has
    no minimum; the pack is worth more, or as much with fewer tokens: it comes before in the canonical order.
    A rung worth nothing at no tokens stays: of equal packs the canonical one holds the earlier unit.
    """
    c = p.c
    while True:
        kept = p.required | _hungry(p)
        for cover in c.covers:
            if cover.required:
                kept[cover.units] = True
        poor = p.open & ~kept[c.rung_unit] & ((c.values < 0) | ((c.values == 0) & (c.tokens > 0)))
        poor[_serving(p)] = False
        for cover in c.covers:
            if (cover.gains > 0).any():
                poor[cover.rungs[cover.amounts > 0]] = False
        if not poor.any():
            return p
        p = p.close(poor)


def _hungry(p: Program) -> Bools:
    """Return which units count towards a minimum that is still in question: of a zone, or of a prefix."""
    names = {p.linear.rows[i].name for i in p.rows_of("zone minimum").tolist()}
    hungry = np.array([zone.name in names for zone in p.c.zones] + [False], dtype=np.bool_)
    units = np.asarray(hungry[p.c.unit_zone])
    if p.c.priced is not None and len(p.rows_of("prefix minimum")):
        units[p.c.priced.prefix] = True  # they must be so long together
    return units


def _covers_less(p: Program, step: int) -> Bools:
    """Return for each rung whether the one ``step`` below covers less of a dimension that has a gain left."""
    less = np.zeros(p.c.m, dtype=np.bool_)
    for cover in p.c.covers:
        if (cover.gains > 0).any() and len(cover.rungs) > step:
            # A dimension holds all rungs of a unit side by side, so that the other one is `step` further on.
            fewer = cover.amounts[step:] < cover.amounts[:-step]
            less[cover.rungs[:-step][fewer]] = True
    return less


def _serves_less(p: Program, step: int) -> Bools:
    """Return for each rung whether a dependency takes it, but not the one ``step`` below."""
    c = p.c
    edge = np.repeat(np.arange(len(c.dep_unit), dtype=np.int64), np.diff(c.dep_start))
    alive = p.alive_units[c.dep_unit[edge]]
    taken = edge * c.m + c.dep_rungs
    less = np.zeros(c.m, dtype=np.bool_)
    less[c.dep_rungs[alive & ~np.isin(taken + step, taken)]] = True
    return less


def _serving(p: Program) -> Ints:
    """Return the rungs that a unit which may still be in could need."""
    c = p.c
    alive = p.alive_units[c.dep_unit]
    return np.asarray(c.dep_rungs[np.repeat(alive, np.diff(c.dep_start))], dtype=np.int64)
