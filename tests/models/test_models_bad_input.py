"""Bad input gives one clear error: file, field, value, and what would be accepted (issue A's list, M06)."""

from __future__ import annotations

import copy
import json
from typing import Any

import pytest

from satchel.models import (
    BudgetEnvelope,
    ContextUnit,
    Diagnostic,
    EnvelopeError,
    InputError,
    PackedContext,
    PackingPolicy,
    Problem,
    SchemaError,
    UnknownReferenceError,
)

Path = tuple[str | int, ...]

GOOD: dict[str, Any] = {
    "schemaVersion": "packing-problem.v1",
    "envelope": {"availableInputTokens": 10, "zones": [{"name": "task", "minTokens": 1}]},
    "policy": {"mustInclude": ["id:a"]},
    "units": [
        {
            "id": "a",
            "tokenEstimate": 3,
            "relevanceScore": 0.5,
            "renderings": [{"state": "summarized", "tokens": 1, "fidelity": 0.5}],
            "sourceRefs": [{"path": "x.py"}],
            "coverage": ["e"],
            "dependencies": ["b"],
        },
        {"id": "b", "tokenEstimate": 1},
    ],
    "redundancyGroups": [{"id": "g", "members": ["a", "b"], "policy": "keep_at_most", "k": 1}],
    "coverage": [{"name": "e", "weight": 1}],
}

Schema, Unknown, Envelope = SchemaError, UnknownReferenceError, EnvelopeError
GONE = object()
A: Path = ("units", 0)
ZONE: Path = ("envelope", "zones", 0)


def changed(path: Path, value: Any) -> dict[str, Any]:
    data = copy.deepcopy(GOOD)
    node: Any = data
    for step in path[:-1]:
        node = node[step]
    if value is GONE:
        del node[path[-1]]
    else:
        node[path[-1]] = value
    return data


