"""Realistic packing problems from fixed seeds: ``python -m bench.generate --units 1000 --seed 1 > p.json``.

The numbers are drawn in :mod:`bench.draw`; here they become a problem. Models are constructed without
validation, since 100,000 units must be there in seconds; a test holds that validation would accept them.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable, Sequence

from satchel.models import (
    BudgetEnvelope,
    BudgetZone,
    ContextUnit,
    CoverageDimension,
    Dependency,
    GroupPolicy,
    Kind,
    MinPolicy,
    OverflowPolicy,
    PackingPolicy,
    Problem,
    RedundancyGroup,
    Rendering,
    SourceRef,
    Stability,
    State,
)

from .draw import Arrays, draw
from .spec import STATES, ZONES, Spec, spec_of

RESERVED_OUTPUT = 8000
SAFETY_MARGIN = 2000

_RUNGS = (State.RAW, *(State(name) for name in STATES))


def generate(spec: Spec, seed: int) -> Problem:
    """Return the problem of ``spec`` that ``seed`` names."""
    return problem_of(draw(spec, seed))


def problem_of(a: Arrays) -> Problem:
    """Return the drawn arrays as a problem."""
    return Problem.model_construct(
        schema_version="packing-problem.v1",
        envelope=_envelope(a),
        policy=PackingPolicy(
            must_include=("tag:must",) if a.required.any() else (),
            should_include=("tag:nice", "path:src/m0000/**"),
            must_exclude=("secrets",),
        ),
        redundancy_groups=tuple(_groups(a)),
        coverage=tuple(_dimensions(a)),
        units=tuple(_units(a)),
    )


def _envelope(a: Arrays) -> BudgetEnvelope:
    zones = [
        BudgetZone(
            name=spec.name,
            min_tokens=low,
            target_tokens=max(low, high * 4 // 5) if spec.price else None,
            max_tokens=high,
            overflow_policy=OverflowPolicy(spec.policy),
            min_policy=MinPolicy.FAIL if spec.hard else MinPolicy.RELAX,
            target_price=spec.price,
        )
        for spec, low, high in zip(ZONES, a.limits.minimum.tolist(), a.limits.maximum.tolist(), strict=True)
    ]
    return BudgetEnvelope(
        max_context_tokens=a.limits.available + RESERVED_OUTPUT + SAFETY_MARGIN,
        reserved_output_tokens=RESERVED_OUTPUT,
        reserved_safety_margin_tokens=SAFETY_MARGIN,
        available_input_tokens=a.limits.available,
        zones=tuple(zones),
    )


def _groups(a: Arrays) -> Iterable[RedundancyGroup]:
    policies = (
        GroupPolicy.KEEP_AT_MOST,
        GroupPolicy.KEEP_AT_MOST,
        GroupPolicy.KEEP_ALL,
        GroupPolicy.KEEP_AUTHORITATIVE,
        GroupPolicy.KEEP_AUTHORITATIVE_PLUS_ONE_EXAMPLE,
    )
    starts, members = a.groups.start.tolist(), a.groups.members.tolist()
    for g, (rule, penalty) in enumerate(
        zip(a.groups.policy.tolist(), a.groups.penalty.tolist(), strict=True)
    ):
        yield RedundancyGroup(
            id=f"g{g:05d}",
            members=tuple(_name(u) for u in members[starts[g] : starts[g + 1]]),
            policy=policies[rule],
            k=rule + 1 if rule < 2 else None,
            penalty=penalty,
        )


def _dimensions(a: Arrays) -> Iterable[CoverageDimension]:
    columns = zip(a.covers.weight.tolist(), a.covers.steps.tolist(), a.covers.demand.tolist(), strict=True)
    for d, (weight, steps, count) in enumerate(columns):
        yield CoverageDimension(
            name=_dimension(a, d),
            weight=weight,
            required=count > 0,
            min_count=max(1, count),
            gains=tuple(round(0.1 ** (k / steps), 3) for k in range(steps)),
        )


def _dimension(a: Arrays, d: int) -> str:
    return f"wide{d:02d}" if d < a.covers.wide else f"part{d - a.covers.wide:03d}"


def _name(unit: int) -> str:
    return f"u{unit:06d}"


def _units(a: Arrays) -> Iterable[ContextUnit]:
    renderings, needs, covers = _renderings(a), _dependencies(a), _coverage(a)
    kinds = [[Kind(name) for name in spec.kinds] for spec in ZONES]
    tag_table = {"must": a.required.tolist(), "secrets": a.secret.tolist(), "nice": a.nice.tolist()}
    columns = zip(
        a.zone.tolist(),
        a.module.tolist(),
        a.kind.tolist(),
        a.tokens.tolist(),
        a.relevance.tolist(),
        a.authority.tolist(),
        a.freshness.tolist(),
        a.risk.tolist(),
        strict=True,
    )
    for u, (zone, module, kind, tokens, relevance, authority, freshness, risk) in enumerate(columns):
        path = f"src/m{module:04d}/f{u // 8:05d}.py"
        line = 1 + 40 * (u % 8)
        yield ContextUnit.model_construct(
            id=_name(u),
            kind=kinds[zone][kind],
            title=f"unit {u}",
            source_refs=(SourceRef.model_construct(path=path, start_line=line, end_line=line + 39),),
            token_estimate=tokens,
            authority_score=authority,
            relevance_score=relevance,
            freshness_score=freshness,
            risk_score=risk,
            # Half of what must be in says so itself, the other half is selected by its tag.
            required=tag_table["must"][u] and u % 2 == 0,
            zone=ZONES[zone].name,
            dependencies=tuple(needs.get(u, ())),
            coverage=covers.get(u, {}),
            stability=Stability.VOLATILE if zone == 2 else Stability.STABLE,
            tags=tuple(tag for tag, held in tag_table.items() if held[u]),
            renderings=tuple(renderings.get(u, ())),
        )


def _renderings(a: Arrays) -> dict[int, list[Rendering]]:
    found: dict[int, list[Rendering]] = {}
    columns = (
        a.forms.unit.tolist(),
        a.forms.state.tolist(),
        a.forms.tokens.tolist(),
        a.forms.fidelity.tolist(),
    )
    for unit, state, tokens, fidelity in zip(*columns, strict=True):
        form = Rendering.model_construct(state=_RUNGS[state + 1], tokens=tokens, fidelity=fidelity)
        found.setdefault(unit, []).append(form)
    return found


def _dependencies(a: Arrays) -> dict[int, list[Dependency]]:
    found: dict[int, list[Dependency]] = {}
    columns = (a.edges.start.tolist(), a.edges.end.tolist(), a.edges.rung.tolist())
    for unit, other, rung in zip(*columns, strict=True):
        need = Dependency.model_construct(id=_name(other), min_rung=_RUNGS[rung])
        found.setdefault(unit, []).append(need)
    return found


def _coverage(a: Arrays) -> dict[int, dict[str, float]]:
    found: dict[int, dict[str, float]] = {}
    names = [_dimension(a, d) for d in range(len(a.covers.weight))]
    columns = (a.covers.unit.tolist(), a.covers.dim.tolist(), a.covers.strength.tolist())
    for unit, dimension, strength in zip(*columns, strict=True):
        found.setdefault(unit, {})[names[dimension]] = strength
    return found


def main(arguments: Sequence[str] | None = None) -> None:
    """Write one problem as JSON to standard output."""
    parser = argparse.ArgumentParser(prog="python -m bench.generate", description=main.__doc__)
    parser.add_argument("--units", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--set", action="append", default=[], metavar="DIAL=VALUE", dest="dials")
    options = parser.parse_args(arguments)
    try:
        spec = spec_of(options.units, options.dials)
    except ValueError as error:
        parser.error(str(error))
    sys.stdout.write(generate(spec, options.seed).to_json())


if __name__ == "__main__":
    main()
