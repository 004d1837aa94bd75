"""``satchel cost``, ``compact``, ``diff`` and ``assemble`` on files as people have them."""

from __future__ import annotations

import json
import re
import shutil
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest
from processes import Satchel

from satchel import compact, make_estimator, read_history

PRICES = """\
schemaVersion = "price-table.v1"
currency = "USD"
asOf = 2026-11-30

[models."*"]
inputPerMillion = 3_000_000
cachedInputPerMillion = 300_000
cacheWritePerMillion = 3_750_000
outputPerMillion = 15_000_000
"""

TOKEN = "ghp_" + "a1B2c3D4e5F6" * 3


@pytest.fixture
def prices(tmp_path: Path) -> Path:
    path = tmp_path / "prices.toml"
    path.write_text(PRICES, "utf-8")
    return path


@pytest.fixture
def packs(here: Satchel, tmp_path: Path) -> Path:
    """Two packs of a small repository for two subjects, in the folders a and b."""
    repo = tmp_path / "repo"
    repo.mkdir()
    for name in ("alpha", "beta", "gamma"):
        text = "".join(f"def {name}_{i}(value):\n    return value * {i}\n\n\n" for i in range(12))
        (repo / f"{name}.py").write_text(text)
    for folder, about in (("a", "alpha"), ("b", "beta")):
        done = here(
            "pack", "repo", "--about", about, "--budget", "450", "-o", folder, "-q", "--solver", "greedy"
        )
        assert done.code == 0, done.err
    return tmp_path


def test_the_cost_of_a_pack(here: Satchel, packs: Path, prices: Path) -> None:
    done = here("cost", "a/packed-context.json", "--prices", prices, "--calls", 50, "--json")
    assert done.code == 0, done.err
    found = done.json()
    prompt = json.loads((packs / "a/packed-context.json").read_text())["prompt"]
    cached, fresh = found["cachedTokens"], found["freshTokens"]
    assert cached == prompt["boundary"]["tokens"]
    assert cached + fresh == prompt["tokens"]
    assert found["uncachedMicro"] == 3 * (cached + fresh)
    assert found["withoutCacheMicro"] == 50 * found["uncachedMicro"]
    assert found["savedPerHitMicro"] == found["uncachedMicro"] - found["cacheHitMicro"]
    assert found["formats"]["markdown"]["tokens"] == prompt["tokens"]
    assert all(0 < entry["overhead"] < entry["tokens"] for entry in found["formats"].values())
    text = here("cost", "a/packed-context.json", "--prices", prices).out
    assert f"uncached {found['uncachedMicro']:,}" in re.sub(" +", " ", text)
    assert "break-even hits" in text


def test_a_prefix_below_the_minimum_is_not_priced_as_cached(here: Satchel, packs: Path, prices: Path) -> None:
    """K04: and a stable unit that would lift it above is named where it pays."""
    path = "a/packed-context.json"
    done = here("cost", path, "--prices", prices, "--model", "claude-haiku-4-5", "--json")
    found = done.json()
    assert (found["cachedTokens"], found["breakpoint"]["reason"]) == (0, "below_minimum")
    assert found["cacheRule"]["minimum"] == 4096
    tokens = found["breakpoint"]["tokens"]
    done = here("cost", path, "--prices", prices, "--calls", 100, "--min-cacheable", tokens + 1, "--json")
    problem = json.loads((packs / "a/packing-problem.json").read_text())
    fill = done.json()["fill"]
    room = 450 - json.loads((packs / path).read_text())["prompt"]["tokens"]
    sizes = {unit["id"]: unit["tokenEstimate"] for unit in problem["units"]}
    accepted = {unit["id"] for unit in json.loads((packs / path).read_text())["acceptedUnits"]}
    fitting = [name for name, size in sizes.items() if size <= room and name not in accepted]
    assert (fill is None) == (not fitting)
    assert fill is None or fill["id"] in fitting


