"""A browser of a site behind nginx: over TLS, by the site's name, with cookies."""

from __future__ import annotations

import asyncio
import json
import ssl
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from typing import Any

import httpx
import websockets

from tests.operations.page import NAME
from tests.support.prepare import PASSWORD

ORIGIN = f"https://{NAME}"


class Visitor:
    """One person who is signed in."""

    def __init__(self, client: httpx.Client, port: int) -> None:
        self.client = client
        self._port = port

    @asynccontextmanager
    async def socket(self, path: str) -> AsyncIterator[websockets.ClientConnection]:
        """Opens a socket through nginx."""
        unchecked = ssl.create_default_context()
        unchecked.check_hostname, unchecked.verify_mode = False, ssl.CERT_NONE
        cookies = "; ".join(f"{name}={value}" for name, value in self.client.cookies.items())
        async with websockets.connect(
            f"wss://{NAME}{path}",
            host="127.0.0.1",
            port=self._port,
            ssl=unchecked,
            origin=websockets.Origin(ORIGIN),
            additional_headers={"Cookie": cookies},
            proxy=None,
        ) as connection:
            yield connection

    async def hear(self, connection: websockets.ClientConnection, type: str) -> dict[str, Any]:
        """Returns the next frame of a type."""
        async with asyncio.timeout(30):
            while True:
                told = json.loads(await connection.recv())
                for frame in told if isinstance(told, list) else [told]:
                    if frame["type"] == type:
                        return dict(frame)

    async def use_a_terminal(self, workspace: str) -> None:
        """Opens a terminal, types into it and reads the answer."""
        opened = self.client.post(
            f"/api/workspaces/{workspace}/terminals", json={"cols": 80, "rows": 24}
        )
        assert opened.status_code == 201, opened.text
        shown = ""
        async with self.socket(f"/ws/terminal/{opened.json()['id']}") as terminal:
            await terminal.send(b"echo sum-$((40 + 2))\r")
            async with asyncio.timeout(30):
                while "sum-42" not in shown:
                    told = await terminal.recv()
                    assert isinstance(told, bytes) or '"error"' not in told, told
                    shown += told.decode(errors="replace") if isinstance(told, bytes) else ""


@contextmanager
def signed_in(port: int, username: str) -> Iterator[Visitor]:
    """Signs a person in through nginx."""
    with httpx.Client(
        base_url=f"https://127.0.0.1:{port}",
        headers={"Host": NAME},
        verify=False,
        timeout=30,
        trust_env=False,
    ) as client:
        page = client.get("/sign-in")
        assert page.status_code == 200, page.text[:500]
        answer = client.post(
            "/sign-in",
            data={
                "username": username,
                "password": PASSWORD,
                "csrfmiddlewaretoken": client.cookies["__Host-maia-csrf"],
            },
            headers={"Origin": ORIGIN, "Referer": f"{ORIGIN}/sign-in"},
        )
        assert answer.status_code == 302, answer.text[:500]
        token = client.cookies["__Host-maia-csrf"]
        client.headers.update({"X-CSRFToken": token, "Origin": ORIGIN, "Referer": f"{ORIGIN}/"})
        yield Visitor(client, port)
