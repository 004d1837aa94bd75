"""The contract itself: round trips, digests, sums, schemas (design §2)."""

from __future__ import annotations

import json
import random
from typing import Any

import pytest

from satchel.models import (
    BudgetEnvelope,
    ContextUnit,
    CoverageDimension,
    MinPolicy,
    Model,
    OverflowPolicy,
    PackedContext,
    Problem,
    RedundancyGroup,
    Rendering,
    SchemaError,
    SourceRef,
    State,
)

FULL: dict[str, Any] = {
    "schemaVersion": "packing-problem.v1",
    "task": {"id": "t", "kind": "overview", "title": "T", "about": "x", "outline": ["h"], "focus": ["a.py"]},
    "profile": {"provider": "p", "model": "m", "tokenizer": "t", "mode": "approximate", "factor": 1.1},
    "envelope": {
        "modelId": "m",
        "maxContextTokens": 100,
        "reservedOutputTokens": 20,
        "reservedSafetyMarginTokens": 5,
        "fixedOverheadTokens": 5,
        "availableInputTokens": 70,
        "zones": [
            {
                "name": "task",
                "minTokens": 1,
                "targetTokens": 2,
                "maxTokens": 3,
                "overflowPolicy": "compress",
                "minPolicy": "fail",
                "targetPrice": 0.5,
            }
        ],
    },
    "policy": {
        "mustInclude": ["id:a"],
        "shouldInclude": ["kind:symbol"],
        "couldInclude": ["readme_mentions"],
        "mustExclude": [{"tag": "secrets"}],
        "shouldIncludeBonus": 0.2,
        "riskCeiling": 0.6,
        "requiredRiskCeiling": 0.9,
    },
    "weights": {"relevance": 1, "authority": 2.5, "freshness": 0, "risk": 1, "coverage": 1, "redundancy": 1},
    "redundancyGroups": [
        {"id": "g", "members": ["b", "a"], "policy": "keep_at_most", "k": 1, "penalty": 0.1},
        {"id": "f", "members": [], "policy": "keep_authoritative"},
    ],
    "coverage": [
        {"name": "e", "weight": 1, "required": True, "minCount": 1, "gains": [1, 0.5]},
        {"name": "d"},
    ],
    "units": [
        {
            "id": "a",
            "kind": "symbol",
            "title": "Ä 🙂",
            "sourceRefs": [{"path": "a.py", "startLine": 1, "endLine": 2, "totalLines": 3}],
            "text": "def a(): …\n",
            "tokenEstimate": 9,
            "authorityScore": 0.1,
            "relevanceScore": 0.2,
            "freshnessScore": 0.3,
            "riskScore": 0.4,
            "compressionState": "excerpted",
            "required": True,
            "zone": "task",
            "dependencies": ["b", {"id": "c", "minRung": "contract"}],
            "diagnostics": ["note"],
            "coverage": {"e": 0.5},
            "redundancyGroups": ["f"],
            "stability": "volatile",
            "trust": "trusted",
            "tags": ["t"],
            "value": 3,
            "renderings": [
                {
                    "state": "summarized",
                    "text": "a",
                    "tokens": 2,
                    "fidelity": 0.5,
                    "value": 1,
                    "sourceRefs": [{"path": "a.py"}],
                }
            ],
        },
        {"id": "b", "text": "b", "coverage": ["e", "d"]},
        {
            "id": "c",
            "compressionState": "contract",
            "renderings": [{"state": "contract", "tokens": 3, "value": 1}],
        },
    ],
}


def snake(data: Any) -> Any:
    """Return ``data`` with its field names in snake_case."""
    if isinstance(data, dict):
        return {
            "".join(f"_{c.lower()}" if c.isupper() else c for c in key): snake(value)
            for key, value in data.items()
        }
    return [snake(part) for part in data] if isinstance(data, list) else data


def test_a_problem_survives_its_own_json() -> None:
    problem = Problem.from_data(FULL)
    text = problem.to_json()
    assert Problem.from_json(text) == problem
    assert Problem.from_json(text).to_json() == text
    assert Problem.from_json(text.encode()) == problem
    assert Problem.from_json(problem.to_json(indent=None)) == problem
    assert text.endswith("}\n")