def test_a_pack_says_why_its_prefix_is_not_cached(here: Satchel, tmp_path: Path) -> None:
    """K04: 377 tokens are not marked as cacheable for a model that takes 4,096, and the artifact says so."""
    (tmp_path / "a.py").write_text("def answer():\n    return 42\n" * 20)
    done = here(
        "pack", ".", "--budget", "600", "--model", "claude-haiku-4-5", "-o", "out", "--solver", "greedy"
    )
    assert done.code == 0, done.err
    artifact = json.loads((tmp_path / "out/packed-context.json").read_text())
    boundary = artifact["prompt"]["boundary"]
    assert (boundary["reason"], boundary["cacheable"]) == ("below_minimum", False)
    (told,) = (d for d in artifact["diagnostics"] if d["code"] == "prefix_below_minimum")
    assert told["data"] == {"tokens": boundary["tokens"], "minimum": 4096, "provider": "anthropic"}
    assert here("verify", "out/packed-context.json").code == 0


def test_json_lines_are_a_format_like_the_others(here: Satchel, packs: Path) -> None:
    """Packed, verified, rendered again, replaced by its like, and never read as evidence (G20)."""
    for _ in range(2):
        done = here(
            "pack", "repo", "--budget", "900", "--format", "json", "-o", "repo/out", "--solver", "greedy"
        )
        assert done.code == 0, done.err
    path = "repo/out/packed-context.json"
    text = (packs / "repo/out/prompt.jsonl").read_text("utf-8")
    assert all(isinstance(json.loads(line), dict) for line in text.splitlines())
    assert text.startswith('{"guide":')
    assert here("verify", path).code == 0
    assert here("render", path).out == text
    shutil.move(packs / "repo/out/prompt.jsonl", packs / "repo/kept.jsonl")
    (packs / "repo/other.jsonl").write_text('{"a": 1}\n')
    listing = here("scan", "repo", "--json").out
    assert "kept.jsonl" not in listing
    assert "other.jsonl" in listing


def test_recorded_calls_are_billed_once(here: Satchel, prices: Path, tmp_path: Path) -> None:
    """K08, K09, K10: records of several providers in one file, and their sum."""
    records = [
        {"usage": {"input_tokens": 21, "cache_creation_input_tokens": 1000, "output_tokens": 10}},
        {"prompt_tokens": 17_111, "prompt_tokens_details": {"cached_tokens": 17_102}, "completion_tokens": 5},
    ]
    (tmp_path / "usage.jsonl").write_text("".join(json.dumps(record) + "\n" for record in records))
    found = here("cost", "--prices", prices, "--usage", "usage.jsonl", "--json").json()
    exact = 3 * (21 + 9) + 0.3 * 17_102 + 3.75 * 1000 + 15 * 15
    assert found["totalMicro"] == int(exact + 0.5)
    assert sum(found["partsMicro"].values()) == found["totalMicro"]
    (tmp_path / "one.json").write_text(json.dumps(records[1]))
    text = here("cost", "--prices", prices, "--usage", "one.json").out
    assert "17,102" in text
    assert text.startswith("1 record,")


def test_each_record_is_billed_at_the_price_of_its_model(here: Satchel, tmp_path: Path) -> None:
    """A record that names its model; --model holds for all, and says where a record names another."""
    entries = "".join(f'[models."{name}"]\ninputPerMillion = {n}\n' for name, n in (("a-*", 1), ("b", 3)))
    (tmp_path / "p.toml").write_text("schemaVersion = 'price-table.v1'\ncurrency = 'USD'\n" + entries)
    records: list[dict[str, Any]] = [
        {"model": "a-1", "usage": {"input_tokens": 500_000}},
        {"model": "x/b-2026-01-31", "usage": {"input_tokens": 500_000}},
        {"modelVersion": "b", "usageMetadata": {"promptTokenCount": 1_000_000}},
    ]
    bill = ("cost", "--prices", "p.toml", "--usage", "u.json")

    def billed(*options: str, of: list[dict[str, Any]]) -> Any:
        (tmp_path / "u.json").write_text(json.dumps(of))
        return here(*bill, *options)

    # Half a millionth of a dollar and three: rounded once, not record by record.
    assert billed("--json", of=[records[0], records[2]]).json()["totalMicro"] == 4
    done = billed(of=records)
    assert done.code == 2
    assert "b-2026-01-31" in done.err
    assert "--model" in done.err
    done = billed("--model", "b", "--json", of=records)
    assert done.json()["totalMicro"] == 6
    assert "1 record names another model than b: a-1" in done.err
    done = billed("--model", "b", "--json", of=records[1:])
    assert (done.json()["totalMicro"], done.err) == (5, "")
    assert billed(of=[{"input_tokens": 5}]).code == 2


