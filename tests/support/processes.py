"""Programs that a test starts: their output is kept, and nothing of them outlives the test."""

from __future__ import annotations

import contextlib
import os
import signal
import socket
import subprocess
import threading
from collections.abc import Mapping, Sequence
from pathlib import Path

START_SECONDS = 120.0
STOP_SECONDS = 60.0
ROOT = Path(__file__).resolve().parents[2]


def free_port() -> int:
    """Returns a port that nobody listens on now."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


class Program:
    """A subprocess in a process group of its own; `env` is its whole environment, if given."""

    def __init__(
        self,
        argv: Sequence[str | Path],
        env: Mapping[str, str] | None = None,
        *,
        account: int | None = None,
    ) -> None:
        self.lines: list[str] = []
        self._news = threading.Condition()
        self._ended = False
        self.process = subprocess.Popen(
            [str(word) for word in argv],
            env=env,
            cwd=ROOT if account is None else "/",
            user=account,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            errors="replace",
            start_new_session=True,
        )
        self._reader = threading.Thread(target=self._read, name=str(argv[0]), daemon=True)
        self._reader.start()

    def _read(self) -> None:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            with self._news:
                self.lines.append(line.rstrip("\n"))
                self._news.notify_all()
        with self._news:
            self._ended = True
            self._news.notify_all()

    @property
    def output(self) -> str:
        """All it said so far."""
        return "\n".join(self.lines)

    def wait_for(self, text: str, seconds: float = START_SECONDS) -> str:
        """Returns the first line that holds `text`; fails when it ends or is silent too long."""

        def found() -> str | None:
            return next((line for line in self.lines if text in line), None)

        with self._news:
            self._news.wait_for(lambda: found() is not None or self._ended, seconds)
            line = found()
        assert line is not None, f"never said {text!r}; it said:\n{self.output}"
        return line

    def stop(self, sign: signal.Signals = signal.SIGTERM) -> int:
        """Asks it to end, as Ctrl+C or a service manager would; returns its exit status."""
        if self.process.poll() is None:
            self.process.send_signal(sign)
        try:
            return self.process.wait(STOP_SECONDS)
        except subprocess.TimeoutExpired:
            self.kill()
            raise AssertionError(f"did not end in {STOP_SECONDS} s:\n{self.output}") from None
        finally:
            self._close()

    def kill(self) -> None:
        """Ends it and its process group at once, as a power cut would."""
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait(STOP_SECONDS)
        self._close()

    def ended(self) -> int:
        """Waits for the end of a process that somebody else ended; returns its exit status."""
        status = self.process.wait(STOP_SECONDS)
        self._close()
        return status

    def _close(self) -> None:
        self._reader.join(STOP_SECONDS)
        if self.process.stdout is not None and not self._reader.is_alive():
            self.process.stdout.close()
