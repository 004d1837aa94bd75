"""The map of a repository: bounded, deterministic, and shorter from form to form."""

from __future__ import annotations

import pytest

from satchel.models import ContextUnit
from satchel.sources.repomap import MapFile, repo_map


def made(files: list[MapFile]) -> ContextUnit:
    unit = repo_map(files, relevance=0.5, authority=0.9)
    assert unit is not None
    return unit


def test_names_stand_beside_files_and_folders_nest() -> None:
    files = [
        MapFile("src/a/core.py", ("Core", "run")),
        MapFile("src/a/util.py"),
        MapFile("LICENSE", listed=False),
        MapFile("tests/test_a.py", listed=False),
        MapFile("README.md"),
    ]
    assert made(files).text == (
        "src/a/\n  core.py: Core, run\n  util.py\ntests/ (1 file)\nREADME.md\n… 1 file more"
    )


def test_many_names_are_cut_visibly() -> None:
    text = made([MapFile("a.py", tuple(f"n{k}" for k in range(20)))]).text
    assert text == "a.py: n0, n1, n2, n3, n4, n5, n6, n7, …"


def test_the_second_form_opens_folders_for_the_relevant() -> None:
    files = [MapFile(f"d{k:03}/deep/down/f{n}.py", (f"name{k}",)) for k in range(150) for n in range(4)]
    files[370] = MapFile(files[370].path, ("wanted",), 0.9)
    second = made(files).renderings[0]
    assert "wanted" in (second.text or "")
    assert "… 3 files more" in (second.text or "")
    assert len(second.text or "") <= 3_600


@pytest.mark.parametrize("count", [1, 10, 300, 5_000])
def test_forms_are_bounded_and_shrink(count: int) -> None:
    files = [MapFile(f"dir{k % 97}/sub{k % 7}/file{k}.py", (f"Class{k}",), k / count) for k in range(count)]
    unit = made(files)
    sizes = [len(form.text or "") for form in unit.ladder()]
    assert sizes == sorted(sizes, reverse=True)
    assert sizes[0] <= 12_000
    assert count < 300 or sizes[-1] <= 700
    fidelities = [form.fidelity or 0.0 for form in unit.ladder()]
    assert fidelities == sorted(fidelities, reverse=True)


def test_flat_folder_of_many_files_is_counted_where_it_is_cut() -> None:
    unit = made([MapFile(f"file{k:05}.py") for k in range(3_000)])
    assert (unit.text or "").endswith(" lines more")


def test_order_of_files_does_not_matter() -> None:
    files = [MapFile(f"d{k % 3}/f{k}.py", (f"n{k}",)) for k in range(30)]
    assert made(files) == made(files[::-1])


def test_nothing_has_no_map() -> None:
    assert repo_map([], relevance=1.0, authority=1.0) is None
