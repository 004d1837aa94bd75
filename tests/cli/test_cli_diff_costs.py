"""``satchel diff`` on the command line: causes in words, costs, and what is wrong with the question."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from processes import Satchel

PRICES = """
schemaVersion = "price-table.v1"
currency = "EUR"
[models.m]
inputPerMillion = 2_000_000
cachedInputPerMillion = 200_000
cacheWritePerMillion = 2_500_000
outputPerMillion = 8_000_000
"""


@pytest.fixture
def packs(here: Satchel, tmp_path: Path) -> Path:
    """Two packs of one small repository, into different budgets."""
    repo = tmp_path / "repo"
    repo.mkdir()
    for name in ("alpha", "beta", "gamma"):
        body = "\n".join(f"    {name}_{n} = {n}" for n in range(40))
        (repo / f"{name}.py").write_text(f"def {name}():\n    '''Do {name}.'''\n{body}\n")
    for out, budget in (("a", "900"), ("b", "1500")):
        done = here("pack", "repo", "--about", "alpha", "--budget", budget, "-o", out, "-q", "--no-cache")
        assert done.code == 0, done.err
    (tmp_path / "prices.toml").write_text(PRICES)
    return tmp_path


def test_it_says_what_changed_and_what_that_costs(here: Satchel, packs: Path) -> None:
    price = ("--prices", "prices.toml", "--min-cacheable", "100")
    done = here("diff", "a", "b", *price, "--calls", "3")
    assert done.code == 0
    assert "budget" in done.out
    assert "Cost, in millionths of EUR" in done.out
    data = here("diff", "a", "b", *price, "--calls", "3", "--json").json()
    one, two = data["costs"]
    cost = here(
        "cost", "b/packed-context.json", "--prices", "prices.toml", "--min-cacheable", "100", "--json"
    )
    assert two["uncachedMicro"] == cost.json()["uncachedMicro"]
    assert one["uncachedMicro"] < two["uncachedMicro"]
    assert two["calls"] == 3
    assert {change["id"] for change in data["changes"]} == {
        *data["entered"],
        *data["left"],
        *(change["id"] for change in data["changedRung"]),
    }
    assert all(change["causes"] for change in data["changes"])


def test_solved_problems_are_compared_without_prompts(here: Satchel, smallest: Path) -> None:
    assert here("solve", smallest, "-o", "one.json", "-q").code == 0
    assert here("solve", smallest, "--budget", "4", "-o", "two.json", "-q").code == 0
    done = here("diff", "one.json", "two.json")
    assert done.code == 0
    assert "Left: 1 unit (budget 1)" in done.out
    assert "Prompts" not in done.out
    assert "same units" in here("diff", "one.json", "one.json").out
    assert here("diff", "one.json", "two.json", "--json").json()["samePrompt"] is None


def test_what_goes_with_prices_only_says_so(here: Satchel, packs: Path) -> None:
    for options in (("--model", "m"), ("--calls", "2"), ("--min-cacheable", "9")):
        done = here("diff", "a", "b", *options)
        assert done.code == 2
        assert "--prices" in done.err
    done = here("diff", "a", "b", "--prices", "prices.toml", "--calls", "-1")
    assert done.code == 2
    assert "--calls" in done.err
    done = here("diff", "a", "b", "--prices", "prices.toml", "--model", "other")
    assert done.code == 2
    assert "--model" in done.err


def test_a_cause_that_several_share_is_told_once(here: Satchel, tmp_path: Path) -> None:
    """The larger budget lets three in; the fourth comes for a reason of its own as well."""
    units = [{"id": name, "tokenEstimate": 10, "value": 9 - n} for n, name in enumerate("abcde")]
    for name, budget, worth in (("one", 10, 1), ("two", 50, 2)):
        units[4]["value"] = worth
        problem = {
            "schemaVersion": "packing-problem.v1",
            "envelope": {"availableInputTokens": budget},
            "units": units,
        }
        (tmp_path / name).mkdir()
        (tmp_path / name / "packing-problem.json").write_text(json.dumps(problem))
        path = f"{name}/packing-problem.json"
        assert here("solve", path, "-o", f"{name}/packed-context.json", "-q").code == 0
    out = here("diff", "one/packed-context.json", "two/packed-context.json").out
    assert out.count("10 to 50 tokens for units") == 1
    entered = out[out.index("Entered: 4 units") :].splitlines()
    assert entered[1].strip() == "all of them: budget: 10 to 50 tokens for units"
    assert [line.split()[0] for line in entered[2:6]] == ["b", "c", "d", "e"]
    assert entered[6].strip() == "score: value 1 to 2"