def test_both_spellings_are_read_and_camel_case_is_written() -> None:
    problem = Problem.from_data(FULL)
    assert Problem.from_data(snake(FULL)).to_json() == problem.to_json()
    assert Problem.from_json(json.dumps(snake(FULL))) == problem
    written = json.dumps(problem.to_data())
    assert '"tokenEstimate"' in written
    assert "token_estimate" not in written


def test_every_field_of_the_full_problem_is_kept() -> None:
    """Nothing that was given is lost or changed on the way through the models."""
    data = Problem.from_data(FULL).to_data()

    def kept(given: Any, found: Any, path: str) -> None:
        if isinstance(given, dict):
            for key, value in given.items():
                kept(value, found[key], f"{path}.{key}")
        elif isinstance(given, list):
            assert len(given) == len(found), path
            for index, value in enumerate(given):
                kept(value, found[index], f"{path}[{index}]")
        else:
            assert found == given, path

    expected = json.loads(json.dumps(FULL))
    expected["units"][0]["dependencies"][0] = {"id": "b", "minRung": "summarized"}
    expected["units"][1]["coverage"] = {"e": 1.0, "d": 1.0}
    expected["policy"]["mustExclude"] = ["tag:secrets"]
    kept(expected, data, "")


def test_defaults_make_the_smallest_problem() -> None:
    problem = Problem.from_data(
        {
            "schemaVersion": "packing-problem.v1",
            "envelope": {"availableInputTokens": 10},
            "units": [{"id": "a", "tokenEstimate": 1}],
        }
    )
    unit = problem.units[0]
    assert (unit.zone, unit.risk_score, unit.required, unit.compression_state) == (
        "source_evidence",
        0.0,
        False,
        State.RAW,
    )
    assert problem.envelope.available == 10
    assert problem.envelope.zone("source_evidence").overflow_policy is OverflowPolicy.SUMMARIZE
    assert problem.task_id == ""


def test_a_record_cannot_be_changed() -> None:
    unit = ContextUnit(id="a", token_estimate=1)
    with pytest.raises(ValueError, match="frozen"):
        unit.id = "b"  # type: ignore[misc]


# -- digests -----------------------------------------------------------------------------------------


def test_digest_does_not_depend_on_order() -> None:
    """Order of units, groups, members, dimensions and of keys is no content."""
    digest = Problem.from_data(FULL).digest
    assert digest.startswith("sha256:")
    shuffled = json.loads(json.dumps(FULL))
    generator = random.Random(5)
    for _ in range(5):
        for key in ("units", "redundancyGroups", "coverage"):
            generator.shuffle(shuffled[key])
        for group in shuffled["redundancyGroups"]:
            generator.shuffle(group["members"])
        shuffled = dict(generator.sample(list(shuffled.items()), len(shuffled)))
        assert Problem.from_data(shuffled).digest == digest


def test_digest_depends_on_everything_else() -> None:
    seen = {Problem.from_data(FULL).digest}
    changes: list[tuple[tuple[str | int, ...], Any]] = [
        (("units", 0, "text"), "def a(): pass\n"),
        (("units", 0, "tokenEstimate"), 10),
        (("units", 0, "freshnessScore"), 0.30000000000000004),
        (("units", 0, "renderings", 0, "value"), 2),
        (("units", 0, "stability"), "stable"),
        (("envelope", "zones", 0, "targetPrice"), 0.25),
        (("policy", "mustInclude"), ["id:b"]),
        (("weights", "risk"), 2),
        (("redundancyGroups", 0, "penalty"), 0.2),
        (("coverage", 0, "gains"), [1]),
        (("task", "about"), "y"),
        (("profile", "mode"), "exact"),
    ]
    for path, value in changes:
        data = json.loads(json.dumps(FULL))
        node = data
        for step in path[:-1]:
            node = node[step]
        node[path[-1]] = value
        seen.add(Problem.from_data(data).digest)
    assert len(seen) == len(changes) + 1


def test_groups_join_both_ways_of_naming_members() -> None:
    assert Problem.from_data(FULL).groups == {"g": ("a", "b"), "f": ("a",)}


# -- ladders and envelopes ---------------------------------------------------------------------------


