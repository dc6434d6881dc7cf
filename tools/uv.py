"""Finds or fetches uv and fills `.venv` with it: what `bootstrap.py` needs only when it must.

Debian's python3 has neither pip nor ensurepip: uv makes the environment and comes as a wheel from
the package index, checked against the index's sha256.
"""

from __future__ import annotations

import hashlib
import html
import io
import json
import os
import platform
import re
import shutil
import subprocess
import sys
import sysconfig
import time
import urllib.error
import urllib.parse
import urllib.request
import zipfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
TOOLS = ROOT / ".uv"
UV_VERSION = "0.13.9"
DEFAULT_INDEX = "https://pypi.org/simple"
INDEX_TYPES = "application/vnd.pypi.simple.v1+json, text/html;q=0.1"
TRIES = 3
SECONDS = 60


def fill(venv: Path, options: list[str]) -> int:
    """Fills the environment from `uv.lock`; returns the exit status."""
    uv = _find_uv()
    if uv is None:
        _say("uv could be found neither on this machine nor in the package index.")
        return 1
    return _sync(uv, venv, options)


def _sync(uv: Path, venv: Path, options: list[str]) -> int:
    """Fills the environment; retries, since a network may falter."""
    command = [str(uv), "sync", "--frozen", "--quiet", "--python", sys.executable, *options]
    environment = {
        name: value for name, value in os.environ.items() if not name.startswith("VIRTUAL_ENV")
    }
    environment.setdefault("UV_PYTHON_DOWNLOADS", "never")
    environment.setdefault("UV_HTTP_TIMEOUT", "120")
    environment["UV_PROJECT_ENVIRONMENT"] = str(venv)
    status = 1
    for attempt in range(TRIES):
        _say("installing the packages of uv.lock into .venv …")
        status = subprocess.run(command, cwd=ROOT, env=environment, check=False).returncode
        if status in {0, 130}:
            break
        time.sleep(2**attempt)
    return status


# --- uv ---------------------------------------------------------------------------------------


def _find_uv() -> Path | None:
    """Returns uv from PATH, from an earlier fetch, from the index, or by pip."""
    for candidate in (shutil.which("uv"), TOOLS / "uv"):
        if candidate and Path(candidate).exists() and _works(Path(candidate)):
            return Path(candidate)
    return _fetch_from_index() or _fetch_by_pip()


def _works(uv: Path) -> bool:
    """Says whether this uv is there, runs, and is new enough to read the lock file."""
    try:
        told = subprocess.run([uv, "--version"], capture_output=True, text=True, check=True).stdout
    except (OSError, subprocess.CalledProcessError):
        return False
    found = re.search(r"(\d+)\.(\d+)", told)
    return found is not None and (int(found[1]), int(found[2])) >= (0, 8)


def _indexes() -> list[str]:
    named = [os.environ.get(name) for name in ("UV_DEFAULT_INDEX", "UV_INDEX_URL", "PIP_INDEX_URL")]
    return [*dict.fromkeys(address for address in [*named, DEFAULT_INDEX] if address)]


def _fetch_from_index() -> Path | None:
    """Downloads the uv wheel of this platform and takes the program out of it."""
    for index in _indexes():
        try:
            address, sha256 = _wheel_of(f"{index.rstrip('/')}/uv/")
            _say(f"fetching uv {UV_VERSION} …")
            wheel = _get(address)[0]
        except (OSError, LookupError, ValueError) as error:
            _say(f"{urllib.parse.urlsplit(index).hostname}: {error}")
            continue
        if hashlib.sha256(wheel).hexdigest() != sha256:
            _say("the uv wheel does not match the sha256 of the index; not used")
            continue
        return _unpack(wheel)
    return None


def _wheel_of(page: str) -> tuple[str, str]:
    """Returns address and sha256 of the wheel. Raises LookupError when there is none."""
    body, kind, page = _get(page, INDEX_TYPES)
    files = _json_files(body) if "json" in kind else _html_files(body.decode("utf-8", "replace"))
    tag = _platform_tag()
    for name, address, sha256 in files:
        if name.startswith(f"uv-{UV_VERSION}-py3-none-") and tag.search(name):
            return urllib.parse.urljoin(page, address), sha256
    raise LookupError(f"no uv {UV_VERSION} for {sysconfig.get_platform()}")


def _json_files(body: bytes) -> list[tuple[str, str, str]]:
    files = json.loads(body)["files"]
    return [(each["filename"], each["url"], each["hashes"].get("sha256", "")) for each in files]


def _html_files(body: str) -> list[tuple[str, str, str]]:
    links = re.findall(r'href="([^"#]+)#sha256=([0-9a-f]{64})"[^>]*>([^<]+)<', body)
    return [(name.strip(), html.unescape(address), sha256) for address, sha256, name in links]


def _platform_tag() -> re.Pattern[str]:
    """Returns what the wheel's file name must hold on this machine."""
    machine = platform.machine().lower()
    if sys.platform == "darwin":
        return re.compile(rf"macosx_.*_{'arm64' if machine == 'arm64' else 'x86_64'}\.whl$")
    libc = "manylinux" if platform.libc_ver()[0] == "glibc" else "musllinux"
    return re.compile(rf"{libc}.*_{re.escape(machine)}(\.|\.whl$)")


def _get(address: str, accept: str = "*/*") -> tuple[bytes, str, str]:
    """Returns body, content type and final address. Raises OSError."""
    if not address.startswith(("https://", "http://", "file://")):
        raise ValueError(f"not an address of an index: {address}")
    request = urllib.request.Request(address, headers={"Accept": accept})  # noqa: S310 (checked)
    for attempt in range(TRIES):
        try:
            with urllib.request.urlopen(request, timeout=SECONDS) as answer:  # noqa: S310 (checked)
                return answer.read(), answer.headers.get("Content-Type", ""), answer.url
        except urllib.error.HTTPError:
            raise
        except OSError:
            if attempt == TRIES - 1:
                raise
            time.sleep(2**attempt)
    raise AssertionError("unreachable")


def _unpack(wheel: bytes) -> Path:
    TOOLS.mkdir(exist_ok=True)
    target = TOOLS / "uv"
    with zipfile.ZipFile(io.BytesIO(wheel)) as archive:
        name = next(name for name in archive.namelist() if name.endswith("/scripts/uv"))
        temporary = target.with_suffix(f".{os.getpid()}")
        temporary.write_bytes(archive.read(name))
    temporary.chmod(0o755)
    temporary.replace(target)
    return target


def _fetch_by_pip() -> Path | None:
    """Lets pip fetch uv: it may know a mirror or a certificate that urllib does not."""
    command = [sys.executable, "-m", "pip", "install", "--quiet", "--target", str(TOOLS / "pip")]
    done = subprocess.run([*command, f"uv=={UV_VERSION}"], check=False)
    uv = TOOLS / "pip" / "bin" / "uv"
    return uv if done.returncode == 0 and _works(uv) else None


def _say(text: str) -> None:
    print(f"maia: {text}", file=sys.stderr, flush=True)
