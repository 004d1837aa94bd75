"""What the prompts of a run cost, where those of a group begin with the same bytes.

All amounts are in millionths of a micro-unit: tokens times micro-units per million tokens, exact integers.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Rates:
    """Prices and the rules of a provider's prompt cache.

    Attributes
    ----------
    input, read, write
        Micro-units per million tokens: not cached, read from the cache, written to it.
    minimum, step
        A shorter prefix is not cached; beyond the minimum whole steps are.
    lead
        Tokens that lead every prompt whatever its units are: they are part of each prefix.
    pages_per_write
        Pages that are sent within the lifetime of one write; None where reads keep a prefix alive.
    """

    input: int
    read: int
    write: int
    minimum: int = 0
    step: int = 1
    lead: int = 0
    pages_per_write: int | None = None

    def writes(self, pages: int) -> int:
        """Return how many of ``pages`` calls in a row find the cache cold."""
        if self.pages_per_write is None:
            return min(pages, 1)
        return -(-pages // self.pages_per_write)

    def cached(self, prefix: int) -> int:
        """Return how many tokens of a prefix the cache holds."""
        if prefix < self.minimum:
            return 0
        return self.minimum + (prefix - self.minimum) // self.step * self.step

    def refund(self, pages: int) -> int:
        """Return what each cached token saves over ``pages`` calls; 0 where the cache would cost more."""
        writes = self.writes(pages)
        return max(0, pages * self.input - writes * self.write - (pages - writes) * self.read)

    def cost(self, pages: int, tokens: int, prefix: int) -> int:
        """Return the cost of ``pages`` prompts of ``tokens`` in all, each of which begins with ``prefix``."""
        return self.input * tokens - self.refund(pages) * self.cached(prefix)

    def break_even(self) -> int | None:
        """Return the smallest group for which a prefix is worth its write, or None."""
        if self.read >= self.input and self.write >= self.input:
            return None
        most = self.pages_per_write or max(2, 2 + self.write // max(1, self.input - self.read))
        return next((pages for pages in range(1, most + 1) if self.refund(pages) > 0), None)
