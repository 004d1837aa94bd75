"""Tasks with known answers, from any clone: a page of documentation, and the definitions that it names."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from satchel.sources.candidates import ScannedFile
from satchel.sources.file_classes import FileClass

from .definitions import Place, definitions, resolve
from .pages import Page, read_page

_PAGE: Final = re.compile(r"\.(md|mdx|rst|adoc)$", re.IGNORECASE)
_NO_PAGE: Final = re.compile(
    r"(^|/)(\.[^/]+|readme|change[-_]?log|changes|history|news|release[-_]?notes|upgrad\w*|migrat\w*|contribut\w*|"
    r"code_of_conduct|security|licen[sc]e|index|summary|whats[-_]new[^/]*|agents?)([-_.][^/]*)?(/|$)",
    re.IGNORECASE,
)
_LEAST: Final = 5
"""A page counts that names at least so many definitions."""

_MOST_PLACES: Final = 3
"""A name that more places define says nothing."""

_KINDS: Final[Mapping[str, re.Pattern[str]]] = {
    "troubleshooting": re.compile(r"troubleshoot|\bfaq\b|error|debug", re.IGNORECASE),
    "quickstart": re.compile(r"quick.?start|getting.started|first.steps|install", re.IGNORECASE),
    "architecture": re.compile(r"architect|internals|design|how.it.works", re.IGNORECASE),
    "api-reference": re.compile(r"\bapi\b|reference", re.IGNORECASE),
}


@dataclass(frozen=True, slots=True)
class Gold:
    """A name that the page needs: any of its places will do."""

    name: str
    places: tuple[Place, ...]


@dataclass(frozen=True, slots=True)
class PageTask:
    """A page to be written without itself: what is asked, which file is taken away, what must be found."""

    page: str
    kind: str
    title: str
    headings: tuple[str, ...]
    gold: tuple[Gold, ...]


def tasks_of(files: Sequence[ScannedFile], most: int | None = None) -> list[PageTask]:
    """Return the tasks that the documents of a project give, by path; ``most`` takes a fixed sample."""
    known = definitions(files)
    found: list[PageTask] = []
    for file in files:
        if file.file_class is not FileClass.DOC or not _PAGE.search(file.path) or _NO_PAGE.search(file.path):
            continue
        page = read_page(file.text)
        gold = _gold(page, known)
        if page.title and len(gold) >= _LEAST:
            found.append(PageTask(file.path, _kind(file.path, page.title), page.title, page.headings, gold))
    if most is not None and len(found) > most:
        found = sorted(found, key=lambda task: hashlib.sha256(task.page.encode()).digest())[:most]
    return sorted(found, key=lambda task: task.page)


def _gold(page: Page, known: Mapping[str, Sequence[Place]]) -> tuple[Gold, ...]:
    found: dict[tuple[Place, ...], str] = {}
    for name in (*page.named, *((used,) for used in page.used)):
        if places := resolve(name, known, _MOST_PLACES):
            found.setdefault(places, name[-1])
    return tuple(Gold(name, places) for places, name in found.items())


def _kind(path: str, title: str) -> str:
    return next((kind for kind, words in _KINDS.items() if words.search(f"{path} {title}")), "tutorial")
