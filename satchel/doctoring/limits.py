"""Where the limits of a pack pinch: coverage, near misses, zones, the count of tokens, the proof."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Final

from ..models import RejectedUnit, RejectReason, Severity, Status, UnknownReferenceError
from ..sources.tokens import ApproximateEstimator, find_profile
from .finding import Finding, Visit, label, shortlist

CLOSE: Final = 0.1
"""A candidate is a near miss where it lacks no more than this share of its limit in tokens, and …"""

NEAR: Final = 0.02
"""… its tokens are worth no more than this share above its value; a share of tokens without prices."""

SQUEEZED: Final = 2.0
"""A zone is squeezed where tokens are worth this many times what they are worth elsewhere, or more."""

FULL: Final = 0.95
"""A zone is full, where prices are not known, from this share of its maximum on."""

IDLE: Final = 0.7
"""A budget is larger than needed where less than this share is used and all that may be in is in."""


def coverage(visit: Visit) -> Iterator[Finding]:
    """Find dimensions that are not covered, with what would cover them best."""
    for name, state in sorted(visit.context.coverage.items()):
        if state == "covered":
            continue
        found = sorted(
            (
                (visit.lost.get(unit.id) or 0.0, -unit.coverage[name], entry.token_estimate, unit.id)
                for unit, entry in visit.rejected()
                if unit.coverage.get(name, 0) > 0 and visit.lost.get(unit.id, 0.0) is not None
            ),
        )
        ids = [found_id for *_, found_id in found]
        units = {} if visit.problem is None else visit.problem.by_id
        yield Finding(
            f"coverage_{state}",
            Severity.WARNING if state == "missing" else Severity.INFO,
            f"{name} is {state}",
            f"What would cover it at the least loss: {shortlist([label(units[name]) for name in ids], 2)}."
            if ids
            else "No candidate that was left out covers it: the evidence is not there."
            if visit.problem is not None
            else "",
            visit.what_if(f"require={ids[0]}") if ids else "",
            {"dimension": name, "candidates": ids[:10]},
        )


def near_misses(visit: Visit) -> Iterator[Finding]:
    """Find candidates that nearly pay for their tokens, or (where prices are not known) lack few of them.

    Those that wait for a squeezed zone are told with the zone.
    """
    near = []
    squeezed = _squeezed(visit)
    for entry in visit.context.rejected_units:
        if entry.reason is RejectReason.ZONE_CAPACITY_EXCEEDED and entry.zone in squeezed:
            continue
        more = _lacking(visit, entry)
        loss = _loss(visit, entry)
        if more is not None and (loss is None or loss <= NEAR):
            near.append((loss or 0.0, more, entry.id, entry))
    if not near:
        return
    near.sort(key=lambda found: found[:3])
    _, more, name, best = near[0]
    units = {} if visit.problem is None else visit.problem.by_id
    names = [label(units[name]) if name in units else name for _, _, name, _ in near]
    zoned = best.reason is RejectReason.ZONE_CAPACITY_EXCEEDED
    where = f"zone {best.zone}" if zoned else "the budget"
    yield Finding(
        "near_misses",
        Severity.INFO,
        f"{len(near):,} {'candidate' if len(near) == 1 else 'candidates'} came close: {shortlist(names, 2)}",
        f"The closest one needs {more:,} {'token' if more == 1 else 'tokens'} more in {where}.",
        # With more room alone, the best pack might take in another one.
        visit.what_if(f"zone.{best.zone}.max=+{more}" if zoned else f"budget=+{more}", f"require={name}"),
        {"ids": [name for _, _, name, _ in near[:20]], "count": len(near), "tokens": more},
    )


def _lacking(visit: Visit, entry: RejectedUnit) -> int | None:
    """Return the tokens that a candidate lacks, or None where it is not by few tokens that it is out."""
    needs, left = entry.data.get("needs"), entry.data.get("left")
    zoned = entry.reason is RejectReason.ZONE_CAPACITY_EXCEEDED
    if not zoned and entry.reason is not RejectReason.TOKEN_BUDGET_EXCEEDED:
        return None
    limit = entry.data.get("max") if zoned else visit.context.budget.available_input_tokens
    if not (isinstance(needs, int) and isinstance(left, int) and isinstance(limit, int)):
        return None
    share = CLOSE if visit.prices is not None else NEAR
    return needs - left if 0 < needs - left <= max(1, share * limit) else None


def _loss(visit: Visit, entry: RejectedUnit) -> float | None:
    """Return what a candidate's tokens are worth beyond its own value, as a share of that; None unknown.

    Of its forms the best one counts; what it covers is left out of account, and so is what it needs.
    """
    prices = visit.prices
    if prices is None or prices.total is None or visit.facts is None:
        return None
    zone = sum(p.per_thousand for p in prices.zones if p.zone == entry.zone and p.family == "zone maximum")
    price = (prices.total.per_thousand + zone) / 1_000
    rungs = visit.facts.units[entry.id].rungs.values()
    losses = [price * rung.tokens / rung.value - 1.0 for rung in rungs if rung.value > 0]
    return max(0.0, min(losses)) if losses else math.inf


def squeezed_zones(visit: Visit) -> Iterator[Finding]:
    """Find zones whose maximum keeps out what is worth much more than what is in elsewhere."""
    prices = visit.prices
    total = prices.total.per_thousand if prices is not None and prices.total is not None else 0.0
    for name, (waiting, price) in _squeezed(visit).items():
        limit = max(entry.data["max"] for entry in waiting)
        # Room for the one that the best pack would lose least by; what all would come to is not known.
        _, more, _ = min(
            (visit.lost.get(entry.id) or 0.0, max(1, entry.data["needs"] - entry.data["left"]), entry.id)
            for entry in waiting
        )
        yield Finding(
            "zone_squeezed",
            Severity.WARNING,
            f"zone {name} is held back by its maximum of {limit:,} tokens",
            ("1 candidate waits" if len(waiting) == 1 else f"{len(waiting):,} candidates wait")
            + " for room in it"
            + (
                f"; 1,000 tokens more there are worth {price + total:,.4g}, elsewhere {total:,.4g}."
                if price is not None
                else "."
            ),
            visit.what_if(f"zone.{name}.max=+{more}"),
            {"zone": name, "max": limit, "waiting": len(waiting), "price": price},
        )


def _squeezed(visit: Visit) -> dict[str, tuple[list[RejectedUnit], float | None]]:
    """Return the squeezed zones, with what waits for room there and the zone's own price, where known."""
    waiting: dict[str, list[RejectedUnit]] = {}
    for entry in visit.context.rejected_units:
        numbers = (entry.data.get(name) for name in ("needs", "left", "max"))
        if entry.reason is RejectReason.ZONE_CAPACITY_EXCEEDED and all(isinstance(n, int) for n in numbers):
            waiting.setdefault(entry.zone, []).append(entry)
    prices = visit.prices
    total = prices.total.per_thousand if prices is not None and prices.total is not None else 0.0
    worth = {p.zone: p.per_thousand for p in prices.zones if p.family == "zone maximum"} if prices else {}
    found: dict[str, tuple[list[RejectedUnit], float | None]] = {}
    for zone in visit.context.zones:
        if zone.max_tokens is None or zone.name not in waiting:
            continue
        price = worth.get(zone.name)
        if price is None and zone.estimated_tokens < FULL * zone.max_tokens:
            continue
        # A zone's own price comes on top of what the budget's tokens are worth.
        if price is not None and (price <= 0 or price + total < SQUEEZED * total):
            continue
        found[zone.name] = waiting[zone.name], price
    return found


