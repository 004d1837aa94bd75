"""What a project says of its own tasks: ``satchel.toml``, or ``[tool.satchel]`` in ``pyproject.toml``.

``rules`` holds for every kind of task, ``tasks.NAME`` for one: an own kind, or one that there is. Both are
written as the files of the kinds are (:mod:`.kinds`); what they do not say stays as it is below them.
``add`` appends to a list where another key would replace it. ``profiles.NAME`` are named sets of options.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Annotated, Any, Final

from pydantic import Field

from ...models import Model, SchemaError, UsageError
from ...models.errors import FileError
from .kinds import TaskKind, kind_data, merged, task_kinds

FILE: Final = "satchel.toml"
PROJECT_FILE: Final = "pyproject.toml"

_AT_LINE: Final = re.compile(r" \(at line (\d+), column \d+\)$")
_NAME: Final = re.compile(r"[a-z0-9]+(?:[-_.][a-z0-9]+)*")
_PLAIN: Final = "overview"
"""The kind that an own one is based on unless it says another: its own words and rules come on top."""

Value = bool | int | float | str
Profile = dict[str, Value | Annotated[tuple[Value, ...], Field(strict=False)]]
"""Options by their long names without the dashes."""

Table = dict[str, Any]


class Settings(Model):
    """A project's own kinds of task, rules and profiles.

    Attributes
    ----------
    file
        Where they stand; empty where there are none.
    """

    tasks: dict[str, Table] = Field(default_factory=dict)
    rules: Table = Field(default_factory=dict)
    profiles: dict[str, Profile] = Field(default_factory=dict)
    file: str = ""

    @property
    def names(self) -> tuple[str, ...]:
        """The names of all kinds of task, sorted."""
        return tuple(sorted({*task_kinds(), *self.tasks}))

    def kind(self, name: str) -> TaskKind:
        """Return the kind of task called ``name``.

        Raises
        ------
        UsageError
            There is none; the error lists those that there are.
        """
        if name not in self.names:
            hint = f"accepted: {', '.join(self.names)}"
            raise UsageError("unknown kind of task", field="task.kind", value=name, hint=hint)
        return _kind(self.to_json(), name)

    def data(self, name: str, above: tuple[str, ...] = ()) -> Table:
        """Return what makes a kind: its base, then the rules, then its own table."""
        own = dict(self.tasks.get(name, {}))
        base = own.pop("base", None)
        if name in task_kinds() and base is None:
            below = _with(kind_data(name), self.rules)
        else:
            base = _PLAIN if base is None else base
            self._check_base(name, base, above)
            below = self.data(base, (*above, name))
            below.pop("name", None)
        return _with({**below, "name": name}, own)

    def _check_base(self, name: str, base: object, above: tuple[str, ...]) -> None:
        field = f"tasks.{name}.base"
        if base not in self.names or not isinstance(base, str):
            hint = f"accepted: {', '.join(self.names)}"
            raise SchemaError("no such kind of task", file=self.file, field=field, value=base, hint=hint)
        if base in (*above, name):
            hint = "base it on a kind that does not rest on it"
            raise SchemaError("rests on itself", file=self.file, field=field, value=base, hint=hint)

    def checked(self) -> Settings:
        """Return them once every kind is sound; raises ``SchemaError`` with the place of the first fault."""
        for name in self.tasks:
            if not _NAME.fullmatch(name):
                hint = "use small letters, digits and single hyphens"
                raise SchemaError(
                    "is no name of a task", file=self.file, field="tasks", value=name, hint=hint
                )
        if self.rules:
            self._built(_PLAIN, _with(kind_data(_PLAIN), self.rules), "rules")
        for name in sorted(self.tasks):
            self._built(name, self.data(name), f"tasks.{name}")
        return self

    def _built(self, name: str, data: Table, place: str) -> TaskKind:
        try:
            return TaskKind.from_data({**data, "name": name}, file=self.file or None)
        except SchemaError as error:
            error.field = f"{place}.{error.field}" if error.field else place
            raise


@lru_cache(maxsize=64)
def _kind(settings: str, name: str) -> TaskKind:
    own = Settings.from_json(settings)
    return own._built(name, own.data(name), f"tasks.{name}")


def read_settings(folder: Path) -> Settings:
    """Return what the files of a folder say, checked; nothing where they say nothing.

    Raises
    ------
    FileError
        A file cannot be read.
    SchemaError
        Names the file, the line or field, the value and what would be accepted.
    UsageError
        Both files say something.
    """
    own, project = _loaded(folder / FILE), _loaded(folder / PROJECT_FILE)
    tool = project.get("tool", {}) if project is not None else {}
    beside = tool.get("satchel") if isinstance(tool, Mapping) else None
    if own is not None and beside is not None:
        raise UsageError(
            f"{FILE} and [tool.satchel] in {PROJECT_FILE} both hold settings",
            code="two_settings",
            file=str(folder / FILE),
            hint="keep one of them",
        )
    if own is None and beside is None:
        return Settings()
    file = FILE if own is not None else PROJECT_FILE
    data = own if own is not None else beside
    if not isinstance(data, Mapping):
        raise SchemaError("should be a table", file=file, field="tool.satchel", value=data)
    if "file" in data:
        hint = "accepted: profiles, rules, tasks"
        raise SchemaError("unknown field", file=file, field="file", value=data["file"], hint=hint)
    return Settings.from_data({**data, "file": file}, file=file).checked()


def _loaded(path: Path) -> Table | None:
    try:
        text = path.read_bytes()
    except (FileNotFoundError, NotADirectoryError, IsADirectoryError):
        return None
    except OSError as error:
        raise FileError(f"cannot be read: {error.strerror}", file=str(path)) from None
    try:
        return tomllib.loads(text.removeprefix(b"\xef\xbb\xbf").decode("utf-8"))
    except UnicodeDecodeError:
        raise SchemaError("is not UTF-8, as TOML is", file=str(path)) from None
    except tomllib.TOMLDecodeError as error:
        # A project file that others write is not ours to judge, and says nothing then.
        if path.name == PROJECT_FILE:
            return None
        found = _AT_LINE.search(str(error))
        message = f"is not TOML: {_AT_LINE.sub('', str(error))}"
        raise SchemaError(message, file=str(path), line=int(found[1]) if found else None) from None


def _with(below: Mapping[str, Any], above: Mapping[str, Any]) -> Table:
    """Return ``below`` with what ``above`` says, whose ``add`` is appended."""
    own = dict(above)
    added = own.pop("add", None)
    out = merged(below, own)
    return out if added is None else _added(out, added)


def _added(below: Mapping[str, Any], added: object) -> Table:
    if not isinstance(added, Mapping):
        return {**below, "add": added}  # no table: the model refuses it by its name
    out = dict(below)
    for key, value in added.items():
        old = out.get(key)
        if isinstance(value, Mapping):
            out[key] = _added(old if isinstance(old, Mapping) else {}, value)
        elif isinstance(value, Sequence) and not isinstance(value, str) and isinstance(old, Sequence | None):
            out[key] = _together([*(old or ()), *value])
        else:
            out[key] = value
    return out


def _together(entries: Sequence[Any]) -> list[Any]:
    """Return a list in which rules of the same name (of one coverage dimension) are joined."""
    out: list[Any] = []
    places: dict[str, int] = {}
    for entry in entries:
        name = entry.get("name") if isinstance(entry, Mapping) else None
        if not isinstance(name, str):
            out.append(entry)
        elif name in places and isinstance(entry.get("rules"), list):
            before = out[places[name]]
            out[places[name]] = {**before, **entry, "rules": [*before.get("rules", ()), *entry["rules"]]}
        else:
            places[name] = len(out)
            out.append(entry)
    return out
