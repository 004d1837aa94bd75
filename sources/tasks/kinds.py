"""Kinds of task as data: one TOML file each, on top of ``common.toml``."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from functools import cache
from importlib import resources
from typing import Annotated, Any, Final, Literal

from pydantic import AfterValidator, Field

from ...models import (
    BudgetZone,
    CoverageDimension,
    Kind,
    MinPolicy,
    Model,
    OverflowPolicy,
    PackingPolicy,
    SchemaError,
    State,
    UsageError,
    Weights,
)
from ..file_classes import FileClass

_COMMON: Final = "common.toml"

Share = Annotated[float, Field(ge=0.0, le=1.0)]
"""A share of the available tokens."""

Factor = Annotated[float, Field(ge=0.0, le=1.0)]
"""What a score is multiplied by."""


def _pattern(text: str) -> str:
    try:
        re.compile(text)
    except re.error as error:
        raise ValueError(f"is not a regular expression: {error}") from None
    return text


Pattern = Annotated[str, AfterValidator(_pattern)]
"""A regular expression that compiles."""


class ZoneShare(Model):
    """A zone's limits as shares of the available tokens (seed 000 §3)."""

    min: Share = 0.0
    target: Share | None = None
    max: Share | None = None
    overflow: OverflowPolicy = OverflowPolicy.SUMMARIZE
    min_policy: MinPolicy | None = None

    def zone(self, name: str, available: int) -> BudgetZone:
        """Return the zone for ``available`` tokens; every share is rounded down."""
        return BudgetZone(
            name=name,
            min_tokens=int(self.min * available),
            target_tokens=None if self.target is None else int(self.target * available),
            max_tokens=None if self.max is None else int(self.max * available),
            overflow_policy=self.overflow,
            min_policy=self.min_policy,
        )


class CoverageRule(Model):
    """Which units cover a dimension, and how strongly; every condition given must hold.

    ``pattern`` is searched in the unit's ``where``: text, title, doc, or the names that it defines, one
    a line. Names are taken apart into lower-case words with spaces between (``getHTTPError`` is
    ``get http error``), so that ``\\b`` stands at the ends of a word.
    """

    classes: tuple[FileClass, ...] = ()
    kinds: tuple[Kind, ...] = ()
    roles: tuple[str, ...] = ()
    path: Pattern | None = None
    pattern: Pattern | None = None
    where: Literal["text", "title", "doc", "name"] = "text"
    strength: Factor = 1.0


class Dimension(Model):
    """A coverage dimension and the rules that say what covers it (seed 000 §12)."""

    name: str
    weight: float | None = None
    required: bool = False
    rules: tuple[CoverageRule, ...]

    def dimension(self) -> CoverageDimension:
        """Return the dimension as the solver knows it."""
        return CoverageDimension(name=self.name, weight=self.weight, required=self.required)


class PathFactor(Model):
    """Files whose path matches count for less."""

    pattern: Pattern
    factor: Factor


class Start(Model):
    """Files that such a task is always about.

    ``relevance`` is the least that the first unit of a file gets, each later one a fifth less; units
    whose title matches ``unless`` get nothing by it.
    """

    pattern: Pattern
    relevance: Factor
    unless: Pattern | None = None


class Factors(Model):
    """What relevance is multiplied by, by what a unit is."""

    private: Factor = 1.0
    imports_only: Factor = 1.0
    roles: dict[str, Factor] = Field(default_factory=dict)


class RepoMapRule(Model):
    """How much such a task is served by the map of the repository."""

    relevance: Factor


class TaskKind(Model):
    """Everything that a kind of task decides: shares of the budget, rules, weights, authority, coverage."""

    name: str
    summary: str
    words: str = Field(default="", description="what such a task asks when it does not say what about")
    weights: Weights
    zones: dict[str, ZoneShare]
    policy: PackingPolicy
    authority: dict[FileClass, Factor]
    factors: Factors
    path_factors: tuple[PathFactor, ...] = ()
    generic: str = ""
    start: tuple[Start, ...] = ()
    fidelity: dict[State, Annotated[float, Field(gt=0.0, le=1.0)]]
    signature_fidelity: Annotated[float, Field(gt=0.0, le=1.0)] = Field(
        default=0.5, description="of a signature alone: ``fidelity`` speaks of the contracts of an API"
    )
    repo_map: RepoMapRule
    coverage: tuple[Dimension, ...] = ()

    def zones_for(self, available: int) -> tuple[BudgetZone, ...]:
        """Return the zones of the envelope for ``available`` tokens."""
        return tuple(share.zone(name, available) for name, share in self.zones.items())


def task_kinds() -> tuple[str, ...]:
    """Return the names of the kinds, sorted."""
    folder = resources.files(__package__)
    names = (entry.name for entry in folder.iterdir() if entry.name.endswith(".toml"))
    return tuple(sorted(name.removesuffix(".toml") for name in names if name != _COMMON))


@cache
def task_kind(name: str) -> TaskKind:
    """Return the kind called ``name``.

    Raises
    ------
    UsageError
        There is none; the error lists those that there are.
    """
    known = task_kinds()
    if name not in known:
        raise UsageError(
            "unknown kind of task", field="task.kind", value=name, hint=f"accepted: {', '.join(known)}"
        )
    return TaskKind.from_data(kind_data(name), file=f"{name}.toml")


def kind_data(name: str) -> dict[str, Any]:
    """Return what the files of a kind that there is say, common rules included, as TOML gives it."""
    folder = resources.files(__package__)
    files = (folder / _COMMON, folder / f"{name}.toml")
    common, own = (tomllib.loads(file.read_text(encoding="utf-8")) for file in files)
    return merged(common, own)


def parse_kind(text: str, common: str, *, file: str) -> TaskKind:
    """Return the kind that ``text`` describes on top of ``common``, both TOML.

    Tables are merged key by key; everything else in ``text`` replaces what ``common`` says.

    Raises
    ------
    SchemaError
        Names the file, the field, the value and what would be accepted.
    """
    try:
        data = merged(tomllib.loads(common), tomllib.loads(text))
    except tomllib.TOMLDecodeError as error:
        raise SchemaError(f"is not TOML: {error}", file=file) from None
    return TaskKind.from_data(data, file=file)


def envelope_for(kind: str, available: int) -> tuple[BudgetZone, ...]:
    """Return the zones that a task of ``kind`` has in ``available`` tokens; raises as :func:`task_kind`."""
    return task_kind(kind).zones_for(available)


def merged(below: Mapping[str, Any], above: Mapping[str, Any]) -> dict[str, Any]:
    """Return ``below`` with what ``above`` says: tables key by key, everything else replaced."""
    out = dict(below)
    for key, value in above.items():
        old = out.get(key)
        if isinstance(old, Mapping) and isinstance(value, Mapping):
            value = merged(old, value)
        out[key] = value
    return out
