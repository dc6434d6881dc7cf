"""docs/operations.md works as printed: each of its blocks is run here."""

from __future__ import annotations

import configparser
import os
import shlex
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import psycopg
import pytest

from agents.domain.library.own_server import parse_own_server
from tests.operations.page import Nginx, block, blocks, exported, with_values
from tests.operations.visitor import signed_in
from tests.support.processes import ROOT, Program, free_port
from tests.support.server import MaiaServer
from tests.support.services import Postgres, Redis

MAKE_RUN = f"{sys.executable} manage.py serve"
MAKE_WORKER = f"{sys.executable} manage.py worker"
PLACES = {
    "listen 443 ssl": "listen 127.0.0.1:{tls} ssl",
    "/etc/ssl/maia.crt": "{folder}/crt",
    "/etc/ssl/maia.key": "{folder}/key",
    "/var/log/nginx/maia.log combined": "{folder}/log combined",
}


def places(folder: Path, tls: int) -> dict[str, str]:
    return {printed: here.format(folder=folder, tls=tls) for printed, here in PLACES.items()}


# How each block of the page is told apart: its language, and words that only it holds.
BACKUP, RESTORE = ("sh", "manage.py backup"), ("sh", "manage.py restore")
ACCOUNT, UNIT = ("sh", "adduser"), ("ini", "[Service]")
OWN_SERVER = ("json", "LiteLLM_URL")
BEHIND, SERVER, POOL = (
    ("sh", "MAIA_TRUST_PROXY=1"),
    ("nginx", "location / {"),
    ("nginx", "upstream"),
)
ROWS, MANY = ("sql", "CREATE ROLE"), ("sh", "make worker &")
RUN_HERE = (BACKUP, RESTORE, ACCOUNT, UNIT, OWN_SERVER, BEHIND, SERVER, POOL, ROWS, MANY)


def test_every_block_of_the_page_is_run_here() -> None:
    assert sorted(block(*each) for each in RUN_HERE) == sorted(content for _, content in blocks())


@pytest.fixture
def folder(data: Path) -> Path:
    """A folder that nginx's workers may enter."""
    made = data.parent / "nginx"
    made.mkdir(mode=0o755)
    return made


async def test_behind_nginx_people_sign_in_talk_upload_and_use_terminals(
    data: Path, folder: Path
) -> None:
    environment = exported(block(*BEHIND))
    tls = free_port()
    with MaiaServer(data, environment) as server:
        people = server.prepare("alice")
        printed = with_values(
            block(*SERVER),
            {**places(folder, tls), "127.0.0.1:8000": f"127.0.0.1:{server.port}"},
        )
        with Nginx(folder, printed), signed_in(tls, "alice") as alice:
            async with alice.socket("/ws") as socket:
                assert (await alice.hear(socket, "hello"))["user"]["username"] == "alice"
            workspace = people["alice"]["workspace"]
            await alice.use_a_terminal(workspace)
            content = os.urandom(5 * 1_048_576)
            kept = alice.client.post(
                f"/api/workspaces/{workspace}/attach", files={"file": ("big.bin", content)}
            )
            assert kept.status_code == 201, kept.text
            assert alice.client.get("/invite/secret-of-mine").status_code in {200, 404, 410}
    logged = (folder / "log").read_text()
    assert "/sign-in" in logged
    assert "secret-of-mine" not in logged


@pytest.fixture
def rows(postgres: Postgres) -> Iterator[str]:
    """The database and the account that the page tells to make; its address."""
    made = block(*ROWS)
    with psycopg.connect(postgres.url("postgres"), autocommit=True) as administrator:
        printed = {"ROLE maia ": "ROLE maia_page ", "DATABASE maia ": "DATABASE maia_page "}
        words = with_values(made, {**printed, "OWNER maia ": "OWNER maia_page "})
        for statement in words.strip().split("\n"):
            administrator.execute(statement)
        yield f"postgresql://maia_page:a-long-password@127.0.0.1:{postgres.port}/maia_page"
        administrator.execute("DROP DATABASE maia_page WITH (FORCE)")
        administrator.execute("DROP ROLE maia_page")


