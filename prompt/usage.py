"""What providers report as used tokens, on one footing: each token in one class, and in one only.

Providers count cached tokens in opposite directions: some state an input that includes them, some an input
beside them. Billing both as they stand charges cached tokens twice (K08, K09, K10).

=====================================  ==========================================================
record                                 input tokens …
=====================================  ==========================================================
Anthropic Messages                     are beside cache reads and cache writes
Amazon Bedrock Converse                are beside them too; where its total says otherwise, include them
OpenAI Chat Completions, Responses     include cached tokens and cache writes
Google Gemini (``usageMetadata``)      include cached content; thoughts are beside candidates
DeepSeek                               are the sum of cache hits and misses
=====================================  ==========================================================
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from ..models import SchemaError

_WRAPPERS = ("usage", "usageMetadata", "usage_metadata")
_NAMES = "give an object with input_tokens, prompt_tokens, inputTokens or promptTokenCount"
_NO_USAGE = "the provider sent no usage with it: leave it out, or ask for usage where answers are streamed"


@dataclass(frozen=True, slots=True)
class TokenUsage:
    """Tokens of one call, or of several, by the class in which they are billed.

    ``fresh`` input was neither read from nor written to a cache; ``cache_write_long`` was written for the
    provider's longer lifetime. ``output`` includes reasoning. ``model`` is the one that the record names, or
    empty.
    """

    fresh: int = 0
    cache_read: int = 0
    cache_write: int = 0
    cache_write_long: int = 0
    output: int = 0
    model: str = ""

    @property
    def input(self) -> int:
        """All input tokens, cached or not."""
        return self.fresh + self.cache_read + self.cache_write + self.cache_write_long


def normalise_usage(record: Mapping[str, Any]) -> TokenUsage:
    """Return the tokens of one record: a provider's usage object, or a response that holds one.

    Raises
    ------
    SchemaError
        ``invalid_usage``: it looks like no provider's; a count is no whole number of 0 or more; more tokens
        are cached than there are; or its counts contradict each other. A count that is missing or null is 0:
        an answer that was refused has no output.
    """
    found = _tokens(_Counts(_inner(record)))
    names = (record.get(key) for key in ("model", "modelVersion", "model_version", "modelId"))
    return replace(found, model=next((name for name in names if isinstance(name, str) and name), ""))


def _tokens(found: _Counts) -> TokenUsage:
    if "promptTokenCount" in found.record:
        return _gemini(found)
    if "inputTokens" in found.record:
        return _bedrock(found)
    if "prompt_tokens" in found.record:
        return _chat(found)
    if "input_tokens" in found.record:
        details = {"input_tokens_details", "output_tokens_details"} & found.record.keys()
        return _responses(found) if details else _anthropic(found)
    raise SchemaError(
        "looks like no provider's usage record",
        code="invalid_usage",
        field="usage",
        value=sorted(found.record),
        hint=_NO_USAGE if _lacks_usage(found.record) else _NAMES,
    )


def _lacks_usage(record: Mapping[str, Any]) -> bool:
    return any(name in record and record[name] is None for name in _WRAPPERS)


class _Counts:
    """Reads whole numbers from a record; what is missing or null is 0."""

    def __init__(self, record: Mapping[str, Any]) -> None:
        self.record = record

    def __call__(self, *path: str) -> int:
        value: Any = self.record
        for name in path:
            if value is not None and not isinstance(value, Mapping):
                raise SchemaError(
                    "is no object of token counts",
                    code="invalid_usage",
                    field=path[0],
                    value=value,
                    hint="give the record as the provider sent it",
                )
            value = None if value is None else value.get(name)
        if value is None:
            return 0
        if not isinstance(value, int) or isinstance(value, bool) or value < 0:
            raise SchemaError(
                "is not a token count",
                code="invalid_usage",
                field=".".join(path),
                value=value,
                hint="accepted: whole numbers, 0 or more",
            )
        return value

    def agree(self, name: str, parts: int) -> None:
        """Refuse a record whose count ``name``, where it is given, is not the sum of its parts."""
        if self.record.get(name) is not None and self(name) != parts:
            raise SchemaError(
                f"is not {parts}, what the record's other counts say",
                code="invalid_usage",
                field=name,
                value=self(name),
                hint="give the record as the provider sent it",
            )

    def without(self, whole: str, *parts: int) -> int:
        """Return ``whole`` less the parts that it includes."""
        rest = self(whole) - sum(parts)
        if rest < 0:
            raise SchemaError(
                f"is less than the {sum(parts)} cached tokens that it includes",
                code="invalid_usage",
                field=whole,
                value=self(whole),
                hint="give the record as the provider sent it",
            )
        return rest


def _inner(record: Mapping[str, Any]) -> Mapping[str, Any]:
    for name in _WRAPPERS:
        if isinstance(record.get(name), Mapping):
            return _inner(record[name])
    # The Python clients of Gemini write the same names with underscores.
    if "prompt_token_count" in record:
        return {_camel(name): value for name, value in record.items()}
    return record


def _camel(name: str) -> str:
    head, *rest = name.split("_")
    return head + "".join(word.capitalize() for word in rest)


def _anthropic(count: _Counts) -> TokenUsage:
    long = count("cache_creation", "ephemeral_1h_input_tokens")
    short = count("cache_creation", "ephemeral_5m_input_tokens")
    written = count("cache_creation_input_tokens") or long + short
    if long > written:
        raise SchemaError(
            "more tokens are written for an hour than in all",
            code="invalid_usage",
            field="cache_creation.ephemeral_1h_input_tokens",
            value=long,
            hint=f"cache_creation_input_tokens says {written}",
        )
    if long + short:
        count.agree("cache_creation_input_tokens", long + short)
    return TokenUsage(
        fresh=count("input_tokens"),
        cache_read=count("cache_read_input_tokens"),
        cache_write=written - long,
        cache_write_long=long,
        output=count("output_tokens"),
    )


def _bedrock(count: _Counts) -> TokenUsage:
    read, written = count("cacheReadInputTokens"), count("cacheWriteInputTokens")
    total, output = count("totalTokens"), count("outputTokens")
    includes = read + written > 0 and total == count("inputTokens") + output
    fresh = count.without("inputTokens", read, written) if includes else count("inputTokens")
    return TokenUsage(fresh=fresh, cache_read=read, cache_write=written, output=output)


def _chat(count: _Counts) -> TokenUsage:
    """Chat Completions, and what others send in its shape; of two spellings of a number the larger holds."""
    count.agree("input_tokens", count("prompt_tokens"))
    output, apart = count("completion_tokens"), count("completion_tokens_details", "reasoning_tokens")
    # Some that send this shape count reasoning beside the completion: their total says so.
    if apart and count.record.get("total_tokens") == count("prompt_tokens") + output + apart:
        output += apart
    count.agree("total_tokens", count("prompt_tokens") + output)
    if count.record.get("prompt_cache_miss_tokens") is not None:
        halves = count("prompt_cache_hit_tokens") + count("prompt_cache_miss_tokens")
        count.agree("prompt_tokens", halves)
    read = max(
        count("prompt_tokens_details", "cached_tokens"),
        count("prompt_cache_hit_tokens"),
        count("cache_read_input_tokens"),
    )
    written = max(count("prompt_tokens_details", "cache_write_tokens"), count("cache_creation_input_tokens"))
    return TokenUsage(
        fresh=count.without("prompt_tokens", read, written),
        cache_read=read,
        cache_write=written,
        output=output,
    )


def _responses(count: _Counts) -> TokenUsage:
    read = count("input_tokens_details", "cached_tokens")
    written = count("input_tokens_details", "cache_write_tokens")
    count.agree("total_tokens", count("input_tokens") + count("output_tokens"))
    return TokenUsage(
        fresh=count.without("input_tokens", read, written),
        cache_read=read,
        cache_write=written,
        output=count("output_tokens"),
    )


def _gemini(count: _Counts) -> TokenUsage:
    read, tools = count("cachedContentTokenCount"), count("toolUsePromptTokenCount")
    # The live API calls candidates a response.
    output = max(count("candidatesTokenCount"), count("responseTokenCount")) + count("thoughtsTokenCount")
    whole = count("promptTokenCount") + output
    if count.record.get("totalTokenCount") != whole:  # what tools brought is in some totals only
        count.agree("totalTokenCount", whole + tools)
    return TokenUsage(
        fresh=count.without("promptTokenCount", read) + tools,
        cache_read=read,
        output=output,
    )