def test_what_is_wrong_with_prices_is_named(here: Satchel, packs: Path, tmp_path: Path) -> None:
    done = here("cost", "a/packed-context.json")
    assert done.code == 2
    assert "--prices" in done.err
    for text, words in (
        (
            "schemaVersion = 'price-table.v1'\ncurrency = 'USD'\n[models.a]\ninputPerMillion = 1.5\n",
            "inputPerMillion",
        ),
        ("schemaVersion = 'price-table.v2'\ncurrency = 'USD'\n[models]\n", "schemaVersion"),
        ("schemaVersion = ", "TOML"),
    ):
        (tmp_path / "bad.toml").write_text(text)
        done = here("cost", "a/packed-context.json", "--prices", "bad.toml")
        assert done.code == 2
        assert words in done.err
        assert "bad.toml" in done.err


def test_diff_names_the_first_byte_and_its_unit(here: Satchel, packs: Path) -> None:
    """K15: from the problems beside the artifacts, and from the prompts alone."""
    found = here("diff", "a", "b", "--json").json()
    one, two = ((packs / name / "prompt.md").read_bytes() for name in ("a", "b"))
    byte = found["firstDifference"]["byte"]
    assert one[:byte] == two[:byte]
    assert one[byte] != two[byte]
    assert found["entered"] or found["left"] or found["changedRung"]
    assert not found["samePrompt"]
    for name in ("a", "b"):
        (packs / name / "packing-problem.json").unlink()
    alone = here("diff", "a", "b/packed-context.json", "--json").json()
    # Without the problems, causes are looked for in what the artifacts say.
    assert {**alone, "changes": None} == {**found, "changes": None}
    assert "same prompt" in here("diff", "a", "a").out
    text = here("diff", "a", "b").out
    assert f"byte {byte:,}" in text
    (packs / "b/prompt.md").write_text("changed since")
    done = here("diff", "a", "b")
    assert "bytes were not compared" in done.out
    assert here("diff", "a", "nowhere").code == 2


def test_two_tasks_on_one_pack_share_their_prefix(here: Satchel, packs: Path) -> None:
    """K03: the same units for another task; only what stands behind the boundary differs."""
    shutil.copytree(packs / "a", packs / "c")
    problem = json.loads((packs / "c/packing-problem.json").read_text())
    found = here("diff", "a", "c", "--json").json()
    assert found["samePrefix"]
    assert found["samePrompt"]
    assert problem["task"]["about"] == "alpha"


def test_a_prompt_as_a_request_with_its_markers(here: Satchel, packs: Path) -> None:
    """K04, K17: markers where the model's rules allow them, and a reason where there are none."""
    path, text = "a/packed-context.json", (packs / "a/prompt.md").read_text("utf-8")
    done = here("render", path, "--request", "anthropic", "--model", "claude-haiku-4-5")
    assert "the minimum is 4096" in done.err
    assert "cache_control" not in done.out
    done = here("render", path, "--request", "anthropic")
    assert "no model is named" in done.err
    blocks = [*done.json()["system"], *done.json()["messages"][0]["content"]]
    assert "".join(block["text"] for block in blocks) == text
    assert here("render", path, "--request", "gemini", "-o", "r.json").code == 0
    assert json.loads((packs / "r.json").read_text())["contents"][0]["role"] == "user"
    for options, words in (
        (("--request", "pigeon"), "--request"),
        (("--request", "anthropic", "--model", "nobody-1"), "--model"),
    ):
        done = here("render", path, *options)
        assert done.code == 2
        assert words in done.err