def test_ladder_starts_with_the_own_form() -> None:
    problem = Problem.from_data(FULL)
    own, short = problem.by_id["a"].ladder()
    assert (own.state, own.tokens, own.value, own.fidelity) == (State.EXCERPTED, 9, 3.0, 1.0)
    assert own.source_refs == problem.by_id["a"].source_refs
    assert (short.state, short.tokens) == (State.SUMMARIZED, 2)
    (only,) = problem.by_id["c"].ladder()
    assert (only.state, only.tokens) == (State.CONTRACT, 3)


def test_states_grow_shorter() -> None:
    assert [state.depth for state in State] == [0, 1, 2, 3, 4]
    assert OverflowPolicy.COMPRESS.states == set(State) - {State.SUMMARIZED}
    assert OverflowPolicy.FAIL.states == OverflowPolicy.DROP_LOW_RANK.states == {State.RAW}


def test_available_is_given_or_computed() -> None:
    assert BudgetEnvelope(available_input_tokens=5).available == 5
    window = BudgetEnvelope(
        max_context_tokens=100,
        reserved_output_tokens=10,
        reserved_safety_margin_tokens=5,
        fixed_overhead_tokens=3,
    )
    assert window.available == 82
    assert BudgetEnvelope(max_context_tokens=7, reserved_output_tokens=7).available == 0


@pytest.mark.parametrize(
    ("overflow", "minimum", "expected"),
    [
        ("fail", None, "fail"),
        ("compress", None, "relax"),
        ("fail", "relax", "relax"),
        ("summarize", "fail", "fail"),
    ],
)
def test_minimum_policy_follows_the_overflow_policy(
    overflow: str, minimum: str | None, expected: str
) -> None:
    envelope = BudgetEnvelope.from_data(
        {
            "availableInputTokens": 1,
            "zones": [
                {"name": "z", "overflowPolicy": overflow} | ({"minPolicy": minimum} if minimum else {})
            ],
        }
    )
    assert envelope.zone("z").effective_min_policy is MinPolicy(expected)


@pytest.mark.parametrize(
    ("ref", "label"),
    [
        ({"path": "a.py"}, "a.py"),
        ({"path": "a.py", "startLine": 3}, "a.py:3"),
        ({"path": "a.py", "startLine": 3, "endLine": 3}, "a.py:3"),
        ({"path": "a.py", "startLine": 3, "endLine": 8}, "a.py:3-8"),
    ],
)
def test_source_labels(ref: dict[str, Any], label: str) -> None:
    assert SourceRef.from_data(ref).label() == label


# -- artifacts ---------------------------------------------------------------------------------------


ARTIFACT: dict[str, Any] = {
    "schemaVersion": "packed-context.v1",
    "budget": {"availableInputTokens": 10, "estimatedInputTokens": 4},
    "counts": {"candidates": 2, "accepted": 1, "rejected": 1, "skipped": 0},
    "zones": [{"name": "task", "units": 1, "estimatedTokens": 4}],
    "acceptedUnits": [
        {
            "id": "a",
            "kind": "symbol",
            "zone": "task",
            "compressionState": "raw",
            "rung": 0,
            "tokenEstimate": 4,
            "value": 1,
            "reason": "value",
        }
    ],
    "rejectedUnits": [{"id": "b", "reason": "no_gain"}],
    "solver": {
        "status": "optimal",
        "stopReason": "proof",
        "engine": "cp-sat",
        "objective": 1,
        "bound": 1,
        "gap": 0.0,
        "scale": 1,
        "problemDigest": "sha256:0",
    },
}


@pytest.mark.parametrize(
    ("path", "value", "field"),
    [
        (("counts", "candidates"), 3, "counts"),
        (("counts", "accepted"), 2, "counts"),
        (("counts", "skipped"), 1, "counts"),
        (("rejectedUnits", 0, "id"), "a", "acceptedUnits"),
        (("budget", "estimatedInputTokens"), 5, "budget.estimatedInputTokens"),
        (("zones", 0, "estimatedTokens"), 5, "zones"),
        (("zones",), [], "zones"),
    ],
)
def test_an_artifact_that_does_not_add_up_is_not_read(
    path: tuple[str | int, ...], value: Any, field: str
) -> None:
    """B04: candidates, kept and omitted add up, or it is no artifact."""
    data = json.loads(json.dumps(ARTIFACT))
    assert PackedContext.from_data(data)
    node = data
    for step in path[:-1]:
        node = node[step]
    node[path[-1]] = value
    with pytest.raises(SchemaError) as caught:
        PackedContext.from_data(data, file="a.json")
    assert (caught.value.code, caught.value.file, caught.value.field) == ("artifact_sum", "a.json", field)


