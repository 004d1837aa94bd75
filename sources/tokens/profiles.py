"""Model profiles: dated data about windows, limits and tokenizers, and the estimators they lead to."""

from __future__ import annotations

import difflib
import re
from datetime import date
from fnmatch import fnmatchcase
from functools import cache
from importlib import resources
from pathlib import Path
from typing import Annotated, Final, Self

from pydantic import Field, model_validator

from ...models import EnvelopeError, Model, ModelProfile, SchemaError, UnknownReferenceError, UsageError
from ...models.base import Listed, NonEmpty, Tokens
from .approximate import ApproximateEstimator
from .base import ANY, TokenEstimator, TokenProfile
from .exact import ExactEstimator
from .huggingface import HuggingFaceEstimator
from .scaled import ScaledEstimator

SCHEMA: Final = "model-profiles.v1"

DEFAULT_ENCODING: Final = "o200k_base"
"""Counted when neither model, encoding nor tokenizer is named: what most current models are near to."""

RESERVE_SHARE: Final = 8
"""One part in eight of the window is kept for the answer by default, as in the seed's 12k of 128k ..."""

RESERVE_CEILING: Final = 16_384
"""... but never more than this: a documentation page is shorter, whatever the window."""

# What hosts put around a model's name: routing prefixes, region and vendor prefixes, revisions.
_FINE_TUNE: Final = re.compile(r"^(?:[\w.-]+/)*ft:([^:]+)(:.*)?$")
_VENDOR: Final = re.compile(
    r"^(?:(?:us|eu|apac|global|jp|au|us-gov)\.)?(?:anthropic|openai|google|meta|mistral|qwen|deepseek)\."
)
_REVISION: Final = re.compile(r"(?:-v\d+)?(?::[\w.-]+)$|@[\w-]+$|\[1m\]$")


