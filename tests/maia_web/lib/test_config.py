"""What the environment says, read once."""

from __future__ import annotations

import os
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from maia_web.lib import config
from tests.support.processes import ROOT


@given(st.text().filter(lambda text: "\0" not in text))
def test_a_number_is_read_or_refused_in_one_line(text: str) -> None:
    os.environ["MAIA_PROBE"] = text.encode("utf-8", "replace").decode()
    told = ""
    try:
        assert 1 <= config.number("MAIA_PROBE", 8000, 1, 65_535) <= 65_535
    except SystemExit as refused:
        told = str(refused)
    finally:
        del os.environ["MAIA_PROBE"]
    assert not told or told.startswith("MAIA_PROBE must be a number from 1 to 65535, not ")
    assert "\n" not in told


@pytest.mark.parametrize(("text", "number"), [("", 8000), ("  ", 8000), ("65535", 65_535)])
def test_nothing_means_the_default(monkeypatch: pytest.MonkeyPatch, text: str, number: int) -> None:
    monkeypatch.setenv("MAIA_PROBE", text)
    assert config.number("MAIA_PROBE", 8000, 1, 65_535) == number


@pytest.mark.parametrize("earlier", [False, True])
def test_nobody_else_reads_the_database_or_its_journals(tmp_path: Path, earlier: bool) -> None:
    names = ("maia.sqlite3", "maia.sqlite3-wal", "maia.sqlite3-shm")
    if earlier:  # made by a version that left it to the umask
        for name in names:
            (tmp_path / name).touch(mode=0o644)
    with closing(sqlite3.connect(config.database_file(tmp_path))) as database:
        database.execute("PRAGMA journal_mode=WAL")
        database.execute("CREATE TABLE kept (one)")
        database.commit()
        modes = {name: (tmp_path / name).stat().st_mode & 0o777 for name in names}
    assert modes == dict.fromkeys(names, 0o600)


@pytest.mark.parametrize("port", ["abc", "-1", "0", "65536", "80 80", "٣", "9" * 5_000])
def test_a_port_that_is_none_ends_the_program_with_one_line(tmp_path: Path, port: str) -> None:
    done = subprocess.run(
        [sys.executable, "-c", "import maia_web.settings"],
        env={**os.environ, "MAIA_PORT": port, "MAIA_DATA": str(tmp_path), "PYTHONUTF8": "1"},
        cwd=ROOT,
        text=True,
        capture_output=True,
        check=False,
    )
    assert done.returncode == 1
    assert done.stderr.startswith("MAIA_PORT must be a number from 1 to 65535, not '")
    assert done.stderr.count("\n") == 1


@pytest.mark.parametrize(
    ("host", "shown"),
    [
        ("0.0.0.0", "127.0.0.1"),
        ("::", "[::1]"),
        ("::1", "[::1]"),
        ("10.1.2.3", "10.1.2.3"),
        ("maia.example", "maia.example"),
    ],
)
def test_a_host_is_shown_as_an_address_opens_it(host: str, shown: str) -> None:
    assert config.local_host(host) == shown


def _settings(**environment: str) -> str:
    """Reads the settings with these variables; returns what it says instead, "" for nothing."""
    clean = {name: value for name, value in os.environ.items() if not name.startswith("MAIA_")}
    done = subprocess.run(
        [sys.executable, "-c", "import maia_web.settings as s; print(s.ORIGINS[0])"],
        cwd=ROOT,
        env={**clean, "MAIA_DATA": os.environ["MAIA_DATA"], **environment},
        capture_output=True,
        text=True,
        check=False,
    )
    return done.stderr or done.stdout


@pytest.mark.parametrize(
    "variables",
    [{"MAIA_PREFIX": "/maia"}, {"MAIA_ORIGINS": "https://a.example, https://b.example/maia"}],
)
def test_a_path_below_another_site_is_refused_in_one_line(variables: dict[str, str]) -> None:
    told = _settings(**variables)
    assert "give it a host name of its own" in told
    assert len(told.splitlines()) == 1


@pytest.mark.parametrize(
    ("origins", "told"),
    [
        ("https://maia.example.org/", "https://maia.example.org"),
        ("http://[::1]:8000", "http://[::1]:8000"),
        ("maia.example.org", "MAIA_ORIGINS must be addresses"),
        ("ftp://maia.example.org", "MAIA_ORIGINS must be addresses"),
    ],
)
def test_the_addresses_people_open_are_read(origins: str, told: str) -> None:
    assert _settings(MAIA_ORIGINS=origins, MAIA_PREFIX="/").strip().startswith(told)
