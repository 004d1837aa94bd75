"""Conversations as providers' requests hold them: read into turns, and written back untouched.

A message is kept as it came; only what the model reads of it is counted: its texts, and calls and results
of tools as JSON. Half characters (``"\\ud800"`` alone) stay escapes, and are counted as U+FFFD.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final

from .files import read_bytes
from .models import SchemaError
from .models.reading import load_json, without_surrogates
from .prompt import Turn

_LISTS: Final = ("messages", "input", "contents")
"""Where a request holds its conversation: OpenAI and Anthropic, OpenAI Responses, Gemini."""

_FIRM: Final = frozenset({"system", "developer"})
"""Roles whose messages stay."""

_ASKED: Final = ("arguments", "input", "action", "operation")
"""Where an item of the Responses API that calls a tool says what it asks for."""

_SURROGATE: Final = re.compile("[\ud800-\udfff]")


@dataclass(frozen=True)
class History:
    """A conversation.

    Attributes
    ----------
    request
        The request around it, without it; None for a bare list or lines.
    key
        Where in the request it stands.
    lines
        Whether it came one message a line.
    in_parts
        Whether its messages hold ``parts``, as Gemini's do, instead of ``content``.
    in_blocks
        Whether all content is lists of parts without a type, as Bedrock's is.
    uncounted
        Parts that are no text, such as pictures: they are kept and not counted.
    """

    turns: tuple[Turn, ...]
    request: dict[str, Any] | None
    key: str
    lines: bool
    in_parts: bool
    uncounted: int
    in_blocks: bool = False

    def summary(self, text: str) -> dict[str, Any]:
        """Return a message of the user that holds ``text``, in the shape of this conversation."""
        if self.in_parts:
            return {"role": "user", "parts": [{"text": text}]}
        if self.in_blocks:
            return {"role": "user", "content": [{"text": text}]}
        return {"role": "user", "content": text}

    def write(self, turns: tuple[Turn, ...]) -> str:
        """Return ``turns`` as text in the shape in which the conversation came."""
        messages = [self.summary(turn.text) if turn.raw is None else turn.raw for turn in turns]
        if self.lines:
            return "".join(_written(message) + "\n" for message in messages)
        whole = messages if self.request is None else {**self.request, self.key: messages}
        return _written(whole, indent=2) + "\n"


def read_history(path: str | Path) -> History:
    """Read a conversation: a request, a list of messages, or one message a line.

    Requests and messages of OpenAI (Chat Completions and Responses), Anthropic and Gemini are understood.

    Raises
    ------
    FileError
        The file is missing or unreadable.
    SchemaError
        ``invalid_history``: it is no conversation; names the message at fault.
    """
    data = read_bytes(Path(path)).removeprefix(b"\xef\xbb\xbf")
    file = str(path)
    try:
        whole = _untouched(data, load_json(data, file=file))
    except SchemaError:
        messages = _by_line(data, file)
        if messages is None:
            raise
        return _history(messages, None, "messages", file, lines=True)
    if isinstance(whole, list):
        return _history(whole, None, "messages", file)
    if isinstance(whole, dict):
        for key in _LISTS:
            if isinstance(whole.get(key), list):
                return _history(whole[key], whole, key, file)
        if "role" in whole or "type" in whole:
            return _history([whole], None, "messages", file, lines=True)
    raise _invalid("holds no conversation", file, "", f"give a list of messages, or {', '.join(_LISTS)}")


def _by_line(data: bytes, file: str) -> list[Any] | None:
    lines = [(i, line) for i, line in enumerate(data.splitlines(), 1) if line.strip()]
    if len(lines) < 2 or not lines[0][1].rstrip().endswith(b"}"):
        return None
    return [_untouched(line, load_json(line, file=file, line=i)) for i, line in lines]


def _untouched(data: bytes, mended: Any) -> Any:
    """Return what ``data`` holds with its half characters, which the reader of files has mended."""
    return json.loads(data) if b"\\ud" in data or b"\\uD" in data else mended


def _written(data: Any, indent: int | None = None) -> str:
    text = json.dumps(data, ensure_ascii=False, indent=indent)
    # Inside JSON they stand in texts only, so that an escape means the same.
    return _SURROGATE.sub(lambda match: f"\\u{ord(match[0]):04x}", text)


def _history(
    messages: list[Any], request: dict[str, Any] | None, key: str, file: str, *, lines: bool = False
) -> History:
    reader = _Reader(file)
    try:
        turns = tuple(reader.turn(i, message) for i, message in enumerate(messages))
    except RecursionError:
        raise _invalid("is nested too deeply", file, "", "give results of tools as text") from None
    turns = _with_reasoning(turns)
    in_parts = bool(messages) and all("parts" in message for message in messages)
    contents = [message.get("content") for message in messages]
    in_blocks = bool(contents) and all(isinstance(content, list) for content in contents)
    in_blocks = in_blocks and not any(
        isinstance(part, str) or (isinstance(part, dict) and "type" in part)
        for content in contents
        for part in content
    )
    return History(turns, request, key, lines, in_parts, reader.uncounted, in_blocks)


def _with_reasoning(turns: tuple[Turn, ...]) -> tuple[Turn, ...]:
    """Return ``turns``, each item of reasoning bound to the one behind it: providers refuse one alone."""
    bound = list(turns)
    for i in range(len(bound) - 1):
        if bound[i].raw.get("type") == "reasoning":
            name = f"reasoning {i}"
            bound[i] = replace(bound[i], calls=(*bound[i].calls, name))
            bound[i + 1] = replace(bound[i + 1], results=(*bound[i + 1].results, name))
    return tuple(bound)


class _Reader:
    """Reads messages in order; calls without an id are numbered by the name of their tool.

    A result with an id that no call has answers the oldest of the calls without one that wait for an answer.
    """

    def __init__(self, file: str) -> None:
        self.file = file
        self.uncounted = 0
        self._called: Counter[str] = Counter()
        self._answered: Counter[str] = Counter()
        self._open: list[str] = []
        self._nameless = 0
        self._ours: dict[str, None] = {}
        self._given: set[str] = set()

    def turn(self, index: int, message: object) -> Turn:
        if not isinstance(message, dict) or not ({"role", "type", "parts"} & message.keys()):
            hint = "give an object with role and content"
            raise _invalid("is no message", self.file, f"[{index}]", hint)
        if not isinstance(message.get("role", ""), str | None):
            raise _invalid("is no role", self.file, f"[{index}].role", "give a text, such as user")
        texts: list[str] = []
        calls: list[str] = []
        results: list[str] = []
        for text, call, result in self._parts(message):
            texts.append(text)
            calls += [call] if call else []
            results += [result] if result else []
        self._given.update(name for name in calls if name not in self._ours)
        results = [self._paired(name) for name in results]
        role = message.get("role")
        if not isinstance(role, str) or not role:
            role = (
                "assistant" if calls or message.get("type") == "reasoning" else "tool" if results else "user"
            )
        return Turn(
            role=role,
            text=without_surrogates("\n".join(text for text in texts if text)),
            calls=tuple(calls),
            results=tuple(results),
            pinned=role in _FIRM,
            raw=message,
        )

    def _parts(self, message: Mapping[str, Any]) -> Iterator[tuple[str, str, str]]:
        """Yield the text of each part, the id of the call that it makes, and of the one that it answers."""
        yield from self._item(message)
        content = message.get("content", message.get("parts"))
        answered = self._answer(message)
        if isinstance(content, str):
            yield content, "", answered
        elif isinstance(content, list):
            for part in content:
                yield self._part(part)
            if answered:
                yield "", "", answered
        else:
            self.uncounted += content is not None
            if answered:
                yield "", "", answered
        asked = message.get("tool_calls")
        for call in asked if isinstance(asked, list) else ():
            inner = call.get("function", call) if isinstance(call, dict) else None
            if isinstance(inner, dict):
                name = str(call.get("id") or "") or self._called_as(inner)
                yield _json(inner, "name", "arguments"), name, ""
            else:
                self.uncounted += 1
        if isinstance(asked := message.get("function_call"), dict):
            yield _json(asked, "name", "arguments"), self._called_as(asked), ""

    def _item(self, message: Mapping[str, Any]) -> Iterator[tuple[str, str, str]]:
        """Yield what an item of the Responses API holds besides ``content``."""
        kind = str(message.get("type") or "")
        if kind == "reasoning":
            yield self._nested(message.get("summary")), "", ""
            self.uncounted += bool(message.get("encrypted_content"))
        elif kind == "mcp_approval_request":
            yield _json(message, "name", "arguments"), str(message.get("id", "")), ""
        elif kind == "mcp_approval_response":
            yield _text(message.get("approve")), "", str(message.get("approval_request_id", ""))
        elif kind.endswith("_call"):
            parts = [name for name in ("name", *_ASKED) if name in message]
            # The calls that a provider makes itself have no call_id: nothing answers them.
            yield _json(message, *parts), str(message.get("call_id", "")), ""
        elif kind.endswith("_call_output"):
            yield _text(message.get("output")), "", str(message.get("call_id") or message.get("id") or "")

    def _answer(self, message: Mapping[str, Any]) -> str:
        """Return the id of the call that a message answers as a whole; some shapes give a name only."""
        role = message.get("role")
        if role not in ("tool", "function") or message.get("tool_call_id"):
            return str(message.get("tool_call_id") or "")
        name = str(message.get("name") or message.get("tool_name") or "")
        waits = self._called[name] > self._answered[name]
        return _numbered(self._answered, {"name": name}) if waits or role == "function" else ""

    def _part(self, part: object) -> tuple[str, str, str]:
        if isinstance(part, str):
            return part, "", ""
        if not isinstance(part, dict):
            self.uncounted += 1
            return "", "", ""
        kind = str(part.get("type") or "")
        # The caller's tools, and those that Anthropic runs itself or through MCP: server_tool_use and others.
        if kind.endswith("tool_use"):
            return _json(part, "name", "input"), self._opened(part.get("id")), ""
        if kind.endswith("tool_result"):
            return self._nested(part.get("content")), "", self._closed(part.get("tool_use_id"))
        if isinstance(call := part.get("toolUse"), dict):  # Bedrock's Converse
            return _json(call, "name", "input"), self._opened(call.get("toolUseId")), ""
        if isinstance(answer := part.get("toolResult"), dict):
            return self._nested(answer.get("content")), "", self._closed(answer.get("toolUseId"))
        if isinstance(thought := part.get("reasoningContent"), dict):
            return _text_of(thought.get("reasoningText")), "", ""
        if isinstance(call := part.get("functionCall", part.get("function_call")), dict):
            return _json(call, "name", "args"), self._called_as(call), ""
        if isinstance(answer := part.get("functionResponse", part.get("function_response")), dict):
            return _json(answer, "name", "response"), "", _numbered(self._answered, answer)
        for name in ("text", "thinking", "refusal"):
            if isinstance(part.get(name), str):
                return part[name], "", ""
        if "json" in part:  # in a result of Bedrock's
            return _text(part["json"]), "", ""
        self.uncounted += 1
        return "", "", ""

    def _called_as(self, call: Mapping[str, Any]) -> str:
        name = _numbered(self._called, call)
        if not call.get("id"):
            self._ours[name] = None
        return name

    def _paired(self, name: str) -> str:
        """Return the id of the call that the result ``name`` answers."""
        if name not in self._ours and name not in self._given and self._ours:
            name = next(iter(self._ours))
        self._ours.pop(name, None)
        return name

    def _opened(self, given: object) -> str:
        """Return the id of a call, one of ours where it has none."""
        name = str(given or "")
        if not name:
            self._nameless += 1
            name = f"call {self._nameless}"
            self._ours[name] = None
        self._open.append(name)
        return name

    def _closed(self, given: object) -> str:
        """Return the id of the call that a result answers: the oldest open one where it names none."""
        name = str(given or "") or (self._open[0] if self._open else "")
        if name in self._open:
            self._open.remove(name)
        return name

    def _nested(self, content: object) -> str:
        if isinstance(content, list):
            return "\n".join(self._part(part)[0] for part in content)
        return _text(content)


def _text_of(part: object) -> str:
    return _text(part.get("text")) if isinstance(part, dict) else ""


def _numbered(counter: Counter[str], part: Mapping[str, Any]) -> str:
    if part.get("id"):
        return str(part["id"])
    name = str(part.get("name", ""))
    counter[name] += 1
    return f"{name} {counter[name]}"


def _json(part: Mapping[str, Any], *names: str) -> str:
    return " ".join(_text(part.get(name)) for name in names)


def _text(value: object) -> str:
    return "" if value is None else value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _invalid(message: str, file: str, field: str, hint: str) -> SchemaError:
    return SchemaError(message, code="invalid_history", file=file, field=field or None, hint=hint)
