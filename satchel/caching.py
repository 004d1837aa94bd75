"""The cache behind the public face: opened where it can be, done without where it cannot."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache as once
from pathlib import Path

from . import prompt
from .models import ContextUnit, Rendering, SourceRef
from .prompt.facts import authority_level
from .sources.cache.counts import DIGEST_BYTES, Counts
from .sources.cache.database import UnavailableError
from .sources.cache.plain import PlainUnits
from .sources.cache.store import Cache
from .sources.cache.versions import code_of
from .sources.tokens import TokenEstimator

Notify = Callable[[str], None]
"""Called with a sentence that the user should read."""


def told_once(notify: Notify) -> Notify:
    """Return what calls ``notify`` with each sentence once: a run may open its cache several times."""
    told: set[str] = set()

    def tell(sentence: str) -> None:
        if sentence not in told:
            told.add(sentence)
            notify(sentence)

    return tell


@dataclass(frozen=True)
class CacheOptions:
    """Where to remember what was found out.

    Parameters
    ----------
    folder
        Folder for caches, one file for each repository; ``SATCHEL_CACHE_DIR``, or the user's cache folder.
    """

    folder: Path | None = None


@contextmanager
def opened(
    roots: Path | Sequence[Path],
    options: CacheOptions | None,
    notify: Notify | None = None,
    *,
    revisions: bool = False,
) -> Iterator[Cache | None]:
    """Open the cache of a repository, or of folders that are read together, or of a repository's revisions.

    None without ``options``, or where there can be none. Whatever is wrong with it is told to ``notify`` and
    never raised.
    """
    tell = notify or (lambda _: None)
    roots = [roots] if isinstance(roots, Path) else list(roots)
    if options is None or not all(root.is_dir() for root in roots):
        yield None
        return
    try:
        cache = Cache(roots, options.folder, revisions=revisions)
    except UnavailableError as error:
        tell(f"working without a cache: {error}")
        yield None
        return
    try:
        yield cache
    finally:
        cache.close()
        for notice in cache.notices:
            tell(notice)


class CountBook:
    """Counts of blocks that need be neither rendered nor counted again.

    Units that earlier runs counted are known as they are (``plain``). Of others each block is looked up: its
    digest is of everything that its text and those of the unit's other forms are made of. A test changes
    each field of a unit in turn to see that none is left out.
    """

    plain: PlainUnits | None = None

    def __init__(self, cache: Cache, estimator: TokenEstimator, fmt: str) -> None:
        recipe = f"{estimator.name} {fmt} {_renderer()} {cache.version}"
        self._counts = Counts(cache.database, recipe, cache.contexts)
        self.plain = PlainUnits(cache.database, recipe, cache.contexts)

    def digests(self, unit: ContextUnit, forms: Sequence[Rendering]) -> list[bytes]:
        """Return the digest of the block of each form of ``unit``: those of its ladder, in order."""
        own = forms[0]
        refs = _refs(unit.source_refs)
        # Where references name no lines, the lines of the fullest form are counted.
        lines = "" if _has_lines(own.source_refs) else own.text or ""
        level = authority_level(unit.authority_score)
        parts = [
            unit.id,
            unit.kind,
            unit.title,
            level,
            unit.trust,
            refs,
            unit.heading or "",
            own.state,
            lines,
        ]
        for form in forms:
            shown = refs if form.source_refs is unit.source_refs else _refs(form.source_refs)
            parts += ("\x1e", form.state, shown, "" if form.text is None else f"\x1e{form.text}")
        # One digest for all, and the number of the form in its last byte: there are no more than states.
        whole = "\x1f".join(parts).encode("utf-8", "surrogatepass")
        start = hashlib.blake2b(whole, digest_size=DIGEST_BYTES - 1).digest()
        return [start + bytes((number,)) for number in range(len(forms))]

    def get(self, digest: bytes) -> int | None:
        """Return the tokens of a block, if they are known."""
        return self._counts.get(digest)

    def put(self, unit: ContextUnit, digest: bytes, tokens: int) -> None:
        """Remember the tokens of a block of ``unit``."""
        if unit.source_refs:
            self._counts.put(unit.source_refs[0].path, digest, tokens)

    def is_counted(self, unit: ContextUnit) -> bool:
        """Whether the tokens that a unit states are those of its blocks."""
        return self.plain is not None and self.plain.is_counted(unit)

    def flush(self, units: Iterable[ContextUnit] = ()) -> None:
        """Write what was counted, and those of ``units`` that the next run may take as they are."""
        self._counts.flush()
        if self.plain is not None:
            self.plain.keep(units)


def _refs(refs: tuple[SourceRef, ...]) -> str:
    return "\x1d".join([f"{ref.path}:{ref.start_line}-{ref.end_line}/{ref.total_lines}" for ref in refs])


def _has_lines(refs: tuple[SourceRef, ...]) -> bool:
    return bool(refs) and all(ref.start_line is not None for ref in refs)


@once
def _renderer() -> str:
    return code_of(Path(prompt.__file__).parent)
