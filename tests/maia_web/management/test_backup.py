"""`manage.py backup` and `restore`: what comes back equals what was kept, and goes nowhere else."""

from __future__ import annotations

import io
import json
import os
import sqlite3
import stat
import subprocess
import sys
import tarfile
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from maia_web.management.backups import FORMAT, archive, is_passing, packer
from tests.resilience.story import Story
from tests.support.fixtures import StartServer
from tests.support.openai_behaviours import answer, text
from tests.support.openai_server import ScriptedServer
from tests.support.processes import ROOT
from tests.support.reader import essence, fresh
from tests.support.server import MaiaServer
from tests.support.services import Postgres

PRIVATE = 0o600


def manage(env: dict[str, str], *words: str) -> subprocess.CompletedProcess[str]:
    """Runs a command of this site with an open umask."""
    done = subprocess.run(
        [sys.executable, "manage.py", *words],
        cwd=ROOT,
        env=env,
        capture_output=True,
        text=True,
        check=False,
        umask=0,
    )
    assert "Traceback" not in done.stderr
    return done


def tree(data: Path) -> dict[bytes, tuple[Any, ...]]:
    """Everything a folder holds: kinds, owners, rights, times, contents, where links lead."""
    found: dict[bytes, tuple[Any, ...]] = {}
    for path in sorted(data.rglob("*")):
        name = os.fsencode(path.relative_to(data))
        if is_passing(os.fsdecode(name).partition("/")[0]):
            continue
        state = path.lstat()
        content: Any = path.readlink() if path.is_symlink() else None
        if stat.S_ISREG(state.st_mode):
            content = path.read_bytes()
        when = None if path.is_symlink() else int(state.st_mtime)
        found[name] = (state.st_mode, state.st_uid, state.st_gid, state.st_nlink, when, content)
    return found


def rows_of(server: MaiaServer) -> list[Any]:
    """Every row of a site, in an order of its own."""
    if "DATABASE_URL" in server.env:
        import psycopg

        with psycopg.connect(server.env["DATABASE_URL"]) as connection:
            tables = connection.execute(
                "SELECT table_name FROM information_schema.tables WHERE table_schema = 'public'"
            ).fetchall()
            return [
                (table, sorted(map(repr, connection.execute(f'SELECT * FROM "{table}"'))))
                for (table,) in sorted(tables)
            ]
    with closing(sqlite3.connect(server.data / "maia.sqlite3")) as database:
        return list(database.iterdump())


def furnish(folder: Path, home: Path) -> None:
    """Puts everything into a workspace that people's programs make."""
    (folder / "deep" / "er").mkdir(parents=True)
    (folder / "deep" / "er" / "text.txt").write_text("été\n")
    (folder / "run.sh").write_text("#!/bin/sh\n")
    (folder / "run.sh").chmod(0o775)
    (folder / "second name").hardlink_to(folder / "run.sh")
    (folder / "empty").mkdir(mode=0o2770)
    (folder / "empty").chmod(0o2770)
    (folder / "away").symlink_to("/etc/passwd")
    (folder / "up").symlink_to("../../secret-key")
    os.mkfifo(folder / "fifo")
    Path(os.fsdecode(os.fsencode(folder) + b"/no-utf8-\xff")).write_bytes(b"\0\xff")
    os.utime(folder / "deep", (1_000_000_000, 1_000_000_000))
    (home / "notes").write_text("mine")


