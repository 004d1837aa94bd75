"""How fast summaries are beside plain loops, and what they save: ``python -m bench.textrank [FOLDER ...]``.

The baselines are the definition of TextRank as one writes it down first (seed 002): a full matrix of
sentences, twenty rounds of PageRank. ``loops`` adds up each row again for every
cell of every round, as the seed does;
``loops, sums kept`` adds each row up once, which is the least that anybody would mend. All run on the same
sentences in this one process, one after the other, so the ratios hold on any machine.
"""

from __future__ import annotations

import argparse
import statistics
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from math import log
from pathlib import Path

import numpy as np

from satchel.sources.candidates import document_of, read_candidates
from satchel.sources.extract import Fragment, default_registry
from satchel.sources.languages import ROLES, Role
from satchel.sources.textrank import SummaryOptions, summarise_code, summarise_prose
from satchel.sources.textrank.rank import rank
from satchel.sources.tokens.exact import ExactEstimator
from satchel.sources.walk import WalkOptions

ROUNDS = 20
LOOPS_UP_TO = {"loops": 160, "loops, sums kept": 1_000}
"""Sentences; the first takes the third power of them, the second the square."""

Words = list[list[str]]


def zipf_sentences(count: int, vocabulary: int = 20_000, seed: int = 7) -> Words:
    """Return sentences of 3 to 30 words, drawn by Zipf's law from uniform doubles."""
    draw = np.random.default_rng(seed)
    weights = np.cumsum(1 / np.arange(1, vocabulary + 1))
    lengths = 3 + np.floor(28 * draw.random(count)).astype(int)
    return [[f"w{k}" for k in np.searchsorted(weights / weights[-1], draw.random(n))] for n in lengths]


def _matrix(words: Words) -> list[list[float]]:
    sets = [set(own) for own in words]
    n = len(sets)
    matrix = [[0.0] * n for _ in range(n)]
    for i in range(n):
        for j in range(i + 1, n):
            both = len(sets[i] & sets[j])
            if both:
                like = both / (log(len(sets[i]) + 1) + log(len(sets[j]) + 1))
                matrix[i][j] = matrix[j][i] = like
    return matrix


def loops(words: Words) -> list[float]:
    """Return scores by three nested loops; the sum of a row is taken anew for each of its cells."""
    matrix = _matrix(words)
    n = len(matrix)
    scores = [1.0] * n
    for _ in range(ROUNDS):
        new = []
        for i in range(n):
            total = 0.0
            for j in range(n):
                if sum(matrix[j]) > 0:
                    total += matrix[j][i] / sum(matrix[j]) * scores[j]
            new.append(0.15 + 0.85 * total)
        scores = new
    return scores


def loops_sums_kept(words: Words) -> list[float]:
    """Return the same scores with each row added up once."""
    matrix = _matrix(words)
    n = len(matrix)
    sums = [sum(row) for row in matrix]
    scores = [1.0] * n
    for _ in range(ROUNDS):
        shares = [score / total if total else 0.0 for score, total in zip(scores, sums, strict=True)]
        scores = [0.15 + 0.85 * sum(matrix[j][i] * shares[j] for j in range(n)) for i in range(n)]
    return scores


BASELINES: dict[str, Callable[[Words], list[float]]] = {
    "loops": loops,
    "loops, sums kept": loops_sums_kept,
}


def seconds(run: Callable[[], object], repeat: int = 3) -> float:
    """Return the least of some runs: what disturbs a run only ever makes it longer."""
    times = []
    for _ in range(repeat):
        start = time.perf_counter()
        run()
        times.append(time.perf_counter() - start)
    return min(times)


