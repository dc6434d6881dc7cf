"""Written calls: tool calls that a model wrote into its text, as its server did not read them.

An agent may be quoting a file, so that such a text is no call by itself: people are told what an
administrator can switch on. It is read as a call only for a model that they marked so.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

from agents.providers.arguments import read_arguments

_OPENINGS = ("<tool_call>", "<function_call>", "<function=", "[TOOL_CALLS]", "<|python_tag|>")
_FENCED = re.compile(r"```.*?(?:```|\Z)|`[^`\n]*`", re.DOTALL)
_BLOCK = re.compile(
    r"<(?P<tag>tool_call|function_call)>(?P<in>.*?)(?:</(?P=tag)>|\Z)"
    r"|(?P<bare><function=.*?(?:</function>|\Z))"
    r"|(?:\[TOOL_CALLS\]|<\|python_tag\|>)(?P<rest>.*)\Z",
    re.DOTALL,
)
_FUNCTION = re.compile(r"<function=(?P<name>[^>\s]+)>(?P<in>.*?)(?:</function>|\Z)", re.DOTALL)
_PARAMETER = re.compile(r"<parameter=(?P<name>[^>\s]+)>\n?(?P<value>.*?)\n?</parameter>", re.DOTALL)
_PAIR = re.compile(
    r"<arg_key>(?P<name>.*?)</arg_key>\s*<arg_value>(?P<value>.*?)</arg_value>", re.DOTALL
)
_MISTRAL = re.compile(r"\s*(?P<name>[\w-]+)\s*(?:\[ARGS\])?\s*(?=\{)")

Written = tuple[str, dict[str, Any]]


class WrittenCalls:
    """Follows the text of one answer; `held` where its calls count, so that nobody reads them."""

    def __init__(self, tools: frozenset[str], *, held: bool = False) -> None:
        self._tools = tools
        self._held = held and bool(tools)
        self._said: list[str] = []
        self._kept = ""

    def feed(self, text: str) -> str:
        """Takes what the model says; returns what of it is shown now."""
        if not self._tools:
            return text
        if not self._held:
            self._said.append(text)
            return text
        self._kept += text
        at = min((at for one in _OPENINGS if (at := self._kept.find(one)) >= 0), default=-1)
        if at < 0:
            at = len(self._kept) - _half(self._kept)
        shown, self._kept = self._kept[:at], self._kept[at:]
        self._said.append(shown)
        return shown

    def finish(self) -> tuple[str, list[Written]]:
        """Returns the text that was held in vain, and the calls that count."""
        if not self._held:
            return "", []
        said = "".join(self._said)
        quoted = said.count("```") % 2 or said[said.rfind("\n") + 1 :].count("`") % 2
        calls = [] if quoted else [one for one in written_in(self._kept) if one[0] in self._tools]
        return ("", calls) if calls else (self._kept, [])

    @property
    def looks_like_one(self) -> bool:
        """Whether the text holds a call of one of the tools, outside of code."""
        text = "".join(self._said)
        if self._held or not any(one in text for one in _OPENINGS):
            return False
        return any(name in self._tools for name, _input in written_in(_FENCED.sub("", text)))


def written_in(text: str) -> Iterator[Written]:
    """Yields the calls that a text holds, as (name, input), in the forms of common templates."""
    for block in _BLOCK.finditer(text):
        yield from _calls(block["in"] or block["bare"] or block["rest"] or "")


def _calls(inner: str) -> Iterator[Written]:
    functions = list(_FUNCTION.finditer(inner))
    for one in functions:
        found = _PARAMETER.finditer(one["in"])
        yield one["name"], {pair["name"]: _value(pair["value"]) for pair in found}
    if functions:
        return
    pairs = {pair["name"].strip(): _value(pair["value"]) for pair in _PAIR.finditer(inner)}
    if pairs:
        yield inner[: inner.index("<arg_key>")].strip(), pairs
        return
    named = _MISTRAL.match(inner)
    if named is not None:
        value = read_arguments([inner[named.end() :]]).value
        if value is not None:
            yield named["name"], value
        return
    yield from _objects(inner.strip())


def _objects(text: str) -> Iterator[Written]:
    """Reads `{"name": …, "arguments": {…}}`, one after the other or in a list."""
    try:
        values = json.loads(text, strict=False)
    except (ValueError, RecursionError):
        values = read_arguments([text]).value
    for one in values if isinstance(values, list) else [values]:
        if not isinstance(one, dict) or not isinstance(one.get("name"), str):
            continue
        given = one.get("arguments", one.get("parameters", {}))
        value = given if isinstance(given, dict) else read_arguments([str(given)]).value
        if value is not None:
            yield one["name"], value


def _value(text: str) -> Any:
    """Returns a number, list or object that stands for itself; every other text is a text."""
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return text
    return text if isinstance(value, str) else value


def _half(text: str) -> int:
    """Returns how many of the last characters may begin a call."""
    longest = min(len(text), max(map(len, _OPENINGS)) - 1)
    sizes = range(longest, 0, -1)
    return next(
        (size for size in sizes if any(one.startswith(text[-size:]) for one in _OPENINGS)), 0
    )
