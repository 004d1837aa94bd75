"""Where cache markers go: several of them where a provider allows it, never more than it allows.

A marker ends a prefix. The last one stands at the end of the stable prefix; earlier ones save what is in
front of them when a later part changes. Which borders get the markers that are left is chosen so that the
tokens that survive a change are most in the mean, each part being as likely to change first as any other.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from ..models import Boundary, UsageError
from .boundary import SegmentSize, find_cache_breakpoint
from .cache_rules import CacheRule


@dataclass(frozen=True, slots=True)
class Marker:
    """A cache marker behind the segment ``after_id``.

    Attributes
    ----------
    index
        Number of segments in front of it.
    tokens
        Tokens in front of it, frame included.
    lifetime
        The provider's name for how long the prefix is kept; empty for its default.
    """

    after_id: str
    index: int
    tokens: int
    lifetime: str = ""


@dataclass(frozen=True, slots=True)
class CachePlan:
    """The boundary, the markers in prompt order, what the cache holds, and what is in doubt."""

    boundary: Boundary
    markers: tuple[Marker, ...]
    cached_tokens: int
    warnings: tuple[str, ...]


def plan_breakpoints(
    segments: Iterable[SegmentSize],
    rule: CacheRule,
    *,
    borders: Sequence[str] = (),
    lifetimes: Mapping[str, str] | None = None,
    used: int = 0,
    frame_tokens: int = 0,
    max_breakpoints: int | None = None,
) -> CachePlan:
    """Place cache markers in an ordered prompt.

    Parameters
    ----------
    segments
        In prompt order.
    borders
        Ids of segments behind which another marker may stand, such as the last of each zone; those outside
        the stable prefix, or too near its beginning, get none.
    lifetimes
        By id of a border (or of the last segment of the prefix), a lifetime that the provider offers.
    used
        Markers that the caller's own request holds already (on tool definitions, for example); they count.
    frame_tokens
        Unchanging tokens in front of the first segment.
    max_breakpoints
        A limit below the provider's own; with 0 none is placed.

    Raises
    ------
    UsageError
        ``too_many_breakpoints``: ``used`` leaves none; ``unknown_lifetime``; ``lifetime_order``: a shorter
        lifetime stands before a longer one; an unknown border.
    """
    listed = list(segments)
    boundary = find_cache_breakpoint(listed, min_tokens=rule.minimum, frame_tokens=frame_tokens)
    warnings = [text] if (text := rule.doubt(boundary.tokens)) and boundary.cacheable else []
    if not boundary.cacheable or rule.kind == "automatic" or max_breakpoints == 0:
        found = boundary.cacheable and rule.kind == "automatic"
        cached = rule.cached(boundary.tokens) if found else 0
        return CachePlan(boundary, (), cached, tuple(warnings))
    room = _room(rule, used, max_breakpoints)
    sums = [frame_tokens]
    for _, tokens, _ in listed[: boundary.index]:
        sums.append(sums[-1] + tokens)
    places = {name: i + 1 for i, (name, _, _) in enumerate(listed)}
    allowed = {_place(places, name) for name in (*borders, *(lifetimes or {}))}
    early = [i for i in sorted(allowed) if i < boundary.index and sums[i] >= rule.minimum]
    chosen = [*(early[i] for i in _best([sums[i] for i in early], room - 1)), boundary.index]
    markers = tuple(
        Marker(listed[i - 1][0], i, sums[i], (lifetimes or {}).get(listed[i - 1][0], "")) for i in chosen
    )
    _check_lifetimes(markers, rule)
    warnings += [text for marker in markers[:-1] if (text := rule.doubt(marker.tokens))]
    return CachePlan(boundary, markers, rule.cached(boundary.tokens), tuple(warnings))


def _room(rule: CacheRule, used: int, limit: int | None) -> int:
    allowed = rule.breakpoints - rule.implicit_breakpoints
    room = (allowed if limit is None else min(allowed, limit)) - used
    if used < 0 or room < 1:
        raise UsageError(
            f"no cache marker is left: {rule.provider} takes {rule.breakpoints} a request"
            + (f", {rule.implicit_breakpoints} of them its own" if rule.implicit_breakpoints else ""),
            code="too_many_breakpoints",
            field="used",
            value=used,
            hint=f"accepted: 0 to {max(0, room + used - 1)} markers of your own",
        )
    return room


def _place(places: Mapping[str, int], name: str) -> int:
    if name not in places:
        raise UsageError("no segment has this id", field="borders", value=name, hint="give ids of segments")
    return places[name]


def _best(sums: Sequence[int], room: int) -> tuple[int, ...]:
    """Return the indices, at most ``room``, of the borders that keep most tokens in the mean.

    A change in the part behind border ``j`` keeps what the last chosen border up to ``j`` holds. Of equal
    choices the one with fewer markers, then the one with earlier markers.
    """
    count = len(sums)
    if room < 1 or not count:
        return ()
    # Of each border: what is kept from it on when it is chosen, and which are chosen from it on.
    tails: list[tuple[int, tuple[int, ...]]] = [(sums[i] * (count - i), (i,)) for i in range(count)]
    for _ in range(room - 1):
        before = list(tails)
        for i in range(count):
            for j in range(i + 1, count):
                kept = sums[i] * (j - i) + before[j][0]
                if kept > tails[i][0]:
                    tails[i] = (kept, (i, *before[j][1]))
    return max(tails, key=lambda tail: (tail[0], -len(tail[1]), [-i for i in tail[1]]))[1]


def _check_lifetimes(markers: Sequence[Marker], rule: CacheRule) -> None:
    shortest: int | None = None
    default = min(rule.lifetimes.values(), default=0)
    for marker in markers:
        if marker.lifetime and marker.lifetime not in rule.lifetimes:
            raise UsageError(
                f"{rule.provider} offers no such lifetime",
                code="unknown_lifetime",
                field=f"lifetimes.{marker.after_id}",
                value=marker.lifetime,
                hint=f"accepted: {', '.join(rule.lifetimes)}",
            )
        seconds = rule.lifetimes.get(marker.lifetime, default)
        if shortest is not None and seconds > shortest:
            raise UsageError(
                "a longer lifetime stands behind a shorter one, which providers refuse",
                code="lifetime_order",
                field=f"lifetimes.{marker.after_id}",
                value=marker.lifetime,
                hint="give the parts in front at least the lifetime of those behind",
            )
        shortest = seconds
