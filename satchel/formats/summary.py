"""Summaries that cover the most concepts: the integer program of Gillick and Favre (2009)."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Final

from ..models import Problem, SourceRef
from .instance import Imported
from .scanner import Scanner

LAYOUT: Final = """\
Lines 'budget L', 'concept NAME WEIGHT' and 'sentence NAME LENGTH CONCEPT…', each concept before the sentences
that hold it; '#' begins a comment. A concept counts once, however many sentences hold it."""


def read(scanner: Scanner) -> Iterator[Imported]:
    """Read the instance of a file."""
    budget: int | None = None
    weights: dict[str, float] = {}
    covers: dict[str, list[str]] = {}
    lengths: dict[str, int] = {}
    refs: list[SourceRef] = []
    for text in scanner.texts():
        words = text.partition("#")[0].split()
        if not words:
            continue
        kind, *rest = words
        if kind == "budget" and len(rest) == 1 and budget is None:
            budget = scanner.whole(rest[0], "the length of the summary")
        elif kind == "concept" and len(rest) == 2:
            if rest[0] in weights:
                scanner.fail("is a concept that was there before", rest[0], hint="each concept once")
            weights[rest[0]] = scanner.value(rest[1], "the weight of a concept")
            if weights[rest[0]] < 0:
                scanner.fail("is out of range", rest[1], hint="a weight, 0 or more")
            covers[rest[0]] = []
        elif kind == "sentence" and len(rest) >= 2:
            name, length, *concepts = rest
            if name in lengths:
                scanner.fail("is a sentence that was there before", name, hint="each sentence once")
            lengths[name] = scanner.whole(length, "the length of a sentence")
            for concept in dict.fromkeys(concepts):
                if concept not in covers:
                    scanner.fail("is no concept", concept, hint="its line comes before this sentence")
                covers[concept].append(name)
            refs.append(scanner.ref)
        else:
            hint = "one 'budget L', 'concept NAME WEIGHT', 'sentence NAME LENGTH CONCEPT…'"
            scanner.fail("is no line of a summary", text, hint=hint)
    if budget is None or not lengths:
        lacks = "budget" if budget is None else "sentence"
        scanner.fail("is not complete", f"no {lacks}", hint="a budget and one sentence or more")
    problem = Problem.build(
        budget,
        list(lengths.values()),
        [0] * len(lengths),
        ids=list(lengths),
        covers=covers,
        weights=weights,
        refs=refs,
    )
    yield Imported(Path(scanner.file).stem, problem)
