"""The 0-1 knapsack problem, in the four layouts that its instances come in."""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal
from pathlib import Path
from typing import Final

from ..models import Problem, SourceRef
from ..models.building import numbered
from .instance import Imported
from .scanner import LARGEST, Scanner

LAYOUT: Final = """\
One of four, told apart by the first lines:
  'n c', then n lines 'profit weight', then maybe the n zeros and ones of an optimum;
  'n', 'c', then n lines 'profit weight';
  'n', then n lines 'number profit weight', then 'c' (Pisinger's generator);
  a name, 'n N', 'c C', 'z OPTIMUM', 'time T', then N lines 'number,profit,weight,0|1', then dashes, and the
  next instance (Pisinger's hard instances).
Decimal weights are multiplied by the power of ten that makes all of them whole, and so is the capacity."""


def read(scanner: Scanner) -> Iterator[Imported]:
    """Read all instances of a file."""
    first = scanner.text("the number of items, or the name of an instance")
    words = first.split()
    if len(words) == 2 and words[0].isdecimal():
        yield _plain(scanner, words)
    elif len(words) == 1 and words[0].isdecimal():
        yield _generated(scanner, words[0])
    else:
        scanner.back(first)
        yield from _blocks(scanner)


def _plain(scanner: Scanner, words: list[str]) -> Imported:
    count = scanner.whole(words[0], "the number of items")
    budget = scanner.decimal(words[1], "the capacity")
    items = _Items()
    for _ in range(count):
        _pair(scanner, items, scanner.text("a profit and a weight").split())
    taken = [word for text in scanner.texts() for word in text.split()]
    optimum = None
    if taken:
        if len(taken) != count or set(taken) - {"0", "1"}:
            scanner.fail("is not the optimum of so many items", len(taken), hint=f"{count} zeros and ones")
        optimum = sum(value for value, bit in zip(items.values, taken, strict=True) if bit == "1")
    return items.imported(scanner, _stem(scanner), budget, optimum)


def _generated(scanner: Scanner, word: str) -> Imported:
    count = scanner.whole(word, "the number of items")
    second = scanner.text("an item, or the capacity").split()
    items = _Items()
    if len(second) == 1:
        budget = scanner.decimal(second[0], "the capacity")
        for _ in range(count):
            _pair(scanner, items, scanner.text("a profit and a weight").split())
    else:
        for index in range(count):
            item = second if index == 0 else scanner.text("number, profit and weight").split()
            _triple(scanner, items, item, index)
        budget = scanner.decimal(scanner.text("the capacity"), "the capacity")
    scanner.nothing_more()
    return items.imported(scanner, _stem(scanner), budget, None)


def _blocks(scanner: Scanner) -> Iterator[Imported]:
    for text in scanner.texts():
        if set(text) == {"-"}:
            continue
        name = text
        if len(name.split()) != 1 or "," in name:
            scanner.fail("is not the name of an instance", name, hint="a word by itself on its line")
        count = scanner.whole(_field(scanner, "n"), "the number of items")
        budget = scanner.decimal(_field(scanner, "c"), "the capacity")
        optimum = scanner.value(_field(scanner, "z"), "the optimum")
        _field(scanner, "time")
        items = _Items()
        for index in range(count):
            words = [word.strip() for word in scanner.text("number,profit,weight,0|1").split(",")]
            if len(words) != 4 or words[3] not in ("0", "1"):
                scanner.fail("is not an item", ",".join(words), hint="number,profit,weight,0|1")
            _triple(scanner, items, words[:3], index)
        yield items.imported(scanner, name, budget, optimum)


def _field(scanner: Scanner, name: str) -> str:
    words = scanner.text(f"'{name}' and its number").split()
    if len(words) != 2 or words[0] != name:
        scanner.fail("is not the line that belongs here", " ".join(words), hint=f"'{name}' and its number")
    return words[1]


def _pair(scanner: Scanner, items: _Items, words: list[str]) -> None:
    if len(words) != 2:
        scanner.fail("is not an item", " ".join(words), hint="a profit and a weight")
    items.add(scanner, words[0], words[1])


def _triple(scanner: Scanner, items: _Items, words: list[str], index: int) -> None:
    if len(words) != 3:
        scanner.fail("is not an item", " ".join(words), hint="number, profit and weight")
    number = scanner.whole(words[0], "the item's number")
    if index == 0:
        items.first = min(number, 1)
    if number != index + items.first:
        hint = f"items are numbered from 0 or 1: {index + items.first} comes here"
        scanner.fail("is not the next item", words[0], hint=hint)
    items.add(scanner, words[1], words[2])


def _stem(scanner: Scanner) -> str:
    return Path(scanner.file).stem


class _Items:
    def __init__(self) -> None:
        self.first = 1
        self.values: list[float] = []
        self.weights: list[Decimal] = []
        self.refs: list[SourceRef] = []

    def add(self, scanner: Scanner, profit: str, weight: str) -> None:
        self.values.append(scanner.value(profit, "a profit"))
        self.weights.append(scanner.decimal(weight, "a weight"))
        self.refs.append(scanner.ref)

    def imported(self, scanner: Scanner, name: str, budget: Decimal, optimum: float | None) -> Imported:
        if not self.values:
            scanner.fail("holds no item", 0, hint="one item or more")
        ids = numbered("i", len(self.values))
        unit = Decimal(10) ** max(0, *(-int(w.as_tuple().exponent) for w in (budget, *self.weights)))
        tokens = [int(weight * unit) for weight in self.weights]
        if max(tokens) > LARGEST or budget * unit > LARGEST:
            scanner.fail("holds weights that are too fine for their size", str(budget), hint=f"to {LARGEST}")
        problem = Problem.build(int(budget * unit), tokens, self.values, ids=ids, refs=self.refs)
        return Imported(name, problem, optimum)
