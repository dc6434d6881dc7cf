"""`manage.py serve` as a person at a terminal and a service manager use it."""

from __future__ import annotations

import signal
import socket
from contextlib import suppress
from pathlib import Path

import pytest
import websockets

from tests.support.fixtures import StartServer
from tests.support.server import MaiaServer


@pytest.fixture(params=["daphne", "uvicorn"])
def kind(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.mark.parametrize("sign", [signal.SIGINT, signal.SIGTERM])
def test_it_says_where_it_is_and_ends_without_a_traceback(
    start_server: StartServer, kind: str, sign: signal.Signals
) -> None:
    server = start_server({"MAIA_SERVER": kind})
    with server.http() as client:
        assert client.get("/sign-in").status_code == 200
    assert server.url in server.program.wait_for("MAIA is ready")
    assert server.stop(sign) == 0
    assert "MAIA has stopped." in server.program.output
    assert "Traceback" not in server.program.output


def test_the_set_up_link_is_told_until_there_is_an_administrator(
    start_server: StartServer,
) -> None:
    server = start_server()
    with server.http() as client:
        assert client.get(server.setup_link()).status_code == 200
        assert server.setup_link() in server.program.output  # the host that is printed: one cookie
        assert client.get(f"{server.url}/setup/wrong").status_code == 404
    server.stop()
    server.prepare("alice")
    server.start()
    assert "/setup/" not in server.program.output


def test_a_taken_port_is_told_in_a_sentence(start_server: StartServer, data: Path) -> None:
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        server = MaiaServer(data, {"MAIA_PORT": str(other.getsockname()[1])})
        with pytest.raises(AssertionError, match="is taken"):
            server.start()
        assert "Traceback" not in server.program.output
        assert server.program.process.wait(60) == 1
        server.close()


async def test_a_message_over_the_limit_closes_the_socket_with_1009(
    start_server: StartServer, kind: str
) -> None:
    server = start_server({"MAIA_SERVER": kind})
    server.prepare("alice")
    with server.sign_in("alice") as client:
        async with server.socket(client) as alice:
            await alice.wait(lambda _frame: True, "hello")
            with suppress(websockets.ConnectionClosed):  # it may close before all of it is sent
                await alice.connection.send("x" * (4 * 1024 * 1024 + 1))
            assert await alice.wait_closed() == 1009
        async with server.socket(client) as alice:
            await alice.wait(lambda _frame: True, "hello")


async def test_a_page_of_another_origin_gets_no_socket(
    start_server: StartServer, kind: str
) -> None:
    server = start_server({"MAIA_SERVER": kind})
    server.prepare("alice")
    with server.sign_in("alice") as client:
        for origin in ("http://evil.example", f"http://127.0.0.1:{server.port + 1}"):
            with pytest.raises(websockets.InvalidStatus) as refused:
                async with server.socket(client, origin=origin):
                    pass
            assert refused.value.response.status_code == 403


@pytest.mark.promise("I10-late")
@pytest.mark.parametrize("part", ["maia_web.pages.inbox", "agents.runtime.turn_run"])
def test_a_part_that_cannot_be_loaded_ends_the_server_with_its_trace(
    data: Path, kind: str, part: str
) -> None:
    broken = data.parent / "broken"
    broken.mkdir()
    (broken / "sitecustomize.py").write_text(f"import sys\nsys.modules[{part!r}] = None\n")
    server = MaiaServer(data, {"MAIA_SERVER": kind, "PYTHONPATH": str(broken)})
    try:
        server.start()
        assert server.program.process.wait(60) == 1
        assert "ModuleNotFoundError: import of " + part in server.program.output
        assert "A part of MAIA could not be loaded" in server.program.output
    finally:
        server.close()
