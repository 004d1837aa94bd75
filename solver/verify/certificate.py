"""Recertifies the bound by weak duality, in plain Python integers (design §3; Geoffrion 1974).

For any multipliers ``y`` of the rows (0 or more for an upper side, 0 or less for a lower one)::

    sum_rows y * side  +  sum_units max over options of (value - y . column)  +  the same for helper columns

bounds the objective of every pack from above: each accepted pack pays ``y . row <= y * side`` in every row.
A unit's options are its rungs, and being out unless it must stay. All is multiplied by the certificate's
denominator.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable

from ...models import Certificate, GroupPolicy, MinPolicy, PackedContext, RowDual, Stability
from .facts import Facts, Rung
from .pack import Pack
from .pricing import Prices, Side, best_per_cost, prices_of
from .report import Complaints

CHECK = "certificate"
Price = Callable[[str, Rung], int]


def check_certificate(facts: Facts, context: PackedContext, pack: Pack, complaints: Complaints) -> None:
    """Hold ``solver.certificate`` against the problem: its rows exist, and they prove the bound it states."""
    prices = prices_of(facts)
    if prices is not None:
        _check_cases(facts, prices, context, pack, complaints)
        return
    stated = context.solver.certificate
    if context.solver.cached_certificate is not None:
        complaints.add(CHECK, "there are two, and no prices that decide")
    if stated is None:
        complaints.add(CHECK, "there is none: nothing proves the bound")
        return
    beyond = context.solver.bound < stated.bound
    rest = f"; {context.solver.bound} rests on the search" if beyond else ""
    complaints.open(CHECK, f"{len(stated.duals)} multipliers prove the bound {stated.bound}{rest}")
    proof = Proof(facts, stated, context.solver.shortfall)
    for dual in stated.duals:
        complaint = proof.add(dual)
        if complaint:
            complaints.add(CHECK, complaint)
            return
    complaints.expect(CHECK, "certificate.bound", stated.bound, proof.total() // stated.denominator)
    complaints.require(
        CHECK,
        context.solver.objective <= stated.bound,
        f"the objective {context.solver.objective} is above the {stated.bound} that is proven",
    )


def _check_cases(
    facts: Facts, prices: Prices, context: PackedContext, pack: Pack, complaints: Complaints
) -> None:
    """Hold the certificates of both ways to pay against the problem: each proves its bound, and all together
    that no pack is worth more than they say (per cost, where that is asked for)."""
    solver, sides = context.solver, prices.sides()
    given = {"uncached": solver.certificate, "cached": solver.cached_certificate}
    implied: list[int] = []
    cost = prices.cost(*pack.by_stability) // prices.unit
    complaints.open(CHECK, "")
    for name, stated in given.items():
        side = sides.get(name)
        if stated is None or side is None:
            complaints.require(
                CHECK, (stated is None) == (side is None), f"{name}: a certificate is missing, or stray"
            )
            continue
        proof = Proof(facts, stated, solver.shortfall, side)
        wrong = [complaint for dual in stated.duals if (complaint := proof.add(dual))]
        for complaint in wrong[:1]:
            complaints.add(CHECK, f"{name}: {complaint}")
        fits = best_per_cost(facts) or (proof.value, proof.cost) == (1, 0)
        complaints.require(CHECK, fits, f"{name}: weighs value against cost, which nobody asked for")
        complaints.expect(CHECK, f"{name}: case", stated.case, name)
        if not wrong:
            least = proof.total() // stated.denominator - proof.cost * side.fixed
            complaints.expect(CHECK, f"{name}: bound", stated.bound, least)
        implied.append(_most_value(proof, side, stated.bound, cost))
    bound = max(implied, default=None)
    if bound is None:
        complaints.add(CHECK, "there is none: nothing proves the bound")
        return
    rest = f"; {solver.bound} rests on the search" if solver.bound < bound else ""
    what = f"the bound {bound}" if not best_per_cost(facts) else f"at this cost the bound {bound}"
    complaints.open(CHECK, f"{len(implied)} certificates prove {what}{rest}")
    above = f"the objective {solver.objective} is above the {bound} that is proven"
    complaints.require(CHECK, solver.objective <= bound, above)


def _most_value(proof: Proof, side: Side, bound: int, cost: int) -> int:
    """Return what a pack at ``cost`` may be worth, if none has more than the proven ratio to its own.

    From ``value weight x value - cost weight x cost <= bound``, for costs that are never below ``fixed``.
    """
    if proof.cost == 0 or side.fixed <= 0:
        return bound // proof.value
    per_cost = proof.cost * side.fixed + max(0, bound)
    return -(-cost * per_cost // (proof.value * side.fixed))


class Proof:
    """Sums the weak-duality bound up, row by row; ``k`` is the common denominator.

    With a ``side``, of the packs that are paid for in that way.
    """

    def __init__(
        self, facts: Facts, certificate: Certificate, shortfall: int, side: Side | None = None
    ) -> None:
        self.facts = facts
        self.k = certificate.denominator
        self.side = side
        self.available = facts.available if side is None else side.available
        self.value = 1 if certificate.value_weight is None else certificate.value_weight
        self.cost = certificate.cost_weight or 0
        self.stable_only = self.per_cost = 0
        self.shortfall = shortfall
        self.sides = 0
        self.per_token: dict[str, int] = defaultdict(int)  # by zone; "" is the budget
        self.per_unit: dict[str, int] = defaultdict(int)
        self.per_rung: dict[str, dict[int, int]] = defaultdict(lambda: defaultdict(int))
        self.per_amount: dict[str, int] = {}
        self.rows: dict[tuple[str, str], int] = {}
        self.seen: set[tuple[str, str, str]] = set()
        problem = facts.problem
        self.zones = {zone.name for zone in problem.envelope.zones}
        self.dimensions = {d.name: (i, d) for i, d in enumerate(problem.coverage)}

    def add(self, dual: RowDual) -> str | None:
        """Count one row in; return what is wrong with it, if anything is."""
        key = (dual.family, dual.name, dual.other)
        if key in self.seen:
            return f"row {key} is listed twice"
        self.seen.add(key)
        handler = {
            "budget": self._budget,
            "zone maximum": self._zone_maximum,
            "zone minimum": self._zone_minimum,
            "zone target": self._zone_target,
            "dependency": self._dependency,
            "group": self._group,
            "redundancy": self._redundancy,
            "coverage": self._required_dimension,
            "cover": self._cover,
            "shortfall": self._shortfall,
            "cost": self._cost,
            "prefix minimum": self._prefix_minimum,
        }.get(dual.family)
        unknown_zone = dual.family.startswith("zone ") and dual.name not in self.zones
        stray = bool(dual.other) is not (dual.family == "dependency") or not dual.value
        if handler is None or unknown_zone or stray or not handler(dual):
            return f"no row {key} of the problem takes the multiplier {dual.value}"
        self.rows[dual.family, dual.name] = dual.value
        return None

    def _budget(self, dual: RowDual) -> bool:
        self.per_token[""] += dual.value
        self.sides += dual.value * self.available
        return dual.value >= 0 and not dual.name

    def _cost(self, dual: RowDual) -> bool:
        if self.side is None or self.side.most is None or dual.name:
            return False
        self.per_cost = dual.value
        self.sides += dual.value * self.side.most
        return dual.value >= 0

    def _prefix_minimum(self, dual: RowDual) -> bool:
        if self.side is None or dual.name:
            return False
        self.stable_only = dual.value
        self.sides += dual.value * self.side.needed
        return dual.value <= 0

    def _zone_maximum(self, dual: RowDual) -> bool:
        limit = self.facts.zone(dual.name).max_tokens
        self.per_token[dual.name] += dual.value
        self.sides += dual.value * (limit or 0)
        return dual.value >= 0 and limit is not None

    def _zone_minimum(self, dual: RowDual) -> bool:
        self.per_token[dual.name] += dual.value
        self.sides += dual.value * self.facts.zone(dual.name).min_tokens
        return dual.value <= 0 and self.facts.zone(dual.name).min_tokens > 0

    def _zone_target(self, dual: RowDual) -> bool:
        target = self.facts.zone(dual.name).target_tokens
        self.per_token[dual.name] += dual.value
        self.sides += dual.value * (target or 0)
        return dual.value >= 0 and self.facts.zone_price(dual.name) > 0

    def _dependency(self, dual: RowDual) -> bool:
        """``y_u <= sum of the rungs of v that will do``: by the unit's own need, or as a group's example."""
        facts, u, v = self.facts, dual.name, dual.other
        if u not in facts.units or v not in facts.units:
            return False
        needs = [need for need in facts.units[u].unit.dependencies if need.id == v]
        if not needs and v not in facts.anchors_of(u):
            return False
        deepest = min(
            (need.min_rung.depth for need in needs), default=max(s.state.depth for s in self._rungs(v))
        )
        self.per_unit[u] += dual.value
        for rung in self._rungs(v):
            if rung.state.depth <= deepest:
                self.per_rung[v][rung.index] -= dual.value
        return dual.value >= 0

    def _group(self, dual: RowDual) -> bool:
        """At most k members, or at most one example beside the preferred member."""
        facts = self.facts
        group = facts.groups.get(dual.name)
        if group is None or group.policy in (GroupPolicy.KEEP_ALL, GroupPolicy.KEEP_AUTHORITATIVE):
            return False
        members = [name for name in facts.members[dual.name] if name not in facts.ineligible]
        limit = group.limit
        if group.policy is GroupPolicy.KEEP_AUTHORITATIVE_PLUS_ONE_EXAMPLE:
            limit = 1
            best = facts.authoritative(dual.name)
            members = [name for name in members if name != best and facts.is_example(name)]
        for name in members:
            self.per_unit[name] += dual.value
        self.sides += dual.value * limit
        return dual.value >= 0

    def _redundancy(self, dual: RowDual) -> bool:
        if dual.name not in self.facts.groups:
            return False
        for name in self.facts.members[dual.name]:
            self.per_unit[name] += dual.value
        self.sides += dual.value
        return dual.value >= 0 and self.facts.penalty(dual.name) > 0

    def _required_dimension(self, dual: RowDual) -> bool:
        if dual.name not in self.dimensions:
            return False
        dimension = self.dimensions[dual.name][1]
        for name, facts in self.facts.units.items():
            if facts.unit.coverage.get(dual.name, 0.0) > 0:
                self.per_unit[name] += dual.value
        self.sides += dual.value * dimension.min_count
        return dual.value <= 0 and dimension.required

    def _cover(self, dual: RowDual) -> bool:
        self.per_amount[dual.name] = dual.value
        return dual.value >= 0 and dual.name in self.dimensions

    def _shortfall(self, dual: RowDual) -> bool:
        self.sides += max(0, dual.value) * self.shortfall
        return not dual.name

    def total(self) -> int:
        """Return the bound times the denominator."""
        return self.sides + self._units() + self._helpers()

    def _rungs(self, name: str) -> list[Rung]:
        return list(self.facts.units[name].rungs.values())

    def _units(self) -> int:
        total = 0
        hopeless, scale, nothing = self.facts.hopeless, self.facts.scale, dict[int, int]()
        k = self.k * self.value
        for name, facts in self.facts.units.items():
            if name in hopeless:
                continue
            per_token = self.per_token[""] + self.per_token.get(facts.zone.name, 0)
            if self.side is not None:
                per_token += self._price(stable=facts.unit.stability is Stability.STABLE)
            per_rung = self.per_rung.get(name, nothing)
            worth = [
                k * round(rung.value * scale) - per_token * rung.tokens - per_rung.get(rung.index, 0)
                for rung in facts.rungs.values()
            ]
            for d in facts.covers:
                per_amount = self.per_amount.get(d, 0)
                if per_amount:
                    earned = [per_amount * self.facts.amount(name, rung, d) for rung in facts.rungs.values()]
                    worth = [a + b for a, b in zip(worth, earned, strict=True)]
            best = max(worth) - self.per_unit.get(name, 0)
            total += best if self.facts.must_stay(name) else max(0, best)
        return total

    def _price(self, *, stable: bool) -> int:
        """Return what prices take from the worth of each token of a unit."""
        assert self.side is not None
        paid = self.side.stable if stable else self.side.volatile
        return (self.k * self.cost + self.per_cost) * paid + (self.stable_only if stable else 0)

    def _helpers(self) -> int:
        """Columns beside the rungs: covers earned, tokens over a target, surplus members, missing minima."""
        total = 0
        scale, k = self.facts.amount_scale, self.k * self.value
        able = [name for name in self.facts.units if name not in self.facts.hopeless]
        coverable = {d for name in able for d in self.facts.units[name].covers}
        for name, (index, _) in self.dimensions.items():
            price = self.per_amount.get(name, 0)
            if name in coverable:
                total += sum(max(0, k * gain - price) * scale for gain in self.facts.gains[index])
        for zone in self.facts.problem.envelope.zones:
            price = self.facts.zone_price(zone.name)
            if price > 0:
                gain = self.rows.get(("zone target", zone.name), 0) - k * price
                total += max(0, gain) * self.available
            if zone.effective_min_policy is MinPolicy.RELAX and zone.min_tokens > 0:
                gain = -self.rows.get(("zone minimum", zone.name), 0) - self.rows.get(("shortfall", ""), 0)
                total += max(0, gain) * zone.min_tokens
        for name, members in self.facts.members.items():
            penalty, left = self.facts.penalty(name), sum(m not in self.facts.hopeless for m in members)
            if penalty > 0 and left > 1:
                gain = self.rows.get(("redundancy", name), 0) - k * penalty
                total += max(0, gain) * (left - 1)
        return total
