"""The system calls a sandbox may not make, as classic BPF."""

from __future__ import annotations

import errno
import platform
import struct
from functools import cache

_ALLOW = 0x7FFF0000
_KILL = 0x80000000
_EPERM = 0x00050000 | errno.EPERM
_NO_FAMILY = 0x00050000 | errno.EAFNOSUPPORT
_LOAD, _EQUAL, _AT_LEAST, _RETURN = 0x20, 0x15, 0x35, 0x06
_NUMBER, _ARCHITECTURE, _FIRST_ARGUMENT, _SECOND_ARGUMENT = 0, 4, 16, 24
_X32 = 0x40000000
_TIOCSTI, _TIOCLINUX = 0x5412, 0x541C
# AF_UNIX, AF_INET, AF_INET6, AF_NETLINK. No other is known to end in the network namespace of the
# sandbox: AF_VSOCK reaches the hypervisor out of any of them.
FAMILIES = (1, 2, 10, 16)

# io_uring_setup enter register, open_tree move_mount fsopen fsconfig fsmount fspick,
# pidfd_getfd, mount_setattr: the same numbers everywhere
_COMMON = (425, 426, 427, 428, 429, 430, 431, 432, 433, 438, 442)
_MACHINES: dict[str, tuple[int, int, tuple[int, int], tuple[int, ...]]] = {
    # machine: (audit architecture, ioctl, (socket, socketpair),
    #   ptrace process_vm_readv process_vm_writev kcmp
    #   add_key request_key keyctl bpf perf_event_open userfaultfd mount umount2 pivot_root unshare
    #   setns open_by_handle_at kexec_load kexec_file_load init_module finit_module delete_module
    #   acct swapon swapoff reboot quotactl)
    "x86_64": (
        0xC000003E,
        16,
        (41, 53),
        (
            *(101, 310, 311, 312, 248, 249, 250, 321, 298, 323, 165, 166, 155, 272),
            *(308, 304, 246, 320, 175, 313, 176, 163, 167, 168, 169, 179),
        ),
    ),
    "aarch64": (
        0xC00000B7,
        29,
        (198, 199),
        (
            *(117, 270, 271, 272, 217, 218, 219, 280, 241, 282, 40, 39, 41, 97),
            *(268, 265, 104, 294, 105, 273, 106, 89, 224, 225, 142, 60),
        ),
    ),
}


def _op(code: int, value: int, when_true: int = 0, when_false: int = 0) -> bytes:
    return struct.pack("<HBBI", code, when_true, when_false, value)


def _refuse(numbers: tuple[int, ...]) -> bytes:
    return b"".join(_op(_EQUAL, number, 0, 1) + _op(_RETURN, _EPERM) for number in numbers)


def _allow(values: tuple[int, ...]) -> bytes:
    return b"".join(_op(_EQUAL, value, 0, 1) + _ALLOWED for value in values)


def _length(code: bytes) -> int:
    return len(code) // 8


_ALLOWED = _op(_RETURN, _ALLOW)


@cache
def program(machine: str = "") -> bytes | None:
    """Returns the filter for this (or the named) machine; None if we have none for it."""
    known = _MACHINES.get(machine or platform.machine())
    if known is None:
        return None
    architecture, ioctl, (socket, socketpair), refused = known
    x32 = _op(_AT_LEAST, _X32, 0, 1) + _op(_RETURN, _EPERM)
    # of an argument the low 32 bits: all the kernel looks at
    terminal = _op(_LOAD, _SECOND_ARGUMENT) + _refuse((_TIOCSTI, _TIOCLINUX)) + _ALLOWED
    families = _op(_LOAD, _FIRST_ARGUMENT) + _allow(FAMILIES) + _op(_RETURN, _NO_FAMILY)
    return (
        _op(_LOAD, _ARCHITECTURE)
        + _op(_EQUAL, architecture, 1, 0)
        + _op(_RETURN, _KILL)
        + _op(_LOAD, _NUMBER)
        + x32
        + _refuse(refused + _COMMON)
        + _op(_EQUAL, ioctl, 0, _length(terminal))
        + terminal
        + _op(_EQUAL, socket, 1, 0)
        + _op(_EQUAL, socketpair, 0, _length(families))
        + families
        + _ALLOWED
    )
