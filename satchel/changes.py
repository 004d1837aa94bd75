"""Changes of a problem as a user writes them: ``budget=+2000``, ``zone.examples.max=9k``, ``require=ID``."""

from __future__ import annotations

import difflib
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Final, TypeVar

from .models import (
    BudgetZone,
    ContextUnit,
    InputError,
    Problem,
    RedundancyGroup,
    UsageError,
    Weights,
    id_glob,
    path_glob,
    selects,
)
from .solver.explain.change import with_budget
from .solver.loosen import id_selector
from .sources.tokens import parse_tokens

ACCEPTED: Final = (
    "budget=12k or budget=+2000; zone.NAME.min, .target or .max with tokens, +tokens, -tokens or none; "
    "zone.NAME.overflow=POLICY; require=X, optional=X or exclude=X; score.ID.relevance, .authority, "
    ".freshness or .risk with a score; value.ID, tokens.ID or group.ID with a number; weight.NAME=NUMBER; "
    "(-2) is the number itself"
)

FIELD: Final = "what_if"
"""The argument that errors name."""

SCORES: Final = {
    "relevance": "relevanceScore",
    "authority": "authorityScore",
    "freshness": "freshnessScore",
    "risk": "riskScore",
}
ZONE_FIELDS: Final = {
    "min": "minTokens",
    "target": "targetTokens",
    "max": "maxTokens",
    "overflow": "overflowPolicy",
}
R = TypeVar("R", BudgetZone, ContextUnit, RedundancyGroup, Weights)

_ZONE: Final = re.compile(r"zone\.(?P<name>.+)\.(?P<field>min|target|max|overflow)")
_SCORE: Final = re.compile(r"score\.(?P<name>.+)\.(?P<field>relevance|authority|freshness|risk)")
_NAMED: Final = re.compile(r"(?P<kind>value|tokens|group|weight)\.(?P<name>.+)")


@dataclass(frozen=True)
class Change:
    """One change: what it is of (``kind``), whose (``name``), which part (``field``), and the new value.

    ``text`` is how the user wrote it.
    """

    kind: str
    name: str
    field: str
    value: str
    text: str


def parse_changes(texts: Iterable[str]) -> tuple[Change, ...]:
    """Read changes.

    Raises
    ------
    UsageError
        A text is none of the accepted forms, or the same thing is changed twice.
    """
    changes = tuple(_parsed(text) for text in texts)
    if not changes:
        raise UsageError("names no change", field=FIELD, hint=f"accepted: {ACCEPTED}")
    seen: set[tuple[str, str, str]] = set()
    for change in changes:
        key = (change.kind, change.name, change.field)
        if key in seen:
            raise _refused(change, "is said twice", "give one value for each thing that changes")
        seen.add(key)
    return changes


def _parsed(text: str) -> Change:
    key, equals, value = text.partition("=")
    if equals and key in ("require", "optional", "exclude"):
        if not value.strip():
            raise UsageError("names no candidate", field=FIELD, value=text, hint="give an id or a path")
        return Change(key, value, "", "", text)
    # An id may hold "=": here the value is what follows the last one.
    key, equals, value = text.rpartition("=")
    key, value = key.strip(), value.strip()
    if not equals or not value:
        raise UsageError("is no change", field=FIELD, value=text, hint=f"accepted: {ACCEPTED}")
    if key == "budget":
        return Change("budget", "", "", value, text)
    if (found := _ZONE.fullmatch(key)) or (found := _SCORE.fullmatch(key)):
        return Change(key.partition(".")[0], found["name"], found["field"], value, text)
    if found := _NAMED.fullmatch(key):
        return Change(found["kind"], found["name"], "", value, text)
    raise UsageError("is no change", field=FIELD, value=text, hint=f"accepted: {ACCEPTED}")


def changed_problem(problem: Problem, changes: Sequence[Change], *, whole_prompt: bool = False) -> Problem:
    """Return ``problem`` after all ``changes``.

    Parameters
    ----------
    whole_prompt
        The budget is the ceiling on the whole prompt rather than the tokens that units may fill.

    Raises
    ------
    UsageError
        A change names nothing that is there, or its value is none.
    """
    for change in changes:
        if change.kind == "budget":
            problem = _budget(problem, change, whole_prompt=whole_prompt)
        else:
            problem = _APPLY[change.kind](problem, change)
    return problem