@pytest.mark.parametrize(
    "kind",
    [
        "sqlite",
        pytest.param("postgresql", marks=[pytest.mark.services, pytest.mark.xdist_group("many")]),
    ],
)
async def test_a_restored_site_equals_the_original(
    start_server: StartServer,
    model_server: ScriptedServer,
    data: Path,
    tmp_path: Path,
    kind: str,
    request: pytest.FixtureRequest,
) -> None:
    def database() -> dict[str, str]:
        if kind == "sqlite":
            return {}
        postgres: Postgres = request.getfixturevalue("postgres")
        return {"DATABASE_URL": postgres.new_database()}

    server = start_server(database())
    story = Story.begin(server, model_server)
    model_server.script(answer(text("Good morning.")))
    async with story.tab() as tab:
        await tab.send("hello")
        await tab.until_idle()
        await tab.until_fresh(story.alice)
    person = story.alice.get("/api/workspaces").json()
    assert person
    home = next((data / "homes").iterdir())
    furnish(data / "workspaces" / story.workspace, home)
    before = essence(fresh(story.alice, story.channel))

    kept = tmp_path / "kept.tar"
    done = manage(server.env, "backup", str(kept))
    assert done.returncode == 0, done.stderr
    assert "keep it private" in done.stdout
    assert stat.S_IMODE(kept.stat().st_mode) == PRIVATE
    server.kill()

    other = data.with_name("restored")
    again = MaiaServer(other, database())
    done = manage(again.env, "restore", str(kept))
    assert done.returncode == 0, done.stderr
    expected = tree(data)
    assert len(expected) > 20
    fifo = os.fsencode(f"workspaces/{story.workspace}/fifo")
    del expected[fifo]  # nobody waits at its other end any more
    assert tree(other) == expected
    assert rows_of(again) == rows_of(server)
    if kind == "sqlite":
        assert stat.S_IMODE((other / "maia.sqlite3").stat().st_mode) == PRIVATE
    try:
        again.start()
        with again.sign_in("alice") as alice:
            assert essence(fresh(alice, story.channel)) == before
    finally:
        again.close()
        story.close()


# --- what is refused ----------------------------------------------------------------------------


def member(name: str, content: bytes = b"x", **what: Any) -> tuple[tarfile.TarInfo, bytes]:
    info = tarfile.TarInfo(name)
    for key, value in what.items():
        setattr(info, key, value)
    info.size = len(content) if info.isreg() else 0
    return info, content


def folder(name: str) -> tuple[tarfile.TarInfo, bytes]:
    return member(name, type=tarfile.DIRTYPE, mode=0o755)


def make_archive(target: Path, *members: tuple[tarfile.TarInfo, bytes], **manifest: Any) -> Path:
    """Writes an archive as somebody with bad intentions might."""
    rows = target.with_suffix(".rows")
    with closing(sqlite3.connect(rows)) as database:
        database.execute("CREATE TABLE one (id integer)")
        database.commit()
    told = {"format": FORMAT, "version": "0", "migrations": [], **manifest}
    first = [member("manifest.json", json.dumps(told).encode())]
    first.append(member("rows.sqlite3", rows.read_bytes()))
    with tarfile.open(target, "w") as out:
        for info, content in [*first, *members]:
            out.addfile(info, io.BytesIO(content) if info.isreg() else None)
    rows.unlink()
    return target


LINK = {"type": tarfile.SYMTYPE}
INSIDE = (folder("files/workspaces"), folder("files/workspaces/1"))
HOSTILE: dict[str, tuple[tuple[tarfile.TarInfo, bytes], ...]] = {
    "above": (member("files/../outside"),),
    "deep-above": (*INSIDE, member("files/workspaces/1/../../../outside")),
    "absolute": (member("/tmp/outside"),),
    "absolute-inside": (member("files//tmp/outside"),),
    "no-place": (member("outside"),),
    "through-a-link": (
        *INSIDE,
        member("files/workspaces/1/way", linkname="..", **LINK),
        member("files/workspaces/1/way/outside"),
    ),
    "key-that-is-a-link": (member("files/secret-key", linkname="/etc/shadow", **LINK),),
    "folder-that-is-a-link": (member("files/homes", linkname="/etc", **LINK),),
    "home-that-is-a-link": (folder("files/homes"), member("files/homes/1", linkname="/", **LINK)),
    "hard-link-away": (
        *INSIDE,
        member("files/workspaces/1/hard", type=tarfile.LNKTYPE, linkname="/etc/passwd"),
    ),
    "hard-link-above": (
        *INSIDE,
        member("files/workspaces/1/hard", type=tarfile.LNKTYPE, linkname="files/../../x"),
    ),
    "hard-link-through-a-link": (
        *INSIDE,
        member("files/workspaces/1/etc", linkname="/etc", **LINK),
        member(
            "files/workspaces/1/h", type=tarfile.LNKTYPE, linkname="files/workspaces/1/etc/hosts"
        ),
    ),
    "device": (*INSIDE, member("files/workspaces/1/null", type=tarfile.CHRTYPE, devmajor=1)),
    "the-database": (member("files/maia.sqlite3"),),
    "twice": (member("files/secret-key"), member("files/secret-key")),
}


