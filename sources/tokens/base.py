"""What a token estimator is, what it is told about a model, and what it answers (seed 000 §4)."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Final, Literal, Protocol, Self

from pydantic import Field, model_validator

from ...models import Model, UsageError
from ...models.base import Listed, NonEmpty

Mode = Literal["exact", "approximate"]
Method = Literal["exact", "approximate", "cached"]
Confidence = Literal["high", "medium", "low"]

ANY: Final = "any"
"""Provider and model of a profile that is nobody's in particular."""


class TokenProfile(Model):
    """How the tokens of one model are counted.

    An approximate count is ``max(ceil(count in encoding x factor), ceil(byte estimate x byteFactor))``:
    the first term is tight on ordinary text, the second holds on text that ``encoding`` happens to
    compress well (long runs, identifiers of 2,000 characters, rare scripts).
    """

    provider: NonEmpty
    model_id: NonEmpty
    encoding: NonEmpty | None = Field(
        default=None, description="vocabulary that is counted; the byte estimate alone when absent"
    )
    mode: Mode = "exact"
    factor: Annotated[float, Field(ge=1.0, le=10.0)] = 1.0
    byte_factor: Annotated[float, Field(ge=0.0, le=10.0)] = 1.0
    band: Annotated[tuple[float, float], Listed] = Field(
        default=(1.0, 1.0), description="lowest and highest true count that was seen, per estimated token"
    )
    confidence: Confidence = "high"

    @model_validator(mode="after")
    def _consistent(self) -> Self:
        low, high = self.band
        if not 0.0 < low <= high:
            raise ValueError("band must be two positive numbers, the lower first")
        if self.mode == "exact" and (self.encoding is None or self.factor != 1.0 or self.band != (1.0, 1.0)):
            raise ValueError("an exact profile names its encoding and has factor 1 and band [1, 1]")
        return self


@dataclass(frozen=True, slots=True)
class TokenEstimate:
    """One count and how far to trust it."""

    token_count: int
    """Whole tokens, 0 or more."""
    method: Method
    confidence: Confidence
    warnings: tuple[str, ...] = ()


class TokenEstimator(Protocol):
    """Counts the tokens of texts.

    Counts are of the text alone: what a provider adds around a message (roles, separators) belongs
    into the fixed overhead of the budget. The same text always gives the same count.
    """

    @property
    def name(self) -> str:
        """Stable identity with the version of library and vocabulary: part of cache keys and artifacts."""
        ...

    @property
    def method(self) -> Mode:
        """Whether :meth:`count_batch` counts or estimates."""
        ...

    @property
    def profile(self) -> TokenProfile:
        """The profile that the counts follow."""
        ...

    def estimate(self, text: str) -> TokenEstimate:
        """Return the count of one text with method, confidence and warnings."""
        ...

    def remarks(self, text: str) -> tuple[Confidence, tuple[str, ...]]:
        """Return confidence and warnings for one text, without counting it again."""
        ...

    def count_batch(self, texts: Sequence[str]) -> list[int]:
        """Return one count per text, in order: the hot path, for many texts at once."""
        ...


class Estimator(ABC):
    """What our estimators share: :meth:`estimate` is a batch of one, plus remarks."""

    name: str
    method: Mode
    profile: TokenProfile

    @abstractmethod
    def count_batch(self, texts: Sequence[str]) -> list[int]:
        """Return one count per text, in order."""

    def remarks(self, text: str) -> tuple[Confidence, tuple[str, ...]]:
        """Return the profile's confidence, and a warning when lone surrogates were replaced."""
        return self.profile.confidence, surrogate_warning(replace_lone_surrogates(text)[1])

    def estimate(self, text: str) -> TokenEstimate:
        """Return the count of one text; raises :class:`UsageError` for anything but a text."""
        (count,) = self.count_batch([single_text(text)])
        return TokenEstimate(count, self.method, *self.remarks(text))


def replace_lone_surrogates(text: str) -> tuple[str, int]:
    """Return ``text`` with each lone surrogate as U+FFFD, and how many there were.

    A high and a low surrogate side by side become the character that they spell. Text without
    surrogates is returned as it is.
    """
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        fixed = text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
        return fixed, fixed.count("\ufffd") - text.count("\ufffd")
    return text, 0


def surrogate_warning(replaced: int) -> tuple[str, ...]:
    """Return the warning for ``replaced`` lone surrogates; none for 0."""
    if not replaced:
        return ()
    noun = "surrogate" if replaced == 1 else "surrogates"
    return (f"{replaced} lone {noun} counted as U+FFFD",)


def single_text(text: object) -> str:
    """Return ``text`` if it is one; raises :class:`UsageError` otherwise."""
    if not isinstance(text, str):
        raise UsageError("a token count needs a text", value=text, hint="decode bytes first")
    return text
