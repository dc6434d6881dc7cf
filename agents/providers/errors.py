"""Errors: the one place where what a server or the network says becomes a `ProviderError`."""

from __future__ import annotations

import re
import ssl
from collections.abc import Mapping
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Any
from urllib.parse import urlsplit

from agents.engine.ports.model import ProviderError
from agents.providers.clean import clean_text, read_json
from agents.providers.sentences import sentence
from maia_web.lib.logs import redact
from maia_web.lib.network.addresses import OutgoingRefused

LONGEST_DETAILS = 500
LONGEST_REASON = 200

_TOO_LONG = re.compile(
    r"input is too long|prompt is too long|context_length_exceeded|maximum context length"
    r"|ContextWindowExceeded|exceed_context_size|exceeds the available context"
    r"|context (?:window|length) (?:is )?exceeded|exceeds? the (?:model'?s )?context"
    r"|reduce the length of the messages|input token count.{0,40}exceeds",
    re.IGNORECASE,
)
_NO_MODEL = re.compile(
    r"no healthy deployments|model_not_found|invalid model name|unknown model"
    r"|model\b.{0,120}(?:does not exist|not found|is not available)",
    re.IGNORECASE,
)
_BAD_KEY = re.compile(
    r"no connected db|invalid api key|incorrect api key|no api key", re.IGNORECASE
)
_QUOTA = re.compile(r"insufficient_quota|exceeded your current quota", re.IGNORECASE)
_WAIT = re.compile(r"try again in (\d+(?:\.\d+)?) ?s", re.IGNORECASE)
_HTML = re.compile(r"<(?:!doctype|html|head|body)\b", re.IGNORECASE)
_PASSING = frozenset({408, 409, 425, 429, 500, 502, 503, 504, 529})
_PASSING_CODES = frozenset({"rate-limited", "server-error", "stream-error"})


class ServerFailure(ProviderError):
    """A `ProviderError` that knows whether trying again may help, and after how many seconds.

    `status` (0 inside a stream), `text` and `param` are what the server said, as it said it.
    """

    def __init__(
        self,
        code: str,
        message: str,
        details: str = "",
        *,
        passing: bool = False,
        retry_after: float | None = None,
    ) -> None:
        super().__init__(code, message, details)
        self.passing = passing
        self.retry_after = retry_after
        self.status = 0
        self.text = ""
        self.param = ""

    @property
    def reason(self) -> str:
        """What the server said, short enough for a sentence."""
        return _short(self.text, LONGEST_REASON)


def from_response(
    status: int, headers: Mapping[str, str], body: bytes, *, url: str, model: str = ""
) -> ServerFailure:
    """Returns the failure a complete answer with an error status tells of."""
    text = _body_text(body)
    failure = _from_words(status, text, model) or _from_status(status, url, text)
    waiting_helps = failure.code in _PASSING_CODES and not _QUOTA.search(text)
    failure.passing = waiting_helps and status in _PASSING
    failure.retry_after = _retry_after(headers, text)
    failure.status, failure.text, failure.param = status, text, _param(body)
    return failure


def from_stream(error: Any, *, model: str = "") -> ServerFailure:
    """Returns the failure an error object or string inside a stream tells of."""
    text = _error_text(error)
    code = str(error.get("code")) if isinstance(error, dict) else ""
    status = int(code) if code.isdecimal() else 0
    failure = _from_words(status, text, model)
    if failure is None and status == 429:
        failure = ServerFailure("rate-limited", sentence("busy"))
    if failure is None:
        failure = ServerFailure("stream-error", sentence("stream-error"))
    failure.details = _short(text)
    waiting_helps = failure.code in _PASSING_CODES and not _QUOTA.search(text)
    failure.passing = waiting_helps and status in _PASSING
    failure.retry_after = _retry_after({}, text)
    failure.status, failure.text = status, text
    return failure


def from_transport(error: Exception, *, url: str, begun: bool) -> ServerFailure:
    """Returns the failure of a connection; `begun` says whether the answer had begun."""
    import httpx

    details = _short(f"{type(error).__name__}: {error}")
    if isinstance(error, httpx.UnsupportedProtocol | httpx.InvalidURL | httpx.LocalProtocolError):
        return ServerFailure("bad-request", sentence("bad-address"), details)
    if _certificate(error):
        words = sentence("bad-certificate", url=origin(url))
        return ServerFailure("unreachable", words, details)
    if begun:
        return cut_off(details)
    words = sentence("unreachable", url=origin(url))
    return ServerFailure("unreachable", words, details, passing=True)


def not_reached(url: str, refused: OutgoingRefused) -> ServerFailure:
    """Returns the failure of a person's own server at an address members may not reach."""
    words = sentence("not-allowed", url=origin(url))
    return ServerFailure("unreachable", words, _short(str(refused)))


def did_not_start(url: str) -> ServerFailure:
    """Returns the failure of the local model that MAIA itself starts."""
    return ServerFailure("unreachable", sentence("did-not-start", url=origin(url)))


