"""Rate: how many commands one socket may send."""

from __future__ import annotations

import time

from django.utils.translation import gettext as _

from maia_web.lib.errors import TooMuch


class Rate:
    """A bucket of `burst` commands that fills again by `per_second`."""

    def __init__(self, per_second: float, burst: float) -> None:
        self._per_second = per_second
        self._burst = burst
        self._left = burst
        self._at = time.monotonic()

    def spend(self) -> None:
        """Takes one command; raises `TooMuch` when the bucket is empty."""
        now = time.monotonic()
        self._left = min(self._burst, self._left + (now - self._at) * self._per_second)
        self._at = now
        if self._left < 1:
            raise TooMuch(_("Too many commands at once. Wait a moment."), retryAfter=1)
        self._left -= 1