def test_markers_of_a_long_prefix(here: Satchel, tmp_path: Path) -> None:
    """Between zones and at the end of the prefix; those of the caller count; never more than four."""
    for i in range(5):
        (tmp_path / f"module_{i}.py").write_text(f"def function_{i}(value):\n    return value + {i}\n" * 60)
    (tmp_path / "README.md").write_text("# Demo\n\n" + "word " * 1200)
    done = here(
        "pack", ".", "--budget", "6k", "-o", "out", "-q", "--model", "claude-sonnet-5", "--solver", "greedy"
    )
    assert done.code == 0, done.err
    done = here("render", "out/packed-context.json", "--request", "anthropic", "--used-breakpoints", "2")
    blocks = done.json()["messages"][0]["content"]
    marked = [block for block in blocks if "cache_control" in block]
    assert 1 <= len(marked) <= 2
    assert "cache_control" not in blocks[-1]
    report = json.loads((tmp_path / "out/packed-context.json").read_text())["prompt"]
    last = max(i for i, block in enumerate(blocks) if "cache_control" in block)
    prefix = done.json()["system"][0]["text"] + "".join(block["text"] for block in blocks[: last + 1])
    assert report["boundary"]["prefixDigest"] == "sha256:" + sha256(prefix.encode()).hexdigest()


CHAT: list[dict[str, Any]] = [
    {"role": "system", "content": "You are careful."},
    {"role": "user", "content": "Find the failing test."},
    {"role": "assistant", "content": None,
     "tool_calls": [{"id": "c1", "type": "function", "function": {"name": "run", "arguments": "{}"}}]},
    {"role": "tool", "tool_call_id": "c1", "content": "1 failed: test_b"},
    {"role": "assistant", "content": "test_b fails."},
    {"role": "user", "content": [{"type": "text", "text": "Mend it."}]},
]  # fmt: skip

ANTHROPIC: list[dict[str, Any]] = [
    {"role": "user", "content": "Find the failing test."},
    {"role": "assistant", "content": [
        {"type": "text", "text": "I run it."},
        {"type": "tool_use", "id": "t1", "name": "run", "input": {"cmd": "pytest"}}]},
    {"role": "user", "content": [
        {"type": "tool_result", "tool_use_id": "t1", "content": [{"type": "text", "text": "1 failed"}]}]},
    {"role": "assistant", "content": "test_b fails."},
    {"role": "user", "content": "Mend it."},
]  # fmt: skip

RESPONSES: list[dict[str, Any]] = [
    {"role": "user", "content": [{"type": "input_text", "text": "Find the failing test."}]},
    {"type": "function_call", "call_id": "f1", "name": "run", "arguments": "{}"},
    {"type": "function_call_output", "call_id": "f1", "output": "1 failed"},
    {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "test_b fails."}]},
    {"role": "user", "content": "Mend it."},
]

GEMINI: list[dict[str, Any]] = [
    {"role": "user", "parts": [{"text": "Find the failing test."}]},
    {"role": "model", "parts": [{"functionCall": {"name": "run", "args": {"cmd": "pytest"}}}]},
    {"role": "user", "parts": [{"functionResponse": {"name": "run", "response": {"out": "1 failed"}}}]},
    {"role": "model", "parts": [{"text": "test_b fails."}]},
    {"role": "user", "parts": [{"text": "Mend it."}]},
]

BEDROCK: list[dict[str, Any]] = [
    {"role": "user", "content": [{"text": "please run the tests now"}]},
    {
        "role": "assistant",
        "content": [{"toolUse": {"toolUseId": "t1", "name": "run", "input": {"what": "all"}}}],
    },
    {
        "role": "user",
        "content": [{"toolResult": {"toolUseId": "t1", "content": [{"text": "one test failed badly"}]}}],
    },
    {"role": "assistant", "content": [{"text": "One test failed."}]},
    {"role": "user", "content": [{"text": "fix it"}]},
]
SHAPES = {
    "bedrock": {"system": [{"text": "You are careful."}], "messages": BEDROCK},
    "chat": {"model": "m", "messages": CHAT},
    "anthropic": {"system": "You are careful.", "messages": ANTHROPIC},
    "responses": {"input": RESPONSES},
    "gemini": {"contents": GEMINI},
    "list": CHAT,
}


def messages_of(request: Any) -> list[Any]:
    if isinstance(request, list):
        return request
    (found,) = (request[key] for key in ("messages", "input", "contents") if key in request)
    assert isinstance(found, list)
    return found


