"""What readers of prose and code give to the selection: sentences with their lines."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from ..extract import Span


class Part(StrEnum):
    """What a sentence is within its text."""

    PROSE = "prose"
    ITEM = "item"
    HEADING = "heading"
    CODE = "code"
    TABLE = "table"
    MARKUP = "markup"
    SIGNATURE = "signature"
    DOC = "doc"
    COMMENT = "comment"


@dataclass(frozen=True, slots=True)
class Sentence:
    """One sentence, or what stands for one: a heading, an item of a list, a block of code, a signature.

    Attributes
    ----------
    text
        As it is shown.
    span
        The lines that it stands on.
    part
        What it is.
    begins, ends
        Whether it begins and ends where its lines do, white space and comment marks aside.
    owner
        Number of the sentence without which it is not shown, such as a signature; -1 when none.
    place
        How many sentences stand in front of it in its paragraphs, or its documentation.
    whole
        False for a window of a run that has no end of a sentence.
    margin
        Indentation of the comment that it stands in.
    weight
        How much it starts with beside others: less for what users of the project cannot reach.
    """

    text: str
    span: Span
    part: Part
    begins: bool = True
    ends: bool = True
    owner: int = -1
    place: int = 0
    whole: bool = True
    margin: int = 0
    weight: float = 1.0
