"""The one array form of a problem, which every engine reads.

Units are in canonical order (by id), only eligible ones are in; rungs are flat, those of unit ``u`` at
``rung_start[u]:rung_start[u + 1]``, fullest first. All numbers are integers: tokens, and values times
``scale``.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from operator import attrgetter

import numpy as np
from numpy.typing import NDArray

from ..models import MinPolicy, Objective, Problem, ScaleError
from ..models.reading import collector_paused
from .eligible import Eligibility, Standing, resolve
from .flat import Flat
from .layout import Layout
from .priced.tariff import Tariff

Ints = NDArray[np.int64]
Bools = NDArray[np.bool_]
Doubles = NDArray[np.float64]

SCALE = 10**6
"""Units of value per 1.0 where values are fractional: finer than any score is meant."""

AMOUNT_SCALE = 10**3
"""Units of coverage per full cover where strengths or fidelities are fractional."""

SMALLEST_SCALE = 10**3
EXACT = 2**53
"""Integers below it are exact in a double, which LP engines and CP-SAT's reports use."""

EXACT_RATIO = 2**58
"""The same for value times cost, which is compared in integers only: within 64 bits, sums included."""


@dataclass(frozen=True)
class ZoneRow:
    """One zone with a limit: the units in it and the tokens they may fill."""

    name: str
    units: Ints
    minimum: int
    relax: bool
    maximum: int | None
    target: int
    price: int


@dataclass(frozen=True)
class CoverRow:
    """One dimension: scaled amount per rung, gain per unit of amount by segment, who counts if required."""

    name: str
    rungs: Ints
    amounts: Ints
    gains: Ints
    required: int
    units: Ints


@dataclass(frozen=True)
class Clique:
    """At most ``k`` of ``units``."""

    name: str
    units: Ints
    k: int


@dataclass(frozen=True)
class SoftGroup:
    """Each member beyond the first costs ``price``."""

    name: str
    units: Ints
    price: int


@dataclass(frozen=True)
class PriceRows:
    """One of the cases of a problem whose prices decide (:mod:`.priced`): what it adds to the program.

    ``costs`` per rung, of which a pack may have ``most`` (None: no row). The units ``prefix`` must hold
    ``least`` tokens. ``dear`` is, per unit, what share of what is left a token of it takes, of tokens or of
    money, against that of the cheapest unit.
    """

    case: str
    costs: Ints
    most: int | None
    prefix: Ints
    least: int
    dear: Doubles | None = None


@dataclass(frozen=True)
class Compiled:
    """A problem as arrays: ``n`` units, ``m`` rungs.

    ``dep_unit[e]`` needs ``dep_target[e]`` at one of the rungs ``dep_rungs`` sliced by ``dep_start``.
    ``unit_zone[u]`` is the row of ``zones`` that holds ``u``, or -1 where its zone has no limits.
    """

    problem: Problem
    eligibility: Eligibility
    ids: list[str]
    standings: list[Standing]
    available: int
    scale: int
    amount_scale: int
    rung_start: Ints
    rung_unit: Ints
    tokens: Ints
    values: Ints
    unit_zone: Ints
    required: Bools
    dep_unit: Ints
    dep_target: Ints
    dep_start: Ints
    dep_rungs: Ints
    zones: list[ZoneRow]
    covers: list[CoverRow]
    cliques: list[Clique]
    soft: list[SoftGroup]
    index: dict[str, int] = field(repr=False)
    priced: PriceRows | None = None

    @property
    def n(self) -> int:
        """Number of eligible units."""
        return len(self.ids)

    @property
    def m(self) -> int:
        """Number of offered rungs."""
        return len(self.tokens)

    @cached_property
    def layout(self) -> Layout:
        """The same as Python lists, for constructive methods."""
        return Layout(self)

    @cached_property
    def dimensions(self) -> frozenset[str]:
        """Names of the declared dimensions."""
        return frozenset(cover.name for cover in self.covers)

    @cached_property
    def flat(self) -> Flat:
        """The same as flat arrays, for methods that weigh all units at once."""
        return Flat(self)

    def rungs_of(self, unit: int) -> range:
        """Return the rung indices of ``unit``, fullest first."""
        return range(int(self.rung_start[unit]), int(self.rung_start[unit + 1]))


