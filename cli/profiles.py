"""Named sets of options: ``[profiles.NAME]`` of the settings of the folder that one stands in (L03)."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import typer

_NEVER = frozenset({"profile", "no-config", "help", "json", "force"})
"""Options that belong to a run, not to a project."""


def apply(context: typer.Context, name: str | None) -> str | None:
    """Let the options of a profile hold where the command line does not say them itself.

    Raises
    ------
    SchemaError, UsageError
        There is no such profile, or it names what is no option, or gives it a value of another kind.
    """
    if name is None:
        return None
    from .. import UsageError, read_settings

    settings = read_settings(Path())
    profile = settings.profiles.get(name)
    if profile is None:
        known = (
            ", ".join(sorted(settings.profiles)) or "none: there is no [profiles.NAME] in satchel.toml here"
        )
        raise UsageError("there is no such profile", field="--profile", value=name, hint=f"accepted: {known}")
    options = _options(context)
    others = {} if context.parent is None else _options_of_pack(context)
    defaults: dict[str, Any] = {}
    for key, value in profile.items():
        place = f"profiles.{name}.{key}"
        if key not in options and key not in others:
            raise _fault("is no option", settings.file, place, key, f"accepted: {', '.join(sorted(options))}")
        if key in options:
            defaults[str(options[key].name)] = _fitting(options[key], value, settings.file, place)
    context.default_map = {**(context.default_map or {}), **defaults}
    return name


def _options(context: typer.Context) -> dict[str, Any]:
    return _by_name(context.command.params)


def _options_of_pack(context: typer.Context) -> dict[str, Any]:
    """Return the options of the main command: a profile for it serves the others for what they have of it."""
    group = context.parent.command if context.parent else None
    found = getattr(group, "commands", {}).get("pack")
    return _by_name(found.params) if found is not None else {}


def _by_name(params: Sequence[Any]) -> dict[str, Any]:
    named = {spelled[2:]: param for param in params for spelled in param.opts if spelled.startswith("--")}
    return {name: param for name, param in named.items() if name not in _NEVER}


def _fitting(option: Any, value: object, file: str, place: str) -> object:
    """Return the value as the parser of the command line takes it."""
    is_flag = bool(getattr(option, "is_flag", False))
    wanted = "true or false" if is_flag else "a list of texts" if option.multiple else "a text or a number"
    if is_flag != isinstance(value, bool) or bool(option.multiple) != isinstance(value, tuple):
        raise _fault(f"should be {wanted}", file, place, value, "give it as the option takes it")
    if isinstance(value, tuple):
        return [str(part) for part in value]
    return value if isinstance(value, bool) else str(value)


def _fault(message: str, file: str, place: str, value: object, hint: str) -> Exception:
    from .. import InputError

    return InputError(message, code="schema", file=file, field=place, value=value, hint=hint)
