"""Web text: what a fetched page says, as text a model can read (seed M §8)."""

from __future__ import annotations

import codecs
import json
import re
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from html_to_markdown import ConversionOptions

LEFT_OUT = ("script", "style", "noscript", "iframe", "svg", "template")
DEEPEST = 500
LONGEST_TITLE = 300
_HEAD = 200_000
_CHARSET = re.compile(rb"""<meta[^>]{0,200}?charset\s*=\s*["']?\s*([a-zA-Z0-9_.:-]{1,40})""", re.I)
_HTML = re.compile(r"\s*(?:<!--.*?-->\s*)?<(?:!doctype html|html|head|body)\b", re.I | re.S)
_TEXTS = frozenset({"xml", "javascript", "ecmascript", "x-sh", "yaml", "x-yaml", "toml", "sql"})
# control characters, and those that show text in another order than it is written, or not at all
_UNSEEN = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\U000e0000-\U000e007f]")


class NotText(Exception):
    """The content is none that can be read as text."""


@dataclass(frozen=True, slots=True)
class WebText:
    """The content of a page: `title` "" where it has none."""

    kind: str
    title: str
    text: str


def read_body(body: bytes, content_type: str, url: str) -> WebText:
    """Returns HTML as Markdown, JSON laid out, other text as it is; raises `NotText`."""
    media, _, rest = content_type.partition(";")
    media = media.strip().lower()
    if media and not _is_text(media):
        raise NotText(media)
    text = _decoded(body, rest, media)
    if "html" in media or (not media and _HTML.match(text[:4_000])):
        return WebText(media or "text/html", _title(text), _shown(_markdown(text, url)))
    if media.endswith(("/json", "+json")):
        return WebText(media, "", _shown(_laid_out(text)))
    if "\0" in text:
        raise NotText(media)
    return WebText(media or "text/plain", "", _shown(text))


def _is_text(media: str) -> bool:
    kind, _, name = media.partition("/")
    if kind == "text":
        return True
    name = name.removeprefix("x-")
    ends = name.endswith(("+json", "+xml", "json"))
    return kind == "application" and (ends or name in _TEXTS or f"x-{name}" in _TEXTS)


def _decoded(body: bytes, parameters: str, media: str) -> str:
    for bom, name in ((codecs.BOM_UTF8, "utf-8"), (codecs.BOM_UTF16_LE, "utf-16-le")):
        if body.startswith(bom):
            return body[len(bom) :].decode(name, "replace")
    named = re.search(r"charset\s*=\s*[\"']?([^\s;\"']+)", parameters, re.IGNORECASE)
    charset = named[1] if named else ""
    if not charset and "json" not in media:
        found = _CHARSET.search(body[:4_096])
        charset = found[1].decode("ascii") if found else ""
    try:
        return body.decode(charset or "utf-8", "replace")
    except (LookupError, ValueError):  # no such charset, or one that is no text ("hex")
        return body.decode("utf-8", "replace")


def _laid_out(text: str) -> str:
    try:
        return json.dumps(json.loads(text), ensure_ascii=False, indent=2)
    except (ValueError, RecursionError):
        return text


def _markdown(html: str, url: str) -> str:
    from html_to_markdown import ConversionError, convert

    try:
        return (convert(html, _options(url)).content or "").strip()
    except ConversionError as error:
        raise NotText("text/html") from error


def _title(html: str) -> str:
    from html_to_markdown import ConversionError, ConversionOptions, convert

    try:
        metadata = convert(html[:_HEAD], ConversionOptions(max_depth=DEEPEST)).metadata
    except ConversionError:
        return ""
    title = metadata.document.title if metadata else None
    return _shown(" ".join((title or "").split()))[:LONGEST_TITLE]


@cache
def _base() -> ConversionOptions:
    from html_to_markdown import ConversionOptions

    return ConversionOptions(
        bullets="-",
        extract_metadata=False,
        max_depth=DEEPEST,
        exclude_selectors=list(LEFT_OUT),
    )


def _options(url: str) -> ConversionOptions:
    from dataclasses import replace

    return replace(_base(), base_url=url)


def _shown(text: str) -> str:
    return _UNSEEN.sub("", text.replace("\r\n", "\n").replace("\r", "\n"))
