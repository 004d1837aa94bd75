"""The joint program as a whole, for small runs: all pages, tied together by prefixes, cost and floor.

Columns: per group the forms and headings of its prefix (0 or 1), whether it is cached, and the whole steps
beyond the minimum that are; then those of every page. A page's form is at least its group's, and its unit
needs a heading in the body only where the prefix does not hold it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ..backends.cpsat import CpSat, Limits
from ..compile import Ints
from ..linear import UNBOUNDED, Linear, Row
from .packs import PagePack
from .page import PageProgram, Shared
from .rates import Rates


@dataclass(frozen=True)
class Exact:
    """The prefix of each group, the pack of each page, and what no plan costs less than."""

    insides: list[Ints]
    packs: list[PagePack]
    bound: int


def solve_exact(
    programs: Sequence[PageProgram],
    groups: Sequence[Sequence[int]],
    shared: Shared,
    rates: Rates,
    floor: int,
    work: float,
    refunds: Sequence[int] | None = None,
) -> Exact | None:
    """Return the plan of least cost whose packs are worth ``floor`` together; None where none was found.

    ``refunds`` is what each cached token saves over all pages of a group, 0 for a group that is to have no
    prefix; where None, what the rates say.
    """
    builder = _Joint(
        programs, groups, shared, rates, refunds or [rates.refund(len(pages)) for pages in groups]
    )
    linear = builder.linear(floor)
    model = CpSat(linear)
    model.maximise(linear.objective)
    answer = model.solve(Limits(work=work))
    if answer.columns is None or answer.bound is None:
        return None
    insides = [answer.columns[start : start + shared.size] for start in builder.prefixes]
    packs: list[PagePack] = []
    for p, (program, start) in enumerate(zip(programs, builder.starts, strict=True)):
        own = answer.columns[start : start + program.heads]
        headings = insides[builder.group_of[p]][len(shared.tokens) :]
        tokens = int((program.linear.tokens[: program.heads] * own).sum())
        tokens += int((shared.heading_tokens * headings).sum())
        packs.append(PagePack(int(program.values[: program.heads] @ own), tokens))
    frames = rates.input * sum(program.frame for program in programs)
    return Exact(insides, packs, frames - answer.bound * builder.unit)


class _Joint:
    def __init__(
        self,
        programs: Sequence[PageProgram],
        groups: Sequence[Sequence[int]],
        shared: Shared,
        rates: Rates,
        refunds: Sequence[int],
    ) -> None:
        self.programs, self.groups, self.shared, self.rates = programs, groups, shared, rates
        self.refunds = refunds
        self.group_of = {p: g for g, part in enumerate(groups) for p in part}
        own = shared.size + 2
        self.prefixes = [g * own for g in range(len(groups))]
        start = len(groups) * own
        self.starts: list[int] = []
        for program in programs:
            self.starts.append(start)
            start += program.heads
        self.columns = start
        self.cols: list[Ints] = []
        self.coefs: list[Ints] = []
        self.sides: list[tuple[int, int]] = []
        self.unit = int(np.gcd.reduce([rates.input, *refunds]))

    def row(self, cols: Ints, coefs: Ints, low: int, high: int) -> None:
        self.cols.append(cols)
        self.coefs.append(coefs)
        self.sides.append((low, high))

    def linear(self, floor: int) -> Linear:
        high = np.ones(self.columns, dtype=np.int64)
        objective = np.zeros(self.columns, dtype=np.int64)
        for g in range(len(self.groups)):
            self._prefix(g, high, objective)
        values, places = [], []
        for p, program in enumerate(self.programs):
            start = self.starts[p]
            span = slice(start, start + program.heads)
            high[span] = program.linear.col_hi[: program.heads]
            objective[span] -= self.rates.input // self.unit * program.linear.tokens[: program.heads]
            values.append(program.values[: program.heads])
            places.append(np.arange(start, start + program.heads, dtype=np.int64))
            self._page(p)
        self.row(np.concatenate(places), np.concatenate(values), floor, UNBOUNDED)
        sizes = [len(cols) for cols in self.cols]
        return Linear(
            m=0,
            start=np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64),
            cols=np.concatenate(self.cols).astype(np.int64),
            coefs=np.concatenate(self.coefs).astype(np.int64),
            lo=np.array([low for low, _ in self.sides], dtype=np.int64),
            hi=np.array([high for _, high in self.sides], dtype=np.int64),
            col_lo=np.zeros(self.columns, dtype=np.int64),
            col_hi=high,
            objective=objective,
            tokens=np.zeros(self.columns, dtype=np.int64),
            short=np.zeros(0, dtype=np.int64),
            rows=[Row("joint", "")] * len(self.sides),
            helpers=[],
        )

    def _prefix(self, g: int, high: Ints, objective: Ints) -> None:
        shared, rates, start = self.shared, self.rates, self.prefixes[g]
        cached, steps = start + shared.size, start + shared.size + 1
        room = max(self.programs[p].compiled.available for p in self.groups[g]) + rates.lead
        most = max(0, (room - rates.minimum) // rates.step)
        high[steps] = most
        offered = np.logical_and.reduce([self.programs[p].offers for p in self.groups[g]])
        high[start : start + shared.size] = offered
        refund = self.refunds[g] // self.unit
        pages = len(self.groups[g])
        if refund == 0:
            high[start : start + shared.size + 2] = 0
        objective[cached] = refund * rates.minimum
        objective[steps] = refund * rates.step
        heads = start + len(shared.tokens) + np.arange(len(shared.heading_tokens))
        # A heading of the prefix is in every page of the group.
        objective[heads] -= rates.input // self.unit * pages * shared.heading_tokens
        every = np.arange(start, start + shared.size, dtype=np.int64)
        self.row(
            np.concatenate([every, [cached, steps]]),
            np.concatenate([-shared.weights, [rates.minimum, rates.step]]),
            -UNBOUNDED,
            rates.lead,
        )
        self.row(np.array([steps, cached]), np.array([1, -most]), -UNBOUNDED, 0)
        # What leads every prompt is not cached by itself: without a unit there is no prefix.
        forms = every[: len(shared.tokens)]
        self.row(np.append(forms, cached), np.append(-np.ones(len(forms), dtype=np.int64), 1), -UNBOUNDED, 0)
        # What is in the prefix is cached: without the cache nothing is shared.
        for f in range(shared.size):
            self.row(np.array([start + f, cached]), np.array([1, -1]), -UNBOUNDED, 0)
        for f in np.flatnonzero(shared.heading >= 0).tolist():
            heading = start + len(shared.tokens) + int(shared.heading[f])
            self.row(np.array([start + f, heading]), np.array([1, -1]), -UNBOUNDED, 0)
        # A heading alone would only fill the prefix up to the least that is cached: no prompt has one.
        for h in range(len(shared.heading_tokens)):
            under = start + np.flatnonzero(shared.heading == h)
            heading = start + len(shared.tokens) + h
            signs = np.append(-np.ones(len(under), dtype=np.int64), 1)
            self.row(np.append(under, heading), signs, -UNBOUNDED, 0)

    def _page(self, p: int) -> None:
        program, shared = self.programs[p], self.shared
        linear, start = program.linear, self.starts[p]
        prefix = self.prefixes[self.group_of[p]]
        loose: dict[int, list[int]] = {}
        for f in np.flatnonzero(program.needs >= 0).tolist():
            loose.setdefault(int(program.needs[f]), []).append(prefix + f)
        heads = prefix + len(shared.tokens)
        for i in range(len(linear.rows)):
            span = slice(int(linear.start[i]), int(linear.start[i + 1]))
            mine = linear.cols[span]
            cols = np.where(mine < program.heads, start + mine, heads + mine - program.heads)
            extra = np.array(loose.get(i, ()), dtype=np.int64)
            coefs = np.concatenate([linear.coefs[span], -np.ones(len(extra), dtype=np.int64)])
            self.row(np.concatenate([cols, extra]), coefs, int(linear.lo[i]), int(linear.hi[i]))
        for f in np.flatnonzero(program.forms >= 0).tolist():
            cols = np.array([prefix + f, start + program.forms[f]], dtype=np.int64)
            self.row(cols, np.array([1, -1]), -UNBOUNDED, 0)
