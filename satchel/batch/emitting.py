"""The prompts of a batch as ready requests of the large providers' batch interfaces, one a line.

==================  ======================================================  ========================
format              a line                                                  a file holds at most
==================  ======================================================  ========================
``openai-batch``    ``custom_id``, ``method``, ``url``, ``body``            50,000 requests, 200 MB,
                                                                            of one model
``anthropic-batch`` ``custom_id``, ``params``                               100,000 requests, 256 MB
==================  ======================================================  ========================

Limits as the providers state them; a megabyte is taken as 10**6 bytes, the smaller reading. Nothing is sent.
Lines stand in the order of the manifest, so that pages with the same prefix come one after the other.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO, Final

from ..models import FileError, InfeasibleError, UsageError
from ..packing import PackResult
from ..prefixes import request_of
from ..sources.tokens import find_profile
from .pages import Page
from .records import PageRecord

REQUEST: Final = "request.json"
"""A page's request, beside its other files."""

_PLAIN: Final = re.compile(r"[^A-Za-z0-9_-]+")
_LONGEST_ID: Final = 64
_MARK: Final = 8


@dataclass(frozen=True)
class BatchFormat:
    """A provider's format: the shape of its requests, and what one file may hold."""

    shape: str
    most_requests: int
    most_bytes: int
    one_model: bool


FORMATS: Final = {
    "openai-batch": BatchFormat("openai", 50_000, 200 * 10**6, one_model=True),
    "anthropic-batch": BatchFormat("anthropic", 100_000, 256 * 10**6, one_model=False),
}


@dataclass(frozen=True)
class Emission:
    """What is emitted: one of :data:`FORMATS`, and the tokens that an answer may hold, where stated."""

    name: str
    answer_tokens: int | None = None

    def __post_init__(self) -> None:
        if self.name not in FORMATS:
            hint = f"accepted: {', '.join(FORMATS)}"
            raise UsageError("is no batch format", field="--emit", value=self.name, hint=hint)

    def check(self, page: Page) -> None:
        """Refuse a page for which no request can be made, before anything is packed.

        Raises
        ------
        UsageError
            It names no model.
        """
        if page.options.model is None:
            hint = "name one with 'model' in the task or the defaults"
            raise UsageError(
                f"the task {page.id!r} names no model to send its request to", field="--emit", hint=hint
            )

    def text(self, page: Page, result: PackResult) -> str:
        """Return the request of a page as a line of JSON."""
        model = page.options.model or ""
        answer = self.answer_tokens or find_profile(model).default_output_reserve
        prompt = request_of(result.context, result.problem, FORMATS[self.name].shape).data
        name = custom_id(page.id)
        request: dict[str, Any]
        if self.name == "openai-batch":
            body = {"model": model, "max_completion_tokens": answer, **prompt}
            request = {"custom_id": name, "method": "POST", "url": "/v1/chat/completions", "body": body}
        else:
            request = {"custom_id": name, "params": {"model": model, "max_tokens": answer, **prompt}}
        return json.dumps(request, ensure_ascii=False, separators=(",", ":")) + "\n"


def custom_id(page: str) -> str:
    """Return the id of a page's request, its own: letters, digits, ``_`` and ``-``, 64 at most."""
    name = _PLAIN.sub("-", page).strip("-")
    if name == page and len(name) <= _LONGEST_ID:
        return name
    mark = hashlib.sha256(page.encode("utf-8", "surrogatepass")).hexdigest()[:_MARK]
    return f"{name[: _LONGEST_ID - _MARK - 1]}-{mark}".lstrip("-")


def write_requests(
    folder: Path,
    records: Iterable[PageRecord],
    name: str,
    *,
    most_requests: int | None = None,
    most_bytes: int | None = None,
) -> tuple[Path, ...]:
    """Write the requests of all pages that are done into as many files as the limits ask for.

    Parameters
    ----------
    most_requests, most_bytes
        Instead of what a file of the format may hold.

    Returns
    -------
    tuple
        The files, in order: ``openai-batch-001.jsonl`` and so on. Those of an earlier run are replaced.

    Raises
    ------
    InfeasibleError
        One request is larger than a file may be.
    FileError
        A file cannot be read or written.
    """
    rule = FORMATS[name]
    requests, size = most_requests or rule.most_requests, most_bytes or rule.most_bytes
    parts: list[Path] = []
    held, taken, model = 0, 0, ""
    out: BinaryIO | None = None
    try:
        for record, line in _lines(folder, records):
            if len(line) > size:
                raise InfeasibleError(
                    f"the request of {record.task!r} holds {len(line)} bytes of the {size} of a whole file",
                    code="request_too_large",
                    field="--emit",
                    value=name,
                    hint="give the task a smaller budget",
                )
            own = json.loads(line)["body"]["model"] if rule.one_model else ""
            if out is None or held == requests or taken + len(line) > size or own != model:
                if out is not None:
                    _close(out, parts[-1])
                parts.append(folder / f"{name}-{len(parts) + 1:03d}.jsonl")
                out = _temporary(parts[-1]).open("wb")
                held, taken, model = 0, 0, own
            out.write(line)
            held, taken = held + 1, taken + len(line)
        if out is not None:
            _close(out, parts[-1])
        for old in folder.glob(f"{name}-*.jsonl"):
            if old not in parts:
                old.unlink()
    except OSError as error:
        hint = "run the batch again with --emit, without --resume"
        raise FileError(f"cannot be used: {error.strerror}", file=str(error.filename), hint=hint) from None
    return tuple(parts)


def _lines(folder: Path, records: Iterable[PageRecord]) -> Iterator[tuple[PageRecord, bytes]]:
    for record in records:
        if record.is_done:
            yield record, (folder / record.output / REQUEST).read_bytes()


def _temporary(path: Path) -> Path:
    return path.with_name(f".{path.name}.tmp")


def _close(out: BinaryIO, path: Path) -> None:
    out.flush()
    os.fsync(out.fileno())
    out.close()
    _temporary(path).replace(path)
