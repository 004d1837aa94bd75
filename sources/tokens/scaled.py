"""Estimates for models without a public tokenizer: a known vocabulary times a measured factor."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from .approximate import ApproximateEstimator
from .base import Confidence, Estimator, Mode, TokenEstimator, TokenProfile

_MILLI: Final = 1000


class ScaledEstimator(Estimator):
    """Estimates by ``max(ceil(base x factor), ceil(byte estimate x byteFactor))``.

    Parameters
    ----------
    base
        Counts a vocabulary that is at hand.
    profile
        Factors, band and confidence. Factors are applied in thousandths, in integers.
    """

    method: Mode = "approximate"

    def __init__(self, base: TokenEstimator, profile: TokenProfile) -> None:
        self._base = base
        self._bytes = ApproximateEstimator()
        self.profile = profile
        self._factor = round(profile.factor * _MILLI)
        self._byte_factor = round(profile.byte_factor * _MILLI)
        self.name = f"{base.name} x{self._factor}/1000"
        if self._byte_factor:
            self.name += f" | {self._bytes.name} x{self._byte_factor}/1000"

    def remarks(self, text: str) -> tuple[Confidence, tuple[str, ...]]:
        """Return the profile's confidence; the first warning states the band."""
        confidence, warnings = super().remarks(text)
        low, high = self.profile.band
        model = self.profile.model_id
        band = f"approximate count for {model}: true counts were seen from {low:g} to {high:g} times this"
        return confidence, (band, *warnings)

    def count_batch(self, texts: Sequence[str]) -> list[int]:
        """Return the estimate of each text, in order."""
        counts = [_scaled(count, self._factor) for count in self._base.count_batch(texts)]
        if not self._byte_factor:
            return counts
        floors = self._bytes.count_batch(texts)
        return [
            max(count, _scaled(floor, self._byte_factor)) for count, floor in zip(counts, floors, strict=True)
        ]


def _scaled(count: int, milli: int) -> int:
    return -(-count * milli // _MILLI)
