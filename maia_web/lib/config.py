"""Reads the environment and the data folder; knows nothing of Django."""

from __future__ import annotations

import contextlib
import errno
import hashlib
import os
import secrets
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import dj_database_url

ROOT = Path(__file__).resolve().parents[2]
_OWN_HOST = (
    "{}. MAIA is not served below a path of another site: give it a host name of its own "
    "(https://maia.example.org) and leave the path away."
)
DATABASES = ("django.db.backends.sqlite3", "django.db.backends.postgresql")
made_now: set[Path] = set()
"""What this process has made in the data folder because it was not there."""

_REMEDIES = {
    errno.ENOSPC: "Make room on its disk",
    errno.EDQUOT: "Make room on its disk",
    errno.EROFS: "Its disk is read-only: mount it for writing",
    errno.EACCES: "Give it to the account that runs MAIA",
    errno.EPERM: "Give it to the account that runs MAIA",
    errno.EISDIR: "Move the folder of that name away",
    errno.ENOTDIR: "Move the file of that name away",
    errno.EEXIST: "Move the file of that name away",
}


def flag(name: str, default: bool = False) -> bool:
    """Returns whether the environment variable says yes (1, true, yes, on)."""
    value = os.environ.get(name, "").strip().lower()
    return value in {"1", "true", "yes", "on"} if value else default


def words(name: str) -> list[str]:
    """Returns the comma-separated values of an environment variable."""
    return [word.strip() for word in os.environ.get(name, "").split(",") if word.strip()]


def number(name: str, default: int, least: int, most: int) -> int:
    """Returns a whole number of the environment.

    Ends the program with one line that names the variable if it is none, or out of range.
    """
    text = os.environ.get(name, "").strip() or str(default)
    if not (text.isascii() and text.isdecimal() and least <= int(text[:12]) <= most):
        raise SystemExit(f"{name} must be a number from {least} to {most}, not {text[:40]!r}.")
    return int(text)


def origins() -> list[str]:
    """Returns the addresses people open (`MAIA_ORIGINS`), without a slash at their end.

    Ends the program with one line for what is no address, or one below the root of its host.
    """
    found = [word.rstrip("/") for word in words("MAIA_ORIGINS")]
    for origin in found:
        parts = urlsplit(origin)
        if parts.scheme not in {"http", "https"} or not parts.netloc or parts.netloc[-1] == ":":
            raise SystemExit(
                f"MAIA_ORIGINS must be addresses such as https://maia.example.org, not {origin!r}."
            )
        if parts.path or parts.query or parts.fragment:
            raise SystemExit(_OWN_HOST.format(f"MAIA_ORIGINS names {origin!r}, with a path"))
    return found


def refuse_prefix() -> None:
    """Ends the program with one line where somebody wants MAIA below a path."""
    prefix = os.environ.get("MAIA_PREFIX", "").strip()
    if prefix.strip("/"):
        raise SystemExit(_OWN_HOST.format(f"MAIA_PREFIX is {prefix!r}"))


def local_host(host: str) -> str:
    """Returns what stands in an address for a server that listens on `host`, seen from here."""
    everywhere = {"0.0.0.0": "127.0.0.1", "::": "[::1]"}  # noqa: S104 (names them, binds nothing)
    return everywhere.get(host) or (f"[{host}]" if ":" in host else host)


def data_folder() -> Path:
    """Returns the folder of everything that is kept (`MAIA_DATA`), made on first use."""
    folder = Path(os.environ.get("MAIA_DATA") or ROOT / "data").expanduser().resolve()
    with _or_end("MAIA_DATA must be a folder that this account may use", folder):
        folder.mkdir(mode=0o711, parents=True, exist_ok=True)
    return folder


def secret(name: str, folder: Path) -> str:
    """Returns a secret kept in `folder/name`, made with owner-only rights on first use."""
    path = folder / name
    with _or_end("The key of this site must be a file that this account may read and make", path):
        if not path.exists():
            _make_secret(path)
        kept = path.read_bytes().strip()
    if not kept or not kept.isascii() or not kept.decode("ascii").isprintable():
        raise SystemExit(
            f"{path} is damaged: it does not hold a key. Put it back from a backup. Without one, "
            "remove it: everybody signs in anew, and keys of model servers are entered again."
        )
    return kept.decode("ascii")


def _make_secret(path: Path) -> None:
    temporary = path.with_suffix(f".{os.getpid()}")
    try:
        descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        with os.fdopen(descriptor, "w", encoding="ascii") as file:
            file.write(secrets.token_urlsafe(50))
        with contextlib.suppress(FileExistsError):
            os.link(temporary, path)
            made_now.add(path)
    finally:
        temporary.unlink(missing_ok=True)


def database_file(folder: Path) -> Path:
    """Returns the path of the SQLite database, which only its owner may read.

    It holds sessions and password hashes; other accounts of the machine reach the folder, because
    sandboxes do. SQLite gives its journals the mode of the database.
    """
    path = folder / "maia.sqlite3"
    with _or_end("The database must be a file that this account may read and write", path):
        try:
            os.close(os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600))
            made_now.add(path)
        except FileExistsError:
            os.close(os.open(path, os.O_RDWR))
        for name in (path.name, f"{path.name}-wal", f"{path.name}-shm"):
            with contextlib.suppress(FileNotFoundError):
                (folder / name).chmod(0o600)
    return path


@contextlib.contextmanager
def _or_end(wanted: str, path: Path) -> Iterator[None]:
    """Where the system refuses, ends the program with one line: the path, why, the remedy."""
    try:
        yield
    except OSError as error:
        remedy = _REMEDIES.get(error.errno or 0, "Check its owner, its rights and its disk")
        why = os.strerror(error.errno) if error.errno else str(error)
        raise SystemExit(
            f"{wanted}: {path} ({why}). {remedy}, or choose another folder with MAIA_DATA."
        ) from error


def database_address(default: str) -> dict[str, Any]:
    """Returns Django's settings of the database (`DATABASE_URL`).

    Ends the program with one line, which never shows the password, if it is no address of one.
    """
    try:
        found = dict(dj_database_url.parse(os.environ.get("DATABASE_URL") or default))
    except ValueError:  # an unknown scheme, or no address at all
        found = {}
    if found.get("ENGINE") not in DATABASES:
        raise SystemExit(
            "DATABASE_URL must be postgresql://account:password@host/name (or sqlite:////a/file), "
            "with what is special in the password written as %XX."
        )
    return found


def package(name: str) -> Path:
    """Returns the folder of an installed package, without importing it."""
    found = find_spec(name)
    if found is None or found.origin is None:
        raise ModuleNotFoundError(f"{name} is not installed", name=name)
    return Path(found.origin).parent


def release(static: Path, version: str) -> str:
    """Returns a name for this state of the static files; browsers load a new one anew."""
    digest = hashlib.sha256(version.encode())
    for path in sorted(static.rglob("*")):
        if path.is_file():
            digest.update(str(path.relative_to(static)).encode())
            digest.update(path.read_bytes())
    return digest.hexdigest()[:12]
