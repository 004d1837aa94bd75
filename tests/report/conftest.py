"""Packs to show, and a real browser to show them in."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from satchel import PackOptions, SolveOptions, Task, pack, read_pack_files, write_pack
from satchel.beside import PackFiles

LINKBOX = Path(__file__).parents[1] / "data" / "linkbox"
SCRIPT = "window.owned=1"
HOSTILE_NAMES = (
    f"<img src=x onerror={SCRIPT}>.py",
    f'"><svg onload={SCRIPT}>.md',
    f"'-{SCRIPT}-'.py",
    "{{ 7*7 }}{% raw %}.py",
    "tab\there.py",
    "turn\u202egnp.py",
)


def packed(root: Path, out: Path, budget: int, about: str) -> PackFiles:
    """Pack ``root`` into the folder ``out`` and read it back."""
    task = Task(kind="api-reference", about=about)
    result = pack(root, task, PackOptions(budget=budget, solve=SolveOptions(deterministic_limit=5.0)))
    write_pack(result, out)
    return read_pack_files(out)


@pytest.fixture(scope="session")
def linkbox(tmp_path_factory: pytest.TempPathFactory) -> PackFiles:
    """The small project of the documents, packed for its API into 900 tokens."""
    return packed(LINKBOX, tmp_path_factory.mktemp("linkbox"), 900, "Making and deleting links")


@pytest.fixture(scope="session")
def hostile(tmp_path_factory: pytest.TempPathFactory) -> PackFiles:
    """A repository whose names and contents try to run script on the page of whoever looks at it."""
    root = tmp_path_factory.mktemp("hostile")
    # The path of this file reads ``</script><script>…``.
    folder = root / "<"
    folder.mkdir()
    breakout = f"script><script>{SCRIPT}<"
    (folder / breakout).mkdir()
    names = [root / name for name in HOSTILE_NAMES] + [folder / breakout / "script>.py"]
    for number, path in enumerate(names):
        text = f'"""</script><script>{SCRIPT}</script><img src=x onerror="{SCRIPT}">"""\n'
        if path.suffix == ".md":
            text = (
                f"# <script>{SCRIPT}</script>\n\n[x](javascript:{SCRIPT}) </pre><script>{SCRIPT}</script>\n"
            )
        else:
            text += f"def f{number}():\n    return '<!--<script>{SCRIPT}//-->]]>' + '\\u202e' + '\u2028'\n"
        path.write_text(text, encoding="utf-8")
    return packed(root, tmp_path_factory.mktemp("hostile-out"), 2_000, f"<script>{SCRIPT}</script>")


@pytest.fixture(scope="session")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    """Chromium with an empty profile, driven over a local socket; nothing is downloaded."""
    program = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
    driver = shutil.which("chromedriver")
    if program is None or driver is None:
        pytest.skip("needs Chromium and its driver: apt install chromium chromium-driver")
    webdriver = pytest.importorskip("selenium.webdriver", reason="needs selenium")
    from selenium.webdriver.chrome.options import Options
    from selenium.webdriver.chrome.service import Service

    options = Options()
    options.binary_location = program
    for flag in (
        *("--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"),
        *("--disable-background-networking", "--disable-component-update", "--disable-sync"),
        f"--user-data-dir={tmp_path_factory.mktemp('profile')}",
    ):
        options.add_argument(flag)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    session = webdriver.Chrome(service=Service(driver), options=options)
    try:
        yield session
    finally:
        session.quit()


@pytest.fixture
def show(browser: Any, tmp_path: Path) -> Callable[..., Any]:
    """Open a page from a file, at a width and in a theme; the log of the browser starts anew."""

    def opened(page: str, *, width: int = 1280, dark: bool = False) -> Any:
        path = tmp_path / "pack.html"
        path.write_text(page, encoding="utf-8")
        size = {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": False}
        browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": [scheme]})
        browser.get_log("browser")
        browser.get(path.as_uri())
        assert browser.execute_script("return document.documentElement.dataset.ready") == "yes"
        return browser

    return opened


def data_of(page: str) -> dict[str, Any]:
    """Return the candidates that a page holds."""
    begin = page.index('<script type="application/json" id="data">')
    text = page[page.index(">", begin) + 1 : page.index("</script>", begin)]
    data: dict[str, Any] = json.loads(text)
    return data
