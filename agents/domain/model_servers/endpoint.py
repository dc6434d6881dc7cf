"""Endpoint: where an OpenAI-compatible server answers, and with which key (seed M §7.3)."""

from __future__ import annotations

from dataclasses import dataclass, field
from urllib.parse import urlsplit

from agents.domain.model_servers.server import CHAT_PATH, MODELS_PATH

LOOPBACK = frozenset({"localhost", "127.0.0.1", "::1"})


@dataclass(frozen=True, slots=True)
class Endpoint:
    """The address of a server. `key` is a secret: it never shows in a representation.

    `guarded`: only the public internet and these hosts are reached; None for what an administrator
    entered.
    """

    url: str
    chat_path: str = CHAT_PATH
    models_path: str = MODELS_PATH
    key: str = field(default="", repr=False)
    max_output_tokens: int | None = None
    guarded: frozenset[str] | None = None

    @property
    def chat_url(self) -> str:
        """The full address of chat completions."""
        return join_url(self.url, self.chat_path)

    @property
    def models_url(self) -> str:
        """The full address of the list of models."""
        return join_url(self.url, self.models_path)

    @property
    def is_local(self) -> bool:
        """Whether the server is on this machine (then no proxy may stand between)."""
        try:
            return urlsplit(self.url).hostname in LOOPBACK
        except ValueError:
            return False


def join_url(base: str, path: str) -> str:
    """Joins without doubling or forgetting the slash; a `/v1` on both sides counts once."""
    base = base.strip().rstrip("/")
    path = path.strip().lstrip("/")
    if base.endswith("/v1") and (path == "v1" or path.startswith("v1/")):
        path = path.removeprefix("v1").lstrip("/")
    return f"{base}/{path}" if path else base
