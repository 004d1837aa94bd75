"""The notebooks run from a clean kernel, and stand in the repository without outputs."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

FOLDER = Path(__file__).parents[2] / "notebooks"
NOTEBOOKS = sorted(FOLDER.glob("*.ipynb"))
SECONDS = 300
"""Beyond it a cell hangs: the slowest takes about ten on two quiet cores."""


def test_they_are_there() -> None:
    assert [path.name[:2] for path in NOTEBOOKS] == [
        f"{number:02d}" for number in range(1, len(NOTEBOOKS) + 1)
    ]
    assert NOTEBOOKS


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_no_output_is_kept(path: Path) -> None:
    """What a run leaves, counts and pictures, would make every diff unreadable."""
    notebook = json.loads(path.read_text("utf-8"))
    for cell in notebook["cells"]:
        if cell["cell_type"] == "code":
            assert cell["outputs"] == []
            assert cell["execution_count"] is None
    assert set(notebook["metadata"]) == {"kernelspec", "language_info"}
    assert set(notebook["metadata"]["language_info"]) == {"name"}


@pytest.mark.slow
@pytest.mark.filterwarnings("default")
@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_it_runs_from_a_clean_kernel(path: Path) -> None:
    nbformat = pytest.importorskip("nbformat", reason="needs the notebooks extra")
    nbclient = pytest.importorskip("nbclient", reason="needs the notebooks extra")
    notebook = nbformat.read(path, as_version=4)
    nbformat.validate(notebook)
    client = nbclient.NotebookClient(
        notebook, timeout=SECONDS, kernel_name="python3", resources={"metadata": {"path": str(FOLDER)}}
    )
    client.execute()
    shown = [output for cell in notebook.cells for output in cell.get("outputs", ())]
    assert any("image/png" in output.get("data", {}) for output in shown)
    assert not any(output.get("name") == "stderr" for output in shown)
