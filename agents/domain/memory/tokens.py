"""Tokens: counts what the model has in mind, offline and additively (seed M §13)."""

from __future__ import annotations

import json
import re
import threading
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from hashlib import blake2b
from typing import TYPE_CHECKING, Any, Protocol

from agents.domain.content.model_messages import Block, ModelMessage, TextBlock, ToolUseBlock
from agents.domain.memory import vocabulary
from agents.domain.memory.token_numbers import format_tokens, parse_token_count

if TYPE_CHECKING:
    from tiktoken import Encoding

__all__ = [
    "DescribedTool",
    "call_texts",
    "count_context",
    "count_if_short",
    "count_message",
    "count_text",
    "format_tokens",
    "load",
    "message_texts",
    "parse_token_count",
    "prompt_texts",
    "takes_no_time",
]

TOKENS_PER_MESSAGE = 4
LONGEST_PIECE = 50_000  # characters: a million spaces overflow the stack of tiktoken's regex
REMEMBERED = 20_000
SHORT = 4_000
"""Characters that are counted in less than half a millisecond, whatever they are."""
LOOKED_UP = 100_000
"""Characters of texts whose counts are looked up in less than half a millisecond."""

_LETTERS_UPPER = r"[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]"
_LETTERS_LOWER = r"[\p{Ll}\p{Lm}\p{Lo}\p{M}]"
_CONTRACTION = r"(?i:'s|'t|'re|'ve|'m|'ll|'d)?"
_PATTERN = "|".join(
    [
        rf"[^\r\n\p{{L}}\p{{N}}]?{_LETTERS_UPPER}*{_LETTERS_LOWER}+{_CONTRACTION}",
        rf"[^\r\n\p{{L}}\p{{N}}]?{_LETTERS_UPPER}+{_LETTERS_LOWER}*{_CONTRACTION}",
        r"\p{N}{1,3}",
        r" ?[^\s\p{L}\p{N}]+[\r\n/]*",
        r"\s*[\r\n]+",
        r"\s+(?!\S)",
        r"\s+",
    ]
)
_PIECE_END = re.compile(r"\n(?=[^\s/])")
_loading = threading.Lock()
_counts: dict[bytes, int] = {}


class DescribedTool(Protocol):
    """What counts of a tool: all that the model is told of it."""

    @property
    def name(self) -> str:
        """Its name."""

    @property
    def description(self) -> str:
        """Its description."""

    @property
    def input_schema(self) -> dict[str, Any]:
        """Its JSON Schema."""


def load() -> None:
    """Loads the vocabulary now (about half a second): call it in a thread before the first use."""
    _encoding()


def count_text(text: str) -> int:
    """Returns the number of tokens of `text`; what looks like a special token counts as text."""
    if not text:
        return 0
    key = _key(text)
    count = _counts.get(key)
    if count is None:
        encode = _encoding().encode_ordinary
        count = sum(len(encode(piece)) for piece in _pieces(text))
        if len(_counts) >= REMEMBERED:
            _counts.clear()
        _counts[key] = count
    return count


def count_context(
    system: str,
    messages: Iterable[ModelMessage],
    tools: Sequence[DescribedTool] = (),
    pending: Iterable[str] = (),
) -> int:
    """Returns the tokens of everything the model would be sent (seed M §13.1).

    Strictly additive: one message or one pending text more never makes it smaller.
    """
    return (
        sum(map(count_text, prompt_texts(system, tools)))
        + sum(count_message(message) for message in messages)
        + sum(count_text(text) for text in pending)
    )


def count_message(message: ModelMessage) -> int:
    """Returns the tokens of one message: 4 for its structure, and its blocks."""
    return TOKENS_PER_MESSAGE + sum(map(count_text, message_texts(message)))


def count_if_short(message: ModelMessage) -> int | None:
    """Returns the tokens of a message if that takes no time, None for a long one.

    None also as long as the vocabulary is not loaded.
    """
    return count_message(message) if takes_no_time(message_texts(message)) else None


def takes_no_time(texts: Iterable[str]) -> bool:
    """Says whether texts are counted in less than a millisecond, or were counted before."""
    if not _build.cache_info().currsize:
        return False
    all_of_them = tuple(texts)
    if sum(map(len, all_of_them)) > LOOKED_UP:
        return False
    return sum(len(text) for text in all_of_them if not _is_known(text)) <= SHORT


def _is_known(text: str) -> bool:
    return len(text) > SHORT and _key(text) in _counts


def _key(text: str) -> bytes:
    return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).digest()


def prompt_texts(system: str, tools: Sequence[DescribedTool]) -> list[str]:
    """Returns the texts that count of what the model is told besides the conversation."""
    return [system, *([_compact([_described(tool) for tool in tools])] if tools else [])]


def message_texts(message: ModelMessage) -> list[str]:
    """Returns the texts that count of a message, besides its structure."""
    return [text for block in message.content for text in _texts(block)]


def _texts(block: Block) -> tuple[str, ...]:
    if isinstance(block, TextBlock):
        return (block.text,)
    if isinstance(block, ToolUseBlock):
        return call_texts(block)
    return (block.content,)


def call_texts(call: ToolUseBlock) -> tuple[str, str]:
    """Returns the two texts that count of a tool call."""
    return call.name, _compact(call.input)


def _described(tool: DescribedTool) -> dict[str, Any]:
    return {
        "name": tool.name,
        "description": tool.description,
        "inputSchema": tool.input_schema,
    }


def _compact(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def _pieces(text: str) -> Iterator[str]:
    """Cuts a long text where a token ends anyway (a line's end), else at the limit."""
    start = 0
    while len(text) - start > LONGEST_PIECE:
        window = text[start : start + LONGEST_PIECE]
        ends = [match.end() for match in _PIECE_END.finditer(window)]
        length = ends[-1] if ends else LONGEST_PIECE
        yield window[:length]
        start += length
    yield text[start:]


@lru_cache(maxsize=1)
def _build() -> Encoding:
    from tiktoken import Encoding  # costs a cold start, and a turn needs it late

    return Encoding(
        "o200k_base", pat_str=_PATTERN, mergeable_ranks=vocabulary.ranks(), special_tokens={}
    )


def _encoding() -> Encoding:
    with _loading:
        return _build()
