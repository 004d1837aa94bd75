"""Units are built without validation; here they are validated."""

from __future__ import annotations

from pathlib import Path

import pytest

from satchel.models import ContextUnit, Task
from satchel.sources.scan import scan
from satchel.sources.tasks import task_kinds

LINKBOX = Path(__file__).parents[1] / "data" / "linkbox"
LONG = "# Long\n\n" + "\n\n".join(
    f"Paragraph {n} says how links of kind {n} are followed." for n in range(90)
)


@pytest.mark.parametrize("kind", task_kinds())
def test_what_a_scan_builds_is_what_validation_makes_of_it(tmp_path: Path, kind: str) -> None:
    for path in LINKBOX.rglob("*"):
        if path.is_file() and "__pycache__" not in path.parts:
            place = tmp_path / path.relative_to(LINKBOX)
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_bytes(path.read_bytes())
    (tmp_path / "long.md").write_text(LONG)
    (tmp_path / "copy.md").write_text(LONG.replace("\n\n", "\n \n"))
    found = scan(tmp_path, Task(kind=kind, about="How links are followed"))
    assert any(unit.renderings for unit in found.units)
    assert any("long.md" in member for group in found.groups for member in group.members)
    for unit in found.units:
        assert ContextUnit.model_validate(unit.to_data()) == unit
