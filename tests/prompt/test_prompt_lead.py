"""Units that lead by the problem's word: the beginning that the prompts of several pages share."""

from __future__ import annotations

from typing import Any

import pytest

from satchel.models import PackedContext, Problem, SchemaError, UnknownReferenceError, lead_heading_of
from satchel.prompt import find_cache_rule, place, render
from satchel.prompt.report import report
from satchel.solver.solve import solve
from satchel.solver.verify import verify

UNITS: list[dict[str, Any]] = [
    {"id": "own", "zone": "system", "text": "what this page alone needs"},
    {
        "id": "file-heading:a.py",
        "kind": "heading",
        "text": "",
        "value": 0,
        "sourceRefs": [{"path": "a.py"}],
    },
    {
        "id": "lead-heading:a.py",
        "kind": "heading",
        "text": "",
        "value": 0,
        "required": True,
        "sourceRefs": [{"path": "a.py"}],
    },
    {
        "id": "first",
        "text": "def first(): ...",
        "required": True,
        "sourceRefs": [{"path": "a.py", "startLine": 1, "endLine": 1}],
        "dependencies": ["lead-heading:a.py"],
    },
    {
        "id": "second",
        "text": "def second(): ...",
        "required": True,
        "sourceRefs": [{"path": "a.py", "startLine": 3, "endLine": 3}],
        "dependencies": ["file-heading:a.py"],
    },
    {"id": "now", "text": "it changes", "stability": "volatile", "required": True},
]
LEAD = ["lead-heading:a.py", "first"]


def problem(lead: list[str] | None = None, **changes: Any) -> Problem:
    """The units above in an envelope with room for all; counted by words."""
    units = [{"tokenEstimate": 10, "value": 1, **unit, **changes.get(unit["id"], {})} for unit in UNITS]
    data: dict[str, Any] = {
        "schemaVersion": "packing-problem.v1",
        "envelope": {"availableInputTokens": 1000},
        "units": units,
    }
    return Problem.from_data({**data, "lead": LEAD if lead is None else lead})


def packed(given: Problem) -> tuple[PackedContext, str]:
    """The artifact with its prompt, counted by characters, and the prompt."""
    context = solve(given)
    rendered = render(given, [(unit.id, unit.rung) for unit in context.accepted_units])
    prompt = report(given, rendered, len, method="approximate", limit=1000)
    return context.model_copy(update={"prompt": prompt}).seal(), rendered.text


def test_lead_stands_first_and_the_rest_keeps_its_order() -> None:
    """The system zone is no longer first, and the file's other unit has a heading of its own further down."""
    placed = place(problem(), [unit["id"] for unit in UNITS])
    assert placed == ("lead-heading:a.py", "first", "own", "file-heading:a.py", "second", "now")
    assert lead_heading_of("a.py") == placed[0]


def test_boundary_ends_behind_the_lead() -> None:
    """Stable units of the page alone are behind it, and not called stranded: they never were to be shared."""
    context, text = packed(problem())
    assert context.prompt is not None
    boundary = context.prompt.boundary
    assert boundary.segment_ids == tuple(LEAD)
    assert (boundary.ended_by, boundary.stranded_ids) == ("own", ())
    assert text[: boundary.tokens].endswith("def first(): ...\n```\n\n")
    assert "a.py" in text[: boundary.tokens]
    assert text[boundary.tokens :].count("a.py") == 1


def test_two_pages_begin_with_the_same_bytes() -> None:
    """K03: another page with other units and values, and the same lead."""
    one, one_text = packed(problem())
    two, two_text = packed(problem(own={"text": "something else", "title": "other"}, now={"value": 9}))
    assert one.prompt is not None
    assert two.prompt is not None
    shared = one.prompt.boundary
    assert shared.prefix_digest == two.prompt.boundary.prefix_digest
    assert one_text[: shared.tokens] == two_text[: shared.tokens]
    assert one_text != two_text


def test_an_empty_lead_shares_the_guide_alone() -> None:
    """Nothing is shared but what leads every prompt."""
    given = problem([], **{"lead-heading:a.py": {"required": False}})
    context, text = packed(given)
    assert context.prompt is not None
    assert context.prompt.boundary.index == 0
    assert context.prompt.boundary.reason == "no_stable_prefix"
    assert text[: context.prompt.boundary.tokens] == render(given, []).prefix


def test_checker_confirms_the_lead_and_refuses_another_order() -> None:
    """Moving a unit in front of the lead, or the boundary behind another one, is noticed."""
    given = problem()
    context, _ = packed(given)
    sealed = context
    # Counts of the prompt are by characters here, so only the prompt's own checks are looked at.
    assert not [check for check in verify(sealed, given).failures if check.name in ("prompt", "boundary")]
    assert sealed.prompt is not None
    order = sealed.prompt.order
    moved = sealed.prompt.model_copy(update={"order": (order[2], *order[:2], *order[3:])})
    wrong = sealed.model_copy(update={"prompt": moved}).seal()
    assert "prompt" in {check.name for check in verify(wrong, given).failures}
    boundary = sealed.prompt.boundary.model_copy(update={"index": 3, "segment_ids": order[:3]})
    wrong = sealed.model_copy(
        update={"prompt": sealed.prompt.model_copy(update={"boundary": boundary})}
    ).seal()
    assert "boundary" in {check.name for check in verify(wrong, given).failures}


@pytest.mark.parametrize(
    ("lead", "error"),
    [
        (["nobody"], UnknownReferenceError),
        (["own"], SchemaError),  # not required
        (["now"], SchemaError),  # volatile
        (["first", "first"], SchemaError),
    ],
)
def test_lead_must_be_required_and_stable(lead: list[str], error: type[Exception]) -> None:
    """Each unit is there, once, in every prompt."""
    with pytest.raises(error, match="lead"):
        problem(lead)


def test_lead_does_not_go_with_prices() -> None:
    """A page alone does not know what the prefix of a run costs."""
    data = problem().to_data()
    price = {"currency": "USD"} | dict.fromkeys(
        ("inputPerMillion", "cachedInputPerMillion", "cacheWritePerMillion"), 1
    )
    with pytest.raises(SchemaError, match="prices"):
        Problem.from_data({**data, "pricing": price})


def test_markers_stand_at_the_end_of_the_lead() -> None:
    """The page's own stable units get none: no other call would read them."""
    from satchel.prefixes import plan_of

    rule = find_cache_rule("claude-sonnet-4-5").model_copy(update={"minimum": 10, "observed": None})
    context, _ = packed(problem())
    plan = plan_of(context, rule)
    assert [marker.after_id for marker in plan.markers] == ["first"]
