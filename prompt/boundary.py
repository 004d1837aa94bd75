"""Where the part of a prompt ends that a provider's prompt cache can reuse (seed 003).

A prompt cache matches from the first token on and stops at the first byte that differs. So it is
the position of a segment that makes it cacheable, not its own stability: a stable segment behind a
volatile one is stranded, and paid in full each time.
"""

from __future__ import annotations

from collections.abc import Iterable
from hashlib import sha256
from typing import Final, Literal

from ..models import Boundary, SchemaError, Stability
from ..models.reading import without_surrogates

SegmentSize = tuple[str, int, Stability | str]
"""(id, tokens, stability) of a part of a prompt."""

Reason = Literal["all_stable", "volatile_segment", "no_stable_prefix", "below_minimum", "empty"]
"""Why the stable prefix ends where it does, or is worth no cache marker."""

_MOST: Final = 2**40
"""Tokens that a prefix can hold: the ceiling of every count in an artifact."""


def find_cache_breakpoint(
    segments: Iterable[SegmentSize], *, min_tokens: int = 0, frame_tokens: int = 0
) -> Boundary:
    """Return the boundary of any ordered list of segments; it need not be a prompt of Satchel's.

    The stable prefix is the longest run of stable segments at the beginning. It is always named
    (``index``, ``segment_ids``); whether it is worth a cache marker is ``cacheable``.

    Parameters
    ----------
    segments
        In prompt order.
    min_tokens
        The provider's minimum: a shorter prefix is ignored by its cache.
    frame_tokens
        Unchanging tokens in front of the first segment; they count towards the prefix.

    Returns
    -------
    Boundary
        ``reason`` is the first that holds of ``empty`` (no segments), ``no_stable_prefix`` (the first
        is volatile), ``below_minimum``, ``all_stable``, ``volatile_segment``. ``ended_by`` is the first
        volatile segment, ``stranded_ids`` the stable ones behind it.

    Raises
    ------
    SchemaError
        ``invalid_segment``, ``invalid_token_count`` or ``duplicate_segment_id``.
    """
    checked = _check(segments)
    for name, number in (("min_tokens", min_tokens), ("frame_tokens", frame_tokens)):
        _check_tokens(name, number)
    index = next((i for i, (_, _, stable) in enumerate(checked) if not stable), len(checked))
    prefix, rest = checked[:index], checked[index:]
    tokens = frame_tokens + sum(count for _, count, _ in prefix)
    _check_tokens("segments", tokens)
    reason: Reason
    if not checked:
        reason = "empty"
    elif not prefix:
        reason = "no_stable_prefix"
    elif tokens < min_tokens:
        reason = "below_minimum"
    else:
        reason = "volatile_segment" if rest else "all_stable"
    return Boundary(
        index=index,
        segment_ids=tuple(name for name, _, _ in prefix),
        stranded_ids=tuple(name for name, _, stable in rest if stable),
        reason=reason,
        ended_by=rest[0][0] if rest else None,
        cacheable=reason in ("all_stable", "volatile_segment"),
        tokens=tokens,
    )


def _check(segments: Iterable[SegmentSize]) -> list[tuple[str, int, bool]]:
    checked: list[tuple[str, int, bool]] = []
    seen: set[str] = set()
    for i, segment in enumerate(segments):
        try:
            name, tokens, stability = segment
            stable = Stability(stability) is Stability.STABLE
            if not isinstance(name, str) or without_surrogates(name) != name:
                raise TypeError
        except (TypeError, ValueError):
            raise SchemaError(
                "is not a segment",
                code="invalid_segment",
                field=f"segments[{i}]",
                value=segment,
                hint="give (id, tokens, 'stable' or 'volatile')",
            ) from None
        _check_tokens(f"segments[{i}].tokens", tokens)
        if name in seen:
            raise SchemaError(
                "duplicate id",
                code="duplicate_segment_id",
                field=f"segments[{i}].id",
                value=name,
                hint="each id must be unique",
            )
        seen.add(name)
        checked.append((name, tokens, stable))
    return checked


def _check_tokens(field: str, tokens: object) -> None:
    if not isinstance(tokens, int) or isinstance(tokens, bool) or not 0 <= tokens <= _MOST:
        raise SchemaError(
            "is not a token count",
            code="invalid_token_count",
            field=field,
            value=tokens,
            hint=f"accepted: whole numbers, 0 to {_MOST}",
        )


def text_digest(text: str) -> str:
    """Return ``sha256:`` and the hex digest of a text's bytes: prefixes of one digest share their cache."""
    return "sha256:" + sha256(without_surrogates(text).encode("utf-8")).hexdigest()
