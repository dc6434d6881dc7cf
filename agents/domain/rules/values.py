"""ValueRules: patterns on an address, a name, an MCP tool, or any text value of the input."""

from __future__ import annotations

import contextlib
import ipaddress
import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import unquote, urlsplit

from agents.domain.rules.text import FAMILIES, Family
from agents.domain.rules.verdict import Rule
from agents.domain.shell.patterns import Wildcard
from agents.domain.shell.wildcard_index import WildcardIndex
from agents.domain.tools.input import BadInput
from agents.domain.tools.kinds import Number
from workspaces.domain.names import all_forms

_PLAIN_URL = re.compile(r"https?://([A-Za-z0-9._-]+|\[[0-9A-Fa-f:.]+\])(?::[0-9]{1,5})?(?:[/?#]|$)")
_UNSAFE = re.compile(r"[\x00-\x20\x7f-\xa0\\\u2028\u2029\ufeff\u200b-\u200f]")
MAX_VALUES = 10_000
"""Values of a call that rules look at; a call with more asks."""


def plain_host(url: str) -> str | None:
    """Returns the host of a plain http(s) address; None if two readers may disagree on it."""
    found = _PLAIN_URL.match(url)
    if found is None or _UNSAFE.search(url):
        return None
    return found[1].lower().rstrip(".") or None


def possible_hosts(url: str) -> set[str]:
    """Returns every host some reader may see in `url`, for deny and ask."""
    cleaned = re.sub(r"[\t\r\n]", "", url).strip().replace("\\", "/")
    found: set[str] = set()
    for text in (url, cleaned):
        authority = re.split(r"[/?#]", text.partition("//")[2], maxsplit=1)[0]
        host = authority.rpartition("@")[2]
        found.update({host, host.rpartition(":")[0]})
        try:
            found.add(urlsplit(text).hostname or "")
        except ValueError:
            continue
    return {form for host in found for form in _host_forms(host) if form}


def _host_forms(host: str) -> set[str]:
    """Returns `host` in each spelling: plain, as IDNA writes it, as the IP address it means."""
    plain = unquote(host).lower().rstrip(".")
    forms = {plain}
    with contextlib.suppress(UnicodeError):
        forms.add(plain.encode("idna").decode())
    return forms | {address for form in forms for address in _address_forms(form)}


def _address_forms(host: str) -> Iterator[str]:
    """Yields the usual spellings of an IP address: `127.1` and `0x7f000001` are 127.0.0.1."""
    with contextlib.suppress(ValueError):
        yield str(ipaddress.IPv4Address(_number(host)))
    with contextlib.suppress(ValueError):
        address = ipaddress.IPv6Address(host.strip("[]"))
        yield from (str(address), f"[{address}]")
        if address.ipv4_mapped is not None:
            yield str(address.ipv4_mapped)


def _number(host: str) -> int:
    """Reads an IPv4 address as C does: one to four numbers, `0x` and `0` as in C.

    Raises ValueError for anything else.
    """
    parts = host.split(".")
    numbers = [int(part, 8 if re.fullmatch("0[0-7]+", part) else 0) for part in parts]
    *bytes_before, rest = numbers
    if len(parts) > 4 or rest >= 256 ** (5 - len(parts)) or any(n > 255 for n in bytes_before):
        raise ValueError(host)
    return sum(n << (24 - 8 * at) for at, n in enumerate(bytes_before)) + rest


@dataclass(frozen=True, slots=True)
class ValueRules:
    """The rules of one family for a tool, by what they say of a text; few are compared with it.

    `is_strict`: a deny or ask is about a text in all forms of its letters and blanks.
    """

    index: WildcardIndex[Rule]
    is_strict: bool

    @classmethod
    def by_family(
        cls, rules: Iterable[Rule], patterns: Callable[[Rule], Iterable[Wildcard]]
    ) -> dict[Family, ValueRules]:
        """Compiles `rules`, each as the `patterns` that it is compared as."""
        kept = list(rules)
        return {
            family: cls(
                WildcardIndex(
                    (form, rule)
                    for rule in kept
                    if rule.entry.family == family
                    for pattern in patterns(rule)
                    for form in (pattern.forms if family != "allow" else (pattern,))
                ),
                family != "allow",
            )
            for family in FAMILIES
        }

    def matching(self, texts: Iterable[str]) -> Iterator[tuple[Rule, str]]:
        """Yields the rules that match any of `texts`, in their order, each with the first one."""
        found: dict[int, tuple[Rule, str]] = {}
        for text in dict.fromkeys(texts):
            for form in all_forms((text,)) if self.is_strict else (text,):
                for rule in self.index.matching(form):
                    found.setdefault(rule.position, (rule, text))
        return (found[position] for position in sorted(found))