def compile_problem(problem: Problem) -> Compiled:
    """Turn ``problem`` into arrays.

    Raises
    ------
    PolicyError, InfeasibleError, SchemaError
        As :func:`resolve`.
    ScaleError
        The values are too large for exact integers.
    """
    with collector_paused():
        return _compiled(problem, resolve(problem))


def _compiled(problem: Problem, eligibility: Eligibility) -> Compiled:
    weighed = [s for name, s in eligibility.standings.items() if name in eligibility.weighed]
    values, covers = rung_values(problem, weighed), Covers.of(problem, weighed)
    numbers = Numbers.of(problem, weighed, values, covers)
    kept = np.array([s.out is None for s in weighed], dtype=np.bool_)
    standings = [s for s in weighed if s.out is None]
    index = {standing.unit.id: u for u, standing in enumerate(standings)}
    kept_rungs = np.repeat(kept, [len(s.rungs) for s in weighed])
    sizes = [len(standing.rungs) for standing in standings]
    rung_start = np.concatenate([[0], np.cumsum(sizes, dtype=np.int64)]).astype(np.int64)
    zones = _zone_rows(problem, standings, numbers)
    unit_zone = np.full(len(standings), -1, dtype=np.int64)
    for z, zone in enumerate(zones):
        unit_zone[zone.units] = z
    dep_unit, dep_target, dep_start, dep_rungs = _dependencies(eligibility, standings, index, rung_start)
    return Compiled(
        problem=problem,
        eligibility=eligibility,
        ids=[standing.unit.id for standing in standings],
        standings=standings,
        available=problem.envelope.available,
        scale=numbers.scale,
        amount_scale=numbers.amount_scale,
        rung_start=rung_start,
        rung_unit=np.repeat(np.arange(len(standings), dtype=np.int64), sizes),
        tokens=np.array([rung.tokens for s in standings for rung in s.rungs], dtype=np.int64),
        values=numbers.scaled(values[kept_rungs]),
        unit_zone=unit_zone,
        required=np.array([standing.required is not None for standing in standings], dtype=np.bool_),
        dep_unit=dep_unit,
        dep_target=dep_target,
        dep_start=dep_start,
        dep_rungs=dep_rungs,
        zones=zones,
        covers=_cover_rows(problem, covers.kept(kept), rung_start, numbers),
        cliques=[
            Clique(name, _positions(members, index), k)
            for name, members, k in eligibility.cliques
            if sum(member in index for member in members) > k
        ],
        soft=_soft_groups(problem, index, numbers),
        index=index,
    )


def rung_values(problem: Problem, standings: list[Standing]) -> Doubles:
    """Return the value of each offered rung, in doubles and in the stated order of operations (design §3).

    ``fidelity * ((w_rel*rel + w_auth*auth) + w_fresh*fresh) - w_risk*risk + bonus``; explicit values stand.
    """
    units, weights = [s.unit for s in standings], problem.weights
    sizes = [len(s.rungs) for s in standings]
    rungs = [rung for s in standings for rung in s.rungs]
    base = weights.relevance * _column(units, "relevance_score")
    base = base + weights.authority * _column(units, "authority_score")
    base = base + weights.freshness * _column(units, "freshness_score")
    risk = weights.risk * _column(units, "risk_score")
    bonus = np.where(_column(standings, "bonus") > 0, problem.policy.should_include_bonus, 0.0)
    fidelity = _column(rungs, "fidelity")
    values = fidelity * np.repeat(base, sizes) - np.repeat(risk, sizes) + np.repeat(bonus, sizes)
    # An explicit value that is not given is None, and not a number in the column.
    given = np.repeat(_column(units, "value"), sizes)
    values = np.where(np.isnan(given), values, fidelity * given)
    explicit = _column(rungs, "value")
    return np.where(np.isnan(explicit), values, explicit)


def _column(records: Sequence[object], name: str) -> Doubles:
    """Return one attribute of all ``records``; None becomes NaN."""
    return np.array(list(map(attrgetter(name), records)), dtype=np.float64)


