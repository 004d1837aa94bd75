"""The joint program of several pages against every prefix and every pack, tried one by one."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from fractions import Fraction
from typing import Any

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from satchel.models import ContextUnit, Problem
from satchel.solver.compile import compile_problem
from satchel.solver.joint.exact import solve_exact
from satchel.solver.joint.lead import LeadUnit, with_lead
from satchel.solver.joint.packs import PagePack, rounded, solved_alone
from satchel.solver.joint.page import Draft, PageProgram, Shared, programs_of
from satchel.solver.joint.plan import JointPlan, PlanOptions, plan_joint
from satchel.solver.joint.rates import Rates
from satchel.solver.joint.relaxed import DENOMINATOR, RelaxedPage
from satchel.solver.solve import solve

HEADING = 2
"""Tokens of the heading of a.py, under which u0 and u1 stand."""

Frontier = list[tuple[int, int]]


@st.composite
def runs(draw: st.DrawFn) -> tuple[list[Problem], Rates]:
    """Two or three pages that offer the same four units at values of their own, and one unit of their own."""
    sizes = [draw(st.integers(1, 5)) for _ in range(4)]
    shorter = [draw(st.booleans()) and size > 1 for size in sizes]
    pages = []
    for page in range(draw(st.integers(2, 3))):
        units: list[dict[str, Any]] = [
            {
                "id": "file-heading:a.py",
                "kind": "heading",
                "text": "",
                "tokenEstimate": HEADING,
                "value": 0,
                "sourceRefs": [{"path": "a.py"}],
            }
        ]
        for i, size in enumerate(sizes):
            value = draw(st.integers(0, 9))
            unit: dict[str, Any] = {"id": f"u{i}", "tokenEstimate": size, "value": value, "text": f"u{i}"}
            if shorter[i]:
                unit["renderings"] = [
                    {"state": "summarized", "tokens": size - 1, "value": value // 2, "text": "short"}
                ]
            if i < 2:
                unit["sourceRefs"] = [{"path": "a.py", "startLine": i + 1, "endLine": i + 1}]
                unit["dependencies"] = ["file-heading:a.py"]
            units.append(unit)
        units.append(
            {"id": f"own{page}", "tokenEstimate": 3, "value": draw(st.integers(1, 9)), "text": "own"}
        )
        envelope = {"availableInputTokens": draw(st.integers(6, 14)), "fixedOverheadTokens": 2}
        pages.append(
            Problem.from_data({"schemaVersion": "packing-problem.v1", "envelope": envelope, "units": units})
        )
    rates = Rates(
        input=10,
        read=draw(st.sampled_from([0, 1, 5])),
        write=draw(st.sampled_from([10, 12, 25])),
        minimum=draw(st.sampled_from([0, 3, 6])),
        step=draw(st.sampled_from([1, 3])),
        lead=1,
        pages_per_write=draw(st.sampled_from([None, 2])),
    )
    return pages, rates


LOSSES = st.sampled_from([Fraction(0), Fraction(1, 100), Fraction(1, 10), Fraction(1, 3)])


def key_of(unit: ContextUnit, place: int) -> str:
    """What tells the forms of these units apart."""
    return f"{unit.id} {place}"


def programs(pages: list[Problem]) -> tuple[list[PageProgram], Shared, int]:
    """The programs of the pages, what they share, and their scale."""
    drafts = [Draft.of(compile_problem(page), key_of) for page in pages]
    shared = Shared.of(drafts)
    found, scale = programs_of(drafts, shared)
    return found, shared, scale


def prefixes(pages: list[Problem]) -> Iterator[dict[str, int]]:
    """Every prefix: the rung of each shared unit that is in it."""
    units = [unit for unit in pages[0].units if unit.id.startswith("u")]
    for rungs in itertools.product(*[(None, *range(len(unit.ladder()))) for unit in units]):
        yield {unit.id: rung for unit, rung in zip(units, rungs, strict=True) if rung is not None}


def prefix_tokens(page: Problem, prefix: dict[str, int]) -> int:
    """Tokens of the units of a prefix, and of the heading where it needs one."""
    units = sum(page.by_id[name].ladder()[rung].tokens or 0 for name, rung in prefix.items())
    return units + (HEADING if prefix.keys() & {"u0", "u1"} else 0)


def frontier(page: Problem, prefix: dict[str, int]) -> Frontier:
    """(value, tokens) of every pack of a page behind a prefix, but for those that another is better than."""
    units = [unit for unit in page.units if unit.kind.value != "heading" and unit.id not in prefix]
    fixed = prefix_tokens(page, prefix)
    worth = sum(int(page.by_id[name].ladder()[rung].value or 0) for name, rung in prefix.items())
    best: dict[int, int] = {}
    for rungs in itertools.product(*[(None, *range(len(unit.ladder()))) for unit in units]):
        taken = [
            (unit, unit.ladder()[rung]) for unit, rung in zip(units, rungs, strict=True) if rung is not None
        ]
        tokens = fixed + sum(form.tokens or 0 for _, form in taken)
        tokens += HEADING if any(unit.id in ("u0", "u1") for unit, _ in taken) else 0
        if tokens <= page.envelope.available:
            value = worth + sum(int(form.value or 0) for _, form in taken)
            best[tokens] = max(best.get(tokens, value), value)
    kept: Frontier = []
    for tokens, value in sorted(best.items()):
        if not kept or value > kept[-1][0]:
            kept.append((value, tokens))
    return kept


def together(frontiers: list[Frontier]) -> Frontier:
    """(value, tokens) of the pages together."""
    sums = {0: 0}
    for each in frontiers:
        grown: dict[int, int] = {}
        for total, used in sums.items():
            for value, tokens in each:
                at = used + tokens
                _ = grown.setdefault(total + value, at)
                grown[total + value] = min(grown[total + value], at)
        sums = grown
    return list(sums.items())


def least_cost(
    pages: list[Problem],
    rates: Rates,
    groups: list[list[int]],
    floor: int,
    page_loss: Fraction = Fraction(1),
    bare: frozenset[int] = frozenset(),
) -> int:
    """Cost of the cheapest plan of these groups, by trying all of them; ``bare`` ones have no prefix."""
    options: list[list[tuple[int, int]]] = []
    frames = sum(page.envelope.fixed_overhead_tokens for page in pages)
    least = [max(value for value, _ in frontier(page, {})) * (1 - page_loss) for page in pages]
    for g, group in enumerate(groups):
        found: dict[int, int] = {}
        for prefix in [{}] if g in bare else prefixes(pages):
            each = [[pack for pack in frontier(pages[p], prefix) if pack[0] >= least[p]] for p in group]
            if not all(each):
                continue
            cached = rates.cached(rates.lead + prefix_tokens(pages[0], prefix)) if prefix else 0
            for value, tokens in together(each):
                cost = rates.input * tokens - rates.refund(len(group)) * cached
                found[value] = min(found.get(value, cost), cost)
        options.append(list(found.items()))
    sums = {0: 0}
    for each in options:
        grown: dict[int, int] = {}
        for total, paid in sums.items():
            for value, cost in each:
                grown[total + value] = min(grown.get(total + value, paid + cost), paid + cost)
        sums = grown
    return rates.input * frames + min(cost for value, cost in sums.items() if value >= floor)


def floor_of(pages: list[Problem], loss: Fraction) -> int:
    """What the pages must be worth together."""
    best = sum(max(value for value, _ in frontier(page, {})) for page in pages)
    return (best * (1 - loss)).__ceil__()


@given(run=runs(), loss=LOSSES)
@settings(max_examples=40, deadline=None)
def test_joint_program_is_the_optimum_of_all_prefixes_and_packs(
    run: tuple[list[Problem], Rates], loss: Fraction
) -> None:
    """Solved whole, it costs what the cheapest of all plans costs; its packs keep the floor and add up."""
    pages, rates = run
    found, shared, scale = programs(pages)
    floor = floor_of(pages, loss)
    everything = list(range(len(pages)))
    exact = solve_exact(found, [everything], shared, rates, floor * scale, work=20.0)
    assert exact is not None
    assert exact.bound == least_cost(pages, rates, [everything], floor)
    assert sum(pack.value for pack in exact.packs) >= floor * scale
    tokens = sum(pack.tokens for pack in exact.packs) + sum(page.frame for page in found)
    inside = exact.insides[0]
    cached = rates.cached(rates.lead + shared.prefix_tokens(inside)) if inside.any() else 0
    assert rates.input * tokens - rates.refund(len(pages)) * cached == exact.bound


def check_plan(plan: JointPlan, pages: list[Problem], rates: Rates, scale: int, options: PlanOptions) -> None:
    """What every plan must be."""
    floor = floor_of(pages, options.loss)
    own = Fraction(1) if options.page_loss is None else options.page_loss
    groups = [list(group.pages) for group in plan.groups]
    assert sorted(itertools.chain(*groups)) == list(range(len(pages)))
    sharing = [g for g, group in enumerate(plan.groups) if any(group.inside)]
    assert len(sharing) <= options.prefixes
    bare = frozenset(range(len(groups))) - frozenset(sharing)
    # The prefix that was chosen is one of those that its group could have.
    optimum = least_cost(pages, rates, groups, floor, own, bare if sharing else frozenset())
    assert plan.bound <= optimum <= plan.cost
    assert plan.value >= floor * scale
    for pack, alone in zip(plan.packs, plan.alone, strict=True):
        assert pack.value >= alone.value * (1 - own)
    assert plan.cost <= plan.cost_trimmed <= plan.cost_alone
    apart = [[p] for p in range(len(pages))]
    assert least_cost(pages, rates, apart, floor, own, frozenset(range(len(pages)))) <= plan.cost_trimmed


@given(
    run=runs(),
    loss=LOSSES,
    prefixes_allowed=st.sampled_from([1, 2]),
    page_loss=st.sampled_from([None, Fraction(0), Fraction(1, 5)]),
)
@settings(max_examples=25, deadline=None)
def test_decomposition_bounds_the_optimum_from_both_sides(
    run: tuple[list[Problem], Rates], loss: Fraction, prefixes_allowed: int, page_loss: Fraction | None
) -> None:
    """A plan costs no less than the best one of its groups, its bound no more; no value is lost unsaid, of
    the run or of a page; and there are no more prefixes than were asked for."""
    pages, rates = run
    found, shared, scale = programs(pages)
    options = PlanOptions(loss, prefixes_allowed, page_loss, exact=False)
    check_plan(plan_joint(found, shared, rates, scale, options), pages, rates, scale, options)
    options = PlanOptions(loss, prefixes_allowed, page_loss, exact=True)
    whole = plan_joint(found, shared, rates, scale, options)
    check_plan(whole, pages, rates, scale, options)
    assert whole.proven


@given(run=runs(), data=st.data(), price=st.integers(0, 4))
@settings(max_examples=60, deadline=None)
def test_planes_lie_above_what_pages_are_worth(
    run: tuple[list[Problem], Rates], data: st.DataObject, price: int
) -> None:
    """The plane of one prefix bounds the packs behind every other; a rounded pack is one of them."""
    pages, _ = run
    found, shared, scale = programs(pages)
    every = list(prefixes(pages))
    tangent, other = (data.draw(st.sampled_from(every)) for _ in range(2))
    for page, program in zip(pages, found, strict=True):
        relaxed = RelaxedPage(program, shared)
        plane = relaxed.plane(vector(shared, tangent).astype(np.float64), price * scale)
        packs = frontier(page, other)
        if plane is None or not packs:
            assert plane is not None or not frontier(page, tangent)
            continue
        worth = max(value - price * tokens for value, tokens in packs) * scale
        assert plane.at(vector(shared, other).astype(np.float64)) >= worth - 1 / DENOMINATOR
        pack = rounded(relaxed, shared, vector(shared, other), price * scale)
        if pack is not None:
            assert any(
                value * scale >= pack.value and tokens <= pack.tokens <= page.envelope.available
                for value, tokens in packs
            )


def vector(shared: Shared, prefix: dict[str, int]) -> np.ndarray[Any, np.dtype[np.int64]]:
    """The prefix as a vector over the shared forms."""
    keys = {f"{name} {rung}" for name, rung in prefix.items()}
    return shared.closed(
        np.array([f for f, form in enumerate(shared.forms) if form.key in keys], dtype=np.int64)
    )


@given(run=runs(), data=st.data())
@settings(max_examples=40, deadline=None)
def test_a_page_behind_its_prefix_is_solved_to_the_same_optimum(
    run: tuple[list[Problem], Rates], data: st.DataObject
) -> None:
    """The problem that a page gets has the best pack of the joint program, and the prefix leads it."""
    pages, _ = run
    prefix = data.draw(st.sampled_from([each for each in prefixes(pages) if each]))
    page = data.draw(st.sampled_from(pages))
    packs = frontier(page, prefix)
    if not packs:
        return
    lead = [LeadUnit.of(page.by_id[name], rung) for name, rung in prefix.items()]
    behind = with_lead(page, lead)
    context = solve(behind)
    best = max(value for value, _ in packs)
    assert context.solver.objective == best * context.solver.scale
    assert behind.lead is not None
    assert set(behind.lead) <= {unit.id for unit in context.accepted_units}
    fewest = min(tokens for value, tokens in packs if value == best)
    narrow = solve(with_lead(page, lead, fewest))
    assert (narrow.solver.objective, narrow.budget.estimated_input_tokens) == (
        context.solver.objective,
        fewest,
    )


def test_a_page_alone_is_solved_to_its_optimum() -> None:
    """The figure that the loss is measured against."""
    problem = Problem.build(10, [10, 4, 6], [11, 6, 7])
    (program,), _ = programs_of([Draft.of(compile_problem(problem), key_of)], Shared.of([]))
    assert solved_alone(program) == (PagePack(13, 10), 13)
