"""The optimum of small problems by enumeration: the model of design §3, written as plainly as it can be.

Nothing is taken from the solver or its checker. Every rung choice is tried, in canonical order, and cut off
only by token limits and by a bound so simple that it cannot be wrong.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

from satchel.models import ContextUnit, Problem, State, selects

EXAMPLES = ("example", "test_case")
Selection = Mapping[str, int]


@dataclass(frozen=True)
class Form:
    """An offered rung: ladder index, tokens, state, value and fidelity in doubles."""

    rung: int
    tokens: int
    state: State
    value: float
    fidelity: float


@dataclass(frozen=True)
class Answer:
    """The best pack: least shortfall, most value, fewest tokens, earliest units, fullest rungs."""

    shortfall: int
    objective: int
    tokens: int
    selection: dict[str, int]


class Model:
    """A problem with its rules applied."""

    def __init__(self, problem: Problem) -> None:
        self.problem = problem
        self.units = {unit.id: unit for unit in sorted(problem.units, key=lambda unit: unit.id)}
        self.zones = {zone.name: zone for zone in problem.envelope.zones}
        self.forms = {name: self._forms(unit) for name, unit in self.units.items()}
        self.members = {
            group.id: sorted(
                {*group.members, *(u.id for u in problem.units if group.id in u.redundancy_groups)}
            )
            for group in problem.redundancy_groups
        }

    def matches(self, rules: tuple[str, ...], name: str) -> list[str]:
        """Return the selectors among ``rules`` that match the unit."""
        return [rule for rule in rules if selects(rule, self.units[name])]

    def _forms(self, unit: ContextUnit) -> list[Form]:
        zone = self.zones.get(unit.zone)
        policy = zone.overflow_policy.value if zone else "summarize"
        allowed = {
            "fail": ["raw"],
            "drop_low_rank": ["raw"],
            "compress": ["raw", "excerpted", "symbolized", "contract"],
            "summarize": ["raw", "excerpted", "symbolized", "contract", "summarized"],
        }[policy]
        forms: list[Form] = []
        for rung, form in enumerate(unit.ladder()):
            assert form.tokens is not None
            if rung > 0 and (form.state.value not in allowed or form.tokens >= forms[-1].tokens):
                continue
            fidelity = form.fidelity or 1.0
            if form.value is not None:
                value = form.value
            elif unit.value is not None:
                value = fidelity * unit.value
            else:
                value = fidelity * self._base(unit) - self.problem.weights.risk * unit.risk_score
                value += self._bonus(unit)
            forms.append(Form(rung, form.tokens, form.state, value, fidelity))
        if unit.held is not None:
            (forms,) = [[form] for form in forms if form.rung == unit.held]
        return forms

    def _base(self, unit: ContextUnit) -> float:
        w = self.problem.weights
        relevance, authority = w.relevance * unit.relevance_score, w.authority * unit.authority_score
        return (relevance + authority) + w.freshness * unit.freshness_score

    def _bonus(self, unit: ContextUnit) -> float:
        policy = self.problem.policy
        wanted = any(selects(rule, unit) for rule in policy.should_include)
        return policy.should_include_bonus if wanted else 0.0

    @cached_property
    def wanted(self) -> set[str]:
        """Units that their flag or a mustInclude selector requires."""
        must = self.problem.policy.must_include
        return {name for name, unit in self.units.items() if unit.required or self.matches(must, name)}

    @cached_property
    def out(self) -> dict[str, str]:
        """Units that no pack may hold, with the first reason that applies."""
        policy, out = self.problem.policy, {}
        for name, unit in self.units.items():
            if self.matches(policy.must_exclude, name):
                out[name] = "must_exclude"
            elif name not in self.wanted and unit.risk_score >= policy.risk_ceiling:
                out[name] = "risk_ceiling"
        for _ in self.units:
            for name, unit in self.units.items():
                for need in unit.dependencies:
                    good = [f for f in self.forms[need.id] if f.state.depth <= need.min_rung.depth]
                    if need.id in out or not good:
                        out.setdefault(name, "dependency_unavailable")
        return out

    @cached_property
    def must(self) -> set[str]:
        """Units that every pack holds."""
        keeping = {name for name, zone in self.zones.items() if zone.overflow_policy.value == "fail"}
        kept = {name for name, unit in self.units.items() if unit.zone in keeping and name not in self.out}
        return self.wanted | kept

    def anchor(self, group: str) -> str | None:
        """Return the most authoritative eligible member, not an example where the policy looks for both."""
        able = [name for name in self.members[group] if name not in self.out]
        rule = next(g for g in self.problem.redundancy_groups if g.id == group)
        if rule.policy.value == "keep_authoritative_plus_one_example":
            plain = [name for name in able if self.units[name].kind.value not in EXAMPLES]
            able = plain or able
        best = max((self.units[name].authority_score for name in able), default=None)
        return min((n for n in able if self.units[n].authority_score == best), default=None)

    # -- numbers -----------------------------------------------------------------------------------

    @cached_property
    def amount_scale(self) -> int:
        """1 while covers are whole, else 1000."""
        shares = {
            strength * form.fidelity
            for name, unit in self.units.items()
            if name not in self.out
            for strength in unit.coverage.values()
            for form in self.forms[name]
        }
        return 1 if shares <= {0.0, 1.0} else 1000

    @cached_property
    def scale(self) -> int:
        """The scale of small problems: that of the amounts while all numbers are whole, else a million."""
        numbers = [f.value for name in self.units if name not in self.out for f in self.forms[name]]
        numbers += [self._weight(d) * gain for d in self.problem.coverage for gain in d.gains]
        numbers += [self.problem.weights.redundancy * g.penalty for g in self.problem.redundancy_groups]
        numbers += [zone.target_price for zone in self.zones.values()]
        return self.amount_scale if all(number == int(number) for number in numbers) else 10**6

    def _weight(self, dimension: object) -> float:
        weight = getattr(dimension, "weight", None)
        return self.problem.weights.coverage if weight is None else float(weight)

    def value(self, form: Form) -> int:
        """Return the scaled value of a rung."""
        return round(form.value * self.scale)

    def form(self, name: str, rung: int) -> Form:
        """Return the offered form at a ladder index."""
        return next(form for form in self.forms[name] if form.rung == rung)

    def tokens(self, selection: Selection, zone: str | None = None) -> int:
        """Return the tokens of a selection, or of its part in one zone."""
        return sum(
            self.form(name, rung).tokens
            for name, rung in selection.items()
            if zone is None or self.units[name].zone == zone
        )

    def shortfalls(self, selection: Selection) -> dict[str, int]:
        """Return what each zone lacks of its minimum."""
        return {
            name: max(0, zone.min_tokens - self.tokens(selection, name)) for name, zone in self.zones.items()
        }

    def relaxed(self, zone: str) -> bool:
        """Whether the zone's minimum may be missed."""
        policy = self.zones[zone].min_policy
        if policy is not None:
            return policy.value == "relax"
        return self.zones[zone].overflow_policy.value != "fail"

    def shortfall(self, selection: Selection) -> int:
        """Return what the relaxed minima lack together."""
        return sum(lack for name, lack in self.shortfalls(selection).items() if self.relaxed(name))

    def amount(self, dimension: str, selection: Selection) -> int:
        """Return how much of a dimension is covered, times the scale of amounts."""
        return sum(
            round(
                self.units[name].coverage.get(dimension, 0.0)
                * self.form(name, rung).fidelity
                * self.amount_scale
            )
            for name, rung in selection.items()
        )

    def objective(self, selection: Selection) -> int:
        """Return the scaled objective."""
        total = sum(self.value(self.form(name, rung)) for name, rung in selection.items())
        for dimension in self.problem.coverage:
            amount = self.amount(dimension.name, selection)
            for gain in dimension.gains:
                per_amount = round(self._weight(dimension) * gain * self.scale / self.amount_scale)
                total += per_amount * min(amount, self.amount_scale)
                amount = max(0, amount - self.amount_scale)
        for group in self.problem.redundancy_groups:
            surplus = max(0, sum(name in selection for name in self.members[group.id]) - 1)
            total -= surplus * round(self.problem.weights.redundancy * group.penalty * self.scale)
        for name, zone in self.zones.items():
            if zone.target_tokens is not None:
                over = max(0, self.tokens(selection, name) - zone.target_tokens)
                total -= over * round(zone.target_price * self.scale)
        return total

    # -- rules -------------------------------------------------------------------------------------

    def allows(self, selection: Selection) -> bool:
        """Whether a selection keeps every hard rule."""
        return (
            self.tokens(selection) <= self.problem.envelope.available
            and not any(name in self.out for name in selection)
            and all(name in selection for name in self.must)
            and not any(
                self.units[name].risk_score > self.problem.policy.required_risk_ceiling
                for name in self.wanted
            )
            and all(self._zone_allows(name, selection) for name in self.zones)
            and all(self._has_needs(name, selection) for name in selection)
            and all(self._group_allows(group.id, selection) for group in self.problem.redundancy_groups)
            and all(
                sum(self.units[name].coverage.get(d.name, 0.0) > 0 for name in selection) >= d.min_count
                for d in self.problem.coverage
                if d.required
            )
        )

    def _zone_allows(self, name: str, selection: Selection) -> bool:
        zone, held = self.zones[name], self.tokens(selection, name)
        if zone.max_tokens is not None and held > zone.max_tokens:
            return False
        return held >= zone.min_tokens or self.relaxed(name)

    def _has_needs(self, name: str, selection: Selection) -> bool:
        return all(
            need.id in selection and self.form(need.id, selection[need.id]).state.depth <= need.min_rung.depth
            for need in self.units[name].dependencies
        )

    def _group_allows(self, group: str, selection: Selection) -> bool:
        rule = next(g for g in self.problem.redundancy_groups if g.id == group)
        kept = [name for name in self.members[group] if name in selection]
        others = [name for name in kept if name != self.anchor(group)]
        if rule.policy.value == "keep_at_most":
            return len(kept) <= (1 if rule.k is None else rule.k)
        if rule.policy.value == "keep_authoritative":
            return not others
        if rule.policy.value == "keep_authoritative_plus_one_example":
            fitting = all(self.units[name].kind.value in EXAMPLES for name in others)
            return not others or (len(others) == 1 and fitting and self.anchor(group) in kept)
        return True


