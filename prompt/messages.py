"""A rendered prompt in the request shapes of the large providers, with cache markers where they go.

The guide is the system text; everything else is the user's turn, so that no text of a repository ever
speaks as the system. The parts joined are the prompt, byte by byte, in the order in which providers read
a request (system before messages), so the stable prefix stays one.

=============  ===================================================  =====================================
shape          what it is                                           a marker
=============  ===================================================  =====================================
``anthropic``  Messages: ``system`` and ``messages``                ``cache_control`` on the part it ends
``openai``     Chat Completions: ``messages``                       ``prompt_cache_breakpoint`` on it
``responses``  OpenAI Responses: ``instructions`` and ``input``     the same
``bedrock``    Amazon Bedrock Converse: ``system``, ``messages``    a ``cachePoint`` behind it
``gemini``     Gemini: ``systemInstruction`` and ``contents``       none: prefixes are found
=============  ===================================================  =====================================
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal, get_args

from ..models import UsageError
from .breakpoints import Marker
from .render import RenderedPrompt

Shape = Literal["anthropic", "openai", "responses", "bedrock", "gemini"]
"""Whose request it is."""

SHAPES: Final[tuple[Shape, ...]] = get_args(Shape)

DEFAULT_LIFETIME: Final = "5m"
"""Asked for by saying nothing, at the providers whose markers name lifetimes."""


@dataclass(frozen=True, slots=True)
class Part:
    """A piece of the prompt that becomes a content block; ``marker`` ends a cached prefix behind it."""

    text: str
    marker: Marker | None = None


def split_parts(rendered: RenderedPrompt, markers: Sequence[Marker] = ()) -> tuple[Part, ...]:
    """Return the prompt cut behind its guide, behind each marked unit, and behind its stable prefix.

    The texts joined are ``rendered.text``.

    Raises
    ------
    UsageError
        A marker names a unit that is not in the prompt, or stands behind the stable prefix.
    """
    ends = {span.id: span.end for span in rendered.spans}
    cuts: dict[int, Marker | None] = {_guide_end(rendered): None, rendered.prefix_end: None}
    for marker in markers:
        if (end := ends.get(marker.after_id)) is None or end > rendered.prefix_end:
            raise UsageError(
                "no unit of the stable prefix has this id",
                field="markers",
                value=marker.after_id,
                hint="place markers with plan_breakpoints on the report of this prompt",
            )
        cuts[end] = marker
    parts, start = [], 0
    for end in sorted({*cuts, len(rendered.text)}):
        if end > start:
            parts.append(Part(rendered.text[start:end], cuts.get(end)))
            start = end
    return tuple(parts)


def chat_request(rendered: RenderedPrompt, shape: str, markers: Sequence[Marker] = ()) -> dict[str, Any]:
    """Return the part of a provider's request that holds the prompt; model and limits are the caller's.

    Raises
    ------
    UsageError
        Unknown shape, or markers in a shape that has none.
    """
    if shape not in SHAPES:
        raise UsageError("unknown shape", field="shape", value=shape, hint=f"accepted: {', '.join(SHAPES)}")
    if shape == "gemini" and markers:
        raise UsageError(
            "this request takes no cache markers", field="markers", value=shape, hint="leave them out"
        )
    system, *rest = split_parts(rendered, markers)
    if shape == "anthropic":
        return {
            "system": [_anthropic(system)],
            "messages": [{"role": "user", "content": [_anthropic(part) for part in rest]}],
        }
    if shape == "bedrock":
        return {
            "system": _bedrock(system),
            "messages": [{"role": "user", "content": [block for part in rest for block in _bedrock(part)]}],
        }
    if shape == "gemini":
        return {
            "systemInstruction": {"parts": [{"text": system.text}]},
            "contents": [{"role": "user", "parts": [{"text": part.text} for part in rest]}],
        }
    if shape == "responses":
        content = [_openai(part, "input_text") for part in rest]
        request: dict[str, Any] = {
            "instructions": system.text,
            "input": [{"role": "user", "content": content}],
        }
    else:
        content = [_openai(part, "text") for part in rest]
        request = {
            "messages": [
                {"role": "system", "content": system.text},
                {"role": "user", "content": content},
            ]
        }
    if markers:
        # Without it the provider places one of its own, behind what changes at every call.
        request["prompt_cache_options"] = {"mode": "explicit"}
    return request


def _guide_end(rendered: RenderedPrompt) -> int:
    return (
        rendered.spans[0].start
        if rendered.spans and rendered.spans[0].end <= rendered.prefix_end
        else (rendered.prefix_end)
    )


def _anthropic(part: Part) -> dict[str, Any]:
    block: dict[str, Any] = {"type": "text", "text": part.text}
    if part.marker is not None:
        lifetime = part.marker.lifetime
        ttl = {"ttl": lifetime} if lifetime not in ("", DEFAULT_LIFETIME) else {}
        block["cache_control"] = {"type": "ephemeral", **ttl}
    return block


def _openai(part: Part, kind: str) -> dict[str, Any]:
    block: dict[str, Any] = {"type": kind, "text": part.text}
    if part.marker is not None:
        block["prompt_cache_breakpoint"] = {"mode": "explicit"}
    return block


def _bedrock(part: Part) -> list[dict[str, Any]]:
    blocks: list[dict[str, Any]] = [{"text": part.text}]
    if part.marker is not None:
        lifetime = part.marker.lifetime
        ttl = {"ttl": lifetime} if lifetime not in ("", DEFAULT_LIFETIME) else {}
        blocks.append({"cachePoint": {"type": "default", **ttl}})
    return blocks
