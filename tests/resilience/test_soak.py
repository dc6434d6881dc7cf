"""What `make soak` says of a row of measures; it takes them itself, for half an hour."""

from __future__ import annotations

import os

import pytest

from tests.resilience.chaos.soak import Held, growth, held, verdict


def row(memory: float = 0, files: float = 0, threads: float = 0) -> list[Held]:
    """30 minutes in which so much is added each minute, after a warm-up that takes 100 MB."""
    return [
        Held(
            minute,
            200 + min(minute, 10) * 10 + memory * minute + (minute % 2) / 100,
            int(50 + files * minute),
            int(9 + threads * minute),
        )
        for minute in range(31)
    ]


@pytest.mark.parametrize(
    ("measures", "wrong"),
    [
        (row(), []),
        (row(memory=0.09), []),
        (row(memory=0.11), ["memory grows by 1.10"]),
        (row(files=0.1), ["files grows by 2.00"]),
        (row(threads=0.5), ["threads grows by 9.00"]),
    ],
)
def test_what_grows_after_the_warm_up_is_named(measures: list[Held], wrong: list[str]) -> None:
    assert verdict(growth(measures)) == wrong


def test_a_process_is_measured() -> None:
    measured = held(os.getpid(), 0)
    descriptor = os.open("/", os.O_RDONLY)
    assert held(os.getpid(), 0).files == measured.files + 1
    os.close(descriptor)
    assert measured.memory > 1
    assert measured.threads >= 1
