"""A counter that somebody else made, checked before it is believed."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

from ...models import InputError
from .base import ANY, Estimator, Mode, TokenProfile, replace_lone_surrogates

INVALID_COUNT: Final = "invalid_token_count"
"""Code of the error for a counter that cannot be believed."""

MAX_CHARS_PER_TOKEN: Final = 12
"""Ordinary prose and code never has more characters per token: public vocabularies reach 3 to 6."""

_PROBES: Final = (
    "The packer chooses the evidence that a page needs and leaves out what merely fills the window.",
    "def total(rows: list[Row]) -> int:\n    return sum(row.tokens for row in rows if row.kept)\n",
    '{"name": "satchel", "limits": [128000, 16384], "zones": {"system": true, "task": false}}',
    "打包器选择页面需要的证据，把多余的内容留在外面。",
)


class CounterEstimator(Estimator):
    """An injected counter as an estimator.

    Parameters
    ----------
    counter
        Returns the tokens of a text. It is called once per text, on the calling thread.
    name
        Identity of the counter with its version: counts are cached under it.
    profile
        What the counts stand for; approximate with low confidence unless given.

    Raises
    ------
    InputError
        Code ``invalid_token_count``: a probe text gets a count that no tokenizer gives, or any text
        one that is not a whole number of 0 or more.
    """

    def __init__(
        self, counter: Callable[[str], int], *, name: str, profile: TokenProfile | None = None
    ) -> None:
        self._counter = counter
        self.name = name
        self.profile = profile or TokenProfile(
            provider=ANY, model_id=name, mode="approximate", band=(0.5, 2.0), confidence="low"
        )
        self.method: Mode = self.profile.mode
        check_counter(counter, name=name)

    def count_batch(self, texts: Sequence[str]) -> list[int]:
        """Return the counter's answer for each text, checked to be a count."""
        return [
            checked_count(self._counter(replace_lone_surrogates(text)[0]), name=self.name) for text in texts
        ]


def check_counter(counter: Callable[[str], int], *, name: str = "counter") -> None:
    """Try ``counter`` on four ordinary texts; raises :class:`InputError` if it cannot be a tokenizer."""
    for text in _PROBES:
        count = checked_count(counter(text), name=name)
        if not plausible_count(text, count):
            low, high = _limits(text)
            raise InputError(
                f"the token counter {name} gives {len(text)} characters a count outside {low} to {high}",
                code=INVALID_COUNT,
                value=count,
                hint="use --encoding, --tokenizer or an approximate count instead",
                data={"text": text, "count": count, "lowest": low, "highest": high},
            )


def plausible_count(text: str, count: int) -> bool:
    """Tell whether ``count`` may be right for ordinary text: from characters / 12 to UTF-8 bytes."""
    low, high = _limits(text)
    return low <= count <= high


def checked_count(count: object, *, name: str = "counter") -> int:
    """Return ``count`` if it is a whole number of 0 or more; raises :class:`InputError` otherwise."""
    if isinstance(count, bool) or not isinstance(count, int) or count < 0:
        raise InputError(
            f"the token counter {name} must return a whole number of 0 or more",
            code=INVALID_COUNT,
            value=count,
        )
    return count


def _limits(text: str) -> tuple[int, int]:
    return -(-len(text) // MAX_CHARS_PER_TOKEN), len(text.encode("utf-8", "surrogatepass"))
