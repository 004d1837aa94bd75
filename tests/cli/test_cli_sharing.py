"""``satchel batch --shared-prefix``."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from satchel.cli.app import main

REPO = Path(__file__).parents[1] / "data" / "linkbox"

PRICES = """\
schemaVersion = "price-table.v1"
currency = "USD"
[models.any]
inputPerMillion = 3000000
cachedInputPerMillion = 300000
cacheWritePerMillion = 3750000
"""

BATCH = ["batch", "--jobs", "1", "--shared-prefix", "auto", "--no-cache"]


@pytest.fixture
def tasks(tmp_path: Path) -> Path:
    """Two pages of the small project, and prices beside them."""
    lines = [
        {"repo": str(REPO), "id": name, "about": name, "kind": "api-reference", "budget": 900}
        for name in ("links", "errors")
    ]
    path = tmp_path / "tasks.jsonl"
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    (tmp_path / "prices.toml").write_text(PRICES)
    return path


def test_a_batch_with_a_shared_prefix_says_what_it_saves(
    tasks: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The table for a person, and the report beside the manifest with the same figures."""
    out = tasks.parent / "out"
    given = ["batch", str(tasks), "--out", str(out), "--jobs", "1", "--shared-prefix", "auto", "--no-cache"]
    given += [
        "--prices",
        str(tasks.parent / "prices.toml"),
        "--min-cacheable",
        "150",
        "--max-value-loss",
        "10%",
    ]
    assert main(given) == 0
    printed = capsys.readouterr()
    report = json.loads((out / "shared-prefix.json").read_text())
    assert f"{report['cost'] / 10**6:,.6f} USD" in printed.out
    assert "Shared prefix" in printed.out
    assert "shared-prefix.json" in printed.err
    assert report["maxValueLoss"] == "1/10"
    assert report["breakEven"] == 2
    assert report["cost"] < report["costAlone"]


@pytest.mark.parametrize(
    ("more", "message"),
    [
        ([], "--shared-prefix: needs --prices"),
        (["--prices", "prices.toml", "--max-value-loss", "2"], "--max-value-loss: is no share"),
        (["--prices", "prices.toml", "--max-page-loss", "many"], "--max-page-loss: is no share"),
        (["--prices", "prices.toml", "--prefixes", "99"], "prefixes: is out of range"),
        (["--prices", "prices.toml", "--expected-calls", "3"], "that of each page does not go with it"),
        (["--prices", "prices.toml"], "nothing says which prefixes are cached"),
    ],
)
def test_mistakes_are_named(
    tasks: Path,
    more: list[str],
    message: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """Exit code 2, with the option at fault."""
    monkeypatch.chdir(tasks.parent)
    given = [
        "batch",
        str(tasks),
        "--out",
        "out",
        "--jobs",
        "1",
        "--shared-prefix",
        "auto",
        "--no-cache",
        *more,
    ]
    assert main(given) == 2
    assert message in capsys.readouterr().err
