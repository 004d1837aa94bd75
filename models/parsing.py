"""Turns pydantic's validation errors into one clear error: file, field, value, and what would be accepted."""

from __future__ import annotations

import difflib
import json
import types
from collections.abc import Iterator
from hashlib import sha256
from typing import Annotated, Any, Union, get_args, get_origin

from pydantic import BaseModel, ValidationError

from .errors import EnvelopeError, InputError, PolicyError, SchemaError, UnknownReferenceError
from .reading import without_surrogates

_CLASSES: dict[str, type[InputError]] = {
    "envelope": EnvelopeError,
    "policy": PolicyError,
    "unknown_reference": UnknownReferenceError,
}

# pydantic wording that says nothing of what would work; ours does.
_WORDING = {
    "missing": "is required",
    "extra_forbidden": "is not a known field",
    "finite_number": "must be a finite number",
    "int_type": "must be a whole number",
    "int_from_float": "must be a whole number",
    "int_parsing": "must be a whole number",
    "float_type": "must be a number",
    "bool_type": "must be true or false",
    "string_type": "must be a text",
    "string_too_short": "must not be empty",
    "tuple_type": "must be a list",
    "dict_type": "must be an object",
    "model_type": "must be an object",
    "less_than_equal": "must be at most {le}",
    "greater_than_equal": "must be at least {ge}",
    "greater_than": "must be above {gt}",
}


def schema_error(
    error: ValidationError,
    model: type[BaseModel],
    *,
    file: str | None = None,
    line: int | None = None,
) -> InputError:
    """Return the first problem of ``error`` as an error of our tree; the others are in its ``data``."""
    problems = error.errors(include_url=False, include_input=True)
    first = problems[0]
    kind, loc, context = first["type"], _plain(first["loc"]), first.get("ctx") or {}
    field = field_path(loc)
    if "field" in context:
        field = f"{field}.{context['field']}" if field else str(context["field"])
    message = _lower_first(first["msg"])
    if kind in _WORDING:
        bounds = {k: f"{v:.15g}" if isinstance(v, float) else v for k, v in context.items()}
        message = _WORDING[kind].format(**bounds)
    hint = str(context["hint"]) if "hint" in context else _hint(kind, model, loc, context)
    value = context.get("value", None if kind in ("missing", *_CLASSES) else first.get("input"))
    if field == "schemaVersion":
        schema = str(getattr(model, "SCHEMA", ""))
        hint = f"this version of Satchel reads {schema}"
        if kind == "missing":
            hint = f'add "schemaVersion": "{schema}" to it, if that is what it holds'
        else:
            message = "unknown schema version"
    if kind == "extra_forbidden":
        value = loc[-1]
    elif kind.endswith("_type") and first.get("input") is None:
        message += ", not null"
    cls = _CLASSES.get(kind, SchemaError)
    rest = [f"{field_path(_plain(p['loc']))}: {_lower_first(p['msg'])}" for p in problems[1:20]]
    facts: dict[str, Any] = {"problems": len(problems)}
    if rest:
        facts["alsoWrong"] = rest
        message += f" (and {len(problems) - 1} more)"
    return cls(message, file=file, line=line, field=field or None, value=value, hint=hint, data=facts)


def field_path(loc: tuple[int | str, ...]) -> str:
    """Return a pydantic location as a path: ``("units", 3, "zone")`` becomes ``units[3].zone``."""
    path = ""
    for part in loc:
        if isinstance(part, int):
            path += f"[{part}]"
        else:
            path += f".{part}" if path else part
    return path


def _plain(loc: tuple[int | str, ...]) -> tuple[int | str, ...]:
    # pydantic marks an error in a key, rather than in its value, in the location.
    return tuple(part for part in loc if part != "[key]")


def _lower_first(message: str) -> str:
    message = message.removeprefix("Input ").removeprefix("Value error, ")
    return message[:1].lower() + message[1:]


def _hint(
    kind: str, model: type[BaseModel], loc: tuple[int | str, ...], context: dict[str, Any]
) -> str | None:
    if kind == "extra_forbidden":
        owner = _owner(model, loc[:-1])
        if owner is None:
            return None
        known = sorted(f.alias or n for n, f in owner.model_fields.items())
        close = difflib.get_close_matches(str(loc[-1]), known, n=1, cutoff=0.7)
        return f"did you mean {close[0]!r}?" if close else f"known fields: {', '.join(known)}"
    if kind in ("less_than_equal", "greater_than_equal") and "Score" in str(loc[-1:]):
        return "scores are between 0 and 1"
    if kind in ("int_type", "int_from_float", "int_parsing", "greater_than_equal") and context.get("ge") in (
        None,
        0,
    ):
        return "accepted: whole numbers, 0 or more" if kind != "greater_than_equal" else None
    return None


def _owner(model: type[BaseModel], loc: tuple[int | str, ...]) -> type[BaseModel] | None:
    """Return the model class at ``loc`` below ``model``, or None where the path leaves the models."""
    current: type[BaseModel] | None = model
    for part in loc:
        if isinstance(part, int) or current is None:
            continue
        field = next((f for n, f in current.model_fields.items() if part in (n, f.alias)), None)
        if field is None:
            return None
        current = next(_models_in(field.annotation), None)
    return current


def _models_in(annotation: Any) -> Iterator[type[BaseModel]]:
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        yield annotation
    elif get_origin(annotation) in (Union, types.UnionType, Annotated, tuple, list, dict):
        for arg in get_args(annotation):
            yield from _models_in(arg)


def canonical_json(data: Any) -> str:
    """Return JSON with sorted keys and no spaces: the text that digests are taken of."""
    return json.dumps(data, sort_keys=True, separators=(",", ":"), ensure_ascii=False)


def content_hash(data: Any) -> str:
    """Return ``sha256:`` and the hex digest of the canonical JSON of ``data``, as a file would hold it."""
    text = without_surrogates(canonical_json(data))
    return "sha256:" + sha256(text.encode("utf-8")).hexdigest()
