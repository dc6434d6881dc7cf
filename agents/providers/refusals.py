"""Refusals: which field of a request a server refused, read off the words it refused it with.

Servers say it in their own way: `Unsupported parameter: 'max_tokens'`, `extra_forbidden` at
`('body', 'stream_options')`, "does not support tools". A value that is refused is no trait.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

from agents.domain.model_servers.traits import COMPLETION_TOKENS, REASONING, Traits
from agents.providers.errors import ServerFailure
from agents.providers.sentences import sentence

FIXED = frozenset({"model", "messages"})
"""Fields without which there is no request."""
_REFUSING = frozenset({0, 400, 404, 405, 415, 422, 500, 501})
_PLAIN = frozenset({400, 422})
_VALUE = re.compile(
    r"too (?:large|high|big|many|long)|at most|exceed|less than|maximum (?:allowed|value|number)"
    r"|out of range|range of|(?:must|should) be (?:in|between|within|<|≤|\[|positive)|>\s*\d",
    re.IGNORECASE,
)
_TOO_LARGE = re.compile(r"tokens\W{1,3}(?:is|are) too (?:large|high|big)", re.IGNORECASE)
_MISSING = re.compile(
    r"missing|required|must be (?:passed|provided|sent|set|included|present)|pass(?:ed)? back"
    r"|not (?:provided|passed|included|found)|expected",
    re.IGNORECASE,
)
_UNKNOWN = (
    r"(?:unsupported|not (?:supported|support|permitted|allowed|accepted)|unrecogni[sz]ed|unknown"
    r"|unexpected|extra_forbidden|extra fields?|additional propert\w+|n't support|forbidden"
    r"|not a valid|not (?:yet )?implemented|not available|不支持)"
)
_TOOL = (
    r"(?:tools?(?:[ _-]?(?:use|using|usage|calls?|calling|choice))?"
    r"|function[ _-]?call(?:s|ing)?|functions)"
)
_NO_TOOLS = re.compile(
    rf"(?:n't|not|no longer|cannot|unable to)\s+support\w*\b[^.\n]{{0,80}}\b{_TOOL}(?![\w.\[])"
    rf"|\b{_TOOL}\b[^.\n]{{0,60}}\b(?:not|n't)\s+(?:\w+\s+)?"
    r"(?:support|enabled|available|allowed|permitted|implemented)"
    rf"|\bthat support {_TOOL}"
    r"|\btools?\b[^.\n]{0,40}\brequires? -"
    rf"|{_UNKNOWN}[^.\n]{{0,80}}(?<![\w.])tools(?![\w.\[])"
    r"|\bbody\W{1,5}tools\W{0,2}[\])]"
    r"|不支持\W{0,3}tools(?![\w.\[])|(?<![\w.])tools\W{0,3}(?:参数)?\W{0,3}不支持"
    r"|(?<![\w.])['\"`]?tools['\"`]? (?:was unexpected|is unsupported)",
    re.IGNORECASE,
)
_NO_SYSTEM = re.compile(
    r"system(?:[ _-](?:role|messages?|prompts?|instructions?))?\b[^.\n]{0,40}\bnot (?:\w+ )?"
    r"(?:support|enabled|allowed)|(?:n't|not) support[^.\n]{0,30}\bsystem\b"
    r"|developer instruction is not enabled|unsupported role\W+system",
    re.IGNORECASE,
)
_NO_STREAM = re.compile(
    r"stream(?:ing)?\b[^.\n]{0,40}\bnot (?:\w+ )?(?:support|enabled|allowed)"
    r"|(?:n't|not) support stream|verified to stream|stream must be false",
    re.IGNORECASE,
)
_KINDS = (("tools", _NO_TOOLS), ("system", _NO_SYSTEM), ("stream", _NO_STREAM))


@dataclass(frozen=True, slots=True)
class Learned:
    """What to do without from now on; `lasting`: it will be so the next time too.

    `message` is what the person is told, "" where it makes no difference to them.
    """

    field: str
    traits: Traits
    lasting: bool = True
    message: str = ""


def learn(traits: Traits, failure: ServerFailure, body: dict[str, Any]) -> Learned | None:
    """Returns how the request may be made again, None where no field of `body` was refused."""
    if failure.status not in _REFUSING:
        return None
    if failure.code == "context-too-long":
        return _of_limit(traits, failure, body)
    return (
        _of_messages(traits, failure, body)
        or _by_name(traits, failure, body)
        or _by_kind(traits, failure, body)
    )


def _by_name(traits: Traits, failure: ServerFailure, body: dict[str, Any]) -> Learned | None:
    if failure.status not in _PLAIN and not re.search(_UNKNOWN, failure.text, re.IGNORECASE):
        return None
    names = [name for name in body if name not in FIXED | {"stream", "tools"}]
    named = [name for name in names if _names(failure.text, name) or name == failure.param]
    if not named:
        return None
    name = failure.param if failure.param in named else min(named, key=len, default="")
    if name == "max_tokens" and _names(failure.text, "max_completion_tokens"):
        return Learned(
            name, traits.model_copy(update={"renamed": True}), message=sentence("renamed-limit")
        )
    if "tokens" in name and _VALUE.search(failure.text):
        return Learned(name, traits.without(name), lasting=False)
    return Learned(name, traits.without(name), message=sentence("left-out", field=name))


def _of_limit(traits: Traits, failure: ServerFailure, body: dict[str, Any]) -> Learned | None:
    """The conversation may fit, but not with the answer that was asked for (vLLM)."""
    name = next((one for one in ("max_tokens", COMPLETION_TOKENS) if one in body), "")
    asked = name and _names(failure.text, name) and _TOO_LARGE.search(failure.text)
    return Learned(name, traits.without(name), lasting=False) if asked else None


def _by_kind(traits: Traits, failure: ServerFailure, body: dict[str, Any]) -> Learned | None:
    for name, words in _KINDS:
        sent = name in body or (name == "system" and _has_system(body))
        if not sent or not (words.search(failure.text) or failure.param == name):
            continue
        return Learned(name, traits.without(name), message=_told(name, failure.reason))
    return None


def _of_messages(traits: Traits, failure: ServerFailure, body: dict[str, Any]) -> Learned | None:
    """What goes back with earlier answers may be refused, or missed."""
    if _names(failure.text, REASONING) and _MISSING.search(failure.text):
        wanted = traits.model_copy(update={"wants_reasoning": True})
        known = traits.wants_reasoning or REASONING in traits.left_out
        return None if known else Learned(REASONING, wanted)
    attached = sorted(_attached_names(body), key=len, reverse=True)
    name = next((one for one in attached if _names(failure.text, one)), "")
    return Learned(name, traits.without(name)) if name else None


def _attached_names(body: dict[str, Any]) -> set[str]:
    """Returns the names of what stands in messages besides role, content and calls."""
    own = {"role", "content", "tool_calls", "tool_call_id", "id", "type", "function"}
    messages = [one for one in body["messages"] if one["role"] == "assistant"]
    calls = [call for one in messages for call in one.get("tool_calls", ())]
    return {name for one in (*messages, *calls) for name in one} - own


def _has_system(body: dict[str, Any]) -> bool:
    return any(one["role"] == "system" for one in body["messages"])


def _names(text: str, name: str) -> bool:
    """Whether the text names the field, in snake or camel case or in words."""
    spelled = r"[_\- ]?".join(re.escape(part) for part in name.split("_"))
    return (
        re.search(rf"(?<![A-Za-z0-9_]){spelled}(?![A-Za-z0-9_])", text, re.IGNORECASE) is not None
    )


def _told(name: str, reason: str) -> str:
    if name == "tools":
        return sentence("no-tools", reason=reason)
    return "" if name == "system" else sentence("left-out", field=name)