# What is changed, to what; the field that must be named; what the message must say.
TABLE: list[tuple[Path, Any, str, str, type[InputError]]] = [
    # ids and references
    (("units", 1, "id"), "a", "units[1].id", "duplicate id, first used by units[0] (got 'a')", Schema),
    (("units", 1, "id"), "", "units[1].id", "must not be empty", Schema),
    (("units", 1, "id"), 5, "units[1].id", "must be a text (got 5)", Schema),
    (("units", 1, "id"), GONE, "units[1].id", "is required", Schema),
    (
        (*A, "dependencies"),
        ["zz"],
        "units[0].dependencies[0]",
        "(got 'zz'); known: a, b",
        Unknown,
    ),
    ((*A, "dependencies"), ["a"], "units[0].dependencies", "cannot depend on itself", Schema),
    ((*A, "dependencies"), "b", "units[0].dependencies", "should be a list, not a single text", Schema),
    (
        (*A, "dependencies"),
        [{"id": "b", "minRung": "tiny"}],
        "units[0].dependencies[0].minRung",
        "'contract' or 'summarized' (got 'tiny')",
        Schema,
    ),
    ((*A, "zone"), "exmaples", "units[0].zone", "did you mean 'examples'?", Unknown),
    ((*A, "zone"), "q", "units[0].zone", "known: examples, existing_docs", Unknown),
    ((*A, "redundancyGroups"), ["x"], "units[0].redundancyGroups[0]", "known: g", Unknown),
    (
        ("redundancyGroups", 0, "members"),
        ["a", "q"],
        "redundancyGroups[0].members[1]",
        "'g' names an unknown unit (got 'q')",
        Unknown,
    ),
    (
        ("redundancyGroups",),
        [{"id": "g"}, {"id": "g"}],
        "redundancyGroups[1].id",
        "duplicate id",
        Schema,
    ),
    (("coverage",), [{"name": "e"}, {"name": "e"}], "coverage[1].name", "duplicate name", Schema),
    # scores
    ((*A, "relevanceScore"), 1.2, "units[0].relevanceScore", "at most 1 (got 1.2); scores are", Schema),
    ((*A, "authorityScore"), -0.1, "units[0].authorityScore", "at least 0 (got -0.1)", Schema),
    ((*A, "riskScore"), "0.5", "units[0].riskScore", "must be a number (got '0.5')", Schema),
    ((*A, "riskScore"), True, "units[0].riskScore", "must be a number (got True)", Schema),
    ((*A, "riskScore"), None, "units[0].riskScore", "must be a number, not null", Schema),
    ((*A, "relevanceScore"), float("nan"), "units[0].relevanceScore", "finite number (got nan)", Schema),
    ((*A, "value"), float("-inf"), "units[0].value", "must be a finite number (got -inf)", Schema),
    ((*A, "value"), 1e16, "units[0].value", "must be at most 1e+15", Schema),
    ((*A, "coverage"), {"e": 2}, "units[0].coverage.e", "must be at most 1 (got 2)", Schema),
    ((*A, "coverage"), {"E": 2}, "units[0].coverage.E", "must be at most 1 (got 2)", Schema),
    ((*A, "coverage"), "e", "units[0].coverage", "list of dimensions or a map to strengths", Schema),
    # tokens
    ((*A, "tokenEstimate"), -1, "units[0].tokenEstimate", "must be at least 0 (got -1)", Schema),
    ((*A, "tokenEstimate"), 1.5, "units[0].tokenEstimate", "whole number (got 1.5); accepted:", Schema),
    ((*A, "tokenEstimate"), "7", "units[0].tokenEstimate", "must be a whole number (got '7')", Schema),
    ((*A, "tokenEstimate"), 10**30, "units[0].tokenEstimate", "must be at most 1099511627776", Schema),
    ((*A, "tokenEstimate"), GONE, "units[0]", "needs tokenEstimate or text (got 'a')", Schema),
    # ladders
    (
        (*A, "renderings", 0, "state"),
        "raw",
        "units[0].renderings[0].state",
        "accepted: excerpted, symbolized, contract, summarized",
        Schema,
    ),
    ((*A, "renderings", 0, "fidelity"), 0, "units[0].renderings[0].fidelity", "must be above 0", Schema),
    (
        (*A, "renderings", 0, "fidelity"),
        GONE,
        "units[0].renderings[0]",
        "needs fidelity or value",
        Schema,
    ),
    ((*A, "renderings", 0, "tokens"), GONE, "units[0].renderings[0]", "needs tokens or text", Schema),
    # provenance
    (
        (*A, "sourceRefs", 0),
        {"path": "x", "startLine": 5, "endLine": 3},
        "units[0].sourceRefs[0].endLine",
        "must not come before startLine (got 3)",
        Schema,
    ),
    (
        (*A, "sourceRefs", 0),
        {"path": "x", "startLine": 5, "endLine": 9, "totalLines": 8},
        "units[0].sourceRefs[0].totalLines",
        "line 9 is beyond the end of the file (got 8)",
        Schema,
    ),
    # vocabularies and shapes
    ((*A, "kind"), "novel", "units[0].kind", "'file_full', 'file_excerpt'", Schema),
    ((*A, "required"), "yes", "units[0].required", "must be true or false (got 'yes')", Schema),
    ((*A, "relevancScore"), 1, "units[0].relevancScore", "did you mean 'relevanceScore'?", Schema),
    ((*A, "blob"), 1, "units[0].blob", "known fields: authorityScore", Schema),
    (A, "a.py", "units[0]", "must be an object (got 'a.py')", Schema),
    (("units",), {}, "units", "must be a list (got {})", Schema),
    (("units",), GONE, "units", "is required", Schema),
    (("weights",), {"relevence": 1}, "weights.relevence", "did you mean 'relevance'?", Schema),
    (("schemaVersion",), "packing-problem.v9", "schemaVersion", "reads packing-problem.v1", Schema),
    (("schemaVersion",), GONE, "schemaVersion", 'add "schemaVersion": "packing-problem.v1" to it', Schema),
    # groups and dimensions
    (("redundancyGroups", 0, "k"), -1, "redundancyGroups[0].k", "must be at least 0", Schema),
    (
        ("redundancyGroups", 0, "policy"),
        "keep_all",
        "redundancyGroups[0].k",
        "k goes with keep_at_most only (got 1); remove k",
        Schema,
    ),
    (("coverage", 0, "gains"), [0.5, 1], "coverage[0].gains[1]", "must not increase (got 1.0)", Schema),
    (("coverage", 0, "minCount"), 0, "coverage[0].minCount", "must be at least 1", Schema),
    # envelope
    (("envelope",), GONE, "envelope", "is required", Schema),
    (("envelope",), {}, "envelope.availableInputTokens", "give one of them as a whole number", Envelope),
    (
        ("envelope",),
        {"maxContextTokens": 100, "reservedOutputTokens": 20, "availableInputTokens": 90},
        "envelope.availableInputTokens",
        "does not add up: maxContextTokens 100 - (reservedOutputTokens 20",
        Envelope,
    ),
    (
        ("envelope",),
        {"maxContextTokens": 10, "reservedOutputTokens": 20},
        "envelope.maxContextTokens",
        "the smallest window that works is 20",
        Envelope,
    ),
    (
        ZONE,
        {"name": "t", "minTokens": 5, "maxTokens": 3},
        "envelope.zones[0].minTokens",
        "above",
        Envelope,
    ),
    (
        ZONE,
        {"name": "t", "targetPrice": 1},
        "envelope.zones[0].targetPrice",
        "give targetTokens",
        Envelope,
    ),
    (("envelope", "zones"), [{"name": "x"}] * 2, "envelope.zones[1].name", "declared twice", Envelope),
    # policy
    (("policy", "mustInclude"), ["sort:x"], "policy.mustInclude[0]", "accepted: kind:K, tag:T", Schema),
    (("policy", "mustInclude"), ["id:[z-a]"], "policy.mustInclude[0]", "not a valid pattern", Schema),
    (("policy", "mustInclude"), [{"tag": 5}], "policy.mustInclude[0]", "exactly one of kind", Schema),
    (("policy", "riskCeiling"), 3, "policy.riskCeiling", "must be at most 1 (got 3)", Schema),
]


