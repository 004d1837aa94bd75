"""The multiple-choice knapsack problem: exactly one item of each class.

A class is a required unit, and its items are the unit's forms, the heaviest first. Of two items of the same
weight only the one of greater profit is offered, which loses nothing.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Final

from ..models import Problem, SourceRef
from ..models.building import numbered
from .instance import Imported
from .scanner import Scanner

LAYOUT: Final = """\
'k c' (classes and capacity); then for each class a line with the number of its items, and as many lines
'profit weight'."""


def read(scanner: Scanner) -> Iterator[Imported]:
    """Read the instance of a file."""
    count, budget = scanner.numbers(2, "the number of classes and the capacity")
    if count < 1:
        scanner.fail("holds no class", count, hint="one class or more")
    heads: list[tuple[int, float]] = []
    shorter: dict[int, list[tuple[int, float]]] = {}
    refs: list[SourceRef] = []
    for index in range(count):
        (size,) = scanner.numbers(1, "the number of items of a class")
        if size < 1:
            scanner.fail("is a class without items", size, hint="one item or more")
        refs.append(scanner.ref)
        (heads_of, *rest) = sorted(_items(scanner, size), key=lambda item: (-item[0], -item[1]))
        heads.append(heads_of)
        shorter[index] = rest
    scanner.nothing_more()
    problem = Problem.build(
        budget,
        [tokens for tokens, _ in heads],
        [value for _, value in heads],
        ids=numbered("c", count),
        shorter=shorter,
        required=range(count),
        refs=refs,
    )
    yield Imported(Path(scanner.file).stem, problem)


def _items(scanner: Scanner, size: int) -> Iterator[tuple[int, float]]:
    for _ in range(size):
        words = scanner.text("a profit and a weight").split()
        if len(words) != 2:
            scanner.fail("is not an item", " ".join(words), hint="a profit and a weight")
        yield scanner.whole(words[1], "a weight"), scanner.value(words[0], "a profit")
