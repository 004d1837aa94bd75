"""The main job: a repository and a task in, a packed context and its prompt out."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Self

from .answering import Asked, Recalled, ground_read
from .caching import CacheOptions, CountBook, Notify, opened, told_once
from .counting import estimator_for_artifact, frame_tokens, recount
from .exits import clean_task, redacted, telling_names
from .models import (
    BudgetEnvelope,
    Counts,
    InfeasibleError,
    PackedContext,
    Problem,
    Task,
    UsageError,
)
from .models.reading import collector_paused
from .prefixes import order_of, prefix_diagnostics, rule_of
from .pricing import PriceOptions, dearer, lead_tokens
from .prompt import FORMATS, ORDERS, Order, RenderedPrompt, render, report
from .solver.conflict import least_budget
from .solver.demands import Allowance
from .solver.options import SolveOptions
from .solving import listening, seconds_left, solve
from .sources.roots import Root, folders
from .sources.scan import ScanOptions, ScanResult, kind_of, settled, survey, weigh
from .sources.tasks import TaskKind
from .sources.tokens import TokenEstimator, find_profile, make_estimator, model_profile, parse_tokens
from .volatility import mark_volatile

GUESSES = 12
"""Budgets that are tried to tell which one works, when the one that was given does not."""

GUESSING = 2.0
"""CP-SAT work units that all guesses may take together."""

ATTEMPTS = 5
"""How often a pack is solved again because the whole text counts more than its parts."""

DEFAULT_BUDGET = 32_000
"""Tokens of the whole prompt when neither a budget nor a model is named."""


@dataclass(frozen=True)
class PackOptions:
    """How to pack.

    Parameters
    ----------
    budget
        Ceiling on the whole rendered prompt, in tokens; the model's input room when None, or
        ``DEFAULT_BUDGET`` when no model is named either.
    model, encoding, tokenizer_file, approximate
        How tokens are counted: one of the four, or exact o200k_base counts.
    format
        Of the prompt: ``markdown``, ``xml`` or ``plain``.
    scan
        What is read.
    solve
        How it is solved.
    engine
        Which engine solves it, instead of Satchel's own search; see :func:`satchel.engines`.
    order
        ``stable-first``, which a prompt cache needs, or ``as-given``: units stand in authored order.
    volatile
        Globs of files that change between calls: their units stand behind the task, where no cache holds
        them. All others are stable.
    pricing
        What calls cost, and what that decides of the pack.
    cache
        Where what is found out is remembered from run to run; nowhere when None. It changes no byte of a
        pack, but for what ``scan.summaries`` says.
    on_stage
        Called with a word for each stage as it starts.
    on_notice
        Called with a sentence that the user should read: on a cache that cannot be used.

    Raises
    ------
    UsageError
        Unknown format or order, a budget that is no number of tokens, or prices for a prompt whose stable
        units do not lead it.
    """

    budget: int | None = None
    model: str | None = None
    encoding: str | None = None
    tokenizer_file: str | None = None
    approximate: bool = False
    format: str = "markdown"
    scan: ScanOptions = field(default_factory=ScanOptions)
    solve: SolveOptions = field(default_factory=SolveOptions)
    engine: str | None = None
    order: Order = "stable-first"
    volatile: tuple[str, ...] = ()
    pricing: PriceOptions | None = None
    cache: CacheOptions | None = None
    on_stage: Callable[[str], None] | None = None
    on_notice: Notify | None = None

    def __post_init__(self) -> None:
        if self.format not in FORMATS:
            hint = f"accepted: {', '.join(FORMATS)}"
            raise UsageError("unknown format", field="format", value=self.format, hint=hint)
        if self.order not in ORDERS:
            hint = f"accepted: {', '.join(ORDERS)}"
            raise UsageError("unknown order", field="order", value=self.order, hint=hint)
        if self.pricing is not None and self.order != "stable-first":
            hint = "leave the order out: only stable units in front of all others are paid for as cached"
            raise UsageError("does not go with prices", field="order", value=self.order, hint=hint)
        if self.budget is not None:
            if not isinstance(self.budget, int) or isinstance(self.budget, bool):
                hint = "give a whole number; parse_tokens reads texts such as 8k"
                raise UsageError("is not a number of tokens", field="budget", value=self.budget, hint=hint)
            parse_tokens(self.budget, option="budget")


@dataclass(frozen=True)
class PackResult:
    """The artifact, the problem that it answers, and the prompt's text."""

    context: PackedContext
    problem: Problem
    prompt: str

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, PackResult):
            return NotImplemented
        same = (self.context, self.prompt) == (other.context, other.prompt)
        return same and self.problem == other.problem

    def context_text(self) -> str:
        """Return the artifact as it is written to a file."""
        return self.context.to_json()

    def problem_text(self) -> str:
        """Return the problem as it is written to a file."""
        return self.problem.to_json()

    def problem_bytes(self) -> bytes:
        """Return the same as UTF-8."""
        return self.problem_text().encode("utf-8")


