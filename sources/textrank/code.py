"""The sentences of source code: signatures, documentation and comments, by what the extractor found.

Nothing is parsed again: a fragment says its signature and documentation as they stand in its lines.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Final

from ...models import State
from ..extract import Document, Fragment, Span
from .base import Part, Sentence
from .sentences import split

_HASH: Final = frozenset(
    {"python", "ruby", "bash", "shell", "sh", "perl", "r", "elixir", "julia", "make", "fish"}
)
_DASHES: Final = frozenset({"sql", "lua", "haskell"})
_BOTH: Final = frozenset({"php"})
_LEAD: Final = re.compile(r"\s*(?:/\*+!?|\*+/|\*|//[/!]?|#+!?|--+|;+|[rRuUbBfF]{0,2}(?:\"\"\"|''')|<!--)?\s?")
_TRAIL: Final = re.compile(r"\s*(?:\*+/|\"\"\"|'''|-->)\s*$")
_DIRECTIVE: Final = re.compile(
    r"#!|#\s*(?:noqa|type:|pylint|mypy|pyright|ruff|fmt:|isort|pragma|-\*-|region|endregion|frozen_string|shellcheck)"
    r"|//\s*(?:eslint|tslint|prettier|biome|@ts-|go:|\+build|nolint|NOLINT|#(?:end)?region|swiftlint|cspell|istanbul"
    r"|rustfmt|clang-)|/\*\s*(?:eslint|istanbul|prettier|global\b|@__)"
)
_CODE_LIKE: Final = re.compile(
    r"[;{}]\s*$|^\s*(?:return|import|from|if|for|while)\b.*[:({]\s*$|\w\([^)]*\)\s*$|\S\s+[:=]?=\s+\S"
)
_FIELD: Final = re.compile(
    r"\s*(?:[@\\:](?:param|return|throws|raises|arg|type|see|since|author|example|deprecated|brief|link)\b"
    r"|(?:Args?|Arguments|Parameters|Returns?|Raises|Yields|Examples?|Attributes|Notes?|See Also|Params)"
    r":?\s*$|-{3,}|={3,})"
)
_EXAMPLES: Final = {"```": "```", "~~~": "~~~", "<pre": "</pre>", "<p><pre": "</pre>"}
_WORDS: Final = re.compile(r"[^\W\d_]{2,}")
_LEAST_WORDS: Final = 3
"""A comment of fewer words is a label."""


_PRIVATE: Final = 0.5
"""What users of the project cannot reach starts with so much of what others start with."""


def read(document: Document, fragments: Sequence[Fragment]) -> list[Sentence]:
    """Return the sentences of the fragments of a document, in order of their lines.

    A sentence of documentation or a comment is owned by the signature of its fragment, when that has one.
    """
    out: list[Sentence] = []
    for fragment in sorted(fragments, key=lambda fragment: fragment.spans):
        out.extend(_fragment(document, fragment, len(out)))
    return out


def _fragment(document: Document, fragment: Fragment, base: int) -> list[Sentence]:
    lines = document.lines
    numbers = [n for span in fragment.spans for n in _numbers(span)]
    docs = _located(lines, numbers, fragment.doc, each=False)
    signatures = _signatures(lines, numbers, fragment, docs)
    taken = {n for span in (*signatures, *docs) for n in _numbers(span)}
    comments = list(_comments(lines, [n for n in numbers if n not in taken], document.language))
    found: list[Sentence] = [
        Sentence("\n".join(lines[span.start - 1 : span.end]).rstrip(), span, Part.SIGNATURE)
        for span in signatures
    ]
    for part, spans in ((Part.DOC, docs), (Part.COMMENT, comments)):
        for span in spans:
            found.extend(_spoken(lines, span, part))
    found.sort(key=lambda sentence: (sentence.span, not sentence.begins, sentence.place))
    weight = 1.0 if fragment.public else _PRIVATE
    return [replace(sentence, weight=weight) for sentence in _owned(found, base)]


def _signatures(
    lines: Sequence[str], numbers: Sequence[int], fragment: Fragment, docs: Sequence[Span]
) -> list[Span]:
    """Return where the declarations stand: the fragment's own, and those that its short form shows."""
    heads = {n for span in _located(lines, numbers, fragment.signature, each=True) for n in _numbers(span)}
    for form in fragment.forms:
        if form.state is State.SYMBOLIZED:
            heads.update(n for span in form.spans for n in _numbers(span))
    heads.difference_update(n for span in docs for n in _numbers(span))
    spoken = sorted(n for n in heads.intersection(numbers) if lines[n - 1].strip())
    return _runs(lines, spoken, each=True)


def _numbers(span: Span) -> range:
    return range(span.start, span.end + 1)


def _owned(found: Sequence[Sentence], base: int) -> list[Sentence]:
    """Give each sentence its owner: the nearest signature above, or that right below a comment."""
    out = list(found)
    above = -1
    for n, sentence in enumerate(found):
        if sentence.part is Part.SIGNATURE:
            above = n
        elif above >= 0:
            out[n] = replace(sentence, owner=base + above)
    below, border = -1, 0
    for n in range(len(found) - 1, -1, -1):
        sentence = found[n]
        if sentence.part is Part.SIGNATURE:
            below, border = n, sentence.span.start
        elif below >= 0 and sentence.span.end >= border - 2 and not _is_docstring(sentence, found[below]):
            out[n] = replace(sentence, owner=base + below)
            border = sentence.span.start
        else:
            below = -1
    return out


