"""``satchel cache`` and the options of ``pack`` and ``scan`` that are about it."""

from __future__ import annotations

import json
import os
import shutil
import signal
import sqlite3
import subprocess
import sys
import time
from contextlib import closing
from pathlib import Path

import pytest
from processes import Satchel, environment

LINKBOX = Path(__file__).parents[1] / "data" / "linkbox"


@pytest.fixture
def repo(tmp_path: Path) -> Path:
    shutil.copytree(LINKBOX, tmp_path / "linkbox")
    return tmp_path / "linkbox"


def files(folder: Path) -> list[str]:
    return sorted(path.suffix for path in folder.iterdir()) if folder.exists() else []


def test_a_pack_remembers_and_no_cache_does_not(here: Satchel, repo: Path, tmp_path: Path) -> None:
    cache = tmp_path / "caches"
    assert (
        here("pack", repo, "--budget", "2k", "-q", "--cache-dir", cache, "--no-cache", "-o", "one").code == 0
    )
    assert files(cache) == []
    for out in ("two", "three"):
        assert here("pack", repo, "--budget", "2k", "-q", "--cache-dir", cache, "-o", out).code == 0
    assert files(cache) == [".sqlite3"]
    for name in ("packed-context.json", "packing-problem.json", "prompt.md"):
        assert len({(tmp_path / out / name).read_bytes() for out in ("one", "two", "three")}) == 1
    status = here("cache", "status", repo, "--cache-dir", cache, "--json").json()
    assert status["schemaVersion"] == "cache-status.v1"
    assert (status["scans"], status["stale"] + status["fresh"]) == (2, status["files"])


def test_warm_status_savings_verify_clear(here: Satchel, repo: Path, tmp_path: Path) -> None:
    where = ("--cache-dir", tmp_path / "caches")
    warm = here("cache", "warm", repo, "--workers", "1", *where, "--json").json()
    assert (warm["left"], warm["dead"]) == (0, 0)
    assert warm["files"] > 5
    assert here("cache", "status", repo, *where, "--json").json()["unsummarised"] == 0
    told = here("cache", "status", repo, *where)
    assert "summarised" in told.out
    savings = here("cache", "savings", repo, *where, "--json").json()
    assert savings["unsummarised"] == 0
    assert all(entry["after"] < entry["before"] for entry in savings["byKind"])
    assert "together" in here("cache", "savings", repo, *where).out
    verdict = here("cache", "verify", repo, *where, "--json").json()
    assert verdict["faults"] == []
    assert here("cache", "verify", repo, *where).out.endswith("0 faults\n")
    assert len(here("cache", "clear", repo, *where, "--json").json()["deleted"]) == 1
    assert here("cache", "clear", repo, *where).out == "there was no cache\n"


def test_work_does_what_a_pack_has_queued(here: Satchel, repo: Path, tmp_path: Path) -> None:
    where = ("--cache-dir", tmp_path / "caches")
    here("pack", repo, "--summaries", "cached", "-q", *where)
    queued = here("cache", "status", repo, *where, "--json").json()["queue"]["pending"]
    assert queued > 0
    assert here("cache", "work", repo, *where).out == "all summaries are made\n"
    assert here("cache", "status", repo, *where, "--json").json()["queue"]["pending"] == 0


def test_a_wrong_row_is_an_exit_code(here: Satchel, repo: Path, tmp_path: Path) -> None:
    import sqlite3

    where = ("--cache-dir", tmp_path / "caches")
    os.utime(repo / "README.md")
    here("scan", repo, "-q", *where)
    time.sleep(2.1)
    here("scan", repo, "-q", *where)
    (path,) = (tmp_path / "caches").glob("*.sqlite3")
    with sqlite3.connect(path) as database:
        database.execute("UPDATE contents SET units = (SELECT units FROM contents LIMIT 1)")
    database.close()
    done = here("cache", "verify", repo, *where)
    assert done.code == 1
    assert "wrong: " in done.out


def test_a_folder_that_cannot_be_is_a_notice_for_a_pack_and_an_error_for_its_owner(
    here: Satchel, repo: Path, tmp_path: Path
) -> None:
    """I15: safe to go without."""
    (tmp_path / "file").write_text("")
    where = ("--cache-dir", tmp_path / "file" / "caches")
    done = here("pack", repo, "--budget", "2k", *where)
    assert done.code == 0
    assert done.err.count("working without a cache: ") == 1
    done = here("cache", "status", repo, *where)
    assert done.code == 2
    assert "the cache cannot be used" in done.err


@pytest.mark.parametrize("command", ["pack", "scan"])
def test_an_unknown_use_of_summaries_is_refused(here: Satchel, repo: Path, command: str) -> None:
    done = here(command, repo, "--summaries", "some")
    assert done.code == 2
    assert "compute, cached, off" in done.err


def test_watching_ends_on_interrupt_and_by_then_knows_all(repo: Path, tmp_path: Path) -> None:
    cache = tmp_path / "caches"
    process = subprocess.Popen(
        [
            sys.executable,
            "-m",
            "satchel.cli",
            "cache",
            "watch",
            str(repo),
            "--cache-dir",
            str(cache),
            "--json",
        ],
        stdout=subprocess.PIPE,
        env=environment(),
    )
    assert process.stdout is not None
    first = json.loads(process.stdout.readline())
    assert first["changed"] > 5
    time.sleep(0.5)
    (repo / "new.md").write_text("# New\n\nA new page.\n")
    assert json.loads(process.stdout.readline())["changed"] >= 1
    process.send_signal(signal.SIGINT)
    assert process.wait(20) == 0
    process.stdout.close()


@pytest.mark.parametrize("command", ["status", "verify", "savings", "work", "warm", "watch"])
def test_what_is_no_folder_is_said_to_be_none(here: Satchel, tmp_path: Path, command: str) -> None:
    """``work`` said that all summaries are made, and left a cache behind."""
    caches = tmp_path / "caches"
    told = here("cache", command, tmp_path / "none", "--cache-dir", caches)
    assert told.code == 2
    assert "there is no such folder" in told.err
    assert files(caches) == []


@pytest.mark.parametrize("command", ["status", "verify", "savings"])
def test_looking_makes_no_cache(here: Satchel, repo: Path, tmp_path: Path, command: str) -> None:
    caches = tmp_path / "caches"
    assert here("cache", command, repo, "--cache-dir", caches).code == 0
    assert not caches.exists()


def test_verify_names_a_damaged_file_and_makes_way_for_a_new_one(
    here: Satchel, repo: Path, tmp_path: Path
) -> None:
    where = ("--cache-dir", tmp_path / "caches")
    here("cache", "warm", repo, "--workers", "1", "-q", *where)
    (file,) = (tmp_path / "caches").iterdir()
    with closing(sqlite3.connect(file)) as db, db:
        db.execute("UPDATE contexts SET facts = CAST(x'7bff80' AS TEXT)")
    found = here("cache", "verify", repo, *where)
    assert found.code == 1
    assert "wrong: the cache is damaged (a text in it is not UTF-8)" in found.out
    assert here("pack", repo, "--budget", "2k", "-q", *where).code == 0
    assert here("cache", "verify", repo, *where).code == 0
