"""From text to terms: identifiers are taken apart, endings are cut, so that a question meets code."""

from __future__ import annotations

import re
from collections.abc import Sequence, Set
from functools import lru_cache
from typing import Final

WORD: Final = re.compile(r"\w+")
"""Words and identifiers, in any script, digits included."""

_PARTS: Final = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+|[^\W\d_A-Za-z]+")
_UNSPACED: Final = re.compile(
    r"[\u0e00-\u0e7f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af\uf900-\ufaff\U00020000-\U0003ffff]"
)
"""Scripts that write no space between words; their runs are indexed by pairs of characters."""

STOP_WORDS: Final = frozenset(
    """
    a about above across after all also an and any are as at be because been before being below between
    both but by can could do does doing done down during each etc few for from further had has have having
    he her here hers him his how i if in into is it its itself just let like may me might more most must
    my need no nor not now of off on once one only or other our out over own per rather s same see she
    should so some such t than that the their them then there these they this those through to too under
    until up upon us use used uses using very via was we were what when where which while who why will
    with within without would you your
    """.split()  # noqa: SIM905 - a list of a hundred quoted words is harder to read
)
"""Words of a question that say nothing about its subject."""

_OF_WHOLE: Final = 0.5
"""What ``command`` weighs beside the ``subcommand`` that was asked for."""

_DOUBLED: Final = re.compile(r"([bdfgmnprt])\1$")


@lru_cache(maxsize=1 << 18)
def terms(word: str) -> tuple[str, ...]:
    """Return the terms of a word: its parts, stemmed, and the whole when it has several.

    ``getHTTPResponse_v2`` gives get, http, respons, v, 2 and gethttpresponse_v2.
    """
    lower = word.lower()
    if word.isascii() and (word.islower() or word.istitle()) and word.isalpha():
        return (stem(lower),)
    found: list[str] = []
    for part in parts(word):
        if _UNSPACED.search(part):
            found.extend(part[i : i + 2] for i in range(max(1, len(part) - 1)))
        else:
            found.append(stem(part.lower()))
    if not found:
        return (lower,)
    return (*found, lower) if len(found) > 1 and lower != found[0] else tuple(found)


def parts(name: str) -> list[str]:
    """Return the words of an identifier, as it writes them: ``getHTTPError_v2`` is get, HTTP, Error, v, 2."""
    return _PARTS.findall(name)


def stem(word: str) -> str:
    """Cut the common English endings of a lower-case word; both sides of a match are cut alike."""
    if len(word) <= 3 or not word.isascii():
        return word
    if word.endswith("ies") and len(word) > 4:
        word = word[:-3] + "y"
    elif word.endswith(("sses", "shes", "ches", "xes", "zes")):
        word = word[:-2]
    elif word.endswith("s") and not word.endswith(("ss", "us", "is")):
        word = word[:-1]
    for ending in ("ation", "ating", "ated", "ate", "ing", "ion", "ed"):
        if word.endswith(ending) and len(word) - len(ending) >= 3:
            word = word[: -len(ending)]
            word = _DOUBLED.sub(r"\1", word) if len(word) > 3 else word
            break
    else:
        # Who does it is named after what is done: solver and solve, parser and parse.
        if word.endswith("er") and len(word) >= 6:
            word = word[:-2]
    return word[:-1] if word.endswith("e") and len(word) > 3 else word


def without(texts: Sequence[str], words: Set[str]) -> tuple[str, ...]:
    """Return the texts without those (lower-case) words; unchanged where they say nothing else."""
    left = tuple(
        WORD.sub(lambda found: "" if found[0].lower() in words else found[0], text) for text in texts
    )
    return left if query_terms(*left) else tuple(texts)


def query_terms(*texts: str) -> dict[str, float]:
    """Return the terms of a question with their weights: stop words are out, a repeated term counts more.

    The weight of a term is the square root of how often it is asked for. Where parts of something are
    asked for (subcommand), so is the thing, for less.
    """
    counts: dict[str, int] = {}
    for text in texts:
        for word in WORD.findall(text):
            if word.lower() in STOP_WORDS:
                continue
            for term in terms(word):
                if len(term) > 1 or not term.isascii():
                    counts[term] = counts.get(term, 0) + 1
    weights = {term: count**0.5 for term, count in counts.items()}
    for term in sorted(counts):
        whole = term.removeprefix("sub")
        if whole != term and len(whole) >= 5:
            weights.setdefault(whole, _OF_WHOLE * weights[term])
    return {term: weights[term] for term in sorted(weights)}
