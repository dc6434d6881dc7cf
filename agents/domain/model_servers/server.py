"""The model endpoint of the site, as a value without its key."""

from __future__ import annotations

from typing import Literal
from urllib.parse import urlsplit

from maia_web.lib.values import Value

ModelServerKind = Literal["litellm", "openai", "demo"]
CHAT_PATH = "/v1/chat/completions"
MODELS_PATH = "/v1/models"
LONGEST_URL = 500


class ModelServerSettings(Value):
    """What an administrator chooses (seed M §7.3); sizes in tokens."""

    kind: ModelServerKind
    url: str = ""
    chat_path: str = CHAT_PATH
    models_path: str = MODELS_PATH
    model: str = ""
    context_size: int | None = None
    max_steps: int = 50
    max_output_tokens: int | None = None


class ModelServerInfo(ModelServerSettings):
    """The settings in force, and whether a key is kept; the key itself stays with the runtime."""

    has_key: bool = False


def url_problem(url: str) -> str | None:
    """Returns why `url` cannot be a server's address, in a word.

    One of "scheme", "credentials", "host", "extra" (a query or fragment) and "long".
    """
    try:
        parts = urlsplit(url)
        host, _port = parts.hostname, parts.port
    except ValueError:
        return "host"
    if parts.scheme not in {"http", "https"}:
        return "scheme"
    if parts.username is not None or parts.password is not None:
        return "credentials"
    if not host or any(letter.isspace() or not letter.isprintable() for letter in url):
        return "host"
    if len(url) > LONGEST_URL:
        return "long"
    return "extra" if parts.query or parts.fragment else None


def same_origin(one: str, other: str) -> bool:
    """Returns whether a key entered for one address may go to the other."""
    return _origin(one) == _origin(other)


def _origin(url: str) -> tuple[str, str, int | None]:
    parts = urlsplit(url)
    default = {"http": 80, "https": 443}.get(parts.scheme)
    return parts.scheme, parts.hostname or "", parts.port or default
