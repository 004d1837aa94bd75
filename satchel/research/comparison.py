"""Engines side by side: their rows, and the tables that follow from them.

What does not depend on the machine (``quality``, ``lacks``, ``pairs``, ``engines``) is kept apart from what
does (``times``). A row of an engine that its time limit ended is not ``repeatable``: another machine may end
elsewhere.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final

from ..solver.engines import ENGINES, EngineStatus
from .figures import GAPS, Figures, Reference, Row, figures, median, reference, usable
from .instances import Instance

Table = list[dict[str, Any]]
"""Rows of a table, each with the same columns in the same order; None where there is nothing to say."""

LABELS: Final = tuple(f"{gap:.0e}".replace("e-0", "e-") for gap in GAPS)

WORST: Final = 1.0
"""The loss of an engine without a pack that keeps the rules: all of the value."""


@dataclass(frozen=True)
class Comparison:
    """The rows of every engine on every instance, with what they were run with."""

    instances: Sequence[Instance]
    rows: Sequence[Row]
    engines: Sequence[str]
    seeds: Sequence[int]
    limit: float
    workers: int

    @cached_property
    def by_instance(self) -> dict[str, list[Row]]:
        """Rows by the name of their instance, in the order of engines and seeds."""
        groups: dict[str, list[Row]] = defaultdict(list)
        for row in sorted(self.rows, key=lambda row: (self._place(row), row["case"]["seed"])):
            groups[row["case"]["name"]].append(row)
        return {instance.name: groups[instance.name] for instance in self.instances}

    def _place(self, row: Row) -> int:
        return list(self.engines).index(row["case"]["engine"])

    @cached_property
    def best(self) -> dict[str, Reference]:
        """The best known of each instance: bound and objective, of any engine."""
        return {name: reference(rows) for name, rows in self.by_instance.items()}

    @cached_property
    def figures(self) -> list[Figures]:
        """Times and gaps of every row."""
        return [figures(row, self.best[name]) for name, rows in self.by_instance.items() for row in rows]

    @cached_property
    def packs(self) -> dict[str, dict[str, int] | None]:
        """The best pack of each instance, form by unit; of equals that of the first engine."""
        found: dict[str, dict[str, int] | None] = {}
        for name, rows in self.by_instance.items():
            fit = [row for row in rows if usable(row)]
            top = min(fit, key=lambda row: (row["shortfall"], -row["objective"]), default=None)
            found[name] = None if top is None else top["selection"]
        return found

    @cached_property
    def quality(self) -> Table:
        """A row for each run: how good its pack is, and how it differs from the best one."""
        table: Table = []
        for instance in self.instances:
            for row in self.by_instance[instance.name]:
                table.append(self._quality(instance, row))
        return table

    def _quality(self, instance: Instance, row: Row) -> dict[str, Any]:
        best, pack = self.best[instance.name], self.packs[instance.name]
        objective, bound = row.get("objective"), row.get("bound")
        chosen: Mapping[str, int] = row.get("selection") or {}
        fits = usable(row)
        return {
            "instance": instance.name,
            "digest": instance.digest.rpartition(":")[2][:12],
            "units": instance.units,
            "rungs": round(instance.rungs, 4),
            "ties": instance.ties,
            "tightness": instance.tightness,
            "engine": row["case"]["engine"],
            "seed": row["case"]["seed"],
            "status": row["status"],
            "keeps_rules": fits if objective is not None else None,
            "objective": objective,
            "bound": bound,
            "scale": row.get("scale"),
            "best_objective": best.objective,
            "best_bound": best.bound,
            "gap": _finite(_gap(objective, best.bound)) if fits else None,
            "loss": loss(row, best),
            "shortfall": row.get("shortfall") if objective is not None else None,
            "tokens": row.get("tokens"),
            "available": instance.available,
            "accepted": len(chosen) if objective is not None else None,
            "jaccard": _jaccard(chosen.keys(), pack.keys()) if fits and pack is not None else None,
            "jaccard_forms": _jaccard(chosen.items(), pack.items()) if fits and pack is not None else None,
            "repeatable": repeatable(row),
            "note": "; ".join(part for part in (row.get("note", ""), *row.get("complaints", ())) if part),
        }

    @cached_property
    def times(self) -> Table:
        """A row for each run: what the clock and the memory said, where and when."""
        return [_times(entry) for entry in self.figures]

    @cached_property
    def lacks(self) -> Table:
        """A row for each unit that the best pack has in another form than an engine's pack, or not at all."""
        table: Table = []
        for instance in self.instances:
            name, pack = instance.name, self.packs[instance.name]
            for row in self.by_instance[name]:
                if pack is None or not usable(row) or row["case"]["seed"] != self.seeds[0]:
                    continue
                chosen: Mapping[str, int] = row["selection"]
                for unit in sorted(pack.keys() | chosen.keys()):
                    if pack.get(unit) != chosen.get(unit):
                        kind, zone, tokens = instance.about[unit]
                        table.append(
                            {
                                "instance": name,
                                "engine": row["case"]["engine"],
                                "unit": unit,
                                "best_form": pack.get(unit),
                                "form": chosen.get(unit),
                                "kind": kind,
                                "zone": zone,
                                "tokens": tokens,
                            }
                        )
        return table

    @cached_property
    def summary(self) -> Table:
        """A row for each engine: what it reached, over all instances and seeds."""
        runs: dict[str, list[dict[str, Any]]] = defaultdict(list)
        for row in self.quality:
            runs[row["engine"]].append(row)
        lines: Table = []
        for engine in self.engines:
            own = runs[engine]
            losses = [row["loss"] for row in own if row["loss"] is not None]
            overlaps = [row["jaccard"] for row in own if row["jaccard"] is not None]
            lines.append(
                {
                    "engine": engine,
                    "runs": len(own),
                    "kept_rules": sum(row["keeps_rules"] is True for row in own),
                    "proved": sum(row["status"] == EngineStatus.OPTIMAL for row in own),
                    "best": sum(_is_best(row) for row in own),
                    "mean_loss": _mean(losses),
                    "median_loss": median(losses) if losses else None,
                    "worst_loss": max(losses, default=None),
                    "mean_jaccard": _mean(overlaps),
                }
            )
        return lines

    def losses(self) -> dict[str, dict[str, float]]:
        """Return the mean loss over seeds, by engine and instance; instances without a bound have none."""
        sums: dict[str, dict[str, list[float]]] = {engine: {} for engine in self.engines}
        for row in self.quality:
            if row["loss"] is not None:
                sums[row["engine"]].setdefault(row["instance"], []).append(row["loss"])
        return {
            engine: {name: math.fsum(seeds) / len(seeds) for name, seeds in by_name.items()}
            for engine, by_name in sums.items()
        }