@pytest.mark.parametrize("shape", SHAPES)
def test_conversations_of_every_shape_come_back_in_it(here: Satchel, tmp_path: Path, shape: str) -> None:
    """A33: kept messages are untouched, and no call is parted from its result."""
    request = SHAPES[shape]
    (tmp_path / "h.json").write_text(json.dumps(request))
    (tmp_path / "s.txt").write_text("A test failed.")
    whole = here("compact", "h.json", "--max-tokens", "1k")
    assert json.loads(whole.out) == request
    done = here(
        "compact",
        "h.json",
        "--max-tokens",
        "34",
        "--keep-recent",
        "2",
        "--summary",
        "s.txt",
        "--folded",
        "f.json",
    )
    assert done.code == 0, done.err
    short = json.loads(done.out)
    if isinstance(request, dict) and isinstance(short, dict):
        assert {k: v for k, v in short.items() if k not in ("messages", "input", "contents")} == {
            k: v for k, v in request.items() if k not in ("messages", "input", "contents")
        }
    given, kept = messages_of(request), messages_of(short)
    assert kept[-2:] == given[-2:]
    (summary,) = (message for message in kept if message not in given)
    assert "A test failed." in json.dumps(summary)
    assert ("parts" in summary) == (shape == "gemini")
    if shape == "bedrock":
        assert summary["content"] == [{"text": "A test failed."}]
    folded = messages_of(json.loads((tmp_path / "f.json").read_text()))
    assert [m for m in given if m in kept or m in folded] == given
    calls = [m for m in folded if "run" in json.dumps(m)]
    assert len(calls) >= 1
    assert (given[0] in kept) == (given[0].get("role") == "system")


def test_a_conversation_may_come_one_message_a_line(here: Satchel) -> None:
    lines = "".join(json.dumps(message) + "\n" for message in CHAT)
    done = here("compact", "-", "--max-tokens", "24", "--keep-recent", "1", stdin=lines)
    assert [json.loads(line) for line in done.out.splitlines()] == [CHAT[0], CHAT[-1]]
    assert "4 of 6 messages left out" in done.err


def test_the_exact_mode_keeps_more(here: Satchel) -> None:
    """Within the same cap, older messages that fit beside the recent ones stay."""
    lines = "".join(json.dumps({"role": "user", "content": f"message {i} " * 5}) + "\n" for i in range(10))
    options = ("--max-tokens", "120", "--keep-recent", "2")
    folded = here("compact", "-", *options, "--json", stdin=lines).json()
    exact = here("compact", "-", *options, "--exact", "--json", stdin=lines).json()
    assert folded["kept"] == [8, 9]
    assert exact["kept"] == [4, 5, 6, 7, 8, 9]
    assert 120 - 20 < exact["tokens"] <= 120


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("{}", "no conversation"),
        ('{"messages": [3]}', "[0]"),
        ("[1, 2]", "[0]"),
        ("", "empty"),
        ('[{"role": "tool", "tool_call_id": "x", "content": "y"}]', "tool call 'x'"),
        ('{"role": "user"', "JSON"),
    ],
)
def test_what_is_no_conversation_is_told(here: Satchel, tmp_path: Path, text: str, words: str) -> None:
    (tmp_path / "bad.json").write_text(text)
    done = here("compact", "bad.json", "--max-tokens", "10")
    assert done.code == 2
    assert words in done.err


LONG = {"role": "user", "content": "word " * 60}
CALLS: dict[str, list[Any]] = {
    "legacy function": [
        {"role": "assistant", "content": None, "function_call": {"name": "f", "arguments": "{}"}},
        {"role": "function", "name": "f", "content": "r"},
    ],
    "no id": [
        {"role": "assistant", "content": "", "tool_calls": [{"function": {"name": "f", "arguments": {}}}]},
        {"role": "tool", "tool_name": "f", "content": "r"},
    ],
    "snake case": [
        {"role": "model", "parts": [{"function_call": {"name": "f", "args": {}}}]},
        {"role": "user", "parts": [{"function_response": {"name": "f", "response": {}}}]},
    ],
    "reasoning": [
        {"type": "reasoning", "id": "rs_1", "summary": [{"type": "summary_text", "text": "think"}]},
        {"type": "reasoning", "id": "rs_2", "summary": []},
        {"type": "function_call", "call_id": "z", "name": "f", "arguments": "{}"},
        {"type": "function_call_output", "call_id": "z", "output": "r"},
    ],
    "reasoning before an answer": [
        {"type": "reasoning", "id": "rs_1", "summary": []},
        {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "r"}]},
    ],
    "custom tool": [
        {"type": "custom_tool_call", "call_id": "z", "name": "f", "input": "x"},
        {"type": "custom_tool_call_output", "call_id": "z", "output": "r"},
    ],
    "local shell": [
        {"type": "local_shell_call", "id": "i", "call_id": "z", "action": {"command": ["ls"]}},
        {"type": "local_shell_call_output", "call_id": "z", "output": "r"},
    ],
    "bedrock": [
        {"role": "assistant", "content": [{"toolUse": {"toolUseId": "z", "name": "f", "input": {}}}]},
        {"role": "user", "content": [{"toolResult": {"toolUseId": "z", "content": [{"json": {"r": 1}}]}}]},
    ],
    "server tool": [
        {"role": "assistant", "content": [{"type": "server_tool_use", "id": "z", "name": "f", "input": {}}]},
        {
            "role": "assistant",
            "content": [{"type": "web_search_tool_result", "tool_use_id": "z", "content": [{"text": "r"}]}],
        },
    ],
    "approval": [
        {"type": "mcp_approval_request", "id": "z", "name": "f", "arguments": "{}"},
        {"type": "mcp_approval_response", "approval_request_id": "z", "approve": True},
    ],
}


