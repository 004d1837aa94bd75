"""The prompt: units in their order inside the frame.

::

    guide                     the same for every task
    stable units              system, output contract, task contract, repository map, evidence, …
    ------------------------  here the stable prefix ends
    task                      the words of this task
    volatile units            in the same order of zones
    request                   the final instruction

This is the order of seed 000 §9 with one change: the task stands behind the stable units, not before
the repository map. Evidence stays the same between tasks on one revision and the words of a task
never do; a provider's cache reuses only an unchanged beginning, so a task in front of the evidence
would make every task pay for all of it. A contract that a page needs early is a unit of the zone
``task`` or ``output_contract``, and sits where the seed has it. With ``as-given`` the units stand as
authored, and the task behind the stable ones that lead.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import cast

from ..models import Problem, Stability, Trust
from .blocks import Format, render_block
from .emit import Redact
from .frame import frame_texts
from .order import Order, place


@dataclass(frozen=True, slots=True)
class Span:
    """Where a unit's block stands: 1-based inclusive lines (its blank lines at the end left out), and
    character offsets of the whole block into the text.
    """

    id: str
    rung: int
    start_line: int
    end_line: int
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class RenderedPrompt:
    """The text and what stands where in it.

    Attributes
    ----------
    format
        One of ``FORMATS``.
    order
        Ids as placed.
    spans
        One per unit, in that order.
    prefix_end
        Characters of the stable prefix: the guide and the stable units that lead, or those that lead by the
        problem's word, where it shares them with other pages.
    untrusted_ids
        Units whose text is data and never instruction, in prompt order.
    """

    text: str
    format: Format
    order: tuple[str, ...]
    spans: tuple[Span, ...]
    prefix_end: int
    untrusted_ids: tuple[str, ...]

    @property
    def prefix(self) -> str:
        """What a provider's cache can reuse: send it as the cached block."""
        return self.text[: self.prefix_end]

    @property
    def suffix(self) -> str:
        """What is new input on every call."""
        return self.text[self.prefix_end :]


def render(
    problem: Problem,
    accepted: Sequence[tuple[str, int]],
    fmt: str = "markdown",
    order: Order = "stable-first",
    redact: Redact | None = None,
) -> RenderedPrompt:
    """Return the prompt that shows ``accepted``, pairs of a unit's id and the index of its rung.

    ``redact`` replaces secrets in everything that becomes part of it: texts, names, the words of the task.

    Raises
    ------
    UsageError
        Unknown format or order, a unit given twice, or no such rung.
    UnknownReferenceError
        An id that is no unit of the problem.
    SchemaError
        A unit without text (``no_text``).
    """
    frame = frame_texts(problem.task, fmt, redact)
    placed = place(problem, (name for name, _ in accepted), order)
    rungs = dict(accepted)
    units = [problem.by_id[name] for name in placed]
    leading = next((i for i, u in enumerate(units) if u.stability is not Stability.STABLE), len(units))
    blocks = [render_block(unit, rungs[unit.id], fmt, redact) for unit in units]
    writer = _Writer()
    writer.add(frame.guide)
    spans = writer.units((placed[i], rungs[placed[i]], blocks[i]) for i in range(leading))
    prefix_end = writer.offset if problem.lead is None else _end_of_lead(problem, spans, len(frame.guide))
    writer.add(frame.task)
    spans += writer.units((placed[i], rungs[placed[i]], blocks[i]) for i in range(leading, len(units)))
    writer.add(frame.request)
    return RenderedPrompt(
        text="".join(writer.pieces),
        format=cast(Format, fmt),  # frame_texts refused every other
        order=placed,
        spans=tuple(spans),
        prefix_end=prefix_end,
        untrusted_ids=tuple(unit.id for unit in units if unit.trust is Trust.UNTRUSTED),
    )


def _end_of_lead(problem: Problem, spans: Sequence[Span], guide: int) -> int:
    lead = set(problem.lead or ())
    return max((span.end for span in spans if span.id in lead), default=guide)


class _Writer:
    """Collects emitted pieces and keeps count of characters and lines."""

    def __init__(self) -> None:
        self.pieces: list[str] = []
        self.offset = 0
        self.line = 1

    def add(self, piece: str) -> None:
        self.pieces.append(piece)
        self.offset += len(piece)
        self.line += piece.count("\n")

    def units(self, blocks: Iterable[tuple[str, int, str]]) -> list[Span]:
        spans = []
        for name, rung, block in blocks:
            start, first = self.offset, self.line
            last = first + block.rstrip("\n").count("\n")
            self.add(block)
            spans.append(Span(name, rung, first, last, start, self.offset))
        return spans
