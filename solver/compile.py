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

import numpy as np
from numpy.typing import NDArray

from ..models import MinPolicy, Problem, ScaleError
from .eligible import Eligibility, Standing, resolve
from .flat import Flat
from .layout import Layout

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
    eligibility = resolve(problem)
    standings = [s for s in eligibility.standings.values() if s.out is None]
    index = {standing.unit.id: u for u, standing in enumerate(standings)}
    numbers = Numbers.of(problem, [eligibility.standings[name] for name in sorted(eligibility.weighed)])
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
        values=numbers.scaled(rung_values(problem, standings)),
        unit_zone=unit_zone,
        required=np.array([standing.required is not None for standing in standings], dtype=np.bool_),
        dep_unit=dep_unit,
        dep_target=dep_target,
        dep_start=dep_start,
        dep_rungs=dep_rungs,
        zones=zones,
        covers=_cover_rows(problem, standings, rung_start, numbers),
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
    base = weights.relevance * _doubles(u.relevance_score for u in units)
    base = base + weights.authority * _doubles(u.authority_score for u in units)
    base = base + weights.freshness * _doubles(u.freshness_score for u in units)
    risk = weights.risk * _doubles(u.risk_score for u in units)
    bonus = _doubles(problem.policy.should_include_bonus if s.bonus else 0.0 for s in standings)
    fidelity = _doubles(rung.fidelity for rung in rungs)
    values = fidelity * np.repeat(base, sizes) - np.repeat(risk, sizes) + np.repeat(bonus, sizes)
    given = np.repeat(_doubles(np.nan if u.value is None else u.value for u in units), sizes)
    values = np.where(np.isnan(given), values, fidelity * given)
    explicit = _doubles(np.nan if rung.value is None else rung.value for rung in rungs)
    return np.where(np.isnan(explicit), values, explicit)


def _doubles(numbers: Iterable[float]) -> Doubles:
    return np.fromiter(numbers, dtype=np.float64)


@dataclass(frozen=True)
class Numbers:
    """The two scales of a problem, chosen once."""

    scale: int
    amount_scale: int

    @classmethod
    def of(cls, problem: Problem, standings: list[Standing]) -> Numbers:
        """Choose the scales: integers given stay as they are, all else is scaled (design §3).

        The choice looks at every unit that policy, risk and dependencies leave in.
        """
        amounts = {
            strength * rung.fidelity
            for s in standings
            for strength in s.unit.coverage.values()
            for rung in s.rungs
        }
        amount_scale = 1 if amounts <= {0.0, 1.0} else AMOUNT_SCALE
        weights = problem.weights
        gains = [
            (weights.coverage if d.weight is None else d.weight) * gain
            for d in problem.coverage
            for gain in d.gains
        ]
        prices = [zone.target_price for zone in problem.envelope.zones]
        penalties = [weights.redundancy * group.penalty for group in problem.redundancy_groups]
        values = rung_values(problem, standings)
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
            while scale > SMALLEST_SCALE and largest * scale >= EXACT:
                scale //= 10
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


def _cover_rows(
    problem: Problem, standings: list[Standing], rung_start: Ints, numbers: Numbers
) -> list[CoverRow]:
    by_name: dict[str, list[tuple[int, float]]] = {d.name: [] for d in problem.coverage}
    for u, standing in enumerate(standings):
        for name, strength in standing.unit.coverage.items():
            if name in by_name and strength > 0:
                by_name[name].append((u, strength))
    rows: list[CoverRow] = []
    for dimension in sorted(problem.coverage, key=lambda d: d.name):
        weight = problem.weights.coverage if dimension.weight is None else dimension.weight
        # Per unit of amount: weight * gain * scale / amount_scale, rounded once (half to even).
        gains = np.rint(
            np.array([weight * gain * numbers.scale / numbers.amount_scale for gain in dimension.gains])
        ).astype(np.int64)
        rungs: list[int] = []
        amounts: list[float] = []
        for u, strength in by_name[dimension.name]:
            for r, rung in enumerate(standings[u].rungs):
                rungs.append(int(rung_start[u]) + r)
                amounts.append(strength * rung.fidelity * numbers.amount_scale)
        rows.append(
            CoverRow(
                name=dimension.name,
                rungs=np.array(rungs, dtype=np.int64),
                amounts=np.rint(np.array(amounts, dtype=np.float64)).astype(np.int64),
                gains=gains,
                required=dimension.min_count if dimension.required else 0,
                units=np.array([u for u, _ in by_name[dimension.name]], dtype=np.int64),
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