def contradiction(problem: Problem) -> str | None:
    """Return what makes the policy contradict itself, or None: such a problem is refused, not solved."""
    model = Model(problem)
    for rule in problem.policy.must_include:
        if not any(selects(rule, unit) for unit in problem.units):
            return f"mustInclude {rule} matches nothing"
    for name in sorted(model.wanted):
        if model.out.get(name) == "must_exclude":
            return f"{name} is required and excluded"
    return None


def best(problem: Problem) -> Answer | None:
    """Return the canonical optimum by enumeration, or None when no pack keeps every hard rule."""
    model = Model(problem)
    names = list(model.units)
    if any(name in model.out for name in model.wanted):
        return None
    cover = 0
    for dimension in problem.coverage:
        weight = model._weight(dimension)
        per_amount = [round(weight * g * model.scale / model.amount_scale) for g in dimension.gains]
        cover += sum(per_amount) * model.amount_scale
    ahead = [0] * (len(names) + 1)
    for i in reversed(range(len(names))):
        able = names[i] not in model.out
        ahead[i] = ahead[i + 1] + max([0, *(model.value(f) for f in model.forms[names[i]])] if able else [0])
    found: list[tuple[tuple[int, int, int], dict[str, int]]] = []

    def descend(i: int, selection: dict[str, int], tokens: int, value: int) -> None:
        if tokens > problem.envelope.available:
            return
        if found:
            (shortfall, negative, fewest), _ = found[0]
            limit = value + ahead[i] + cover
            if shortfall == 0 and (limit < -negative or (limit == -negative and tokens > fewest)):
                return
        if i == len(names):
            if model.allows(selection):
                rank = (model.shortfall(selection), -model.objective(selection), tokens)
                # Fuller forms and earlier units are tried first, so the first of equals is the canonical one.
                if not found or rank < found[0][0]:
                    found[:] = [(rank, dict(selection))]
            return
        name = names[i]
        if name not in model.out:
            for form in model.forms[name]:
                descend(
                    i + 1, {**selection, name: form.rung}, tokens + form.tokens, value + model.value(form)
                )
        if name not in model.must:
            descend(i + 1, selection, tokens, value)

    descend(0, {}, 0, 0)
    if not found:
        return None
    (shortfall, negative, tokens), selection = found[0]
    return Answer(shortfall, -negative, tokens, selection)
