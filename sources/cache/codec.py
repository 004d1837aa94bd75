"""Fragments as bytes and back: JSON, so that no content of a cache file can do more than be wrong.

A fragment's text is mostly a run of lines of its file, and is written as the place of its first and last
character there. zlib's fastest level divides the size by three and costs less than reading the rest would.
"""

from __future__ import annotations

import zlib
from collections.abc import Sequence
from dataclasses import fields
from typing import Any, Final

from pydantic_core import from_json, to_json

from ...models import State
from ..candidates import Content
from ..extract import Form, Fragment, Span
from ..score.risk import Finding

_LEVEL: Final = 1
_STATES: Final = {state.value: state for state in State}

# Fields are written in the order of the classes, so that one that is added later is kept, too. Lists are
# read as tuples; a field of another shape needs a line of its own here.
_FIELDS: Final = tuple(field.name for field in fields(Fragment))
_TEXT: Final = _FIELDS.index("text")
_SPANS: Final = _FIELDS.index("spans")
_FORMS: Final = _FIELDS.index("forms")
_FORM_FIELDS: Final = tuple(field.name for field in fields(Form))
_FORM_STATE: Final = _FORM_FIELDS.index("state")
_FORM_SPANS: Final = _FORM_FIELDS.index("spans")


def pack_bytes(data: Any) -> bytes:
    """Return JSON data as compressed bytes."""
    return zlib.compress(to_json(data), _LEVEL)


def unpack_bytes(data: bytes) -> Any:
    """Return the data of :func:`pack_bytes`; raises ``ValueError`` when they are damaged."""
    try:
        return from_json(zlib.decompress(data), cache_strings="keys")
    except zlib.error as error:
        raise ValueError(str(error)) from None


def encode(content: Content) -> bytes:
    """Return what a text was cut into as bytes."""
    findings = [[[found.rule, found.line] for found in part] for part in (content.secrets, content.speeches)]
    fragments = [_fragment(content.text, part) for part in content.fragments]
    return pack_bytes([content.text, content.lines, fragments, content.notes, findings])


def decode(data: bytes) -> Content:
    """Undo :func:`encode`; raises ``ValueError`` when the bytes are damaged."""
    try:
        text, lines, fragments, notes, findings = unpack_bytes(data)
        secrets, speeches = [tuple([Finding(*found) for found in part]) for part in findings]
        parts = tuple([_restored(text, part) for part in fragments])
        return Content(text, lines, parts, tuple(notes), secrets, speeches)
    except (TypeError, LookupError, AttributeError, RecursionError, ValueError) as error:
        raise ValueError(f"is not what was written: {error}") from None


def _fragment(text: str, part: Fragment) -> list[Any]:
    at = text.find(part.text)
    values = {name: getattr(part, name) for name in _FIELDS}
    values["text"] = part.text if at < 0 else [at, at + len(part.text)]
    values["spans"] = _flat(part.spans)
    values["forms"] = [_form(form) for form in part.forms]
    return list(values.values())


def _form(form: Form) -> list[Any]:
    values = {name: getattr(form, name) for name in _FORM_FIELDS}
    return list({**values, "state": form.state.value, "spans": _flat(form.spans)}.values())


def _restored(text: str, written: list[Any]) -> Fragment:
    values: list[Any] = [tuple(value) if type(value) is list else value for value in written]
    own = written[_TEXT]
    if type(own) is list:
        values[_TEXT] = text[own[0] : own[1]]
    values[_SPANS] = _spans(written[_SPANS])
    values[_FORMS] = tuple([_restored_form(form) for form in written[_FORMS]])
    return Fragment(*values)


def _restored_form(written: list[Any]) -> Form:
    written[_FORM_STATE] = _STATES[written[_FORM_STATE]]
    written[_FORM_SPANS] = _spans(written[_FORM_SPANS])
    return Form(*written)


def _flat(spans: Sequence[Span]) -> list[int]:
    return [line for span in spans for line in (span.start, span.end)]


def _spans(flat: list[int]) -> tuple[Span, ...]:
    return tuple([Span(flat[i], flat[i + 1]) for i in range(0, len(flat), 2)])
