"""A key that a model server echoes does not reach the details, whatever form it has."""

from __future__ import annotations

import asyncio
import base64
import hashlib
import html
import json
import re
from collections.abc import Callable, Iterator
from contextlib import aclosing
from urllib.parse import quote, quote_plus

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agents.domain.model_servers.endpoint import Endpoint
from agents.engine.ports.model import ProviderError
from agents.providers.catalogue import test_endpoint as try_endpoint
from agents.providers.echoes import hide_key
from agents.providers.openai_chat import OpenAIChat, Patience
from tests.agents.providers.test_openai_chat import ASK
from tests.support.openai_behaviours import Answer, error
from tests.support.openai_server import ScriptedServer, serve

FORMS: dict[str, Callable[[str], str]] = {
    "as it is": str,
    "upper-case": str.upper,
    "quoted": json.dumps,
    "percent-encoded": lambda key: quote(key, safe=""),
    "percent-encoded twice": lambda key: quote(quote_plus(key, safe=""), safe=""),
    "each byte percent-encoded": lambda key: "".join(f"%{ord(one):02x}" for one in key),
    "JSON escapes": lambda key: "".join(f"\\u{ord(one):04x}" for one in key),
    "HTML entities": lambda key: "".join(f"&#{ord(one)};" for one in html.escape(key)),
    "base64": lambda key: base64.b64encode(key.encode()).decode(),
    "base64 of the header": lambda key: base64.b64encode(f"Bearer {key}".encode()).decode(),
    "base64 as basic": lambda key: base64.urlsafe_b64encode(f":{key}".encode()).decode(),
    "base32": lambda key: base64.b32encode(key.encode()).decode(),
    "hexadecimal": lambda key: key.encode().hex(" "),
    "sha256": lambda key: hashlib.sha256(key.encode()).hexdigest(),
    "backwards": lambda key: key[::-1],
    "the first half": lambda key: key[: len(key) // 2],
    "the last half": lambda key: key[len(key) // 2 :],
    "a middle": lambda key: key[6:16],
    "spaced out": lambda key: " ".join(key),
    "in lines": lambda key: "\n".join(re.findall(".{1,5}", key)),
    "wide letters": lambda key: "".join(
        chr(ord(one) + 0xFEE0) if one.isalnum() else one for one in key
    ),
}
KEY = "canary-Q7vK2mXw9RzT4bLp8JdN/3+hGfYc"
keys = st.text("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_./+=", min_size=24)


def shows(form: str, said: str) -> bool:
    """Whether eight letters or digits in a row of this form can still be read."""
    letters = re.sub(r"[^A-Za-z0-9]", "", form).lower()
    letters = re.sub(r"^qmvhcmvyi.", "", letters)  # "Bearer ", which is no secret
    rest = re.sub(r"[^A-Za-z0-9]", "", said.replace("[redacted]", "")).lower()
    return any(letters[at : at + 8] in rest for at in range(len(letters) - 7))


@pytest.fixture(scope="module")
def server() -> Iterator[ScriptedServer]:
    with serve() as running:
        yield running


@given(keys, st.sampled_from(sorted(FORMS)))
def test_no_form_of_a_key_can_be_read(key: str, form: str) -> None:
    if len(re.sub("[^A-Za-z0-9]", "", key)) < 20:
        return
    echoed = FORMS[form](key)
    said = hide_key(f"Provided: {echoed}. Ask the manager.", key)
    assert not shows(echoed, said)
    assert said.startswith("Provide")
    assert said.endswith("manager.")


@given(st.text())
def test_any_text_keeps_what_is_not_the_key(text: str) -> None:
    assert hide_key(text, "") == text
    assert hide_key(text, "x") == text
    said = hide_key(text, KEY)
    assert said == text or "[redacted]" in said


def test_a_few_letters_that_tell_keys_apart_stay() -> None:
    words = "Incorrect API key provided: cana****fYc. See the documentation."
    assert hide_key(words, KEY) == words


@pytest.mark.parametrize("form", FORMS)
async def test_details_of_a_conversation_and_of_a_test_hold_no_key(
    server: ScriptedServer, form: str
) -> None:
    echoed = FORMS[form](KEY)
    refusal: Callable[[], Answer] = lambda: error(400, f"Cannot use {echoed} here")  # noqa: E731
    server.script(refusal())
    server.models_answer = refusal()
    chat = OpenAIChat(Endpoint(server.url, key=KEY), "scripted", patience=Patience(tries=1))
    async with asyncio.timeout(10), aclosing(chat.stream(ASK)) as events:
        with pytest.raises(ProviderError) as caught:
            await anext(events)
    tried = await try_endpoint(Endpoint(server.url, key=KEY))
    for details in (caught.value.details, tried.details):
        assert "Cannot use" in details
        assert not shows(echoed, details), details
