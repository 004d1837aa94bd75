"""Token counts: exact offline, approximate with a stated band, cached; and what is known of models."""

from .amounts import parse_tokens
from .approximate import ApproximateEstimator
from .base import (
    Confidence,
    Method,
    Mode,
    TokenEstimate,
    TokenEstimator,
    TokenProfile,
    replace_lone_surrogates,
)
from .cached import CachedEstimator, CountStore, MemoryStore
from .counter import CounterEstimator, check_counter, checked_count, plausible_count
from .exact import EXACT_ENCODINGS, ExactEstimator
from .huggingface import HuggingFaceEstimator
from .profiles import (
    DEFAULT_ENCODING,
    ModelSpec,
    estimator_for,
    find_profile,
    list_profiles,
    load_profiles,
    make_estimator,
    model_profile,
)
from .scaled import ScaledEstimator

__all__ = [
    "DEFAULT_ENCODING",
    "EXACT_ENCODINGS",
    "ApproximateEstimator",
    "CachedEstimator",
    "Confidence",
    "CountStore",
    "CounterEstimator",
    "ExactEstimator",
    "HuggingFaceEstimator",
    "MemoryStore",
    "Method",
    "Mode",
    "ModelSpec",
    "ScaledEstimator",
    "TokenEstimate",
    "TokenEstimator",
    "TokenProfile",
    "check_counter",
    "checked_count",
    "estimator_for",
    "find_profile",
    "list_profiles",
    "load_profiles",
    "make_estimator",
    "model_profile",
    "parse_tokens",
    "plausible_count",
    "replace_lone_surrogates",
]