def test_the_starting_point_is_good() -> None:
    Problem.from_json(json.dumps(GOOD))


@pytest.mark.parametrize(
    ("path", "value", "field", "says", "kind"), TABLE, ids=[f"{n}-{row[2]}" for n, row in enumerate(TABLE)]
)
@pytest.mark.parametrize("through", ["json", "data"])
def test_one_clear_error(
    path: Path, value: Any, field: str, says: str, kind: type[InputError], through: str
) -> None:
    """The same error from JSON text and from data: file, field, value, and what would work."""
    data = changed(path, value)
    read = Problem.from_data if through == "data" else Problem.from_json
    with pytest.raises(InputError) as caught:
        read(data if through == "data" else json.dumps(data), file="p.json")
    error = caught.value
    assert type(error) is kind
    assert (error.file, error.field, error.exit_code) == ("p.json", field, 2)
    assert str(error).startswith(f"p.json: {field}: ")
    assert says in str(error)
    assert "\n" not in str(error)
    assert json.dumps(error.to_dict())


TEXTS = {
    "empty": ("", "is empty; a JSON object is expected", None),
    "blank": (b" \n\n", "is empty", None),
    "words": ("hello", "is not JSON: expecting value, column 1", 1),
    "cut": ('{"schemaVersion":\n"packing', "is not JSON: unterminated string", 2),
    "more": ("{}\n}", "is not JSON: extra data, column 1", 2),
    "list": ("[]", "must be an object (got [])", None),
    "null": ("null", "must be an object, not null", None),
    "utf-16": ("{}".encode("utf-16"), "no UTF-8 text, invalid start byte at byte 0", 1),
    "latin-1": ('{"a":\n"é"}'.encode("latin-1"), "no UTF-8 text, invalid continuation byte at byte 7", 2),
    "deep lists": ("[" * 100_000, "is nested too deeply", None),
    "deep objects": ('{"a":' * 100_000, "is nested too deeply", None),
    "long number": ("9" * 5000, "a whole number of thousands of digits", None),
    "control character": ('{"a": "\t"}', "is not JSON: invalid control character", 1),
}


@pytest.mark.parametrize("name", TEXTS)
def test_texts_that_are_no_json(name: str) -> None:
    text, says, line = TEXTS[name]
    with pytest.raises(SchemaError) as caught:
        Problem.from_json(text, file="p.json")
    assert says in str(caught.value)
    assert (caught.value.file, caught.value.line) == ("p.json", line)