class RecalledPack(PackResult):
    """One that was made before. Its problem is large, and read only when it is asked for."""

    _recalled: Recalled | None = None

    @classmethod
    def of(cls, recalled: Recalled) -> Self:
        """Return the pack; its texts are as they were written."""
        result = cls.__new__(cls)
        parts = {"context": recalled.context, "prompt": recalled.prompt, "_recalled": recalled}
        for name, part in parts.items():
            object.__setattr__(result, name, part)
        return result

    @cached_property
    def problem(self) -> Problem:
        """The problem that the artifact answers."""
        return Problem.from_json(self.problem_bytes())

    def context_text(self) -> str:
        """Return the artifact as it is written to a file."""
        return self._recalled.context_text if self._recalled else super().context_text()

    def problem_text(self) -> str:
        """Return the problem as it is written to a file."""
        return self.problem_bytes().decode("utf-8") if self._recalled else super().problem_text()

    def problem_bytes(self) -> bytes:
        """Return the same as UTF-8."""
        return self._recalled.problem_bytes() if self._recalled else super().problem_bytes()


def pack(root: Root, task: Task, options: PackOptions | None = None) -> PackResult:
    """Scan ``root`` for evidence, choose what serves ``task`` best within the budget, and render it.

    Several folders are read as one: each path begins with the label of its folder, as paths in ``task`` do.
    What was packed before, of contents that have not changed since, is given again from the cache.
    The recount of the rendered text never exceeds the budget.

    Raises
    ------
    InfeasibleError
        What must be in does not fit; names the smallest budget that works.
    InputError
        The folder, task, model or an option is at fault.
    """
    options, task = options or PackOptions(), clean_task(task)
    estimator, roots = estimator_of(options), folders(root)
    options = replace(options, scan=settled(roots, options.scan))
    if options.on_notice:
        options = replace(options, on_notice=told_once(options.on_notice))
    asked = Asked.of(roots, task, options, estimator)
    if asked and (recalled := asked.recalled()):
        return RecalledPack.of(recalled)
    found, problem, ground = _prepared(roots, task, options, estimator)
    # A first Ctrl-C from here on ends the search, not the pack.
    with listening():
        result = finish(found, problem, options, estimator)
        if asked:
            asked.keep(ground, result)
        return result


