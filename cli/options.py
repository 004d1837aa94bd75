"""Options that several commands share, and what is made of their texts."""

from __future__ import annotations

from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from .profiles import apply as apply_profile

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from .. import CacheOptions, PackedContext
    from ..outputs import Kind as OutputKind


def written(option: str) -> Callable[[str], Path]:
    """Return the parser of ``option``, which names a file or folder to write."""

    def place(text: str) -> Path:
        from .. import UsageError

        if not text.strip():
            raise UsageError("names no place", field=option, value=text, hint="give a path, or leave it out")
        if text == "-":
            hint = "to standard output goes --json; a file of this name is ./-"
            raise UsageError("is no place to write to", field=option, value=text, hint=hint)
        return Path(text)

    return place


def out_to(help: str, metavar: str = "FILE") -> Any:  # noqa: A002 - as typer calls it
    """Return the option that says where a command writes."""
    return typer.Option("--out", "-o", metavar=metavar, parser=written("--out"), help=help)


def named(option: str) -> Callable[[str], str]:
    """Return the parser of ``option``, which must not be blank."""

    def name(text: str) -> str:
        from .. import UsageError

        if not text.strip():
            raise UsageError("names nothing", field=option, value=text, hint="give a name, or leave it out")
        return text

    return name


Repo = Annotated[Path, typer.Argument(metavar="REPO", help="Folder to read.", show_default=False)]
Repos = Annotated[
    list[Path] | None,
    typer.Argument(
        metavar="REPO",
        help="Folder to read, by default the current one. Of several, each path begins with its folder's "
        "name.",
        show_default=False,
    ),
]
Artifact = Annotated[
    str | None,
    typer.Argument(
        metavar="ARTIFACT",
        help="A packed-context.v1 file; by default the one in .satchel here.",
        show_default=False,
    ),
]
ProblemFile = Annotated[
    str | None,
    typer.Option(
        "--problem",
        metavar="FILE",
        help="The packing-problem.v1 file that the artifact answers; by default the one beside it.",
    ),
]

Kind = Annotated[
    str,
    typer.Option(
        "--task",
        metavar="KIND",
        help="What is to be written: api-reference, architecture, km-note, overview, page-update, "
        "quickstart, troubleshooting, tutorial, or a kind of the project's own (docs/settings.md).",
    ),
]
About = Annotated[str, typer.Option("--about", metavar="TEXT", help="What it is about, in words.")]
Title = Annotated[str, typer.Option("--title", metavar="TEXT", help="Title of the page.")]
Outline = Annotated[
    Path | None,
    typer.Option(
        "--outline", metavar="FILE", help="Headings of the page, in order: one a line, or a Markdown file's."
    ),
]
Focus = Annotated[
    list[str] | None,
    typer.Option(
        "--focus",
        metavar="PATH",
        help="A file or folder of REPO that the task is about: always read, and the units of it that are "
        "nearest to the task are required. May be repeated.",
    ),
]

Budget = Annotated[
    str | None,
    typer.Option(
        "--budget",
        metavar="TOKENS",
        help="Ceiling on the whole prompt, such as 8k, 128_000 or 1m; by default the model's input room, or "
        "32k without a model.",
    ),
]
UnitBudget = Annotated[
    str | None,
    typer.Option(
        "--budget",
        metavar="TOKENS",
        help="Tokens that units may fill, such as 8k, 128_000 or 1m, instead of what the problem states.",
    ),
]
Model = Annotated[
    str | None,
    typer.Option("--model", metavar="NAME", help="Count for this model; 'satchel models' lists them."),
]
Encoding = Annotated[
    str | None,
    typer.Option(
        "--encoding",
        metavar="NAME",
        parser=named("--encoding"),
        help="Count in this encoding, such as o200k_base.",
    ),
]
Tokenizer = Annotated[
    str | None,
    typer.Option(
        "--tokenizer",
        metavar="FILE",
        parser=named("--tokenizer"),
        help="Count with this tokenizer.json.",
    ),
]
Approximate = Annotated[
    bool, typer.Option("--approximate", help="Estimate tokens from above, for any model.")
]
Format = Annotated[
    str,
    typer.Option("--format", metavar="NAME", help="How the prompt is written: markdown, xml, plain or json."),
]