def test_the_line_of_a_record_among_many() -> None:
    """In a JSONL file the caller knows the line, whatever is wrong with it."""
    for text in ('{"id": "a", "tokenEstimate": 1', '{"id": "a", "tokenEstimate": -1}', "", '{"id": "a"}'):
        with pytest.raises(SchemaError) as caught:
            ContextUnit.from_json(text, file="units.jsonl", line=1234)
        assert str(caught.value).startswith("units.jsonl:1234: ")


def test_a_key_given_twice_is_not_overlooked() -> None:
    text = json.dumps(GOOD).replace('"tokenEstimate": 3', '"tokenEstimate": 3, "tokenEstimate": 4')
    with pytest.raises(SchemaError) as caught:
        Problem.from_json(text, file="p.json")
    assert str(caught.value) == (
        "p.json: units[0].tokenEstimate: the key is given twice (got 'tokenEstimate'); keep one of the two"
    )


def test_both_spellings_of_one_field() -> None:
    with pytest.raises(SchemaError, match=r"token_estimate: is not a known field .* 'tokenEstimate'"):
        ContextUnit.from_json('{"id": "a", "tokenEstimate": 1, "token_estimate": 2}')


def test_all_problems_are_counted_and_listed() -> None:
    data = changed((*A, "riskScore"), 7)
    data["units"][1]["kind"] = "novel"
    with pytest.raises(SchemaError) as caught:
        Problem.from_data(data)
    assert "units[0].riskScore: must be at most 1 (and 1 more) (got 7)" in str(caught.value)
    assert caught.value.data["problems"] == 2
    assert caught.value.data["alsoWrong"][0].startswith("units[1].kind: ")


def test_a_huge_value_is_shown_shortened() -> None:
    with pytest.raises(SchemaError) as caught:
        ContextUnit.from_data({"id": "a", "tokenEstimate": "9" * 100_000})
    assert len(str(caught.value)) < 300


def test_unknown_names_among_many_units_are_answered_quickly_and_shortly() -> None:
    units = [{"id": f"unit-{n}", "tokenEstimate": 1} for n in range(3000)]
    units[0]["dependencies"] = ["unit-29999"]  # type: ignore[assignment]
    with pytest.raises(UnknownReferenceError, match=r"did you mean 'unit-2999'\?"):
        Problem.from_data({**GOOD, "policy": {}, "redundancyGroups": [], "units": units})
    units[0]["dependencies"] = ["something else"]  # type: ignore[assignment]
    with pytest.raises(UnknownReferenceError, match="it must be one of the 3000 defined"):
        Problem.from_data({**GOOD, "policy": {}, "redundancyGroups": [], "units": units})


@pytest.mark.parametrize(
    ("data", "says"),
    [
        ({"a": float("nan")}, "finite numbers"),
        ({"a": {1, 2}}, "finite numbers, texts, lists and objects only"),
        ({"a": {1: 2}}, "texts as keys"),
        ({"a": eval("[" * 40 + "]" * 40)}, "nested too deeply"),
    ],
)
def test_free_data_is_what_json_can_say(data: dict[str, Any], says: str) -> None:
    with pytest.raises(SchemaError, match=says):
        Diagnostic.from_data({"severity": "info", "code": "x", "message": "", "data": data})


def test_numbers_that_json_does_not_have_are_refused_where_anything_goes() -> None:
    with pytest.raises(SchemaError, match=r"solver\.limits\.gap: must be a finite number \(got inf\)"):
        PackedContext.from_json('{"solver": {"limits": {"gap": Infinity}}}')


def test_an_envelope_by_itself_names_its_own_fields() -> None:
    """A22: window, reserve and room for input are kept apart, and the error says which is wrong."""
    with pytest.raises(EnvelopeError) as caught:
        BudgetEnvelope.from_data({"maxContextTokens": 400, "reservedOutputTokens": 500})
    assert caught.value.field == "maxContextTokens"
    assert caught.value.hint == "the smallest window that works is 500"


def test_any_byte_but_nul_may_stand_in_a_pattern() -> None:
    """G21: shell characters are not refused."""
    for pattern in ("!.(cursor)/**", "a b&c;$d", "(x|y)*.py", "[", "a\\*b", "'\"", "日本*"):
        policy = PackingPolicy.from_data({"mustExclude": [f"path:{pattern}"]})
        assert policy.must_exclude == (f"path:{pattern}",)
    with pytest.raises(SchemaError):
        PackingPolicy.from_data({"mustExclude": ["path:a\0b"]})
