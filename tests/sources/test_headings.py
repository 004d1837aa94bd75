"""Signatures as the shortest form of a symbol, and one heading for several units of a file."""

from __future__ import annotations

from pathlib import Path

import pytest

from satchel.models import Kind, State, Task, heading_of
from satchel.sources.scan import ScanOptions, scan

LONG = "    # what it takes\n" * 90
SLASHES = LONG.replace("#", "//")

FILES = {
    "src/net.py": f'''"""Connections."""


class Client:
    """Speaks to one server.

    More words on it.
    """

    limit = 3
{LONG}
    def send(
        self,
        data: bytes,
    ) -> int:
        """Send all of the data.

        Returns how much was sent.
        """
        {"return len(data)  # what was sent" + LONG}


BANNER = """
{LONG}"""


def open_client(name: str) -> Client:
    {"return Client()" + LONG}
''',
    "src/one.py": "def alone(x: int) -> int:\n    return x\n",
    "src/mixed.rs": f"""pub fn start() {{
{SLASHES}}}

#[cfg(test)]
mod tests {{
{SLASHES}
    #[test]
    fn starts() {{ start(); }}
}}
""",
}


@pytest.fixture(scope="module")
def repo(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("repo")
    for name, text in FILES.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text, encoding="utf-8")
    return root


def test_a_signature_is_the_declaration_and_no_more(repo: Path) -> None:
    units = {unit.id: unit for unit in scan(repo, Task(kind="api-reference", about="sending data")).units}
    forms = {form.state: form for form in units["py:src/net.py#Client.send"].ladder()}
    lines = FILES["src/net.py"].split("\n")
    start = lines.index("    def send(") + 1
    assert forms[State.CONTRACT].text == "\n".join(lines[start - 1 : start + 3])
    assert [(ref.start_line, ref.end_line) for ref in forms[State.CONTRACT].source_refs] == [
        (start, start + 3)
    ]
    assert forms[State.CONTRACT].fidelity == 0.5
    head = {form.state: form for form in units["py:src/net.py#Client"].ladder()}
    assert head[State.CONTRACT].text == "class Client:"


def test_no_signature_that_ends_within_a_text(repo: Path) -> None:
    """B17: no half that looks whole."""
    for unit in scan(repo, Task(kind="api-reference", about="banner")).units:
        for form in unit.ladder():
            if form.state is State.CONTRACT:
                assert form.text is not None
                assert form.text.count('"""') % 2 == 0


def test_files_of_several_units_have_a_heading_in_front(repo: Path) -> None:
    units = scan(repo, Task(kind="api-reference", about="clients"), ScanOptions(history=False)).units
    ids = [unit.id for unit in units]
    headings = [unit for unit in units if unit.kind is Kind.HEADING]
    assert [unit.id for unit in headings] == [heading_of("src/net.py")]
    for heading in headings:
        assert (heading.value, heading.text, heading.required) == (0.0, "", False)
        (file,) = heading.source_refs
        under = [unit for unit in units if unit.heading == heading.id]
        assert len(under) > 1
        assert {ref.path for unit in under for ref in unit.source_refs} == {file.path}
        assert all(unit.zone == heading.zone for unit in under)
        assert ids.index(heading.id) + 1 == ids.index(under[0].id)
    # A file of one unit names itself, and so does a test among the sources, which belongs elsewhere.
    assert all(unit.heading is None for unit in units if "net.py" not in unit.id)
