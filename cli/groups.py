"""Options that belong together, each group in one place: a command names the groups that it takes.

:func:`spread` makes of ``def command(task: TaskOptions, …)`` what typer reads, a function with one parameter
for each option of the group, and hands the command the group as one value.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from dataclasses import MISSING, dataclass, fields, is_dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast, get_type_hints

from .options import (
    About,
    Aim,
    AnswerTokens,
    Approximate,
    CacheWrites,
    CostLimit,
    Encoding,
    EngineName,
    Exclude,
    ExpectedCalls,
    Focus,
    Format,
    Gap,
    GlobalIgnore,
    Include,
    Jobs,
    Kind,
    LongLived,
    MaxFileBytes,
    MinCacheable,
    Model,
    NoConfig,
    NoDefaultExcludes,
    NoIgnore,
    Outline,
    PageSeed,
    Prices,
    ProfileName,
    ProgressMode,
    RequireOptimal,
    Revision,
    Seed,
    Sensitive,
    Since,
    Solver,
    Submodules,
    TimeLimit,
    Title,
    Tokenizer,
    Workers,
    WorkLimit,
    naming,
    tokens,
)
from .progress import Ticker

if TYPE_CHECKING:
    from .. import Engine, PackOptions, PriceOptions, ScanOptions, SolveOptions, Task

Command = Callable[..., None]


def spread(command: Command) -> Command:
    """Return ``command`` with the fields of its option groups as parameters of its own, in their order."""
    hints = get_type_hints(command, include_extras=True)
    groups: dict[str, tuple[Any, list[str]]] = {}
    parameters: list[inspect.Parameter] = []
    for name, parameter in inspect.signature(command).parameters.items():
        if not is_dataclass(hints[name]):
            parameters.append(parameter.replace(annotation=hints[name], kind=inspect.Parameter.KEYWORD_ONLY))
            continue
        group = hints[name]
        groups[name] = group, [field.name for field in fields(group)]
        inner = get_type_hints(group, include_extras=True)
        parameters += [
            inspect.Parameter(
                field.name,
                inspect.Parameter.KEYWORD_ONLY,
                default=inspect.Parameter.empty if field.default is MISSING else field.default,
                annotation=inner[field.name],
            )
            for field in fields(group)
        ]

    def gathered(**given: Any) -> None:
        values = {
            name: group(**{field: given.pop(field) for field in names})
            for name, (group, names) in groups.items()
        }
        command(**given, **values)

    spread_out: Any = gathered
    spread_out.__name__, spread_out.__doc__ = command.__name__, command.__doc__
    spread_out.__module__ = command.__module__
    spread_out.__signature__ = inspect.Signature(parameters)
    spread_out.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters}
    return cast("Command", spread_out)


@dataclass(frozen=True)
class TaskOptions:
    """What is to be written."""

    kind: Kind = "overview"
    about: About = ""
    title: Title = ""
    outline: Outline = None

    def task(self, focus: list[str] | None = None) -> Task:
        """Return the task that the options describe."""
        from .. import Task, read_outline

        with naming("--outline"):
            headings = () if self.outline is None else read_outline(self.outline)
        given: dict[str, object] = {"kind": self.kind, "about": self.about, "title": self.title}
        given |= {"outline": headings, "focus": tuple(focus or ())}
        with naming(None, {name: "--task" if name == "kind" else f"--{name}" for name in given}):
            return Task.from_data(given)


@dataclass(frozen=True)
class FocusedTask(TaskOptions):
    """What is to be written about a repository, and the files that it is about."""

    focus: Focus = None

    def task(self, focus: list[str] | None = None) -> Task:
        """Return the task that the options describe."""
        return super().task(self.focus if focus is None else focus)

    def inputs(self, repos: Sequence[Path]) -> list[Path | str | None]:
        """Return the files that the options name, and that no output may replace."""
        # Of several folders a path begins with the label of one, which its name may only be a part of.
        paths = [path if len(repos) == 1 else path.partition("/")[2] for path in self.focus or ()]
        return [self.outline, *(repo / path for repo in repos for path in paths if path)]


@dataclass(frozen=True)
class Counting:
    """How tokens are counted, and in which format the prompt is written."""

    model: Model = None
    encoding: Encoding = None
    tokenizer: Tokenizer = None
    approximate: Approximate = False
    format: Format = "markdown"

    def pack_options(self, budget: str | None = None, **rest: Any) -> PackOptions:
        """Return the options of a pack; ``rest`` are those of :class:`satchel.PackOptions` by name."""
        from .. import PackOptions

        return PackOptions(
            budget=tokens(budget),
            model=self.model,
            encoding=self.encoding,
            tokenizer_file=self.tokenizer,
            approximate=self.approximate,
            format=self.format,
            **rest,
        )


@dataclass(frozen=True)
class Rules:
    """Which files are read, by rules."""

    include: Include = None
    exclude: Exclude = None
    no_ignore: NoIgnore = False
    no_default_excludes: NoDefaultExcludes = False
    no_global_ignore: GlobalIgnore = False
    sensitive: Sensitive = False
    submodules: Submodules = False
    max_file_bytes: MaxFileBytes = None

    def scan_options(self, own_outputs: tuple[str, ...] = (), summaries: str = "compute") -> ScanOptions:
        """Return the options of the scan."""
        from .. import ScanOptions, SummaryUse, WalkOptions

        walk = WalkOptions(
            include=tuple(self.include or ()),
            exclude=tuple(self.exclude or ()),
            own_outputs=own_outputs,
            no_ignore=self.no_ignore,
            default_excludes=not self.no_default_excludes,
            sensitive_names=not self.sensitive,
            global_ignore=not self.no_global_ignore,
            nested=self.submodules,
        )
        if self.max_file_bytes is not None:
            walk = replace(walk, max_file_bytes=self.max_file_bytes)
        return ScanOptions(walk=walk, summaries=SummaryUse.named(summaries))


@dataclass(frozen=True)
class Selection(Rules):
    """Which files are read, by rules, of which state, and what the task starts from."""

    rev: Revision = None
    since: Since = None
    page: PageSeed = None
    jobs: Jobs = None
    profile: ProfileName = None
    no_config: NoConfig = False

    def scan_options(self, own_outputs: tuple[str, ...] = (), summaries: str = "compute") -> ScanOptions:
        """Return the options of the scan."""
        from .. import Seeding, Settings

        options = super().scan_options(own_outputs, summaries)
        return replace(
            options,
            walk=replace(options.walk, revision=self.rev or ""),
            jobs=self.jobs,
            seeds=Seeding(since=self.since or "", page=self.page or ""),
            settings=Settings() if self.no_config else None,
        )


@dataclass(frozen=True)
class Paying:
    """What calls cost, and what that decides."""

    prices: Prices = None
    expected_calls: ExpectedCalls = None
    cache_writes: CacheWrites = None
    cost_limit: CostLimit = None
    objective: Aim = None
    answer_tokens: AnswerTokens = None
    long_lived: LongLived = False
    min_cacheable: MinCacheable = None

    def price_options(self, model: str | None) -> PriceOptions | None:
        """Return what the options ask for, or None where nothing of it is given."""
        if self == type(self)():
            return None
        from .. import PriceOptions, parse_amount, read_prices

        return PriceOptions(
            table=None if self.prices is None else read_prices(self.prices),
            model=model,
            expected_calls=self.expected_calls,
            cache_writes=self.cache_writes,
            long_lived=self.long_lived,
            minimum=self.min_cacheable,
            answer_tokens=self.answer_tokens,
            cost_limit=None
            if self.cost_limit is None
            else parse_amount(self.cost_limit, option="--cost-limit"),
            objective=self.objective,
        )


@dataclass(frozen=True)
class Search:
    """How the problem is solved, and what is told of it meanwhile."""

    solver: Solver = "auto"
    engine: EngineName = None
    time_limit: TimeLimit = None
    deterministic_limit: WorkLimit = None
    gap: Gap = 0.0
    seed: Seed = 0
    workers: Workers = 1
    require_optimal: RequireOptimal = False
    progress: ProgressMode = "auto"

    def ticker(self, *, quiet: bool) -> Ticker:
        """Return what tells of the progress, as ``--progress`` asks for."""
        return Ticker(quiet=quiet, mode=self.progress)

    def solve_options(self, ticker: Ticker) -> SolveOptions:
        """Return the options of the solve; those out of range are errors."""
        from .. import SolveOptions

        return SolveOptions(
            solver=cast("Engine", self.solver),
            time_limit=self.time_limit,
            deterministic_limit=self.deterministic_limit,
            gap=self.gap,
            seed=self.seed,
            workers=self.workers,
            on_progress=ticker.progress,
        )
