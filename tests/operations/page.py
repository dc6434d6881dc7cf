"""The blocks of docs/operations.md, to be run as they are printed, and a real nginx to run them."""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec

from tests.support.known import known
from tests.support.processes import ROOT, Program

PAGE = ROOT / "docs" / "operations.md"
NAME = "maia.example.org"
_BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_EXPORT = re.compile(r"^export (.*)$", re.MULTILINE)


def blocks() -> list[tuple[str, str]]:
    """Returns (language, content) of every block, in order."""
    return _BLOCK.findall(PAGE.read_text("utf-8"))


def block(language: str, holds: str) -> str:
    """Returns the one block of this language that holds a text."""
    [found] = [content for kind, content in blocks() if kind == language and holds in content]
    return found


def exported(content: str) -> dict[str, str]:
    """Returns the variables that a block of shell exports."""
    words = [word for line in _EXPORT.findall(content) for word in line.split()]
    return dict(word.split("=", 1) for word in words)


def with_values(content: str, values: Mapping[str, object]) -> str:
    """Puts the addresses of this test in the place of the printed ones, each of which is there."""
    for printed, here in values.items():
        assert printed in content, f"{printed!r} is not printed any more"
        content = content.replace(printed, str(here))
    return content


class Nginx:
    """A real nginx whose configuration is a page's blocks, in a folder of its own."""

    def __init__(self, folder: Path, *servers: str) -> None:
        self._nginx = shutil.which("nginx", path=f"{os.environ['PATH']}:/usr/sbin")
        if self._nginx is None:
            pytest.skip("needs nginx (Debian: nginx-light)")
        self._folder = folder
        _certificate(folder)
        temporary = "".join(
            f"  {kind}_temp_path {folder}/{kind};\n"
            for kind in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
        )
        user = "user root;\n" if os.geteuid() == 0 else ""
        (folder / "nginx.conf").write_text(
            f"{user}daemon off;\npid {folder}/pid;\nerror_log stderr notice;\n"
            f"events {{ worker_connections 256; }}\nhttp {{\n{temporary}"
            + "\n".join(servers)
            + "}\n"
        )
        self._program: Program | None = None

    def __enter__(self) -> Nginx:
        self._program = Program(
            [known(self._nginx), "-e", "stderr", "-c", self._folder / "nginx.conf"]
        )
        self._program.wait_for("start worker process")
        return self

    def __exit__(self, *_error: object) -> None:
        assert self._program is not None
        self._program.kill()


def _certificate(folder: Path) -> None:
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, NAME)])
    now = datetime.now(UTC)
    made = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - timedelta(days=1))
        .not_valid_after(now + timedelta(days=1))
        .sign(key, hashes.SHA256())
    )
    (folder / "crt").write_bytes(made.public_bytes(serialization.Encoding.PEM))
    (folder / "key").write_bytes(
        key.private_bytes(
            serialization.Encoding.PEM,
            serialization.PrivateFormat.PKCS8,
            serialization.NoEncryption(),
        )
    )
