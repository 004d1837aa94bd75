"""Counts by any ``tokenizer.json``, through the optional ``tokenizers`` package."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

from ...models import BackendError, FileError
from .approximate import ApproximateEstimator
from .base import Confidence, Estimator, Mode, TokenEstimate, TokenProfile, replace_lone_surrogates

INSTALL: Final = 'pip install "satchel[tokenizers]"'

LONG_RUN: Final = 4_096
"""Characters without (or of nothing but) white space from which a run is counted in pieces.

Some releases of the library need quadratic time for one long piece, or panic on it. Ordinary text has
no such run; base64 blobs and minified files do.
"""

PIECE: Final = 1_024
"""Characters of one piece of a long run: each cut adds about one token at most."""

MAX_CHARS: Final = 4_000_000
"""Longer texts get the byte estimate: the library counts about 1 MB a second on one core."""

_RUNS: Final = re.compile(rf"\S{{{LONG_RUN},}}|\s{{{LONG_RUN},}}")


class HuggingFaceEstimator(Estimator):
    """Counts tokens as the model of a ``tokenizer.json`` does.

    Special-token spellings inside a text count as plain text, truncation and padding that the file
    asks for are switched off, and no begin or end token is added. Work is bounded by sizes, never by a
    clock, so that the same text always gets the same count: long runs are counted in pieces, texts of
    more than 4 million characters, or on which the library fails, get the byte estimate. Each such
    count comes with a warning and less confidence.

    Raises
    ------
    BackendError
        The ``tokenizers`` package is not installed.
    FileError
        The file is missing, unreadable, or not a tokenizer.
    """

    method: Mode = "exact"

    def __init__(self, file: str | Path) -> None:
        library = _library()
        data = _read(Path(file))
        try:
            tokenizer = library.Tokenizer.from_buffer(data)
        except Exception as error:
            # The library raises bare Exception for a bad file.
            raise FileError(
                f"is not a tokenizer.json that tokenizers {library.__version__} can read",
                file=str(file),
                hint="give the tokenizer.json of a model",
                data={"cause": str(error)[:200]},
            ) from error
        tokenizer.encode_special_tokens = True
        tokenizer.no_truncation()
        tokenizer.no_padding()
        self._tokenizer = tokenizer
        self._bytes = ApproximateEstimator()
        self._failed: set[str] = set()
        digest = hashlib.sha256(data).hexdigest()[:16]
        self.name = f"tokenizers {library.__version__}/{digest}"
        self.profile = TokenProfile(
            provider="file", model_id=Path(file).name, encoding=f"tokenizer.json {digest}"
        )

    def estimate(self, text: str) -> TokenEstimate:
        """Return the count of one text; one that is not wholly the tokenizer's own is approximate."""
        estimate = super().estimate(text)
        return estimate if estimate.confidence == "high" else replace(estimate, method="approximate")

    def remarks(self, text: str) -> tuple[Confidence, tuple[str, ...]]:
        """Return confidence and warnings: lower for long runs, very long texts and failures."""
        confidence, warnings = super().remarks(text)
        if len(text) > MAX_CHARS:
            note = f"{len(text)} characters are more than {MAX_CHARS}: byte estimate instead of a count"
            return "low", (*warnings, note)
        if text in self._failed:
            return "low", (*warnings, "the tokenizer failed on this text: byte estimate instead of a count")
        runs = len(_RUNS.findall(text))
        if runs:
            noun = "run" if runs == 1 else "runs"
            note = f"{runs} {noun} of {LONG_RUN} characters or more counted in pieces of {PIECE}"
            return "medium", (*warnings, note)
        return confidence, warnings

    def count_batch(self, texts: Sequence[str]) -> list[int]:
        """Return the count of each text, in order; the interpreter lock is released meanwhile."""
        counts = [0] * len(texts)
        pieces: list[str] = []
        owners: list[int] = []
        for index, text in enumerate(texts):
            fixed = replace_lone_surrogates(text)[0]
            if len(fixed) > MAX_CHARS:
                counts[index] = self._bytes.count_batch([fixed])[0]
                continue
            cut = _pieces(fixed)
            pieces += cut
            owners += [index] * len(cut)
        for index, count in zip(owners, self._encode(pieces), strict=True):
            counts[index] += count
        if self._failed:
            failed = [i for i, piece in zip(owners, pieces, strict=True) if piece in self._failed]
            self._failed.update(texts[index] for index in failed)
        return counts

    def _encode(self, texts: Sequence[str]) -> list[int]:
        try:
            return self._lengths(texts)
        except BaseException as fault:  # noqa: BLE001 - a panic of the library is a BaseException
            _reraise_unless_fault(fault)
            if len(texts) > 1:
                return [count for text in texts for count in self._encode([text])]
            self._failed.update(texts)
            return self._bytes.count_batch(texts)

    def _lengths(self, texts: Sequence[str]) -> list[int]:
        encodings = self._tokenizer.encode_batch_fast(list(texts), add_special_tokens=False)
        return [len(encoding) for encoding in encodings]


def _pieces(text: str) -> list[str]:
    """Return the parts of ``text`` to count: itself, or the text around long runs and their pieces."""
    parts: list[str] = []
    end = 0
    for run in _RUNS.finditer(text):
        parts.append(text[end : run.start()])
        parts.extend(text[at : min(at + PIECE, run.end())] for at in range(run.start(), run.end(), PIECE))
        end = run.end()
    parts.append(text[end:])
    return [part for part in parts if part]


def _reraise_unless_fault(fault: BaseException) -> None:
    """Let interrupts and exhausted memory through; anything else is a fault of the library."""
    if isinstance(fault, KeyboardInterrupt | SystemExit | GeneratorExit | MemoryError):
        raise fault


def _read(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        reason = error.strerror or type(error).__name__
        raise FileError(
            f"cannot be read: {reason}", file=str(path), hint="give the tokenizer.json of a model"
        ) from error


def _library() -> Any:
    try:
        import tokenizers
    except ImportError as error:
        raise BackendError(
            "counting by a tokenizer file needs the tokenizers package, which is not installed", hint=INSTALL
        ) from error
    return tokenizers