def short_zones(visit: Visit) -> Iterator[Finding]:
    """Find zones that lack a part of their minimum."""
    for zone in visit.context.zones:
        if zone.shortfall:
            yield Finding(
                "zone_short",
                Severity.WARNING,
                f"zone {zone.name} lacks {zone.shortfall:,} of its minimum of {zone.min_tokens:,} tokens",
                "There is not more evidence for it that fits.",
                visit.what_if(f"zone.{zone.name}.min={zone.min_tokens - zone.shortfall}"),
                {"zone": zone.name, "min": zone.min_tokens, "shortfall": zone.shortfall},
            )


def token_count(visit: Visit) -> Iterator[Finding]:
    """Find a prompt that may not fit because its tokens are estimated."""
    prompt, profile = visit.context.prompt, visit.context.model_profile
    if prompt is None or profile is None or profile.mode == "exact":
        return
    high = _highest(profile.model)
    if prompt.tokens * high <= prompt.limit or high <= 1:
        return
    worst = round(prompt.tokens * high)
    budget = int(prompt.limit / high)
    yield Finding(
        "estimate_near_limit",
        Severity.WARNING,
        f"the prompt may be longer than {prompt.limit:,} tokens",
        f"It is counted by estimate as {prompt.tokens:,}; true counts were seen up to {high:g} times an "
        f"estimate, which would be {worst:,}.",
        visit.pack_again("--budget", str(budget)),
        {"tokens": prompt.tokens, "limit": prompt.limit, "factor": high, "worst": worst},
    )


def proof(visit: Visit) -> Iterator[Finding]:
    """Find a pack that is not known to be the best one."""
    solver = visit.context.solver
    if solver.status in (Status.OPTIMAL, Status.WITHIN_GAP) or solver.gap == 0:
        return
    share = "" if solver.gap >= 1 else f", at most {solver.gap:.2%} better"
    yield Finding(
        "not_proven",
        Severity.WARNING if solver.gap > 0.01 else Severity.INFO,
        f"a better pack may exist{share}",
        f"The search ended with {solver.status} ({solver.stop_reason}).".replace("_", " "),
        visit.pack_again("--time-limit", "60") or "satchel solve packing-problem.json --time-limit 60",
        {"status": solver.status.value, "gap": solver.gap},
    )


def idle_budget(visit: Visit) -> Iterator[Finding]:
    """Find a budget that is larger than what there is to say."""
    budget = visit.context.budget
    used, available = budget.estimated_input_tokens, budget.available_input_tokens
    scarce = {
        RejectReason.TOKEN_BUDGET_EXCEEDED,
        RejectReason.ZONE_CAPACITY_EXCEEDED,
        RejectReason.COST_LIMIT_EXCEEDED,
        RejectReason.NOT_SELECTED,
    }
    if used >= IDLE * available or any(unit.reason in scarce for unit in visit.context.rejected_units):
        return
    prompt = visit.context.prompt
    yield Finding(
        "budget_idle",
        Severity.INFO,
        f"{available - used:,} of {available:,} tokens are not used",
        "All that is worth its tokens is in: a smaller budget gives the same pack.",
        visit.pack_again("--budget", str(prompt.tokens)) if prompt is not None else "",
        {"used": used, "available": available},
    )


def noted(visit: Visit) -> Iterator[Finding]:
    """Repeat the warnings of the artifact itself that no other check tells."""
    for note in visit.context.diagnostics:
        if note.severity is not Severity.INFO and not note.code.startswith("coverage_"):
            yield Finding(note.code, note.severity, note.message, data=note.data)


def _highest(model: str) -> float:
    """Return the highest true count that was seen, per estimated token."""
    if model:
        try:
            return find_profile(model).band[1]
        except UnknownReferenceError:
            pass  # a model of another version of Satchel
    return ApproximateEstimator().profile.band[1]