def _budget(problem: Problem, change: Change, *, whole_prompt: bool) -> Problem:
    envelope = problem.envelope
    frame = envelope.fixed_overhead_tokens + envelope.reserved_safety_margin_tokens if whole_prompt else 0
    tokens = _tokens(change, envelope.available + frame)
    if tokens < frame:
        raise _refused(change, f"does not hold the frame of the prompt, which takes {frame}", "give more")
    return with_budget(problem, tokens - frame)


def _tokens(change: Change, current: int) -> int:
    """Return the tokens of ``change``; those with a sign are added to ``current``."""
    sign, digits = change.value[0], change.value
    if sign in "+-":
        digits = digits[1:]
    try:
        tokens = parse_tokens(digits, option=FIELD, minimum=0)
    except UsageError as error:
        raise _refused(change, error.message, "give tokens such as 12k, +2000 or -500") from None
    if sign in "+-":
        tokens = current + tokens if sign == "+" else current - tokens
    if tokens < 0:
        raise _refused(change, f"takes more than there is: {current} tokens", "take less away")
    return tokens


def _zone(problem: Problem, change: Change) -> Problem:
    zones = problem.envelope.zones
    known = sorted({zone.name for zone in zones} | {unit.zone for unit in problem.units})
    if change.name not in known:
        raise _refused(change, f"there is no zone {change.name}", f"accepted: {', '.join(known)}")
    if all(zone.name != change.name for zone in zones):
        zones = (*zones, BudgetZone(name=change.name))

    def after(zone: BudgetZone) -> BudgetZone:
        if zone.name != change.name:
            return zone
        value: Any = change.value
        if change.field != "overflow":
            current = {"min": zone.min_tokens, "target": zone.target_tokens, "max": zone.max_tokens}
            value = _limit(change, current[change.field])
        return _record(change, BudgetZone, zone, {ZONE_FIELDS[change.field]: value})

    envelope = problem.envelope.model_copy(update={"zones": tuple(after(zone) for zone in zones)})
    return problem.model_copy(update={"envelope": envelope})


def _limit(change: Change, current: int | None) -> int | None:
    if change.value == "none":
        return 0 if change.field == "min" else None
    if current is None and change.value[0] in "+-":
        hint = "give tokens without a sign"
        raise _refused(change, f"zone {change.name} has no {change.field} to add to", hint)
    return _tokens(change, current or 0)


def _require(problem: Problem, change: Change) -> Problem:
    return _units(problem, change, lambda unit: unit.model_copy(update={"required": True}))


def _optional(problem: Problem, change: Change) -> Problem:
    """Drop the flag of the units, and narrow the rules that match them to the others that they match."""
    names = _candidates(problem, change)
    freed = [unit for unit in problem.units if unit.id in names]
    rules = problem.policy.must_include
    narrowed = [rule for rule in rules if any(selects(rule, unit) for unit in freed)]

    def kept(unit: ContextUnit) -> ContextUnit:
        if unit.id in names:
            return unit.model_copy(update={"required": False})
        if any(selects(rule, unit) for rule in narrowed):
            return unit.model_copy(update={"required": True})
        return unit

    policy = problem.policy.model_copy(
        update={"must_include": tuple(rule for rule in rules if rule not in narrowed)}
    )
    return problem.model_copy(update={"units": tuple(kept(unit) for unit in problem.units), "policy": policy})


def _exclude(problem: Problem, change: Change) -> Problem:
    policy = problem.policy
    rules = (*policy.must_exclude, *(id_selector(name) for name in sorted(_candidates(problem, change))))
    return problem.model_copy(update={"policy": policy.model_copy(update={"must_exclude": rules})})


def _score(problem: Problem, change: Change) -> Problem:
    def after(unit: ContextUnit) -> ContextUnit:
        score = _number(change, getattr(unit, f"{change.field}_score"))
        if change.value[0] in "+-":
            score = min(1.0, max(0.0, score))
        return _record(change, ContextUnit, unit, {SCORES[change.field]: score})

    return _units(problem, change, after)


def _value(problem: Problem, change: Change) -> Problem:
    def after(unit: ContextUnit) -> ContextUnit:
        return _record(change, ContextUnit, unit, {"value": _number(change, unit.value)})

    return _units(problem, change, after)


