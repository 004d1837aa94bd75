"""Values of one's own: scorers and terms as plain callables, which make a new problem of a problem.

A *scorer* says what a unit is worth in one of its forms. It is called once for each form that the problem
offers, in the order of the units and of their ladders, and gets the worth by the problem's own weights as
``form.value``; what it returns stands for it. A *term* is a scorer whose numbers are added to that worth. A
*cover* says of a unit which dimensions it covers, and how strongly. None of them may depend on what else is
in a pack: what does is for groups, coverage and dependencies to say.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from ..models import ContextUnit, CoverageDimension, Problem, State, UsageError
from ..solver.verify.facts import Facts


@dataclass(frozen=True)
class Form:
    """A form that a unit may take: its place in the ladder, what it is, and its worth by the weights."""

    rung: int
    state: State
    tokens: int
    fidelity: float
    value: float


class Scorer(Protocol):
    """What a unit is worth in one of its forms; the same unit and form must give the same number."""

    def __call__(self, unit: ContextUnit, form: Form, /) -> float:
        """Return a finite number."""


Cover = Callable[[ContextUnit], Mapping[str, float]]
"""Dimension -> strength (0 to 1) of what a unit covers."""


def rescored(problem: Problem, scorer: Scorer) -> Problem:
    """Return ``problem`` with the values that ``scorer`` gives, as explicit values.

    Raises
    ------
    UsageError
        It returns no finite number.
    """
    facts = Facts(problem)
    return problem.model_copy(
        update={"units": tuple(_rescored(unit, facts, scorer) for unit in problem.units)}
    )


def with_terms(problem: Problem, **terms: Scorer) -> Problem:
    """Return ``problem`` with each of ``terms`` added to the worth of every form.

    Raises
    ------
    UsageError
        A term returns no finite number.
    """

    def scorer(unit: ContextUnit, form: Form) -> float:
        return math.fsum([form.value, *(_number(term(unit, form), name) for name, term in terms.items())])

    return rescored(problem, scorer)


def with_coverage(
    problem: Problem, cover: Cover, weights: Mapping[str, float], gains: Sequence[float] = (1.0,)
) -> Problem:
    """Return ``problem`` with the dimensions of ``weights``, covered as ``cover`` says.

    Parameters
    ----------
    weights
        Dimension -> what a full cover is worth. All other dimensions of the problem stay as they are.
    gains
        Share of the weight that the 1st, 2nd, … full cover earns.

    Raises
    ------
    UsageError
        A dimension is there already, or ``cover`` names one that ``weights`` does not hold.
    """
    there = {dimension.name for dimension in problem.coverage} & weights.keys()
    if there:
        hint = "give it another name"
        raise UsageError("is a dimension already", field="weights", value=min(there), hint=hint)
    units = []
    for unit in problem.units:
        found = dict(cover(unit))
        strange = sorted(found.keys() - weights.keys())
        if strange:
            raise UsageError("names no dimension", field="cover", value=strange[0], hint="see weights")
        data = {**unit.coverage, **{name: float(strength) for name, strength in found.items()}}
        units.append(_checked(unit, {"coverage": data}))
    added = [
        CoverageDimension(name=name, weight=float(weight), gains=tuple(float(gain) for gain in gains))
        for name, weight in weights.items()
    ]
    return problem.model_copy(update={"units": tuple(units), "coverage": (*problem.coverage, *added)})


def _rescored(unit: ContextUnit, facts: Facts, scorer: Scorer) -> ContextUnit:
    values: dict[int, float] = {}
    for index, rung in facts.units[unit.id].rungs.items():
        form = Form(index, rung.state, rung.tokens, rung.fidelity, rung.value)
        values[index] = _number(scorer(unit, form), "scorer")
    shift = len(unit.ladder()) - len(unit.renderings)  # 1 where the unit has a form of its own
    renderings = tuple(
        form.model_copy(update={"value": values[index]}) if index in values else form
        for index, form in enumerate(unit.renderings, start=shift)
    )
    return unit.model_copy(update={"value": values[0] if shift else unit.value, "renderings": renderings})


def _number(value: Any, name: str) -> float:
    number = float(value)
    if not abs(number) <= 1e15:
        raise UsageError("returned no finite number", field=name, value=value, hint="-1e15 to 1e15")
    return number


def _checked(unit: ContextUnit, update: dict[str, Any]) -> ContextUnit:
    fields = {name: getattr(unit, name) for name in ContextUnit.model_fields}
    return ContextUnit(**{**fields, **update})