def cut_off(details: str = "") -> ServerFailure:
    """Returns the failure of an answer that stopped in the middle."""
    return ServerFailure("cut-off", sentence("cut-off"), details, passing=True)


def silent(seconds: float, *, url: str, begun: bool) -> ServerFailure:
    """Returns the failure of a server that said nothing for `seconds`."""
    if begun:
        return ServerFailure("cut-off", sentence("silent", seconds=round(seconds)))
    words = sentence("mute", url=origin(url), seconds=round(seconds))
    return ServerFailure("unreachable", words)


def not_a_stream(url: str, body: bytes) -> ServerFailure:
    """Returns the failure of an answer that is neither a stream nor a completion."""
    words = sentence("not-a-model", url=origin(url)) if body.strip() else sentence("empty")
    return ServerFailure("not-a-stream", words, _short(_body_text(body)))


def too_large(details: str) -> ServerFailure:
    """Returns the failure of an answer no honest server sends."""
    return ServerFailure("stream-error", sentence("too-large"), details)


def unfit_key() -> ServerFailure:
    """Returns the failure of a key that cannot be sent."""
    return ServerFailure("unauthorized", sentence("unfit-key"))


def origin(url: str) -> str:
    """Returns scheme, host and port of an address: what may be shown of it."""
    try:
        parts = urlsplit(url)
        host, port = parts.hostname or "", parts.port
    except ValueError:
        return ""
    host = f"[{host}]" if ":" in host else host
    return f"{parts.scheme}://{host}{f':{port}' if port else ''}"


def _from_words(status: int, text: str, model: str) -> ServerFailure | None:
    details = _short(text)
    if _TOO_LONG.search(text):
        return ServerFailure("context-too-long", sentence("too-long"), details)
    if status in {0, 400, 404, 422} and _NO_MODEL.search(text):
        return ServerFailure("no-model", sentence("no-model", model=model), details)
    if status != 429 and _BAD_KEY.search(text):
        return ServerFailure("unauthorized", sentence("refused-key"), details)
    if _QUOTA.search(text):
        return ServerFailure("rate-limited", sentence("no-credit"), details)
    return None


def _from_status(status: int, url: str, text: str) -> ServerFailure:
    details = _short(f"HTTP {status}: {text}")
    if status in {401, 403}:
        return ServerFailure("unauthorized", sentence("refused-key"), details)
    if status == 429:
        return ServerFailure("rate-limited", sentence("busy"), details)
    if status in {404, 405} or 300 <= status < 400:
        return ServerFailure("bad-request", sentence("bad-path", url=origin(url)), details)
    if status >= 500:
        return ServerFailure("server-error", sentence("server-error", status=status), details)
    reason = _short(text, LONGEST_REASON)
    key = "refused" if reason else "refused-mute"
    return ServerFailure("bad-request", sentence(key, status=status, reason=reason), details)


def _body_text(body: bytes) -> str:
    try:
        value = read_json(body[:65_536])
    except ValueError:
        text = body[:65_536].decode("utf-8", "replace")
        return "" if _HTML.search(text[:2_000]) else text
    if not isinstance(value, dict):
        return str(value)
    return _error_text(value.get("error") or value)


def _error_text(error: Any) -> str:
    if not isinstance(error, dict):
        return str(error)
    words = [error.get(name) for name in ("message", "type", "code", "detail", "details")]
    metadata = error.get("metadata")  # OpenRouter puts the words of the model's own server there
    if isinstance(metadata, dict):
        words.append(metadata.get("raw"))
    text = " · ".join(str(word) for word in words if word not in (None, "", [], {}))
    return "" if _HTML.search(text[:2_000]) else text or str(error)


def _param(body: bytes) -> str:
    """Returns the field that an error of OpenAI's form names."""
    try:
        value = read_json(body[:65_536])
    except ValueError:
        return ""
    error = value.get("error") if isinstance(value, dict) else None
    param = error.get("param") if isinstance(error, dict) else None
    return param if isinstance(param, str) else ""


def _short(text: str, most: int = LONGEST_DETAILS) -> str:
    text = redact(clean_text(" ".join(text.split())))
    return text if len(text) <= most else f"{text[:most]}…"


def _retry_after(headers: Mapping[str, str], text: str) -> float | None:
    """Returns the seconds the server asks to wait: by header, or in words as LiteLLM does."""
    given = headers.get("retry-after", "").strip()
    if given.isdecimal():
        return float(given)
    if given:
        try:
            when = parsedate_to_datetime(given)
        except ValueError:
            return None
        when = when if when.tzinfo else when.replace(tzinfo=UTC)
        return max(0.0, (when - datetime.now(UTC)).total_seconds())
    words = _WAIT.search(text)
    return float(words[1]) if words else None


def _certificate(error: BaseException | None) -> bool:
    while error is not None:
        if isinstance(error, ssl.SSLCertVerificationError):
            return True
        error = error.__cause__ or error.__context__
    return False