def text_patterns(rule: Rule) -> Iterator[Wildcard]:
    """Yields what a rule on a text is compared as: `*` is any run of characters."""
    yield Wildcard.of(rule.parsed.pattern or "", rule.parsed.star)


def host_patterns(rule: Rule) -> Iterator[Wildcard]:
    """Yields the hosts that `domain:host` is about; of a deny or ask, the host in each spelling."""
    pattern = rule.parsed.pattern or ""
    if not pattern.startswith("domain:"):
        return
    wanted = pattern[7:].strip().lower().rstrip(".")
    is_wide = rule.entry.family != "allow" and "*" not in wanted
    yield from map(Wildcard.of, _host_forms(wanted) if is_wide else {wanted})


def server_patterns(rule: Rule) -> Iterator[Wildcard]:
    """Yields what `Mcp(server[,tool])` may be about, as `server_text` writes it."""
    server, comma, tool = (text.strip() for text in (rule.parsed.pattern or "*").partition(","))
    yield Wildcard.of(server_text(server, tool if comma else "*"))


def server_text(server: str, tool: str) -> str:
    """Writes a server and its tool, or wildcards for them, as one text."""
    return f"{server}\n{tool}"


def mcp_names(tool: str) -> list[tuple[str, str]]:
    """Returns each (server, tool) that `mcp__server__tool` may mean; usually one.

    A server's key holds no `__` (seed M §22), so only `_` beside it leaves a choice.
    """
    if not tool.startswith("mcp__"):
        return []
    rest = tool[5:]
    places = [at for at in range(1, len(rest) - 2) if rest.startswith("__", at)]
    return [(rest[:at], rest[at + 2 :]) for at in places if "__" not in rest[:at]]


def mcp_matches(pattern: str, server: str, tool: str, *, wide: bool) -> bool:
    """Compares `server[,tool]`; `*` is every server.

    `wide` (deny, ask) takes any wildcard, and all forms of letters and blanks.
    """
    wanted, comma, wanted_tool = (text.strip() for text in pattern.partition(","))
    is_server = wanted in ("*", server) or (wide and _fits(wanted, server))
    fits = _fits if wide else lambda text, name: Wildcard.of(text).matches(name)
    return is_server and (not comma or fits(wanted_tool, tool))


def _fits(wanted: str, text: str) -> bool:
    """Says whether a text fits in any form of its letters and blanks."""
    forms = tuple(all_forms((text,)))
    return any(one.matches(form) for one in Wildcard.of(wanted).forms for form in forms)


def text_values(input: Mapping[str, Any], *, nested: bool) -> Iterator[str]:
    """Yields the values of a call as text; nested ones too for deny and ask.

    The first `MAX_VALUES` only: see `has_many_values`.
    """
    todo: list[Any] = list(input.values())
    for _ in range(MAX_VALUES):
        if not todo:
            return
        value = todo.pop()
        if isinstance(value, str):
            yield value
            if nested:
                yield from _texts_as_number(value)
        elif isinstance(value, bool | int | float):
            yield from _number_texts(value)
        elif nested and isinstance(value, dict):
            todo.extend(value.values())
        elif nested and isinstance(value, list | tuple):
            todo.extend(value)


def has_many_values(input: Mapping[str, Any]) -> bool:
    """Says whether `text_values` leaves something out."""
    todo: list[Any] = list(input.values())
    seen = 0
    while todo and seen <= MAX_VALUES:
        value = todo.pop()
        seen += 1
        if isinstance(value, dict | list | tuple):
            todo.extend(value.values() if isinstance(value, dict) else value)
    return seen > MAX_VALUES


def _texts_as_number(text: str) -> Iterator[str]:
    """A tool may read "5.0" as the number 5."""
    with contextlib.suppress(BadInput):
        yield from _number_texts(Number().read(text))


def _number_texts(value: bool | int | float) -> Iterator[str]:
    if isinstance(value, int) and not isinstance(value, bool) and value.bit_length() > 4_096:
        return
    yield json.dumps(value)
    if isinstance(value, float) and value.is_integer():
        yield str(int(value))
