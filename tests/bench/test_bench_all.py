"""The one command that runs all benches."""

from __future__ import annotations

import argparse
from pathlib import Path

import pytest

from bench import __main__ as everything
from bench.__main__ import Step, main, steps


def options(
    *, full: bool, literature: Path | None = None, repository: Path | None = None
) -> argparse.Namespace:
    return argparse.Namespace(full=full, literature=literature, repository=repository)


def test_a_full_run_publishes_and_a_quick_one_does_not(tmp_path: Path) -> None:
    quick = {step.name: step.arguments(tmp_path) for step in steps(options(full=False))}
    full = {step.name: step.arguments(tmp_path) for step in steps(options(full=True, literature=tmp_path))}
    assert "--publish" in full["solver"]
    assert "--publish" not in quick["solver"]
    assert set(full) - set(quick) == {"literature", "study"}
    more = {step.name: step.arguments(tmp_path) for step in steps(options(full=True, repository=tmp_path))}
    assert set(more) - set(quick) == {"batch", "cache", "study"}
    assert more["cache"] == ["pack", str(tmp_path)]


def test_what_benches_print_is_kept_and_a_failure_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(everything, "RESULTS", tmp_path)
    listed = [
        Step("well", "bench.generate", lambda _: ["--units", "20"]),
        Step("ill", "bench.generate", lambda _: ["--units", "3"]),
    ]
    monkeypatch.setattr(everything, "steps", lambda _: listed)
    assert main([]) == 1
    (folder,) = tmp_path.iterdir()
    assert (folder / "well.txt").read_text("utf-8").startswith("{")
    assert "too few" in (folder / "ill.txt").read_text("utf-8")
    table = (folder / "summary.md").read_text("utf-8")
    assert "| well | well |" in table
    assert "| ill | **exit code 2** |" in table
    assert f"results are in {folder}" in capsys.readouterr().out
