"""The rooms and their arrows (design §1): who may import whom, and where heavy libraries may be touched."""

from __future__ import annotations

import ast
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

import satchel

ROOT = Path(__file__).resolve().parent.parent

MAY_IMPORT = {
    "models": set(),
    "solver": {"models"},
    "sources": {"models"},
    "prompt": {"models"},
    "satchel": {"models", "solver", "sources", "prompt"},
    "cli": {"satchel"},
}
"""The column 'may import' of design §1, room by room; a room may import itself."""

HEAVY = {
    "ortools": "solver/backends/",
    "highspy": "solver/backends/",
    "tokenizers": "sources/tokens/",
}
"""Libraries that cost a noticeable time to load, and the only folder that may touch each."""

IMPURE = {"io", "logging", "os", "pathlib", "random", "shutil", "socket", "sqlite3", "subprocess", "tempfile"}
"""What a room that reads no file, prints nothing and follows no chance has no use for."""


@dataclass(frozen=True)
class Import:
    """One name that a module imports, absolute, and where it stands."""

    module: str
    line: int
    in_function: bool
    for_types: bool


def files(room: str) -> list[Path]:
    return sorted((ROOT / room).rglob("*.py"))


def module_name(path: Path) -> str:
    room, *rest = path.relative_to(ROOT).with_suffix("").parts
    if rest[-1:] == ["__init__"]:
        rest.pop()
    return ".".join(["satchel", *([] if room == "satchel" else [room]), *rest])


def imports(path: Path) -> list[Import]:
    package = module_name(path).split(".")
    if path.name != "__init__.py":
        package.pop()
    return list(_imports(ast.parse(path.read_text("utf-8")), package, in_function=False, for_types=False))


def _imports(node: ast.AST, package: list[str], *, in_function: bool, for_types: bool) -> Iterator[Import]:
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.Import):
            for alias in child.names:
                yield Import(alias.name, child.lineno, in_function, for_types)
        elif isinstance(child, ast.ImportFrom):
            base = package[: len(package) - child.level + 1] if child.level else []
            start = ".".join([*base, *([child.module] if child.module else [])])
            for alias in child.names:
                yield Import(f"{start}.{alias.name}", child.lineno, in_function, for_types)
        else:
            function = isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda)
            types = isinstance(child, ast.If) and "TYPE_CHECKING" in ast.unparse(child.test)
            yield from _imports(
                child, package, in_function=in_function or function, for_types=for_types or types
            )


def room_of(module: str) -> str | None:
    """Return the room that ``satchel.x.y`` lives in, or None for what is not ours."""
    first, *rest = module.split(".")
    if first != "satchel":
        return None
    return rest[0] if rest and rest[0] in MAY_IMPORT else "satchel"


def _is_ours(module: str) -> bool:
    return module.split(".")[0] == "satchel"


def strays(room: str) -> list[str]:
    allowed = MAY_IMPORT[room] | {room}
    return [
        f"{path.relative_to(ROOT)}:{found.line}: {found.module}"
        for path in files(room)
        for found in imports(path)
        if (target := room_of(found.module)) is not None and target not in allowed
    ]


@pytest.mark.parametrize("room", MAY_IMPORT)
def test_a_room_imports_only_what_its_column_allows(room: str) -> None:
    assert files(room)
    assert strays(room) == []


def test_every_room_of_the_package_is_held() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    assert set(project["tool"]["setuptools"]["package-dir"].values()) == set(MAY_IMPORT)


@pytest.mark.parametrize("room", MAY_IMPORT)
def test_imports_between_rooms_are_relative(room: str) -> None:
    """An absolute one would follow an installed copy instead of the file beside it."""
    absolute = [
        f"{path.relative_to(ROOT)}:{node.lineno}"
        for path in files(room)
        for node in ast.walk(ast.parse(path.read_text("utf-8")))
        if (isinstance(node, ast.Import) and any(_is_ours(alias.name) for alias in node.names))
        or (isinstance(node, ast.ImportFrom) and not node.level and _is_ours(node.module or ""))
    ]
    assert absolute == []


@pytest.mark.parametrize(("library", "folder"), HEAVY.items())
def test_a_heavy_library_is_touched_in_one_folder_and_inside_functions(library: str, folder: str) -> None:
    wrong = [
        f"{path.relative_to(ROOT)}:{found.line}"
        for room in MAY_IMPORT
        for path in files(room)
        for found in imports(path)
        if found.module.split(".")[0] == library
        and not (
            path.relative_to(ROOT).as_posix().startswith(folder) and (found.in_function or found.for_types)
        )
    ]
    assert wrong == []


def test_the_command_line_loads_the_terminal_library_inside_functions() -> None:
    wrong = [
        f"{path.relative_to(ROOT)}:{found.line}"
        for path in files("cli")
        for found in imports(path)
        if found.module.split(".")[0] == "rich" and not (found.in_function or found.for_types)
    ]
    assert wrong == []


def test_the_checker_shares_nothing_with_the_solver() -> None:
    wrong = [
        f"{path.relative_to(ROOT)}:{found.line}: {found.module}"
        for path in files("solver/verify")
        for found in imports(path)
        if found.module.startswith("satchel.solver.")
        and not found.module.startswith("satchel.solver.verify.")
    ]
    assert wrong == []


@pytest.mark.parametrize("room", ["models", "solver", "prompt"])
def test_a_pure_room_has_no_use_for_files_or_chance(room: str) -> None:
    wrong = [
        f"{path.relative_to(ROOT)}:{found.line}: {found.module}"
        for path in files(room)
        for found in imports(path)
        if found.module.split(".")[0] in IMPURE and found.module != "pathlib.PurePosixPath"
    ]
    assert wrong == []


def test_the_resolver_sees_what_it_should(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The checks above can fail: a forbidden arrow is found whichever way it is written."""
    monkeypatch.setitem(globals(), "ROOT", tmp_path)
    room = tmp_path / "models"
    room.mkdir()
    (room / "a.py").write_text(
        "from ..solver.solve import solve\nfrom .. import sources\n"
        "def f():\n    from ..prompt import render\n"
    )
    assert [line.rsplit(": ", 1)[1] for line in strays("models")] == [
        "satchel.solver.solve.solve",
        "satchel.sources",
        "satchel.prompt.render",
    ]


def test_every_public_name_is_listed_once_and_is_there() -> None:
    """The lazy table, the imports for type checkers and ``__all__`` say the same."""
    tree = ast.parse((ROOT / "satchel/__init__.py").read_text("utf-8"))
    typed = {
        alias.name
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom) and node.level
        for alias in node.names
    }
    lazy = {name for names in satchel._HOMES.values() for name in names}
    assert typed == lazy == set(satchel.__all__) - {"__version__"}
    assert len(set(satchel.__all__)) == len(satchel.__all__)
    for name in satchel.__all__:
        assert getattr(satchel, name) is not None
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        satchel.nothing  # noqa: B018
