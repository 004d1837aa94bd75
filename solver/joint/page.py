"""Pages as the joint program sees them: what they may share, and each page's own integer program."""

from __future__ import annotations

import dataclasses
from collections import Counter
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from ...models import ContextUnit, Kind, Stability
from ..compile import Bools, Compiled, Ints
from ..linear import Linear, build

TOKEN_ROWS = frozenset({"budget", "zone maximum", "zone minimum", "zone target"})
"""Rows in which a unit counts by its tokens."""

NONE = -1


class Form(NamedTuple):
    """A unit in one of its forms, and ``key``, which tells its block from every other."""

    unit: str
    tokens: int
    heading: str
    key: Hashable


KeyOf = Callable[[ContextUnit, int], Hashable]
"""What tells the block of a unit at a place of its ladder from every other block: the digest of its bytes."""


@dataclass(frozen=True)
class Shared:
    """Forms that may be in a prefix, and headings that name the files of several of them.

    Attributes
    ----------
    forms, headings
        In canonical order.
    tokens, unit, heading
        Of each form: its size, which unit it is of, and its heading's place among ``headings``, or -1.
    heading_tokens
        Size of each heading.
    """

    forms: tuple[Form, ...]
    headings: tuple[Form, ...]
    tokens: Ints
    unit: Ints
    heading: Ints
    heading_tokens: Ints

    @classmethod
    def of(cls, drafts: Sequence[Draft]) -> Shared:
        """Return what at least two pages offer, byte for byte."""
        common = [form for form, pages in Counter(f for d in drafts for f in d.columns).items() if pages > 1]
        headings = sorted((form for form in common if form.unit == form.heading), key=_rank)
        place = {form.unit: h for h, form in enumerate(headings)}
        forms = sorted(
            (f for f in common if f.unit != f.heading and (not f.heading or f.heading in place)), key=_rank
        )
        units = {name: u for u, name in enumerate(sorted({form.unit for form in forms}))}
        return cls(
            forms=tuple(forms),
            headings=tuple(headings),
            tokens=_ints(form.tokens for form in forms),
            unit=_ints(units[form.unit] for form in forms),
            heading=_ints(place[form.heading] if form.heading else NONE for form in forms),
            heading_tokens=_ints(form.tokens for form in headings),
        )

    @property
    def size(self) -> int:
        """Number of forms and headings: the length of a vector that says what is in a prefix."""
        return len(self.tokens) + len(self.heading_tokens)

    @cached_property
    def weights(self) -> Ints:
        """Tokens of each form, then of each heading."""
        return np.concatenate([self.tokens, self.heading_tokens])

    def closed(self, forms: Ints) -> Ints:
        """Return the vector (0 or 1) of the prefix that holds ``forms`` and the headings they stand under."""
        inside = np.zeros(self.size, dtype=np.int64)
        inside[forms] = 1
        headings = self.heading[forms]
        inside[len(self.tokens) + headings[headings >= 0]] = 1
        return inside

    def prefix_tokens(self, inside: Ints) -> int:
        """Return the tokens of the prefix ``inside``, without what leads every prompt."""
        return int(self.weights @ inside)

    def members(self, inside: Ints) -> list[Form]:
        """Return the forms of the prefix ``inside``."""
        return [self.forms[f] for f in np.flatnonzero(inside[: len(self.forms)]).tolist()]


def _rank(form: Form) -> tuple[Any, ...]:
    return (form.unit, -form.tokens, str(form.key))


def _ints(values: Any) -> Ints:
    return np.array(list(values), dtype=np.int64)


@dataclass(frozen=True)
class Draft:
    """A page before it is known what others offer: its arrays, and the column of each form to share.

    ``frame`` are the tokens of its prompt outside the units.
    """

    compiled: Compiled
    columns: dict[Form, int]
    frame: int

    @classmethod
    def of(cls, c: Compiled, key_of: KeyOf) -> Draft:
        """Return the draft of a compiled page; of the problem itself it keeps nothing but the arrays."""
        columns: dict[Form, int] = {}
        for u, standing in enumerate(c.standings):
            unit = standing.unit
            if unit.stability is not Stability.STABLE:
                continue
            heading = unit.id if unit.kind is Kind.HEADING else unit.heading or ""
            for rung, column in zip(standing.rungs, c.rungs_of(u), strict=True):
                columns[Form(unit.id, rung.tokens, heading, key_of(unit, rung.place))] = column
        envelope = c.problem.envelope
        nothing: Any = None
        arrays = dataclasses.replace(c, problem=nothing, eligibility=nothing, standings=[])
        return cls(arrays, columns, envelope.fixed_overhead_tokens)


