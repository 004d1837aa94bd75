"""What is known of an instance before any engine runs: name, size and tightness, by which it is drawn."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from ..models import ContextUnit, Problem, UsageError


@dataclass(frozen=True)
class Instance:
    """A problem to compare engines on.

    ``tightness`` is the budget as a share of the tokens of all units in their own form; ``rungs`` the mean
    number of forms; ``ties`` counts dependencies, members of groups and covers. ``about`` says of each unit
    its kind, its zone and the tokens of its own form.
    """

    name: str
    path: Path
    digest: str
    units: int
    forms: int
    ties: int
    available: int
    tightness: float
    about: Mapping[str, tuple[str, str, int]] = field(default_factory=dict, repr=False)

    @property
    def rungs(self) -> float:
        """Forms per unit."""
        return self.forms / max(1, self.units)


def instance_of(problem: Problem, name: str, path: Path) -> Instance:
    """Return what is known of ``problem``."""
    units = problem.units
    total = sum(_own(unit) for unit in units)
    members = sum(len(ids) for ids in problem.groups.values())
    return Instance(
        name=name,
        path=path,
        digest=problem.digest,
        units=len(units),
        forms=sum(len(unit.ladder()) for unit in units),
        ties=members + sum(len(unit.dependencies) + len(unit.coverage) for unit in units),
        available=problem.envelope.available,
        tightness=round(problem.envelope.available / max(1, total), 6),
        about={unit.id: (unit.kind.value, unit.zone, _own(unit)) for unit in units},
    )


def _own(unit: ContextUnit) -> int:
    return unit.ladder()[0].tokens or 0


def names_of(paths: Sequence[Path]) -> list[str]:
    """Return a short name for each path: its stem, or with its folder where two share one.

    Raises
    ------
    UsageError
        A path is given twice.
    """
    stems = Counter(path.stem for path in paths)
    names = [path.stem if stems[path.stem] == 1 else f"{path.parent.name}/{path.stem}" for path in paths]
    again = [path for path, name in zip(paths, names, strict=True) if names.count(name) > 1]
    if again:
        hint = "name each problem once; two files need different names or folders"
        raise UsageError("is given twice", field="problem", value=str(again[0]), hint=hint)
    return names