@pytest.mark.parametrize("kind", CALLS)
def test_no_kind_of_call_is_parted_from_what_belongs_to_it(tmp_path: Path, kind: str) -> None:
    """A33: folded or exact, at every cap, all of it stays or none."""
    calls = CALLS[kind]
    (tmp_path / "h.json").write_text(json.dumps([LONG, *calls, {"role": "assistant", "content": "a"}, LONG]))
    history = read_history(tmp_path / "h.json")
    estimator = make_estimator(approximate=True)
    seen = set()
    for cap in range(60, 260, 10):
        for exact in (False, True):
            for keep in range(1, len(calls) + 2):
                short = compact(history, estimator, max_tokens=cap, keep_recent=keep, exact=exact)
                seen.add(len(set(short.kept) & set(range(1, len(calls) + 1))))
    assert seen == {0, len(calls)}


def test_what_calls_and_results_hold_is_counted(tmp_path: Path) -> None:
    """Names, inputs and results are read by the model, in whatever key a provider keeps them."""
    word = "understandable " * 30
    for message in (
        {
            "role": "assistant",
            "content": [{"toolUse": {"toolUseId": "z", "name": "f", "input": {"q": word}}}],
        },
        {"role": "assistant", "content": [{"reasoningContent": {"reasoningText": {"text": word}}}]},
        {
            "role": "assistant",
            "content": [{"type": "server_tool_use", "id": "z", "name": "f", "input": {"q": word}}],
        },
        {"role": "assistant", "content": [{"type": "mcp_tool_use", "id": "z", "name": "f", "input": word}]},
    ):
        (tmp_path / "h.json").write_text(json.dumps([message]))
        history = read_history(tmp_path / "h.json")
        assert history.uncounted == 0
        assert word.strip() in history.turns[0].text
    answer = {"toolResult": {"toolUseId": "z", "content": [{"text": word}, {"json": [word]}, {"image": {}}]}}
    call = {"role": "assistant", "content": [{"toolUse": {"toolUseId": "z", "name": "f", "input": {}}}]}
    (tmp_path / "h.json").write_text(json.dumps([call, {"role": "user", "content": [answer]}]))
    history = read_history(tmp_path / "h.json")
    assert history.turns[1].text.count(word.strip()) == 2
    assert (history.turns[0].calls, history.turns[1].results, history.uncounted) == (("z",), ("z",), 1)


def test_no_secret_in_the_name_of_a_file_leaves_in_a_cost(
    here: Satchel, packs: Path, prices: Path, tmp_path: Path
) -> None:
    """J07: markers, fillers and stranded units are named by id; ids repeat names of files."""
    repo = tmp_path / "repo"
    (repo / f"{TOKEN}.py").write_text((repo / "alpha.py").read_text())
    (repo / "zone.md").write_text("# Zones\n\nHow alpha works.\n" * 30)
    done = here("pack", "repo", "--about", f"alpha {TOKEN}", "--budget", "4k", "-o", "c", "--no-cache")
    assert done.code == 0, done.err
    told = " ".join(done.out.split())
    assert "names of files hold what looks like a secret ([REDACTED:github-token].py)" in told
    assert TOKEN not in done.out + done.err
    assert TOKEN not in (tmp_path / "c/prompt.md").read_text("utf-8")
    for options in ((), ("--json",)):
        done = here("cost", "c/packed-context.json", "--prices", prices, "--min-cacheable", "9", *options)
        assert done.code == 0, done.err
        assert "behind " in done.out or "afterId" in done.out
        assert TOKEN not in done.out + done.err
        done = here("explain", "c/packed-context.json", "--why-accepted", "*ghp_*", *options)
        assert "REDACTED" in done.out
        assert TOKEN not in done.out


