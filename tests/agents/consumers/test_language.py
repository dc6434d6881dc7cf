"""The language of a socket: the person's choice, else the cookie's, the browser's, the site's."""

from __future__ import annotations

import pytest
from django.conf import settings

from agents.models import Turn
from maia_web.lib.db import in_db
from tests.agents.consumers.conftest import Connect, Socket, communicator, sign_in
from tests.cast import Cast

pytestmark = pytest.mark.django_db(transaction=True)

ENGLISH, FRENCH = "There is no such conversation.", "Cette conversation n’existe pas."
COOKIE = f"; {settings.LANGUAGE_COOKIE_NAME}=fr"


@pytest.mark.parametrize(
    ("chosen", "speaks", "cookie", "heard"),
    [
        ("", "", "", ENGLISH),
        ("", "fr-CA,fr;q=0.9,en;q=0.5", "", FRENCH),
        ("", "de,en;q=0.3", "", ENGLISH),
        ("", "en", COOKIE, FRENCH),
        ("en", "fr", COOKIE, ENGLISH),
        ("fr", "en", "", FRENCH),
    ],
)
async def test_errors_come_in_the_persons_language(
    cast: Cast, connect: Connect, chosen: str, speaks: str, cookie: str, heard: str
) -> None:
    cast.alice.language = chosen
    await in_db(cast.alice.save)()
    session = await in_db(sign_in)(cast.alice)
    raw = communicator(session, speaks=speaks, cookie=cookie)
    await raw.connect()
    socket = Socket(raw, session)

    answer = await socket.command("channel:subscribe", channel="0" * 26)

    assert answer["message"] == heard
    await raw.disconnect()


async def test_a_turn_remembers_the_language_of_the_browser_that_asked(
    cast: Cast, channel: str, connect: Connect
) -> None:
    session = await in_db(sign_in)(cast.alice)
    raw = communicator(session, speaks="fr")
    await raw.connect()
    await Socket(raw, session).command("channel:send", channel=channel, text="salut")
    await raw.disconnect()

    assert await in_db(Turn.objects.values_list("language", flat=True).get)() == "fr"