def test_the_seal_binds_the_content() -> None:
    context = PackedContext.from_data(ARTIFACT)
    assert context.digest == ""
    sealed = context.seal()
    assert sealed.digest == sealed.content_digest() == context.content_digest()
    assert sealed.seal() == sealed
    assert PackedContext.from_json(sealed.to_json()) == sealed
    other = sealed.model_copy(update={"task_id": "other"})
    assert other.content_digest() != other.digest


# -- half characters ---------------------------------------------------------------------------------


def test_half_characters_are_replaced_and_noted() -> None:
    r"""D08: a JSON unit with ``"\ud800"`` is read; the unit says what was replaced."""
    unit = ContextUnit.from_json(r'{"id": "a", "text": "x\ud800y\udc00", "title": "\ud83d\ude42"}')
    assert unit.text == "x\ufffdy\ufffd"
    assert unit.title == "🙂"
    assert unit.diagnostics == ("2 lone surrogates were replaced by U+FFFD",)
    data = {**FULL, "units": [*FULL["units"], {"id": "s", "text": "\udfff", "diagnostics": ["old"]}]}
    problem = Problem.from_json(json.dumps(data))
    assert problem.by_id["s"].diagnostics == ("old", "1 lone surrogate was replaced by U+FFFD")
    assert problem.by_id["a"].diagnostics == ("note",)


def test_half_characters_in_memory_can_be_written_and_keep_their_digest() -> None:
    units = (*Problem.from_data(FULL).units, ContextUnit(id="s", text="a\ud800", token_estimate=1))
    problem = Problem.from_data(FULL).model_copy(update={"units": units})
    again = Problem.from_json(problem.to_json())
    assert again.by_id["s"].text == "a\ufffd"
    assert again.digest == problem.digest


def test_a_byte_order_mark_is_no_content() -> None:
    """F06 for our own formats: editors write it unasked."""
    text = json.dumps(FULL)
    assert Problem.from_json(b"\xef\xbb\xbf" + text.encode()) == Problem.from_json(text)


# -- schemas and speed -------------------------------------------------------------------------------


@pytest.mark.parametrize("model", [Problem, PackedContext, ContextUnit, BudgetEnvelope, RedundancyGroup])
def test_json_schema_speaks_camel_case_and_is_closed(model: type[Model]) -> None:
    schema = model.model_json_schema()
    assert schema["additionalProperties"] is False
    assert all("_" not in name for name in schema["properties"])
    assert json.dumps(schema, sort_keys=True) == json.dumps(model.model_json_schema(), sort_keys=True)


def test_schema_states_ranges_and_versions() -> None:
    schema = Problem.model_json_schema()
    assert schema["properties"]["schemaVersion"]["const"] == "packing-problem.v1"
    unit = schema["$defs"]["ContextUnit"]["properties"]
    assert (unit["riskScore"]["minimum"], unit["riskScore"]["maximum"]) == (0.0, 1.0)
    assert set(schema["required"]) == {"schemaVersion", "envelope", "units"}
    packed = PackedContext.model_json_schema()
    assert packed["properties"]["schemaVersion"]["const"] == "packed-context.v1"
    for model in (Rendering, CoverageDimension):
        assert model.model_json_schema()["type"] == "object"


def test_many_units_are_read_quickly() -> None:
    """10,000 units with dependencies are read as one."""
    units = [
        {
            "id": f"u{n}",
            "text": "x" * 100,
            "tokenEstimate": 50,
            "relevanceScore": 0.5,
            "sourceRefs": [{"path": f"src/{n}.py", "startLine": 1, "endLine": 9}],
            "dependencies": [f"u{n - 1}"] if n % 5 else [],
            "renderings": [{"state": "symbolized", "tokens": 9, "fidelity": 0.5}],
        }
        for n in range(10_000)
    ]
    text = json.dumps({**FULL, "redundancyGroups": [], "policy": {}, "units": units})
    problem = Problem.from_json(text)
    assert len(problem.by_id) == 10_000
