"""A courier delivers in order, and loses nothing that its return does not make up for."""

from __future__ import annotations

import threading
from collections.abc import Sequence

import pytest

from maia_web.lib import courier as courier_module
from maia_web.lib.courier import Courier


class Away(Exception):
    """Nobody answers."""


class OtherSide:
    """Answers but for the first `silent` times."""

    def __init__(self, silent: int) -> None:
        self.silent = silent
        self.heard: list[str] = []
        self.news = threading.Condition()
        self.courier = Courier("test", self.deliver, self.come_back, (Away,))

    def deliver(self, items: Sequence[str]) -> None:
        self._answer(*items)

    def come_back(self) -> None:
        self._answer("back")
        self.courier.put("while it came back")

    def until(self, *heard: str) -> None:
        with self.news:
            assert self.news.wait_for(lambda: self.heard == list(heard), 60), self.heard

    def _answer(self, *items: str) -> None:
        with self.news:
            if self.silent:
                self.silent -= 1
                self.courier.put("lost")
                raise Away
            self.heard += items
            self.news.notify_all()


@pytest.mark.parametrize("silent", [1, 2, 3])
def test_what_comes_while_it_returns_is_delivered_after_it(
    monkeypatch: pytest.MonkeyPatch, silent: int
) -> None:
    monkeypatch.setattr(courier_module, "PATIENCE", 0.001)
    there = OtherSide(silent)
    there.courier.put("lost")
    there.until("back", "while it came back")
    there.courier.send("later")
    there.until("back", "while it came back", "later")
    there.courier.close()