@dataclass(frozen=True)
class Covers:
    """What units cover, an entry for each unit, one of its dimensions and one of its rungs.

    ``dim`` is the place of the dimension among the sorted declared ones, or -1; ``strength`` is the unit's,
    ``share`` that of the rung: strength times fidelity, in doubles.
    """

    dim: Ints
    unit: Ints
    rung: Ints
    strength: Doubles
    share: Doubles

    @classmethod
    def of(cls, problem: Problem, standings: list[Standing]) -> Covers:
        """Return the entries of ``standings``, by unit; ``rung`` counts from the unit's fullest one."""
        place = {name: d for d, name in enumerate(sorted(d.name for d in problem.coverage))}
        covering = [(u, s) for u, s in enumerate(standings) if s.unit.coverage]
        counts = [len(s.unit.coverage) for _, s in covering]
        names = [name for _, s in covering for name in s.unit.coverage]
        strengths = [strength for _, s in covering for strength in s.unit.coverage.values()]
        rungs = np.array([len(s.rungs) for _, s in covering], dtype=np.int64)
        fidelity = _column([rung for _, s in covering for rung in s.rungs], "fidelity")
        each = np.repeat(rungs, counts)  # rungs of each pair of unit and dimension
        first = np.repeat(np.cumsum(rungs) - rungs, counts)
        rung = np.arange(int(each.sum()), dtype=np.int64) - np.repeat(np.cumsum(each) - each, each)
        strength = np.repeat(np.array(strengths, dtype=np.float64), each)
        return cls(
            dim=np.repeat(np.array([place.get(name, -1) for name in names], dtype=np.int64), each),
            unit=np.repeat(np.repeat(np.array([u for u, _ in covering], dtype=np.int64), counts), each),
            rung=rung,
            strength=strength,
            share=strength * fidelity[np.repeat(first, each) + rung],
        )

    def kept(self, units: Bools) -> Covers:
        """Return the entries of ``units`` that count for a dimension, by dimension; units renumbered."""
        counts = np.flatnonzero((self.dim >= 0) & (self.strength > 0) & units[self.unit])
        order = counts[np.argsort(self.dim[counts], kind="stable")]
        number = np.cumsum(units) - 1
        return Covers(
            self.dim[order],
            number[self.unit[order]],
            self.rung[order],
            self.strength[order],
            self.share[order],
        )


@dataclass(frozen=True)
class Numbers:
    """The two scales of a problem, chosen once."""

    scale: int
    amount_scale: int

    @classmethod
    def of(cls, problem: Problem, standings: list[Standing], values: Doubles, covers: Covers) -> Numbers:
        """Choose the scales: integers given stay as they are, all else is scaled (design §3).

        The choice looks at every unit that policy, risk and dependencies leave in: ``standings``, with the
        values of their rungs and what they cover.
        """
        full = bool(((covers.share == 0.0) | (covers.share == 1.0)).all())
        amount_scale = 1 if full else AMOUNT_SCALE
        weights = problem.weights
        gains = [
            (weights.coverage if d.weight is None else d.weight) * gain
            for d in problem.coverage
            for gain in d.gains
        ]
        limit = _exact_limit(problem)
        prices = [zone.target_price for zone in problem.envelope.zones]
        penalties = [weights.redundancy * group.penalty for group in problem.redundancy_groups]
        starts = np.cumsum([0, *(len(s.rungs) for s in standings)])[:-1]
        largest = math.fsum(np.maximum.reduceat(np.abs(values), starts)) if standings else 0.0
        largest += sum(gains)
        largest += sum(prices) * problem.envelope.available
        largest += sum(
            p * len(problem.groups[g.id]) for p, g in zip(penalties, problem.redundancy_groups, strict=True)
        )
        whole = bool((values == np.rint(values)).all())
        if whole and all(number.is_integer() for number in (*gains, *prices, *penalties)):
            scale = amount_scale
        else:
            scale = SCALE
            while scale > SMALLEST_SCALE and largest * scale >= limit:
                scale //= 10
        if largest * scale >= limit < EXACT:
            raise ScaleError(
                f"the values add up to {largest:.6g}, which times the scale {scale} and what packs cost is "
                "not exact in 64 bits",
                field="pricing",
                hint="round the prices and the number of calls, so that they have a large common divisor",
            )
        if largest * scale >= EXACT:
            raise ScaleError(
                f"the values add up to {largest:.6g}, which times the scale {scale} is not exact in 64 bits",
                field="units[].value",
                hint=f"divide all values and weights by {int(largest * scale / EXACT) + 1} or more",
            )
        return cls(scale, amount_scale)

    def scaled(self, values: Sequence[float] | Doubles) -> Ints:
        """Return ``values`` times the scale, rounded half to even."""
        return np.rint(np.asarray(values, dtype=np.float64) * self.scale).astype(np.int64)


