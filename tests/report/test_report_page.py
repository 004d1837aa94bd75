"""The page as text: what it accounts for, what it allows to run, and that it is the same each time."""

from __future__ import annotations

import base64
import dataclasses
import json
import re
from hashlib import sha256
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest

from satchel import PackOptions, ReportOptions, Task, pack, read_pack_files, report_page, write_pack
from satchel.beside import PackFiles
from satchel.report.prompting import prompt_parts
from satchel.report.visible import visible

QUICK = ReportOptions(ask_solver=False)


class Read(HTMLParser):
    """What a page holds: its scripts and styles, and all attributes."""

    def __init__(self, page: str) -> None:
        super().__init__(convert_charrefs=True)
        self.scripts: list[tuple[dict[str, str | None], str]] = []
        self.styles: list[str] = []
        self.attributes: list[tuple[str, str, str | None]] = []
        self._inside: str | None = None
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.attributes += [(tag, name, value) for name, value in attrs]
        self._inside = tag
        if tag == "script":
            self.scripts.append((dict(attrs), ""))

    def handle_data(self, data: str) -> None:
        if self._inside == "script":
            attributes, text = self.scripts[-1]
            self.scripts[-1] = attributes, text + data
        elif self._inside == "style":
            self.styles.append(data)

    def handle_endtag(self, tag: str) -> None:
        self._inside = None


def hashed(text: str) -> str:
    return f"'sha256-{base64.b64encode(sha256(text.encode()).digest()).decode()}'"


def policy_of(read: Read) -> dict[str, str]:
    values = [value for tag, name, value in read.attributes if tag == "meta" and name == "content"]
    policy = next(value for value in values if value and value.startswith("default-src"))
    return dict(part.strip().partition(" ")[::2] for part in policy.split(";"))


def data(page: str) -> dict[str, Any]:
    (text,) = [t for attributes, t in Read(page).scripts if attributes.get("type") == "application/json"]
    found: dict[str, Any] = json.loads(text)
    return found


def test_every_candidate_is_on_the_page_once(linkbox: PackFiles) -> None:
    """B03, B04: what was left out is named, and the numbers add up."""
    found = data(report_page(linkbox, QUICK))
    context = linkbox.context
    names = [row[found["columns"].index("id")] for row in found["rows"]]
    verdicts = [row[found["columns"].index("verdict")] for row in found["rows"]]
    assert len(names) == len(set(names)) == context.counts.candidates
    counts = context.counts
    assert [verdicts.count(n) for n in range(3)] == [counts.accepted, counts.rejected, counts.skipped]
    tokens = sum(row[found["columns"].index("tokens")] for row in found["rows"] if row[5] == 0)
    assert tokens == context.budget.estimated_input_tokens


def test_only_its_own_script_and_style_may_run(linkbox: PackFiles) -> None:
    read = Read(report_page(linkbox, QUICK))
    policy = policy_of(read)
    (script,) = [text for attributes, text in read.scripts if not attributes.get("type")]
    assert policy["default-src"] == "'none'"
    assert policy["script-src"] == hashed(script)
    assert policy["style-src"] == hashed("".join(read.styles))
    assert not {"'unsafe-inline'", "'unsafe-eval'"} & set(" ".join(policy.values()).split())


def test_nothing_of_it_is_fetched(linkbox: PackFiles) -> None:
    page = report_page(linkbox, QUICK)
    read = Read(page)
    links = {v for _, name, v in read.attributes if name in ("src", "href", "xlink:href", "action") and v}
    assert all(link.startswith(("#", "data:,")) for link in links)
    assert "http://www.w3.org/2000/svg" in page
    assert not re.findall(r"https?://(?!www\.w3\.org/2000/svg)", "".join(read.styles))


def test_no_attribute_is_a_handler_or_a_style(hostile: PackFiles) -> None:
    read = Read(report_page(hostile, QUICK))
    names = {name for _, name, _ in read.attributes}
    assert "style" not in names
    assert not [name for name in names if name.startswith("on")]
    assert len(read.scripts) == 2
    assert not [tag for tag, _, _ in read.attributes if tag in ("img", "iframe", "object", "embed", "base")]


