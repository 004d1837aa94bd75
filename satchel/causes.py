"""Why two packs differ: for each unit that came, went or changed its form, what of it has changed."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final, Literal

from .beside import PackFiles
from .exits import redacted
from .models import (
    AcceptedUnit,
    AcceptReason,
    ContextUnit,
    GroupPolicy,
    RejectReason,
    selects,
)
from .solver.verify.facts import Facts, UnitFacts

Kind = Literal[
    "candidate", "source", "policy", "dependency", "score", "size", "budget", "prices", "redundancy", "others"
]
"""What has changed: whether it is a candidate at all; its text; a rule; what it needs; what it is worth; its
tokens; a limit; what tokens cost; which member of its group is in; or nothing of it, but what stands beside
it."""

_RULES: Final = frozenset({RejectReason.MUST_EXCLUDE, RejectReason.RISK_CEILING})
_NEEDS: Final = frozenset({RejectReason.DEPENDENCY_NOT_INCLUDED, RejectReason.DEPENDENCY_UNAVAILABLE})
_KEPT: Final = frozenset({AcceptReason.REQUIRED, AcceptReason.MUST_INCLUDE, AcceptReason.ZONE_KEEPS_ALL})
_LIMITS: Final = {"min_tokens": 0, "target_tokens": 2**62, "max_tokens": 2**62}
"""Limits of a zone, and what counts for one that is not set."""


@dataclass(frozen=True)
class Cause:
    """Something that has changed of a unit and speaks for what became of it, in words."""

    kind: Kind
    detail: str

    def to_data(self) -> dict[str, str]:
        """Return the cause as JSON data."""
        return {"kind": self.kind, "detail": self.detail}


@dataclass(frozen=True)
class UnitChange:
    """A unit that two packs have differently: its rung in each (None: out), and what has changed of it.

    ``tokens`` is what B has more of it than A. The causes come most telling first, and are never empty.
    """

    id: str
    title: str
    a: int | None
    b: int | None
    tokens: int
    causes: tuple[Cause, ...]

    @property
    def change(self) -> Literal["entered", "left", "rung"]:
        """What happened to it from A to B."""
        return "entered" if self.a is None else "left" if self.b is None else "rung"

    def to_data(self) -> dict[str, Any]:
        """Return the change as JSON data."""
        return {
            "id": self.id,
            "title": self.title,
            "change": self.change,
            "a": self.a,
            "b": self.b,
            "tokens": self.tokens,
            "causes": [cause.to_data() for cause in self.causes],
        }


class _Pack:
    """One of two packs, by unit."""

    def __init__(self, files: PackFiles) -> None:
        context = files.context
        self.context, self.problem = context, files.problem
        self.accepted = {unit.id: unit for unit in context.accepted_units}
        self.out = {unit.id: unit for unit in (*context.rejected_units, *context.skipped_units)}
        self.zones = {zone.name: zone for zone in context.zones}

    @cached_property
    def facts(self) -> Mapping[str, UnitFacts]:
        """What the problem says of each unit; nothing where it is not at hand or not counted."""
        try:
            return {} if self.problem is None else Facts(self.problem).units
        except ValueError:  # a form without a token count
            return {}

    @cached_property
    def rivals(self) -> dict[str, list[str]]:
        """Members of the groups of a unit that do not keep all, itself left out."""
        found: dict[str, list[str]] = defaultdict(list)
        if self.problem is not None:
            for group in self.problem.redundancy_groups:
                members = self.problem.groups[group.id]
                if group.policy is not GroupPolicy.KEEP_ALL:
                    for name in members:
                        found[name] += [member for member in members if member != name]
        return found

    def unit(self, name: str) -> ContextUnit | None:
        """Return a unit as the problem has it."""
        return None if self.problem is None else self.problem.by_id.get(name)

    def knows(self, name: str) -> bool:
        """Whether the unit was a candidate."""
        return name in self.accepted or name in self.out


def changes_between(a: PackFiles, b: PackFiles) -> tuple[UnitChange, ...]:
    """Return the units that B has otherwise than A, by id, each with what has changed of it.

    With both problems at hand texts, scores, needs, rules and limits are compared; with the artifacts alone
    it is reasons, sizes and limits. A change that speaks against what happened (a unit that came although its
    score fell) is no cause: then it is what stands beside it.
    """
    one, two = _Pack(a), _Pack(b)
    changes = []
    for name in sorted(one.accepted.keys() | two.accepted.keys()):
        was, now = one.accepted.get(name), two.accepted.get(name)
        if was is not None and now is not None and was.rung == now.rung:
            continue
        entry = now or was
        assert entry is not None
        changes.append(
            UnitChange(
                id=name,
                title=entry.title,
                a=None if was is None else was.rung,
                b=None if now is None else now.rung,
                tokens=(0 if now is None else now.token_estimate)
                - (0 if was is None else was.token_estimate),
                causes=_causes(one, two, name),
            )
        )
    return tuple(changes)


def _causes(a: _Pack, b: _Pack, name: str) -> tuple[Cause, ...]:
    checks = _CHECKS if a.knows(name) and b.knows(name) else (_candidate,)
    return tuple(cause for check in checks for cause in check(a, b, name)) or _others(a, b, name)


def _candidate(a: _Pack, b: _Pack, name: str) -> Iterator[Cause]:
    if not a.knows(name):
        yield Cause("candidate", "it is new: A had no such candidate")
    elif not b.knows(name):
        yield Cause("candidate", "it is gone: B has no such candidate")


def _source(a: _Pack, b: _Pack, name: str) -> Iterator[Cause]:
    one, two = a.unit(name), b.unit(name)
    if one is None or two is None:
        return
    forms, others = ([form.text for form in unit.ladder()] for unit in (one, two))
    if forms[0] != others[0]:
        yield Cause("source", "its text has changed")
    elif forms != others:
        yield Cause("source", "its shorter forms have changed")


def _policy(a: _Pack, b: _Pack, name: str) -> Iterator[Cause]:
    sides = []
    for side in (a, b):
        accepted, out = side.accepted.get(name), side.out.get(name)
        reason = accepted.reason if accepted is not None and accepted.reason in _KEPT else None
        sides.append(reason or (out.reason if out is not None and out.reason in _RULES else None))
    one, two = sides
    if one != two:
        owner, rule = ("A", one) if two is None else ("B", two)
        assert rule is not None
        yield Cause("policy", f"a rule of {owner} decides: {rule.value.replace('_', ' ')}")
        return
    unit = b.unit(name)
    if unit is None or a.problem is None or b.problem is None:
        return
    had, has = (
        [rule for rule in side.policy.should_include if selects(rule, unit)]
        for side in (a.problem, b.problem)
    )
    if bool(had) != bool(has):
        yield Cause("policy", f"shouldInclude {'no longer ' if had else ''}names it: {(had or has)[0]}")
    if a.problem.weights != b.problem.weights:
        yield Cause("policy", "the weights of the scores have changed")


def _dependency(a: _Pack, b: _Pack, name: str) -> Iterator[Cause]:
    now, gone = b.accepted.get(name), b.out.get(name)
    if now is not None and name not in a.accepted and now.reason is AcceptReason.DEPENDENCY:
        yield Cause("dependency", "something in B needs it" + _because(b, name))
    was = a.accepted.get(name)
    if was is not None and name not in b.accepted and was.reason is AcceptReason.DEPENDENCY:
        yield Cause("dependency", "nothing in B needs it any more")
    if gone is not None and gone.reason in _NEEDS:
        yield Cause("dependency", redacted(gone.detail))
    one, two = a.unit(name), b.unit(name)
    if one is not None and two is not None and set(one.dependency_ids) != set(two.dependency_ids):
        new = sorted(set(two.dependency_ids) - set(one.dependency_ids))
        old = sorted(set(one.dependency_ids) - set(two.dependency_ids))
        words = [f"now needs {_some(new)}"] if new else []
        words += [f"no longer needs {_some(old)}"] if old else []
        yield Cause("dependency", f"it {' and '.join(words)}")


def _because(side: _Pack, name: str) -> str:
    if side.problem is None:
        return ""
    users = [
        unit.id for unit in side.problem.units if name in unit.dependency_ids and unit.id in side.accepted
    ]
    return f": {_some(sorted(users))}" if users else ""


def _score(a: _Pack, b: _Pack, name: str) -> Iterator[Cause]:
    one, two = a.facts.get(name), b.facts.get(name)
    if one is None or two is None:
        return
    words = [
        f"{label} {had:.3g} to {has:.3g}"
        for label, had, has in (
            ("relevance", one.unit.relevance_score, two.unit.relevance_score),
            ("authority", one.unit.authority_score, two.unit.authority_score),
            ("freshness", one.unit.freshness_score, two.unit.freshness_score),
            ("risk", one.unit.risk_score, two.unit.risk_score),
        )
        if had != has
    ]
    if one.unit.value != two.unit.value:
        words.append(f"value {_value(one.unit.value)} to {_value(two.unit.value)}")
    worth = [max(rung.value for rung in side.rungs.values()) for side in (one, two)]
    if words and (worth[1] - worth[0]) * _way(a, b, name) > 0:
        yield Cause("score", ", ".join(words))
    strength = [sum(side.unit.coverage.values()) for side in (one, two)]
    if (strength[1] - strength[0]) * _way(a, b, name) > 0:
        yield Cause(
            "score", f"it covers {'more' if strength[1] > strength[0] else 'less'} of what is asked for"
        )


def _size(a: _Pack, b: _Pack, name: str) -> Iterator[Cause]:
    one, two = a.facts.get(name), b.facts.get(name)
    if one is not None and two is not None:
        sizes = [[rung.tokens for rung in side.rungs.values()] for side in (one, two)]
        fuller = [sum(side) for side in sizes]
        way = _way(a, b, name)
        if sizes[0] != sizes[1] and (len(sizes[0]) != len(sizes[1]) or (fuller[0] - fuller[1]) * way > 0):
            yield Cause("size", f"{_sizes(sizes[0])} to {_sizes(sizes[1])} tokens")
        return
    was, now = a.accepted.get(name) or a.out.get(name), b.accepted.get(name) or b.out.get(name)
    entry = was if isinstance(was, AcceptedUnit) else now
    if was is None or now is None or not isinstance(entry, AcceptedUnit) or entry.rung or _both(a, b, name):
        return
    # A unit that is out states the size of its own form, which is the form of the one that is in.
    if (was.token_estimate - now.token_estimate) * _way(a, b, name) > 0:
        yield Cause("size", f"{was.token_estimate:,} to {now.token_estimate:,} tokens")


def _budget(a: _Pack, b: _Pack, name: str) -> Iterator[Cause]:
    way = _way(a, b, name)
    one, two = (side.context.budget.available_input_tokens for side in (a, b))
    if (two - one) * way > 0:
        yield Cause("budget", f"{one:,} to {two:,} tokens for units")
    words = []
    entry = b.accepted.get(name) or a.accepted[name]
    had, has = a.zones.get(entry.zone), b.zones.get(entry.zone)
    for field, unlimited in _LIMITS.items():
        x, y = getattr(had, field, None), getattr(has, field, None)
        if x != y and ((unlimited if y is None else y) - (unlimited if x is None else x)) * way > 0:
            words.append(f"{field.partition('_')[0]} of zone {entry.zone} {_limit(x)} to {_limit(y)}")
    if words:
        yield Cause("budget", redacted(", ".join(words)))


def _prices(a: _Pack, b: _Pack, _: str) -> Iterator[Cause]:
    if a.problem is not None and b.problem is not None and a.problem.pricing != b.problem.pricing:
        yield Cause("prices", "what tokens cost, or how often the prompt is sent, has changed")


def _way(a: _Pack, b: _Pack, name: str) -> int:
    """Return 1 where B has more of the unit than A (it came, or in a fuller form), -1 where it has less."""
    was, now = a.accepted.get(name), b.accepted.get(name)
    return 1 if was is None or (now is not None and now.rung < was.rung) else -1


def _both(a: _Pack, b: _Pack, name: str) -> bool:
    return name in a.accepted and name in b.accepted


def _redundancy(a: _Pack, b: _Pack, name: str) -> Iterator[Cause]:
    for side, other, verb in ((b, a, "entered"), (a, b, "left")):
        if name in side.accepted:
            continue
        moved = [m for m in side.rivals.get(name, ()) if m in side.accepted and m not in other.accepted]
        if moved:
            yield Cause("redundancy", f"{_some(sorted(moved))} {verb}, which says the same")


def _others(a: _Pack, b: _Pack, name: str) -> tuple[Cause, ...]:
    """Return the cause where nothing of the unit has changed: others have."""
    out = b.out.get(name) or a.out.get(name)
    side = "B" if name in b.out else "A"
    reason = (
        "" if out is None or not out.detail else f"; left out of {side} because it {redacted(out.detail)}"
    )
    return (Cause("others", f"nothing of it has changed, but what competes with it for the tokens{reason}"),)


_CHECKS: Final[tuple[Callable[[_Pack, _Pack, str], Iterator[Cause]], ...]] = (
    *(_policy, _dependency, _source, _score, _size, _redundancy, _budget, _prices),
)


def _some(names: list[str]) -> str:
    shown = ", ".join(redacted(name) for name in names[:2])
    return f"{shown} and {len(names) - 2} more" if len(names) > 2 else shown


def _sizes(sizes: list[int]) -> str:
    return "/".join(f"{size:,}" for size in sizes)


def _value(value: float | None) -> str:
    return "by scores" if value is None else f"{value:g}"


def _limit(tokens: int | None) -> str:
    return "none" if tokens is None else f"{tokens:,}"