def _is_docstring(sentence: Sentence, following: Sentence) -> bool:
    """Whether a comment stands deeper than the signature below it, and so belongs to the one above."""
    margin = len(following.text) - len(following.text.lstrip())
    return sentence.margin > margin


def _located(lines: Sequence[str], numbers: Sequence[int], text: str, *, each: bool) -> list[Span]:
    """Return where the lines of ``text``, which stand in the file as they are, stand: runs of them."""
    places: dict[str, list[int]] = {}
    for number in numbers:
        places.setdefault(lines[number - 1], []).append(number)
    found: list[int] = []
    at = 0
    for line in text.split("\n"):
        where = places.get(line, []) if line.strip() else []
        k = bisect_right(where, at)
        if k < len(where):
            at = where[k]
            found.append(at)
    return _runs(lines, found, each=each)


def _runs(lines: Sequence[str], numbers: Sequence[int], *, each: bool) -> list[Span]:
    """Join lines with nothing but blank ones between them, and with ``each`` none that begins anew."""
    out: list[Span] = []
    for number in numbers:
        between = lines[out[-1].end : number - 1] if out else ["."]
        apart = any(line.strip() for line in between) or (each and bool(between))
        if apart or (each and _begins_anew(lines[number - 1], lines[out[-1].end - 1])):
            out.append(Span(number, number))
        else:
            out[-1] = Span(out[-1].start, number)
    return out


def _begins_anew(line: str, above: str) -> bool:
    """Whether a signature begins right below another: both at one margin, and the one above complete."""
    same = len(line) - len(line.lstrip()) == len(above) - len(above.lstrip())
    return same and line.lstrip()[:1] not in ")]}" and not above.lstrip().startswith(("@", "#[", "template"))


def _comments(lines: Sequence[str], numbers: Sequence[int], language: str) -> Iterator[Span]:
    """Yield the runs of lines that are comments and nothing else."""
    starts: tuple[str, ...] = ("//", "/*")
    if language in _HASH:
        starts = ("#",)
    elif language in _DASHES:
        starts = ("--",)
    elif language in _BOTH:
        starts = ("#", *starts)
    start, last, inside = 0, 0, False
    for n in numbers:
        line = lines[n - 1].strip()
        is_comment = inside or line.startswith(starts)
        if is_comment and (inside or line.startswith("/*")) and "/*" in starts:
            inside = "*/" not in line
        usable = is_comment and not _DIRECTIVE.match(line) and not _CODE_LIKE.search(_TRAIL.sub("", line))
        if usable and start and n == last + 1:
            last = n
        else:
            if start:
                yield Span(start, last)
            start, last = (n, n) if usable else (0, 0)
    if start:
        yield Span(start, last)


def _spoken(lines: Sequence[str], span: Span, part: Part) -> Iterator[Sentence]:
    """Yield the sentences of a comment or docstring, without its marks, fields and examples."""
    place = 0
    for paragraph in _paragraphs(lines, span):
        text, starts, numbers = "", [], []
        for n in paragraph:
            body = _TRAIL.sub("", _LEAD.sub("", lines[n - 1], count=1)).strip()
            if body:
                starts.append(len(text))
                numbers.append(n)
                text += body + " "
        for piece in split(text):
            shown = text[piece.start : piece.end]
            if part is Part.COMMENT and len(_WORDS.findall(shown)) < _LEAST_WORDS and shown.isascii():
                continue
            first = max(k for k, at in enumerate(starts) if at <= piece.start)
            last = max(k for k, at in enumerate(starts) if at < piece.end)
            after = starts[last + 1] if last + 1 < len(starts) else len(text)
            yield Sentence(
                shown,
                Span(numbers[first], numbers[last]),
                part,
                begins=piece.start == starts[first],
                ends=not text[piece.end : after].strip(),
                place=place,
                whole=piece.whole,
                margin=len(lines[numbers[first] - 1]) - len(lines[numbers[first] - 1].lstrip()),
            )
            place += 1


def _paragraphs(lines: Sequence[str], span: Span) -> Iterator[list[int]]:
    """Yield the numbers of the lines of each paragraph that speaks, not those of fields and examples."""
    out: list[int] = []
    passing = ""
    for n in range(span.start, span.end + 1):
        raw = _TRAIL.sub("", lines[n - 1])
        body = _LEAD.sub("", raw, count=1)
        opened = passing
        passing = _passing(body, passing, goes_on=bool(raw.strip()) or not _speaks_again(lines, n, span))
        if not (passing or opened) and body.strip():
            out.append(n)
            continue
        if out:
            yield out
        out = []
    if out:
        yield out


def _passing(body: str, passing: str, *, goes_on: bool) -> str:
    """Return what is passed over from this line on: an example up to its end mark, fields, or nothing."""
    text = body.strip()
    if passing in _EXAMPLES.values():
        return "" if passing in text else passing
    for begins, ends in _EXAMPLES.items():
        if text.startswith(begins):
            return "" if ends in text[len(begins) :] else ends
    if _FIELD.match(body) or text.startswith((">>>", "$ ")):
        return "fields"
    return passing if passing == "fields" and goes_on else ""


def _speaks_again(lines: Sequence[str], n: int, span: Span) -> bool:
    """Whether the text below a blank line is at the margin again, and so no part of a list of fields."""
    following = next((line for line in lines[n : span.end] if line.strip()), "")
    margin = next((line for line in lines[span.start : span.end] if line.strip()), "")
    indents = [len(line) - len(line.lstrip()) for line in (following, margin)]
    return indents[0] <= indents[1]
