"""Hypothesis strategies for small packing problems with every kind of constraint.

Problems are drawn as JSON data and validated, so that shrinking ends at a problem a person can read. Budgets,
minima and maxima are drawn from the sizes at hand: tight enough to bind, loose enough to leave a choice.
"""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

from satchel.models import Problem, selects

ZONES = ("source_evidence", "task", "examples")
KINDS = ("file_excerpt", "symbol", "contract", "example", "test_case")
STATES = ("raw", "excerpted", "symbolized", "contract", "summarized")
TAGS = ("red", "blue")
DIMENSIONS = ("errors", "auth")
SCORES = st.sampled_from([0.0, 0.1, 0.25, 0.37, 0.5, 0.8, 1.0])
SHARES = st.sampled_from([0.2, 0.5, 0.75, 1.0])
RISKS = st.sampled_from([*[0.0] * 12, 0.3, 0.69, 0.7, 0.9])
CHOICES = 6000
"""How many packs a problem may have at most, so that enumeration stays quick."""

Data = dict[str, Any]


@st.composite
def problems(draw: st.DrawFn, *, max_units: int = 8, whole: bool | None = None) -> Problem:
    """Draw a problem; ``whole`` asks for integers only (True), for scores (False), or for either (None)."""
    integers = draw(st.booleans()) if whole is None else whole
    names = draw(st.permutations("abcdefghijkl"[: draw(st.integers(1, max_units))]))
    units: list[Data] = []
    packs = 1
    for name in names:
        room = CHOICES // packs // 2 ** (len(names) - len(units) - 1)
        unit = draw(_units(name, integers=integers, rungs=max(0, min(3, room - 2))))
        packs *= 2 + len(unit.get("renderings", ()))
        units.append(unit)
    _tie(draw, units)
    dimensions = draw(st.lists(st.sampled_from(DIMENSIONS), unique=True, max_size=2))
    problem: Data = {
        "schemaVersion": "packing-problem.v1",
        "envelope": draw(_envelopes(units, integers=integers)),
        "redundancyGroups": draw(_groups(list(names), integers=integers)),
        "coverage": [draw(_dimensions(name, integers=integers)) for name in dimensions],
        "units": units,
    }
    if integers:
        problem["weights"] = {"coverage": draw(st.integers(0, 3)), "redundancy": draw(st.integers(0, 2))}
    group_ids = [group["id"] for group in problem["redundancyGroups"]]
    for unit in units:
        if group_ids and draw(st.integers(0, 5)) == 0:
            unit["redundancyGroups"] = [draw(st.sampled_from(group_ids))]
    problem["policy"] = _consistent(draw(_policies(list(names), integers=integers)), problem)
    return Problem.from_data(problem)


@st.composite
def _units(draw: st.DrawFn, name: str, *, integers: bool, rungs: int) -> Data:
    own = draw(st.sampled_from(["raw", "raw", "raw", "excerpted"]))
    tokens = draw(st.integers(0, 12))
    unit: Data = {
        "id": name,
        "kind": draw(st.sampled_from(KINDS)),
        "title": f"unit {name}",
        "zone": draw(st.sampled_from(ZONES)),
        "tokenEstimate": tokens,
        "compressionState": own,
        "sourceRefs": [{"path": f"src/{name}.py", "startLine": 1, "endLine": 9}],
        "tags": draw(st.lists(st.sampled_from(TAGS), unique=True, max_size=1)),
        "authorityScore": draw(SCORES),
        "riskScore": draw(RISKS),
        "stability": draw(st.sampled_from(["stable", "volatile"])),
        "trust": draw(st.sampled_from(["trusted", "untrusted"])),
    }
    if integers:
        unit["value"] = draw(st.integers(-2, 12))
    elif draw(st.integers(0, 4)) == 0:
        unit["value"] = draw(st.sampled_from([0.0, 0.3, 1.0, -0.1]))
    else:
        unit["relevanceScore"], unit["freshnessScore"] = draw(SCORES), draw(SCORES)
    covered = draw(st.lists(st.sampled_from((*DIMENSIONS, "undeclared")), unique=True, max_size=2))
    strengths = st.just(1.0) if integers else SHARES
    unit["coverage"] = {dimension: draw(strengths) for dimension in covered}
    shorter = STATES[STATES.index(own) + 1 :]
    states = sorted(draw(st.lists(st.sampled_from(shorter), unique=True, max_size=rungs)), key=STATES.index)
    unit["renderings"] = [draw(_renderings(state, tokens, integers=integers)) for state in states]
    if unit["renderings"] and draw(st.integers(0, 9)) == 0:
        # No form of its own: the first rendering is it.
        del unit["tokenEstimate"]
        unit["compressionState"] = unit["renderings"][0]["state"]
    return unit


@st.composite
def _renderings(draw: st.DrawFn, state: str, tokens: int, *, integers: bool) -> Data:
    form: Data = {"state": state, "tokens": draw(st.integers(0, max(1, tokens)))}
    if integers:
        form["value"] = draw(st.integers(-1, 9))
    elif draw(st.integers(0, 3)) == 0:
        form["value"] = draw(st.sampled_from([0.0, 0.2, 0.55]))
    if "value" not in form or (not integers and draw(st.booleans())):
        form["fidelity"] = draw(SHARES)
    if draw(st.integers(0, 3)) == 0:
        form["sourceRefs"] = [{"path": "src/short.py", "startLine": 2, "endLine": 3}]
    return form


