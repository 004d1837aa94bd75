"""What a rendered prompt measures: recounted as a whole, never added up."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Literal

from ..models import ManifestEntry, Problem, PromptReport, UsageError
from .boundary import find_cache_breakpoint, text_digest
from .counting import Count, bad_counter, check_counted
from .render import RenderedPrompt

CountMany = Callable[[Sequence[str]], Sequence[int]]
"""Returns the tokens of each text, in order."""


def report(
    problem: Problem,
    rendered: RenderedPrompt,
    count: Count | None = None,
    *,
    method: Literal["exact", "approximate", "cached"],
    limit: int,
    count_many: CountMany | None = None,
    min_cacheable_tokens: int = 0,
    as_given: bool = False,
) -> PromptReport:
    """Measure ``rendered``.

    Parameters
    ----------
    count, count_many
        The tokenizer; ``count_many`` is used when given, with the whole text, its prefix and every block.
    method
        What the counts are.
    limit
        Tokens that the whole text may hold. It is stated, not enforced: the caller compares.
    min_cacheable_tokens
        The provider's minimum for a cached prefix.
    as_given
        Whether the units stand as authored.

    Returns
    -------
    PromptReport
        ``tokens`` is the recount of the whole text; ``overhead_tokens`` what the blocks do not account
        for (0 where a tokenizer counts less for the whole than for its parts); ``boundary.tokens`` is
        the recount of the prefix, frame included. Where units lead by the problem's word, the prefix is
        these: what is behind them changes from page to page.

    Raises
    ------
    UsageError
        Neither ``count`` nor ``count_many`` is given.
    SchemaError
        The counter returned something else than whole numbers, 0 or more (``invalid_token_count``).
    """
    blocks = [rendered.text[span.start : span.end] for span in rendered.spans]
    whole, prefix, *sizes = _counts([rendered.text, rendered.prefix, *blocks], count, count_many)
    units = [problem.by_id[name] for name in rendered.order]
    segments = [
        (unit.id, size, unit.stability if problem.lead is None or unit.id in problem.lead else "volatile")
        for unit, size in zip(units, sizes, strict=True)
    ]
    leading = find_cache_breakpoint(segments).index
    boundary = find_cache_breakpoint(
        segments, min_tokens=min_cacheable_tokens, frame_tokens=max(0, prefix - sum(sizes[:leading]))
    ).model_copy(update={"tokens": prefix, "prefix_digest": text_digest(rendered.prefix)})
    return PromptReport(
        format=rendered.format,
        order=rendered.order,
        placement="as-given" if as_given else None,
        boundary=boundary,
        untrusted_ids=rendered.untrusted_ids,
        tokens=whole,
        limit=limit,
        overhead_tokens=max(0, whole - sum(sizes)),
        method=method,
        digest=text_digest(rendered.text),
        manifest=tuple(
            ManifestEntry(id=span.id, start_line=span.start_line, end_line=span.end_line, tokens=size)
            for span, size in zip(rendered.spans, sizes, strict=True)
        ),
    )


def _counts(texts: list[str], count: Count | None, count_many: CountMany | None) -> list[int]:
    if count_many is not None:
        counts = list(count_many(texts))
    elif count is not None:
        counts = [count(text) for text in texts]
    else:
        raise UsageError("a report needs a token counter", field="count", hint="give count or count_many")
    if len(counts) != len(texts):
        raise bad_counter(f"{len(counts)} counts for {len(texts)} texts", "count")
    return [check_counted(number, "count") for number in counts]
