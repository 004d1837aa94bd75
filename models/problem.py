"""The packing problem: all that a solver needs to know, in one file (design §2 and §3)."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal, Self

from pydantic import Field, model_validator

from .base import Listed, Model
from .building import Covers, Key, arguments, parts_of
from .envelope import BudgetEnvelope
from .errors import SchemaError, UnknownReferenceError
from .names import DEFAULT_ZONES, Stability
from .parsing import content_hash
from .policy import PackingPolicy, Weights
from .pricing import Pricing
from .reading import collector_paused
from .structure import CoverageDimension, RedundancyGroup
from .task import ModelProfile, Task
from .unit import ContextUnit, SourceRef

if TYPE_CHECKING:
    import pandas as pd


class Problem(Model):
    """Units, envelope, policy, groups, dimensions and weights.

    Raises
    ------
    SchemaError
        Duplicate ids.
    UnknownReferenceError
        A dependency, zone, group or member that nothing defines.
    """

    SCHEMA: ClassVar[str] = "packing-problem.v1"

    schema_version: Literal["packing-problem.v1"]
    task: Task | None = None
    profile: ModelProfile | None = None
    envelope: BudgetEnvelope
    policy: PackingPolicy = PackingPolicy()
    weights: Weights = Weights()
    pricing: Pricing | None = Field(default=None, description="what calls cost, where that is known")
    redundancy_groups: Annotated[tuple[RedundancyGroup, ...], Listed] = ()
    coverage: Annotated[tuple[CoverageDimension, ...], Listed] = ()
    units: Annotated[tuple[ContextUnit, ...], Listed] = Field(description="the candidates, in authored order")
    lead: Annotated[tuple[str, ...], Listed] | None = Field(
        default=None,
        description="units that stand first in the prompt, in this order: the beginning that it shares with "
        "the prompts of other pages",
    )

    @classmethod
    def build(
        cls,
        budget: int,
        tokens: Sequence[int],
        values: Sequence[float],
        *,
        ids: Sequence[str] | None = None,
        shorter: Mapping[Any, Iterable[tuple[int, float]]] | None = None,
        required: Iterable[Key] = (),
        needs: Mapping[Any, Iterable[Key]] | None = None,
        conflicts: Iterable[Iterable[Key]] = (),
        covers: Covers | None = None,
        weights: Mapping[str, float] | None = None,
        gains: Sequence[float] = (1.0,),
        refs: Sequence[SourceRef] | None = None,
        task: Task | None = None,
    ) -> Self:
        """Return a problem of plain numbers; arrays of numpy and columns of pandas will do.

        A unit is named by its id or by its position.

        Parameters
        ----------
        budget
            Tokens in all.
        tokens, values
            One of each per unit; values count as they stand.
        ids
            Default: ``u0``, ``u1``, …, padded to one length.
        shorter
            Unit -> (tokens, value) of its shorter forms, by falling tokens.
        required
            Units that must be in.
        needs
            Unit -> units without which it may not be in.
        conflicts
            Sets of units of which at most one may be in.
        covers
            Dimension -> units that cover it, or unit -> strength (0 to 1).
        weights
            Dimension -> what a full cover is worth; 1 unless given.
        gains
            Share of the weight that the 1st, 2nd, … full cover earns, of every dimension.

        Raises
        ------
        UsageError
            Columns of different lengths, tokens that are not whole, arguments of a wrong type or shape.
        UnknownReferenceError
            A unit or dimension that does not exist.
        """
        with arguments():
            parts = parts_of(
                tokens=tokens,
                values=values,
                ids=ids,
                shorter=shorter or {},
                required=required,
                needs=needs or {},
                conflicts=conflicts,
                covers=covers or {},
                weights=weights or {},
                gains=gains,
                refs=refs,
            )
            return cls(
                schema_version="packing-problem.v1",
                task=task,
                envelope=BudgetEnvelope(available_input_tokens=int(budget)),
                redundancy_groups=parts.groups,
                coverage=parts.coverage,
                units=parts.units,
            )

    def to_frame(self) -> pd.DataFrame:
        """Return a row for each unit and form as a data frame of pandas.

        Raises
        ------
        UsageError
            pandas is not installed.
        """
        from .frames import forms_frame

        return forms_frame(self.units)

    def model_copy(self, *, update: Mapping[str, Any] | None = None, deep: bool = False) -> Self:
        """Return a copy with ``update``; pydantic would keep what was worked out of the old one."""
        copy = super().model_copy(update=update, deep=deep)
        for name in [name for name in copy.__dict__ if name not in type(self).model_fields]:
            del copy.__dict__[name]
        return copy

    @cached_property
    def by_id(self) -> dict[str, ContextUnit]:
        """The units by id."""
        return {unit.id: unit for unit in self.units}

    @cached_property
    def groups(self) -> dict[str, tuple[str, ...]]:
        """Members of each group, sorted: those it lists and those that name it."""
        members: dict[str, set[str]] = {group.id: set(group.members) for group in self.redundancy_groups}
        for unit in self.units:
            for name in unit.redundancy_groups:
                members[name].add(unit.id)
        return {name: tuple(sorted(ids)) for name, ids in members.items()}

    @cached_property
    def digest(self) -> str:
        """SHA-256 of the problem's content; the order of units, groups and members does not matter."""
        with collector_paused():
            data = self.to_data()
            data["units"] = sorted(data["units"], key=lambda unit: str(unit["id"]))
            for key, name in (("redundancyGroups", "id"), ("coverage", "name")):
                data[key] = sorted(data[key], key=lambda entry: str(entry[name]))
            for group in data["redundancyGroups"]:
                group["members"] = sorted(group["members"])
            return content_hash(data)

    @property
    def task_id(self) -> str:
        """The task's id, or one made of its kind and subject."""
        if self.task is None:
            return ""
        return self.task.id or ":".join(
            part for part in (self.task.kind, self.task.about or self.task.title) if part
        )

    @model_validator(mode="after")
    def _ids_once(self) -> Self:
        _once("units", "id", (unit.id for unit in self.units))
        _once("redundancyGroups", "id", (group.id for group in self.redundancy_groups))
        _once("coverage", "name", (dimension.name for dimension in self.coverage))
        return self

    @model_validator(mode="after")
    def _lead_can_lead(self) -> Self:
        _once("lead", "id", self.lead or ())
        for i, name in enumerate(self.lead or ()):
            unit = self.by_id.get(name)
            if unit is not None and not (unit.required and unit.stability is Stability.STABLE):
                raise SchemaError(
                    "must be required and stable, to stand first in each of several prompts",
                    field=f"lead[{i}]",
                    value=name,
                    hint="mark the unit as required and stable, or take it out of lead",
                )
        if self.lead and self.pricing is not None:
            raise SchemaError(
                "does not go with prices: those of a shared beginning are of all its prompts together",
                field="lead",
                hint="leave pricing out",
            )
        return self

    @model_validator(mode="after")
    def _prefix_is_overhead(self) -> Self:
        overhead = self.envelope.fixed_overhead_tokens
        if self.pricing is not None and self.pricing.prefix_tokens > overhead:
            raise SchemaError(
                f"is more than the fixed overhead of {overhead} tokens, of which it is a part",
                field="pricing.prefixTokens",
                value=self.pricing.prefix_tokens,
                hint=f"accepted: 0 to {overhead}, the envelope's fixedOverheadTokens",
            )
        return self

    @model_validator(mode="after")
    def _references_exist(self) -> Self:
        ids = {unit.id for unit in self.units}
        zones = {*DEFAULT_ZONES, *(zone.name for zone in self.envelope.zones)}
        groups = {group.id for group in self.redundancy_groups}
        for i, name in enumerate(self.lead or ()):
            if name not in ids:
                raise _unknown(f"lead[{i}]", name, "unit", ids, owner="lead")
        for i, unit in enumerate(self.units):
            for j, name in enumerate(unit.dependency_ids):
                if name not in ids:
                    raise _unknown(f"units[{i}].dependencies[{j}]", name, "unit", ids, owner=unit.id)
            if unit.zone not in zones:
                raise _unknown(f"units[{i}].zone", unit.zone, "zone", zones, owner=unit.id)
            for j, name in enumerate(unit.redundancy_groups):
                if name not in groups:
                    where = f"units[{i}].redundancyGroups[{j}]"
                    raise _unknown(where, name, "redundancy group", groups, owner=unit.id)
        for i, group in enumerate(self.redundancy_groups):
            for j, name in enumerate(group.members):
                if name not in ids:
                    where = f"redundancyGroups[{i}].members[{j}]"
                    raise _unknown(where, name, "unit", ids, owner=group.id)
        return self


def _once(field: str, key: str, names: Iterable[str]) -> None:
    first: dict[str, int] = {}
    for index, name in enumerate(names):
        if name in first:
            raise SchemaError(
                f"duplicate {key}, first used by {field}[{first[name]}]",
                code="duplicate_id",
                field=f"{field}[{index}].{key}",
                value=name,
                hint=f"each {key} must be unique",
            )
        first[name] = index


def _unknown(field: str, name: str, what: str, known: set[str], *, owner: str) -> UnknownReferenceError:
    close = difflib.get_close_matches(name, sorted(known)[:5000], n=1, cutoff=0.6)
    if close:
        hint = f"did you mean {close[0]!r}?"
    elif len(known) <= 12:
        hint = f"known: {', '.join(sorted(known))}" if known else f"no {what} is defined"
    else:
        hint = f"it must be one of the {len(known)} defined"
    return UnknownReferenceError(f"{owner!r} names an unknown {what}", field=field, value=name, hint=hint)
