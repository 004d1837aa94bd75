"""A pack in its folder: the artifact, and the problem and prompt beside it where they are its own."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from hashlib import sha256
from pathlib import Path

from .exits import redacted
from .files import ARTIFACT, PROBLEM, PROMPTS, read_artifact, read_problem, read_prompt
from .models import PackedContext, Problem, PromptReport, SatchelError, UsageError
from .prefixes import order_of
from .prompt import RenderedPrompt, Span, render


@dataclass(frozen=True)
class PackFiles:
    """An artifact with what belongs to it.

    Attributes
    ----------
    problem
        The problem that the artifact answers; None where none was found.
    text
        The prompt's own file; None where there is none that is what the artifact says.
    lacking
        What is not at hand, and why, as sentences.
    """

    path: Path
    context: PackedContext
    problem: Problem | None
    text: str | None
    lacking: tuple[str, ...]

    @cached_property
    def rendered(self) -> RenderedPrompt | None:
        """The prompt with its units' places: rendered from the problem, or else its file by the manifest."""
        report = self.context.prompt
        if report is None:
            return None
        if self.problem is not None:
            rungs = {unit.id: unit.rung for unit in self.context.accepted_units}
            units = [(name, rungs[name]) for name in report.order]
            rendered = render(self.problem, units, report.format, order_of(self.context), redacted)
            if text_digest(rendered.text) == report.digest:
                return rendered
        return None if self.text is None else _by_manifest(self.text, report, self.context)


def read_pack_files(
    artifact: str | Path, *, problem: str | Path | None = None, prompt: str | Path | None = None
) -> PackFiles:
    """Read an artifact (or the one of a folder) and, where they are there, its problem and prompt.

    Files that are not named are looked for beside the artifact, and left out where they belong to another
    pack.

    Raises
    ------
    FileError, SchemaError
        The artifact, or a file that is named, cannot be read.
    UsageError
        A file that is named belongs to another pack.
    """
    path = Path(artifact)
    path = path / ARTIFACT if path.is_dir() else path
    context = read_artifact(path)
    lacking: list[str] = []
    found = _problem(context, path, problem, lacking)
    return PackFiles(path, context, found, _text(context, path, prompt, lacking), tuple(lacking))


def text_digest(text: str) -> str:
    """Return the digest of a prompt as artifacts state it."""
    return "sha256:" + sha256(text.encode("utf-8")).hexdigest()


def _problem(
    context: PackedContext, path: Path, named: str | Path | None, lacking: list[str]
) -> Problem | None:
    place = path.parent / PROBLEM if named is None else Path(named)
    try:
        problem = read_problem(place)
    except SatchelError:
        if named is not None:
            raise
        lacking.append("there is no problem beside the artifact")
        return None
    if problem.digest == context.solver.problem_digest:
        return problem
    if named is not None:
        hint = "give the problem that was solved"
        raise UsageError("is not the problem that the artifact answers", file=str(place), hint=hint)
    lacking.append("the problem beside the artifact is another one")
    return None


def _text(context: PackedContext, path: Path, named: str | Path | None, lacking: list[str]) -> str | None:
    if context.prompt is None:
        if named is not None:
            raise UsageError("the artifact has no prompt", file=str(named), hint="leave the prompt out")
        return None
    place = path.parent / PROMPTS[context.prompt.format] if named is None else Path(named)
    try:
        text = read_prompt(place)
    except SatchelError:
        if named is not None:
            raise
        lacking.append("there is no prompt beside the artifact")
        return None
    if text_digest(text) == context.prompt.digest:
        return text
    if named is not None:
        hint = "give the prompt that was written with the artifact"
        raise UsageError("is not the prompt that the artifact describes", file=str(place), hint=hint)
    lacking.append("the prompt beside the artifact is another one")
    return None


def _by_manifest(text: str, report: PromptReport, context: PackedContext) -> RenderedPrompt:
    rungs = {unit.id: unit.rung for unit in context.accepted_units}
    starts = [0]
    for line in text.split("\n"):
        starts.append(starts[-1] + len(line) + 1)
    spans = tuple(
        Span(e.id, rungs[e.id], e.start_line, e.end_line, starts[e.start_line - 1], starts[e.end_line])
        for e in report.manifest
    )
    return RenderedPrompt(text, report.format, report.order, spans, 0, report.untrusted_ids)
