"""From the entries of a tasks file to pages: one task each, with its options and its place."""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path, PurePosixPath
from typing import Any, Final

from ..exits import clean_task
from ..models import BudgetZone, PackingPolicy, SchemaError, Task, UsageError
from ..models.globs import path_glob
from ..packing import PackOptions
from ..sources.file_classes import FileClass
from ..sources.languages import ROLES, Role
from ..sources.scan import Survey
from .names import safe_name, unique_names
from .taskfile import FIELDS, PolicyChange, Settings, TaskEntry, TaskFile

_FIELD: Final = re.compile(r"\{(" + "|".join(FIELDS) + r")\}")
_ID_CHARS: Final = re.compile(r"([*?\[\\])")
_LISTS: Final = ("must_include", "should_include", "could_include", "must_exclude")


@dataclass(frozen=True)
class Page:
    """One page of a batch.

    Attributes
    ----------
    id
        Its name in the manifest, unique in the batch.
    output
        Its folder, relative to the output folder of the batch.
    repo
        The folder that it is about, as the tasks file spells it.
    task, options
        As :func:`satchel.pack` takes them.
    policy, zones
        Changes to what the kind of task has.
    line
        Where the tasks file states it, if that is known.
    """

    id: str
    output: str
    repo: str
    task: Task
    options: PackOptions
    policy: PolicyChange = field(default_factory=PolicyChange)
    zones: tuple[BudgetZone, ...] = ()
    line: int | None = None

    def facts(self) -> dict[str, Any]:
        """Return everything about the page that decides its pack, but for limits of time, as JSON data."""
        options = self.options
        walk = options.scan.walk
        return {
            "task": self.task.to_data(),
            "policy": self.policy.to_data(),
            "zones": [zone.to_data() for zone in self.zones],
            "counting": [options.model, options.encoding, options.approximate],
            "tokenizer": options.tokenizer_file and _content(Path(options.tokenizer_file)),
            "budget": options.budget,
            "format": options.format,
            "order": options.order,
            "volatile": list(options.volatile),
            "engine": options.engine,
            "solve": [options.solve.solver, options.solve.gap, options.solve.seed, options.solve.workers],
            "deterministicLimit": options.solve.deterministic_limit,
            "pricing": repr(options.pricing),
            "walk": repr(replace(walk, own_outputs=())),
            "summaries": str(options.scan.summaries),
        }


def _content(path: Path) -> str:
    """Return the digest of a file; of one that cannot be read, the work on its pages will tell."""
    try:
        return hashlib.sha256(path.read_bytes()).hexdigest()
    except OSError:
        return ""


@dataclass(frozen=True)
class _Found:
    """What a glob found: values of the fields, the path that it is about, and a unit that must be in."""

    fields: Mapping[str, str]
    focus: tuple[str, ...]
    unit: str = ""


def pages_of(
    file: TaskFile,
    surveys: Mapping[str, Survey],
    options: PackOptions,
    *,
    name: str,
    lines: Mapping[int, int] | None = None,
) -> tuple[Page, ...]:
    """Return the pages of a tasks file, in its order, those of a glob in order of path and line.

    Parameters
    ----------
    surveys
        What each folder holds that a glob looks into, by the folder as it is spelled.
    options
        What holds where neither a task nor the defaults say anything.
    name
        The tasks file, for messages.

    Raises
    ------
    SchemaError
        A glob finds nothing, two tasks have one id or one output, or an option cannot be used.
    """
    drafts: list[tuple[int, TaskEntry, Settings, _Found | None]] = []
    for index, entry in enumerate(file.tasks):
        settings = _over(entry, file.defaults)
        if entry.each is None:
            drafts.append((index, entry, settings, None))
            continue
        found = list(_expanded(entry, surveys[repo_of(entry, file)]))
        if not found:
            hint = "check its paths: globs relative to the repo, such as src/**"
            value = list(entry.paths or ()) or entry.each
            raise _fault("finds nothing", name, index, "paths" if entry.paths else "each", value, hint, lines)
        drafts += [(index, entry, settings, each) for each in found]
    several = len({repo_of(entry, file) for entry in file.tasks}) > 1
    ids = [
        _id(entry, settings, found, repo_of(entry, file) if several else "")
        for _, entry, settings, found in drafts
    ]
    places = [draft[0] for draft in drafts]
    _once(ids, places, "id", name, lines)
    outputs = _outputs(drafts, ids)
    _once([PurePosixPath(output).as_posix().casefold() for output in outputs], places, "output", name, lines)
    _apart(outputs, places, name, lines)
    pages = []
    for (index, entry, settings, one), page_id, output in zip(drafts, ids, outputs, strict=True):
        try:
            place = (page_id, output, repo_of(entry, file))
            page = _page(entry, settings, one, place, options, Path(name).parent)
        except UsageError as error:
            raise _fault(
                error.message, name, index, error.field or "", error.value, error.hint or "", lines
            ) from None
        pages.append(replace(page, line=(lines or {}).get(index)))
    return tuple(pages)


