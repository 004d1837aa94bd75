"""Reads JSON strictly: UTF-8, each key once, no numbers that JSON does not have; errors name the place.

The standard library's parser is used for its hooks: pydantic's own keeps the last of two equal keys unseen,
and refuses the half characters that broken encoders write.
"""

from __future__ import annotations

import gc
import json
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from math import isfinite
from typing import Any, Final

from .errors import SchemaError

_LONE_SURROGATE: Final = re.compile("[\ud800-\udfff]")
_SURROGATE_ESCAPE: Final = re.compile(r"\\u[dD][89a-fA-F]")


@contextmanager
def collector_paused() -> Iterator[None]:
    """Pause the cyclic garbage collector: 100,000 units are half as slow to build, and hold no cycles."""
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            # What was built is made old at once: else the next object that is made would have the collector
            # look through all of it.
            gc.freeze()
            gc.unfreeze()
            gc.enable()


def without_surrogates(text: str) -> str:
    """Return ``text`` with U+FFFD for each lone surrogate, which no encoding can write."""
    return text if text.isascii() else _LONE_SURROGATE.sub("\ufffd", text)


def load_json(text: str | bytes, *, file: str | None = None, line: int | None = None) -> Any:
    """Return the data of a JSON text; a byte order mark is skipped.

    Half characters (``"\\ud800"`` alone) become U+FFFD; the unit that held them says so in its diagnostics.

    Raises
    ------
    SchemaError
        The text is empty, no UTF-8, no JSON, or names a key twice in one object.
    """
    text = _decoded(text, file, line).removeprefix("\ufeff")
    if not text.strip():
        raise SchemaError(
            "is empty", file=file, line=line, code="empty_file", hint="a JSON object is expected"
        )
    try:
        return _checked(text, file, line)
    except json.JSONDecodeError as error:
        raise SchemaError(
            f"is not JSON: {error.msg[:1].lower()}{error.msg[1:]}, column {error.colno}",
            file=file,
            line=error.lineno if line is None else line,
            code="not_json",
        ) from None
    except RecursionError:
        raise SchemaError("is nested too deeply", file=file, line=line, code="not_json") from None
    except ValueError:  # CPython's limit against slow conversions
        raise SchemaError(
            "holds a whole number of thousands of digits", file=file, line=line, code="not_json"
        ) from None


def _checked(text: str, file: str | None, line: int | None) -> Any:
    hooks = _Hooks()
    data = json.loads(text, object_pairs_hook=hooks.pairs, parse_constant=hooks.constant)
    if hooks.repeated:
        field, node = next(_find(data, "", lambda node: isinstance(node, _Repeated)))
        key: str = node.key
        raise SchemaError(
            "the key is given twice",
            file=file,
            line=line,
            code="duplicate_key",
            field=f"{field}.{key}".removeprefix("."),
            value=key,
            hint="keep one of the two",
        )
    if hooks.constants:
        field, number = next(_find(data, "", lambda node: isinstance(node, float) and not isfinite(node)))
        raise SchemaError("must be a finite number", file=file, line=line, field=field, value=number)
    if _SURROGATE_ESCAPE.search(text) or _LONE_SURROGATE.search(text):
        data = _mended(data)
    return data


class _Repeated(dict[str, Any]):
    """An object of the text that names ``key`` twice."""

    key: str


class _Hooks:
    """What the parser meets and JSON does not have."""

    def __init__(self) -> None:
        self.repeated = False
        self.constants = False

    def pairs(self, pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        """Return the object of ``pairs``, marked when a key comes twice."""
        data = dict(pairs)
        if len(data) == len(pairs):
            return data
        self.repeated = True
        marked, keys = _Repeated(data), [key for key, _ in pairs]
        marked.key = next(key for key in keys if keys.count(key) > 1)
        return marked

    def constant(self, name: str) -> float:
        """Return NaN or an infinity, and remember that there was one."""
        self.constants = True
        return float(name)


def _find(data: Any, path: str, wanted: Callable[[Any], bool]) -> Iterator[tuple[str, Any]]:
    """Yield (path, node) of the parts of ``data`` that are ``wanted``."""
    if wanted(data):
        yield path, data
    if isinstance(data, dict):
        for key, value in data.items():
            yield from _find(value, f"{path}.{key}".removeprefix("."), wanted)
    elif isinstance(data, list):
        for index, value in enumerate(data):
            yield from _find(value, f"{path}[{index}]", wanted)


def _decoded(text: str | bytes, file: str | None, line: int | None) -> str:
    if isinstance(text, str):
        return text
    try:
        return text.decode("utf-8")
    except UnicodeDecodeError as error:
        raise SchemaError(
            f"is not JSON: no UTF-8 text, {error.reason} at byte {error.start}",
            file=file,
            line=text.count(b"\n", 0, error.start) + 1 if line is None else line,
            code="not_json",
            hint="save it as UTF-8",
        ) from None


def _mended(data: Any) -> Any:
    """Return ``data`` without lone surrogates; units of a problem, or a unit by itself, note how many."""
    units = data.get("units") if isinstance(data, dict) else None
    if isinstance(units, list):
        return {
            **{key: _replaced(value)[0] for key, value in data.items()},
            "units": [_unit(u) for u in units],
        }
    return _unit(data)


def _unit(data: Any) -> Any:
    data, count = _replaced(data)
    notes = data.get("diagnostics", []) if isinstance(data, dict) else None
    if count and isinstance(notes, list) and "id" in data:
        halves = "1 lone surrogate was" if count == 1 else f"{count} lone surrogates were"
        data["diagnostics"] = [*notes, f"{halves} replaced by U+FFFD"]
    return data


def _replaced(data: Any) -> tuple[Any, int]:
    if isinstance(data, str):
        return _LONE_SURROGATE.subn("\ufffd", data)
    if isinstance(data, dict):
        parts = {key: _replaced(value) for key, value in data.items()}
        return {without_surrogates(key): part for key, (part, _) in parts.items()}, _total(parts.values())
    if isinstance(data, list):
        items = [_replaced(value) for value in data]
        return [item for item, _ in items], _total(items)
    return data, 0


def _total(parts: Any) -> int:
    return sum(count for _, count in parts)
