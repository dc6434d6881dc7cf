"""Addresses: which URLs and IP addresses the server may reach for a member or an agent."""

from __future__ import annotations

import ipaddress
from dataclasses import dataclass
from typing import Literal
from urllib.parse import urlsplit

from maia_web.lib.network.special_addresses import is_special

PORTS = frozenset({80, 443})
_DEFAULT_PORTS = {"http": 80, "https": 443}
Refusal = Literal["scheme", "credentials", "host", "port", "private", "unknown-host"]


class OutgoingRefused(Exception):
    """The guard refuses an address. `code` says why, `host` which one was meant."""

    def __init__(self, code: Refusal, host: str = "") -> None:
        super().__init__(f"{code}: {host}")
        self.code = code
        self.host = host


@dataclass(frozen=True, slots=True)
class Target:
    """Where a request goes."""

    scheme: str
    host: str
    port: int


def check_url(url: str, internal: frozenset[str] = frozenset()) -> Target:
    """Returns where `url` leads; raises `OutgoingRefused`. No name is resolved yet.

    `internal`: hosts an administrator named, as `host` or `host:port`.
    """
    try:
        parts = urlsplit(url)
        host, port = (parts.hostname or "").rstrip("."), parts.port
    except ValueError:
        raise OutgoingRefused("host") from None
    if parts.scheme not in _DEFAULT_PORTS:
        raise OutgoingRefused("scheme")
    if parts.username is not None or parts.password is not None:
        raise OutgoingRefused("credentials", host)
    if not host or any(letter.isspace() or not letter.isprintable() for letter in url):
        raise OutgoingRefused("host", host)
    port = _DEFAULT_PORTS[parts.scheme] if port is None else port
    target = Target(parts.scheme, host, port)
    check_port(target.host, target.port, internal)
    return target


def check_port(host: str, port: int, internal: frozenset[str]) -> None:
    """Raises `OutgoingRefused` for a port that is neither usual nor named by an administrator."""
    if port not in PORTS and f"{_name(host)}:{port}" not in internal:
        raise OutgoingRefused("port", host)


def is_internal(host: str, port: int, internal: frozenset[str]) -> bool:
    """Returns whether an administrator named this host (for this port)."""
    name = _name(host)
    return f"{name}:{port}" in internal or (port in PORTS and name in internal)


def is_public(address: str) -> bool:
    """Returns whether an IP address belongs to the public internet and hides no other one."""
    try:
        ip = ipaddress.ip_address(address.partition("%")[0])
    except ValueError:
        return False
    return not is_special(ip)


def _name(host: str) -> str:
    host = host.lower().rstrip(".")
    return f"[{host}]" if ":" in host else host
