"""Choosing the sentences of a summary within a budget, and showing them with marks for what is left out."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

from ...models import State, UsageError
from ..extract import Form, Span
from ..extract.base import merge
from ..extract.cuts import left_out
from .base import Part, Sentence
from .rank import rank
from .words import words

_CHOSEN: Final = frozenset(
    {Part.PROSE, Part.ITEM, Part.CODE, Part.TABLE, Part.SIGNATURE, Part.DOC, Part.COMMENT}
)
"""What a summary is made of; headings and markup only where there is nothing else."""

_LONGEST_BLOCK: Final = 160
"""Tables and blocks of code above this many characters (a few commands) are no sentences."""

_FEWEST_WORDS: Final = 3
"""Shorter sentences of prose say nothing by themselves."""

_ALIKE: Final = 0.6
"""A sentence that shares this much of its words with one that is taken already (Jaccard) adds nothing."""

_MISSES: Final = 40
"""After so many sentences in a row that do not fit, the summary is full."""

_SAYS_NOTHING: Final = re.compile(r"[\W_]*\Z")


@dataclass(frozen=True, slots=True)
class SummaryOptions:
    """How long a summary may be, and what it leans to.

    Attributes
    ----------
    sentences, chars, tokens
        Upper limits; those given hold together. Five sentences when none is given.
    counter
        Counts tokens; needed with ``tokens``.
    position
        Bias towards the beginning of the text, or of a documentation, from 0 (none) on. A sentence with n
        others in front of it starts with 1 + position / (1 + n) instead of 1.
    query
        Words of a question with their weights, as :func:`..score.words.query_terms` gives them.
    query_bias
        How much a sentence that holds all of them starts with, beside the 1 of any.
    """

    sentences: int | None = None
    chars: int | None = None
    tokens: int | None = None
    counter: Callable[[str], int] | None = None
    position: float = 1.0
    query: Mapping[str, float] = field(default_factory=dict)
    query_bias: float = 8.0

    def __post_init__(self) -> None:
        for name in ("sentences", "chars", "tokens"):
            limit = getattr(self, name)
            if limit is not None and limit < 1:
                raise UsageError(
                    "is no limit of a summary", field=name, value=limit, hint="give a whole number above 0"
                )
        if self.tokens is not None and self.counter is None:
            raise UsageError(
                "needs a counter", field="tokens", value=self.tokens, hint="give counter as well"
            )


@dataclass(frozen=True, slots=True)
class Quote:
    """A sentence of a summary: its text, its lines, its score, and what it is."""

    text: str
    span: Span
    score: float
    part: Part


@dataclass(frozen=True, slots=True)
class Summary:
    """Sentences of a text, in the order of the text.

    Attributes
    ----------
    text
        The sentences, with a mark for each gap between them.
    spans
        The lines that they stand on, sorted and disjoint.
    quotes
        The sentences one by one.
    of
        How many sentences the text has.
    fits
        False where even the shortest sentence is above the limits: it is shown nevertheless. Of a table or
        a block of code, its first line is.
    """

    text: str = ""
    spans: tuple[Span, ...] = ()
    quotes: tuple[Quote, ...] = ()
    of: int = 0
    fits: bool = True

    def form(self) -> Form:
        """Return the summary as a rung."""
        return Form(State.SUMMARIZED, self.text, self.spans)


def summarise(
    sentences: Sequence[Sentence],
    lines: Sequence[str],
    options: SummaryOptions,
    *,
    lead: Sequence[int] = (),
    extent: Span | None = None,
) -> Summary:
    """Return the most central sentences that fit.

    Parameters
    ----------
    sentences
        In order.
    lines
        All lines of the file.
    lead
        Numbers of sentences that are tried before all others, such as the title.
    extent
        The lines that the summary stands for, all when absent.
    """
    if not sentences:
        return Summary()
    extent = extent or Span(1, len(lines))
    tokens = [words(sentence.text) for sentence in sentences]
    scores = rank(tokens, _bias(sentences, tokens, options)).scores
    page = _Page(sentences, lines, extent)
    order = sorted(range(len(sentences)), key=lambda n: (-scores[n], n))
    order = [n for n in order if _is_chosen(sentences[n], tokens[n])] or order
    taken = _taken([*lead, *order], tokens, page, options)
    fits = bool(taken)
    if not taken:
        taken = [min(order, key=lambda n: (len(sentences[n].text), n))]
        sentences = [*sentences]
        sentences[taken[0]] = _first_line(sentences[taken[0]])
        page = _Page(sentences, lines, extent)
        fits = _within(page, taken, options)
    quotes = tuple(
        Quote(sentences[n].text, sentences[n].span, float(scores[n]), sentences[n].part) for n in taken
    )
    return Summary(page.show(taken), merge(q.span for q in quotes), quotes, len(sentences), fits)


def _is_chosen(sentence: Sentence, own: Sequence[str]) -> bool:
    """Whether a sentence says something by itself: not one that only leads to what follows it."""
    if sentence.part in (Part.CODE, Part.TABLE) and len(sentence.text) > _LONGEST_BLOCK:
        return False
    if sentence.part in (Part.PROSE, Part.ITEM, Part.DOC, Part.COMMENT):
        return len(own) >= _FEWEST_WORDS and not sentence.text.endswith((":", "："))
    return sentence.part in _CHOSEN and bool(own)


def _first_line(sentence: Sentence) -> Sentence:
    """Return the first line of a table or block that says something: it stands for one that is too long."""
    if sentence.part not in (Part.CODE, Part.TABLE, Part.MARKUP):
        return sentence
    rows = enumerate(sentence.text.split("\n"), sentence.span.start)
    first = next(((n, row) for n, row in rows if not _SAYS_NOTHING.match(row)), None)
    return replace(sentence, text=first[1], span=Span(first[0], first[0])) if first else sentence


def _bias(
    sentences: Sequence[Sentence], tokens: Sequence[Sequence[str]], options: SummaryOptions
) -> list[float]:
    """Return where the walk starts anew: anywhere, more at beginnings, more where the question is met."""
    asked = sum(options.query[word] for word in sorted(options.query))
    out: list[float] = []
    for sentence, own in zip(sentences, tokens, strict=True):
        weight = sentence.weight * (1.0 + options.position / (1 + sentence.place))
        if asked > 0.0:
            met = sum(options.query[word] for word in sorted(set(own)) if word in options.query)
            weight += options.query_bias * met / asked
        out.append(weight)
    return out


def _taken(
    order: Sequence[int], tokens: Sequence[Sequence[str]], page: _Page, options: SummaryOptions
) -> list[int]:
    """Return the numbers of the sentences that fit, in order of the text; ``order`` is by preference."""
    limits = (options.sentences, options.chars, options.tokens)
    most = 5 if all(limit is None for limit in limits) else options.sentences
    taken: list[int] = []
    misses = 0
    for n in dict.fromkeys(order):
        if misses > _MISSES or (most is not None and len(taken) >= most):
            break
        new = sorted({*taken, *page.with_owners(n)})
        if new == taken or any(_alike(tokens[n], tokens[other]) for other in taken):
            continue
        if (most is None or len(new) <= most) and _within(page, new, options):
            taken, misses = new, 0
        else:
            misses += 1
    return taken


def _alike(a: Sequence[str], b: Sequence[str]) -> bool:
    both, either = len({*a} & {*b}), len({*a, *b})
    return both >= _ALIKE * either > 0


def _within(page: _Page, taken: Sequence[int], options: SummaryOptions) -> bool:
    if options.chars is not None and page.least(taken) > options.chars:
        return False
    if options.chars is None and options.tokens is None:
        return True
    text = page.show(taken)
    if options.chars is not None and len(text) > options.chars:
        return False
    return options.tokens is None or options.counter is None or options.counter(text) <= options.tokens


class _Page:
    """The sentences of a text and its lines: shows some of them."""

    def __init__(self, sentences: Sequence[Sentence], lines: Sequence[str], extent: Span) -> None:
        self._sentences = sentences
        self._lines = lines
        self._extent = extent

    def with_owners(self, n: int) -> list[int]:
        """Return a sentence and those without which it is not shown."""
        out = [n]
        while self._sentences[out[-1]].owner >= 0:
            out.append(self._sentences[out[-1]].owner)
        return out

    def least(self, taken: Sequence[int]) -> int:
        """Return the characters of the sentences alone, without marks."""
        return sum(len(self._sentences[n].text) for n in taken)

    def show(self, taken: Sequence[int]) -> str:
        """Return the sentences as text, with a mark for every gap."""
        out = ""
        at, first, before = self._extent.start, True, -1
        for n in taken:
            sentence = self._sentences[n]
            gap = self._gap(at, sentence.span.start - 1)
            follows = before >= 0 and n == before + 1 and gap is None
            if before >= 0 and not follows and not self._ends(before, sentence):
                out += " …"
            if gap is not None:
                out += ("\n" if out else "") + left_out(gap, len(self._lines), first=first)
                first = False
            opening = "" if sentence.begins or follows else "… "
            if out:
                out += self._between(before, sentence, gap, follows=follows)
                opening = "" if out.endswith("… ") else opening
            out += opening + sentence.text
            at, before = sentence.span.end + 1, n
        rest = self._gap(at, self._extent.end)
        if before >= 0 and not self._sentences[before].ends:
            out += " …"
        if rest is not None:
            out += ("\n" if out else "") + left_out(rest, len(self._lines), first=first)
        return out

    def _ends(self, before: int, sentence: Sentence) -> bool:
        """Whether its last line ends with a sentence; on one line, the next one's mark tells."""
        last = self._sentences[before]
        return last.ends or last.span.end == sentence.span.start

    def _between(self, before: int, sentence: Sentence, gap: Span | None, *, follows: bool) -> str:
        if before < 0 or gap is not None:
            return "\n"
        same_line = self._sentences[before].span.end == sentence.span.start
        if follows:
            return " " if not sentence.begins or same_line else "\n"
        return " … " if same_line else "\n"

    def _gap(self, start: int, end: int) -> Span | None:
        """Return the lines from the first to the last that say something, if any does."""
        lines = self._lines
        while start <= end and _SAYS_NOTHING.match(lines[start - 1]):
            start += 1
        while end >= start and _SAYS_NOTHING.match(lines[end - 1]):
            end -= 1
        return Span(start, end) if start <= end else None
