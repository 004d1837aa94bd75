"""The candidates of a pack as compact rows, which the page's tables show."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from ..explaining import ADVICE
from ..models import AcceptedUnit, PackedContext, Problem, RejectedUnit, RejectReason, SourceRef, State
from ..solver.verify.facts import Facts
from .visible import visible, visible_line

COLUMNS: Final = (
    *("id", "title", "place", "kind", "zone", "verdict", "form", "tokens", "value", "reason", "detail"),
    *("trust", "stability", "scores", "ladder", "needs", "groups", "covers", "lost", "prompt"),
)
"""What each row holds, in this order; see :func:`table_data`."""

VERDICTS: Final = ("accepted", "rejected", "skipped")


@dataclass
class Names:
    """Words that many rows repeat, each by its number."""

    numbers: dict[str, int] = field(default_factory=dict)

    def number(self, name: str) -> int:
        """Return the number of ``name``, a new one where it is new."""
        return self.numbers.setdefault(name, len(self.numbers))

    def listed(self) -> list[str]:
        """Return the names by number."""
        return [visible(name) for name in self.numbers]


def table_data(
    context: PackedContext, problem: Problem | None, facts: Facts | None, lost: Mapping[str, float | None]
) -> dict[str, Any]:
    """Return the candidates, groups and dimensions as the page's script reads them.

    ``facts`` are those of ``problem``. A row has the fields of :data:`COLUMNS`. ``kind``, ``zone``, ``form``
    and ``reason`` are numbers into the lists of the same name (-1: none), ``verdict`` one into
    :data:`VERDICTS`. ``value`` is not scaled; of a candidate that is left out it is the best of its forms,
    None where the problem is not at hand. ``scores`` are relevance, authority, freshness and risk; ``ladder``
    the forms on offer as (form, tokens, value); ``needs`` numbers of rows; ``covers`` (dimension, strength);
    ``lost`` the least value that the best pack would lose with it in; ``prompt`` its place in the prompt.
    """
    return _Table(context, problem, facts, lost).data()


class _Table:
    def __init__(
        self,
        context: PackedContext,
        problem: Problem | None,
        facts: Facts | None,
        lost: Mapping[str, float | None],
    ) -> None:
        self.context, self.lost, self.facts = context, lost, facts
        self.units: list[tuple[int, AcceptedUnit | RejectedUnit]] = [
            *((0, unit) for unit in context.accepted_units),
            *((1, unit) for unit in context.rejected_units),
            *((2, unit) for unit in context.skipped_units),
        ]
        self.at = {unit.id: number for number, (_, unit) in enumerate(self.units)}
        self.kinds, self.zones, self.forms, self.reasons = Names(), Names(), Names(), Names()
        for zone in context.zones:
            self.zones.number(zone.name)
        for state in State:
            self.forms.number(state.value)
        order = () if context.prompt is None else context.prompt.order
        self.place = {name: number for number, name in enumerate(order)}
        dimensions = () if problem is None else problem.coverage
        self.dimensions = {dimension.name: number for number, dimension in enumerate(dimensions)}
        self.groups = [] if problem is None else sorted(problem.redundancy_groups, key=lambda g: g.id)
        self.members = {} if problem is None else problem.groups
        self.groups_of: dict[str, list[int]] = defaultdict(list)
        for number, group in enumerate(self.groups):
            for member in self.members[group.id]:
                self.groups_of[member].append(number)

    def data(self) -> dict[str, Any]:
        """Return everything, see :func:`table_data`."""
        rows = [self._row(verdict, unit) for verdict, unit in self.units]
        reasons = list(self.reasons.numbers)
        return {
            "columns": list(COLUMNS),
            "verdicts": list(VERDICTS),
            "kinds": self.kinds.listed(),
            "zones": self.zones.listed(),
            "forms": self.forms.listed(),
            "reasons": reasons,
            "advice": [ADVICE[RejectReason(name)] if name in _ADVISED else "" for name in reasons],
            "dimensions": [visible(name) for name in self.dimensions],
            "groups": [self._group(group) for group in self.groups],
            "rows": rows,
            "hasProblem": self.facts is not None,
        }

    def _group(self, group: Any) -> list[Any]:
        members = [self.at[name] for name in self.members[group.id] if name in self.at]
        return [visible(group.id), group.policy.value, group.k, group.penalty, members]

    def _row(self, verdict: int, unit: AcceptedUnit | RejectedUnit) -> list[Any]:
        accepted = unit if isinstance(unit, AcceptedUnit) else None
        name = unit.id
        shown = visible_line((name, unit.title, _place(unit.source_refs), unit.detail))
        return [
            *shown[:3],
            -1 if unit.kind is None else self.kinds.number(unit.kind.value),
            self.zones.number(unit.zone) if unit.zone else -1,
            verdict,
            -1 if accepted is None else self.forms.number(accepted.compression_state.value),
            unit.token_estimate,
            self._worth(unit),
            self.reasons.number(unit.reason.value),
            shown[3],
            0 if accepted is None else int(accepted.trust.value == "untrusted"),
            0 if accepted is None else int(accepted.stability.value == "volatile"),
            self._scores(name),
            self._ladder(name),
            self._needs(name),
            self.groups_of.get(name, []),
            self._covers(name),
            _short(self.lost.get(name)),
            self.place.get(name, -1),
        ]

    def _worth(self, unit: AcceptedUnit | RejectedUnit) -> float | None:
        if isinstance(unit, AcceptedUnit):
            return _short(unit.value / self.context.solver.scale)
        if self.facts is None or unit.id not in self.facts.units:
            return None
        rungs = self.facts.units[unit.id].rungs.values()
        return _short(max((rung.value for rung in rungs), default=0.0))

    def _scores(self, name: str) -> list[float] | None:
        if self.facts is None or name not in self.facts.units:
            return None
        unit = self.facts.units[name].unit
        if unit.value is not None:
            return None
        return [unit.relevance_score, unit.authority_score, unit.freshness_score, unit.risk_score]

    def _ladder(self, name: str) -> list[list[Any]]:
        if self.facts is None or name not in self.facts.units:
            return []
        rungs = self.facts.units[name].rungs.values()
        return [[self.forms.number(rung.state.value), rung.tokens, _short(rung.value)] for rung in rungs]

    def _needs(self, name: str) -> list[int]:
        if self.facts is None or name not in self.facts.units:
            return []
        return [self.at[need] for need in self.facts.units[name].unit.dependency_ids if need in self.at]

    def _covers(self, name: str) -> list[list[float]]:
        if self.facts is None or name not in self.facts.units:
            return []
        covers = self.facts.units[name].unit.coverage
        return [[self.dimensions[d], covers[d]] for d in self.facts.units[name].covers]


_ADVISED: Final = frozenset(reason.value for reason in ADVICE)


def _place(refs: Sequence[SourceRef]) -> str:
    """Return the first places of a unit in few words: a path once, then its lines."""
    words, last = "", ""
    for ref in refs[:3]:
        label = ref.label()
        short = label.removeprefix(f"{ref.path}:") if ref.path == last else label
        words += f", {short}" if words else short
        last = ref.path
    return words + (f" and {len(refs) - 3} more" if len(refs) > 3 else "")


def _short(value: float | None) -> float | None:
    """Return a value to six significant digits, which is what the page shows."""
    return None if value is None else float(f"{value:.6g}")


def paths_of(units: Iterable[AcceptedUnit]) -> dict[str, tuple[int, int, str]]:
    """Return for each path of the pack its tokens, its units, and the zone that holds most of them.

    A unit of several files counts for the first; one without a source for its own id, one of the
    whole repository for its title.
    """
    tokens: dict[str, dict[str, int]] = defaultdict(lambda: defaultdict(int))
    count: dict[str, int] = defaultdict(int)
    for unit in units:
        path = unit.source_refs[0].path if unit.source_refs else unit.id
        path = path if path != "." else unit.title or unit.id
        tokens[path][unit.zone] += unit.token_estimate
        count[path] += 1
    return {
        path: (sum(zones.values()), count[path], max(sorted(zones), key=lambda zone: zones[zone]))
        for path, zones in sorted(tokens.items())
    }
