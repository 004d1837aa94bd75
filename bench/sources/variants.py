"""What is left out or put in, one thing at a time: each variant changes a problem, and nothing else."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from types import MappingProxyType, ModuleType
from typing import Final
from unittest.mock import patch

from satchel.models import ContextUnit, Dependency, Problem
from satchel.sources import units
from satchel.sources.score import relevance

Change = Callable[[Problem], Problem]


@dataclass(frozen=True, slots=True)
class Variant:
    """One row of the ablation.

    Attributes
    ----------
    powers
        Powers of parts of the score that are set, 0 to leave a part out.
    curves
        Whether the product of powers passes through the curves.
    headings, signatures
        Whether files are named once above several of their units, and signatures alone are a form.
    change
        Of the problem before it is solved.
    solver
        Which solver decides.
    """

    powers: Mapping[str, float] = field(default_factory=dict)
    curves: bool = True
    headings: bool = True
    signatures: bool = True
    change: Change | None = None
    solver: str = "greedy"

    @contextmanager
    def scanning(self) -> Iterator[None]:
        """Score and cut as this variant says inside the block."""
        with ExitStack() as changed:

            def put(module: ModuleType, name: str, value: object) -> None:
                changed.enter_context(patch.object(module, name, value))

            put(relevance, "POWERS", MappingProxyType({**relevance.POWERS, **self.powers}))
            if not self.curves:
                put(relevance, "CURVES", {})
                put(relevance, "EVENNESS", 1.0)
                put(relevance, "STEEPER", 1.0)
                put(relevance, "LEAST", 1e-12)
            if not self.headings:
                put(units, "headed", lambda _candidates, _wanted: frozenset())
            if not self.signatures:
                put(units, "with_signature", lambda _candidate, _lines, forms: forms)
            yield


def _without(**update: object) -> Change:
    """Return the change that sets fields of every unit."""

    def changed(problem: Problem) -> Problem:
        units = tuple(unit.model_copy(update=update) for unit in problem.units)
        return problem.model_copy(update={"units": units})

    return changed


def _no_dependencies(problem: Problem) -> Problem:
    """Return the problem without dependencies but those on headings, which carry the name of a file."""

    def kept(unit: ContextUnit) -> tuple[Dependency, ...]:
        return tuple(need for need in unit.dependencies if need.id == unit.heading)

    changed = tuple(unit.model_copy(update={"dependencies": kept(unit)}) for unit in problem.units)
    return problem.model_copy(update={"units": changed})


def _no_coverage(problem: Problem) -> Problem:
    return _without(coverage={})(problem).model_copy(update={"coverage": ()})


def _no_groups(problem: Problem) -> Problem:
    return problem.model_copy(update={"redundancy_groups": ()})


def _source_only(problem: Problem) -> Problem:
    kept = tuple(unit for unit in problem.units if unit.zone == "source_evidence")
    known = {unit.id for unit in kept}
    groups = tuple(
        group.model_copy(update={"members": members})
        for group in problem.redundancy_groups
        if len(members := tuple(name for name in group.members if name in known)) > 1
    )
    return problem.model_copy(update={"units": kept, "redundancy_groups": groups})


_BM25_ALONE: Final = {
    "links": 0.0,
    "documented": 0.0,
    "exercised": 0.0,
    "defines": 0.0,
}

VARIANTS: Final[Mapping[str, Variant]] = MappingProxyType(
    {
        "all": Variant(),
        "exact": Variant(solver="auto"),
        "bm25-alone": Variant({**_BM25_ALONE, "words": 2.0}, curves=False),
        "no-curves": Variant(curves=False),
        "no-links": Variant({"links": 0.0}),
        "no-prior": Variant({"documented": 0.0, "exercised": 0.0}),
        "no-defines": Variant({"defines": 0.0}),
        "no-headings": Variant(headings=False),
        "no-signatures": Variant(signatures=False),
        "no-rungs": Variant(change=_without(renderings=())),
        "no-dependencies": Variant(change=_no_dependencies),
        "no-coverage": Variant(change=_no_coverage),
        "no-redundancy": Variant(change=_no_groups),
        "source-only": Variant(change=_source_only),
    }
)
"""The rows of the ablation, by name; ``all`` is the system as it is, with the greedy solver."""