@dataclass(frozen=True)
class PageProgram:
    """The integer program of a page behind a prefix ``s``.

    Attributes
    ----------
    linear
        That of the page alone and one column more per heading of a prefix, from ``heads`` on: its tokens
        count, and it is held at what ``s`` says. A form is held in by the lower bound of its column.
    forms, headings
        Column of each shared form, and of each shared heading in the page's own body, or -1.
    needs
        Of each form the row that asks for its heading in the body, or -1: ``s`` loosens it by as much.
    weight
        Brings the page's values to the scale of all pages.
    """

    compiled: Compiled
    linear: Linear
    heads: int
    forms: Ints
    headings: Ints
    needs: Ints
    weight: int
    frame: int

    @classmethod
    def of(cls, draft: Draft, shared: Shared, weight: int) -> PageProgram:
        """Build the program of a page."""
        c = draft.compiled
        forms = _ints(draft.columns.get(form, NONE) for form in shared.forms)
        headings = _ints(draft.columns.get(form, NONE) for form in shared.headings)
        linear = build(c)
        return cls(
            compiled=c,
            linear=_with_heads(linear, headings, shared.heading_tokens),
            heads=linear.columns,
            forms=forms,
            headings=headings,
            needs=_needs(c, linear, forms, headings, shared),
            weight=weight,
            frame=draft.frame,
        )

    @property
    def offers(self) -> Bools:
        """Which of all shared forms and headings the page can hold in a prefix."""
        return np.concatenate([self.forms, self.headings]) >= 0

    @property
    def values(self) -> Ints:
        """What each column is worth, at the scale of all pages."""
        return self.linear.objective * self.weight

    def objective(self, price: int) -> Ints:
        """Return values less ``price`` for each token."""
        return self.values - price * self.linear.tokens


def programs_of(drafts: Sequence[Draft], shared: Shared) -> tuple[list[PageProgram], int]:
    """Return the programs of all pages, and the scale of their values."""
    scale = int(np.lcm.reduce([draft.compiled.scale for draft in drafts]))
    return [PageProgram.of(draft, shared, scale // draft.compiled.scale) for draft in drafts], scale


def _with_heads(linear: Linear, headings: Ints, tokens: Ints) -> Linear:
    """Append a column per heading to the rows in which its tokens count."""
    at = {col: h for h, col in enumerate(headings.tolist()) if col >= 0}
    cols, coefs, sizes = [], [], []
    for i, row in enumerate(linear.rows):
        span = slice(int(linear.start[i]), int(linear.start[i + 1]))
        mine, own = linear.cols[span], linear.coefs[span]
        if at and row.family in TOKEN_ROWS:
            inside = [at[col] for col in mine.tolist() if col in at]
            mine = np.append(mine, [linear.columns + h for h in inside]).astype(np.int64)
            own = np.append(own, tokens[inside])
        cols.append(mine)
        coefs.append(own)
        sizes.append(len(mine))
    zeros = np.zeros(len(headings), dtype=np.int64)
    return dataclasses.replace(
        linear,
        start=np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64),
        cols=np.concatenate(cols).astype(np.int64),
        coefs=np.concatenate(coefs).astype(np.int64),
        col_lo=np.concatenate([linear.col_lo, zeros]),
        col_hi=np.concatenate([linear.col_hi, zeros]),
        objective=np.concatenate([linear.objective, zeros]),
        tokens=np.concatenate([linear.tokens, tokens]),
    )


def _needs(c: Compiled, linear: Linear, forms: Ints, headings: Ints, shared: Shared) -> Ints:
    needs = np.full(len(forms), NONE, dtype=np.int64)
    rows = {(row.name, row.other): i for i, row in enumerate(linear.rows) if row.family == "dependency"}
    for f in np.flatnonzero((shared.heading >= 0) & (forms >= 0)).tolist():
        heading = int(headings[shared.heading[f]])
        if heading >= 0:
            unit = c.ids[int(c.rung_unit[forms[f]])]
            needs[f] = rows.get((unit, c.ids[int(c.rung_unit[heading])]), NONE)
    return needs
