"""What a cache holds, whether it is true, and what its shorter forms save."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Final, NamedTuple

from ...models import State
from ..candidates import Content, ScannedFile, read_file, scanned
from ..extract import Form, Fragment, default_registry
from ..files import Skipped, SourceFile
from ..tokens import TokenEstimator
from ..tokens.cached import CachedEstimator
from ..tree import DiskTree
from ..walk import WalkOptions, walk
from .counts import TextCounts
from .database import DamagedError, Database, decoded
from .queue import QueueState
from .store import Cache
from .summaries import WHOLE, has_summaries, make_all, stored, summary_key

_SHOWN: Final = 20
"""Places of faults that are listed; the number is always told."""


@dataclass(frozen=True, slots=True)
class CacheStatus:
    """A cache as it is now.

    Attributes
    ----------
    path
        The file.
    size
        Bytes of it on disk, its log included.
    files
        Files of the repository that are remembered.
    fresh, stale
        Of these, as they were when remembered, and changed or to be looked at again.
    unknown
        Files that a scan would read and that are not remembered.
    summarised, unsummarised
        Files of kinds that have summaries: those whose summaries are made, and the others.
    queue
        Jobs.
    scans, hits, known, misses
        Scans so far; and of their files, those not read again, those read but not cut again, those cut.
    """

    path: str
    size: int
    files: int
    fresh: int
    stale: int
    unknown: int
    summarised: int
    unsummarised: int
    queue: QueueState
    scans: int
    hits: int
    known: int
    misses: int


@dataclass(frozen=True, slots=True)
class CacheVerdict:
    """What a comparison of every row with the repository found.

    Attributes
    ----------
    checked
        Files whose rows were compared with what reading them anew gives.
    summaries
        Summaries that were made again and compared.
    stale
        Files that have changed since; their rows would not have been used.
    faults
        Rows that are not what they should be, one sentence each; they are removed.
    """

    checked: int
    summaries: int
    stale: int
    faults: tuple[str, ...]


class Saving(NamedTuple):
    """Texts of one kind: how many, and their tokens before and after."""

    name: str
    texts: int
    before: int
    after: int

    @property
    def share(self) -> float:
        """Share of the tokens that is saved, 0..1."""
        return 1.0 - self.after / self.before if self.before else 0.0

    @staticmethod
    def together(entries: Iterable[Saving], name: str = "together") -> Saving:
        """Return the sum of several."""
        sums = [(entry.texts, entry.before, entry.after) for entry in entries]
        return Saving(name, *(sum(column) for column in zip((0, 0, 0), *sums, strict=True)))


@dataclass(frozen=True, slots=True)
class Savings:
    """Tokens before and after.

    Attributes
    ----------
    tokenizer
        What counted.
    by_kind
        Files by class: their whole text, and the summary of the whole.
    by_rung
        Units that have the rung: their whole text, and that rung.
    files
        Files that have a summary.
    unsummarised
        Files whose summary is not made yet.
    largest
        The files that save most.
    """

    tokenizer: str
    by_kind: tuple[Saving, ...]
    by_rung: tuple[Saving, ...]
    files: int
    unsummarised: int
    largest: tuple[Saving, ...]

    @property
    def together(self) -> Saving:
        """All files that have a summary."""
        return Saving.together(self.by_kind)


class _Known(NamedTuple):
    file: ScannedFile
    content: Content
    digest: str


def status(cache: Cache, options: WalkOptions | None = None) -> CacheStatus:
    """Return what the cache holds, compared with the repository as it is; reads no file."""
    database = cache.database
    walked = walk(cache.root, options)
    contexts = cache.contexts
    known = {path for (path,) in database.rows("SELECT path FROM contexts")}
    there = [source for source in walked.files if source.path in known]
    fresh = sum(not contexts.changed(source) for source in there)
    rows = database.rows("SELECT name, value FROM tallies")
    tallies = decoded("a tally", lambda: {name: int(value) for name, value in rows})
    done = {key for (key,) in database.rows("SELECT key FROM summaries WHERE number = ?", (WHOLE,))}
    may = [known for known in _known(cache) if has_summaries(known.file)]
    summarised = sum(summary_key(item.file, item.digest, cache.version) in done for item in may)
    files = (cache.path.with_name(cache.path.name + ending) for ending in ("", "-wal", "-shm"))
    return CacheStatus(
        path=str(cache.path),
        size=sum(file.stat().st_size for file in files if file.exists()),
        files=len(known),
        fresh=fresh,
        stale=len(known) - fresh,
        unknown=len(walked.files) - len(there),
        summarised=summarised,
        unsummarised=len(may) - summarised,
        queue=cache.queue.state(),
        scans=tallies.get("scans", 0),
        hits=tallies.get("hits", 0),
        known=tallies.get("known", 0),
        misses=tallies.get("misses", 0),
    )


def verify(cache: Cache) -> CacheVerdict:
    """Read every remembered file anew and compare; what is wrong is removed from the cache.

    Raises
    ------
    DamagedError
        The file is damaged as a whole.
    """
    database, contexts = cache.database, cache.contexts
    faults: list[str] = []
    if database.rows("PRAGMA integrity_check") != [("ok",)]:
        raise DamagedError("it does not pass SQLite's check")
    registry = default_registry()
    checked = stale = summaries = 0
    known = {item.file.path: item for item in _known(cache)}
    walked = {source.path: source for source in walk(cache.root).files}
    for path, content in database.rows(
        "SELECT path, content FROM contexts WHERE content IS NOT NULL ORDER BY path"
    ):
        source = walked.get(path) or SourceFile(path, 0, raw=path, tree=DiskTree(cache.root))
        if contexts.changed(source):
            stale += 1
            continue
        checked += 1
        anew = read_file(source, None, registry)
        item = known.get(path)
        if isinstance(anew, Skipped) or item is None or not _same(anew, item):
            faults.append(f"{path}: its units are not those of the file")
            _delete(database, "DELETE FROM contexts WHERE path = ?", path)
            _delete(database, "DELETE FROM contents WHERE key = ?", content)
            continue
        key = summary_key(item.file, item.digest, cache.version)
        made = {row.number: row for row in make_all(*anew)}
        for row in stored(database, key):
            summaries += 1
            if made.get(row.number) != row:
                faults.append(f"{path}: its summary {row.number} is not that of the text")
                _delete(database, "DELETE FROM summaries WHERE key = ?", key)
                break
    return CacheVerdict(checked, summaries, stale, tuple(faults))


def savings(cache: Cache, estimator: TokenEstimator, *, shown: int = _SHOWN) -> Savings:
    """Count every remembered file in full, at each rung, and as a summary of the whole; exactly."""
    counter = CachedEstimator(estimator, TextCounts(cache.database))
    kinds: dict[str, list[tuple[str, str, str]]] = {}
    rungs: dict[State, list[tuple[str, str]]] = {}
    unsummarised = 0
    for file, content, digest in _known(cache):
        rows = {row.number: row for row in stored(cache.database, summary_key(file, digest, cache.version))}
        for number, fragment in enumerate(content.fragments):
            forms: list[Form] = [*fragment.forms]
            row = rows.get(number)
            if row is not None and row.form is not None:
                forms.append(row.form)
            for form in forms:
                rungs.setdefault(form.state, []).append((fragment.text, form.text))
        whole = rows.get(WHOLE)
        if whole is not None and whole.form is not None:
            kinds.setdefault(file.file_class.value, []).append((file.path, file.text, whole.form.text))
        elif whole is None and has_summaries(file):
            unsummarised += 1
    by_file = {
        kind: [
            Saving(path, 1, *pair)
            for (path, _, _), pair in zip(
                entries, _pairs(counter, [(text, short) for _, text, short in entries]), strict=True
            )
        ]
        for kind, entries in sorted(kinds.items())
    }
    by_kind = tuple(Saving.together(entries, kind) for kind, entries in by_file.items())
    by_rung = tuple(
        Saving.together([Saving("", 1, *pair) for pair in _pairs(counter, rungs[state])], state.value)
        for state in sorted(rungs, key=lambda state: state.depth)
    )
    every = [entry for entries in by_file.values() for entry in entries]
    largest = sorted(every, key=lambda entry: (entry.after - entry.before, entry.name))[:shown]
    return Savings(estimator.name, by_kind, by_rung, len(every), unsummarised, tuple(largest))


def _same(anew: tuple[ScannedFile, tuple[Fragment, ...]], item: _Known) -> bool:
    file, fragments = anew
    return fragments == item.content.fragments and replace(file, source=item.file.source) == item.file


def _delete(database: Database, sql: str, key: str) -> None:
    database.write(lambda db: db.execute(sql, (key,)))


def _pairs(counter: CachedEstimator, texts: list[tuple[str, str]]) -> list[tuple[int, int]]:
    counts = iter(counter.count_batch([text for pair in texts for text in pair]))
    return list(zip(counts, counts, strict=True))


def _known(cache: Cache) -> Iterator[_Known]:
    """Yield what is remembered of each file that became units, by path, as this program would use it."""
    rows = cache.database.rows("SELECT path, digest FROM contexts WHERE content IS NOT NULL ORDER BY path")
    for path, digest in rows:
        found = cache.contexts.remembered(path)
        if found is not None:
            facts, content = found
            source = SourceFile(path, 0, raw=path, tree=DiskTree(cache.root))
            file_class, language, notes = facts["class"], facts["language"], facts["notes"]
            yield _Known(scanned(source, file_class, language, notes, content), content, digest)
