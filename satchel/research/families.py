"""Instances by family, from seeds: the distributions that the literature draws its instances from.

Everything comes from one stream of uniform doubles, which numpy keeps the same between its versions: a seed
draws the same instance everywhere. ``bench.generate`` draws evidence, with all the ties of a real pack.
"""

from __future__ import annotations

import difflib
import inspect
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from ..formats.cliques import cliques
from ..models import Problem, UsageError
from ..models.building import numbered

Ints = NDArray[np.int64]


class Dice:
    """Numbers from the uniform doubles of PCG64 alone."""

    def __init__(self, seed: int) -> None:
        self._stream = np.random.Generator(np.random.PCG64(seed))

    def between(self, low: int, high: int, size: int) -> Ints:
        """Return whole numbers from ``low`` to ``high``, both included."""
        return low + np.floor(self._stream.random(size) * (high - low + 1)).astype(np.int64)

    def hits(self, share: float, rows: int, columns: int) -> NDArray[np.bool_]:
        """Return a matrix whose entries are true with probability ``share``."""
        return np.asarray(self._stream.random((rows, columns)) < share)

    def powers(self, exponent: float, count: int, size: int) -> Ints:
        """Return numbers below ``count``, the k-th with a weight of ``(k + 1) ** -exponent`` (Zipf's law)."""
        edges = np.cumsum(np.arange(1, count + 1, dtype=np.float64) ** -exponent)
        return np.searchsorted(edges / edges[-1], self._stream.random(size), side="right").astype(np.int64)


