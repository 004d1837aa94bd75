"""The outline of a source file: its definitions with their lines."""

from __future__ import annotations

from dataclasses import dataclass, field

from ast_grep_py import SgNode

from .base import Span


@dataclass(slots=True)
class Member:
    """A definition and its lines (1-based).

    Attributes
    ----------
    start, end
        First and last line, documentation and decorators in front included.
    declared
        First line of the declaration, decorators included.
    signature_end
        Last line of the declaration's head.
    docs
        Lines of its documentation, in front of or inside it.
    stays
        Whether it belongs with the head of its container: a constructor, or a mere declaration.
    light
        Whether it is a mere property of its container.
    bare
        Whether it has no body.
    members
        Definitions inside it, or the several declarations that it is made of (``family``).
    """

    role: str
    name: str
    start: int
    declared: int
    signature_end: int
    end: int
    docs: Span | None
    public: bool
    stays: bool = False
    light: bool = False
    bare: bool = False
    is_test: bool = False
    family: bool = False
    members: list[Member] = field(default_factory=list)

    @property
    def span(self) -> Span:
        return Span(self.start, self.end)


@dataclass(slots=True)
class Outline:
    """What a file defines.

    Attributes
    ----------
    members
        Top-level definitions in order, without common lines.
    borders
        Last lines of the top-level statements: where what is left over may be divided.
    imports
        Lines of imports and of the package clause.
    licence
        Lines of a licence text at the top of the file.
    docs
        Documentation of the file as a whole.
    errors
        Lines inside syntax errors.
    """

    members: list[Member]
    borders: list[int]
    imports: list[Span]
    licence: Span | None
    docs: Span | None
    errors: list[Span]


def lines_of(node: SgNode) -> tuple[int, int]:
    """Return the first and last line of a node, 1-based."""
    around = node.range()
    start, end = around.start.line + 1, around.end.line + 1
    if around.end.column == 0 and end > start:
        end -= 1
    return start, end
