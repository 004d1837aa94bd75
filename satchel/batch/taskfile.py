"""The tasks file of a batch: what is to be packed, with defaults, and globs that stand for many tasks."""

from __future__ import annotations

from pathlib import Path, PurePosixPath
from typing import Annotated, Any, ClassVar, Final, Literal, Self, get_args

from pydantic import AfterValidator, BeforeValidator, Field, model_validator
from pydantic_core import PydanticCustomError

from ..models import BudgetZone, InputError, Model, SchemaError, UsageError
from ..models.base import Flag, Listed, NonEmpty, NonNegative, Score
from ..models.policy import Selector
from ..sources.tokens import parse_tokens
from .documents import read_document

Each = Literal["operation", "module", "package"]
EACH: Final = get_args(Each)
"""What a glob makes a task of: an operation of an API description, a file of source, a folder of source."""

FIELDS: Final = ("name", "path", "stem", "title", "package")
"""What ``{…}`` may stand for in the texts of a glob."""


def _tokens(value: Any) -> Any:
    if isinstance(value, bool) or not isinstance(value, str | int):
        raise PydanticCustomError("tokens", "is not a number of tokens", {"hint": "such as 8k or 8000"})
    try:
        return parse_tokens(value)
    except UsageError as error:
        raise PydanticCustomError("tokens", "{why}", {"why": error.message, "hint": error.hint}) from None


def _below(text: str) -> str:
    path = PurePosixPath(text)
    if path.is_absolute() or ".." in path.parts or "\\" in text or "\0" in text or not path.parts:
        hint = "give a path below the output folder, such as pages/links"
        raise PydanticCustomError("output", "is no place below the output folder", {"hint": hint})
    return str(path)


Size = Annotated[int, BeforeValidator(_tokens)]
"""Tokens, as a number or a text such as ``8k``."""

Below = Annotated[NonEmpty, AfterValidator(_below)]
"""A relative path that leads nowhere else."""


class PolicyChange(Model):
    """Rules on top of those of the kind of task: lists add to its lists, numbers replace its numbers."""

    must_include: Annotated[tuple[Selector, ...], Listed] = ()
    should_include: Annotated[tuple[Selector, ...], Listed] = ()
    could_include: Annotated[tuple[Selector, ...], Listed] = ()
    must_exclude: Annotated[tuple[Selector, ...], Listed] = ()
    should_include_bonus: NonNegative | None = None
    risk_ceiling: Score | None = None
    required_risk_ceiling: Score | None = None


class Settings(Model):
    """What a task may state, and ``defaults`` for all tasks that do not."""

    repo: NonEmpty | None = Field(default=None, description="folder to read, relative to the tasks file")
    kind: NonEmpty | None = None
    title: str | None = None
    about: str | None = None
    outline: Annotated[tuple[str, ...], Listed] | None = None
    focus: Annotated[tuple[NonEmpty, ...], Listed] | None = None
    budget: Size | None = None
    model: NonEmpty | None = None
    encoding: NonEmpty | None = None
    tokenizer: NonEmpty | None = Field(default=None, description="tokenizer.json, relative to the tasks file")
    approximate: Flag | None = None
    format: Literal["markdown", "xml", "plain", "json"] | None = None
    order: Literal["stable-first", "as-given"] | None = None
    volatile: Annotated[tuple[NonEmpty, ...], Listed] | None = None
    zones: Annotated[tuple[BudgetZone, ...], Listed] | None = Field(
        default=None, description="instead of the zones of these names that the kind of task has"
    )
    policy: PolicyChange | None = None


class TaskEntry(Settings):
    """One task, or with ``each`` a glob that expands into tasks.

    In the texts of a glob, ``{name}``, ``{path}``, ``{stem}``, ``{title}`` and ``{package}`` stand for what
    was found.
    """

    id: NonEmpty | None = Field(default=None, description="by default made of repo, kind and words")
    output: Below | None = Field(default=None, description="folder below the output folder")
    each: Each | None = None
    paths: Annotated[tuple[NonEmpty, ...], Listed] | None = Field(
        default=None, description="globs that say where 'each' looks; !GLOB takes back; everywhere by default"
    )

    @model_validator(mode="after")
    def _globs_go_together(self) -> Self:
        if self.paths is not None and self.each is None:
            raise PydanticCustomError(
                "each",
                "goes with a glob only",
                {
                    "field": "paths",
                    "value": list(self.paths),
                    "hint": f"add each: {', '.join(EACH)}",
                },
            )
        if self.each is not None:
            for field in ("id", "output"):
                text = getattr(self, field)
                if text is not None and not any(f"{{{name}}}" in text for name in FIELDS):
                    hint = "let it tell the tasks apart: use {name}, {path} or {stem} in it"
                    raise PydanticCustomError(
                        "each",
                        "is the same for all tasks of the glob",
                        {"field": field, "value": text, "hint": hint},
                    )
        return self


class TaskFile(Model):
    """A batch: tasks, in the order in which the manifest lists them, and their defaults."""

    SCHEMA: ClassVar[str] = "batch-tasks.v1"

    schema_version: Literal["batch-tasks.v1"] = "batch-tasks.v1"
    repo: NonEmpty = Field(default=".", description="folder to read, relative to the tasks file")
    defaults: Settings = Settings()
    tasks: Annotated[tuple[TaskEntry, ...], Listed]


def read_tasks(path: str | Path) -> tuple[TaskFile, dict[int, int]]:
    """Read a tasks file.

    Returns
    -------
    TaskFile, dict
        The tasks, and the line of each by its index, where it is known.

    Raises
    ------
    UsageError, FileError, SchemaError
        Name file, line, field, value, and what would be accepted.
    """
    place = Path(path)
    document = read_document(place)
    try:
        tasks = TaskFile.from_data(document.data, file=str(path))
    except InputError as error:
        error.line = error.line or document.line(error.field)
        raise
    if not tasks.tasks:
        hint = "list at least one task under 'tasks'"
        raise SchemaError("holds no task", code="empty_file", file=str(path), field="tasks", hint=hint)
    found = {i: document.line(f"tasks[{i}]") for i in range(len(tasks.tasks))}
    return tasks, {i: line for i, line in found.items() if line is not None}