def finish(
    found: ScanResult, problem: Problem, options: PackOptions, estimator: TokenEstimator
) -> PackResult:
    """Solve and render ``problem``, which is that of a scan; raises as :func:`pack`."""
    for _ in range(ATTEMPTS):
        _stage(options, "solving")
        started = time.monotonic()
        try:
            context = solve(problem, options.solve, engine=options.engine)
        except InfeasibleError as error:
            left = seconds_left(options.solve, started)
            raise _in_prompt_tokens(error, problem, found.kind, left) from None
        _stage(options, "rendering")
        rendered = _rendered(problem, context, options.format, options.order)
        context = _complete(context, problem, rendered, found, estimator, options.order)
        assert context.prompt is not None
        excess = context.prompt.tokens - context.prompt.limit
        paid = dearer(problem, context.prompt)
        if excess <= 0 and paid is None:
            return PackResult(context.seal(), problem, rendered.text)
        # A tokenizer that is not additive counted more for the whole than for its parts.
        problem = _tightened(problem, excess) if excess > 0 else paid or problem
    raise InfeasibleError(
        f"the rendered prompt stays {excess} tokens over the budget",
        code="not_additive",
        hint="raise the budget a little, or count with another encoding",
    )


def prepare(root: Root, task: Task, options: PackOptions | None = None) -> tuple[ScanResult, Problem]:
    """Return what :func:`pack` finds in ``root`` and the problem that it would solve; raises as it does."""
    options, roots = options or PackOptions(), folders(root)
    options = replace(options, scan=settled(roots, options.scan))
    found, problem, _ = _prepared(roots, clean_task(task), options, estimator_of(options))
    return found, problem


def problem_of(
    found: ScanResult,
    task: Task,
    options: PackOptions,
    estimator: TokenEstimator,
    book: CountBook | None = None,
) -> Problem:
    """Return the packing problem of a scan, every form counted as rendered, unless ``book`` knows it."""
    _stage(options, "counting")
    problem = Problem(
        schema_version="packing-problem.v1",
        task=task,
        profile=model_profile(estimator),
        envelope=_envelope(task, options, estimator, found.kind),
        policy=found.policy,
        weights=found.weights,
        redundancy_groups=found.groups,
        coverage=found.dimensions,
        units=mark_volatile(found.units, options.volatile),
    )
    # The scan has cleaned the texts; a secret in a file's name is the exit's business, and the recount's.
    problem = recount(problem, estimator, options.format, redact=None, book=book)
    if options.pricing is None:
        return problem
    return options.pricing.of(problem, lead_tokens(problem, estimator, options.format))


def plan_budget(task: Task, options: PackOptions | None = None) -> BudgetEnvelope:
    """Return the envelope that :func:`pack` would give ``task``: window, reserves, frame, zones.

    Raises
    ------
    InfeasibleError
        The budget is above what the model takes, or does not hold the frame of the prompt.
    """
    options = options or PackOptions()
    return _envelope(task, options, estimator_of(options))


def recount_problem(problem: Problem, options: PackOptions) -> Problem:
    """Return ``problem`` counted as ``options`` say, or as its own profile says where they name no way."""
    named = options.model or options.encoding or options.tokenizer_file or options.approximate
    if problem.profile is not None and not named:
        return recount(problem, estimator_for_artifact(problem.profile), options.format)
    estimator = estimator_of(options)
    profiled = problem.model_copy(update={"profile": model_profile(estimator)})
    return recount(profiled, estimator, options.format)


def render_artifact(
    context: PackedContext, problem: Problem, fmt: str | None = None, *, tokenizer_file: str | None = None
) -> RenderedPrompt:
    """Render the pack of ``context`` again, in its own format or another one, within the same limit.

    Parameters
    ----------
    tokenizer_file
        The tokenizer.json that counted the artifact, if one did.

    Raises
    ------
    UsageError
        ``problem`` is not the one that the artifact answers, or its tokenizer cannot be had.
    InfeasibleError
        The text holds more tokens in this format than the artifact's limit.
    """
    if problem.digest != context.solver.problem_digest:
        raise UsageError(
            "the artifact answers another problem than the one given",
            code="other_problem",
            field="problem",
            hint="give the problem file that was written with the artifact",
        )
    stated = context.prompt.format if context.prompt else "markdown"
    rendered = _rendered(problem, context, fmt or stated, order_of(context))
    if context.model_profile is None or (context.prompt and context.prompt.format == rendered.format):
        return rendered
    estimator = estimator_for_artifact(context.model_profile, tokenizer_file)
    (tokens,) = estimator.count_batch([rendered.text])
    if tokens > (limit := _prompt_limit(problem.envelope)):
        raise InfeasibleError(
            f"as {rendered.format} the prompt holds {tokens} tokens of {limit}",
            code="format_does_not_fit",
            field="format",
            value=rendered.format,
            hint=f"pack again with --format {rendered.format}",
            data={"tokens": tokens, "limit": limit},
        )
    return rendered