def knapsack(
    dice: Dice, units: int, *, kind: str = "weakly", span: int = 1000, tightness: float = 0.5
) -> Problem:
    """0-1 knapsack (Pisinger 2005). Weights uniform on 1..span; profits by ``kind``.

    ``uncorrelated``: uniform on 1..span. ``weakly``: the weight and up to span/10 more or less, at least 1.
    ``strongly``: the weight and span/10. ``inverse``: profits uniform, weights span/10 above them.
    ``almost``: as ``strongly``, up to span/500 more or less. ``subset``: the weight. The capacity is
    ``tightness`` of all weights.
    """
    weights = dice.between(1, span, units)
    step = span // 10
    if kind == "uncorrelated":
        profits = dice.between(1, span, units)
    elif kind == "weakly":
        profits = np.maximum(1, weights + dice.between(-step, step, units))
    elif kind == "strongly":
        profits = weights + step
    elif kind == "inverse":
        profits, weights = weights, weights + step
    elif kind == "almost":
        profits = weights + step + dice.between(-(span // 500), span // 500, units)
    elif kind == "subset":
        profits = weights
    else:
        hint = "accepted: uncorrelated, weakly, strongly, inverse, almost, subset"
        raise UsageError("no such kind", field="kind", value=kind, hint=hint)
    return Problem.build(_capacity(weights, tightness), weights.tolist(), profits.tolist())


def mckp(dice: Dice, units: int, *, items: int = 5, span: int = 1000, tightness: float = 0.5) -> Problem:
    """Multiple-choice knapsack (Pisinger 1995, weakly correlated): ``units`` classes of ``items``.

    Weights uniform on 1..span, profits weight -span/10..span/10, at least 1. The capacity lies ``tightness``
    of the way from the lightest choice of all classes to the heaviest.
    """
    weights = dice.between(1, span, units * items).reshape(units, items)
    spread = dice.between(-(span // 10), span // 10, units * items).reshape(units, items)
    profits = np.maximum(1, weights + spread)
    least, most = int(weights.min(axis=1).sum()), int(weights.max(axis=1).sum())
    forms = [
        sorted(zip(w, p, strict=True), key=lambda item: (-item[0], -item[1]))
        for w, p in zip(weights.tolist(), profits.tolist(), strict=True)
    ]
    return Problem.build(
        least + int(tightness * (most - least)),
        [form[0][0] for form in forms],
        [form[0][1] for form in forms],
        shorter={index: form[1:] for index, form in enumerate(forms)},
        required=range(units),
    )


def pckp(dice: Dice, units: int, *, needs: int = 2, span: int = 100, tightness: float = 0.3) -> Problem:
    """Precedence-constrained knapsack (You and Yamada 2007): each item needs up to ``needs`` earlier ones.

    How many is uniform on 0..needs, which ones uniform over all earlier items; weights uniform on 1..span,
    profits uniform on 1..span.
    """
    weights, profits = dice.between(1, span, units), dice.between(1, span, units)
    counts = dice.between(0, needs, units).tolist()
    ties = {
        item: sorted({int(other) for other in dice.between(0, item - 1, counts[item])})
        for item in range(1, units)
    }
    capacity = _capacity(weights, tightness)
    return Problem.build(capacity, weights.tolist(), profits.tolist(), needs=ties)


def kpcg(dice: Dice, units: int, *, density: float = 0.1, tightness: float = 0.2) -> Problem:
    """Knapsack with a conflict graph (Bettinelli et al. 2017, random): each pair in conflict by ``density``.

    Weights uniform on 20..100, profits uniform on 1..100. Edges are joined into cliques.
    """
    weights, profits = dice.between(20, 100, units), dice.between(1, 100, units)
    upper = np.triu(dice.hits(density, units, units), k=1)
    edges = [(int(a), int(b)) for a, b in np.argwhere(upper)]
    capacity = _capacity(weights, tightness)
    return Problem.build(capacity, weights.tolist(), profits.tolist(), conflicts=cliques(edges))


def sukp(
    dice: Dice, units: int, *, density: float = 0.05, tightness: float = 0.5, span: int = 500
) -> Problem:
    """Set-union knapsack (He et al. 2018): half of ``units`` are items, half are elements.

    Each item needs each element by ``density``, and one at least; profits and weights uniform on 1..span.
    """
    items, elements = (units + 1) // 2, max(1, units // 2)
    held = dice.hits(density, items, elements)
    held[np.arange(items), dice.between(0, elements - 1, items)] = True
    profits, weights = dice.between(1, span, items), dice.between(1, span, elements)
    names = [*numbered("i", items), *numbered("e", elements)]
    return Problem.build(
        _capacity(weights, tightness),
        [0] * items + weights.tolist(),
        profits.tolist() + [0] * elements,
        ids=names,
        needs={names[i]: [names[items + int(e)] for e in np.flatnonzero(held[i])] for i in range(items)},
    )


def bmcp(
    dice: Dice, units: int, *, density: float = 0.05, tightness: float = 0.2, span: int = 100
) -> Problem:
    """Budgeted maximum coverage (Khuller et al. 1999): ``units`` items over as many elements.

    Each item covers each element by ``density``; weights and worths uniform on 1..span.
    """
    weights, worths = dice.between(1, span, units), dice.between(1, span, units)
    held = dice.hits(density, units, units)
    names = numbered("e", units)
    return Problem.build(
        _capacity(weights, tightness),
        weights.tolist(),
        [0] * units,
        covers={name: np.flatnonzero(held[:, e]).tolist() for e, name in enumerate(names)},
        weights=dict(zip(names, worths.tolist(), strict=True)),
    )


def summary(
    dice: Dice, units: int, *, concepts: int = 8, exponent: float = 1.0, tightness: float = 0.1
) -> Problem:
    """Concept-coverage summarisation (Gillick and Favre 2009): ``units`` sentences.

    Lengths uniform on 8..40 words; ``concepts`` are drawn for each sentence by Zipf's law out of twice as
    many as there are sentences, and the k-th is worth 1 + 99 / (k + 1), rounded down.
    """
    lengths = dice.between(8, 40, units)
    count = 2 * units
    drawn = dice.powers(exponent, count, units * concepts).reshape(units, concepts)
    names = numbered("c", count)
    covers: dict[str, list[int]] = {}
    for sentence, held in enumerate(drawn.tolist()):
        for concept in sorted(set(held)):
            covers.setdefault(names[concept], []).append(sentence)
    covers = dict(sorted(covers.items()))
    worths = {name: 1 + 99 // (names.index(name) + 1) for name in covers}
    capacity = _capacity(lengths, tightness)
    return Problem.build(capacity, lengths.tolist(), [0] * units, covers=covers, weights=worths)


def _capacity(weights: Ints, tightness: float) -> int:
    return int(tightness * int(weights.sum()))


@dataclass(frozen=True)
class Family:
    """A family: what it draws, and its dials with their defaults."""

    name: str
    draw: Callable[..., Problem]

    @property
    def dials(self) -> dict[str, Any]:
        """Dial -> default."""
        parameters = inspect.signature(self.draw).parameters.values()
        return {p.name: p.default for p in parameters if p.kind is inspect.Parameter.KEYWORD_ONLY}


FAMILIES: Final = {
    draw.__name__: Family(draw.__name__, draw) for draw in (knapsack, mckp, pckp, kpcg, sukp, bmcp, summary)
}
"""Every family by name; the docstring of its ``draw`` states the distributions."""


def make(family: str, units: int, seed: int = 0, **dials: Any) -> Problem:
    """Draw an instance.

    Parameters
    ----------
    family
        One of :data:`FAMILIES`.
    units
        How many.
    dials
        As the family's function takes them.

    Raises
    ------
    UsageError
        No such family, no such dial, or a number out of its range.
    """
    if family not in FAMILIES:
        close = difflib.get_close_matches(family, FAMILIES, n=1)
        hint = f"did you mean {close[0]!r}?" if close else f"accepted: {', '.join(FAMILIES)}"
        raise UsageError("no such family", field="family", value=family, hint=hint)
    known = FAMILIES[family].dials
    for name, value in dials.items():
        if name not in known:
            raise UsageError("no such dial", field=name, hint=f"accepted: {', '.join(known)}")
        if name in ("tightness", "density") and not 0 <= value <= 1:
            raise UsageError("is out of range", field=name, value=value, hint="accepted: 0 to 1")
        if name in ("span", "items", "concepts") and value < 1:
            raise UsageError("is out of range", field=name, value=value, hint="accepted: 1 or more")
        if name in ("needs", "exponent") and value < 0:
            raise UsageError("is out of range", field=name, value=value, hint="accepted: 0 or more")
    for name, number, least in (("units", units, 2), ("seed", seed, 0)):
        if number < least:
            raise UsageError("is out of range", field=name, value=number, hint=f"accepted: {least} or more")
    return FAMILIES[family].draw(Dice(seed), units, **dials)
