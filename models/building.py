"""Problems from plain numbers: what :meth:`..problem.Problem.build` makes of tokens, values and ties."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Final

from pydantic import ValidationError

from .errors import SatchelError, UnknownReferenceError, UsageError
from .names import GroupPolicy, State
from .structure import CoverageDimension, RedundancyGroup
from .unit import ContextUnit, Dependency, Rendering, SourceRef

Key = str | int
"""A unit by its id, or by its position in the list of tokens."""

Covers = Mapping[str, Mapping[Any, float] | Iterable[Key]]
"""Who covers a dimension: units, or units with their strengths."""


@dataclass(frozen=True)
class Parts:
    """The parts of a problem beside its envelope."""

    units: tuple[ContextUnit, ...]
    groups: tuple[RedundancyGroup, ...]
    coverage: tuple[CoverageDimension, ...]


SHAPES: Final = (
    "accepted: a budget; tokens and values, a number for each unit; shorter={unit: [(tokens, value)]}, "
    "needs={unit: [units]}, conflicts=[[units]], covers={dimension: {unit: strength}}"
)


@contextmanager
def arguments() -> Iterator[None]:
    """Turn what Python or pydantic says of a wrong argument into an error of ours."""
    try:
        yield
    except SatchelError:
        raise
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        place = ".".join(str(part) for part in first["loc"])
        field = f"{error.title}.{place}" if place else error.title
        raise UsageError(first["msg"], field=field, value=first["input"], hint=SHAPES) from None
    except (TypeError, ValueError, OverflowError, AttributeError) as error:
        raise UsageError(f"an argument is of a wrong shape: {error}", field="build", hint=SHAPES) from None


def numbered(prefix: str, count: int) -> list[str]:
    """Return ``count`` ids of equal length, whose order by code points is their order."""
    digits = len(str(max(0, count - 1)))
    return [f"{prefix}{index:0{digits}d}" for index in range(count)]


def parts_of(
    *,
    tokens: Sequence[int],
    values: Sequence[float],
    ids: Sequence[str] | None,
    shorter: Mapping[Any, Iterable[tuple[int, float]]],
    required: Iterable[Key],
    needs: Mapping[Any, Iterable[Key]],
    conflicts: Iterable[Iterable[Key]],
    covers: Covers,
    weights: Mapping[str, float],
    gains: Sequence[float],
    refs: Sequence[SourceRef] | None,
) -> Parts:
    """Return the parts of the problem; raises as :meth:`..problem.Problem.build`."""
    names = numbered("u", len(tokens)) if ids is None else list(ids)
    for field, column in (("values", values), ("ids", names), ("refs", refs)):
        if column is not None and len(column) != len(tokens):
            hint = f"there are {len(tokens)} tokens: give as many {field}"
            raise UsageError("is of another length than tokens", field=field, value=len(column), hint=hint)
    book = _Names(names)
    forms = {book.at(key, "shorter"): forms for key, forms in shorter.items()}
    must = {book.at(key, "required") for key in required}
    needed = {book.at(key, "needs"): [book.at(o, "needs") for o in others] for key, others in needs.items()}
    strengths = _strengths(book, covers)
    _known("weights", weights, covers)
    units = tuple(
        ContextUnit(
            id=name,
            token_estimate=_whole("tokens", size),
            value=_plain(value),
            required=index in must,
            dependencies=tuple(Dependency(id=names[other]) for other in needed.get(index, ())),
            coverage=strengths.get(index, {}),
            renderings=tuple(_form(size, value) for size, value in forms.get(index, ())),
            source_refs=(refs[index],) if refs is not None else (),
        )
        for index, (name, size, value) in enumerate(zip(names, tokens, values, strict=True))
    )
    return Parts(units, _groups(book, conflicts), _dimensions(covers, weights, gains))


def _form(tokens: int, value: float) -> Rendering:
    return Rendering(state=_SHORTER, tokens=_whole("shorter", tokens), value=_plain(value))


_SHORTER: Final = State.SUMMARIZED
"""State of every shorter form: all zones that offer any form offer it by default."""


def _groups(book: _Names, conflicts: Iterable[Iterable[Key]]) -> tuple[RedundancyGroup, ...]:
    members = [sorted({book.names[book.at(key, "conflicts")] for key in keys}) for keys in conflicts]
    return tuple(
        RedundancyGroup(id=name, members=tuple(group), policy=GroupPolicy.KEEP_AT_MOST, k=1)
        for name, group in zip(numbered("g", len(members)), members, strict=True)
    )


def _dimensions(
    covers: Covers, weights: Mapping[str, float], gains: Sequence[float]
) -> tuple[CoverageDimension, ...]:
    return tuple(
        CoverageDimension(
            name=name, weight=_plain(weights.get(name, 1.0)), gains=tuple(_plain(gain) for gain in gains)
        )
        for name in covers
    )


def _strengths(book: _Names, covers: Covers) -> dict[int, dict[str, float]]:
    found: dict[int, dict[str, float]] = {}
    for name, units in covers.items():
        pairs = units.items() if isinstance(units, Mapping) else ((unit, 1.0) for unit in units)
        for key, strength in pairs:
            found.setdefault(book.at(key, "covers"), {})[name] = _plain(strength)
    return found


def _known(field: str, given: Iterable[str], names: Iterable[str]) -> None:
    strange = sorted(set(given) - set(names))
    if strange:
        hint = "each name must be one of covers"
        raise UnknownReferenceError("names no dimension", field=field, value=strange[0], hint=hint)


class _Names:
    def __init__(self, names: list[str]) -> None:
        self.names = names
        self._index = {name: index for index, name in enumerate(names)}

    def at(self, key: Any, field: str) -> int:
        """Return the position of the unit that ``key`` names."""
        if isinstance(key, str):
            if key in self._index:
                return self._index[key]
        elif 0 <= int(key) < len(self.names):
            return int(key)
        hint = f"accepted: an id, or a position from 0 to {len(self.names) - 1}"
        raise UnknownReferenceError("names no unit", field=field, value=key, hint=hint)


def _whole(field: str, number: Any) -> int:
    whole = int(number)
    if whole != number:
        hint = "tokens are whole; multiply all of them, and the budget, by the same number"
        raise UsageError("must be a whole number", field=field, value=number, hint=hint)
    return whole


def _plain(number: Any) -> float:
    # Numbers of numpy say what they are worth, and are no numbers of Python.
    return float(number)
