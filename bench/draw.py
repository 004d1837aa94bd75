"""Draws the numbers of a packing instance as arrays, from a fixed seed.

Everything comes from one stream of uniform doubles by inverse transforms that are written out here, since the
streams of a library's distributions may change between its versions.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import sha256

import numpy as np
from numpy.typing import NDArray

from .spec import EXAMPLES, FIDELITIES, INSTRUCTIONS, RATIOS, RUNG_COUNTS, VERSION, ZONES, Spec

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]


class Dice:
    """Uniform doubles from PCG64, and what is made of them."""

    def __init__(self, seed: int) -> None:
        self._stream = np.random.Generator(np.random.PCG64(seed))

    def uniform(self, size: int) -> Floats:
        """Return doubles in [0, 1)."""
        return self._stream.random(size)

    def normal(self, size: int) -> Floats:
        """Return standard normal numbers (Box and Muller 1958)."""
        radius = np.sqrt(-2.0 * np.log1p(-self.uniform(size)))
        return np.asarray(radius * np.cos(2.0 * math.pi * self.uniform(size)))

    def below(self, high: int | Ints, size: int) -> Ints:
        """Return whole numbers from 0 to ``high - 1``."""
        return np.floor(self.uniform(size) * high).astype(np.int64)

    def pick(self, weights: Sequence[float] | Floats, size: int) -> Ints:
        """Return indices into ``weights``, drawn in proportion to them."""
        edges = np.cumsum(np.asarray(weights, dtype=np.float64))
        return np.minimum(
            np.searchsorted(edges / edges[-1], self.uniform(size), side="right"), len(edges) - 1
        )

    def order(self, size: int) -> Ints:
        """Return a random permutation."""
        return np.argsort(self.uniform(size), kind="stable").astype(np.int64)


@dataclass(frozen=True)
class Forms:
    """The forms beside each unit's own, by unit and fullest first: unit, state, tokens, fidelity."""

    unit: Ints
    state: Ints
    tokens: Ints
    fidelity: Floats


@dataclass(frozen=True)
class Edges:
    """Who needs whom, and the shortest form that is good enough (an index into the states from raw on)."""

    start: Ints
    end: Ints
    rung: Ints


@dataclass(frozen=True)
class Groups:
    """Redundancy groups: ``members`` is flat, sliced by ``start``.

    Policies: 0 and 1 ``keep_at_most`` that many plus one, 2 ``keep_all`` (priced only), 3
    ``keep_authoritative``, 4 the same plus one example.
    """

    start: Ints
    members: Ints
    policy: Ints
    penalty: Floats


@dataclass(frozen=True)
class Covers:
    """Who covers what and how strongly; per dimension weight, number of gains, units demanded.

    Dimensions below ``wide`` are covered everywhere, the others belong to modules.
    """

    unit: Ints
    dim: Ints
    strength: Floats
    weight: Floats
    steps: Ints
    demand: Ints
    wide: int


@dataclass(frozen=True)
class Limits:
    """Tokens in all, and the most and the least of each zone."""

    available: int
    maximum: Ints
    minimum: Ints


@dataclass(frozen=True)
class Arrays:
    """An instance as arrays, one entry per unit where nothing else is said."""

    spec: Spec
    zone: Ints
    module: Ints
    kind: Ints
    tokens: Ints
    relevance: Floats
    authority: Floats
    freshness: Floats
    risk: Floats
    required: Bools
    secret: Bools
    nice: Bools
    forms: Forms
    edges: Edges
    groups: Groups
    covers: Covers
    limits: Limits

    def digest(self) -> str:
        """Return a fingerprint of all numbers: rows of a run with another one are not comparable."""
        hashed = sha256(f"{VERSION} {self.spec} {self.limits.available}".encode())
        for part in (self, self.forms, self.edges, self.groups, self.covers, self.limits):
            for value in vars(part).values():
                if isinstance(value, np.ndarray):
                    hashed.update(value.tobytes())
        return hashed.hexdigest()[:16]


