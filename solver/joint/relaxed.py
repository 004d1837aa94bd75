"""What a page is worth behind any prefix, from above: one plane for each prefix that was tried.

For a prefix ``s`` (shares of forms and headings), let ``worth(s)`` be the most that values less a price per
token add up to in a page that holds it. The relaxation makes it concave in ``s``, and the multipliers ``y``
of one solve bound it for every other ``s`` (Benders 1962; Geoffrion 1972)::

    worth(s) <= y . b(s) + sum over columns of the most that (c - A'y) x is within its bounds for s

which holds for whatever ``y`` there are of the right signs. So multipliers are rounded to whole numbers, and
planes are exact integers.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..backends.parametric import Parametric
from ..compile import Ints
from ..linear import UNBOUNDED
from .page import PageProgram, Shared

Floats = NDArray[np.float64]

DENOMINATOR = 2**12
"""Of multipliers, and of planes."""


@dataclass(frozen=True)
class Plane:
    """``worth(s) <= (constant + slope . s) / DENOMINATOR``; ``value`` and ``tokens`` are of the solve."""

    constant: int
    slope: Ints
    value: float
    tokens: float

    def __add__(self, other: Plane) -> Plane:
        return Plane(
            self.constant + other.constant,
            self.slope + other.slope,
            self.value + other.value,
            self.tokens + other.tokens,
        )

    def at(self, s: Floats) -> float:
        """Return the plane's height over ``s``, in units of value."""
        return (self.constant + float(self.slope @ s)) / DENOMINATOR


class RelaxedPage:
    """The relaxation of one page."""

    def __init__(self, program: PageProgram, shared: Shared) -> None:
        self.program, self._shared = program, shared
        self._forms = np.flatnonzero(program.forms >= 0)
        self._columns = program.forms[self._forms]
        self._heads = program.heads + np.arange(len(shared.heading_tokens), dtype=np.int64)
        self._rows = np.unique(program.needs[program.needs >= 0])
        self._highs = Parametric(program.linear)
        self._price: int | None = None
        linear = program.linear
        self._row_of = np.repeat(np.arange(len(linear.rows)), np.diff(linear.start))
        self.columns: Floats = np.zeros(linear.columns)

    def plane(self, s: Floats, price: int) -> Plane | None:
        """Solve behind ``s``, of whose forms the page must offer all; None where nothing goes behind it."""
        highs, shared = self._highs, self._shared
        count = len(shared.tokens)
        if price != self._price:
            highs.price(self.program.objective(price))
            self._price = price
        inside = s[self._forms].astype(np.float64)
        highs.bound(self._columns, inside, np.ones(len(inside)))
        highs.bound(self._heads, s[count:].astype(np.float64), s[count:].astype(np.float64))
        if len(self._rows):
            loose = np.zeros(len(self.program.linear.rows))
            held = np.flatnonzero(self.program.needs >= 0)
            np.add.at(loose, self.program.needs[held], s[held])
            highs.cap(self._rows, loose[self._rows])
        solved = highs.solve()
        if solved is None:
            return None
        self.columns, multipliers = solved
        return self._plane(multipliers, price)

    def _plane(self, multipliers: Floats, price: int) -> Plane:
        program, shared = self.program, self._shared
        linear, needs = program.linear, program.needs
        y = np.rint(multipliers * DENOMINATOR).astype(np.int64)
        y[(linear.hi >= UNBOUNDED) & (y > 0)] = 0
        y[(linear.lo <= -UNBOUNDED) & (y < 0)] = 0
        side = np.where(y > 0, linear.hi, np.where(y < 0, linear.lo, 0))
        left = DENOMINATOR * program.objective(price)
        np.subtract.at(left, linear.cols, linear.coefs * y[self._row_of])
        constant = int(y @ side) + int(np.maximum(left[: program.heads], 0) @ linear.col_hi[: program.heads])
        slope = np.zeros(shared.size, dtype=np.int64)
        slope[self._forms] = np.minimum(left[self._columns], 0)
        tied = np.flatnonzero(needs >= 0)
        slope[tied] += y[needs[tied]]
        slope[len(shared.tokens) :] = left[self._heads]
        return Plane(
            constant,
            slope,
            float(program.values @ self.columns),
            float(linear.tokens @ self.columns),
        )
