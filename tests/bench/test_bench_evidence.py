"""The evidence bench: pages, the definitions that they name, what a prompt holds of them, and the table."""

from __future__ import annotations

from pathlib import Path

import pytest

from bench.sources.definitions import Place, definitions, resolve
from bench.sources.evidence import rows_of
from bench.sources.found import found_in
from bench.sources.pages import read_page
from bench.sources.table import interval, table
from bench.sources.tasks import Gold, tasks_of
from satchel.sources.candidates import Reading, read_candidates
from satchel.sources.extract import default_registry
from satchel.sources.walk import WalkOptions

MARKDOWN = """---
title: "Clients"
---
## Making a `Client` {#make}
Call `Client.send()` or `send_all`, and see `a phrase here`.

```python
reply = Client(timeout=3)
Retry(3)
```
"""

RST = """Clients
=======

Making one
----------

Use :class:`~webby.Client` and ``send_all``::

    Retry(3)

Done.
"""

CODE = '''class Client:
    """Sends."""

    def __init__(self, timeout=3):
        self.timeout = timeout

    def send(self, request):
        return self.open(request)

    def close(self):
        self.timeout = None


class Retry:
    def __init__(self, times):
        self.times = times


def send_all(client, requests):
    return [client.send(request) for request in requests]


def receive_all(client):
    return list(client)
'''


@pytest.fixture
def clone(tmp_path: Path) -> Path:
    (tmp_path / "webby").mkdir()
    (tmp_path / "docs").mkdir()
    (tmp_path / "webby/client.py").write_text(CODE)
    (tmp_path / "docs/clients.md").write_text(MARKDOWN + "\nAlso `receive_all` and `Client.close`.\n")
    (tmp_path / "docs/other.md").write_text("# Other\n\nNothing but `send_all`.\n")
    return tmp_path


def read(clone: Path) -> Reading:
    return read_candidates(clone, WalkOptions(), default_registry())


def test_a_page_says_its_title_headings_and_names() -> None:
    page = read_page(MARKDOWN)
    assert (page.title, page.headings) == ("Clients", ("Making a Client",))
    assert page.named == (("Client",), ("Client", "send"), ("send_all",))
    assert page.used == ("Client", "Retry")


def test_restructured_text_too() -> None:
    page = read_page(RST)
    assert (page.title, page.headings) == ("Clients", ("Making one",))
    assert page.named == (("webby", "Client"), ("send_all",))
    assert page.used == ("Retry",)


def test_definitions_stand_at_the_line_that_declares_them(clone: Path) -> None:
    known = definitions(read(clone).files)
    assert known["Client"] == [Place("webby/client.py", (), 1, 11, True)]
    assert known["send"] == [Place("webby/client.py", ("Client",), 7, 8, True)]


def test_a_qualified_name_is_looked_up_where_it_says() -> None:
    one, two = (Place("a", (scope,), 1, 2, True) for scope in ("One", "Two"))
    known = {"send": [one, two]}
    assert resolve(("Two", "send"), known, 1) == (two,)
    assert resolve(("send",), known, 1) == ()
    assert resolve(("send",), known, 2) == (one, two)
    assert resolve(("nothing",), known, 2) == ()


def test_pages_that_name_enough_are_tasks(clone: Path) -> None:
    (task,) = tasks_of(read(clone).files)
    assert (task.page, task.title) == ("docs/clients.md", "Clients")
    assert [gold.name for gold in task.gold] == [
        "Client",
        "send",
        "send_all",
        "receive_all",
        "close",
        "Retry",
    ]


GOLD = (Gold("Client", (Place("c", (), 1, 11, True),)), Gold("send_all", (Place("c", (), 19, 20, True),)))
FILES = {"c": CODE.split("\n")}


@pytest.mark.parametrize(
    ("prompt", "signature", "body"),
    [
        ("", 0.0, 0.0),
        ("class Client:", 0.5, 0.0),
        ("  19 | def send_all(client, requests):", 0.5, 0.0),
        ("\n".join(CODE.split("\n")[18:20]), 0.5, 0.5),
        (CODE, 1.0, 1.0),
        (CODE.replace("    ", "\t"), 1.0, 1.0),
        (CODE.replace("class Client:", "class Client2:"), 0.5, 1.0),
    ],
)
def test_a_prompt_holds_lines_and_bodies(prompt: str, signature: float, body: float) -> None:
    found = found_in(prompt, GOLD, FILES)
    assert (found.signature, found.body, found.half) == (signature, body, (signature + body) / 2)


def test_a_clone_is_measured_without_the_page(clone: Path) -> None:
    rows = list(rows_of(clone, [400, 2000], ["all", "bm25-alone", "no-coverage"], 3, 1.0))
    assert [(row["variant"], row["budget"]) for row in rows] == [
        (variant, budget) for variant in ("all", "bm25-alone", "no-coverage") for budget in (400, 2000)
    ]
    assert all(row["signature"] == row["body"] == 1.0 for row in rows if row["budget"] == 2000)
    text = table(rows)
    assert text.startswith("1 pages of 1 repositories.")
    assert "1.000 / 1.000 = 1.000, +0.000 [+0.000, +0.000]" in text


def test_intervals_draw_whole_repositories() -> None:
    low, high = interval([0.0] * 50 + [1.0] * 50, ["a"] * 50 + ["b"] * 50)
    assert (low, high) == (0.0, 1.0)
    assert interval([0.25] * 4, ["a", "b", "c", "c"]) == (0.25, 0.25)
