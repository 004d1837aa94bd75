"""No field of an artifact can be changed unseen: not one by itself, and hardly one with a fresh seal."""

from __future__ import annotations

import copy
import math
import re
from collections.abc import Iterator
from typing import Any

import pytest

from satchel.models import (
    AcceptReason,
    InputError,
    Kind,
    PackedContext,
    Problem,
    RejectReason,
    Severity,
    Stability,
    State,
    Status,
    StopReason,
    Trust,
)
from satchel.prompt import render, report
from satchel.solver.options import SolveOptions
from satchel.solver.solve import solve
from satchel.solver.verify import verify

Path = tuple[str | int, ...]

VOCABULARIES = (AcceptReason, RejectReason, Kind, Severity, Stability, State, Status, StopReason, Trust)

PROBLEM = {
    "schemaVersion": "packing-problem.v1",
    "task": {"id": "page:x", "kind": "overview", "about": "the solver"},
    "profile": {"provider": "p", "model": "m", "tokenizer": "words", "mode": "exact"},
    "envelope": {
        "maxContextTokens": 586,
        "reservedOutputTokens": 20,
        "reservedSafetyMarginTokens": 6,
        "fixedOverheadTokens": 500,
        "zones": [
            {"name": "task", "minTokens": 3, "overflowPolicy": "fail"},
            {"name": "examples", "minTokens": 4, "targetTokens": 6, "maxTokens": 9, "targetPrice": 0.01},
            {"name": "existing_docs", "minTokens": 5},
        ],
    },
    "policy": {
        "mustInclude": ["id:must"],
        "shouldInclude": ["tag:nice"],
        "mustExclude": ["tag:secrets"],
    },
    "redundancyGroups": [
        {"id": "same", "members": ["same1", "same2"], "policy": "keep_at_most", "penalty": 0.5},
        {"id": "auth", "members": ["chief", "clerk"], "policy": "keep_authoritative"},
        {"id": "soft", "members": ["must", "same1"], "policy": "keep_all", "penalty": 0.1},
    ],
    "coverage": [
        {"name": "errors", "weight": 0.5, "required": True},
        {"name": "auth", "weight": 0.1},
        {"name": "none"},
    ],
    "units": [
        {"id": "task", "zone": "task", "tokenEstimate": 5, "stability": "volatile", "trust": "trusted"},
        {
            "id": "must",
            "tokenEstimate": 12,
            "relevanceScore": 0.4,
            "renderings": [
                {
                    "state": "summarized",
                    "tokens": 5,
                    "fidelity": 0.8,
                    "text": "must in short",
                    "sourceRefs": [{"path": "m.py", "startLine": 1, "endLine": 2, "totalLines": 9}],
                }
            ],
        },
        {"id": "flag", "tokenEstimate": 2, "required": True, "tags": ["nice"], "authorityScore": 0.3},
        {"id": "nice", "tokenEstimate": 6, "tags": ["nice"], "relevanceScore": 0.6, "dependencies": ["base"]},
        {"id": "base", "tokenEstimate": 3, "value": -0.01},
        {"id": "cover", "tokenEstimate": 4, "value": 0.0, "coverage": {"errors": 0.6, "auth": 0.5}},
        {"id": "secret", "tokenEstimate": 1, "tags": ["secrets"], "relevanceScore": 1.0},
        {"id": "risky", "tokenEstimate": 1, "riskScore": 0.75, "relevanceScore": 1.0},
        {"id": "needs_risky", "tokenEstimate": 1, "dependencies": ["risky"], "relevanceScore": 1.0},
        {"id": "needs_huge", "tokenEstimate": 1, "dependencies": ["huge"], "relevanceScore": 1.0},
        {"id": "huge", "tokenEstimate": 500, "relevanceScore": 1.0, "kind": "file_full"},
        {"id": "same1", "tokenEstimate": 2, "relevanceScore": 0.9, "sourceRefs": [{"path": "s.py"}]},
        {"id": "same2", "tokenEstimate": 3, "relevanceScore": 0.9, "kind": "symbol", "title": "Same"},
        {"id": "chief", "tokenEstimate": 3, "authorityScore": 0.9},
        {"id": "clerk", "tokenEstimate": 3, "authorityScore": 0.8},
        {"id": "ex1", "zone": "examples", "kind": "example", "tokenEstimate": 7, "relevanceScore": 0.7},
        {"id": "ex2", "zone": "examples", "kind": "example", "tokenEstimate": 5, "relevanceScore": 0.2},
        {"id": "dull", "tokenEstimate": 3, "value": -0.5},
        {"id": "needs_dull", "tokenEstimate": 1, "value": 0.1, "dependencies": ["dull"]},
    ],
}

