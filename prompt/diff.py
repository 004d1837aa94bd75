"""Two prompts compared: the first byte that differs and the unit that holds it, and what came and went."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from .render import RenderedPrompt, Span

FRAME: Final = ""
"""Stands for the id where a byte is in no unit: in the guide, the task or the closing request."""


@dataclass(frozen=True, slots=True)
class FirstDifference:
    """Where two texts part.

    Attributes
    ----------
    byte
        0-based offset into both, in UTF-8: so many bytes are shared, and a cache can reuse no more.
    line, column
        1-based, in characters; of the first text.
    in_a, in_b
        The unit that holds that byte in each; :data:`FRAME` outside units or beyond the end.
    """

    byte: int
    line: int
    column: int
    in_a: str
    in_b: str


@dataclass(frozen=True, slots=True)
class PackDiff:
    """What came, went, changed its rung, or moved among those that stayed; ids in prompt order."""

    entered: tuple[str, ...]
    left: tuple[str, ...]
    changed_rung: tuple[tuple[str, int, int], ...]
    moved: tuple[str, ...]

    @property
    def is_empty(self) -> bool:
        """Whether both packs show the same units at the same rungs in the same order."""
        return not (self.entered or self.left or self.changed_rung or self.moved)


def first_difference(
    a: str, b: str, spans_a: Sequence[Span] = (), spans_b: Sequence[Span] = ()
) -> FirstDifference | None:
    """Return where ``a`` and ``b`` part, or None where they are the same (K15)."""
    if a == b:
        return None
    at = _shared(a, b)
    # Half a character can be shared, too: bytes are what a cache compares.
    head_a, head_b = a[at : at + 1].encode("utf-8"), b[at : at + 1].encode("utf-8")
    extra = _shared_bytes(head_a, head_b)
    return FirstDifference(
        byte=len(a[:at].encode("utf-8")) + extra,
        line=a.count("\n", 0, at) + 1,
        column=at - (a.rfind("\n", 0, at) + 1) + 1,
        in_a=_holder(spans_a, at),
        in_b=_holder(spans_b, at),
    )


def diff_packs(a: Mapping[str, int], b: Mapping[str, int]) -> PackDiff:
    """Compare packs, each the rung of every unit by id, in prompt order."""
    stayed_a = [name for name in a if name in b]
    stayed_b = [name for name in b if name in a]
    in_order = set(_longest_common(stayed_a, stayed_b))
    return PackDiff(
        entered=tuple(name for name in b if name not in a),
        left=tuple(name for name in a if name not in b),
        changed_rung=tuple((name, a[name], b[name]) for name in stayed_a if a[name] != b[name]),
        moved=tuple(name for name in stayed_b if name not in in_order),
    )


def shared_units(a: RenderedPrompt, b: RenderedPrompt) -> tuple[str, ...]:
    """Return the ids of the units that lie wholly in front of the first difference."""
    at = _shared(a.text, b.text)
    return tuple(span.id for span in a.spans if span.end <= at)


def _shared(a: str, b: str) -> int:
    """Return how many characters the texts share, by halving: comparing slices is fast."""
    low, high = 0, min(len(a), len(b))
    while low < high:
        middle = (low + high + 1) // 2
        if a[low:middle] == b[low:middle]:
            low = middle
        else:
            high = middle - 1
    return low


def _shared_bytes(a: bytes, b: bytes) -> int:
    count = 0
    for one, other in zip(a, b, strict=False):
        if one != other:
            break
        count += 1
    return count


def _holder(spans: Sequence[Span], at: int) -> str:
    return next((span.id for span in spans if span.start <= at < span.end), FRAME)


def _longest_common(a: Sequence[str], b: Sequence[str]) -> list[str]:
    """Return the longest run of names that stand in the same order in both; each has every name once."""
    place = {name: i for i, name in enumerate(a)}
    ends: list[int] = []
    last: list[int] = []
    before: list[int] = []
    order = [place[name] for name in b]
    for i, value in enumerate(order):
        k = bisect_left(ends, value)
        before.append(last[k - 1] if k else -1)
        if k == len(ends):
            ends.append(value)
            last.append(i)
        else:
            ends[k], last[k] = value, i
    kept, i = [], last[-1] if last else -1
    while i >= 0:
        kept.append(b[i])
        i = before[i]
    return kept[::-1]