def test_hostile_text_is_there_to_be_read_and_cannot_hide(hostile: PackFiles) -> None:
    """The page shows what a repository holds; marks that turn or hide text are spelled out."""
    page = report_page(hostile, QUICK)
    found = data(page)
    ids = [row[0] for row in found["rows"]]
    assert any("<img src=x onerror=" in name for name in ids)
    assert any("\\u202e" in name for name in ids)
    assert "\u202e" not in page
    assert "\u2028" not in page
    assert "&lt;/script&gt;&lt;script&gt;" in page


def test_the_same_pack_gives_the_same_bytes(linkbox: PackFiles) -> None:
    assert report_page(linkbox) == report_page(linkbox)


def test_the_artifact_alone_gives_a_page(linkbox: PackFiles) -> None:
    alone = dataclasses.replace(linkbox, problem=None, text=None, lacking=("there is no problem",))
    page = report_page(alone)
    found = data(page)
    assert found["hasProblem"] is False
    assert len(found["rows"]) == linkbox.context.counts.candidates
    assert 'id="prompt"' not in page
    assert "There is no problem." in page


def test_the_prompt_file_alone_shows_the_prompt(linkbox: PackFiles) -> None:
    """Without the problem the manifest says where each unit stands in the prompt's own file."""
    assert linkbox.context.prompt is not None
    page = report_page(dataclasses.replace(linkbox, problem=None))
    blocks = re.findall(r'<article class="block" id="p-(\d+)"', page)
    assert [int(number) for number in blocks] == list(range(len(linkbox.context.prompt.order)))
    assert page.count('id="cache-boundary"') == 1


def test_the_page_is_small(linkbox: PackFiles) -> None:
    page = report_page(linkbox)
    text = len(json.dumps(data(page))) + len(linkbox.text or "")
    assert len(page.encode()) - text < 300_000


def test_prices_are_those_of_the_solver(linkbox: PackFiles) -> None:
    from satchel import token_prices

    assert linkbox.problem is not None
    prices = token_prices(linkbox.problem, linkbox.context)
    assert prices.total is not None
    page = report_page(linkbox)
    assert "Shadow prices" in page
    assert f"{prices.total.per_thousand:,.4f}" in page


def test_without_the_extra_it_says_what_to_install(
    linkbox: PackFiles, monkeypatch: pytest.MonkeyPatch
) -> None:
    import importlib.util

    from satchel import UsageError

    found = importlib.util.find_spec
    monkeypatch.setattr(
        importlib.util, "find_spec", lambda name, *a: None if name == "vl_convert" else found(name, *a)
    )
    with pytest.raises(UsageError) as caught:
        report_page(linkbox)
    assert caught.value.code == "extra_missing"
    assert "satchel[report]" in str(caught.value.hint)


@pytest.mark.parametrize("fmt", ["markdown", "xml", "plain", "json"])
def test_the_prompt_is_shown_whole_in_every_format(tmp_path: Path, fmt: str) -> None:
    """The parts, put together, are the prompt but for blank lines; each unit is a part of its own."""
    root = Path(__file__).parents[1] / "data" / "linkbox"
    options = PackOptions(budget=900, format=fmt)
    write_pack(pack(root, Task(kind="api-reference", about="links"), options), tmp_path)
    files = read_pack_files(tmp_path)
    zones = {zone.name: number for number, zone in enumerate(files.context.zones)}
    parts = prompt_parts(files, zones)
    assert files.context.prompt is not None
    assert files.text is not None
    shown = "".join(part.text for part in parts)
    assert shown.replace("\n", "") == visible(files.text).replace("\n", "")
    numbers = [part.number for part in parts if part.number is not None]
    assert numbers == list(range(len(files.context.prompt.order)))
    assert [bool(part.mark) for part in parts].count(True) == 1
