"""The system-call filter as bytes: it is well-formed on every machine we know."""

from __future__ import annotations

import struct

import pytest

from workspaces.sandboxes.seccomp import program


def _run(code: bytes, architecture: int, number: int, second: int = 0, first: int = 0) -> int:
    """Interprets the filter for one call and returns its verdict."""
    call = struct.pack("<IIQ6Q", number, architecture, 0, first, second, 0, 0, 0, 0)
    position, accumulator = 0, 0
    while True:
        op, yes, no, value = struct.unpack_from("<HBBI", code, position * 8)
        position += 1
        if op == 0x20:
            accumulator = struct.unpack_from("<I", call, value)[0]
        elif op == 0x06:
            return int(value)
        else:
            holds = accumulator == value if op == 0x15 else accumulator >= value
            position += yes if holds else no


@pytest.mark.parametrize(
    ("machine", "architecture", "read", "ptrace", "ioctl"),
    [("x86_64", 0xC000003E, 0, 101, 16), ("aarch64", 0xC00000B7, 63, 117, 29)],
)
def test_verdicts(machine: str, architecture: int, read: int, ptrace: int, ioctl: int) -> None:
    code = program(machine)
    assert code is not None
    assert _run(code, architecture, read) == 0x7FFF0000
    assert _run(code, architecture, ptrace) == 0x00050001
    assert _run(code, architecture, 425) == 0x00050001
    assert _run(code, architecture, 0x4000_0001) == 0x00050001
    assert _run(code, 0x40000003, read) == 0x80000000
    assert _run(code, architecture, ioctl, 0x5413) == 0x7FFF0000
    assert _run(code, architecture, ioctl, 0x5412) == 0x00050001
    assert _run(code, architecture, ioctl, 0x5412 | 1 << 40) == 0x00050001
    assert _run(code, architecture, ioctl, 0x541C) == 0x00050001


@pytest.mark.parametrize(
    ("machine", "architecture", "calls"),
    [("x86_64", 0xC000003E, (41, 53)), ("aarch64", 0xC00000B7, (198, 199))],
)
def test_only_the_socket_families_that_stay_inside_open(
    machine: str, architecture: int, calls: tuple[int, int]
) -> None:
    code = program(machine)
    assert code is not None
    for call in calls:
        for family in range(256):
            wanted = 0x7FFF0000 if family in {1, 2, 10, 16} else 0x00050061  # EAFNOSUPPORT
            assert _run(code, architecture, call, first=family) == wanted
            assert _run(code, architecture, call, first=family | 1 << 40) == wanted


def test_an_unknown_machine_has_none() -> None:
    assert program("pdp11") is None
