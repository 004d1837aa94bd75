"""When no pack is found: whether the limit on cost is to blame, and the least that works."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable

from ...models import InfeasibleError
from ..compile import Compiled
from ..greedy import Pack
from ..options import SolveOptions
from ..search import Search
from .cases import cases
from .tariff import MILLION, Tariff

WORK = 2.0
"""CP-SAT work units, at most, to find the least cost in each case."""


def no_pack_error(
    c: Compiled,
    tariff: Tariff,
    options: SolveOptions,
    run: Callable[[Compiled, SolveOptions, Pack | None, int | None], Search],
    *,
    known: bool,
) -> InfeasibleError:
    """Return why there is no pack; ``known`` tells whether there is none, rather than that none was found."""
    unproven = InfeasibleError(
        "no pack was found within the cost limit, which proves nothing",
        code="no_pack_found",
        hint="raise the cost limit, --time-limit or --deterministic-limit, or solve with --solver cp-sat",
    )
    limit = tariff.pricing.cost_limit
    if not known:
        return unproven
    if limit is not None:
        least, proven = _least(c, tariff, options, run)
        if least is not None:
            return _too_little(tariff, limit, least, proven=proven)
    # The cost is not to blame: the same clash stands without it, and is explained as such.
    run(c, options, None, None)
    return unproven


def _least(
    c: Compiled,
    tariff: Tariff,
    options: SolveOptions,
    run: Callable[[Compiled, SolveOptions, Pack | None, int | None], Search],
) -> tuple[int | None, bool]:
    """Return the least cost of any pack, in the tariff's unit, and whether none is known to cost less."""
    # Missing a relaxed minimum is allowed, and may cost less than keeping it.
    zones = [dataclasses.replace(zone, minimum=0) if zone.relax else zone for zone in c.zones]
    work = WORK if options.deterministic_limit is None else min(WORK, options.deterministic_limit)
    limits = dataclasses.replace(options, deterministic_limit=work, gap=0.0, on_progress=None)
    least: int | None = None
    proven = True
    for case in cases(dataclasses.replace(c, zones=zones), tariff, limited=False):
        try:
            search = run(case.weighed(0, 1), limits, None, None)
        except InfeasibleError as error:
            proven = proven and error.code == "no_pack_in_case"
            continue
        assert search.best is not None
        cost = case.fixed - search.best.objective
        least = cost if least is None else min(least, cost)
        proven = proven and search.proved
    return least, proven


def _too_little(tariff: Tariff, limit: int, least: int, *, proven: bool) -> InfeasibleError:
    needed = -(-least * tariff.unit // MILLION)
    currency, calls = tariff.pricing.currency, tariff.pricing.expected_calls
    works = "the smallest cost limit that works is" if proven else "a cost limit that works is"
    return InfeasibleError(
        f"what must be in the pack costs more than {limit} millionths of {currency} over {calls} "
        f"call{'' if calls == 1 else 's'}",
        code="cost_limit",
        field="pricing.costLimit",
        value=limit,
        hint=f"{works} {needed} millionths, {needed / MILLION:.6f} {currency}",
        data={"costLimit": limit, "smallestCostLimit": needed, "smallestCostLimitProven": proven},
    )
