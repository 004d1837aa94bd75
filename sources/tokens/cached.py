"""Counts that are remembered by the content of the text."""

from __future__ import annotations

import hashlib
import threading
from collections import OrderedDict
from collections.abc import Iterable, Mapping, Sequence
from typing import Protocol

from ...models import UsageError
from .base import Confidence, Mode, TokenEstimate, TokenEstimator, TokenProfile, single_text


class CountStore(Protocol):
    """Where counts are kept. Keys hold the estimator's name, so one store serves several."""

    def get_many(self, keys: Sequence[str]) -> Mapping[str, int]:
        """Return the counts that are known among ``keys``."""
        ...

    def put_many(self, counts: Mapping[str, int]) -> None:
        """Remember ``counts``."""
        ...


class MemoryStore:
    """A store in memory that forgets the least recently used counts; safe between threads."""

    def __init__(self, limit: int = 200_000) -> None:
        if limit < 1:
            raise UsageError("a count store must hold at least one count", field="limit", value=limit)
        self._limit = limit
        self._counts: OrderedDict[str, int] = OrderedDict()
        self._lock = threading.Lock()

    def __len__(self) -> int:
        return len(self._counts)

    def get_many(self, keys: Sequence[str]) -> Mapping[str, int]:
        """Return the counts that are known among ``keys`` and mark them as used."""
        with self._lock:
            found = {key: self._counts[key] for key in keys if key in self._counts}
            for key in found:
                self._counts.move_to_end(key)
        return found

    def put_many(self, counts: Mapping[str, int]) -> None:
        """Remember ``counts``; the oldest beyond the limit are forgotten."""
        with self._lock:
            self._counts.update(counts)
            while len(self._counts) > self._limit:
                self._counts.popitem(last=False)


class CachedEstimator:
    """Wraps an estimator; equal texts are counted once.

    Counts are those of the wrapped estimator. :meth:`estimate` says ``cached`` on a hit, and keeps
    the confidence and warnings of a fresh count.
    """

    def __init__(self, inner: TokenEstimator, store: CountStore | None = None) -> None:
        self._inner = inner
        self._store: CountStore = MemoryStore() if store is None else store

    @property
    def name(self) -> str:
        """The wrapped estimator's name: caching does not change what is counted."""
        return self._inner.name

    @property
    def method(self) -> Mode:
        """The wrapped estimator's method."""
        return self._inner.method

    @property
    def profile(self) -> TokenProfile:
        """The wrapped estimator's profile."""
        return self._inner.profile

    def estimate(self, text: str) -> TokenEstimate:
        """Return the count of one text, with method ``cached`` when it was known."""
        (key,) = self._keys([single_text(text)])
        known = self._store.get_many([key])
        if key not in known:
            fresh = self._inner.estimate(text)
            self._store.put_many({key: fresh.token_count})
            return fresh
        return TokenEstimate(known[key], "cached", *self._inner.remarks(text))

    def remarks(self, text: str) -> tuple[Confidence, tuple[str, ...]]:
        """Return the wrapped estimator's remarks."""
        return self._inner.remarks(text)

    def count_batch(self, texts: Sequence[str]) -> list[int]:
        """Return the count of each text; only texts that are new to the store are counted."""
        keys = self._keys(texts)
        known = dict(self._store.get_many(keys))
        missing = {key: text for key, text in zip(keys, texts, strict=True) if key not in known}
        if missing:
            fresh = dict(zip(missing, self._inner.count_batch(list(missing.values())), strict=True))
            self._store.put_many(fresh)
            known.update(fresh)
        return [known[key] for key in keys]

    def _keys(self, texts: Iterable[str]) -> list[str]:
        """Return store keys: the estimator's name and a 128-bit digest of the text."""
        name = self._inner.name
        return [
            f"{name}:{hashlib.blake2b(text.encode('utf-8', 'surrogatepass'), digest_size=16).hexdigest()}"
            for text in texts
        ]
