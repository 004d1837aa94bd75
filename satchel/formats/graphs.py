"""Knapsacks whose items are tied by a graph: by conflicts, or by what an item needs."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from ..models import Problem, SourceRef
from ..models.building import numbered
from .cliques import cliques
from .instance import Imported
from .scanner import Scanner

LAYOUT: Final = """\
Either 'n m c', then n lines 'profit weight', then m lines 'i j'; or, as data for AMPL, 'param n := N;',
'param c := C;', 'param : V : p w :=' and N lines 'number profit weight', 'set E :=' and lines 'i j', each
part ended by ';'. Items are numbered from 0. Of a pair, i and j exclude each other (kpcg), or i needs j
(pckp)."""

_PARAM: Final = re.compile(r"param\s+([nc])\s*:=\s*(\S+?)\s*;?")
_ITEMS: Final = re.compile(r"param\s*:\s*V\s*:\s*p\s+w\s*:=")
_PAIRS: Final = re.compile(r"set\s+[AE]\s*:=\s*(;?)")


def read_conflicts(scanner: Scanner) -> Iterator[Imported]:
    """Read a file whose pairs exclude each other."""
    graph = _read(scanner)
    yield graph.imported(scanner, conflicts=True)


def read_needs(scanner: Scanner) -> Iterator[Imported]:
    """Read a file whose pairs say that the first needs the second."""
    graph = _read(scanner)
    yield graph.imported(scanner, conflicts=False)


class _Graph:
    def __init__(self) -> None:
        self.budget = 0
        self.count = 0
        self.values: list[float] = []
        self.tokens: list[int] = []
        self.refs: list[SourceRef] = []
        self.pairs: dict[tuple[int, int], None] = {}

    def item(self, scanner: Scanner, words: list[str]) -> None:
        if len(words) != 2:
            scanner.fail("is not an item", " ".join(words), hint="a profit and a weight")
        self.values.append(scanner.value(words[0], "a profit"))
        self.tokens.append(scanner.whole(words[1], "a weight"))
        self.refs.append(scanner.ref)

    def pair(self, scanner: Scanner, words: list[str]) -> None:
        if len(words) != 2:
            scanner.fail("is not a pair of items", " ".join(words), hint="two numbers of items")
        a, b = (scanner.whole(word, "an item", most=len(self.values) - 1) for word in words)
        if a == b:
            scanner.fail("ties an item to itself", a, hint="two different items")
        self.pairs[a, b] = None

    def imported(self, scanner: Scanner, *, conflicts: bool) -> Imported:
        if not self.values:
            scanner.fail("holds no item", 0, hint="one item or more")
        needs: dict[int, list[int]] = {}
        if not conflicts:
            for a, b in self.pairs:
                needs.setdefault(a, []).append(b)
        problem = Problem.build(
            self.budget,
            self.tokens,
            self.values,
            ids=numbered("i", len(self.values)),
            conflicts=cliques(self.pairs) if conflicts else (),
            needs=needs,
            refs=self.refs,
        )
        return Imported(Path(scanner.file).stem, problem)


def _read(scanner: Scanner) -> _Graph:
    first = scanner.text("'n m c', or 'param n := N;'")
    if first.startswith("param"):
        scanner.back(first)
        return _ampl(scanner)
    scanner.back(first)
    graph = _Graph()
    graph.count, pairs, graph.budget = scanner.numbers(3, "numbers of items and pairs, and the capacity")
    for _ in range(graph.count):
        graph.item(scanner, scanner.text("a profit and a weight").split())
    for _ in range(pairs):
        graph.pair(scanner, scanner.text("two numbers of items").split())
    scanner.nothing_more()
    return graph


def _ampl(scanner: Scanner) -> _Graph:
    graph = _Graph()
    seen: set[str] = set()
    for text in scanner.texts():
        if param := _PARAM.fullmatch(text):
            number = scanner.whole(param[2], "n items, or capacity c")
            if param[1] == "n":
                graph.count = number
            else:
                graph.budget = number
            part = param[1]
        elif _ITEMS.fullmatch(text):
            part = "items"
            for words in _rows(scanner):
                if words and scanner.whole(words[0], "the item's number") != len(graph.values):
                    scanner.fail("is not the next item", words[0], hint=f"{len(graph.values)} comes here")
                graph.item(scanner, words[1:])
        elif pairs := _PAIRS.fullmatch(text):
            part = "pairs"
            for words in () if pairs[1] else _rows(scanner):
                graph.pair(scanner, words)
        else:
            scanner.fail("begins no part of an instance", text, hint="param n, param c, param : V or set E")
        if part in seen:
            scanner.fail("is a part that was there before", text, hint="each part once")
        seen.add(part)
    missing = [part for part in ("n", "c", "items") if part not in seen]
    if missing or len(graph.values) != graph.count:
        found = f"{len(graph.values)} items" if not missing else f"no {missing[0]}"
        scanner.fail("is not complete", found, hint=f"n, c and {graph.count} items belong in it")
    return graph


def _rows(scanner: Scanner) -> Iterator[list[str]]:
    """Yield the lines of a part up to its semicolon."""
    while True:
        text = scanner.text("a line of the part, or ';' at its end")
        body = text.removesuffix(";").split()
        if body:
            yield body
        if text.endswith(";"):
            return
