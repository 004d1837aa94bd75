"""What is asked of a shared prefix: prices, loss, how many."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Final

from ..costing import rule_for
from ..models import UsageError
from ..prompt import CacheRule, Price, PriceTable
from ..solver.joint.rates import Rates

MOST_PREFIXES: Final = 16
"""Prefixes that may be asked for: each needs pages enough to pay for its write."""


def parse_share(text: str, *, option: str = "share") -> Fraction:
    """Return a share given as ``1%``, ``1 %`` or ``0.01``, exactly.

    Raises
    ------
    UsageError
        It is no share of 0 to 1.
    """
    given = text.strip()
    percent = given.endswith("%")
    try:
        share = Fraction(given.removesuffix("%").strip()) / (100 if percent else 1)
    except (ValueError, ZeroDivisionError):
        share = Fraction(-1)
    if not 0 <= share < 1:
        hint = "give a share below 1, such as 1% or 0.01"
        raise UsageError("is no share", field=option, value=text, hint=hint)
    return share


@dataclass(frozen=True)
class SharingOptions:
    """How prompts are to share what they begin with.

    Parameters
    ----------
    table
        The user's prices.
    loss
        Share of the total value of all pages that may be lost.
    prefixes
        How many different prefixes there may be.
    page_loss
        Share of its value that any one page may lose; None for no limit but that of the total.
    minimum
        The shortest prefix that is cached, instead of what is known of the model.
    long_lived
        Prefixes are written for the provider's longer lifetime, at its price.
    seconds_per_page
        How long one call takes: where given, a prefix is written anew when its lifetime is over. Without it,
        calls are taken to follow closely enough for each read to keep the prefix alive.
    exact
        Whether the joint program is solved as a whole; where it is small when None.

    Raises
    ------
    UsageError
        An option is out of its range.
    """

    table: PriceTable
    loss: Fraction = Fraction(1, 100)
    prefixes: int = 1
    page_loss: Fraction | None = None
    minimum: int | None = None
    long_lived: bool = False
    seconds_per_page: float | None = None
    exact: bool | None = None

    def __post_init__(self) -> None:
        for name, loss in (("max_value_loss", self.loss), ("max_page_loss", self.page_loss)):
            if loss is not None and not 0 <= loss < 1:
                hint = "accepted: a share from 0 to below 1"
                raise UsageError("is out of range", field=name, value=str(loss), hint=hint)
        if not 1 <= self.prefixes <= MOST_PREFIXES:
            hint = f"accepted: 1 to {MOST_PREFIXES}"
            raise UsageError("is out of range", field="prefixes", value=self.prefixes, hint=hint)
        if self.seconds_per_page is not None and not 0 < self.seconds_per_page < float("inf"):
            hint = "accepted: seconds, above 0"
            raise UsageError(
                "is out of range", field="seconds_per_page", value=self.seconds_per_page, hint=hint
            )

    def rule(self, model: str | None) -> CacheRule:
        """Return what is known of the cache of ``model``, or of the minimum that was given.

        Raises
        ------
        UsageError
            Neither says which prefixes are cached.
        UnknownReferenceError
            Nothing is known of the model's cache.
        """
        if model is None and self.minimum is None:
            raise UsageError(
                "nothing says which prefixes are cached",
                code="unknown_cache_rule",
                field="model",
                hint="name 'model' in the defaults of the tasks, or give --min-cacheable",
            )
        return rule_for(model or "", self.minimum)

    def rates(self, model: str | None, lead: int) -> Rates:
        """Return prices and rules for ``model``; ``lead`` are the tokens in front of the first unit.

        Raises
        ------
        UnknownReferenceError, SchemaError
            The table has no price for it.
        """
        price, rule = self.table.price(model), self.rule(model)
        return Rates(
            input=price.input_per_million,
            read=price.cache_read,
            write=price.write(long_lived=self.long_lived),
            # Where documents and practice differ, a prefix in between may be paid for in full.
            minimum=rule.safe_minimum if self.minimum is None else self.minimum,
            step=rule.step,
            lead=lead,
            pages_per_write=self._pages_per_write(rule),
        )

    def price(self, model: str | None) -> Price:
        """Return the price of ``model``."""
        return self.table.price(model)

    def _pages_per_write(self, rule: CacheRule) -> int | None:
        if self.seconds_per_page is None or not rule.lifetimes:
            return None
        seconds = (max if self.long_lived else min)(rule.lifetimes.values())
        return max(1, int(seconds / self.seconds_per_page))
