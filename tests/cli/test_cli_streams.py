"""Where the command line writes, and what it never lets out: escape codes, tracebacks, half a file."""

from __future__ import annotations

import json
import os
import pty
import random
import re
import select
import signal
import subprocess
import sys
import time
from collections.abc import Mapping
from pathlib import Path

import pytest
from processes import SMALLEST, Satchel, environment

ESCAPE = "\x1b"
COLOUR = re.compile(r"\x1b\[[0-9;]*m")
CONTROL = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")


def on_a_terminal(*args: str, cwd: Path, env: Mapping[str, str] | None = None) -> tuple[int, str]:
    """Run ``satchel`` with a pseudo terminal for its output; return exit code and what the terminal got."""
    master, slave = pty.openpty()
    process = subprocess.Popen(
        [sys.executable, "-m", "satchel.cli", *args],
        stdin=subprocess.DEVNULL,
        stdout=slave,
        stderr=slave,
        cwd=cwd,
        env=environment(env),
    )
    os.close(slave)
    got = b""
    end = time.monotonic() + 60
    while time.monotonic() < end:
        if select.select([master], [], [], 0.2)[0]:
            try:
                part = os.read(master, 65536)
            except OSError:  # the other side is closed
                break
            if not part:
                break
            got += part
        elif process.poll() is not None:
            break
    os.close(master)
    return process.wait(timeout=10), got.decode("utf-8").replace("\r\n", "\n")


def test_a_terminal_gets_colour_and_the_same_words(satchel: Satchel, smallest: Path, tmp_path: Path) -> None:
    code, screen = on_a_terminal("solve", "problem.json", cwd=tmp_path)
    assert code == 0
    assert COLOUR.search(screen)
    assert CONTROL.sub("", screen).endswith(satchel("solve", "problem.json").out)


@pytest.mark.parametrize(("env", "unwanted"), [({"NO_COLOR": "1"}, COLOUR), ({"TERM": "dumb"}, CONTROL)])
def test_no_colour_where_it_is_not_wanted(
    smallest: Path, tmp_path: Path, env: dict[str, str], unwanted: re.Pattern[str]
) -> None:
    code, screen = on_a_terminal("solve", "problem.json", cwd=tmp_path, env=env)
    assert code == 0
    assert "Status: optimal" in screen
    assert not unwanted.search(screen)


def test_pipes_get_the_same_bytes_whatever_the_terminal_is(satchel: Satchel, smallest: Path) -> None:
    plain = satchel("solve", "problem.json")
    assert ESCAPE not in plain.out + plain.err
    odd = satchel("solve", "problem.json", env={"COLUMNS": "37", "FORCE_COLOR": "1", "LC_ALL": "C"})
    assert odd == plain


def test_foreign_text_cannot_act_on_the_terminal(here: Satchel, tmp_path: Path) -> None:
    """A title, a path or an id may hold escape codes, line ends and marks that turn the reading around."""
    evil = "x\x1b]0;owned\x07\x1b[2J\r\n\x9b31m\u202egnp"
    problem = {
        "schemaVersion": "packing-problem.v1",
        "envelope": {"availableInputTokens": 5},
        "task": {"kind": "overview", "about": evil},
        "units": [
            {"id": f"a{evil}", "title": evil, "tokenEstimate": 3, "value": 3, "sourceRefs": [{"path": evil}]},
            {"id": f"b{evil}", "title": evil, "tokenEstimate": 9, "value": 1},
        ],
    }
    (tmp_path / "p.json").write_text(json.dumps(problem), encoding="utf-8")
    unsafe = re.compile("[\x00-\x09\x0b-\x1f\x7f-\x9f\u202a-\u202e]")
    for args in (
        ["solve", "p.json", "-o", "a.json"],
        ["solve", "p.json", "--json"],
        ["explain", "a.json", "--why-rejected", "b*"],
        ["explain", "a.json", "--why-rejected", f"no{evil}"],
        ["verify", "a.json", "--problem", "p.json"],
        ["budget", "a.json"],
        ["solve", f"none{evil}.json"],
    ):
        done = here(*args)
        assert done.code in (0, 2), (args, done)
        assert not unsafe.search(done.out + done.err), args
    assert here("solve", "p.json", "--json").json()["acceptedUnits"][0]["title"] == evil


