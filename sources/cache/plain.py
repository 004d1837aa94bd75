"""Units as every task of a kind gives them, counted and without scores, kept by the content they are of."""

from __future__ import annotations

import hashlib
import sqlite3
import zlib
from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from typing import Any, Final, NamedTuple

from pydantic_core import from_json, to_json

from ...models import ContextUnit, Kind, Stability, State
from ..candidates import Candidate, ScannedFile
from ..plain import Plain, PlainForm
from ..tasks import TaskKind
from .contexts import Contexts
from .database import DamagedError, Database, decoded

_HEAD: Final = 4
_KINDS: Final = {kind.value: kind for kind in Kind}
_STATES: Final = {state.value: state for state in State}

_BATCH: Final = 1_000
"""Contents that are written in one transaction, so that no other process waits long."""


class _Pending(NamedTuple):
    """A unit whose tokens are still to be counted."""

    content: str
    recipe: str
    number: int
    covers: tuple[tuple[str, float], ...]
    needs: tuple[int, ...]
    text: str | None


class PlainUnits:
    """A :class:`..plain.PlainMemory` in the database.

    Parameters
    ----------
    recipe
        Changes whenever the same unit could have other tokens.
    contexts
        Knows which content a path has now.
    """

    def __init__(self, database: Database, recipe: str, contexts: Contexts) -> None:
        self._database = database
        self._recipe = recipe
        self._contexts = contexts
        self._rows: dict[str, dict[str, object]] = {}
        self._names: dict[int, tuple[TaskKind, str]] = {}
        self._counted: dict[int, ContextUnit] = {}
        self._pending: dict[str, _Pending] = {}
        self._read: dict[tuple[str, str], list[Plain | None]] = {}

    def of(self, file: ScannedFile, kind: TaskKind) -> Sequence[Plain | None]:
        """Return what is known of the fragments of a file, in order."""
        # A file that a task names has other tags and risks than as one of many.
        content = None if file.source.explicit else self._contexts.keys.get(file.path)
        if content is None:
            return ()
        recipe = self._recipe_of(kind)
        found = self._of(content, recipe)
        return found or ()

    def counted(self, unit: ContextUnit) -> None:
        """Note that the tokens of a unit are known, as long as it is this very record."""
        self._counted[id(unit)] = unit

    def is_counted(self, unit: ContextUnit) -> bool:
        """Whether the tokens that a unit states are those of its blocks."""
        return self._counted.get(id(unit)) is unit

    def pending(
        self,
        candidate: Candidate,
        kind: TaskKind,
        covers: Sequence[tuple[str, float]],
        needs: Sequence[int],
    ) -> None:
        """Note a unit that is to be remembered, once it is counted."""
        file = candidate.file
        content = None if file.source.explicit else self._contexts.keys.get(file.path)
        if content is not None:
            text = candidate.fragment.text
            self._pending[candidate.id] = _Pending(
                content, self._recipe_of(kind), candidate.number, tuple(covers), tuple(needs), text
            )

    def keep(self, units: Iterable[ContextUnit]) -> None:
        """Write those of these units that are pending, which are counted now."""
        pending, self._pending = self._pending, {}
        if not pending:
            return
        new: dict[tuple[str, str], dict[int, Plain]] = {}
        for unit in units:
            item = pending.get(unit.id)
            if item is not None and unit.text is item.text and unit.stability is Stability.STABLE:
                new.setdefault((item.content, item.recipe), {})[item.number] = _plain(unit, item)
        rows = list(new.items())
        for start in range(0, len(rows), _BATCH):
            self._contexts.guarded(partial(self._write, rows[start : start + _BATCH]), None)

    def _write(self, rows: Sequence[tuple[tuple[str, str], Mapping[int, Plain]]]) -> None:
        def change(db: sqlite3.Connection) -> None:
            values = []
            for (content, recipe), made in rows:
                known = self._of(content, recipe) or []
                size = max(len(known), max(made) + 1)
                whole = [*known, *[None] * (size - len(known))]
                for number, plain in made.items():
                    whole[number] = plain
                values.append((content, recipe, _encoded(whole)))
            db.executemany("INSERT OR REPLACE INTO plain VALUES (?, ?, ?)", values)

        self._database.write(change)

    def _recipe_of(self, kind: TaskKind) -> str:
        if id(kind) not in self._names:
            digest = hashlib.blake2b(kind.model_dump_json().encode("utf-8"), digest_size=12).hexdigest()
            self._names[id(kind)] = kind, f"{self._recipe} {digest}"
        return self._names[id(kind)][1]

    def _of(self, content: str, recipe: str) -> list[Plain | None] | None:
        if recipe not in self._rows:
            self._rows[recipe] = self._contexts.guarded(lambda: self._load(recipe), dict[str, object]())
        key = content, recipe
        if key not in self._read:
            data = self._rows[recipe].get(content)
            try:
                self._read[key] = [] if data is None else decoded("units", lambda: _decoded(data))
            except DamagedError:
                self._read[key] = []  # made anew, and written over
        return self._read[key]

    def _load(self, recipe: str) -> dict[str, object]:
        sql = "SELECT content, units FROM plain WHERE recipe = ?"
        return dict(self._database.rows(sql, (recipe,)))


def _plain(unit: ContextUnit, item: _Pending) -> Plain:
    assert unit.token_estimate is not None
    return Plain(
        unit.id,
        unit.kind,
        unit.authority_score,
        unit.risk_score,
        unit.zone,
        unit.tags,
        item.covers,
        item.needs,
        unit.token_estimate,
        tuple([PlainForm(form.state, form.fidelity or 0.0, form.tokens or 0) for form in unit.renderings]),
    )


def _encoded(units: Sequence[Plain | None]) -> bytes:
    body = to_json(units)
    return zlib.crc32(body).to_bytes(_HEAD, "little") + body


def _decoded(data: Any) -> list[Plain | None]:
    """Undo :func:`_encoded`; raises ``ValueError`` and its like when the bytes are damaged."""
    body = memoryview(data)[_HEAD:]
    if zlib.crc32(body) != int.from_bytes(data[:_HEAD], "little"):
        raise ValueError("is damaged")
    return [None if unit is None else _restored(*unit) for unit in from_json(bytes(body))]


def _restored(
    name: str,
    kind: str,
    authority: float,
    risk: float,
    zone: str,
    tags: list[str],
    covers: list[list[Any]],
    needs: list[int],
    tokens: int,
    forms: list[list[Any]],
) -> Plain:
    return Plain(
        name,
        _KINDS[kind],
        authority,
        risk,
        zone,
        tuple(tags),
        tuple([(name, strength) for name, strength in covers]),
        tuple(needs),
        tokens,
        tuple([PlainForm(_STATES[state], fidelity, size) for state, fidelity, size in forms]),
    )
