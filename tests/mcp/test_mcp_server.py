"""The server as a client sees it: the official SDK's client, and a process of its own."""

from __future__ import annotations

import asyncio
import json
import os
import shutil
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest

from satchel import UsageError
from satchel.mcp import Desk

REPO = Path(__file__).parents[1] / "data" / "linkbox"


@pytest.fixture(scope="module")
def repo(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the small project, with a neighbour that is not to be read and a link that leads to it."""
    folder = tmp_path_factory.mktemp("served")
    shutil.copytree(REPO, folder / "linkbox")
    (folder / "neighbour.py").write_text("def unseen():\n    return 'unseen'\n")
    (folder / "linkbox" / "way-out").symlink_to(folder)
    return folder / "linkbox"


def talk(repo: Path, questions: Callable[[Any], Awaitable[None]]) -> None:
    """Start the server in ``repo`` and put ``questions`` to it."""
    from mcp import Client, StdioServerParameters

    async def session() -> None:
        server = StdioServerParameters(
            command=sys.executable,
            args=["-m", "satchel.cli", "mcp"],
            cwd=str(repo),
            env={name: os.environ[name] for name in ("PATH", "HOME") if name in os.environ},
        )
        async with Client(server, read_timeout_seconds=120) as client:
            await questions(client)

    asyncio.run(session())


def data(result: Any) -> dict[str, Any]:
    """What a tool answered."""
    assert not result.is_error, result.content
    found: dict[str, Any] = json.loads(result.content[0].text)
    return found


def fault(result: Any) -> str:
    """What a tool refused to do, and why."""
    assert result.is_error
    text: str = result.content[0].text
    return text


def test_a_client_packs_and_asks(repo: Path) -> None:
    """All four tools in one session; each later one is about the pack of the first."""

    async def questions(client: Any) -> None:
        tools = {tool.name for tool in (await client.list_tools()).tools}
        assert tools == {"pack", "explain", "what_if", "frontier"}
        packed = data(
            await client.call_tool(
                "pack", {"about": "deleting links", "kind": "api-reference", "budget": 900}
            )
        )
        assert packed["tokens"] <= packed["limit"] == 900
        assert packed["status"] == "optimal"
        assert "linkbox/service.py" in packed["prompt"]
        told = data(await client.call_tool("explain", {"candidate": "README.md"}))
        assert told["pack"] == packed["pack"]
        assert {each["verdict"] for each in told["explanations"]} <= {"accepted", "rejected", "skipped"}
        otherwise = data(
            await client.call_tool("what_if", {"changes": ["budget=+500"], "pack": packed["pack"]})
        )
        assert otherwise["pack"] == packed["pack"]
        curve = data(await client.call_tool("frontier", {"points": 3}))
        assert len(curve["points"]) >= 2

    talk(repo, questions)


def test_nothing_outside_the_repository_is_read(repo: Path) -> None:
    """Absolute paths, climbing, and links are refused; what a link leads to is in no prompt."""

    async def questions(client: Any) -> None:
        for path in ("/etc/passwd", "../neighbour.py", "linkbox/../../neighbour.py", "way-out/neighbour.py"):
            refused = fault(await client.call_tool("pack", {"focus": [path], "budget": 900}))
            assert "outside_root" in refused
        packed = data(await client.call_tool("pack", {"about": "unseen neighbour", "budget": "4k"}))
        assert "def unseen" not in packed["prompt"]

    talk(repo, questions)


def test_mistakes_are_told_with_code_and_hint(repo: Path) -> None:
    """The session goes on after each."""

    async def questions(client: Any) -> None:
        assert "call pack first" in fault(await client.call_tool("explain", {"candidate": "x"}))
        assert "budget" in fault(await client.call_tool("pack", {"budget": "many"}))
        assert "frame" in fault(await client.call_tool("pack", {"budget": 10}))
        data(await client.call_tool("pack", {"budget": 900, "kind": "api-reference"}))
        assert "unknown_candidate" in fault(await client.call_tool("explain", {"candidate": "no-such-file"}))
        assert "unknown_pack" in fault(await client.call_tool("frontier", {"pack": "other"}))

    talk(repo, questions)


@pytest.mark.parametrize(
    "path", ["", "/", "/x", "..", "a/../b", "a/..", "C:\\x", "\\\\host\\share", "a\\..\\..\\b", "a\0b"]
)
def test_a_path_that_leads_out_is_refused(path: str) -> None:
    """In every spelling, POSIX and Windows."""
    with pytest.raises(UsageError, match="leads out"):
        Desk(REPO).inside(path)


def test_a_path_inside_stays_as_it_is() -> None:
    """As a scan spells it."""
    assert Desk(REPO).inside("./linkbox/store.py") == "linkbox/store.py"


def test_old_packs_go_first() -> None:
    """A long session does not fill the memory."""
    desk = Desk(REPO)
    names = [desk.pack(budget=600 + n, kind="api-reference")["pack"] for n in range(10)]
    with pytest.raises(UsageError, match="no such pack"):
        desk.explain("README.md", pack=names[0])
    assert desk.explain("README.md", pack=names[-1])["pack"] == names[-1]
