"""A changed copy of a problem is another problem: what was worked out of the old one is not said of it."""

from __future__ import annotations

from satchel.models import BudgetEnvelope, Problem, RedundancyGroup


def test_a_changed_copy_has_its_own_digest_groups_and_units() -> None:
    problem = Problem.from_data(
        {
            "schemaVersion": "packing-problem.v1",
            "envelope": {"availableInputTokens": 10},
            "units": [{"id": "a", "tokenEstimate": 1}, {"id": "b", "tokenEstimate": 1}],
            "redundancyGroups": [{"id": "g", "members": ["a"]}],
        }
    )
    known = (problem.digest, problem.groups, problem.by_id)
    changed = problem.model_copy(
        update={
            "envelope": BudgetEnvelope(available_input_tokens=5),
            "units": problem.units[:1],
            "redundancy_groups": (RedundancyGroup(id="g", members=("a",)), RedundancyGroup(id="h")),
        }
    )
    assert changed.digest == Problem.from_json(changed.to_json()).digest != known[0]
    assert changed.groups == {"g": ("a",), "h": ()}
    assert set(changed.by_id) == {"a"}
    assert (problem.digest, problem.groups, problem.by_id) == known
