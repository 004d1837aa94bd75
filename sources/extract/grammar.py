"""What one entry of the table of languages says, and the habits that several of them share."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Final

NOTHING: Final[Mapping[str, str]] = MappingProxyType({})
NEVER: Final = re.compile(r"(?!)")


def _exported(_name: str, _head: str, exported: bool) -> bool:
    return exported


@dataclass(frozen=True, slots=True)
class Grammar:
    """One language.

    Attributes
    ----------
    parser
        Name of the grammar in ``ast-grep-py``. An unknown name there is a panic, so only these are asked.
    prefix
        How ids of its units begin.
    containers
        Node kinds that hold members, with their role.
    definitions
        Node kinds that define something without members, with their role.
    keywords
        Keywords that give a container another role than its node kind does.
    wrappers
        Node kinds that stand around one definition (decorators, ``export``, templates).
    transparent
        Node kinds whose definitions count as their parent's (``try``, ``#ifdef``, namespaces).
    values
        Node kinds that bind names to values: a definition when the value is a function or is long.
    functions
        Node kinds of function values.
    light
        Node kinds that define on their own only when long: at the top of a file they stay with what is
        around them, in a class with its head.
    with_body
        Node kinds that define only when they have a body: without one they name or announce a type.
    declarators
        Whether names stand inside declarators, as in C; then a declaration of no function is a constant.
    calls
        Whether ``describe("x", () => ...)`` defines a case called x.
    cases
        Node kinds of calls that make a case of the block at their end: ``it "works" do``.
    blocks
        Node kinds of such blocks.
    case_line
        Finds, at the start of a definition, that it is a case, and its name in group 1.
    bodies
        Node kinds of bodies that the grammar gives no field name.
    names
        Node kinds of names that the grammar gives no field name.
    unnamed
        What definitions without a name are called, by node kind.
    comments, attributes
        Node kinds that belong to the definition right below them.
    imports
        Node kinds of imports and of the file's own header.
    import_line
        Finds imports by their first line where they are calls like any other.
    docstrings
        Whether the documentation is the first string of a body.
    constructors
        Names or node kinds of members that stay with their class: they say what an object needs.
    joined
        Roles of containers whose head, when it is nothing but a declaration, joins their first member.
    public
        Whether ``(name, head without annotations, exported)`` can be reached from outside.
    access
        Node kinds that say, between members, who can reach those that follow.
    closed
        Finds the containers whose members are hidden until it is said otherwise.
    exports
        Finds the statements that export names defined elsewhere in the file.
    member_line
        Finds the name that a line of a body declares, in group 1.
    test_mark
        An attribute text that makes a definition a test.
    mask
        Finds words that hide the syntax around them; they are blanked before parsing.
    mask_on_error
        Finds words that are blanked when the text parses better without them. What the group ``end``
        finds stands for the end of a statement.
    conditionals
        Whether ``#if`` may stand anywhere; all but the first branch is blanked when that helps.
    """

    parser: str
    prefix: str
    containers: Mapping[str, str]
    definitions: Mapping[str, str]
    keywords: Mapping[str, str] = field(default_factory=lambda: NOTHING)
    wrappers: frozenset[str] = frozenset()
    transparent: frozenset[str] = frozenset()
    values: frozenset[str] = frozenset()
    functions: frozenset[str] = frozenset()
    light: frozenset[str] = frozenset()
    with_body: frozenset[str] = frozenset()
    declarators: bool = False
    calls: bool = False
    cases: frozenset[str] = frozenset()
    blocks: frozenset[str] = frozenset()
    case_line: re.Pattern[str] | None = None
    bodies: frozenset[str] = frozenset()
    names: frozenset[str] = frozenset()
    unnamed: Mapping[str, str] = field(default_factory=lambda: NOTHING)
    comments: frozenset[str] = frozenset({"comment"})
    attributes: frozenset[str] = frozenset()
    imports: frozenset[str] = frozenset()
    import_line: re.Pattern[str] | None = None
    docstrings: bool = False
    constructors: frozenset[str] = frozenset()
    joined: frozenset[str] = frozenset()
    public: Callable[[str, str, bool], bool] = _exported
    access: frozenset[str] = frozenset()
    closed: re.Pattern[str] | None = None
    member_line: re.Pattern[str] = NEVER
    test_mark: re.Pattern[str] | None = None
    exports: re.Pattern[str] | None = None
    mask: re.Pattern[str] | None = None
    mask_on_error: re.Pattern[str] | None = None
    conditionals: bool = False


def words(text: str) -> frozenset[str]:
    """Return white-space separated words."""
    return frozenset(text.split())


def roles(text: str) -> dict[str, str]:
    """Return ``{node kind: role}`` from lines of ``role: kind kind``."""
    pairs = (line.strip().partition(": ") for line in text.strip().splitlines())
    return {kind: role for role, _, kinds in pairs for kind in kinds.split()}


def unless(pattern: str) -> Callable[[str, str, bool], bool]:
    """Return a rule of visibility: hidden where ``pattern`` stands in front of the parameters."""
    hidden = re.compile(pattern)

    def public(_name: str, head: str, _exported: bool) -> bool:
        return not hidden.search(head.partition("(")[0])

    return public