def repo_of(entry: TaskEntry, file: TaskFile) -> str:
    """Return the folder that a task is about."""
    return entry.repo or file.defaults.repo or file.repo


def _over(entry: TaskEntry, defaults: Settings) -> Settings:
    values = {}
    for name in Settings.model_fields:
        own = getattr(entry, name)
        values[name] = getattr(defaults, name) if own is None else own
    return Settings(**values)


def _page(
    entry: TaskEntry,
    settings: Settings,
    found: _Found | None,
    place: tuple[str, str, str],
    options: PackOptions,
    folder: Path,
) -> Page:
    page_id, output, repo = place
    fields = found.fields if found else {}
    about = settings.about
    if found and settings.about is None and settings.title is None:
        about = "{title}"
    policy = settings.policy or PolicyChange()
    if found and found.unit:
        own = "id:" + _ID_CHARS.sub(r"\\\1", found.unit)
        policy = policy.model_copy(update={"must_include": (*policy.must_include, own)})
    task = Task(
        id=page_id if entry.id is not None else "",
        kind=settings.kind or "overview",
        title=_filled(settings.title or "", fields),
        about=_filled(about or "", fields),
        outline=tuple(_filled(text, fields) for text in settings.outline or ()),
        focus=tuple(_filled(text, fields) for text in settings.focus or ()) or (found.focus if found else ()),
    )
    stated: dict[str, Any] = {
        name: value
        for name, value in (
            ("budget", settings.budget),
            ("model", settings.model),
            ("encoding", settings.encoding),
            ("tokenizer_file", settings.tokenizer and str((folder / settings.tokenizer).absolute())),
            ("approximate", settings.approximate),
            ("format", settings.format),
            ("order", settings.order),
            ("volatile", settings.volatile),
        )
        if value is not None
    }
    return Page(
        id=page_id,
        output=output,
        repo=repo,
        task=clean_task(task),
        options=replace(options, **stated),
        policy=policy,
        zones=settings.zones or (),
    )


def _filled(text: str, fields: Mapping[str, str]) -> str:
    return _FIELD.sub(lambda match: fields[match[1]], text) if fields else text


def _id(entry: TaskEntry, settings: Settings, found: _Found | None, repo: str) -> str:
    fields = found.fields if found else {}
    if entry.id is not None:
        return _filled(entry.id, fields)
    if found:
        text = f"{entry.each}:{fields['name']}"
    else:
        words = settings.title or settings.about or ", ".join(settings.focus or ())
        text = ":".join(part for part in (settings.kind or "overview", words) if part)
    return f"{repo}/{text}" if repo else text


def _outputs(
    drafts: Sequence[tuple[int, TaskEntry, Settings, _Found | None]], ids: Sequence[str]
) -> list[str]:
    """Return the folder of each page: as it is stated, or made of its id."""
    made = iter(unique_names([ids[i] for i, draft in enumerate(drafts) if draft[1].output is None]))
    outputs = []
    for _, entry, _, found in drafts:
        if entry.output is None:
            outputs.append(next(made))
        elif found is None:
            outputs.append(entry.output)
        else:
            parts = (_filled(part, found.fields) for part in entry.output.split("/"))
            outputs.append("/".join(safe_name(part) for part in parts))
    return outputs