def _tie(draw: st.DrawFn, units: list[Data]) -> None:
    """Add dependencies, cycles among them, some with a shortest form that is good enough."""
    names = [unit["id"] for unit in units]
    for unit in units:
        others = [name for name in names if name != unit["id"]]
        if not others or draw(st.integers(0, 2)):
            continue
        needs = draw(st.lists(st.sampled_from(others), unique=True, min_size=1, max_size=2))
        unit["dependencies"] = [
            name
            if draw(st.booleans())
            else {
                "id": name,
                "minRung": draw(st.sampled_from(["raw", "excerpted", "contract", "summarized"])),
            }
            for name in needs
        ]
    if draw(st.integers(0, 3)) == 0:
        draw(st.sampled_from(units))["required"] = True


@st.composite
def _envelopes(draw: st.DrawFn, units: list[Data], *, integers: bool) -> Data:
    total = sum(_size(unit) for unit in units)
    available = draw(st.integers(0, total + 2))
    envelope: Data = {"availableInputTokens": available}
    if draw(st.booleans()):
        envelope |= {
            "maxContextTokens": available + 6,
            "reservedOutputTokens": 3,
            "reservedSafetyMarginTokens": 2,
            "fixedOverheadTokens": 1,
        }
    zones = []
    for name in draw(st.lists(st.sampled_from(ZONES), unique=True, max_size=3)):
        inside = sum(_size(unit) for unit in units if unit["zone"] == name)
        zone: Data = {
            "name": name,
            "overflowPolicy": draw(
                st.sampled_from(["summarize", "summarize", "summarize", "compress", "drop_low_rank", "fail"])
            ),
        }
        if draw(st.integers(0, 2)) == 0:
            zone["minTokens"] = draw(st.integers(0, inside // 2 + 1))
            zone["minPolicy"] = draw(st.sampled_from(["relax", "relax", "fail"]))
            if draw(st.booleans()):
                del zone["minPolicy"]
        low = zone.get("minTokens", 0)
        if draw(st.booleans()):
            low = zone["targetTokens"] = draw(st.integers(low, low + inside))
            zone["targetPrice"] = draw(st.integers(0, 2) if integers else st.sampled_from([0.0, 0.01, 0.3]))
        if draw(st.integers(0, 2)) == 0:
            zone["maxTokens"] = draw(st.integers(low, low + inside))
        zones.append(zone)
    return envelope | {"zones": zones}


def _size(unit: Data) -> int:
    return int(unit["tokenEstimate"] if "tokenEstimate" in unit else unit["renderings"][0]["tokens"])


@st.composite
def _groups(draw: st.DrawFn, names: list[str], *, integers: bool) -> list[Data]:
    groups = []
    for name in draw(st.sampled_from([(), (), ("g",), ("g",), ("g", "h")])):
        group: Data = {
            "id": name,
            "members": draw(st.lists(st.sampled_from(names), unique=True, max_size=4)),
            "policy": draw(
                st.sampled_from(
                    [
                        "keep_all",
                        "keep_at_most",
                        "keep_at_most",
                        "keep_authoritative",
                        "keep_authoritative_plus_one_example",
                        "keep_authoritative_plus_one_example",
                    ]
                )
            ),
            "penalty": draw(st.integers(0, 3) if integers else st.sampled_from([0.0, 0.0, 0.5, 4.0])),
        }
        if group["policy"] == "keep_at_most" and draw(st.booleans()):
            group["k"] = draw(st.integers(0, 2))
        groups.append(group)
    return groups


@st.composite
def _dimensions(draw: st.DrawFn, name: str, *, integers: bool) -> Data:
    gains = st.integers(0, 3) if integers else st.sampled_from([0.0, 0.25, 0.5, 1.0])
    dimension: Data = {
        "name": name,
        "gains": sorted(draw(st.lists(gains, max_size=3)), reverse=True),
    }
    if draw(st.booleans()):
        dimension["weight"] = draw(st.integers(0, 4) if integers else st.sampled_from([0.0, 0.1, 0.7]))
    if draw(st.integers(0, 4)) == 0:
        dimension |= {"required": True, "minCount": draw(st.integers(1, 2))}
    return dimension


@st.composite
def _policies(draw: st.DrawFn, names: list[str], *, integers: bool) -> Data:
    ids = st.sampled_from([f"id:{name}" for name in names])
    wide = st.sampled_from([*(f"tag:{tag}" for tag in TAGS), "kind:example", "zone:task", "path:src/a.py"])
    policy: Data = {
        "mustInclude": draw(st.lists(ids, max_size=1)) if draw(st.integers(0, 2)) == 0 else [],
        "shouldInclude": draw(st.lists(wide, max_size=1)),
        "mustExclude": draw(st.lists(ids | wide, max_size=1)) if draw(st.integers(0, 2)) == 0 else [],
    }
    if integers:
        policy["shouldIncludeBonus"] = 1
    if draw(st.integers(0, 4)) == 0:
        policy |= {"riskCeiling": 0.3, "requiredRiskCeiling": draw(st.sampled_from([0.5, 0.9]))}
    return policy


def _consistent(policy: Data, data: Data) -> Data:
    """Drop the exclusions that a required unit contradicts: such problems are refused, and tested apart."""
    problem = Problem.from_data({**data, "policy": policy})
    wanted = [
        unit
        for unit in problem.units
        if unit.required or any(selects(rule, unit) for rule in problem.policy.must_include)
    ]
    policy["mustExclude"] = [
        rule for rule in policy["mustExclude"] if not any(selects(rule, unit) for unit in wanted)
    ]
    return policy