ONLY_SEALED = {
    # Sentences; the codes and data behind them are checked.
    "acceptedUnits[].detail",
    "rejectedUnits[].detail",
    "skippedUnits[].detail",
    "diagnostics[].message",
    "diagnostics",
    # Several soft reasons can be true of one unit.
    "acceptedUnits[].reason",
    # How the run went, not what came out of it; checked for sense only.
    "solver.stopReason",
    "solver.limits",
    "solver.limits.extra",
    "solver.limits.timeLimitSeconds",
    "solver.seed",
    "solver.workers",
    "solver.versions.*",
    "solver.reproducible",
    # Other multipliers may prove the same bound; that they prove it is checked.
    "solver.certificate.duals",
    "solver.certificate.duals[].value",
}
"""Fields that no problem determines: nothing but the seal protects them."""


def words(text: str) -> int:
    """Count tokens for these tests: words and line ends."""
    return len(re.findall(r"\S+|\n", text))


@pytest.fixture(scope="module")
def instance() -> Problem:
    data = copy.deepcopy(PROBLEM)
    for unit in data["units"]:  # type: ignore[attr-defined]
        unit.setdefault("text", f"the text of {unit['id']}")
    return Problem.from_data(data)


@pytest.fixture(scope="module")
def sealed(instance: Problem) -> tuple[PackedContext, str]:
    """Return an artifact that has nearly everything an artifact can have, and its prompt."""
    context = solve(instance, SolveOptions(solver="cp-sat", time_limit=60, gap=0.0))
    rendered = render(instance, [(unit.id, unit.rung) for unit in context.accepted_units])
    prompt = report(instance, rendered, words, method="exact", limit=566)
    return context.model_copy(update={"prompt": prompt}).seal(), rendered.text


def test_the_artifact_is_rich_and_right(instance: Problem, sealed: tuple[PackedContext, str]) -> None:
    context, text = sealed
    report = verify(context, instance, prompt_text=text, count=words)
    assert report.passed, report.failures
    reasons = {unit.reason.value for unit in (*context.rejected_units, *context.skipped_units)}
    assert len(reasons) >= 9, "most reasons for leaving out occur"
    assert context.solver.shortfall > 0, "a relaxed minimum is missed"


def test_a_stale_seal_is_refused(instance: Problem, sealed: tuple[PackedContext, str]) -> None:
    context, text = sealed
    for digest in ("", "sha256:0", context.digest.upper()):
        stale = context.model_copy(update={"digest": digest})
        report = verify(stale, instance, prompt_text=text, count=words)
        assert [check.name for check in report.failures] == ["digest"]


def changes(data: Any) -> Iterator[tuple[Path, Any]]:
    """Yield (path, tampered whole): each leaf changed in several ways, each entry dropped, doubled, moved.

    The whole is one object, mended before the next change.
    """

    def walk(node: Any, path: Path) -> Iterator[tuple[Path, Any]]:
        if isinstance(node, dict):
            for key in node:
                yield (*path, key), _DROP
                yield from walk(node[key], (*path, key))
            yield (*path, "extra"), 1
        elif isinstance(node, list):
            for index in range(len(node)):
                yield (*path, index), _DROP
                yield from walk(node[index], (*path, index))
            if node:
                yield path, [*node, node[0]]
                yield path, [*node[1:], node[0]]
        else:
            for other in others(node):
                yield path, other

    for path, value in list(walk(data, ())):
        parent = data
        for step in path[:-1]:
            parent = parent[step]
        before = copy.copy(parent)
        if value is _DROP:
            del parent[path[-1]]
        else:
            parent[path[-1]] = value
        yield path, data
        parent.clear()
        (parent.extend if isinstance(parent, list) else parent.update)(before)


_DROP = object()


def others(value: Any) -> list[Any]:
    """Return values that could stand instead of ``value`` in the eyes of a hasty reader."""
    if isinstance(value, bool):
        return [not value]
    if isinstance(value, int):
        return [value + 1, value - 1, -value - 1, 0]
    if isinstance(value, float):
        return [math.nextafter(value, math.inf), value + 0.5, 0.0]
    words = next((v for v in VOCABULARIES if value in set(v)), ())
    return [value + "x", "", *(word.value for word in words)]


def pattern(path: Path) -> str:
    text = "".join("[]" if isinstance(step, int) else f".{step}" for step in path)
    return re.sub(r"^solver\.versions\..*", "solver.versions.*", text.removeprefix("."))


def test_every_single_change_is_refused(instance: Problem, sealed: tuple[PackedContext, str]) -> None:
    """Each field, changed by itself, is caught: on reading, or by a check.

    With a fresh seal it is still caught by what is recomputed from the problem, but for a short list.
    """
    context, text = sealed
    unseen: set[str] = set()
    tried = 0
    for path, data in changes(context.to_data()):
        try:
            tampered = PackedContext.from_data(data)
        except InputError:
            tried += 1
            continue
        if tampered == context:
            continue  # the default, spelled out or left out
        tried += 1
        resealed = tampered.seal()
        assert resealed.digest != tampered.digest, path  # which is what the check "digest" compares
        if resealed != context and verify(resealed, instance, prompt_text=text, count=words).passed:
            unseen.add(pattern(path))
    assert tried > 1500
    assert unseen == ONLY_SEALED
