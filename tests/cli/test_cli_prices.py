"""Prices on ``satchel pack`` and ``satchel solve``: expected calls, a limit, value per cost."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from processes import Done, Satchel

PRICES = """\
schemaVersion = "price-table.v1"
currency = "USD"

[models."*"]
inputPerMillion = 3_000_000
cachedInputPerMillion = 300_000
cacheWritePerMillion = 3_750_000
cacheWriteLongPerMillion = 6_000_000
outputPerMillion = 15_000_000
"""

CACHE = ("--min-cacheable", "512")


@pytest.fixture
def repo(tmp_path: Path) -> Path:
    """Four modules that all are about queues, and a price table beside them."""
    folder = tmp_path / "repo"
    folder.mkdir()
    for name in ("push", "pop", "peek", "drain"):
        body = "".join(
            f'def {name}_{i}(queue, item):\n    """{name.title()} number {i} of a queue."""\n'
            f"    queue.append(item * {i})\n    return len(queue) - {i}\n\n\n"
            for i in range(14)
        )
        (folder / f"{name}.py").write_text(body, encoding="utf-8")
    (tmp_path / "prices.toml").write_text(PRICES, encoding="utf-8")
    return folder


def pack(here: Satchel, *args: str) -> Done:
    return here("pack", "repo", "--about", "queue", "--budget", "4k", "--no-cache", "--json", *args)


def names(artifact: dict[str, Any]) -> set[str]:
    return {unit["id"] for unit in artifact["acceptedUnits"]}


def test_a_page_for_many_calls_holds_more_than_one_for_one(here: Satchel, repo: Path) -> None:
    """For a cent, one call takes all there is room for; 50 calls pay for a part of it, cached."""
    paid = ("--prices", "prices.toml", *CACHE, "--cost-limit", "0.05")
    once, often = pack(here, *paid), pack(here, *paid, "--expected-calls", "50")
    assert (once.code, often.code) == (0, 0), once.err + often.err
    one, many = once.json(), often.json()
    assert one["cost"]["cachedTokens"] == 0
    assert many["cost"]["cachedTokens"] > 512
    assert many["cost"]["costMicro"] <= 50_000 < many["cost"]["uncachedMicro"]
    assert names(many) < names(one) or many["solver"]["objective"] < one["solver"]["objective"]
    uncached = pack(here, *paid[:2], "--min-cacheable", "1m".replace("m", "000000"), *paid[4:])
    assert uncached.code == 0
    done = here("verify", ".satchel/packed-context.json")
    assert done.code == 0, done.out + done.err


def test_the_artifact_states_what_the_prompt_costs_at_most(here: Satchel, repo: Path) -> None:
    done = pack(
        here, "--prices", "prices.toml", *CACHE, "--expected-calls", "7", "--objective", "value-per-cost"
    )
    assert done.code == 0, done.err
    stated = done.json()["cost"]
    found = here(
        "cost", ".satchel/packed-context.json", "--prices", "prices.toml", *CACHE, "--calls", "7", "--json"
    ).json()
    total = found["withCacheMicro"] if stated["cachedTokens"] else found["withoutCacheMicro"]
    assert total <= stated["costMicro"] <= total * 1.05


def test_the_summary_says_what_was_paid_for(here: Satchel, repo: Path) -> None:
    args = ("pack", "repo", "--budget", "4k", "--no-cache", "--prices", "prices.toml", *CACHE)
    done = here(*args, "--expected-calls", "50", "--cost-limit", "0.05")
    assert "Cost of 50 calls, in millionths of USD" in done.out
    assert "without a cache" in done.out
    assert "no pack within the cost limit is worth more" in done.out
    done = here(*args, "--objective", "value-per-cost")
    assert "Cost of 1 call" in done.out
    assert "no value per cost is higher than that of" in " ".join(done.out.split())
    assert "Cost of" not in here(*args[:5]).out


def test_a_problem_is_solved_again_at_other_prices(here: Satchel, repo: Path) -> None:
    """The problem file holds the prices, and each of its numbers can be given anew."""
    assert pack(here, "--prices", "prices.toml", *CACHE, "--expected-calls", "9").code == 0
    file = ".satchel/packing-problem.json"
    stated = json.loads(Path(file).read_text("utf-8"))["pricing"]
    assert (stated["expectedCalls"], stated["cacheMinimum"], stated["currency"]) == (9, 512, "USD")
    assert 0 < stated["prefixTokens"] < 200
    done = here("solve", file, "--cost-limit", "0.03", "--problem-out", "p.json", "-o", "a.json", "-q")
    assert done.code == 0, done.err
    again = json.loads(Path("p.json").read_text("utf-8"))["pricing"]
    assert again == stated | {"costLimit": 30_000}
    assert here("verify", "a.json", "--problem", "p.json").code == 0
    # The same table on the problem without prices counts the same tokens in front.
    bare = json.loads(Path(file).read_text("utf-8"))
    del bare["pricing"]
    Path("bare.json").write_text(json.dumps(bare), encoding="utf-8")
    given = ("--prices", "prices.toml", *CACHE, "--expected-calls", "9", "--problem-out", "q.json", "-q")
    assert here("solve", "bare.json", *given).code == 0
    assert json.loads(Path("q.json").read_text("utf-8"))["pricing"] == stated


def test_answers_need_a_price_of_output(here: Satchel, repo: Path) -> None:
    """A problem whose prices say nothing of output would bill answers at nothing."""
    assert pack(here, "--prices", "prices.toml", *CACHE).code == 0
    file = Path(".satchel/packing-problem.json")
    done = here("solve", file, "--answer-tokens", "1000", "--json")
    assert done.code == 0, done.err
    assert done.json()["cost"]["costMicro"] > 15_000
    data = json.loads(file.read_text("utf-8"))
    del data["pricing"]["outputPerMillion"]
    Path("p.json").write_text(json.dumps(data), encoding="utf-8")
    done = here("solve", "p.json", "--answer-tokens", "1000", "--json")
    assert done.code == 2
    assert done.error()["field"] == "--answer-tokens"
    Path("prices.toml").write_text(PRICES.replace("output", "# output"), encoding="utf-8")
    done = pack(here, "--prices", "prices.toml", *CACHE, "--answer-tokens", "5")
    assert done.code == 2
    assert done.error()["field"] == "outputPerMillion"


def test_a_budget_by_hand_keeps_the_frame_that_is_paid_for(here: Satchel, repo: Path) -> None:
    assert pack(here, "--prices", "prices.toml", "--cost-limit", "1").code == 0
    done = here("solve", ".satchel/packing-problem.json", "--budget", "900", "--json")
    assert done.code == 0, done.err
    assert done.json()["budget"]["fixedOverheadTokens"] > 0


def test_volatile_files_stand_behind_the_task(here: Satchel, repo: Path) -> None:
    """They break no prefix, and cost full price each time: over many calls the others come first."""
    paid = ("--prices", "prices.toml", *CACHE, "--expected-calls", "50", "--cost-limit", "0.08")
    done = pack(here, *paid, "--volatile", "push.py", "--volatile", "po*.py")
    assert done.code == 0, done.err
    artifact = done.json()
    volatile = {unit["id"] for unit in artifact["acceptedUnits"] if unit["stability"] == "volatile"}
    assert volatile <= {name for name in names(artifact) if "push" in name or "pop" in name}
    boundary = artifact["prompt"]["boundary"]
    assert set(boundary["segmentIds"]) == names(artifact) - volatile
    # A heading leads stable units: those of a volatile file name it themselves, and need none.
    problem = json.loads(Path(".satchel/packing-problem.json").read_text("utf-8"))
    headings = {unit["title"] for unit in problem["units"] if unit["kind"] == "heading"}
    assert headings == {"drain.py", "peek.py"}
    assert here("verify", ".satchel/packed-context.json").code == 0
    done = pack(here, "--volatile", "nowhere/**")
    assert done.code == 2
    assert done.error()["field"] == "--volatile"


def test_units_as_given_are_rendered_as_given(here: Satchel, repo: Path) -> None:
    """The order is that of the problem, in every rendering of the artifact."""
    done = pack(here, "--order", "as-given", "--volatile", "drain.py")
    assert done.code == 0, done.err
    artifact = done.json()
    problem = json.loads(Path(".satchel/packing-problem.json").read_text("utf-8"))
    accepted = names(artifact)
    assert artifact["prompt"]["order"] == [u["id"] for u in problem["units"] if u["id"] in accepted]
    assert artifact["prompt"]["placement"] == "as-given"
    assert artifact["prompt"]["boundary"]["strandedIds"]
    assert here("verify", ".satchel/packed-context.json").code == 0
    rendered = here("render", ".satchel/packed-context.json")
    assert rendered.out == Path(".satchel/prompt.md").read_text("utf-8")
    assert "placement" not in pack(here).json()["prompt"]


@pytest.mark.parametrize(
    ("args", "field", "hint"),
    [
        (("--cost-limit", "1"), "--prices", "price table"),
        (("--objective", "value-per-cost"), "--prices", "price table"),
        (("--prices", "prices.toml", "--cost-limit", "cheap"), "--cost-limit", "such as 0.25"),
        (("--prices", "prices.toml", "--cost-limit", "0.0000001"), "--cost-limit", "six decimals"),
        (("--prices", "prices.toml", "--cost-limit=-1"), "--cost-limit", "such as 0.25"),
        (("--prices", "prices.toml", "--objective", "cost"), "--objective", ""),
        (("--prices", "prices.toml", "--expected-calls", "0"), "--expected-calls", ""),
        (("--prices", "prices.toml", "--expected-calls", "2"), "--model", "--min-cacheable"),
        (
            ("--prices", "prices.toml", *CACHE, "--expected-calls", "2", "--cache-writes", "3"),
            "--cache-writes",
            "1 to 2",
        ),
        (("--prices", "prices.toml", "--order", "as-given"), "--order", "leave the order out"),
        (("--order", "by-size"), "--order", "stable-first, as-given"),
        (
            ("--prices", "prices.toml", "--model", "gpt-4o", "--long-lived"),
            "--long-lived",
            "leave the option out",
        ),
        (("--prices", "prices.toml", "--model", "gpt-4o"), "--prices", "cacheWritePerMillion"),
    ],
)
def test_options_that_cannot_be_meant_are_named(
    here: Satchel, repo: Path, args: tuple[str, ...], field: str, hint: str
) -> None:
    done = pack(here, *args)
    assert done.code == 2, done.out
    error = done.error()
    assert error["field"] == field
    assert hint in (error.get("hint") or "")


def test_too_little_money_names_the_least_that_works(here: Satchel, repo: Path) -> None:
    args = ("--prices", "prices.toml", *CACHE, "--expected-calls", "20", "--cost-limit")
    done = pack(here, *args, "0.000001")
    assert done.code == 1
    least = done.error()["data"]["smallestCostLimit"]
    assert pack(here, *args, f"{least / 10**6:.6f}").code == 0
    assert pack(here, *args, f"{(least - 1) / 10**6:.6f}").code == 1


def test_another_engine_refuses_a_limit_that_it_does_not_know(here: Satchel, repo: Path) -> None:
    done = pack(here, "--prices", "prices.toml", "--cost-limit", "1", "--engine", "density-greedy")
    assert done.code == 2
    assert done.error()["code"] == "engine_without_prices"
    informed = pack(here, "--prices", "prices.toml", "--engine", "density-greedy")
    assert informed.json()["cost"]["costMicro"] > 0


def test_the_page_on_cost_names_options_that_there_are(here: Satchel) -> None:
    page = (Path(__file__).resolve().parents[2] / "docs/cost-in-the-solve.md").read_text("utf-8")
    named = set(re.findall(r"`(--[a-z-]+)", page))
    assert len(named) > 9
    offered = here("pack", "--help").out + here("solve", "--help").out
    assert {option for option in named if option not in offered} == set()
