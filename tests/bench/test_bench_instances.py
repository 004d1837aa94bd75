"""The set of 250 problems: its pins, what is made of a wheel, and what is refused."""

from __future__ import annotations

import hashlib
import zipfile
from pathlib import Path

import pytest

from bench.instances import BUDGETS, TASKS, Pin, drawn, main, pins, unpack, wheel_of, without_texts
from satchel import Problem, read_problem, solve, task_kinds


def wheel(folder: Path, name: str, files: dict[str, str]) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{name}-1.0-py3-none-any.whl"
    with zipfile.ZipFile(path, "w") as archive:
        for inside, text in files.items():
            archive.writestr(inside, text)
    return path


def test_fifty_packages_are_pinned_by_hash_each_once() -> None:
    found = pins()
    assert len({pin.name for pin in found}) == len(found) == 50
    assert set(TASKS) <= set(task_kinds())


def test_two_hundred_problems_are_drawn_each_under_its_name() -> None:
    names = []
    for name, problem in drawn():
        names.append(name)
        if len(names) == 1:
            assert Problem.from_json(problem.to_json()).envelope.available > 0
        if len(names) == 20:
            break
    assert names[0] == "drawn-60-10-0"
    assert names[11] == "drawn-60-20-1"


def test_a_package_becomes_a_problem(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    code = "\n".join(
        f'def tie_{i}(rope):\n    """Tie knot {i}."""\n    return rope + {i}\n\n' for i in range(30)
    )
    path = wheel(
        tmp_path / "wheels",
        "knots",
        {"knots/__init__.py": code, "knots-1.0.dist-info/METADATA": "Name: knots\n"},
    )
    digest = hashlib.sha256(path.read_bytes()).hexdigest()
    monkeypatch.setattr("bench.instances.pins", lambda: [Pin("knots", "1.0", digest)])
    main([str(tmp_path), "--offline", "--only", "real"])
    problem = read_problem(tmp_path / "problems" / f"knots-{TASKS[0]}-{BUDGETS[0]}.json")
    assert problem.units
    assert all(unit.text is None and unit.token_estimate is not None for unit in problem.units)
    assert not any("dist-info" in ref.path for unit in problem.units for ref in unit.source_refs)
    assert solve(problem).accepted_units


def test_another_file_than_the_pinned_one_is_refused(tmp_path: Path) -> None:
    path = wheel(tmp_path, "knots", {"knots/a.py": "x = 1\n"})
    with pytest.raises(ValueError, match="its hash is"):
        wheel_of(Pin("knots", "1.0", "0" * 64), tmp_path)
    with pytest.raises(ValueError, match="0 wheels"):
        wheel_of(Pin("ropes", "1.0", "0" * 64), tmp_path)
    assert wheel_of(Pin("knots", "1.0", hashlib.sha256(path.read_bytes()).hexdigest()), tmp_path) == path


@pytest.mark.parametrize("inside", ["../outside.py", "/outside.py"])
def test_an_archive_writes_nothing_outside(inside: str, tmp_path: Path) -> None:
    path = wheel(tmp_path / "wheels", "knots", {inside: "x = 1\n"})
    with pytest.raises(ValueError, match="leads out of it"):
        unpack(path, tmp_path / "sources")
    assert not list(tmp_path.rglob("outside.py"))


@pytest.mark.parametrize("line", ["knots==1.0", "knots --hash=sha256:00", "-r other.txt"])
def test_a_line_without_a_hash_is_no_pin(line: str) -> None:
    with pytest.raises(ValueError, match="no pin by hash"):
        Pin.of(line)


def test_counts_are_all_that_is_kept() -> None:
    problem = Problem.build(5, [3], [1])
    unit = problem.units[0].model_copy(update={"text": "long"})
    bare = without_texts(problem.model_copy(update={"units": (unit,)}))
    assert bare.units[0] == problem.units[0]
