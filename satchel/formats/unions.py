"""Items and elements tied by a matrix: set-union knapsack, and budgeted maximum coverage.

A set-union knapsack weighs the elements: each is a unit of its weight that is worth nothing, and each item a
unit of no weight that needs its elements. Budgeted maximum coverage weighs the items, and values the elements
that are covered: each element is a dimension.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from ..models import Problem, SourceRef
from ..models.building import numbered
from .instance import Imported
from .scanner import Scanner

LAYOUT: Final = """\
'm=M n=N … size=C' (items, elements, capacity), perhaps with a title before it; 'The profit of …' and its
numbers, 'The weight of …' and its numbers, 'Relation matrix' and M lines of N zeros and ones. Profits are of
items and weights of elements (sukp), or weights of items and profits of elements (bmcp)."""

_HEAD: Final = re.compile(
    r"m\s*=\s*(\d+)\s.*?\bn\s*=\s*(\d+)\s.*?(?:size|budget|C)\s*=\s*(\d+)", re.IGNORECASE
)


class _Matrix:
    def __init__(self, scanner: Scanner, *, items_weigh: bool) -> None:
        self.items, self.elements, self.budget = _head(scanner)
        sizes = {"profit": self.items, "weight": self.elements}
        if items_weigh:
            sizes = {"profit": self.elements, "weight": self.items}
        numbers: dict[str, list[int]] = {}
        while len(numbers) < 2:
            text = scanner.text("'The profit of …' or 'The weight of …'").lower()
            kinds = [kind for kind in sizes if kind in text and kind not in numbers]
            if len(kinds) != 1:
                scanner.fail("begins no list of numbers", text, hint="a title with 'profit' or 'weight'")
            numbers[kinds[0]] = scanner.many(sizes[kinds[0]], f"the {kinds[0]}s")
        self.profits, self.weights = numbers["profit"], numbers["weight"]
        title = scanner.text("'Relation matrix'")
        if "matrix" not in title.lower():
            scanner.fail("is not the title of the matrix", title, hint="'Relation matrix'")
        self.rows: list[list[int]] = []
        self.refs: list[SourceRef] = []
        for _ in range(self.items):
            self.rows.append(self._row(scanner))
            self.refs.append(scanner.ref)
        scanner.nothing_more()

    def _row(self, scanner: Scanner) -> list[int]:
        bits = scanner.text(f"{self.elements} zeros and ones").split()
        if len(bits) != self.elements or set(bits) - {"0", "1"}:
            hint = f"{self.elements} zeros and ones"
            scanner.fail("is not a row of the matrix", f"{len(bits)} entries", hint=hint)
        return [index for index, bit in enumerate(bits) if bit == "1"]


def _head(scanner: Scanner) -> tuple[int, int, int]:
    for text in scanner.texts():
        found = _HEAD.search(f"{text} ")
        if found:
            items, elements, budget = (
                scanner.whole(word, "items, elements, capacity") for word in found.groups()
            )
            if not items or not elements:
                scanner.fail("holds nothing to choose", text, hint="one item and one element or more")
            return items, elements, budget
        if "=" in text:
            scanner.fail("is not the line of sizes", text, hint="'m=… n=… size=…'")
    return scanner.fail("ends too early", None, hint="expected: 'm=… n=… size=…'")


def read_union(scanner: Scanner) -> Iterator[Imported]:
    """Read a set-union knapsack."""
    data = _Matrix(scanner, items_weigh=False)
    items, elements = numbered("i", data.items), numbered("e", data.elements)
    problem = Problem.build(
        data.budget,
        [0] * data.items + data.weights,
        [*data.profits, *([0] * data.elements)],
        ids=[*items, *elements],
        needs={items[i]: [elements[e] for e in row] for i, row in enumerate(data.rows)},
        refs=[*data.refs, *([SourceRef(path=scanner.ref.path)] * data.elements)],
    )
    yield Imported(Path(scanner.file).stem, problem)


def read_coverage(scanner: Scanner) -> Iterator[Imported]:
    """Read a budgeted maximum coverage problem."""
    data = _Matrix(scanner, items_weigh=True)
    elements = numbered("e", data.elements)
    covers: dict[str, list[int]] = {name: [] for name in elements}
    for item, row in enumerate(data.rows):
        for element in row:
            covers[elements[element]].append(item)
    problem = Problem.build(
        data.budget,
        data.weights,
        [0] * data.items,
        ids=numbered("i", data.items),
        covers=covers,
        weights=dict(zip(elements, data.profits, strict=True)),
        refs=data.refs,
    )
    yield Imported(Path(scanner.file).stem, problem)
