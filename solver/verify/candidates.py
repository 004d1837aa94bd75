"""Every candidate is in exactly one list, and every entry repeats what the problem says of it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Final

from ...models import AcceptedUnit, AcceptReason, PackedContext, RejectedUnit
from .facts import Facts, Rung
from .pack import Pack
from .report import Complaints

FILE_PREFIX: Final = "file:"
"""Files that never became a unit are listed among the skipped ones under this prefix."""

LABELS: Final = (
    "kind",
    "title",
    "zone",
    "tokenEstimate",
    "sourceRefs",
    "compressionState",
    "value",
    "stability",
    "trust",
)
"""What an accepted entry repeats of its unit and rung; one that is left out repeats the first five."""


def claimed_pack(facts: Facts, context: PackedContext) -> Pack:
    """Return the selection that the artifact claims, without entries that name no offered rung."""
    rungs: dict[str, Rung] = {}
    for entry in context.accepted_units:
        unit = facts.units.get(entry.id)
        rung = unit.rungs.get(entry.rung) if unit else None
        if rung is not None:
            rungs[entry.id] = rung
    return Pack(facts, rungs)


def check_partition(facts: Facts, context: PackedContext, complaints: Complaints) -> None:
    """Every unit of the problem in exactly one list; only files may be listed besides."""
    check = "partition"
    complaints.open(check, f"{len(facts.units)} units of the problem, each listed once")
    lists: dict[str, Sequence[AcceptedUnit | RejectedUnit]] = {
        "acceptedUnits": context.accepted_units,
        "rejectedUnits": context.rejected_units,
        "skippedUnits": context.skipped_units,
    }
    listed = Counter(entry.id for entries in lists.values() for entry in entries)
    for name in facts.units:
        if listed[name] != 1:
            complaints.add(check, f"unit {name!r} is listed {listed[name]} times, should be once")
    for name, times in listed.items():
        if name not in facts.units and times > 1:
            complaints.add(check, f"{name!r} is listed {times} times, should be once")
    for part, entries in lists.items():
        names = [entry.id for entry in entries if entry.id in facts.units]
        complaints.require(check, names == sorted(names), f"{part} is not in the order of ids")
        for entry in entries:
            is_file = part == "skippedUnits" and entry.id.startswith(FILE_PREFIX)
            if entry.id not in facts.units and not is_file:
                complaints.add(check, f"{part}: {entry.id!r} is no unit of the problem")
    counts, sizes = context.counts, [len(entries) for entries in lists.values()]
    stated = [counts.accepted, counts.rejected, counts.skipped, counts.candidates]
    complaints.expect(check, "counts", stated, [*sizes, sum(sizes)])


def check_accepted(facts: Facts, context: PackedContext, pack: Pack, complaints: Complaints) -> None:
    """Each accepted entry: its rung is offered, and every number and label is that of the rung."""
    check = "accepted_units"
    complaints.open(check, f"{len(context.accepted_units)} entries against the problem")
    complaints.open("accept_reasons", "why each accepted unit is in")
    for entry in context.accepted_units:
        facts_of = facts.units.get(entry.id)
        if facts_of is None:
            continue
        unit, rung = facts_of.unit, facts_of.rungs.get(entry.rung)
        if rung is None:
            complaints.add(check, f"{entry.id!r}: rung {entry.rung} is not offered")
            continue
        complaints.expect_all(
            check,
            entry.id,
            LABELS,
            (
                entry.kind,
                entry.title,
                entry.zone,
                entry.token_estimate,
                entry.source_refs,
                entry.compression_state,
                entry.value,
                entry.stability,
                entry.trust,
            ),
            (
                unit.kind,
                unit.title,
                unit.zone,
                rung.tokens,
                rung.source_refs,
                rung.state,
                facts.scaled_value(rung),
                unit.stability,
                unit.trust,
            ),
        )
        _check_accept_reason(facts, pack, entry, complaints)


def _check_accept_reason(facts: Facts, pack: Pack, entry: AcceptedUnit, complaints: Complaints) -> None:
    check, name = "accept_reasons", entry.id
    hard = _hard_reason(facts, name)
    if hard is not None or entry.reason in _HARD:
        due = hard.value if hard else "a soft one"
        complaints.expect(check, f"{name!r}: reason", entry.reason.value, due)
    unit, rung = facts.units[name], pack.rungs[name]
    truths = {
        "value": facts.scaled_value(rung),
        "tokens": rung.tokens,
        "zone": unit.unit.zone,
        "neededBy": pack.users(name),
        "covers": list(unit.covers),
    }
    for key in ("value", "tokens", *_DATA.get(entry.reason, ())):
        if key not in entry.data:
            complaints.add(check, f"{name!r}: data.{key} is missing")
    for key, stated in entry.data.items():
        if key == "rule":
            complaints.require(
                check, stated in unit.includes, f"{name!r}: no mustInclude {stated!r} matches it"
            )
        elif key not in truths:
            complaints.add(check, f"{name!r}: data.{key} is not known")
        elif stated != truths[key] or type(stated) is not type(truths[key]):
            complaints.expect(check, f"{name!r}: data.{key}", stated, truths[key])
    holds = {
        AcceptReason.DEPENDENCY: bool(truths["neededBy"]),
        AcceptReason.ZONE_MINIMUM: unit.zone.min_tokens > 0,
        AcceptReason.COVERAGE: bool(truths["covers"]),
        AcceptReason.SHOULD_INCLUDE: unit.should,
    }
    if not holds.get(entry.reason, True):
        complaints.add(check, f"{name!r}: {entry.reason.value} does not apply to it")


_DATA: Final[Mapping[AcceptReason, tuple[str, ...]]] = {
    AcceptReason.MUST_INCLUDE: ("rule",),
    AcceptReason.ZONE_KEEPS_ALL: ("zone",),
    AcceptReason.DEPENDENCY: ("neededBy",),
    AcceptReason.COVERAGE: ("covers",),
}
_HARD: Final = (AcceptReason.REQUIRED, AcceptReason.MUST_INCLUDE, AcceptReason.ZONE_KEEPS_ALL)


def _hard_reason(facts: Facts, name: str) -> AcceptReason | None:
    if facts.units[name].unit.required:
        return AcceptReason.REQUIRED
    if facts.units[name].includes:
        return AcceptReason.MUST_INCLUDE
    return AcceptReason.ZONE_KEEPS_ALL if facts.kept_by_zone(name) else None


def check_left_out(facts: Facts, context: PackedContext, complaints: Complaints) -> None:
    """Each rejected or skipped unit: its labels, and the size of its own form."""
    check = "left_out_units"
    entries = (*context.rejected_units, *context.skipped_units)
    complaints.open(check, f"{len(entries)} entries against the problem")
    for entry in entries:
        if entry.id not in facts.units:
            continue
        unit = facts.units[entry.id].unit
        complaints.expect_all(
            check,
            entry.id,
            LABELS[:5],
            (entry.kind, entry.title, entry.zone, entry.token_estimate, entry.source_refs),
            (unit.kind, unit.title, unit.zone, facts.units[entry.id].rungs[0].tokens, unit.source_refs),
        )