def speed(sizes: Sequence[int]) -> Iterator[str]:
    """Yield the rows of the table of speeds."""
    yield "| sentences | ours, s | " + " | ".join(f"{name}, times longer" for name in BASELINES) + " |"
    yield "|---|---|" + "---|" * len(BASELINES)
    for size in sizes:
        words = zipf_sentences(size)
        ours = seconds(lambda words=words: rank(words))  # type: ignore[misc]
        cells = []
        for name, baseline in BASELINES.items():
            if size > LOOPS_UP_TO[name]:
                cells.append("–")
                continue
            theirs = seconds(lambda run=baseline, words=words: run(words), repeat=1)  # type: ignore[misc]
            cells.append(f"{theirs / ours:,.0f}")
        yield f"| {size:,} | {ours:.4f} | {' | '.join(cells)} |"


@dataclass(frozen=True)
class Saving:
    """One file: what it is, its size, and its tokens before and after."""

    path: str
    role: Role
    language: str
    lines: int
    words: int
    before: int
    after: int
    quotes: int
    seconds: float

    @property
    def saved(self) -> float:
        """Share of the tokens that the summary saves."""
        return 1 - self.after / self.before


def savings(folder: Path, options: SummaryOptions) -> list[Saving]:
    """Summarise each file of code or prose of at least 200 tokens below a folder."""
    reading = read_candidates(folder, WalkOptions(), default_registry())
    fragments: dict[str, list[Fragment]] = {}
    for candidate in reading.candidates:
        fragments.setdefault(candidate.file.path, []).append(candidate.fragment)
    out = []
    for file in reading.files:
        role = ROLES.get(file.language)
        if role not in (Role.CODE, Role.PROSE):
            continue
        start = time.perf_counter()
        if role is Role.PROSE:
            summary = summarise_prose(file.text, options)
        else:
            summary = summarise_code(document_of(file), fragments.get(file.path, []), options)
        took = time.perf_counter() - start
        before, after = ExactEstimator().count_batch([file.text, summary.text])
        if before >= 200:
            size = (file.lines, len(file.text.split()), before, after, len(summary.quotes))
            out.append(Saving(file.path, role, file.language, *size, took))
    return out


def _row(name: str, rows: Sequence[Saving]) -> str:
    if not rows:
        return f"| {name} | 0 | | | | | |"
    saved = sorted(row.saved for row in rows)
    low = saved[len(saved) // 10]
    return (
        f"| {name} | {len(rows)} | {statistics.median(row.before for row in rows):,.0f} "
        f"| {statistics.median(row.after for row in rows):,.0f} "
        f"| {100 * statistics.median(saved):.1f} % | {100 * low:.1f} % "
        f"| {1000 * statistics.median(row.seconds for row in rows):.1f} |"
    )


def report(rows: Sequence[Saving]) -> Iterator[str]:
    """Yield the table of savings."""
    code = [row for row in rows if row.role is Role.CODE]
    prose = [row for row in rows if row.role is Role.PROSE]
    yield "| files | number | tokens before | after | saved, median | saved, lowest tenth | ms |"
    yield "|---|---|---|---|---|---|---|"
    yield _row("code", code)
    yield _row("prose", prose)
    yield _row(
        "Python, 400 to 600 lines", [r for r in code if r.language == "python" and 400 <= r.lines <= 600]
    )
    yield _row("code, 400 to 600 lines", [r for r in code if 400 <= r.lines <= 600])
    yield _row("prose, 1,200 to 1,800 words", [r for r in prose if 1_200 <= r.words <= 1_800])


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("folders", nargs="*", type=Path, help="trees whose files are summarised")
    parser.add_argument("--sizes", nargs="*", type=int, default=[40, 160, 1_000, 10_000])
    parser.add_argument("--sentences", type=int, default=5)
    options = parser.parse_args()
    for line in speed(options.sizes):
        print(line, flush=True)
    if options.folders:
        print(f"\nSummaries of at most {options.sentences} sentences, tokens of {ExactEstimator().name}:\n")
        limits = SummaryOptions(sentences=options.sentences)
        rows = [row for folder in sorted(options.folders) for row in savings(folder, limits)]
        print("\n".join(report(rows)))


if __name__ == "__main__":
    main()
