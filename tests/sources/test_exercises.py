"""Tests and examples are linked to what they exercise."""

from __future__ import annotations

from pathlib import Path

from satchel.models import Task
from satchel.sources.scan import scan


def test_a_test_names_what_it_exercises(tmp_path: Path) -> None:
    files = {
        "src/links.py": "def follow_link(link):\n    return link\n",
        "src/store.py": "def delete_link(link):\n    return link\n",
        **{f"src/many{n}.py": "def setup(link):\n    return link\n" for n in range(5)},
        "tests/test_links.py": "from links import follow_link, setup\n\n\ndef test_follow():\n"
        "    setup(1)\n    assert follow_link(1) == 1\n",
        "examples/delete.py": "import store\n\nstore.delete_link(1)\n",
    }
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text, encoding="utf-8")
    found = {
        unit.id: unit for unit in scan(tmp_path, Task(kind="tutorial", about="follow, delete link")).units
    }
    (told,) = found["file:tests/test_links.py"].diagnostics
    assert told.endswith("; exercises file:src/links.py")
    (told,) = found["file:examples/delete.py"].diagnostics
    assert told.endswith("; exercises file:src/store.py")
    assert "exercises file" not in found["file:src/links.py"].diagnostics[0]
