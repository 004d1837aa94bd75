"""The program under reduction: what each reduction reads, and the few ways in which it may change it."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ..compile import Bools, Compiled, Ints
from ..linear import Linear, Row
from .closure import Closure
from .parts import Parts
from .rows import Addition, only_rows, with_rows


@dataclass(frozen=True)
class Program:
    """A compiled problem and its linear program as far as it is reduced. Never changed in place.

    A reduction keeps the canonical answer: the pack of least shortfall, then greatest value, then fewest
    tokens, then first in unit order. It may close columns (tighten their bounds), add rows that every pack
    satisfies, and drop rows that the others imply; column numbers stay.
    """

    c: Compiled
    linear: Linear
    closure: Closure

    @classmethod
    def of(cls, c: Compiled, linear: Linear) -> Program:
        """Start from the program as it was built."""
        return cls(c, linear, Closure.of(c))

    @cached_property
    def open(self) -> Bools:
        """Which rungs may still be chosen."""
        return np.asarray(self.linear.col_hi[: self.c.m] > 0)

    @cached_property
    def families(self) -> dict[str, Ints]:
        """The numbers of the rows of each family."""
        found: dict[str, list[int]] = {}
        for i, row in enumerate(self.linear.rows):
            found.setdefault(row.family, []).append(i)
        return {family: np.array(rows, dtype=np.int64) for family, rows in found.items()}

    @cached_property
    def parts(self) -> Parts:
        """The entries of the matrix by row and unit."""
        return Parts.of(self.c, self.linear)

    @cached_property
    def required(self) -> Bools:
        """Which units are in every pack."""
        linear, forced = self.linear, np.zeros(self.c.n, dtype=np.bool_)
        rows = self.rows_of("required")
        forced[self.c.rung_unit[linear.cols[linear.start[rows]]]] = True
        forced[self.c.rung_unit[linear.col_lo[: self.c.m] > 0]] = True
        return forced

    @cached_property
    def alive_units(self) -> Bools:
        """Which units may still be in."""
        return np.asarray(
            np.logical_or.reduceat(self.open, self.c.rung_start[:-1]) if self.c.n else self.open
        )

    @property
    def feasible(self) -> bool:
        """Whether no reduction has found that there is no pack."""
        return bool((self.linear.col_lo <= self.linear.col_hi).all())

    def rows_of(self, family: str) -> Ints:
        """Return the numbers of the rows of ``family``."""
        return self.families.get(family, np.zeros(0, dtype=np.int64))

    def entries(self, row: int) -> tuple[Ints, Ints]:
        """Return the columns and coefficients of a row."""
        span = slice(int(self.linear.start[row]), int(self.linear.start[row + 1]))
        return self.linear.cols[span], self.linear.coefs[span]

    def rungs(self, units: Ints) -> Ints:
        """Return the rung columns of ``units``, unit by unit."""
        starts = self.c.rung_start[units]
        sizes = self.c.rung_start[units + 1] - starts
        before = np.concatenate([[0], np.cumsum(sizes)])
        inside = np.arange(before[-1], dtype=np.int64) - np.repeat(before[:-1], sizes)
        return np.asarray(np.repeat(starts, sizes) + inside, dtype=np.int64)

    def with_linear(self, linear: Linear, families: dict[str, Ints] | None = None) -> Program:
        """Return the program with ``linear`` instead; what is known of what it shares goes along.

        Reading the families of all rows takes long beside most reductions: who changes rows gives them.
        """
        after = Program(self.c, linear, self.closure)
        if linear.rows is self.linear.rows:
            families = self.families
        if families is not None:
            after.__dict__["families"] = families
        if linear.cols is self.linear.cols and "parts" in self.__dict__:
            after.__dict__["parts"] = self.parts
        return after

    def close(self, rungs: Bools) -> Program:
        """Return the program in which the given rungs may not be chosen."""
        if not (rungs & self.open).any():
            return self
        high = self.linear.col_hi.copy()
        high[: self.c.m][rungs] = 0
        return self.with_linear(dataclasses.replace(self.linear, col_hi=high))

    def require(self, units: Bools) -> Program:
        """Return the program in which the given units must be in.

        The row that lets one rung in at most lets in exactly one; a unit without such a row has one rung.
        """
        new = units & ~self.required
        if not new.any():
            return self
        lo, low, rows = self.linear.lo.copy(), self.linear.col_lo.copy(), list(self.linear.rows)
        choice = self.rows_of("choice")
        owner = self.c.rung_unit[self.linear.cols[self.linear.start[choice]]]
        turned = choice[new[owner]]
        for i in turned.tolist():
            lo[i], rows[i] = 1, Row("required", rows[i].name)
        single = new.copy()
        single[owner] = False
        low[self.c.rung_start[:-1][single]] = 1
        families = {
            **self.families,
            "choice": choice[~new[owner]],
            "required": np.union1d(self.rows_of("required"), turned),
        }
        return self.with_linear(dataclasses.replace(self.linear, lo=lo, col_lo=low, rows=rows), families)

    def keep_rows(self, kept: Bools) -> Program:
        """Return the program without the rows that are not ``kept``."""
        if kept.all():
            return self
        place = np.cumsum(kept) - 1
        families = {family: place[rows[kept[rows]]] for family, rows in self.families.items()}
        return self.with_linear(only_rows(self.linear, kept), families)

    def add_rows(self, rows: Sequence[Addition]) -> Program:
        """Return the program with ``rows`` at its end."""
        if not rows:
            return self
        families = dict(self.families)
        for i, (row, *_) in enumerate(rows, len(self.linear.rows)):
            families[row.family] = np.append(families.get(row.family, np.zeros(0, dtype=np.int64)), i)
        return self.with_linear(with_rows(self.linear, rows), families)
