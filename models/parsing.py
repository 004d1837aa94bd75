"""Turns pydantic's validation errors into one clear error: file, field, value, and what would be accepted."""

from __future__ import annotations

import difflib
import json
import re
import types
from collections.abc import Iterator
from typing import Annotated, Any, Union, get_args, get_origin

from pydantic import BaseModel, ValidationError

from .errors import EnvelopeError, InputError, PolicyError, SchemaError, UnknownReferenceError

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
}


def schema_error(
    error: ValidationError,
    model: type[BaseModel],
    *,
    text: str | bytes | None = None,
    file: str | None = None,
    line: int | None = None,
) -> InputError:
    """Return the first problem of ``error`` as an error of our tree; the others are in its ``data``."""
    problems = error.errors(include_url=False, include_input=True)
    first = problems[0]
    kind, loc, context = first["type"], _plain(first["loc"]), first.get("ctx") or {}
    if kind == "json_invalid":
        return _not_json(str(first.get("msg", "")), text, file, line)
    field = field_path(loc)
    if "field" in context:
        field = f"{field}.{context['field']}" if field else str(context["field"])
    message = _WORDING.get(kind) or _lower_first(first["msg"])
    hint = str(context["hint"]) if "hint" in context else _hint(kind, model, loc, context)
    value = context.get("value", None if kind in ("missing", *_CLASSES) else first.get("input"))
    if field == "schemaVersion":
        schema = str(getattr(model, "SCHEMA", ""))
        message, hint = "unknown schema version", f"this version of Satchel reads {schema}"
    if kind == "extra_forbidden":
        value = loc[-1]
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
    # pydantic puts union branches and validator names in the location.
    noise = re.compile(
        r"^(function-\w+\[.*\]|constrained-\w+|str|int|float|bool|dict\[.*\]|tuple\[.*\]|list\[.*\]|\[key\])$"
    )
    return tuple(
        part for part in loc if isinstance(part, int) or not (noise.match(part) or part[:1].isupper())
    )


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


def _not_json(message: str, text: str | bytes | None, file: str | None, line: int | None) -> SchemaError:
    raw = text.encode("utf-8", "surrogatepass") if isinstance(text, str) else (text or b"")
    if not raw.strip():
        return SchemaError(
            "is empty", file=file, line=line, code="empty_file", hint="a JSON object is expected"
        )
    if raw.startswith(b"\xef\xbb\xbf"):
        hint = "remove the byte order mark and save as plain UTF-8"
        return SchemaError("is not plain JSON", file=file, line=line, code="not_json", hint=hint)
    where = re.search(r"at line (\d+) column (\d+)", message)
    reason = re.sub(r"^Invalid JSON: | at line \d+ column \d+$", "", message)
    if where and line is None:
        line = int(where[1])
    column = f", column {where[2]}" if where else ""
    return SchemaError(f"is not JSON: {reason}{column}", file=file, line=line, code="not_json")


def canonical_json(data: Any) -> str:
    """Return JSON with sorted keys and no spaces: the text that digests are taken of."""
    return json.dumps(data, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
