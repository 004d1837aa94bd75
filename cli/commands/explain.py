"""``satchel explain``: why a candidate is in the pack or not, and what would change it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from ..answers import left_out_lines, price_lines, what_if_lines
from ..console import Line, count, note, print_json, print_lines, print_text, shown, width
from ..options import Artifact, Json, ProblemFile, TimeLimit, WorkLimit, artifact_path, problem_path
from ..progress import Ticker

if TYPE_CHECKING:
    from pathlib import Path

    from ... import PackedContext, Problem, SolveOptions
    from ...countering import Counter

NAMED = "ID, path, title, or a glob of these. May be repeated."


def command(
    artifact: Artifact = None,
    why_rejected: Annotated[
        list[str] | None,
        typer.Option("--why-rejected", metavar="X", help=f"Explain why X was left out: {NAMED}"),
    ] = None,
    why_accepted: Annotated[
        list[str] | None,
        typer.Option("--why-accepted", metavar="X", help=f"Explain why X is in the pack: {NAMED}"),
    ] = None,
    why_rung: Annotated[
        list[str] | None,
        typer.Option("--why-rung", metavar="X", help=f"Explain why X has the form that it has: {NAMED}"),
    ] = None,
    every: Annotated[
        bool,
        typer.Option(
            "--all", help="List all that was left out, with a bound on what the pack would lose with it."
        ),
    ] = False,
    what_if: Annotated[
        list[str] | None,
        typer.Option(
            "--what-if",
            metavar="CHANGE",
            help="Show the best pack after a change: budget=+2000, zone.NAME.max=20k, require=X, exclude=X, "
            "optional=X, score.ID.relevance=0.9, value.ID=3, tokens.ID=-50, group.ID=2, weight.coverage=0.2. "
            "May be repeated: all hold at once.",
        ),
    ] = None,
    prices: Annotated[
        bool, typer.Option("--prices", help="Show what 1,000 tokens more are worth, in all and in each zone.")
    ] = False,
    problem: ProblemFile = None,
    time_limit: TimeLimit = None,
    deterministic_limit: WorkLimit = 2.0,
    csv: Annotated[bool, typer.Option("--csv", help="With --all: print CSV to standard output.")] = False,
    json: Json = False,
) -> None:
    """Explain a pack.

    Why a candidate is in or out, what the best pack would be with it otherwise, and what would tip the
    balance; what a change of the problem would do; what tokens are worth. Limits are for each solve; what
    they leave open is told as a range.
    """
    from ... import SolveOptions, UsageError, read_artifact

    asked = [
        _Question("why_rejected", "rejected", tuple(why_rejected or ())),
        _Question("why_accepted", "accepted", tuple(why_accepted or ())),
        _Question("why_rung", "accepted", tuple(why_rung or ()), "rung"),
    ]
    targets = any(question.targets for question in asked)
    if csv and (json or not every or targets or what_if or prices):
        raise UsageError("goes with --all alone", field="--csv", hint="give --all --csv")
    if not (targets or every or what_if or prices):
        hint = "give --why-rejected X, --why-accepted X, --why-rung X, --all, --what-if CHANGE or --prices"
        raise UsageError("no question is asked", hint=hint)
    options = SolveOptions(time_limit=time_limit, deterministic_limit=deterministic_limit)
    path = artifact_path(artifact)
    context = read_artifact(path)
    given = _problem(context, path, problem, needed=every or bool(what_if) or prices)
    counter = None
    if given is not None and targets:
        from ...countering import Counter

        counter = Counter(context, given, options)
    answers = _Answers()
    with Ticker(quiet=given is None) as ticker:
        ticker.stage("solving")
        for question in asked:
            answers.explain(context, counter, question)
        if given is not None:
            answers.ask(context, given, every=every, changes=what_if or [], prices=prices, options=options)
    # Ids and sentences repeat names of files, which may hold secrets.
    from ...exits import clean_data, redacted

    if csv:
        print_text(redacted(answers.csv))
    elif json:
        alone = targets and len(answers.data) == 1
        print_json(clean_data(answers.data["explanations"] if alone else answers.data))
    else:
        print_lines([Line(redacted(line.text), line.style) for line in answers.lines])
    if given is None:
        note("what would be otherwise is not worked out without the artifact's problem; see --problem")


def _problem(context: PackedContext, artifact: Path, named: str | None, *, needed: bool) -> Problem | None:
    """Return the problem of the artifact; None where none is beside it and the question can do without."""
    from ... import UsageError, read_problem

    path = problem_path(artifact, named)
    if named is None and not path.exists():
        if needed:
            hint = "name it with --problem; 'satchel solve' writes it with --problem-out"
            raise UsageError("there is no problem beside the artifact", file=str(path), hint=hint)
        return None
    problem = read_problem(path)
    if problem.digest == context.solver.problem_digest:
        return problem
    if named is None and not needed:
        return None
    hint = "give the problem file that was written with the artifact"
    raise UsageError("the artifact answers another problem", field="--problem", value=str(path), hint=hint)


@dataclass(frozen=True)
class _Question:
    """What one option asks: the candidates, and the verdict that they are asked for."""

    option: str
    verdict: str
    targets: tuple[str, ...]
    about: Literal["fate", "rung"] = "fate"

    def takes(self, verdict: str) -> bool:
        """Whether a candidate of ``verdict`` is asked for: what was skipped is rejected, too."""
        return (verdict == "accepted") == (self.verdict == "accepted")


@dataclass
class _Answers:
    """What is answered so far, as lines for a person and as data by the kind of question."""

    lines: list[Line] = field(default_factory=list)
    data: dict[str, Any] = field(default_factory=dict)
    csv: str = ""

    def add(self, lines: list[Line]) -> None:
        """Add a part, behind an empty line."""
        self.lines += [Line(), *lines] if self.lines else lines

    def explain(self, context: PackedContext, counter: Counter | None, question: _Question) -> None:
        """Add the explanations that ``question`` asks for."""
        from ... import UsageError
        from ... import explain as explain_candidate

        others = []
        for target in question.targets:
            if not target.strip():
                hint = "give an id or a path"
                raise UsageError("names no candidate", field=question.option, value=target, hint=hint)
            try:
                matching = explain_candidate(context, target)
            except UsageError as error:
                error.field = question.option
                raise
            # One candidate alone is explained whichever way it was asked for.
            found = [part for part in matching if len(matching) == 1 or question.takes(part.verdict)]
            if len(found) < len(matching):
                accepted = question.verdict != "accepted"
                others.append(_others(target, len(matching) - len(found), accepted=accepted))
            if counter is not None:
                found = counter.added(found, question.about)
            for explanation in found:
                head, *rest = explanation.lines()
                self.add([Line(shown(head), "bold"), *(Line(shown(text)) for text in rest)])
            self.data.setdefault("explanations", []).extend(part.to_data() for part in found)
        if others:
            self.add([Line(shown(text)) for text in others])

    def ask(
        self,
        context: PackedContext,
        problem: Problem,
        *,
        every: bool,
        changes: list[str],
        prices: bool,
        options: SolveOptions,
    ) -> None:
        """Add the answers to what is asked of the whole pack."""
        from ... import explain_all, left_out_csv, token_prices
        from ... import what_if as answer

        if every:
            left_out = explain_all(context, problem, options=options)
            self.data["leftOut"] = [entry.to_data() for entry in left_out]
            self.csv = left_out_csv(left_out)
            self.add(left_out_lines(left_out))
        if changes:
            after = answer(problem, changes, context=context, options=options)
            self.data["whatIf"] = after.to_data()
            self.add(what_if_lines(after, width()))
        if prices:
            tokens = token_prices(problem, context, options=options)
            self.data["prices"] = tokens.to_data()
            self.add(price_lines(tokens))


def _others(target: str, number: int, *, accepted: bool) -> str:
    fate = "accepted: ask with --why-accepted" if accepted else "left out: ask with --why-rejected"
    were = "that was" if number == 1 else "that were"
    return f"{target!r} names {count(number, 'more candidate')} {were} {fate}"