Include = Annotated[
    list[str] | None,
    typer.Option(
        "--include", metavar="GLOB", help="Read only what matches; !GLOB takes back. May be repeated."
    ),
]
Exclude = Annotated[
    list[str] | None,
    typer.Option(
        "--exclude", metavar="GLOB", help="Leave out what matches; !GLOB takes back. May be repeated."
    ),
]
NoIgnore = Annotated[bool, typer.Option("--no-ignore", help="Read what ignore files leave out, too.")]
NoDefaultExcludes = Annotated[
    bool, typer.Option("--no-default-excludes", help="Read caches, installed packages and the like, too.")
]
GlobalIgnore = Annotated[
    bool, typer.Option("--no-global-ignore", help="Leave git's ignore file of the user out of account.")
]
Sensitive = Annotated[
    bool,
    typer.Option("--sensitive-names", help="Read files that hold secrets by their name, such as .env, too."),
]
Submodules = Annotated[
    bool,
    typer.Option(
        "--nested", "--submodules", help="Read submodules and repositories inside the repository, too."
    ),
]
Revision = Annotated[
    str | None,
    typer.Option(
        "--rev",
        metavar="REV",
        parser=named("--rev"),
        help="Read this branch, tag or commit from git's store, not the files on disk.",
    ),
]
Jobs = Annotated[
    int | None,
    typer.Option(
        "--jobs",
        metavar="N",
        min=1,
        help="Processes that read, with the same result; by default as many as there are processors, where "
        "there is much text.",
        show_default=False,
    ),
]
Since = Annotated[
    str | None,
    typer.Option(
        "--since",
        metavar="REV",
        parser=named("--since"),
        help="Start from what has changed since this revision, and from what refers to it.",
    ),
]
PageSeed = Annotated[
    str | None,
    typer.Option(
        "--page",
        metavar="PATH",
        parser=named("--page"),
        help="Start from a page of REPO, for page-update: its headings, and the sources that it names, those "
        "first that have changed since the page.",
    ),
]
NoConfig = Annotated[
    bool, typer.Option("--no-config", help="Leave satchel.toml and [tool.satchel] out of account.")
]
ProfileName = Annotated[
    str | None,
    typer.Option(
        "--profile",
        metavar="NAME",
        is_eager=True,
        callback=apply_profile,
        help="Options of [profiles.NAME] in the satchel.toml of the current folder, where none are given "
        "here.",
    ),
]
MaxFileBytes = Annotated[
    int | None,
    typer.Option("--max-file-bytes", metavar="N", help="Leave out larger files.", show_default=False),
]

Solver = Annotated[
    str,
    typer.Option(
        "--solver",
        metavar="auto|cp-sat|greedy",
        help="cp-sat proves its answer, greedy is fast and proves nothing; auto is cp-sat where it can be.",
    ),
]
EngineName = Annotated[
    str | None,
    typer.Option(
        "--engine",
        metavar="NAME",
        help="For comparison: have another engine solve it, in place of --solver; 'satchel engines' lists "
        "them.",
    ),
]
TimeLimit = Annotated[
    float | None,
    typer.Option(
        "--time-limit", metavar="S", help="Stop after S seconds with the best pack so far (not reproducible)."
    ),
]
WorkLimit = Annotated[
    float | None,
    typer.Option(
        "--deterministic-limit",
        metavar="W",
        help="Stop after W units of work, about seconds: the same on every machine.",
    ),
]
Gap = Annotated[
    float,
    typer.Option("--gap", metavar="G", help="Stop when the pack is within this share of the best; 0 proves."),
]
Seed = Annotated[int, typer.Option("--seed", metavar="N", help="Seed of the search.")]
Workers = Annotated[
    int,
    typer.Option(
        "--workers", metavar="N", help="Threads of the search; with more, only a proven pack is reproducible."
    ),
]
RequireOptimal = Annotated[
    bool, typer.Option("--require-optimal", help="Exit with 3 unless the pack is proven optimal.")
]

PromptOrder = Annotated[
    str,
    typer.Option(
        "--order",
        metavar="stable-first|as-given",
        help="stable-first lets a prompt cache reuse the beginning; as-given keeps the authored order.",
    ),
]
Volatile = Annotated[
    list[str] | None,
    typer.Option(
        "--volatile",
        metavar="GLOB",
        help="Files that change between calls: they stand behind the task, where no cache holds them. May be "
        "repeated.",
    ),
]
Prices = Annotated[
    Path | None,
    typer.Option(
        "--prices",
        metavar="FILE",
        help="Your price-table.v1 file, to state what the pack costs, and for the options below; none is "
        "shipped.",
    ),
]
ExpectedCalls = Annotated[
    int | None,
    typer.Option(
        "--expected-calls",
        metavar="N",
        help="How often the prompt will be sent: stable units in its prefix cost their cached price.",
        show_default="1",
    ),
]
CacheWrites = Annotated[
    int | None,
    typer.Option(
        "--cache-writes",
        metavar="N",
        help="How many of these calls find the cache cold, and pay for writing it.",
        show_default="1",
    ),
]
CostLimit = Annotated[
    str | None,
    typer.Option(
        "--cost-limit",
        metavar="AMOUNT",
        help="The most that all calls may cost, in the currency of the prices, such as 0.25.",
    ),
]
Aim = Annotated[
    str | None,
    typer.Option(
        "--objective",
        metavar="value|value-per-cost",
        help="What is made as great as can be.",
        show_default="value",
    ),
]
AnswerTokens = Annotated[
    int | None,
    typer.Option(
        "--answer-tokens",
        metavar="TOKENS",
        help="Output that each call is expected to hold, as a part of its cost.",
        show_default="0",
    ),
]
LongLived = Annotated[
    bool, typer.Option("--long-lived", help="Keep the prefix for the provider's longer lifetime.")
]
MinCacheable = Annotated[
    int | None,
    typer.Option(
        "--min-cacheable",
        metavar="TOKENS",
        help="The shortest prefix that is cached, instead of what is known of the model.",
    ),
]