def _size(problem: Problem, change: Change) -> Problem:
    def after(unit: ContextUnit) -> ContextUnit:
        tokens = _tokens(change, unit.token_estimate or 0)
        return _record(change, ContextUnit, unit, {"tokenEstimate": tokens})

    return _units(problem, change, after)


def _group(problem: Problem, change: Change) -> Problem:
    known = sorted(group.id for group in problem.redundancy_groups)
    if change.name not in known:
        raise _unknown(change, "group", known)
    number = _number(change)
    if not number.is_integer():
        raise _refused(change, "is no whole number", "give how many members may be kept")

    def after(group: RedundancyGroup) -> RedundancyGroup:
        if group.id != change.name:
            return group
        return _record(change, RedundancyGroup, group, {"policy": "keep_at_most", "k": int(number)})

    return problem.model_copy(
        update={"redundancy_groups": tuple(after(group) for group in problem.redundancy_groups)}
    )


def _weight(problem: Problem, change: Change) -> Problem:
    known = sorted(Weights.model_fields)
    if change.name not in known:
        raise _unknown(change, "weight", known)
    weight = _number(change, getattr(problem.weights, change.name))
    weights = _record(change, Weights, problem.weights, {change.name: weight})
    return problem.model_copy(update={"weights": weights})


_APPLY: Final[dict[str, Callable[[Problem, Change], Problem]]] = {
    "zone": _zone,
    "require": _require,
    "optional": _optional,
    "exclude": _exclude,
    "score": _score,
    "value": _value,
    "tokens": _size,
    "group": _group,
    "weight": _weight,
}


def _units(problem: Problem, change: Change, after: Callable[[ContextUnit], ContextUnit]) -> Problem:
    names = _candidates(problem, change)
    units = tuple(after(unit) if unit.id in names else unit for unit in problem.units)
    return problem.model_copy(update={"units": units})


def _candidates(problem: Problem, change: Change) -> set[str]:
    """Return the ids that a change names: one by id, else by title or path if only one has it, or by glob."""
    target = change.name
    if target in problem.by_id:
        return {target}
    found = {
        unit.id
        for unit in problem.units
        if target == unit.title or any(ref.path == target for ref in unit.source_refs)
    }
    if len(found) > 1:
        some = ", ".join(sorted(found)[:3])
        raise _refused(change, f"names {len(found)} candidates", f"give the id of one, or a glob: {some}, …")
    if not found and any(mark in target for mark in "*?["):
        by_id, by_path = id_glob(target), path_glob(target)
        found = {
            unit.id
            for unit in problem.units
            if by_id.fullmatch(unit.id) or any(by_path.fullmatch(ref.path) for ref in unit.source_refs)
        }
    if not found:
        names = {unit.id for unit in problem.units} | {unit.title for unit in problem.units}
        raise _unknown(change, "candidate", sorted(names - {""}))
    return found


def _number(change: Change, current: float | None = None) -> float:
    """Return the number of ``change``; one with a sign is added to ``current``, where there is something.

    In parentheses a number is itself, sign and all.
    """
    text = change.value
    itself = text.startswith("(") and text.endswith(")")
    try:
        number = float(text[1:-1] if itself else text)
    except ValueError:
        raise _refused(change, "is no number", "give a number such as 0.9") from None
    if itself or text[0] not in "+-":
        return number
    if current is None:
        hint = "give a number without a sign, or in parentheses: (-2); scores: score.ID.relevance=+0.1"
        raise _refused(change, "has nothing that is stated to add to", hint)
    return current + number


def _record(change: Change, kind: type[R], record: R, update: dict[str, Any]) -> R:
    """Return ``record`` with ``update``, validated; what is wrong is said of the change."""
    data = {**record.to_data(), **update}
    try:
        return kind.from_data({key: value for key, value in data.items() if value is not None})
    except InputError as error:
        raise _refused(change, error.message, error.hint or f"accepted: {ACCEPTED}") from None


def _refused(change: Change, message: str, hint: str) -> UsageError:
    return UsageError(message, field=FIELD, value=change.text, hint=hint)


def _unknown(change: Change, what: str, known: Sequence[str]) -> UsageError:
    near = difflib.get_close_matches(change.name, known[:5000], n=3, cutoff=0.5)
    hint = f"near: {', '.join(near)}" if near else f"accepted: {', '.join(known[:8])}"
    return UsageError(
        f"names no {what} of this problem",
        code="unknown_candidate",
        field=FIELD,
        value=change.text,
        hint=hint,
    )
