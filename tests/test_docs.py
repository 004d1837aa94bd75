"""The documents say what the program does: help, sessions, links and the library example."""

from __future__ import annotations

import importlib.util
import re
import subprocess
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parent.parent
DOCUMENTS = ("README.md", "CONTRIBUTING.md", "CHANGELOG.md", "docs/cli.md", "docs/solving.md")


@pytest.fixture(scope="module")
def generate() -> ModuleType:
    """``docs/generate.py`` as a module."""
    spec = importlib.util.spec_from_file_location("generate_docs", ROOT / "docs" / "generate.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_reference_of_the_command_line_is_fresh(generate: ModuleType) -> None:
    """``make docs`` writes it anew."""
    assert (ROOT / "docs/cli.md").read_text("utf-8") == generate.cli_reference()


def test_every_command_is_in_the_reference(generate: ModuleType) -> None:
    import typer

    from satchel.cli.app import app

    def leaves(name: str, command: Any) -> list[str]:
        inside = getattr(command, "commands", None)
        if inside is None:
            return [name]
        return [leaf for part in inside for leaf in leaves(f"{name} {part}".strip(), inside[part])]

    names = leaves("", typer.main.get_command(app))
    assert sorted(names) == sorted(generate.COMMANDS)


def test_the_sessions_in_documents_are_true(generate: ModuleType) -> None:
    """``make docs`` writes them anew."""
    for name in generate.SESSIONS:
        text = (ROOT / name).read_text("utf-8")
        assert text.count("```console") >= 2, name
        assert generate.with_sessions(text) == text, name


def test_the_library_example_runs(tmp_path: Path, generate: ModuleType) -> None:
    """L04: what the README shows of the library is run as it stands."""
    text = (ROOT / "README.md").read_text("utf-8")
    blocks = re.findall(r"^```python\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
    assert blocks
    example = tmp_path / "linkbox"
    example.symlink_to(generate.EXAMPLE)
    for block in blocks:
        done = subprocess.run(
            [sys.executable, "-c", block],
            cwd=tmp_path,
            capture_output=True,
            text=True,
            check=False,
            timeout=60,
        )
        assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("name", DOCUMENTS)
def test_links_lead_somewhere(name: str) -> None:
    text = (ROOT / name).read_text("utf-8")
    for target in re.findall(r"\]\(([^)#\s]+)[^)]*\)", text):
        if "://" not in target:
            assert ((ROOT / name).parent / target).exists(), target


@pytest.mark.parametrize("name", ["README.md", "CONTRIBUTING.md"])
def test_make_targets_that_are_named_exist(name: str) -> None:
    makefile = (ROOT / "Makefile").read_text("utf-8")
    targets = set(re.findall(r"^([a-z]+):", makefile, re.MULTILINE))
    named = set(re.findall(r"`make ([a-z]+)", (ROOT / name).read_text("utf-8")))
    named |= set(re.findall(r"^make ([a-z]+)", (ROOT / name).read_text("utf-8"), re.MULTILINE))
    assert named
    assert named <= targets
