"""Exact counts, offline: byte-pair encodings whose vocabularies ship inside the ``toktok-rs`` wheel."""

from __future__ import annotations

import difflib
from collections.abc import Sequence
from typing import Any, Final

from ...models import BackendError, UnknownReferenceError
from .base import ANY, Estimator, Mode, TokenProfile, replace_lone_surrogates

EXACT_ENCODINGS: Final = ("cl100k_base", "o200k_base", "o200k_harmony", "qwen3.5")
"""Encodings that are counted exactly without a download."""

_ALONE: Final = 1 << 18
"""Below this many characters a batch is counted on one thread: a pool costs more than it saves."""


class ExactEstimator(Estimator):
    """Counts tokens of one encoding exactly.

    Text that spells a special token (``<|endoftext|>``) is plain text, as everything in a prompt that
    came from a file must be. Lone surrogates count as U+FFFD. Time is linear in the text, also for a
    run of a million equal characters.

    Raises
    ------
    UnknownReferenceError
        No such encoding.
    BackendError
        ``toktok-rs`` cannot be imported.
    """

    method: Mode = "exact"

    def __init__(self, encoding: str = "o200k_base") -> None:
        if encoding not in EXACT_ENCODINGS:
            near = difflib.get_close_matches(encoding, EXACT_ENCODINGS, n=1)
            raise UnknownReferenceError(
                "unknown encoding",
                field="encoding",
                value=encoding,
                hint=(f"did you mean {near[0]}? " if near else "") + f"known: {', '.join(EXACT_ENCODINGS)}",
            )
        self._toktok = _load()
        self.encoding = encoding
        self.name = f"toktok-rs {self._toktok.__version__}/{encoding}"
        self.profile = TokenProfile(provider=ANY, model_id=ANY, encoding=encoding)

    def count_batch(self, texts: Sequence[str]) -> list[int]:
        """Return the exact count of each text, in order; the interpreter lock is released meanwhile."""
        try:
            return self._count(texts)
        except UnicodeEncodeError:
            return self._count([replace_lone_surrogates(text)[0] for text in texts])

    def _count(self, texts: Sequence[str]) -> list[int]:
        threads = 1 if sum(map(len, texts)) < _ALONE else 0
        counts: list[int] = self._toktok.batch_count(texts, self.encoding, threads)
        return counts


def _load() -> Any:
    try:
        import toktok
    except ImportError as error:
        raise BackendError(
            "exact token counts need the toktok-rs package, which cannot be imported",
            hint="pip install toktok-rs, or ask for an approximate count",
            data={"cause": str(error)},
        ) from error
    return toktok
