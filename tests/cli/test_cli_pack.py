"""``satchel pack`` on a small repository, and everything that reads what it wrote."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
from processes import Done, Satchel

LINKBOX = Path(__file__).resolve().parent.parent / "data" / "linkbox"
ABOUT = ("--task", "api-reference", "--about", "Making, following and deleting links")
OUTPUTS = ["packed-context.json", "packing-problem.json", "prompt.md"]


@pytest.fixture
def repo(tmp_path: Path) -> Path:
    """A copy of the example project: a service for short links, with contract and generated client."""
    copy = tmp_path / "linkbox"
    shutil.copytree(LINKBOX, copy, ignore=shutil.ignore_patterns("__pycache__"))
    return copy


def artifact(folder: Path) -> dict[str, Any]:
    return dict(json.loads((folder / "packed-context.json").read_text("utf-8")))


def written(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir()) if folder.exists() else []


def test_pack_alone_is_useful_in_any_folder(satchel: Satchel, repo: Path) -> None:
    """Task overview, this folder, a budget by default; three files in .satchel, which git does not see."""
    done = satchel("pack", cwd=repo)
    assert done.code == 0
    assert done.out.startswith("Packed context for overview\n\nBudget\n")
    for heading in ("Tokens by zone", "Included", "Coverage", "Status: optimal"):
        assert f"\n{heading}" in done.out
    assert done.err.startswith("note: wrote .satchel/packed-context.json, ")
    assert written(repo / ".satchel") == [".gitignore", *OUTPUTS]
    assert max(len(line) for line in done.out.splitlines()) <= 80
    subprocess.run(["git", "init", "-q"], cwd=repo, check=True)
    seen = subprocess.run(["git", "status", "--short"], cwd=repo, capture_output=True, text=True, check=True)
    assert ".satchel" not in seen.stdout


def test_a_pack_verifies_renders_again_and_explains_itself(here: Satchel, repo: Path, tmp_path: Path) -> None:
    assert here("pack", repo, *ABOUT, "--budget", "2k", "-q") == Done(0, "", "")
    done = here("verify")
    assert done.code == 0, done
    assert "not checked" not in done.out
    assert here("verify", "--json").json()["recounted"] is True
    prompt = (tmp_path / ".satchel/prompt.md").read_bytes().decode("utf-8")
    assert here("render").out == prompt
    found = artifact(tmp_path / ".satchel")
    assert found["prompt"]["tokens"] <= found["prompt"]["limit"] == 2000
    done = here("explain", "--why-rejected", "clients/*")
    assert "generated_minified_assets" in done.out
    assert here("budget", ".satchel/packed-context.json", "--json").json()["promptTokens"] <= 2000
    (tmp_path / ".satchel/prompt.md").write_text(prompt.replace("links", "lynxs", 1), encoding="utf-8")
    assert here("verify").code == 1


def test_the_same_input_gives_the_same_bytes(
    satchel: Satchel, here: Satchel, repo: Path, tmp_path: Path
) -> None:
    here("pack", repo, *ABOUT, "--budget", "2k", "-q", "--out", "one")
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    args = ("pack", "../linkbox", *ABOUT, "--budget", "2k", "-q", "--out", "two")
    satchel(*args, cwd=elsewhere, env={"PYTHONHASHSEED": "7"})
    for name in OUTPUTS:
        assert (tmp_path / "one" / name).read_bytes() == (elsewhere / "two" / name).read_bytes()


def test_json_is_the_artifact_and_nothing_else(here: Satchel, repo: Path, tmp_path: Path) -> None:
    done = here("pack", repo, "--budget", "2k", "--json")
    assert done.err == ""
    assert done.out == (tmp_path / ".satchel/packed-context.json").read_text("utf-8")


@pytest.mark.parametrize("fmt", ["xml", "plain"])
def test_other_formats_keep_the_budget_and_have_their_own_names(
    here: Satchel, repo: Path, tmp_path: Path, fmt: str
) -> None:
    assert here("pack", repo, *ABOUT, "--budget", "1500", "--format", fmt, "-q").code == 0
    name = {"xml": "prompt.xml", "plain": "prompt.txt"}[fmt]
    assert name in written(tmp_path / ".satchel")
    assert artifact(tmp_path / ".satchel")["prompt"]["tokens"] <= 1500
    assert here("verify").code == 0


def test_another_format_than_was_packed_is_written_only_if_it_fits(here: Satchel, repo: Path) -> None:
    """Promise 1 of the design: the tokens of the rendered text are within the budget in every format."""
    for budget in range(900, 1800, 100):
        assert here("pack", repo, *ABOUT, "--budget", str(budget), "--format", "plain", "-q").code == 0
        done = here("render", "--format", "xml", "-o", "again.xml")
        if done.code == 1:
            break
    assert done.err.startswith("error[format_does_not_fit]: --format: as xml the prompt holds ")
    assert not Path("again.xml").exists()


def test_output_inside_the_repository_is_no_evidence(here: Satchel, repo: Path, tmp_path: Path) -> None:
    """G20: packing twice, with the outputs in the tree, gives the same pack."""
    args = ("pack", repo, *ABOUT, "--budget", "2k", "-q", "--out", repo / "out", "--prompt", repo / "p.md")
    assert here(*args).code == 0
    first = (repo / "out/packed-context.json").read_bytes()
    units = {unit["id"] for unit in json.loads(first)["acceptedUnits"]}
    assert here(*args).code == 0
    again = json.loads((repo / "out/packed-context.json").read_bytes())
    assert {unit["id"] for unit in again["acceptedUnits"]} == units
    seen = [*again["acceptedUnits"], *again["rejectedUnits"]]
    paths = {ref["path"] for unit in seen for ref in unit["sourceRefs"]}
    assert not {path for path in paths if path.startswith(("out/", "p.md"))}


def test_the_outline_and_the_focus_reach_the_task(here: Satchel, repo: Path, tmp_path: Path) -> None:
    """B02: what is named explicitly is in."""
    (tmp_path / "outline.md").write_text(
        "# Links\n\ntext\n\n## Making one ##\n```\n# no heading\n```\n", "utf-8"
    )
    done = here(
        "pack",
        repo,
        *ABOUT,
        "--outline",
        "outline.md",
        "--focus",
        "docs/errors.md",
        "--budget",
        "2k",
        "--json",
    )
    assert done.code == 0
    assert done.json()["task"]["outline"] == ["Links", "Making one"]
    assert done.json()["task"]["focus"] == ["docs/errors.md"]
    assert "docs/errors.md" in {ref["path"] for u in done.json()["acceptedUnits"] for ref in u["sourceRefs"]}
    (tmp_path / "outline.txt").write_text("Links\n\n  Making one\n", "utf-8")
    assert here("pack", repo, "--outline", "outline.txt", "--json").json()["task"]["outline"] == [
        "Links",
        "Making one",
    ]


def test_scan_lists_every_candidate_and_every_file_left_out(
    here: Satchel, repo: Path, tmp_path: Path
) -> None:
    (repo / "logo.png").write_bytes(b"\x89PNG\r\n\x1a\n\0\0")
    done = here("scan", repo, *ABOUT, "--problem-out", "p.json")
    assert done.code == 0
    listing = here("scan", repo, *ABOUT, "--json").json()
    assert listing["schemaVersion"] == "scan-listing.v1"
    assert all(unit["id"] in done.out for unit in listing["units"])
    assert all("text" not in unit for unit in listing["units"])
    assert "logo.png" in {unit["id"].removeprefix("file:") for unit in listing["skipped"]}
    assert re.search(r"^ +1  binary$", done.out, re.MULTILINE)
    assert here("solve", "p.json", "--json").json()["counts"]["candidates"] == len(listing["units"])


def test_options_of_the_scan_do_what_they_say(here: Satchel, repo: Path) -> None:
    """G12, G14: the flags, end to end."""

    def paths(*args: str) -> set[str]:
        units = here("scan", repo, *ABOUT, "--json", *args).json()["units"]
        files = [unit for unit in units if unit["id"] != "repo:map"]
        return {ref["path"] for unit in files for ref in unit["sourceRefs"]}

    (repo / ".gitignore").write_text("docs/\n", encoding="utf-8")
    (repo / "node_modules/x").mkdir(parents=True)
    (repo / "node_modules/x/index.js").write_text("export function stray() { return 1; }\n", encoding="utf-8")
    (repo / ".env").write_text("PORT=8080\n", encoding="utf-8")
    assert not paths() & {"docs/errors.md", "node_modules/x/index.js", ".env"}
    assert "docs/errors.md" in paths("--no-ignore")
    assert "node_modules/x/index.js" in paths("--no-default-excludes")
    assert ".env" in paths("--sensitive-names")
    assert paths("--include", "linkbox/**") == {
        f"linkbox/{n}.py" for n in ("__init__", "codes", "service", "store")
    }
    assert "linkbox/codes.py" not in paths("--exclude", "codes.py")
    assert "openapi.yaml" not in paths("--max-file-bytes", "1000")


def test_budget_shows_the_envelope_of_a_task_and_model(here: Satchel) -> None:
    """A22: window, reserve and input room are told apart."""
    done = here("budget", "--task", "api-reference", "--model", "gpt-4o")
    assert done.code == 0
    for name in ("max context", "reserved output", "available input", "source_evidence", "when it overflows"):
        assert name in done.out
    envelope = here("budget", "--task", "api-reference", "--model", "gpt-4o", "--json").json()
    spent = (
        envelope["reservedOutputTokens"] + envelope["fixedOverheadTokens"] + envelope["availableInputTokens"]
    )
    assert spent == envelope["maxContextTokens"] == 128_000


@pytest.mark.parametrize(
    ("args", "code", "parts"),
    [
        (["--task", "poem"], 2, ["--task", "'poem'", "api-reference"]),
        (["--budget", "lots"], 2, ["--budget", "'lots'"]),
        (["--budget", "20"], 1, ["a budget of 20 tokens does not hold the frame", "smallest budget"]),
        (["--format", "html"], 2, ["--format", "'html'", "markdown, xml, plain"]),
        (["--model", "gpt-none"], 2, ["--model", "'gpt-none'", "--encoding"]),
        (["--model", "gpt-4", "--budget", "1m"], 1, ["--budget", "accepted: up to"]),
        (["--encoding", "o299k"], 2, ["o299k", "o200k_base"]),
        (["--encoding", "o200k_base", "--approximate"], 2, ["one way only"]),
        (["--tokenizer", "none.json"], 2, ["none.json"]),
        (["--focus", "linkbox/nothing.py"], 2, ["linkbox/nothing.py"]),
        (["--focus", "../elsewhere"], 2, ["--focus", "outside"]),
        (["--include", ""], 2, ["--include", "not a pattern"]),
        (["--outline", "none.md"], 2, ["none.md"]),
        (["--outline", "empty.md"], 2, ["empty.md", "holds no heading"]),
        (["--max-file-bytes", "0"], 2, ["--max-file-bytes"]),
        (["--out", "empty.md"], 2, ["empty.md", "cannot be written", "--out"]),
        (["--prompt", ".satchel/packed-context.json"], 2, ["--prompt"]),
        (["--solver", "magic"], 2, ["--solver"]),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_a_pack_that_cannot_be_leaves_nothing(
    here: Satchel, repo: Path, tmp_path: Path, args: list[str], code: int, parts: list[str]
) -> None:
    (tmp_path / "empty.md").write_text("\n", encoding="utf-8")
    before = sorted(path.name for path in tmp_path.iterdir())
    done = here("pack", repo, *args)
    assert done.code == code, done
    assert done.out == ""
    assert re.fullmatch(r"error\[\w+\]: [^\n]+\n", done.err), done.err
    for part in parts:
        assert part in done.err, done.err
    assert sorted(path.name for path in tmp_path.iterdir()) == before


def test_a_repository_that_is_none(here: Satchel, tmp_path: Path) -> None:
    (tmp_path / "file.py").write_text("x = 1\n", encoding="utf-8")
    for name, part in (("nowhere", "no such folder"), ("file.py", "not a folder")):
        done = here("pack", name)
        assert done.code == 2
        assert name in done.err
        assert part in done.err


def test_an_empty_folder_packs_to_an_empty_context_with_a_warning(here: Satchel, tmp_path: Path) -> None:
    """A29: nothing in the pack is said, on screen and in JSON."""
    (tmp_path / "bare").mkdir()
    done = here("pack", "bare")
    assert done.code == 0
    assert "warning: " in done.out
    codes = [entry["code"] for entry in artifact(tmp_path / ".satchel")["diagnostics"]]
    assert "empty_pack" in codes


def test_an_earlier_pack_survives_a_failed_one(here: Satchel, repo: Path, tmp_path: Path) -> None:
    here("pack", repo, "--budget", "2k", "-q")
    before = {path.name: path.read_bytes() for path in (tmp_path / ".satchel").iterdir()}
    assert here("pack", repo, "--budget", "30").code == 1
    assert {path.name: path.read_bytes() for path in (tmp_path / ".satchel").iterdir()} == before


def test_a_link_and_a_device_are_written_through(here: Satchel, repo: Path, tmp_path: Path) -> None:
    """A link keeps pointing to its file; /dev/null stays a device."""
    (tmp_path / "real.md").write_text("# Satchel context pack\n", encoding="utf-8")
    (tmp_path / "link.md").symlink_to("real.md")
    assert here("pack", repo, "--budget", "2k", "-q", "--prompt", "link.md").code == 0
    assert (tmp_path / "link.md").is_symlink()
    assert (tmp_path / "real.md").read_text("utf-8").startswith(("#", "<", "!"))
    assert here("pack", repo, "--budget", "2k", "-q", "--prompt", "/dev/null").code == 0
    assert Path("/dev/null").is_char_device()


def test_the_help_names_every_kind_of_task(here: Satchel) -> None:
    import satchel

    help_text = " ".join(here("pack", "--help").out.split())
    for kind in satchel.task_kinds():
        assert kind in help_text


def test_models_are_listed(here: Satchel) -> None:
    done = here("models")
    assert done.code == 0
    assert max(len(line) for line in done.out.splitlines()) <= 80
    assert {entry["modelId"] for entry in here("models", "--json").json()} <= set(done.out.split())


def test_schemas_are_listed_and_printed(here: Satchel) -> None:
    names = here("schema", "--json").json()
    assert "packing-problem" in names
    assert all(name in here("schema").out for name in names)
    for name in names:
        assert here("schema", name).json()["$schema"].startswith("https://json-schema.org/")