@pytest.fixture
def site(data: Path) -> MaiaServer:
    return MaiaServer(data)


def refused(site: MaiaServer, *words: str) -> str:
    done = manage(site.env, *words)
    assert done.returncode == 1
    assert done.stdout == ""
    return done.stderr


@pytest.mark.parametrize("members", HOSTILE.values(), ids=HOSTILE)
def test_a_member_that_points_outside_ends_the_restoring(
    site: MaiaServer, tmp_path: Path, members: tuple[tuple[tarfile.TarInfo, bytes], ...]
) -> None:
    hostile = make_archive(tmp_path / "hostile.tar", *members)
    told = refused(site, "restore", str(hostile))
    assert "outside the data folder" in told or "cannot be laid out" in told
    assert list(site.data.iterdir()) == []
    assert sorted(entry.name for entry in site.data.parent.iterdir()) == [site.data.name]


@pytest.mark.parametrize(
    ("spoil", "told"),
    [
        (lambda file: make_archive(file, migrations=["agents.0999_of_tomorrow"]), "a later MAIA"),
        (lambda file: make_archive(file, format=2), "a later MAIA"),
        (lambda file: file.write_bytes(b"no archive"), "cannot be read as a backup"),
        (lambda file: file.write_bytes(make_archive(file).read_bytes()[:3_000]), "damaged"),
        (lambda file: tarfile.open(file, "w").close(), "no backup of MAIA"),
        (lambda file: None, "cannot be read as a backup"),
    ],
    ids=["later", "format", "nonsense", "cut", "empty", "missing"],
)
def test_what_is_no_backup_of_this_release_is_told(
    site: MaiaServer, tmp_path: Path, spoil: Callable[[Path], object], told: str
) -> None:
    spoil(tmp_path / "file.tar")
    assert told in refused(site, "restore", str(tmp_path / "file.tar"))


def test_nothing_is_restored_over_anything(site: MaiaServer, tmp_path: Path) -> None:
    good = make_archive(tmp_path / "good.tar")
    site.data.mkdir()
    (site.data / "secret-key").write_text("precious")
    told = refused(site, "restore", str(good))
    assert "is not empty (secret-key)" in told
    assert "MAIA_DATA" in told
    assert (site.data / "secret-key").read_text() == "precious"


def test_a_backup_is_written_over_nothing_and_not_into_what_it_keeps(
    site: MaiaServer, tmp_path: Path
) -> None:
    (tmp_path / "there").write_text("precious")
    assert "exists already" in refused(site, "backup", str(tmp_path / "there"))
    assert "in the folder that is kept" in refused(site, "backup", str(site.data / "kept.tar"))
    assert "is no folder" in refused(site, "backup", str(tmp_path / "nowhere" / "kept.tar"))
    assert (tmp_path / "there").read_text() == "precious"


def test_nobody_else_reads_a_backup_while_it_is_written(tmp_path: Path) -> None:
    before = os.umask(0)
    try:
        with archive._private(tmp_path / "kept") as (file, beside):
            assert stat.S_IMODE(os.fstat(file.fileno()).st_mode) == PRIVATE
            assert stat.S_IMODE(beside.stat().st_mode) == 0o700
            assert not (tmp_path / "kept").exists()
    finally:
        os.umask(before)
    assert stat.S_IMODE((tmp_path / "kept").stat().st_mode) == PRIVATE
    assert list(tmp_path.iterdir()) == [tmp_path / "kept"]


def test_a_file_that_shrinks_meanwhile_is_filled_up() -> None:
    filled = packer._Filled(io.BytesIO(b"abc"))
    assert (filled.read(2), filled.read(3), filled.read(1)) == (b"ab", b"c\0\0", b"\0")