def loss(row: Row, best: Reference) -> float | None:
    """Return the share of the best bound that the row's pack lacks; None where there is no bound.

    All of it where there is no pack, where it breaks a rule, or lacks more of the zones' minima than it need.
    """
    if best.bound is None:
        return None
    if not usable(row) or row["shortfall"] > best.shortfall:
        return WORST
    lacking: int = best.bound - row["objective"]
    return min(WORST, lacking / max(1, abs(best.bound)))


def repeatable(row: Row) -> bool:
    """Whether the same run ends with the same answer on every machine: no clock and no race ended it."""
    spec = ENGINES.get(row["case"]["engine"])
    if row["status"] == EngineStatus.HEURISTIC:
        return True
    ended = row["status"] in (EngineStatus.OPTIMAL, EngineStatus.INFEASIBLE, "error")
    return ended and spec is not None and row["case"]["workers"] == 1


def _times(entry: Figures) -> dict[str, Any]:
    row = entry.row
    return {
        "instance": row["case"]["name"],
        "engine": row["case"]["engine"],
        "seed": row["case"]["seed"],
        "seconds": row.get("seconds"),
        "setup": row.get("setup"),
        **{f"found_{label}": _finite(t) for label, t in zip(LABELS, entry.found, strict=True)},
        **{f"proved_{label}": _finite(t) for label, t in zip(LABELS, entry.proved, strict=True)},
        "proof": _finite(entry.proof),
        "primal_integral": round(entry.integral, 4),
        "peak_mb": row.get("peakMb"),
        "base_mb": row.get("baseMb"),
        "limit": row["case"]["limit"],
        "workers": row["case"]["workers"],
        "date": row["date"],
        "cores": row["cores"],
        "versions": " ".join(f"{name}={version}" for name, version in sorted(row["versions"].items())),
    }


def _gap(objective: int | None, bound: int | None) -> float:
    if objective is None or bound is None:
        return math.inf
    return (bound - objective) / max(1, abs(objective))


def _finite(number: float) -> float | None:
    return None if math.isinf(number) else number


def _jaccard(one: Iterable[Any], other: Iterable[Any]) -> float:
    a, b = set(one), set(other)
    return len(a & b) / len(a | b) if a | b else 1.0


def _is_best(row: Mapping[str, Any]) -> bool:
    return row["keeps_rules"] is True and row["objective"] == row["best_objective"]


def _mean(numbers: Sequence[float]) -> float | None:
    return math.fsum(numbers) / len(numbers) if numbers else None