def test_nothing_on_standard_input_is_told_with_a_way_out(here: Satchel) -> None:
    cap = ("-", "--max-tokens", "9")
    for args in (("solve", "-"), ("compact", *cap), ("assemble", *cap)):
        for blank in ("", "  \n"):
            done = here(*args, stdin=blank)
            assert done.code == 2
            assert done.err.startswith("error[empty_file]: -: nothing came from standard input; pipe a file")


def test_half_a_character_of_a_kept_message_stays_as_it_came(here: Satchel, tmp_path: Path) -> None:
    r"""Kept messages are untouched: \ud800 alone, which no encoding can write, stays an escape."""
    for text in (
        '[{"role": "user", "content": "bad \\ud800 half"}]',
        '{"role": "user", "content": "\\uDC00"}',
    ):
        (tmp_path / "h.json").write_text(text)
        for options in ((), ("-o", "o.json")):
            done = here("compact", "h.json", "--max-tokens", "50", *options)
            assert done.code == 0, done.err
            out = (tmp_path / "o.json").read_text("utf-8") if options else done.out
            assert json.loads(out) == json.loads(text)
        found = here("compact", "h.json", "--max-tokens", "50", "--json").json()
        assert found["messages"][0] == (json.loads(text)[0] if text[0] == "[" else json.loads(text))


def test_no_secret_leaves_in_the_error_of_a_conversation(here: Satchel) -> None:
    """J07: the id of a call that nobody made is named without the secret in it."""
    text = json.dumps([{"role": "tool", "tool_call_id": TOKEN, "content": "x"}])
    done = here("compact", "-", "--max-tokens", "9", stdin=text)
    assert done.code == 2
    assert "[REDACTED:github-token]" in done.err
    assert TOKEN not in done.out + done.err


def test_a_conversation_that_begins_with_an_answer_is_warned_of(here: Satchel) -> None:
    lines = "".join(json.dumps(message) + "\n" for message in CHAT)
    done = here("compact", "-", "--max-tokens", "30", "--keep-recent", "2", stdin=lines)
    assert [json.loads(line)["role"] for line in done.out.splitlines()] == ["system", "assistant", "user"]
    assert "begins with an answer" in done.err


def test_what_is_not_text_is_told_and_kept(here: Satchel, tmp_path: Path) -> None:
    picture = {"role": "user", "content": [{"type": "image_url", "image_url": {"url": "data:,"}}]}
    (tmp_path / "h.json").write_text(json.dumps([picture]))
    done = here("compact", "h.json", "--max-tokens", "10")
    assert json.loads(done.out) == [picture]
    assert "not counted" in done.err
    assert here("compact", "h.json", "--max-tokens", "10", "-o", "h.json").code == 2


SEGMENTS: list[dict[str, Any]] = [
    {"id": "system", "text": "You are a clerk.", "stability": "stable", "trust": "trusted", "pinned": True},
    {"id": "question", "text": f"What is due? {TOKEN}"},
    {"id": "tools", "text": "search(query), fetch(url)", "stability": "stable", "trust": "trusted"},
    {"id": "doc", "text": "A long document. " * 30, "relevance": 0.3},
]


def test_assemble_from_a_file(here: Satchel, tmp_path: Path) -> None:
    """Seed 003: stable first, the untrusted named, the drops told, and no secret leaves (J07)."""
    whole = {"schemaVersion": "prompt-segments.v1", "segments": SEGMENTS}
    (tmp_path / "seg.json").write_text(json.dumps(whole))
    done = here("assemble", "seg.json", "--max-tokens", "60")
    assert done.code == 0, done.err
    assert done.out.startswith("You are a clerk.\n\nsearch(query)")
    assert "[REDACTED:github-token]" in done.out
    assert TOKEN not in done.out + done.err
    assert "left out doc: needs" in done.err
    assert "untrusted: question" in done.err
    found = here("assemble", "seg.json", "--max-tokens", "60", "--json", "--order", "as-given").json()
    assert found["breakpoint"]["strandedIds"] == ["tools"]
    assert found["tokens"] <= 60
    lines = "".join(json.dumps(segment) + "\n" for segment in SEGMENTS)
    again = here("assemble", "-", "--max-tokens", "60", stdin=lines)
    assert again.out == done.out