def draw(spec: Spec, seed: int) -> Arrays:
    """Draw the instance of ``spec`` that ``seed`` names."""
    dice, n = Dice(seed), spec.units
    zone = _zones(dice, n)
    modules = max(2, n // 25)
    module = np.sort(dice.pick(np.exp(0.8 * dice.normal(modules)), n))
    sigma = np.where(zone < INSTRUCTIONS, 0.4, 0.95)
    medians = np.array([spec.median for spec in ZONES])[zone]
    tokens = np.clip(np.rint(medians * np.exp(sigma * dice.normal(n))), 6, 16000).astype(np.int64)
    able = zone >= INSTRUCTIONS
    chained = _chained(dice, spec, able, module)
    edges = _edges(dice, spec, able, chained)
    needed = np.bincount(edges.end, minlength=n)
    required = able & (dice.uniform(n) < spec.required)
    must = _closure(required | (zone < 2), edges)
    # What others need is rarely out, else whole chains would go with it.
    leaf = able & ~must & ((needed == 0) | ((needed == 1) & (dice.uniform(n) < 0.1)))
    relevance, authority, freshness = _scores(dice, spec, zone, module, tokens)
    risk = np.round(0.5 * dice.uniform(n) ** 4, 3)
    risk = np.where(leaf & (dice.uniform(n) < 0.015), np.round(0.7 + 0.3 * dice.uniform(n), 3), risk)
    secret = leaf & (dice.uniform(n) < 0.01)
    return Arrays(
        spec=spec,
        zone=zone,
        module=module,
        kind=dice.below(np.array([len(spec.kinds) for spec in ZONES])[zone], n),
        tokens=tokens,
        relevance=relevance,
        authority=authority,
        freshness=freshness,
        risk=risk,
        required=required,
        secret=secret,
        nice=dice.uniform(n) < 0.05,
        forms=_forms(dice, tokens, zone),
        edges=edges,
        groups=_groups(dice, spec, zone, module, must | chained | ~able, leaf),
        covers=_covers(dice, spec, module, modules, leaf & (risk < 0.7) & ~secret),
        limits=_limits(spec, zone, tokens, must),
    )


def _zones(dice: Dice, n: int) -> Ints:
    """Return each unit's zone; instructions stand at random places among the others."""
    zone = dice.pick([spec.share for spec in ZONES], n)
    few = min(8, max(1, n // 150))
    places = dice.order(n)[: few * INSTRUCTIONS]
    zone[places] = np.arange(len(places)) % INSTRUCTIONS
    return zone.astype(np.int64)


def _scores(dice: Dice, spec: Spec, zone: Ints, module: Ints, tokens: Ints) -> tuple[Floats, Floats, Floats]:
    """Relevance follows the module and, by ``correlation``, the size; authority follows the zone."""
    n = spec.units
    about = dice.uniform(int(module.max()) + 1) ** 2.5
    own = np.clip(0.55 * about[module] + 0.45 * dice.uniform(n) ** 1.5, 0, 1)
    by_size = np.minimum(1.0, np.sqrt(tokens / 1200.0)) * (0.75 + 0.25 * dice.uniform(n))
    relevance = (1 - spec.correlation) * own + spec.correlation * by_size
    base = np.array([spec.authority for spec in ZONES])[zone]
    authority = np.clip(base + 0.25 * (2 * dice.uniform(n) - 1), 0, 1)
    return np.round(relevance, 3), np.round(authority, 3), np.round(dice.uniform(n), 3)


def _forms(dice: Dice, tokens: Ints, zone: Ints) -> Forms:
    """Return the shorter forms; noise makes some save nothing, and some worth less than a mix of others."""
    n = len(tokens)
    wanted = np.where(zone < 2, 0, dice.pick(RUNG_COUNTS, n))
    # Of the four states, each unit takes the `wanted` with the smallest random ranks, in ladder order.
    ranks = np.argsort(np.argsort(dice.uniform(4 * n).reshape(n, 4), axis=1), axis=1)
    unit, state = np.nonzero(ranks < wanted[:, None])
    count = len(unit)
    ratio = np.array(RATIOS)[state] * np.exp(0.35 * dice.normal(count))
    size = np.maximum(1, np.ceil(tokens[unit] * np.minimum(ratio, 1.2))).astype(np.int64)
    fidelity = np.array(FIDELITIES)[state] * (0.85 + 0.3 * dice.uniform(count))
    kept = np.round(np.clip(fidelity, 0.05, 1.0), 2).astype(np.float64)
    return Forms(unit.astype(np.int64), state.astype(np.int64), size, kept)


def _chained(dice: Dice, spec: Spec, able: Bools, module: Ints) -> Bools:
    """Return which units need the one before them: whole segments of a module do, or none of the segment."""
    n = spec.units
    heads = (dice.uniform(n) < 1 / spec.chain_length) | ~able
    heads[0] = True
    heads[1:] |= (module[1:] != module[:-1]) | ~able[:-1]
    segment = np.cumsum(heads) - 1
    share = min(1.0, spec.chains / max(0.01, 1 - 1 / spec.chain_length))
    return np.asarray((dice.uniform(n) < share)[segment] & ~heads)


def _edges(dice: Dice, spec: Spec, able: Bools, chained: Bools) -> Edges:
    """Chains and edges to hubs, all to units before; ``cycles`` turns a share of them into pairs."""
    n = spec.units
    each = np.arange(n, dtype=np.int64)
    ranks = np.arange(1.0, max(2, n // 100) + 1) ** -1.1
    homes = np.flatnonzero(able[: n // 3])
    hubs = homes[dice.order(len(homes))[: len(ranks)]]
    wants = np.flatnonzero(able & (dice.uniform(n) < spec.hubs) & ~np.isin(each, hubs))
    to = hubs[dice.pick(ranks[: len(hubs)], len(wants))]
    back = to < wants
    start = np.concatenate([each[chained], wants[back]])
    end = np.concatenate([each[chained] - 1, to[back]])
    both = dice.uniform(len(start)) < spec.cycles
    pairs = np.unique(np.concatenate([start * n + end, (end * n + start)[both]]))
    rung = np.where(dice.uniform(len(pairs)) < 0.3, 1 + dice.below(3, len(pairs)), 4)
    return Edges(pairs // n, pairs % n, rung.astype(np.int64))


def _closure(seeds: Bools, edges: Edges) -> Bools:
    """Return ``seeds`` and all that they need."""
    known = seeds.copy()
    while True:
        more = known.copy()
        more[edges.end[known[edges.start]]] = True
        if (more == known).all():
            return known
        known = more


def _groups(dice: Dice, spec: Spec, zone: Ints, module: Ints, bound: Bools, leaf: Bools) -> Groups:
    """Members stand close together in one module; a unit may be in several groups.

    What is bound (must be in, needs its neighbour, is an instruction) joins priced groups only, and what many
    need is no rival of the authoritative member.
    """
    count = max(1, round(spec.groups * spec.units))
    first = dice.below(spec.units, count)
    wanted = 3 + np.minimum(5, np.floor(-1.8 * np.log1p(-dice.uniform(count)))).astype(np.int64)
    policy = dice.pick([0.40, 0.20, 0.25, 0.04, 0.11], count)
    priced = (dice.uniform(count) < spec.soft) | (policy == 2)
    penalty = np.where(priced, np.round(0.3 + 3.0 * dice.uniform(count) ** 2, 2), 0.0)
    example = np.isin(zone, EXAMPLES)
    members: list[int] = []
    starts = [0]
    for i, k, rule in zip(first.tolist(), wanted.tolist(), policy.tolist(), strict=True):
        window = np.arange(i, min(i + 4 * k, spec.units))
        fits = (module[window] == module[i]) & (~bound[window] if rule != 2 else True)
        if rule > 2:
            fits &= leaf[window]
        if rule == 4:
            # One authority and examples of it: others could never be kept.
            plain = np.flatnonzero(fits & ~example[window])
            fits[plain[1:]] = False
        near = window[fits]
        chosen = near[dice.order(len(near))[:k]]
        members += sorted(chosen.tolist())
        starts.append(len(members))
    flat = np.array(members, dtype=np.int64)
    return Groups(np.array(starts, dtype=np.int64), flat, policy.astype(np.int64), penalty)


def _covers(dice: Dice, spec: Spec, module: Ints, modules: int, free: Bools) -> Covers:
    """Return who covers what, how strongly, what it is worth, and how many units are demanded.

    A few wide dimensions are covered all over by Zipf's law; the others belong to modules, which overlap.
    """
    n = spec.units
    wide = min(12, max(3, n // 20))
    own = min(200, max(2, modules // 2))
    tries = 2 * max(1, math.ceil(spec.cover))
    unit = np.repeat(np.arange(n, dtype=np.int64), tries)
    unit = unit[dice.uniform(len(unit)) < spec.cover / tries]
    local = wide + (module[unit] + dice.below(3, len(unit))) % own
    general = dice.pick(1.0 / np.arange(1, wide + 1), len(unit))
    dim = np.where(dice.uniform(len(unit)) < 0.7, local, general)
    pairs = np.unique(unit * (wide + own) + dim)
    unit, dim = pairs // (wide + own), pairs % (wide + own)
    strength = np.round(0.3 + 0.7 * dice.uniform(len(unit)), 1)
    weight = np.concatenate([1.0 + 3.0 * dice.uniform(wide), 0.2 + 1.0 * dice.uniform(own)])
    counts = np.bincount(dim[free[unit]], minlength=wide + own)
    # Where there is more evidence there is more to say: gains fall to a tenth over so many covers.
    steps = np.clip(counts // 12, 3, 40)
    asked = np.where(dice.uniform(wide + own) < 0.05, 1 + dice.below(2, wide + own), 0)
    asked[: min(2, wide)] = 2
    demand = np.where(counts >= 5 * asked, asked, 0)
    steps, demand = steps.astype(np.int64), demand.astype(np.int64)
    return Covers(unit, dim, strength, np.round(weight, 3), steps, demand, wide)


def _limits(spec: Spec, zone: Ints, tokens: Ints, must: Bools) -> Limits:
    """Budget, zone maxima and zone minima; what must be in always fits, with a tenth to spare."""
    held = np.bincount(zone, weights=tokens, minlength=len(ZONES))
    need = np.ceil(1.1 * np.bincount(zone[must], weights=tokens[must], minlength=len(ZONES)))
    available = int(max(spec.tightness * held.sum(), need.sum() + 0.02 * held.sum()))
    maximum = np.zeros(len(ZONES), dtype=np.int64)
    minimum = np.zeros(len(ZONES), dtype=np.int64)
    for z, limits in enumerate(ZONES):
        share = available * held[z] / held.sum()
        inside = tokens[zone == z]
        # All instructions fit: their few units would else make a knapsack whose gap drowns all others.
        floor = held[z] if z < INSTRUCTIONS else float(inside.min(initial=0))
        maximum[z] = int(max(share * limits.maximum * spec.slack, need[z], floor))
        minimum[z] = int(min(limits.minimum * maximum[z], 0.5 * held[z]))
    return Limits(available, maximum, minimum)
