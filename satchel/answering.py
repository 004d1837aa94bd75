"""Packs that were made before: given again while the task, the code and all that is read are the same.

Nothing is guessed: a pack is only kept where the same input gives the same bytes, and only given again where
every file was looked at and holds what it held.
"""

from __future__ import annotations

import hashlib
import re
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, fields, is_dataclass, replace
from enum import Enum
from functools import lru_cache
from importlib import metadata
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final
from zlib import decompress

from . import models, prompt, solver
from .caching import opened
from .models import PackedContext, Task
from .models.base import Model
from .models.reading import collector_paused
from .sources import cache
from .sources.cache.answers import Answer, Answers, ground_of, looked_at
from .sources.cache.store import Cache
from .sources.cache.summaries import SummaryUse
from .sources.cache.versions import code_of, code_version
from .sources.origin import Origin
from .sources.roots import walk_roots
from .sources.scan import Survey, rules_of
from .sources.seeds import Seeding
from .sources.tokens import TokenEstimator

if TYPE_CHECKING:
    from .packing import PackOptions, PackResult

_NAME: Final = re.compile(r"[A-Za-z0-9._-]+")
_PLAIN: Final = (type(None), bool, int, float, str)


@dataclass(frozen=True)
class Recalled:
    """A pack that is given again. The problem is large, and stays compressed."""

    context: PackedContext
    context_text: str
    prompt: str
    problem: bytes

    def problem_bytes(self) -> bytes:
        """Return the problem as it is written to a file."""
        return decompress(self.problem)


@dataclass(frozen=True)
class Asked:
    """What is asked of which folders: names the answers to it.

    Attributes
    ----------
    question
        Digest of the task, the options, and the code that answers.
    """

    roots: Sequence[Path]
    task: Task
    options: PackOptions
    question: str

    @classmethod
    def of(
        cls, roots: Sequence[Path], task: Task, options: PackOptions, estimator: TokenEstimator
    ) -> Asked | None:
        """Return what is asked; None where no answer may be given twice.

        That is where something has a say that is not looked at: which summaries workers have made, other
        engines, commits that a task starts from.
        """
        scan = options.scan
        kept = options.cache is not None and scan.summaries is not SummaryUse.CACHED
        if not kept or options.engine is not None or scan.seeds != Seeding():
            return None
        plain = replace(
            options,
            cache=None,
            on_stage=None,
            on_notice=None,
            scan=replace(scan, jobs=None, cache=None, plain=None),
            solve=replace(options.solve, on_progress=None, started=None),
        )
        try:
            told = repr((_told(task), _told(plain), estimator.name, _answering()))
        except (_UnknownError, metadata.PackageNotFoundError):
            return None
        digest = hashlib.blake2b(told.encode("utf-8", "surrogatepass"), digest_size=16)
        return cls(roots, task, options, digest.hexdigest())

    def recalled(self) -> Recalled | None:
        """Return the pack that was made for this before, if all that is read is as it was.

        Raises as :func:`.packing.pack` where a folder or a named path is not there.
        """
        with collector_paused(), self._cache() as kept:
            if kept is None or not (answers := Answers(kept)).is_known(self.question):
                return None
            ground = self._looked(kept)
            found = answers.get(self.question, ground) if ground else None
            if found is None:
                return None
            kept.answered()
            text = Answer.text(found.context)
            # Our own text, to the byte: there is nothing to tell the user of what is wrong with it.
            context = PackedContext.model_validate_json(text)
            return Recalled(context, text, Answer.text(found.prompt), found.problem)

    def keep(self, ground: str | None, result: PackResult) -> None:
        """Keep a pack that was made on this ground, where another run is certain to make it again."""
        if ground is None or not result.context.solver.reproducible:
            return
        with self._cache() as kept:
            if kept is not None:
                Answers(kept).keep(
                    self.question,
                    ground,
                    Answer.of(result.context_text(), result.problem_text(), result.prompt),
                )

    def _looked(self, kept: Cache) -> str | None:
        """Look at everything that a scan would read, and return the ground that it would be."""
        scan = self.options.scan
        roots = list(self.roots)
        rules = rules_of(scan, self.task.focus)
        walked = walk_roots(roots, rules)
        if not looked_at(walked, rules, kept.contexts):
            return None
        origin = Origin.of(roots, rules.revision)
        ages = origin.ages(kept) if scan.history else origin.unknown_ages()
        return ground_of(walked, kept.contexts, ages.histories, [origin.commits()])

    @contextmanager
    def _cache(self) -> Iterator[Cache | None]:
        options, revisions = self.options, bool(self.options.scan.walk.revision)
        with opened(self.roots, options.cache, options.on_notice, revisions=revisions) as kept:
            yield kept


def ground_read(kept: Cache | None, found: Survey) -> str | None:
    """Return the ground of what was read: all that a pack says of it follows from that."""
    if kept is None:
        return None
    walked, histories = found.reading.walked, found.ages.histories
    return ground_of(walked, kept.contexts, histories, [found.report.revision])


class _UnknownError(Exception):
    """A value whose text does not tell all of it."""


def _told(value: Any) -> object:
    """Return a value as one whose ``repr`` tells all of it; raises :class:`_UnknownError` where none does."""
    if type(value) in _PLAIN:
        return value
    if isinstance(value, Enum):
        return (type(value).__name__, value.name)
    if isinstance(value, Model):
        return (type(value).__name__, value.model_dump_json())
    if isinstance(value, Path):
        return ("path", str(value))
    if isinstance(value, Mapping):
        return ("map", sorted([(_told(name), _told(one)) for name, one in value.items()], key=repr))
    if isinstance(value, list | tuple):
        return [_told(one) for one in value]
    if is_dataclass(value) and not isinstance(value, type):
        named = [(field.name, _told(getattr(value, field.name))) for field in fields(value)]
        return (type(value).__name__, named)
    raise _UnknownError


@lru_cache(1)
def _answering() -> str:
    """Return a digest of all code that decides what a pack is: Satchel's, and the libraries that it needs."""
    rooms = (models, prompt, solver, cache)
    folders = [Path(__file__).parent, *(Path(str(room.__file__)).parent for room in rooms)]
    needed = sorted({match[0] for need in metadata.requires("satchel") or () if (match := _NAME.match(need))})
    parts = [str(sys.version_info), code_version(), *map(code_of, folders), *map(_version, needed)]
    return hashlib.blake2b("\n".join(parts).encode(), digest_size=16).hexdigest()


def _version(name: str) -> str:
    try:
        return f"{name} {metadata.version(name)}"
    except metadata.PackageNotFoundError:
        return name