def test_no_secret_leaves_in_an_id(here: Satchel) -> None:
    """J07: ids of segments are printed, in notes, in JSON and in errors."""
    segments: list[dict[str, Any]] = [
        {"id": f"{TOKEN}/{i}", "text": "word " * 20, "stability": stability, "relevance": 0.9 - i / 10}
        for i, stability in enumerate(("stable", "volatile", "stable", "volatile"))
    ]
    segments[0]["text"] += "Today is 2026-11-30."
    lines = "".join(json.dumps(segment) + "\n" for segment in segments)
    options = ("assemble", "-", "--max-tokens", "85", "--order", "as-given")
    for more in ((), ("--json",)):
        done = here(*options, *more, stdin=lines)
        assert done.code == 0, done.err
        assert "stranded" in done.err
        assert "left out [REDACTED:github-token]" in done.err
        assert TOKEN not in done.out + done.err
    twice = lines + lines
    pinned = json.dumps({**segments[0], "pinned": True}) + "\n"
    for text, cap in ((twice, "85"), (pinned, "5"), (lines.replace("0.9", "9"), "85")):
        for more in ((), ("--json",)):
            done = here("assemble", "-", "--max-tokens", cap, *more, stdin=text)
            assert done.code in (1, 2)
            assert TOKEN not in done.out + done.err


def test_the_exact_choice_is_worth_more_than_the_greedy_one(here: Satchel) -> None:
    """A14: one large segment of slightly higher relevance against two that fill its place."""
    segments = [{"id": "big", "text": "word " * 40, "relevance": 0.9}]
    segments += [{"id": f"s{i}", "text": "word " * 19, "relevance": 0.8} for i in range(2)]
    lines = "".join(json.dumps(segment) + "\n" for segment in segments)
    for more, kept in (((), ["s0", "s1"]), (("--greedy",), ["big"])):
        found = here("assemble", "-", "--max-tokens", "45", "--json", *more, stdin=lines).json()
        assert [entry["id"] for entry in found["segments"]] == kept


@pytest.mark.parametrize(
    ("text", "options", "code", "words"),
    [
        ('{"id": "a", "text": "x", "pinned": true}', ("--max-tokens", "1"), 0, ""),
        ('{"id": "a", "text": "x y z", "pinned": true}', ("--max-tokens", "1"), 1, "pinned"),
        ('{"id": "a", "text": 3}', ("--max-tokens", "9"), 2, "text"),
        (
            '{"id": "a", "text": "x"}\n{"id": "a", "text": "y"}',
            ("--max-tokens", "9"),
            2,
            "duplicate_segment_id",
        ),
        ('[{"id": "a"}]', ("--max-tokens", "9"), 2, "prompt-segments.v1"),
        ('{"schemaVersion": "x"}', ("--max-tokens", "9"), 2, "schemaVersion"),
        ('{"id": "a", "text": "x"}', ("--max-tokens", "9", "--reserve", "9"), 2, "--reserve"),
        ('{"id": "a", "text": "x"}', ("--max-tokens", "9", "--order", "random"), 2, "--order"),
        ('{"id": "a", "text": "x"}', ("--max-tokens", "9", "--min-relevance", "2"), 2, "--min-relevance"),
    ],
)
def test_what_is_wrong_with_segments_is_told(
    here: Satchel, text: str, options: tuple[str, ...], code: int, words: str
) -> None:
    done = here("assemble", "-", *options, stdin=text)
    assert done.code == code, done.err
    assert words in done.err


def test_markers_in_use_are_no_fewer_than_none(here: Satchel, packs: Path, prices: Path) -> None:
    done = here("cost", "a/packed-context.json", "--prices", prices, "--used-breakpoints", -1)
    assert done.code == 2
    assert "--used-breakpoints" in done.err
