"""Reads the environment and the data folder; knows nothing of Django."""

from __future__ import annotations

import contextlib
import hashlib
import os
import secrets
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


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


def local_host(host: str) -> str:
    """Returns what stands in an address for a server that listens on `host`, seen from here."""
    everywhere = {"0.0.0.0": "127.0.0.1", "::": "[::1]"}  # noqa: S104 (names them, binds nothing)
    return everywhere.get(host) or (f"[{host}]" if ":" in host else host)


def data_folder() -> Path:
    """Returns the folder of everything that is kept (`MAIA_DATA`), made on first use."""
    folder = Path(os.environ.get("MAIA_DATA") or ROOT / "data").expanduser().resolve()
    folder.mkdir(mode=0o711, parents=True, exist_ok=True)
    return folder


def secret(name: str, folder: Path) -> str:
    """Returns a secret kept in `folder/name`, made with owner-only rights on first use."""
    path = folder / name
    if not path.exists():
        temporary = path.with_suffix(f".{os.getpid()}")
        descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        with os.fdopen(descriptor, "w", encoding="ascii") as file:
            file.write(secrets.token_urlsafe(50))
        try:
            os.link(temporary, path)
        except FileExistsError:
            pass
        finally:
            temporary.unlink()
    return path.read_text(encoding="ascii").strip()


def database_file(folder: Path) -> Path:
    """Returns the path of the SQLite database, which only its owner may read.

    It holds sessions and password hashes; other accounts of the machine reach the folder, because
    sandboxes do. SQLite gives its journals the mode of the database.
    """
    path = folder / "maia.sqlite3"
    os.close(os.open(path, os.O_RDWR | os.O_CREAT, 0o600))
    for name in (path.name, f"{path.name}-wal", f"{path.name}-shm"):
        with contextlib.suppress(FileNotFoundError):
            (folder / name).chmod(0o600)
    return path


def release(static: Path, version: str) -> str:
    """Returns a name for this state of the static files; browsers load a new one anew."""
    digest = hashlib.sha256(version.encode())
    for path in sorted(static.rglob("*")):
        if path.is_file():
            digest.update(str(path.relative_to(static)).encode())
            digest.update(path.read_bytes())
    return digest.hexdigest()[:12]
