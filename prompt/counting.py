"""Token counters that come from outside, and the estimate that stands in where none is given."""

from __future__ import annotations

from collections.abc import Callable

from ..models import SchemaError

Count = Callable[[str], int]
"""Returns the tokens of a text."""


def estimate_tokens(text: str) -> int:
    """Return a quarter of the code points, rounded up: good enough to fit, not to bill (seed 003).

    High on CJK and Indic scripts, low on long common words; give a real tokenizer near a hard limit.
    """
    return -(-len(text) // 4)


def counted(count: Count, text: str, field: str) -> int:
    """Return what ``count`` says of ``text``; anything but a whole number >= 0 is ``invalid_token_count``."""
    return check_counted(count(text), field)


def check_counted(number: object, field: str) -> int:
    """Return what a counter returned, if it is a whole number of 0 or more; else ``invalid_token_count``.

    A counter that returns NaN would look like a text that is too large (C09).
    """
    if not isinstance(number, int) or isinstance(number, bool) or number < 0:
        raise bad_counter(number, field)
    return number


def bad_counter(value: object, field: str) -> SchemaError:
    """Return the error of a counter that does not count."""
    return SchemaError(
        "the token counter returned something else than a token count",
        code="invalid_token_count",
        field=field,
        value=value,
        hint="it must return a whole number, 0 or more, for each text",
    )