class ModelSpec(TokenProfile):
    """What is known of one model or family.

    Three limits are kept apart, since vendors mean different ones by "context": ``context_window``
    holds input and output together, ``max_input_tokens`` is a limit of the input alone where there is
    one, ``max_output_tokens`` bounds the answer.
    """

    match: Annotated[tuple[NonEmpty, ...], Listed] = Field(description="lower-case globs of model names")
    context_window: Annotated[Tokens, Field(gt=0)]
    max_input_tokens: Tokens | None = None
    max_output_tokens: Annotated[Tokens, Field(gt=0)]
    as_of: date
    source: NonEmpty

    @model_validator(mode="after")
    def _limits_fit(self) -> Self:
        if self.max_output_tokens > self.context_window or (self.max_input_tokens or 0) > self.context_window:
            raise ValueError("neither input nor output limit can exceed the window")
        return self

    @property
    def default_output_reserve(self) -> int:
        """Tokens kept for the answer unless told otherwise."""
        return min(self.max_output_tokens, self.context_window // RESERVE_SHARE, RESERVE_CEILING)

    def input_room(self, *, reserved_output: int | None = None, safety_margin: int = 0) -> int:
        """Return the tokens that an input may have: the window less reserves, within the input limit.

        Raises
        ------
        EnvelopeError
            Nothing is left, or the reserve exceeds the output limit; names window, input limit,
            output limit and reserve.
        """
        reserve = self.default_output_reserve if reserved_output is None else reserved_output
        facts = {
            "contextWindow": self.context_window,
            "maxInputTokens": self.max_input_tokens,
            "maxOutputTokens": self.max_output_tokens,
            "reservedOutputTokens": reserve,
            "reservedSafetyMarginTokens": safety_margin,
        }
        if reserve > self.max_output_tokens:
            raise EnvelopeError(
                f"{self.model_id} answers with at most {self.max_output_tokens} tokens",
                field="reservedOutputTokens",
                value=reserve,
                hint="reserve no more than the output limit",
                data=facts,
            )
        room = self.context_window - reserve - safety_margin
        if self.max_input_tokens is not None:
            room = min(room, self.max_input_tokens - safety_margin)
        if room < 1:
            raise EnvelopeError(
                f"{self.model_id} has a window of {self.context_window} tokens; {reserve} for the answer "
                f"and a margin of {safety_margin} leave no room for an input",
                field="reservedOutputTokens",
                value=reserve,
                hint="lower the reserve or the margin",
                data=facts,
            )
        return room


class _ProfileFile(Model):
    schema_version: NonEmpty
    profiles: Annotated[tuple[ModelSpec, ...], Listed]


@cache
def list_profiles() -> tuple[ModelSpec, ...]:
    """Return all profiles, in the order in which they are matched."""
    text = resources.files(__package__).joinpath("profiles.json").read_text(encoding="utf-8")
    return load_profiles(text, file="profiles.json")


def load_profiles(text: str, *, file: str) -> tuple[ModelSpec, ...]:
    """Return the profiles of JSON ``text``.

    Raises
    ------
    SchemaError
        Names ``file``, field and value.
    """
    content = _ProfileFile.from_json(text, file=file)
    if content.schema_version != SCHEMA:
        raise SchemaError(
            "unknown schema version",
            file=file,
            field="schemaVersion",
            value=content.schema_version,
            hint=f"this version of Satchel reads {SCHEMA}",
        )
    return content.profiles


def find_profile(model: str) -> ModelSpec:
    """Return the profile of a model under the name asked for; hosts' prefixes and revisions are understood.

    The first profile with a matching glob wins.

    Raises
    ------
    UnknownReferenceError
        Lists near matches, and says what works without a profile.
    """
    names = _spellings(model)
    for spec in list_profiles():
        if any(fnmatchcase(name, glob) for name in names for glob in spec.match):
            return spec.model_copy(update={"model_id": names[-1]})
    known = sorted({spec.model_id for spec in list_profiles()})
    near = difflib.get_close_matches(names[-1], known, n=3, cutoff=0.5)
    raise UnknownReferenceError(
        "no profile of this model",
        field="model",
        value=model,
        hint=(f"near: {', '.join(near)}; " if near else "")
        + "--encoding NAME or --tokenizer FILE works for any model",
        data={"near": near, "known": known},
    )


def make_estimator(
    *,
    model: str | None = None,
    encoding: str | None = None,
    tokenizer_file: str | Path | None = None,
    approximate: bool = False,
) -> TokenEstimator:
    """Return the estimator that was asked for; exact o200k_base counts when nothing was.

    Raises
    ------
    UsageError
        More than one of the four was given.
    UnknownReferenceError, FileError, BackendError
        The model or encoding is unknown, the file is no tokenizer, a package is missing.
    """
    asked = {
        "--model": model is not None,
        "--encoding": encoding is not None,
        "--tokenizer": tokenizer_file is not None,
        "--approximate": approximate,
    }
    chosen = [option for option, given in asked.items() if given]
    if len(chosen) > 1:
        raise UsageError(
            "tokens can be counted in one way only", value=" ".join(chosen), hint="give one of them"
        )
    if tokenizer_file is not None:
        return HuggingFaceEstimator(tokenizer_file)
    if approximate:
        return ApproximateEstimator()
    if model is not None:
        return estimator_for(find_profile(model))
    return ExactEstimator(encoding or DEFAULT_ENCODING)


def estimator_for(profile: TokenProfile) -> TokenEstimator:
    """Return the estimator that ``profile`` describes."""
    if profile.encoding is None:
        return ScaledEstimator(ApproximateEstimator(), profile)
    exact = ExactEstimator(profile.encoding)
    if profile.mode == "approximate":
        return ScaledEstimator(exact, profile)
    exact.profile = profile
    return exact


def model_profile(estimator: TokenEstimator) -> ModelProfile:
    """Return the artifact's record of whose tokens ``estimator`` counts; empty names where it is nobody's."""
    profile = estimator.profile
    return ModelProfile(
        provider="" if profile.provider == ANY else profile.provider,
        model="" if profile.model_id == ANY else profile.model_id,
        tokenizer=estimator.name,
        mode=estimator.method,
        factor=profile.factor,
    )


def _spellings(model: str) -> list[str]:
    """Return the name as given and without what hosts add, lower case; Claude's versions with dashes."""
    name = model.strip().lower()
    bare = _FINE_TUNE.sub(r"\1", name).rsplit("/", 1)[-1]
    bare = _REVISION.sub("", _VENDOR.sub("", bare))
    if bare.startswith("claude"):
        bare = bare.replace(".", "-")
    return [name, bare]