def _prepared(
    roots: Sequence[Path], task: Task, options: PackOptions, estimator: TokenEstimator
) -> tuple[ScanResult, Problem, str | None]:
    """Return what is found, the problem, and the ground that both rest on (:mod:`.answering`)."""
    of_revision = bool(options.scan.walk.revision)
    _envelope(task, options, estimator)  # a budget that cannot work is told before anything is read
    _stage(options, "reading")
    memory = opened(roots, options.cache, options.on_notice, revisions=of_revision)
    with collector_paused(), memory as cache:
        book = CountBook(cache, estimator, options.format) if cache else None
        remembered = replace(options.scan, cache=cache, plain=book.plain if book else None)
        read = survey(roots, remembered, task.focus)
        found = weigh(read, task, remembered)
        problem = problem_of(found, task, options, estimator, book)
        if book:
            book.flush(problem.units)
        return found, problem, ground_read(cache, read)


def _envelope(
    task: Task, options: PackOptions, estimator: TokenEstimator, kind: TaskKind | None = None
) -> BudgetEnvelope:
    kind = kind or kind_of(task, options.scan)
    limit, window, margin = _limit(options)
    overhead = frame_tokens(task, estimator, options.format)
    if overhead > limit:
        raise InfeasibleError(
            f"a budget of {limit} tokens does not hold the frame of the prompt, which takes {overhead}",
            code="frame_does_not_fit",
            field="budget",
            value=limit,
            hint=f"the smallest budget that holds anything is above {overhead}",
            data={"smallestBudget": overhead + 1},
        )
    return BudgetEnvelope(
        model_id=options.model,
        max_context_tokens=window,
        reserved_output_tokens=window - limit,
        reserved_safety_margin_tokens=margin,
        fixed_overhead_tokens=overhead,
        available_input_tokens=limit - overhead - margin,
        zones=kind.zones_for(limit - overhead - margin),
    )


def _prompt_limit(envelope: BudgetEnvelope) -> int:
    """Return what the whole prompt may hold: the units' tokens, the frame's, and the margin's."""
    return envelope.available + envelope.fixed_overhead_tokens + envelope.reserved_safety_margin_tokens


def estimator_of(options: PackOptions) -> TokenEstimator:
    """Return what counts tokens as ``options`` say."""
    return make_estimator(
        model=options.model,
        encoding=options.encoding,
        tokenizer_file=options.tokenizer_file,
        approximate=options.approximate,
    )


def _limit(options: PackOptions) -> tuple[int, int, int]:
    """Return the ceiling on the prompt, the window that it is part of, and the margin within it, in tokens.

    Where a model's tokens can only be estimated and no budget is named, the margin holds the most that its
    band says the true count may be above the estimate.
    """
    if options.model is None:
        limit = DEFAULT_BUDGET if options.budget is None else options.budget
        return limit, limit, 0
    spec = find_profile(options.model)
    room = spec.input_room()
    limit = room if options.budget is None else options.budget
    if limit > room:
        raise InfeasibleError(
            f"{spec.model_id} takes at most {room} tokens of input beside its reserve for the answer",
            code="budget_above_model",
            field="budget",
            value=limit,
            hint=f"accepted: up to {room}",
        )
    margin = 0
    if options.budget is None and spec.band[1] > 1:
        margin = limit - int(limit / spec.band[1])
    return limit, limit + spec.default_output_reserve, margin