@pytest.mark.parametrize("unbuffered", ["", "1"])
def test_a_reader_that_goes_away_is_no_fault(tmp_path: Path, unbuffered: str) -> None:
    """With PYTHONUNBUFFERED, Python itself would lose what a pipe did not take, without a word."""
    units = [{"id": f"u{i}", "tokenEstimate": 1, "value": 1, "title": "t" * 4000} for i in range(2000)]
    problem = {"schemaVersion": "packing-problem.v1", "envelope": {"availableInputTokens": 9}, "units": units}
    (tmp_path / "p.json").write_text(json.dumps(problem), encoding="utf-8")
    process = subprocess.Popen(
        [sys.executable, "-m", "satchel.cli", "solve", "p.json", "--solver", "greedy", "--json"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        cwd=tmp_path,
        env=environment({"PYTHONUNBUFFERED": unbuffered}),
    )
    assert process.stdout is not None
    assert process.stderr is not None
    process.stdout.read(10)
    process.stdout.close()
    assert process.stderr.read() == b""
    process.stderr.close()
    assert process.wait(timeout=60) == 141


def endless() -> dict[str, object]:
    """Return a subset-sum problem: a pack is at hand at once, and no proof for many hours."""
    chance = random.Random(1)
    sizes = [chance.randrange(3 * 10**9, 3 * 10**10) for _ in range(60)]
    return {
        "schemaVersion": "packing-problem.v1",
        "envelope": {"availableInputTokens": sum(sizes) // 2},
        "units": [{"id": f"u{i:02}", "tokenEstimate": size, "value": size} for i, size in enumerate(sizes)],
    }


def wait_until_it_solves(process: subprocess.Popen[bytes]) -> None:
    maps = Path(f"/proc/{process.pid}/maps")
    for _ in range(600):
        assert process.poll() is None
        if not maps.exists() or b"cp_model" in maps.read_bytes():
            break
        time.sleep(0.05)
    time.sleep(1.5 if maps.exists() else 6.0)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_ctrl_c_during_a_long_solve_writes_the_best_pack_so_far(
    satchel: Satchel, tmp_path: Path, number: signal.Signals
) -> None:
    (tmp_path / "p.json").write_text(json.dumps(endless()), encoding="utf-8")
    process = subprocess.Popen(
        [sys.executable, "-m", "satchel.cli", "solve", "p.json", "-o", "a.json"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        cwd=tmp_path,
        env=environment(),
    )
    wait_until_it_solves(process)
    process.send_signal(number)
    out, err = process.communicate(timeout=60)
    assert process.returncode == 130
    assert b"Traceback" not in err
    assert err.startswith(b"note: interrupted; this is the best pack so far")
    assert b"ended by interrupt" in out
    artifact = json.loads((tmp_path / "a.json").read_text("utf-8"))
    assert artifact["solver"]["stopReason"] == "interrupt"
    assert satchel("verify", "a.json", "--problem", "p.json").code == 0
    assert sorted(entry.name for entry in tmp_path.iterdir()) == ["a.json", "p.json"]


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_ctrl_c_before_anything_is_known_writes_nothing(tmp_path: Path, number: signal.Signals) -> None:
    """While standard input is read, say."""
    process = subprocess.Popen(
        [sys.executable, "-m", "satchel.cli", "solve", "-", "-o", "a.json"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        cwd=tmp_path,
        env=environment(),
    )
    time.sleep(2.5)
    process.send_signal(number)
    out, err = process.communicate(timeout=60)
    assert process.returncode == 130
    assert out == b""
    assert err == b"error[interrupted]: stopped before the end; nothing was written\n"
    assert list(tmp_path.iterdir()) == []


def test_progress_is_shown_on_a_terminal_after_a_second_and_is_gone_at_the_end(tmp_path: Path) -> None:
    """I05: no silent wait; and nothing of it reaches a pipe."""
    (tmp_path / "p.json").write_text(json.dumps(endless()), encoding="utf-8")
    code, screen = on_a_terminal("solve", "p.json", "--time-limit", "3", "--json", cwd=tmp_path)
    assert code == 0
    assert "solving: " in screen
    assert "gap" in screen
    code, screen = on_a_terminal("solve", "p.json", "--time-limit", "1.5", "--quiet", cwd=tmp_path)
    assert (code, screen) == (0, "")


def test_help_and_errors_load_no_solver(tmp_path: Path) -> None:
    """Importing ortools costs about 0.4 s and 90 MB: help and bad input must not pay for it."""
    (tmp_path / "bad.json").write_text("{", encoding="utf-8")
    script = """
import sys
from satchel.cli.app import main
code = main(sys.argv[1:])
heavy = {"ortools", "numpy", "highspy", "tokenizers", "rich"} & set(sys.modules)
print(code, sorted(heavy), file=sys.stderr)
"""
    for args, expected in (
        (["--help"], "0 []"),
        (["pack", "--help"], "0 []"),
        (["--version"], "0 []"),
        (["solve", "bad.json"], "2 []"),
        (["solve", "--nonsense"], "2 []"),
    ):
        done = subprocess.run(
            [sys.executable, "-c", script, *args],
            capture_output=True,
            cwd=tmp_path,
            env=environment(),
            check=False,
            timeout=60,
        )
        assert done.stderr.decode().splitlines()[-1] == expected, args


def test_the_version_is_on_standard_output(satchel: Satchel) -> None:
    import satchel as package

    assert satchel("--version").out == f"satchel {package.__version__}\n"


def test_json_from_standard_input_to_standard_output(satchel: Satchel) -> None:
    done = satchel("solve", "-", "--json", stdin=json.dumps(SMALLEST))
    assert done.json()["solver"]["objective"] == 16
