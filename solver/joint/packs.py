"""Whole packs of a page behind a prefix: from the relaxation by rounding, or out of an exact solution."""

from __future__ import annotations

import dataclasses
import time
from dataclasses import dataclass

import numpy as np

from ..compile import Compiled, Ints, ZoneRow
from ..options import SolveOptions
from ..round import round_relaxation
from ..solve import searched
from ..state import State
from .page import PageProgram, Shared
from .relaxed import RelaxedPage

ALONE_GAP = 1e-4
"""Relative gap of the pack of a page on its own."""

FORCED = 2**40
"""Added to what a form of the prefix is worth, so that nothing moves its unit to another form."""


@dataclass(frozen=True)
class PagePack:
    """What a pack is worth, at the scale of all pages, and its tokens, those of the prefix included."""

    value: int
    tokens: int


def behind(program: PageProgram, shared: Shared, inside: Ints) -> Compiled:
    """Return the page's arrays behind the prefix: its units required, its headings paid for."""
    c = program.compiled
    count = len(shared.tokens)
    forms = np.flatnonzero(inside[:count])
    heads = np.flatnonzero(inside[count:])
    required = c.required.copy()
    units = c.rung_unit[program.forms[forms]]
    required[units] = True
    # Under the prefix's heading they need none in the body.
    gone = np.zeros(len(c.dep_unit), dtype=np.bool_)
    for f, unit in zip(forms.tolist(), units.tolist(), strict=True):
        if program.needs[f] >= 0:
            heading = int(c.rung_unit[program.headings[shared.heading[f]]])
            gone |= (c.dep_unit == unit) & (c.dep_target == heading)
    kept = np.flatnonzero(~gone)
    sizes = np.diff(c.dep_start)
    keep_rungs = np.repeat(~gone, sizes)
    paid = int(shared.heading_tokens[heads].sum())
    in_zone = c.unit_zone[c.rung_unit[program.headings[heads]]]
    zones = [
        _less(zone, int(shared.heading_tokens[heads][in_zone == z].sum())) for z, zone in enumerate(c.zones)
    ]
    return dataclasses.replace(
        c,
        available=c.available - paid,
        required=required,
        zones=zones,
        dep_unit=c.dep_unit[kept],
        dep_target=c.dep_target[kept],
        dep_start=np.concatenate([[0], np.cumsum(sizes[kept])]).astype(np.int64),
        dep_rungs=c.dep_rungs[keep_rungs],
    )


def _less(zone: ZoneRow, tokens: int) -> ZoneRow:
    if not tokens:
        return zone
    return dataclasses.replace(
        zone,
        minimum=max(0, zone.minimum - tokens),
        maximum=None if zone.maximum is None else zone.maximum - tokens,
        target=zone.target - tokens,
    )


def rounded(page: RelaxedPage, shared: Shared, inside: Ints, price: int) -> PagePack | None:
    """Return a whole pack behind ``inside`` near the relaxation at ``price``, or None where none is found."""
    if page.plane(inside.astype(np.float64), price) is None:
        return None
    program = page.program
    plain = behind(program, shared, inside)
    weight = program.weight
    values = plain.values - np.rint(price * plain.tokens / weight).astype(np.int64)
    forced = program.forms[np.flatnonzero(inside[: len(shared.tokens)])]
    values[forced] += FORCED
    pack = round_relaxation(dataclasses.replace(plain, values=values), page.columns[: plain.m])
    if pack is None:
        return None
    held = set(pack.choice[pack.choice >= 0].tolist())
    if not held.issuperset(forced.tolist()):
        return None
    state = State.of(plain, pack.choice)
    paid = program.compiled.available - plain.available
    return PagePack(state.objective * weight, plain.available - state.left + paid)


def solved_alone(program: PageProgram) -> tuple[PagePack, int]:
    """Return the best pack of a page on its own, and what none is worth more than, at the scale of all pages.

    Raises
    ------
    InfeasibleError
        The page has no pack.
    """
    search = searched(program.compiled, SolveOptions(gap=ALONE_GAP), time.monotonic(), 0.0)
    assert search.best is not None, "without a limit of time there is a pack, or an error"
    pack = search.best
    return PagePack(pack.objective * program.weight, pack.tokens), search.bound * program.weight
