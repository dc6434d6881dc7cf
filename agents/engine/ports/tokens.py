"""Tokens: how many some texts cost, counted without holding up the loop."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence

Count = Callable[[Sequence[str]], Awaitable[int]]
