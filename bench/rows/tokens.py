"""Counting tokens beside plain tiktoken on the same texts and vocabulary."""

from __future__ import annotations

import random
import time

from agents.domain.memory import tokens
from bench.report import Row
from bench.rows import row

TEXTS, SIZE, EACH = 200, 4_000, 3


async def count(rounds: int) -> list[Row]:
    """Texts of 4 000 characters, as messages and files are."""
    tokens.load()
    encoding = tokens._build()
    first, again = row("e-count"), row("e-again")
    for number in range(-1, rounds * EACH):
        texts = _texts(number)
        size = sum(len(text.encode()) for text in texts) / 1e6
        began = time.perf_counter()
        ours = sum(map(tokens.count_text, texts))
        ours_took, began = time.perf_counter() - began, time.perf_counter()
        theirs = sum(len(encoding.encode_ordinary(text)) for text in texts)
        theirs_took, began = time.perf_counter() - began, time.perf_counter()
        assert ours == theirs
        sum(map(tokens.count_text, texts))
        again_took = time.perf_counter() - began
        if number < 0:  # what is loaded at the first use is no part of the later ones
            continue
        first.add(size / ours_took, size / theirs_took)
        again.add(again_took * 1000, ours_took * 1000)
    return [first, again]


def _texts(seed: int) -> list[str]:
    chosen = random.Random(seed)
    words = [
        "the",
        "value",
        "returns",
        "été",
        "self.index",
        "=",
        "(",
        "):\n    ",
        "==",
        "12345",
        "—",
    ]
    words += ["".join(chosen.choices("abcdefghij", k=chosen.randint(2, 9))) for _ in range(500)]
    return [" ".join(chosen.choices(words, k=SIZE // 6)) for _ in range(TEXTS)]
