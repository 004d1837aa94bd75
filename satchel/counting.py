"""Token counts of what will be rendered: of every form of every unit, and of the frame around them."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Final, NamedTuple

from .exits import redacted
from .models import ContextUnit, ModelProfile, Problem, Rendering, Task, UsageError
from .prompt import Redact, frame_texts, render_block
from .sources.tokens import TokenEstimator, make_estimator

if TYPE_CHECKING:
    from .caching import CountBook

_AT_ONCE: Final = 8_192
"""So many rendered blocks are in memory together."""


class _Fresh(NamedTuple):
    """A block that is to be counted, and the place of its count."""

    place: int
    unit: ContextUnit
    digest: bytes
    text: str


def recount(
    problem: Problem,
    estimator: TokenEstimator,
    fmt: str = "markdown",
    redact: Redact | None = redacted,
    book: CountBook | None = None,
) -> Problem:
    """Return ``problem`` with the token count of every form that has a text, as rendered in ``fmt``.

    Forms without text keep the count that they state. ``redact`` is None where all texts are clean already;
    only then may there be a ``book`` of counts that are known.
    """
    counts: list[int] = []
    fresh: list[_Fresh] = []

    def count() -> None:
        counted = estimator.count_batch([block.text for block in fresh])
        for block, tokens in zip(fresh, counted, strict=True):
            counts[block.place] = tokens
            if book:
                book.put(block.unit, block.digest, tokens)
        fresh.clear()

    for unit in problem.units:
        if book and book.is_counted(unit):
            continue
        ladder = unit.ladder()
        digests = book.digests(unit, ladder) if book else ()
        for index, form in enumerate(ladder):
            if form.text is None:
                continue
            known = book.get(digests[index]) if book else None
            if known is None:
                digest = digests[index] if book else b""
                fresh.append(_Fresh(len(counts), unit, digest, render_block(unit, index, fmt, redact)))
            counts.append(0 if known is None else known)
        if len(fresh) >= _AT_ONCE:
            count()
    count()
    every = iter(counts)
    units = tuple(
        [
            unit if book and book.is_counted(unit) else _counted(unit, lambda: next(every))
            for unit in problem.units
        ]
    )
    return problem.model_copy(update={"units": units})


def count_missing(problem: Problem, estimator: TokenEstimator, fmt: str = "markdown") -> Problem:
    """Return ``problem`` with counts for the units that state none, and all others untouched."""
    lacking = tuple(unit for unit in problem.units if any(form.tokens is None for form in unit.ladder()))
    if not lacking:
        return problem
    counted = recount(problem.model_copy(update={"units": lacking}), estimator, fmt)
    by_id = {unit.id: unit for unit in counted.units}
    units = tuple(by_id.get(unit.id, unit) for unit in problem.units)
    return problem.model_copy(update={"units": units})


def frame_tokens(task: Task | None, estimator: TokenEstimator, fmt: str) -> int:
    """Return the tokens of what a prompt for ``task`` holds besides units."""
    return sum(estimator.count_batch(list(frame_texts(task, fmt, redacted))))


def estimator_for_artifact(profile: ModelProfile | None, tokenizer_file: str | None = None) -> TokenEstimator:
    """Return the estimator that counted an artifact.

    Raises
    ------
    UsageError
        It cannot be had here, or is another version: the message says which was used.
    """
    stated = profile.tokenizer if profile else ""
    if tokenizer_file is not None:
        estimator = make_estimator(tokenizer_file=tokenizer_file)
    elif profile is not None and profile.model:
        estimator = make_estimator(model=profile.model)
    elif "/" in stated and not stated.startswith(("tokenizers ", "satchel-bytes")):
        estimator = make_estimator(encoding=stated.rsplit("/", 1)[1])
    elif stated.startswith("satchel-bytes"):
        estimator = make_estimator(approximate=True)
    else:
        hint = "give the tokenizer.json that counted it with --tokenizer"
        raise UsageError(
            "the artifact's tokenizer cannot be rebuilt",
            field="modelProfile.tokenizer",
            value=stated,
            hint=hint,
        )
    if estimator.name != stated:
        raise UsageError(
            f"the artifact was counted by another tokenizer than the {estimator.name!r} at hand",
            code="other_tokenizer",
            field="modelProfile.tokenizer",
            value=stated,
            hint="install that version, or pack again",
        )
    return estimator


def _counted(unit: ContextUnit, count: Callable[[], int]) -> ContextUnit:
    """Return the unit with the next counts; neither it nor its forms hold anything but their fields."""
    values = dict(unit.__dict__)
    if unit.text is not None:
        values["token_estimate"] = count()
    if unit.renderings:
        values["renderings"] = tuple(
            [
                form if form.text is None else Rendering.trusted(**{**form.__dict__, "tokens": count()})
                for form in unit.renderings
            ]
        )
    return ContextUnit.trusted(**values)