def _exact_limit(problem: Problem) -> int:
    """Return what no objective may reach; where value is weighed against cost, their product counts."""
    pricing = problem.pricing
    if pricing is None or pricing.objective is Objective.VALUE:
        return EXACT
    tariff = Tariff.of(problem)
    most = tariff.most(problem.envelope.available) // tariff.unit
    return min(EXACT, EXACT_RATIO // (2 * max(1, most)))


def _positions(names: Iterable[str], index: dict[str, int]) -> Ints:
    return np.array(sorted(index[name] for name in names if name in index), dtype=np.int64)


def _dependencies(
    eligibility: Eligibility, standings: list[Standing], index: dict[str, int], rung_start: Ints
) -> tuple[Ints, Ints, Ints, Ints]:
    edges: dict[tuple[int, int], list[int]] = {}
    for u, standing in enumerate(standings):
        for dependency in standing.unit.dependencies:
            v = index[dependency.id]
            good = [
                int(rung_start[v]) + r
                for r, rung in enumerate(standings[v].rungs)
                if rung.depth <= dependency.min_rung.depth
            ]
            known = edges.get((u, v))
            edges[u, v] = good if known is None else [r for r in known if r in good]
    for member, anchor in eligibility.anchors:
        if member in index:
            v = index[anchor]
            edges.setdefault((index[member], v), list(range(int(rung_start[v]), int(rung_start[v + 1]))))
    keys = sorted(edges)
    starts = np.concatenate([[0], np.cumsum([len(edges[key]) for key in keys], dtype=np.int64)])
    return (
        np.array([u for u, _ in keys], dtype=np.int64),
        np.array([v for _, v in keys], dtype=np.int64),
        starts.astype(np.int64),
        np.array([rung for key in keys for rung in edges[key]], dtype=np.int64),
    )


def _zone_rows(problem: Problem, standings: list[Standing], numbers: Numbers) -> list[ZoneRow]:
    members: dict[str, list[int]] = {zone.name: [] for zone in problem.envelope.zones}
    for u, standing in enumerate(standings):
        members.setdefault(standing.zone.name, []).append(u)
    rows: list[ZoneRow] = []
    for zone in sorted(problem.envelope.zones, key=lambda z: z.name):
        price = int(numbers.scaled([zone.target_price])[0])
        if zone.min_tokens == 0 and zone.max_tokens is None and price == 0:
            continue
        rows.append(
            ZoneRow(
                name=zone.name,
                units=np.array(members[zone.name], dtype=np.int64),
                minimum=zone.min_tokens,
                relax=zone.effective_min_policy is MinPolicy.RELAX,
                maximum=zone.max_tokens,
                target=zone.target_tokens or 0,
                price=price,
            )
        )
    return rows


def _cover_rows(problem: Problem, covers: Covers, rung_start: Ints, numbers: Numbers) -> list[CoverRow]:
    bounds = np.searchsorted(covers.dim, np.arange(len(problem.coverage) + 1))
    rungs = rung_start[covers.unit] + covers.rung
    amounts = np.rint(covers.share * numbers.amount_scale).astype(np.int64)
    rows: list[CoverRow] = []
    for d, dimension in enumerate(sorted(problem.coverage, key=lambda d: d.name)):
        mine = slice(int(bounds[d]), int(bounds[d + 1]))
        weight = problem.weights.coverage if dimension.weight is None else dimension.weight
        # Per unit of amount: weight * gain * scale / amount_scale, rounded once (half to even).
        gains = [weight * gain * numbers.scale / numbers.amount_scale for gain in dimension.gains]
        rows.append(
            CoverRow(
                name=dimension.name,
                rungs=rungs[mine],
                amounts=amounts[mine],
                gains=np.rint(np.array(gains, dtype=np.float64)).astype(np.int64),
                required=dimension.min_count if dimension.required else 0,
                units=covers.unit[mine][covers.rung[mine] == 0],
            )
        )
    return rows


def _soft_groups(problem: Problem, index: dict[str, int], numbers: Numbers) -> list[SoftGroup]:
    rows: list[SoftGroup] = []
    for group in sorted(problem.redundancy_groups, key=lambda g: g.id):
        price = int(numbers.scaled([problem.weights.redundancy * group.penalty])[0])
        units = _positions(problem.groups[group.id], index)
        if price > 0 and len(units) > 1:
            rows.append(SoftGroup(group.id, units, price))
    return rows
