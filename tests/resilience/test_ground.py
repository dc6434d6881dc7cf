"""The ground under a server: a disk that is full, read-only or damaged, a database that is away.

Each ends the start, or refuses the one action, with a sentence that names the thing and the remedy.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.support.openai_behaviours import answer, text
from tests.support.openai_server import ScriptedServer
from tests.support.processes import Program, free_port
from tests.support.server import MaiaServer, Refused

ALONE = ("unshare", "--mount", *(() if os.geteuid() == 0 else ("--map-root-user",)))
HOLD = (
    'mkdir -p "$1" && mount -t tmpfs -o "mode=711,size=$2" none "$1" && echo here && sleep 100000'
)


class Disk:
    """A small disk of a test's own, which only programs started `under` it see."""

    def __init__(self, folder: Path, size: str) -> None:
        self._folder = folder
        self._holder = Program([*ALONE, "sh", "-c", HOLD, "disk", folder, size])
        self._holder.wait_for("here")
        self._pid = str(self._holder.process.pid)
        user = () if os.geteuid() == 0 else ("--user", "--preserve-credentials")
        self.under = ("nsenter", "--target", self._pid, "--mount", *user, "--wd=.", "--")

    def path(self, name: str) -> Path:
        """Returns a file of it, for a test to change."""
        return Path("/proc", self._pid, "root", self._folder.relative_to("/"), name)

    def fill(self) -> None:
        """Leaves no byte free."""
        with self.path("fill").open("wb", buffering=0) as file:
            try:
                while True:
                    file.write(b"x" * 65_536)
            except OSError:
                pass

    def make_read_only(self) -> None:
        words = [*self.under, "mount", "-o", "remount,ro", str(self._folder)]
        assert Program(words).process.wait(20) == 0

    def close(self) -> None:
        self._holder.kill()


@pytest.fixture
def disk(data: Path) -> Iterator[Callable[[str], Disk]]:
    made: list[Disk] = []

    def make(size: str) -> Disk:
        made.append(Disk(data, size))
        return made[-1]

    yield make
    for one in made:
        one.close()


def begun(data: Path) -> None:
    """Leaves the data of a server that has run."""
    server = MaiaServer(data)
    server.start()
    server.stop()


@pytest.mark.parametrize(
    ("spoil", "told"),
    [
        pytest.param(
            lambda data: (data / "maia.sqlite3").write_bytes(b"no database at all" * 100),
            "maia.sqlite3 is damaged",
            id="no-database",
        ),
        pytest.param(lambda data: _spoil_a_page(data), "maia.sqlite3 is damaged", id="a-page"),
        pytest.param(lambda data: _replace(data / "maia.sqlite3"), "Move the folder", id="folder"),
        pytest.param(
            lambda data: (data / "secret-key").write_bytes(b"\0\xff"),
            "secret-key is damaged",
            id="key",
        ),
        pytest.param(
            lambda data: (data / "secret-key").write_text(""), "from a backup", id="empty"
        ),
    ],
)
def test_what_is_damaged_ends_the_start(
    data: Path, spoil: Callable[[Path], object], told: str
) -> None:
    begun(data)
    spoil(data)
    assert told in MaiaServer(data).refusal()


def _spoil_a_page(data: Path) -> None:
    database = data / "maia.sqlite3"
    content = bytearray(database.read_bytes())
    for page in range(4096, len(content), 4096):
        content[page : page + 64] = b"\xff" * 64
    database.write_bytes(content)


def _replace(path: Path) -> None:
    path.unlink()
    path.mkdir()


def test_a_data_folder_that_is_a_file_ends_the_start(data: Path) -> None:
    data.write_text("not a folder")
    server = MaiaServer(data / "below")
    told = server.refusal()
    assert "MAIA_DATA must be a folder" in told


def test_a_read_only_disk_ends_the_start(data: Path, disk: Callable[[str], Disk]) -> None:
    small = disk("64m")
    server = MaiaServer(data, under=small.under)
    server.start()
    server.stop()
    small.make_read_only()
    told = server.refusal()
    assert "maia.sqlite3" in told
    assert "Its disk is read-only: mount it for writing" in told


@pytest.mark.parametrize(
    ("size", "full", "told"),
    [
        ("8m", False, "Only 7 MB are free on the disk of "),
        ("1m", True, "Make room on its disk, or choose another folder with MAIA_DATA"),
    ],
)
def test_a_full_disk_ends_the_start(
    data: Path, disk: Callable[[str], Disk], size: str, full: bool, told: str
) -> None:
    small = disk(size)
    if full:
        small.fill()
    server = MaiaServer(data, under=small.under)
    assert told in server.refusal()


async def test_a_disk_that_fills_up_refuses_what_cannot_be_kept_until_there_is_room(
    data: Path, disk: Callable[[str], Disk], model_server: ScriptedServer
) -> None:
    small = disk("80m")
    server = MaiaServer(data, {"MAIA_FREE_MB": "0"}, under=small.under)
    try:
        server.start()
        settings = {"kind": "openai", "url": model_server.url, "model": "m", "context_size": 9000}
        people = server.prepare("alice", model=settings)
        workspace = people["alice"]["workspace"]
        with server.sign_in("alice") as alice:
            made = alice.post(
                "/api/channels/direct", json={"workspace": workspace, "agent": "maia"}
            )
            channel = made.json()["id"]
            small.fill()
            async with server.socket(alice) as socket:
                with pytest.raises(Refused) as kept_out:
                    await socket.command("channel:send", channel=channel, text="x" * 50_000)
                assert kept_out.value.code == "storage-full"
                assert "maia.sqlite3" in kept_out.value.frame["message"]
                answered = alice.post("/api/workspaces", json={"name": "y" * 60})
                assert (answered.status_code, answered.json()["code"]) == (507, "storage-full")
                page = alice.post("/w/new", data={"name": "z" * 60})
                assert page.status_code == 507
                assert "maia.sqlite3" in page.text

                small.path("fill").unlink()
                model_server.script(answer(text("Here.")))
                await socket.command("channel:send", channel=channel, text="again")
        assert server.stop() == 0
        assert "Traceback" not in server.program.output
    finally:
        server.close()


def test_a_database_that_is_away_ends_the_start_without_its_password(data: Path) -> None:
    address = f"postgresql://maia:s3cret@127.0.0.1:{free_port()}/maia"
    told = MaiaServer(data, {"DATABASE_URL": address}).refusal()
    assert "The database is away" in told
    assert "DATABASE_URL" in told
    assert "s3cret" not in told


@pytest.mark.parametrize("address", ["mysql://a:s3cret@b/c", "postgresql://a:s3c#ret@b/c", "here"])
def test_an_address_that_is_none_ends_the_start_without_its_password(
    data: Path, address: str
) -> None:
    told = MaiaServer(data, {"DATABASE_URL": address}).refusal()
    assert "DATABASE_URL must be postgresql://" in told
    assert "s3c" not in told