def _rendered(
    problem: Problem, context: PackedContext, fmt: str, order: Order = "stable-first"
) -> RenderedPrompt:
    accepted = [(unit.id, unit.rung) for unit in context.accepted_units]
    return render(problem, accepted, fmt, order=order, redact=redacted)


def _complete(
    context: PackedContext,
    problem: Problem,
    rendered: RenderedPrompt,
    found: ScanResult,
    estimator: TokenEstimator,
    order: Order,
) -> PackedContext:
    """Return the artifact with its prompt, the files that became no unit, and what the scan has to say."""
    rule = rule_of(problem.profile)
    prompt = report(
        problem,
        rendered,
        count_many=estimator.count_batch,
        method=estimator.method,
        limit=_prompt_limit(problem.envelope),
        min_cacheable_tokens=rule.minimum if rule else 0,
        as_given=order == "as-given",
    )
    remarks = prefix_diagnostics(prompt, problem, rule)
    counts, skipped = context.counts, (*context.skipped_units, *found.skipped)
    return PackedContext(
        **{
            **{name: getattr(context, name) for name in PackedContext.model_fields},
            "counts": Counts(
                candidates=counts.candidates + len(found.skipped),
                accepted=counts.accepted,
                rejected=counts.rejected,
                skipped=len(skipped),
            ),
            "skipped_units": skipped,
            "diagnostics": (*context.diagnostics, *found.diagnostics, *remarks, *telling_names(problem)),
            "scan": found.report,
            "prompt": prompt,
        }
    )


def _in_prompt_tokens(
    error: InfeasibleError, problem: Problem, kind: TaskKind, seconds: float | None
) -> InfeasibleError:
    """Return ``error`` with the smallest budget as the user states it: of the whole prompt, and tried.

    A larger budget also raises the zones' limits, which are shares of it, so each guess is asked what it
    needs.
    """
    if error.code != "infeasible" or "conflict" not in error.data:
        return error
    overhead = problem.envelope.fixed_overhead_tokens
    budget = problem.envelope.available + overhead
    # A budget among the relaxations would be of the units alone, within the zones' limits of now.
    changes = [change for change in error.data["relaxations"] if change["kind"] != "budget"]
    data = {**error.data, "relaxations": changes}
    needed = data.pop("smallestBudget", None)
    data.pop("smallestBudgetProven", None)
    allowance = Allowance.of(GUESSING, seconds, 0)
    for _ in range(GUESSES):
        budget = max(budget + 1, needed + overhead) if needed is not None else budget + budget // 4 + 1
        zones = kind.zones_for(budget - overhead)
        envelope = BudgetEnvelope(available_input_tokens=budget - overhead, zones=zones)
        needed = least_budget(problem.model_copy(update={"envelope": envelope}), allowance)
        if needed is None or needed > budget - overhead:
            continue
        hint = (
            f"a budget of {budget} tokens works: {overhead} for the frame of the prompt, the rest for units"
        )
        if largest := data.get("largestRequired"):
            hint += f"; the largest required unit is {largest[0]['unit']!r} with {largest[0]['tokens']}"
        data["smallestBudget"] = budget
        return InfeasibleError(error.message, code=error.code, field=error.field, hint=hint, data=data)
    return InfeasibleError(error.message, code=error.code, field=error.field, hint=error.hint, data=data)


def _tightened(problem: Problem, excess: int) -> Problem:
    envelope = problem.envelope
    tight = BudgetEnvelope(
        **{
            **{name: getattr(envelope, name) for name in BudgetEnvelope.model_fields},
            "reserved_safety_margin_tokens": envelope.reserved_safety_margin_tokens + excess,
            "available_input_tokens": envelope.available - excess,
        }
    )
    return problem.model_copy(update={"envelope": tight})


def _stage(options: PackOptions, name: str) -> None:
    if options.on_stage is not None:
        options.on_stage(name)