def _once(
    values: Sequence[str], places: Sequence[int], field: str, name: str, lines: Mapping[int, int] | None
) -> None:
    counted = Counter(values)
    first: dict[str, int] = {}
    for value, index in zip(values, places, strict=True):
        if counted[value] > 1 and value in first:
            hint = f"give the tasks different ones with '{field}'"
            message = f"is that of tasks[{first[value]}], too"
            raise _fault(message, name, index, field, value, hint, lines)
        first.setdefault(value, index)


def _apart(outputs: Sequence[str], places: Sequence[int], name: str, lines: Mapping[int, int] | None) -> None:
    taken = {PurePosixPath(output.casefold()) for output in outputs}
    for output, index in zip(outputs, places, strict=True):
        if any(above in taken for above in PurePosixPath(output.casefold()).parents):
            hint = "give each task a folder of its own"
            raise _fault("lies in the folder of another task", name, index, "output", output, hint, lines)


def _fault(
    message: str,
    name: str,
    index: int,
    field: str,
    value: object,
    hint: str,
    lines: Mapping[int, int] | None,
) -> SchemaError:
    place = f"tasks[{index}].{field}" if field else f"tasks[{index}]"
    return SchemaError(
        message, code="tasks", file=name, line=(lines or {}).get(index), field=place, value=value, hint=hint
    )


def _expanded(entry: TaskEntry, survey: Survey) -> Iterator[_Found]:
    wanted = _Wanted(entry.paths or ())
    if entry.each == "operation":
        yield from _operations(survey, wanted)
        return
    modules = [
        file.path
        for file in survey.reading.files
        if file.file_class is FileClass.SOURCE and ROLES.get(file.language) is Role.CODE and file.lines
    ]
    filled = {candidate.file.path for candidate in survey.reading.candidates}
    modules = [path for path in modules if path in filled]
    if entry.each == "module":
        for path in modules:
            if wanted(path):
                yield _Found(_fields(path), (path,))
        return
    for folder in sorted({str(PurePosixPath(path).parent) for path in modules}):
        if folder != "." and wanted(folder):
            yield _Found(_fields(folder), (folder,))


def _operations(survey: Survey, wanted: _Wanted) -> Iterator[_Found]:
    for candidate in survey.reading.candidates:
        fragment = candidate.fragment
        is_operation = candidate.file_class is FileClass.CONTRACT and fragment.role == "operation"
        if is_operation and wanted(candidate.file.path):
            fields = {**_fields(candidate.file.path), "name": fragment.name, "title": fragment.title}
            yield _Found(fields, (), candidate.id)


def _fields(path: str) -> dict[str, str]:
    place = PurePosixPath(path)
    stem = place.name if not place.suffix else place.stem
    parts = [*place.parts[:-1], *([] if stem == "__init__" else [stem])]
    name = ".".join(parts) or stem
    return {
        "name": name,
        "path": path,
        "stem": stem,
        "title": name,
        "package": ".".join(place.parts[:-1]) or name,
    }


class _Wanted:
    """Whether a path is among those that globs mean: the last that matches decides."""

    def __init__(self, patterns: Sequence[str]) -> None:
        self._globs = []
        for text in patterns:
            try:
                self._globs.append((not text.startswith("!"), path_glob(text.removeprefix("!"))))
            except re.error:
                hint = "check the [...] of the pattern"
                raise UsageError("is no pattern", field="paths", value=text, hint=hint) from None
        self._otherwise = not any(means for means, _ in self._globs)

    def __call__(self, path: str) -> bool:
        wanted = self._otherwise
        for means, glob in self._globs:
            if glob.fullmatch(path):
                wanted = means
        return wanted


def policy_with(policy: PackingPolicy, change: PolicyChange) -> PackingPolicy:
    """Return ``policy`` with what a task says on top."""
    values = {name: getattr(policy, name) for name in PackingPolicy.model_fields}
    for name in PolicyChange.model_fields:
        stated = getattr(change, name)
        if name in _LISTS:
            values[name] = tuple(dict.fromkeys((*values[name], *stated)))
        elif stated is not None:
            values[name] = stated
    return PackingPolicy(**values)