ProgressMode = Annotated[
    str,
    typer.Option(
        "--progress",
        metavar="auto|jsonl|none",
        help="What is told on standard error meanwhile: auto is a line on a terminal, after a second; jsonl "
        "is a JSON object a line, for programs.",
    ),
]

ProblemOut = Annotated[
    Path | None,
    typer.Option(
        "--problem-out",
        metavar="FILE",
        parser=written("--problem-out"),
        help="Write the packing problem to FILE: as it was solved, after --budget and --recount, or as "
        "'pack' would solve it. 'verify' needs it.",
    ),
]
Force = Annotated[
    bool, typer.Option("--force", help="Let outputs replace files that Satchel did not write, too.")
]

CacheDir = Annotated[
    Path | None,
    typer.Option(
        "--cache-dir",
        metavar="DIR",
        parser=written("--cache-dir"),
        help="Folder for caches, one file for each repository; by default $SATCHEL_CACHE_DIR, or Satchel's "
        "part of the user's cache folder.",
    ),
]
NoCache = Annotated[
    bool, typer.Option("--no-cache", help="Remember nothing, and use nothing that is remembered.")
]
Summaries = Annotated[
    str,
    typer.Option(
        "--summaries",
        metavar="USE",
        help="Summary rungs: 'compute' looks those of the most relevant units up or makes them on the spot, "
        "'cached' offers only what 'satchel cache work' has made, 'off' none.",
    ),
]

Json = Annotated[
    bool,
    typer.Option("--json", help="Print JSON to standard output, and errors as JSON to standard error."),
]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="Print errors and warnings only.")]


def tokens(budget: str | None) -> int | None:
    """Return the tokens that ``--budget`` says."""
    if budget is None:
        return None
    from .. import parse_tokens

    return parse_tokens(budget)


def cache_options(folder: Path | None, *, unused: bool = False) -> CacheOptions | None:
    """Return where the cache is; None when there is to be none."""
    from .. import CacheOptions

    return None if unused else CacheOptions(folder)


def artifact_path(artifact: str | None) -> Path:
    """Return the path of ``ARTIFACT``, or of the one that ``satchel pack`` writes."""
    from .. import ARTIFACT, DEFAULT_FOLDER, UsageError

    path = Path(artifact) if artifact is not None else Path(DEFAULT_FOLDER) / ARTIFACT
    if artifact is None and not path.exists():
        hint = "run 'satchel pack' first, or name an artifact"
        raise UsageError("there is no pack here", file=str(path), hint=hint)
    return path


def problem_path(artifact: Path, problem: str | None) -> Path:
    """Return the path of ``--problem``, or of the problem beside the artifact."""
    from .. import PROBLEM

    return Path(problem) if problem is not None else artifact.parent / PROBLEM


def check_written(
    outputs: dict[str, tuple[Path | None, OutputKind]], inputs: list[str | Path | None], *, force: bool
) -> None:
    """Refuse outputs, by their options, that would replace an input, each other, or what is not Satchel's."""
    from ..outputs import Output, check_outputs

    named = [Output(name, path, kind) for name, (path, kind) in outputs.items() if path is not None]
    check_outputs(named, inputs, force=force)


@contextmanager
def naming(option: str | None, fields: dict[str, str] | None = None) -> Iterator[None]:
    """Have an error say which option it is of: ``option``, or that of its field in ``fields``."""
    from .. import InputError

    try:
        yield
    except InputError as error:
        name = (fields or {}).get((error.field or "").partition("[")[0], option)
        if name is not None and not (error.field or "").startswith("-"):
            error.field = f"{name}: {error.field}" if error.field and not fields else name
        raise


def exit_code(context: PackedContext, *, require_optimal: bool) -> int:
    """Return 130 when the search was interrupted, 3 when a proof was required and is lacking, else 0."""
    from .console import note, share
    from .failures import INTERRUPTED, NOT_OPTIMAL

    for entry in context.diagnostics:
        if entry.code == "empty_pack":
            note(entry.message, kind="warning", style="yellow")
    report = context.solver
    stop = report.stop_reason.value.replace("_", " ")
    if report.stop_reason == "interrupt":
        note(f"interrupted; this is the best pack so far, within {share(report.gap)} of the best there is")
        return INTERRUPTED
    if require_optimal and report.status != "optimal":
        note(
            f"not proven optimal: {report.status.value}, gap {share(report.gap)}, ended by {stop}; "
            "raise --time-limit or --deterministic-limit, or use --solver cp-sat",
            kind="warning",
            style="yellow",
        )
        return NOT_OPTIMAL
    return 0
