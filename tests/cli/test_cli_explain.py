"""``satchel explain`` and ``satchel frontier``: counterfactuals, what if, prices, the curve and its files."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path
from typing import Any

import pytest
from processes import SMALLEST, Satchel

PROBLEM: dict[str, Any] = {
    "schemaVersion": "packing-problem.v1",
    "envelope": {
        "availableInputTokens": 30,
        "zones": [{"name": "examples", "maxTokens": 12, "overflowPolicy": "drop_low_rank"}],
    },
    "policy": {"mustExclude": ["id:secret"]},
    "units": [
        {
            "id": "api",
            "title": "The API",
            "tokenEstimate": 20,
            "relevanceScore": 0.9,
            "renderings": [{"state": "symbolized", "tokens": 8, "fidelity": 0.6}],
            "sourceRefs": [{"path": "src/api.py"}],
            "diagnostics": ["relevance 0.900: words 0.80"],
        },
        {
            "id": "guide",
            "tokenEstimate": 12,
            "relevanceScore": 0.5,
            "sourceRefs": [{"path": "docs/guide.md"}],
        },
        {"id": "notes", "tokenEstimate": 9, "relevanceScore": 0.1, "sourceRefs": [{"path": "docs/notes.md"}]},
        {"id": "sample", "tokenEstimate": 12, "relevanceScore": 0.4, "zone": "examples"},
        {"id": "other", "tokenEstimate": 6, "relevanceScore": 0.2, "zone": "examples"},
        {"id": "secret", "tokenEstimate": 1, "relevanceScore": 1.0},
    ],
}


@pytest.fixture
def pack(here: Satchel, tmp_path: Path) -> Path:
    """A solved problem: its artifact, with the problem beside it."""
    (tmp_path / "packing-problem.json").write_text(json.dumps(PROBLEM), encoding="utf-8")
    assert here("solve", "packing-problem.json", "-o", "a.json", "-q").code == 0
    return tmp_path / "a.json"


def accepted(path: Path) -> set[str]:
    return {unit["id"] for unit in json.loads(path.read_text("utf-8"))["acceptedUnits"]}


def test_why_rejected_says_what_it_would_cost_and_what_would_tip_it(here: Satchel, pack: Path) -> None:
    done = here("explain", pack, "--why-rejected", "docs/notes.md", "--json")
    assert done.code == 0, done
    (part,) = done.json()
    assert (part["id"], part["verdict"]) == ("notes", "rejected")
    otherwise = part["otherwise"]
    assert (otherwise["by"], otherwise["exact"], otherwise["ofProvenPack"]) == ("solve", True, True)
    (case,) = otherwise["cases"]
    assert case["demand"] == "in"
    assert case["lost"]["least"] == case["lost"]["most"] > 0
    needed = case["valueNeeded"]["most"]

    # The thresholds hold: so much more value brings it in, and a little less does not.
    def value(more: float) -> float:
        return round(0.4 * 0.1 + more, 9)

    after = here("explain", pack, "--what-if", f"value.notes={value(needed)}", "--json").json()["whatIf"]
    assert "notes" in {entry["id"] for entry in after["entered"]}
    below = value(needed - 1e-6)
    after = here("explain", pack, "--what-if", f"value.notes={below}", "--json").json()["whatIf"]
    assert "notes" not in {entry["id"] for entry in after["entered"]}
    enough = otherwise["relevance"]["enough"]
    change = f"score.notes.relevance={enough}"
    after = here("explain", pack, "--what-if", change, "--json").json()["whatIf"]
    assert "notes" in {entry["id"] for entry in after["entered"]}
    if case["tokensFewer"] is not None:
        change = f"tokens.notes=-{case['tokensFewer']['most']}"
        after = here("explain", pack, "--what-if", change, "--json").json()["whatIf"]
        assert "notes" in {entry["id"] for entry in after["entered"]}

    text = here("explain", pack, "--why-rejected", "notes").out
    assert "with it in (raw), the best pack loses" in text
    assert "it would enter if it were worth" in text
    assert "at the prices of the optimum it is worth 0.04" in text
    assert "scored relevance 0.1 x 0.4" in text


def test_why_accepted_and_why_rung_name_what_moves(here: Satchel, pack: Path) -> None:
    (part,) = here("explain", pack, "--why-accepted", "api", "--json").json()
    (case,) = part["otherwise"]["cases"]
    assert case["demand"] == "out"
    assert case["exact"]
    assert part["scores"][-1] == "relevance 0.900: words 0.80"
    (part,) = here("explain", pack, "--why-rung", "The API", "--json").json()
    (case,) = part["otherwise"]["cases"]
    rung = next(
        unit["rung"] for unit in json.loads(pack.read_text("utf-8"))["acceptedUnits"] if unit["id"] == "api"
    )
    assert (case["demand"], case["rung"]) == ("rung", 1 - rung)
    text = here("explain", pack, "--why-rung", "api").out
    assert ("as raw, the best pack" if rung else "as symbolized, the best pack") in text


def test_a_rule_keeps_out_whatever_the_value(here: Satchel, pack: Path) -> None:
    (part,) = here("explain", pack, "--why-rejected", "secret", "--json").json()
    assert part["verdict"] == "skipped"
    assert "otherwise" not in part


def test_all_lists_every_candidate_that_is_not_in(here: Satchel, pack: Path) -> None:
    entries = here("explain", pack, "--all", "--json").json()["leftOut"]
    names = {unit["id"] for unit in PROBLEM["units"]}
    assert {entry["id"] for entry in entries} == names - accepted(pack)
    assert [entry["lostAtLeast"] for entry in entries if entry["id"] == "secret"] == [None]
    for entry in entries:
        if entry["lostAtLeast"] is not None:
            (part,) = here("explain", pack, "--why-rejected", entry["id"], "--json").json()
            (case,) = part["otherwise"]["cases"]
            assert case["possible"] is False or entry["lostAtLeast"] <= case["lost"]["least"]
    rows = list(csv.DictReader(io.StringIO(here("explain", pack, "--all", "--csv").out)))
    assert [row["id"] for row in rows] == [entry["id"] for entry in entries]
    assert "1 candidate may be in no pack" in here("explain", pack, "--all").out


def test_what_if_equals_the_solve_of_the_changed_problem(here: Satchel, pack: Path, tmp_path: Path) -> None:
    found = here("explain", pack, "--what-if", "budget=+9", "--what-if", "exclude=guide", "--json").json()
    changed = json.loads(json.dumps(PROBLEM))
    changed["envelope"]["availableInputTokens"] = 39
    changed["policy"]["mustExclude"].append("id:guide")
    (tmp_path / "changed.json").write_text(json.dumps(changed), encoding="utf-8")
    fresh = here("solve", "changed.json", "--json").json()
    answer = found["whatIf"]
    assert answer["value"]["after"] == fresh["solver"]["objective"] / fresh["solver"]["scale"]
    assert answer["exact"]
    now = {unit["id"] for unit in fresh["acceptedUnits"]}
    assert {entry["id"] for entry in answer["entered"]} == now - accepted(pack)
    assert {entry["id"] for entry in answer["left"]} == accepted(pack) - now
    text = here("explain", pack, "--what-if", "budget=+9").out
    assert text.startswith("What if budget=+9\n")
    assert "both proven" in text


def test_a_change_without_any_pack_tells_the_story(here: Satchel, pack: Path) -> None:
    done = here("explain", pack, "--what-if", "require=guide", "--what-if", "budget=5")
    assert (done.code, done.out) == (1, "")
    assert "required unit 'guide' (12 tokens at least)" in done.err
    assert "1. a budget of 12 tokens (7 tokens more)" in done.err


def test_the_budget_of_a_rendered_pack_is_that_of_the_whole_prompt(here: Satchel, tmp_path: Path) -> None:
    """``budget=`` means what ``--budget`` meant for the command that made the pack."""
    (tmp_path / "repo").mkdir()
    for name in ("a", "b", "c"):
        text = f'"""Module {name} greets."""\n\n\ndef greet(who: str) -> str:\n    return "{name}" + who\n'
        (tmp_path / "repo" / f"{name}.py").write_text(text, encoding="utf-8")
    assert here("pack", "repo", "--budget", "300", "-q").code == 0
    found = here("explain", "--what-if", "budget=300", "--json").json()["whatIf"]
    assert found["value"]["change"] == 0
    assert (found["entered"], found["left"], found["reshaped"]) == ([], [], [])
    done = here("explain", "--what-if", "budget=20")
    assert (done.code, "frame of the prompt" in done.err) == (2, True)


def test_prices_are_told_with_their_ranges(here: Satchel, pack: Path) -> None:
    found = here("explain", pack, "--prices", "--json").json()["prices"]
    assert found["total"]["tokens"] == 30
    assert found["total"]["valuePer1000Tokens"] >= 0
    assert [price["zone"] for price in found["zones"]] == ["examples"]
    assert "max of examples" in here("explain", pack, "--prices").out


def test_without_the_problem_the_artifact_alone_is_explained(here: Satchel, pack: Path) -> None:
    pack.with_name("packing-problem.json").rename(pack.with_name("p.json"))
    done = here("explain", pack, "--why-rejected", "notes", "--json")
    assert done.code == 0
    assert "otherwise" not in done.json()[0]
    assert "see --problem" in done.err
    assert (
        "otherwise"
        in here("explain", pack, "--why-rejected", "notes", "--problem", "p.json", "--json").json()[0]
    )
    for option in (["--all"], ["--prices"], ["--what-if", "budget=5"]):
        done = here("explain", pack, *option)
        assert (done.code, done.out) == (2, "")
        assert "--problem" in done.err


@pytest.mark.parametrize(
    ("args", "named"),
    [
        ([], "no question is asked"),
        (["--csv"], "--csv"),
        (["--all", "--csv", "--json"], "--csv"),
        (["--what-if", "budget"], "--what-if"),
        (["--what-if", "require=nobody"], "--what-if"),
        (["--why-rung", "nobody"], "--why-rung"),
        (["--all", "--problem", "other.json"], "--problem"),
    ],
)
def test_a_question_that_cannot_be_answered_is_named(
    here: Satchel, pack: Path, args: list[str], named: str
) -> None:
    pack.with_name("other.json").write_text(json.dumps(SMALLEST), encoding="utf-8")
    done = here("explain", pack, *args)
    assert (done.code, done.out) == (2, ""), done
    assert done.err.count("\n") == 1
    assert named in done.err


def test_the_frontier_is_printed_written_and_drawn(here: Satchel, pack: Path, tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    found = here("frontier", "packing-problem.json", "--points", "6", "--json").json()
    budgets = [point["budget"] for point in found["points"]]
    assert budgets == sorted(budgets)
    assert found["current"] == 30
    assert 30 in budgets
    for point in found["points"]:
        fresh = here("solve", "packing-problem.json", "--budget", point["budget"], "--json").json()["solver"]
        assert point["proven"]
        assert point["value"] == fresh["objective"] / fresh["scale"]
    rows = list(csv.DictReader(io.StringIO(here("frontier", pack, "--points", "6", "--csv").out)))
    assert [int(row["budget"]) for row in rows] == budgets
    done = here("frontier", pack, "--points", "6", "--plot", "curve.png")
    assert done.code == 0
    assert "this problem" in done.out
    assert "⠀" in done.out or "⣀" in done.out
    assert (tmp_path / "curve.png").read_bytes().startswith(b"\x89PNG")
    for name in ("one.svg", "two.svg"):
        assert here("frontier", pack, "--points", "6", "--plot", name, "-q").code == 0
    assert (tmp_path / "one.svg").read_bytes() == (tmp_path / "two.svg").read_bytes()
    assert "<svg" in (tmp_path / "one.svg").read_text("utf-8")


@pytest.mark.parametrize(
    ("args", "named"),
    [
        (["--points", "1"], "--points"),
        (["--from", "9", "--to", "5"], "--from"),
        (["--json", "--csv"], "--csv"),
        (["--plot", "curve.gif"], "--plot"),
        (["--to", "lots"], "--to"),
        (["--at", "lots"], "--at"),
    ],
)
def test_a_frontier_that_cannot_be_traced_is_named(
    here: Satchel, pack: Path, args: list[str], named: str
) -> None:
    done = here("frontier", pack, *args)
    assert (done.code, done.out) == (2, ""), done
    assert named in done.err
    assert done.err.count("\n") == 1


def test_the_frontier_needs_a_pack_or_a_problem(here: Satchel, tmp_path: Path) -> None:
    done = here("frontier")
    assert done.code == 2
    assert "there is no pack here" in done.err
    (tmp_path / "problem.json").write_text(json.dumps(SMALLEST), encoding="utf-8")
    assert here("solve", "problem.json", "-o", "alone/a.json", "-q").code == 0
    done = here("frontier", "alone/a.json")
    assert done.code == 2
    assert "no problem beside the artifact" in done.err
    assert here("frontier", "alone/a.json", "--problem", "problem.json", "-q").code == 0


def test_neither_ranges_nor_ids_are_cut_in_a_pipe() -> None:
    """A range without its end says nothing, and an id without its end cannot be asked about."""
    from satchel.cli.answers import left_out_lines, price_lines
    from satchel.solver.explain.prices import TokenPrice
    from satchel.valuing import LeftOut, TokenPrices

    price = TokenPrice("budget", "", 0.426478, 1_234_567_879, 1_234_567_879, 1_234_561_365, 1_234_569_999)
    assert price_lines(TokenPrices(price, ()))[1].text.endswith("1,234,561,365 and 1,234,569,999")
    name = "cfg:.github/workflows/" + "nightly-" * 12 + "build.yml#jobs"
    left = LeftOut(name, "", "", "source_evidence", "rejected", "token budget exceeded", 12, 0.5)
    assert left_out_lines([left])[1].text.endswith(name)


def test_a_tie_says_that_any_more_is_enough_and_names_no_file(here: Satchel, tmp_path: Path) -> None:
    """On a scale of whole values the next number would be too much; there is no file to name."""
    units = [{"id": name, "tokenEstimate": 10, "value": 3} for name in "ab"]
    problem = tmp_path / "packing-problem.json"
    envelope = {"availableInputTokens": 10}
    problem.write_text(
        json.dumps({"schemaVersion": "packing-problem.v1", "envelope": envelope, "units": units})
    )
    pack = tmp_path / "packed-context.json"
    here("solve", problem, "--out", pack)
    out = here("explain", pack, "--why-rejected", "b").out
    assert "it would enter if it were worth any more" in out
    assert "or if this form took 1 token fewer" in out
    assert "--focus" not in out
    assert "raise --budget, or add it to policy.mustInclude" in out
    assert "it would leave if it were worth any less" in here("explain", pack, "--why-accepted", "a").out
