"""One unit at one rung as text, in every format.

The size of a unit is the size of exactly this text. So it depends on nothing but the unit and the
rung (no running number, no neighbour), and token counts add up: every piece of a prompt ends with
punctuation and line ends and starts with punctuation, and the splitting rules of cl100k, o200k and
the Qwen vocabularies put a border there, because a run of punctuation takes the line ends behind it
and no more. With other tokenizers the sum is close, and the recount of the whole is what holds.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, Literal, Protocol, get_args

from ..models import ContextUnit, Task, UsageError
from .emit import Redact, emit
from .facts import UnitFacts, facts_of
from .format_json import Json
from .format_markdown import Markdown
from .format_plain import Plain
from .format_xml import Xml

Format = Literal["markdown", "xml", "plain", "json"]
"""How a prompt is written."""

FORMATS: Final[tuple[Format, ...]] = get_args(Format)


class Style(Protocol):
    """What a format has to say how to write; :func:`emit` is applied by the callers."""

    def block(self, facts: UnitFacts) -> str:
        """Return the block of one unit."""
        ...

    def guide(self) -> str:
        """Return the unchanging beginning; it must not depend on anything."""
        ...

    def task(self, task: Task) -> str:
        """Return the task block."""
        ...

    def request(self, *, has_task: bool) -> str:
        """Return the closing instruction."""
        ...


_STYLES: Final[Mapping[str, Style]] = {
    "markdown": Markdown(),
    "xml": Xml(),
    "plain": Plain(),
    "json": Json(),
}


def style_of(fmt: str) -> Style:
    """Return the style called ``fmt``; raises UsageError when there is none."""
    style = _STYLES.get(fmt)
    if style is None:
        raise UsageError("unknown format", field="format", value=fmt, hint=f"accepted: {', '.join(FORMATS)}")
    return style


def render_block(
    unit: ContextUnit, rung_index: int, fmt: str = "markdown", redact: Redact | None = None
) -> str:
    """Return ``unit`` at rung ``rung_index`` of its ladder, header and boundary included.

    ``redact`` replaces secrets in its text and its names.

    Raises
    ------
    UsageError
        Unknown format, or no such rung.
    SchemaError
        The rung has no text (``no_text``).
    """
    return emit(style_of(fmt).block(facts_of(unit, rung_index, redact)))
