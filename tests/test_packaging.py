"""The wheel holds the mapped packages, their data and nothing else, and works where it is unpacked."""

from __future__ import annotations

import email
import re
import shutil
import subprocess
import sys
import tomllib
import zipfile
from email.message import Message
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
ROOMS: dict[str, str] = PROJECT["tool"]["setuptools"]["package-dir"]
"""Import package of each room, and its folder."""


def inside(folder: Path) -> list[Path]:
    return [
        path
        for path in sorted(folder.rglob("*"))
        if path.is_file() and "__pycache__" not in path.parts and not path.name.startswith(".")
    ]


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel, built from a copy so that no earlier build can leave anything in it."""
    copy = tmp_path_factory.mktemp("source")
    for name in ("pyproject.toml", "README.md", "LICENSE"):
        shutil.copy(ROOT / name, copy / name)
    for folder in ROOMS.values():
        shutil.copytree(ROOT / folder, copy / folder, ignore=shutil.ignore_patterns("__pycache__"))
    for folder in ("tests", "bench", "notebooks", "docs"):
        (copy / folder).mkdir()
        (copy / folder / "stray.py").write_text("")
    out = tmp_path_factory.mktemp("wheel")
    build = [sys.executable, "-m", "pip", "wheel", "--no-deps", "--no-build-isolation", "--no-cache-dir"]
    done = subprocess.run(
        [*build, "--wheel-dir", str(out), str(copy)], capture_output=True, text=True, check=False, timeout=120
    )
    assert done.returncode == 0, done.stdout + done.stderr
    (built,) = out.glob("*.whl")
    return built


@pytest.fixture(scope="module")
def names(wheel: Path) -> list[str]:
    with zipfile.ZipFile(wheel) as archive:
        return archive.namelist()


@pytest.fixture(scope="module")
def metadata(wheel: Path) -> Message:
    with zipfile.ZipFile(wheel) as archive:
        (name,) = [name for name in archive.namelist() if name.endswith(".dist-info/METADATA")]
        return email.message_from_bytes(archive.read(name))


def test_the_wheel_holds_each_file_of_the_rooms_and_no_other(names: list[str]) -> None:
    """A package or data file that pyproject.toml forgets would be missing for whoever installs."""
    expected = {
        f"{package.replace('.', '/')}/{path.relative_to(ROOT / folder).as_posix()}"
        for package, folder in ROOMS.items()
        for path in inside(ROOT / folder)
    }
    found = {name for name in names if ".dist-info/" not in name}
    assert sorted(found - expected) == []
    assert sorted(expected - found) == []
    assert "satchel/py.typed" in found


def test_nothing_lands_beside_the_package(names: list[str]) -> None:
    assert {name.split("/")[0] for name in names if ".dist-info/" not in name} == {"satchel"}


def test_each_folder_with_code_is_a_package() -> None:
    bare = {
        path.parent.relative_to(ROOT).as_posix()
        for folder in ROOMS.values()
        for path in (ROOT / folder).rglob("*.py")
        if not (path.parent / "__init__.py").exists()
    }
    assert bare == set()


def test_the_metadata_says_what_it_is(metadata: Message, names: list[str]) -> None:
    assert metadata["Name"] == "satchel"
    assert metadata["Version"] == PROJECT["project"]["version"]
    assert metadata["Requires-Python"] == ">=3.11"
    assert metadata["License-Expression"] == "MIT"
    assert any(name.endswith("LICENSE") for name in names)


def test_every_dependency_has_a_lower_bound_and_none_an_upper_one(metadata: Message) -> None:
    needs = metadata.get_all("Requires-Dist") or []
    assert needs
    for need in needs:
        name, _, _ = need.partition(";")
        if not name.startswith("satchel["):
            assert re.fullmatch(r"[A-Za-z0-9._-]+>=[0-9.]+", name.strip()), need


def test_the_console_script_is_the_command_line(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        (name,) = [name for name in archive.namelist() if name.endswith("entry_points.txt")]
        assert "satchel = satchel.cli.entry:main" in archive.read(name).decode()


def test_the_version_is_stated_once(metadata: Message) -> None:
    import satchel

    assert satchel.__version__ == metadata["Version"]


def test_the_unpacked_wheel_solves(wheel: Path, tmp_path: Path) -> None:
    """With the dependencies at hand, but with every module of ours from the wheel."""
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(tmp_path)
    script = """
import sys
sys.path.insert(0, sys.argv[1])
import satchel
problem = satchel.Problem.from_data({
    "schemaVersion": "packing-problem.v1",
    "envelope": {"availableInputTokens": 10},
    "units": [{"id": "a", "tokenEstimate": 6, "value": 3}, {"id": "b", "tokenEstimate": 6, "value": 4}],
})
print(satchel.solve(problem).solver.objective)
print(len(satchel.list_profiles()) > 0)
import satchel.cli.app
homes = {m.__file__ for n, m in sys.modules.items() if n.split(".")[0] == "satchel"}
print(all(home.startswith(sys.argv[1]) for home in homes))
"""
    done = subprocess.run(
        [sys.executable, "-I", "-c", script, str(tmp_path)],
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.split() == ["4", "True", "True"]
