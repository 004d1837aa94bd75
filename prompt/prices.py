"""Prices: the user's own, as a file; none is shipped, for it would be stale in a week."""

from __future__ import annotations

from datetime import date
from fnmatch import fnmatchcase
from typing import ClassVar, Final, Literal

from pydantic import Field

from ..models import Currency, Micro, Model, SchemaError, UnknownReferenceError
from ..models.base import NonEmpty

MILLION: Final = 10**6


class Rates(Model):
    """What a million tokens of each class cost, in micro-units of the table's currency.

    3 dollars per million tokens is 3000000. Reads and writes that are left out cost what input costs.
    """

    input_per_million: Micro
    cached_input_per_million: Micro | None = Field(default=None, description="read from the cache")
    cache_write_per_million: Micro | None = Field(default=None, description="written to the cache")
    cache_write_long_per_million: Micro | None = Field(
        default=None, description="written to the cache to be kept for the provider's longer lifetime"
    )
    output_per_million: Micro | None = None


class Price(Rates):
    """Rates in an explicit currency: the price of one model."""

    currency: Currency

    @property
    def cache_read(self) -> int:
        """Micro-units for a million tokens read from the cache."""
        stated = self.cached_input_per_million
        return self.input_per_million if stated is None else stated

    def write(self, *, long_lived: bool) -> int:
        """Return micro-units for a million tokens written to the cache; ``invalid_price`` if unknown."""
        if long_lived:
            if self.cache_write_long_per_million is None:
                raise _unstated("cacheWriteLongPerMillion")
            return self.cache_write_long_per_million
        stated = self.cache_write_per_million
        return self.input_per_million if stated is None else stated

    def output(self) -> int:
        """Return micro-units for a million tokens of output; ``invalid_price`` where none are stated."""
        if self.output_per_million is None:
            raise _unstated("outputPerMillion")
        return self.output_per_million


class PriceTable(Model):
    """A user's file of prices: rates by the name of a model, or by a lower-case glob of names."""

    SCHEMA: ClassVar[str] = "price-table.v1"

    schema_version: Literal["price-table.v1"]
    currency: Currency
    as_of: date | None = None
    models: dict[NonEmpty, Rates]

    def price(self, model: str | None = None) -> Price:
        """Return the price of ``model``: by its exact name, else by the longest glob that matches.

        A table of one entry needs no name.

        Raises
        ------
        UnknownReferenceError
            ``unknown_price``: nothing matches, or several entries and no name.
        """
        name = "" if model is None else model.strip().lower()
        tails = (name, name.rpartition("/")[2])
        exact = [key for key in self.models if key.lower() in tails]
        globs = [key for key in self.models if name and any(fnmatchcase(t, key.lower()) for t in tails)]
        found = exact or sorted(globs, key=lambda key: (-len(key), key))
        if model is None and len(self.models) == 1:
            found = list(self.models)
        if not found:
            lacking = "no entry for this model" if model else "entries of several models"
            raise UnknownReferenceError(
                f"the price table has {lacking}",
                code="unknown_price",
                field="model",
                value=model,
                hint=f"it has: {', '.join(sorted(self.models)) or 'nothing'}",
            )
        return Price(currency=self.currency, **self.models[found[0]].model_dump())


def price_from(data: object) -> Price:
    """Return a price from plain data (:class:`Price` in camelCase).

    Raises
    ------
    SchemaError
        ``invalid_price``: an amount is no whole number of 0 or more, or the currency is missing.
    """
    try:
        return Price.from_data(data)
    except SchemaError as error:
        error.code = "invalid_price"
        raise


def _unstated(field: str) -> SchemaError:
    return SchemaError(
        "the price says nothing of tokens of this class",
        code="invalid_price",
        field=field,
        hint="add it to the price table, in micro-units per million tokens",
    )