@pytest.mark.services
@pytest.mark.xdist_group("many")
@pytest.mark.timeout(300)
async def test_two_servers_and_a_worker_behind_nginx_keep_each_browser_with_its_terminals(
    data: Path, folder: Path, rows: str, redis_server: Redis
) -> None:
    first, second, tls = free_port(), free_port(), free_port()
    ports = {"127.0.0.1:8000": f"127.0.0.1:{first}", "127.0.0.1:8001": f"127.0.0.1:{second}"}
    started = with_values(
        block(*MANY),
        {
            "postgresql://maia:a-long-password@127.0.0.1/maia": rows,
            "redis://127.0.0.1:6379/0": redis_server.url(8),
            "redis://127.0.0.1:6379/1": redis_server.url(9),
            "MAIA_PORT=8000 make run": f"MAIA_PORT={first} {MAKE_RUN}",
            "MAIA_PORT=8001 make run": f"MAIA_PORT={second} {MAKE_RUN}",
            "make worker": MAKE_WORKER,
        },
    )
    behind = exported(block(*BEHIND))
    site = MaiaServer(data, {**behind, **exported(started), "MAIA_HOST_QUEUE": "maia.page"})
    programs = Program(["bash", "-c", f"{started}\nwait"], site.env)
    pools = with_values(block(*POOL), ports)
    server = with_values(
        block(*SERVER),
        {**places(folder, tls), "proxy_pass http://127.0.0.1:8000;": "proxy_pass http://maia;"},
    )
    try:
        for port in (first, second):
            programs.wait_for(f":{port}/")
        programs.wait_for("MAIA worker is ready")
        people = site.prepare("alice")
        with Nginx(folder, pools, server), ExitStack() as browsers:
            for _ in range(4):
                alice = browsers.enter_context(signed_in(tls, "alice"))
                for _ in range(2):
                    await alice.use_a_terminal(people["alice"]["workspace"])
    finally:
        programs.kill()


def test_the_unit_starts_a_server_that_ends_as_it_says(data: Path) -> None:
    unit = configparser.ConfigParser(interpolation=None)
    unit.optionxform = str  # type: ignore[method-assign,assignment]  # as Python documents it
    unit.read_string(block(*UNIT))
    service = unit["Service"]
    environment = dict(word.split("=", 1) for word in service["Environment"].split())
    assert Path(service["ExecStart"].split()[0]).exists()
    assert service["ExecStart"].endswith("make run")
    assert service["User"] in block(*ACCOUNT).split()
    assert environment.pop("MAIA_DATA") in block(*ACCOUNT).split()
    server = MaiaServer(data, environment)
    server.start()
    with server.http() as client:
        assert client.get("/sign-in", headers={"Host": "maia.example.org"}).status_code < 400
    assert server.stop(signal.SIGTERM) == 0


def test_the_account_of_the_unit_can_be_made_as_printed() -> None:
    words = shlex.split(block(*ACCOUNT))
    help_text = subprocess.run([words[0], "--help"], capture_output=True, text=True, check=True)
    for option in (word for word in words if word.startswith("--")):
        assert option in help_text.stdout


def test_a_backup_is_made_and_restored_as_printed(data: Path, tmp_path: Path) -> None:
    with MaiaServer(data) as server:
        server.prepare("alice")
        kept = {"/backups/maia.tar": f"{tmp_path}/maia.tar"}
        backup = with_values(block(*BACKUP), kept)
        subprocess.run(["bash", "-ec", backup], cwd=ROOT, env=server.env, check=True)
    new = data.with_name("new")
    restore = with_values(block(*RESTORE), {**kept, "/var/lib/maia-new": str(new)})
    subprocess.run(["bash", "-ec", restore], cwd=ROOT, env=server.env, check=True)
    with MaiaServer(new) as again, again.sign_in("alice") as alice:
        assert alice.get("/api/workspaces").status_code == 200


def test_the_settings_of_a_persons_own_server_are_read_as_printed() -> None:
    read = parse_own_server(block(*OWN_SERVER))
    assert read is not None
    assert read.url == "https://litellm.example.org"
