"""A folder is put in place in one stroke, whatever an earlier run that was killed has left beside it."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import NoReturn

import pytest

from satchel import placing

OWN = {"a.json", "b.json", ".gitignore"}


@pytest.mark.skipif(sys.platform not in ("linux", "darwin"), reason="no exchange of folders")
def test_what_a_killed_run_left_stands_in_nobodys_way(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its copies of the files that stay are no other names of them: those would not be replaced together."""
    folder = tmp_path / "out"
    assert placing.place_folder(folder, {"a.json": "1", "b.json": "1", ".gitignore": "*\n"}, OWN)
    (folder / ".gitignore").chmod(0o640)

    def killed(*_: object) -> NoReturn:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(placing, "write_file", killed)
        patch.setattr(placing.shutil, "rmtree", lambda *_, **__: None)  # a kill sweeps nothing up
        with pytest.raises(KeyboardInterrupt):
            placing.place_folder(folder, {"a.json": "2", "b.json": "2"}, OWN)
    assert len(list(tmp_path.iterdir())) == 2
    assert placing.place_folder(folder, {"a.json": "2", "b.json": "2"}, OWN)
    assert {path.name: path.read_text() for path in folder.iterdir()} == {
        "a.json": "2",
        "b.json": "2",
        ".gitignore": "*\n",
    }
    assert (folder / ".gitignore").stat().st_mode & 0o777 == 0o640
