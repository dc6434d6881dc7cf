"""Every row of `make bench`: what is measured, beside what, and how good it has to be.

Goals are ratios of two values of one run, so that they hold on any machine: F is a bare fan-out
(`bench.servers.floor`) under the same server. What stands alone is a count. Nothing else says
what is wanted of a row.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Goal:
    """One quantity, and what it is measured beside ("": it stands alone).

    The ratio (alone: the value) has to be `most` or less, `least` or more; neither: it is told.
    """

    name: str
    unit: str
    beside: str = "F"
    most: float | None = None
    least: float | None = None

    @property
    def stands_alone(self) -> bool:
        """Whether it is a count, not a ratio."""
        return not self.beside

    @property
    def is_set(self) -> bool:
        """Whether anything is wanted of it."""
        return self.most is not None or self.least is not None

    @property
    def shown(self) -> str:
        """The goal as people read it."""
        if self.most is not None:
            return f"≤ {self.most:g}"
        return "" if self.least is None else f"≥ {self.least:g}"

    def holds(self, value: float) -> bool:
        """Says whether this value is good enough."""
        if self.most is not None and value > self.most:
            return False
        return self.least is None or value >= self.least


GOALS: dict[str, Goal] = {
    # One person, one stream
    "b-first": Goal("b  first delta, from asking", "ms", most=3),
    "a1-delay": Goal("a1 delay of a delta, p50, 50/s", "ms", most=2),
    "a1-cpu": Goal("a1 CPU of 1,000 deltas, 50/s", "ms", most=1.3),
    "a5-2000": Goal("a5 2,000 deltas at full speed, from asking", "deltas/s", least=0.4),
    "a5-20000": Goal("a5 20,000 deltas at full speed, from asking", "deltas/s", least=0.5),
    "a5-packet": Goal("a5 20,000 deltas written at once, from asking", "deltas/s", least=0.5),
    "a5-lost": Goal("a5 deltas lost of 20,000", "deltas", "", most=0),
    # One channel, many people
    "a2-delay": Goal("a2 50 people in one channel: delay p50", "ms", most=2),
    "a2-p95": Goal("a2 50 people: delay p95", "ms", most=2),
    "a2-cpu": Goal("a2 50 people: CPU of a delivery", "us", most=1.4),
    "a2-lost": Goal("a2 50 people: deltas lost", "deltas", "", most=0),
    "a3-delay": Goal("a3 500 people in one channel: delay p50", "ms", most=3),
    "a3-p95": Goal("a3 500 people: delay p95", "ms", most=3),
    "a3-cpu": Goal("a3 500 people: CPU of a delivery", "us", most=1.5),
    "a3-lost": Goal("a3 500 people: deltas lost", "deltas", "", most=0),
    # Fifty people, a stream each
    "a4-first": Goal("a4 50 people ask at once: first delta p50", "ms", most=3),
    "a4-order": Goal("a4 50 people: the first of them", "ms", "the last", most=0.2),
    "a4-delay": Goal("a4 50 people, 50 streams: delay p50", "ms", most=2),
    "a4-cpu": Goal("a4 50 people, 50 streams: CPU of a delta", "us", most=2),
    # A turn: what it asks the database, and how that grows
    "turn-statements": Goal("statements before the model's request", "count", "", most=12),
    "grow-channels": Goal("turn of a person with 1,000 channels", "ms db", "10", most=1.2),
    "grow-people": Goal("turn with 1,000 people online", "ms db", "10", most=1.2),
    "grow-memory": Goal("turn with 4,000 messages in memory", "ms db", "10", most=1.2),
    "grow-rules": Goal("tool call with 5,000 rules", "ms db", "10", most=1.2),
    # Idle, and starting
    "h1-idle": Goal("h1 memory of an idle socket", "KiB", most=1.4),
    "i-start": Goal("i  make run to the first page", "s", most=2),
    # Terminals
    "c1-pty": Goal("c1 throughput of a terminal", "MB/s", "PTY", least=0.8),
    "c1-terminado": Goal("c1 throughput of a terminal", "MB/s", "terminado", least=1.2),
    "c2-idle": Goal("c2 echo of a key at bash's prompt, p50", "ms", "terminado", most=1.4),
    "c2-floods": Goal("c2 the same beside two terminals of `yes`", "ms", "terminado", most=1.1),
    "c2-bare": Goal("   echo of a bare PTY behind F's server", "ms", "terminado"),
    "c2-bare-floods": Goal("   the same beside two of `yes`", "ms", "terminado"),
    # Conversations
    "f-page": Goal("f  open 10,000 messages (socket)", "ms", "bare page", most=2),
    "f-length": Goal("f  open 10,000 messages (socket)", "ms", "100", most=1.2),
    "m1-size": Goal("m1 open a conversation of 5 MB", "ms", "of 50 KB", most=2),
    "m2-cpu": Goal("m2 CPU of 150 sockets that come back", "s", "opened", most=0.3),
    "m2-last": Goal("m2 the last of 150 that come back", "s", "opened", most=0.3),
    "m3-delay": Goal("m3 delay p50 of a stream beside them", "ms", "alone", most=1.5),
    # What is stored, run, read and judged
    "k-store": Goal("k  CPU to store 300 deltas at 50/s", "ms", "plain SQL", most=1),
    "j-command": Goal("j  a command in the sandbox", "ms", "bwrap", most=1.2),
    "n-question": Goal("n  open a conversation beside 50 who ask /help", "ms", "alone", most=1.2),
    "d1-few": Goal("d1 Grep, few hits (rg + 10 ms)", "ms", "rg+10", most=1.05),
    "d1-many": Goal("d1 Grep, many hits, output capped", "ms", "rg -l", most=1.2),
    "d2-sorted": Goal("d2 Glob of 20,000 files by time", "ms", "rg sortr", most=0.4),
    "d2-all": Goal("d2 Glob of 20,000 files by time", "ms", "rg -g", most=1.8),
    "d2-some": Goal("d2 Glob of 200 of them by time", "ms", "rg -g", most=1.8),
    "d2-edit": Goal("d2 Glob after an edit", "ms", "rg -g", most=1.8),
    "d2-new": Goal("d2 Glob after a new file", "ms", "rg -g", most=1.8),
    "d2-first": Goal("d2 Glob, the first: nothing known yet", "ms", "rg sortr", most=1.5),
    "d2-fd": Goal("d2 Glob of 20,000 files by time", "ms", "fd", most=1.8),
    "e-count": Goal("e  tokens counted, texts not seen before", "MB/s", "tiktoken", least=0.9),
    "e-again": Goal("e  the same history counted again", "ms", "first", most=0.05),
    "g-verdict": Goal("g  permission verdict, 500 rules", "us", "parsing", most=3),
    "g-reading": Goal("g  verdict with the reading of its rules", "us", "verdict", most=2),
    "g-growth": Goal("g  permission verdict, 5,000 rules", "us", "10", most=4),
    # PostgreSQL, two web processes and two workers
    "many-first": Goal("b  PostgreSQL, 2 web, 2 workers: first delta", "ms", "default", most=3),
    "many-a4": Goal("a4 the same, 50 people at once: first p50", "ms", "default", most=2),
    "many-hop": Goal("   the broker's own hop, there and back", "ms", ""),
    # Peers (`make bench peers`)
    "peer-first": Goal("b  first delta, from asking", "ms", "Chainlit", most=1),
    "peer-delay": Goal("a1 delay of a delta, p50, 50/s", "ms", "Chainlit", most=0.9),
    "peer-a4": Goal("a4 50 people ask at once: first delta p50", "ms", "Chainlit", most=0.4),
    "peer-cpu": Goal("a4 50 people, 50 streams: CPU of a delta", "us", "Chainlit", most=0.7),
}
