"""A real shell in a real sandbox behind a terminal: typing, size, reload, exit, the end."""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path

import pytest
from asgiref.sync import async_to_sync, sync_to_async
from django.conf import settings

from maia_web.lib.db import in_db
from maia_web.lib.errors import NotFound, TooMuch
from maia_web.lib.websocket_close import Close
from tests.support.known import known, the
from workspaces.domain.places import Place
from workspaces.sandboxes import base
from workspaces.sandboxes.folders import folders_of
from workspaces.sandboxes.process_tree import descendants
from workspaces.terminals import host as hosts
from workspaces.terminals.frames import Answers, Exit, Replay, ServerFrame, TerminalError
from workspaces.terminals.host import TerminalHost
from workspaces.terminals.terminal import Terminal
from workspaces.terminals.view import HOLD_BACK, MOST_AT_ONCE, Size, View

pytestmark = pytest.mark.usefixtures("sandboxed")


class Screen:
    """What one view has been sent."""

    def __init__(self, terminal: Terminal) -> None:
        self.terminal = terminal
        self.view = terminal.attach()
        self.bytes = b""
        self.read = 0
        self.frames: list[ServerFrame] = []

    async def until(self, text: str) -> str:
        """Reads up to `text`, looking only behind what an earlier call found; returns it all."""
        async with asyncio.timeout(20):
            while (at := self.bytes.find(text.encode(), self.read)) < 0:
                await self.step()
        self.read = at + len(text.encode())
        return self.bytes.decode(errors="replace")

    async def until_exit(self) -> int:
        async with asyncio.timeout(20):
            while not any(isinstance(frame, Exit) for frame in self.frames):
                await self.step()
        return the(Exit, self.frames[-1]).code

    async def step(self) -> None:
        for item in await self.view.take():
            if isinstance(item, bytes):
                self.bytes += item
                self.terminal.acknowledge(self.view, len(item))
            else:
                self.frames.append(item)

    def type(self, text: str) -> None:
        self.terminal.type(text.encode())


async def _always() -> bool:
    return True


@pytest.fixture
async def host() -> AsyncIterator[TerminalHost]:
    made = TerminalHost()
    yield made
    await made.close_all()


@pytest.fixture
async def screen(host: TerminalHost, place: Place) -> Screen:
    return Screen(await host.open(place, 80, 24, _always))


async def test_a_shell_runs_in_the_workspace_and_echoes(screen: Screen) -> None:
    screen.type("pwd; echo sum $((40 + 2))\r")
    shown = await screen.until("sum 42")
    assert "/workspace" in shown
    assert "sum $((40 + 2))" in shown


async def test_a_shell_runs_where_the_data_lie_below_a_folder_of_root(
    host: TerminalHost, place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As from a checkout in /root; who is not root has no such data folder."""
    found = await base.probed()
    staged = replace(found, staged=os.geteuid() == 0)
    monkeypatch.setitem(base._answers, settings.DATA, staged)
    screen = Screen(await host.open(place, 80, 24, _always))
    screen.type("touch made; sleep 30 & jobs; echo sum $((40 + 2))\r")
    assert "Running" in await screen.until("sum 42")  # it has a terminal: job control
    assert (folders_of(place).workspace / "made").exists()


async def test_it_is_a_real_terminal_with_colours_and_job_control(screen: Screen) -> None:
    screen.type("test -t 0 && echo is-a-$((1))-tty $TERM\r")
    assert "is-a-1-tty xterm-256color" in await screen.until("is-a-1-tty xterm")
    screen.type("sleep 1000 &\r")
    await screen.until("[1] ")
    screen.type("kill %1; wait; echo over-$((2))\r")
    await screen.until("over-2")
    # What is interrupted is a program that has said that it runs, not the shell on its way there.
    screen.type("sh -c 'echo runs-$((4)); exec sleep 1000'\r")
    await screen.until("runs-4")
    screen.type("\x03")
    await screen.until("$ ")
    screen.type("echo $?-still-$((3))\r")
    await screen.until("130-still-3")


async def test_letters_beyond_ascii_pass_both_ways(screen: Screen) -> None:
    screen.type("echo é漢🙂 | od -An -tx1\r")
    await screen.until("c3 a9 e6 bc a2 f0 9f 99 82")
    screen.type("printf '\\xc3\\xa9t\\xc3\\xa9\\n'\r")
    await screen.until("été")


async def test_the_smallest_screen_gives_the_size(screen: Screen) -> None:
    screen.terminal.resize(screen.view, Size(120, 50))
    other = Screen(screen.terminal)
    screen.terminal.resize(other.view, Size(100, 60))
    screen.type("echo size $(stty size)\r")
    await screen.until("size 50 100")
    screen.terminal.detach(other.view)
    screen.type("echo size $(stty size)\r")
    await screen.until("size 50 120")


async def test_a_reloaded_page_gets_the_same_shell_with_its_screen(screen: Screen) -> None:
    screen.type("secret=$((6 * 7)); echo first-$secret\r")
    await screen.until("first-42")
    screen.terminal.detach(screen.view)
    again = Screen(screen.terminal)
    await again.until("first-42")
    assert again.frames == [Replay(bytes=len(again.bytes)), Answers(yes=True)]
    again.type("echo again-$secret\r")
    await again.until("again-42")


FULL_SCREEN = r"""
printf '\e[?1049h\e[?1h\e[?1002h\e[?1006h\e[?25l\e[2J\e[1;1HTITLE-%s' $((3 * 3))
for i in {1..400}; do printf "\e[$((i % 20 + 2));1H%4000s" "" | tr ' ' x | cut -c1-3990; done
printf '\e[24;1Hdrawn-%s' $((4 * 4)); read -r; printf '\e[?1049l'; echo left-$((5 * 5))
"""


async def test_a_full_screen_program_survives_a_megabyte_with_nobody_there(
    screen: Screen, workspace: Path
) -> None:
    (workspace / "full").write_text(FULL_SCREEN)
    screen.type("echo in-the-shell-$((1 + 1)); bash full\r")
    await screen.until("TITLE-9")
    screen.terminal.detach(screen.view)
    view = Screen(screen.terminal)  # reads the whole of it, so that the program comes to its end
    await view.until("drawn-16")
    again = Screen(screen.terminal)
    await again.until("drawn-16")
    modes = [b"\x1b[?1h", b"\x1b[?1002h", b"\x1b[?1006h", b"\x1b[?25l"]
    assert again.bytes.startswith(b"".join(modes))
    assert b"\x1b[?1049h\x1b[m" in again.bytes
    assert len(again.bytes) < 300_000
    again.type("\r")
    await again.until("left-25")


def answers(screen: Screen) -> bool:
    """Returns whether it answers, by what it was told last."""
    return [frame.yes for frame in screen.frames if isinstance(frame, Answers)][-1]


async def test_of_several_views_one_answers_and_another_takes_over(screen: Screen) -> None:
    terminal = screen.terminal
    second, third = Screen(terminal), Screen(terminal)

    async def who(*looking: Screen) -> list[bool]:
        terminal._said(b"question")
        for one in looking:
            await one.until("question")
        return [answers(one) for one in looking]

    assert await who(screen, second, third) == [False, False, True]
    terminal.focus(second.view)
    assert await who(screen, second, third) == [False, True, False]
    terminal.focus(second.view)
    terminal.detach(second.view)
    assert await who(screen, third) == [False, True]
    terminal.focus(second.view)  # said by a socket that is gone
    third.view.end(Close.TOO_SLOW)
    terminal.detach(third.view)
    assert await who(screen) == [True]
    terminal.detach(screen.view)
    assert await who(Screen(terminal)) == [True]


async def test_who_answers_changes_between_two_bytes(screen: Screen) -> None:
    while screen.view.pending:
        await screen.view.take()
    screen.terminal._said(b"before")
    other = screen.terminal.attach()
    screen.terminal._said(b"after")
    assert list(screen.view.pending) == [b"before", Answers(yes=False), b"after"]
    assert list(other.pending)[-2:] == [Answers(yes=True), b"after"]


async def test_a_view_that_reads_nothing_is_not_told_without_end() -> None:
    view = View()
    for _ in range(1_000):
        view.push(Answers(yes=True))
        view.push(Answers(yes=False))
    assert list(view.pending) == [Answers(yes=False)]


async def test_two_sockets_see_the_same(screen: Screen) -> None:
    other = Screen(screen.terminal)
    screen.type("echo both-$((1 + 1))\r")
    assert (await screen.until("both-2\r\n")).endswith("")
    await other.until("both-2\r\n")
    assert other.bytes[:50] == screen.bytes[:50]


async def test_the_exit_of_the_shell_is_told_with_its_code(
    screen: Screen, host: TerminalHost
) -> None:
    screen.type("exit 7\r")
    assert await screen.until_exit() == 7
    late = Screen(screen.terminal)
    assert await late.until_exit() == 7


async def test_history_is_kept_in_the_home(
    screen: Screen, host: TerminalHost, place: Place
) -> None:
    screen.type("echo remember-me\r")
    await screen.until("remember-me\r\n")
    screen.type("exit\r")
    await screen.until_exit()
    again = Screen(await host.open(place, 80, 24, _always))
    again.type("history\r")
    await again.until("echo remember-me")


async def test_closing_ends_everything_the_shell_started(
    screen: Screen, host: TerminalHost, workspace: Path
) -> None:
    screen.type(
        "trap '' HUP; (setsid nohup sh -c 'while :; do sleep 1; done' &); "
        "echo pid-$((5)); while :; do sleep 1; done\r"  # the shell itself does not hang up
    )
    await screen.until("pid-5")
    below = [pid for pid, _start in descendants(known(screen.terminal.pty._child).pid)]
    assert len(below) >= 3
    ends = [_end_of(pid) for pid in below]
    async with asyncio.timeout(10):
        await host.close(screen.terminal)
        await asyncio.gather(*ends)
    with pytest.raises(NotFound):
        host.get(screen.terminal.place.user, screen.terminal.id)


async def _end_of(pid: int) -> None:
    """Waits for the end of any process."""
    try:
        descriptor = os.pidfd_open(pid)
    except ProcessLookupError:
        return
    ended = asyncio.Event()
    asyncio.get_running_loop().add_reader(descriptor, ended.set)
    try:
        await ended.wait()
    finally:
        asyncio.get_running_loop().remove_reader(descriptor)
        os.close(descriptor)


async def test_a_slow_screen_holds_the_program_back_instead_of_filling_memory(
    screen: Screen,
) -> None:
    screen.type("yes | head -c 3000000; echo all-$((9))\r")
    async with asyncio.timeout(60):
        while screen.view.unacked <= HOLD_BACK:
            taken = await screen.view.take()
    assert taken
    held = screen.view.unacked
    assert HOLD_BACK < held < HOLD_BACK + 500_000
    with pytest.raises(TimeoutError):
        async with asyncio.timeout(0.2):
            await screen.view.take()
    assert screen.view.unacked == held
    screen.terminal.acknowledge(screen.view, held)
    async with asyncio.timeout(60):
        while b"all-9" not in screen.bytes:
            await screen.step()
            screen.bytes = screen.bytes[-2_000:]


async def test_what_was_acknowledged_but_not_written_holds_the_program_back_too(
    screen: Screen,
) -> None:
    taken = await screen.view.take()
    for _ in range(20):  # a megabyte and more, and each time the client says that it drew all
        screen.terminal._said(b"x" * 100_000)
        screen.terminal.acknowledge(screen.view, 1 << 60)
    assert taken
    assert screen.view.unacked == 0
    assert screen.view.behind > HOLD_BACK
    paused = [screen.terminal._paused]
    while screen.view.pending:
        await screen.view.take()
    screen.terminal.acknowledge(screen.view, 1)
    assert [*paused, screen.terminal._paused] == [True, False]
    screen.type("echo on-$((3))\r")
    await screen.until("on-3")


async def test_what_waits_for_a_screen_is_joined_goes_out_in_pieces_and_is_said_once() -> None:
    view, busy = View(), TerminalError(code="busy", message="busy")
    for _ in range(30_000):
        view.push(b"y")
    view.push(busy)
    view.push(b"z" * 600_000)
    view.push(busy)
    assert len(view.pending) < 15
    view.end(Close.TOO_SLOW)
    view.push(b"nobody waits for this")
    taken = []
    while view.pending:
        taken += await view.take()
    assert [one for one in taken if not isinstance(one, bytes)] == [busy]
    assert (
        b"".join(one for one in taken if isinstance(one, bytes)) == b"y" * 30_000 + b"z" * 600_000
    )
    assert max(len(one) for one in taken if isinstance(one, bytes)) <= MOST_AT_ONCE


async def test_a_view_that_says_nothing_is_dropped_so_that_others_go_on(
    screen: Screen, monkeypatch: pytest.MonkeyPatch
) -> None:
    stuck = screen.terminal.attach()
    stuck.unacked = HOLD_BACK + 1
    stuck.heard -= 3_600
    screen.terminal.drop_slow()
    assert stuck.closed
    screen.type("echo on-$((3))\r")
    await screen.until("on-3")


async def test_ten_at_most_and_each_only_its_persons(host: TerminalHost, place: Place) -> None:
    opened = [await host.open(place, 80, 24, _always) for _ in range(hosts.MOST_PER_PLACE)]
    assert [one.name for one in opened[:2]] == ["bash", "bash 2"]
    with pytest.raises(TooMuch):
        await host.open(place, 80, 24, _always)
    with pytest.raises(NotFound):
        host.get(place.user + 1, opened[0].id)
    await host.close(opened[0])
    await host.open(place, 80, 24, _always)


async def test_a_person_who_lost_the_right_loses_the_terminal(place: Place) -> None:
    host = TerminalHost(round_seconds=0.01)

    async def never() -> bool:
        return False

    screen = Screen(await host.open(place, 80, 24, never))
    async with asyncio.timeout(10):
        while not any(getattr(frame, "code", "") == "not-allowed" for frame in screen.frames):
            await screen.step()
    assert screen.view.closed
    assert host.of(place.user, place.workspace) == ()


async def test_a_right_that_ends_ends_the_terminal_at_once(
    host: TerminalHost, place: Place
) -> None:
    rights = [True]

    async def allowed() -> bool:
        return rights[0]

    await host.open(place, 80, 24, allowed)
    await host.recheck(place.user)
    assert len(host.of(place.user, place.workspace)) == 1
    rights[0] = False
    await host.recheck(place.user + 1)
    assert len(host.of(place.user, place.workspace)) == 1
    await host.recheck(place.user)
    assert host.of(place.user, place.workspace) == ()


@pytest.mark.django_db(transaction=True)
async def test_a_terminal_opened_by_a_request_is_guarded_after_the_request_ends(
    place: Place,
) -> None:
    host = TerminalHost(round_seconds=0.01)
    asked = asyncio.Event()

    async def allowed() -> bool:
        asked.set()
        return await in_db(lambda: False)()

    def request() -> None:
        async_to_sync(host.open)(place, 80, 24, allowed)

    await sync_to_async(request)()
    (guard,) = host._guards.values()
    async with asyncio.timeout(10):
        await guard
    assert asked.is_set()
    assert host.of(place.user, place.workspace) == ()


async def test_the_shell_has_no_other_environment(
    screen: Screen, monkeypatch: pytest.MonkeyPatch
) -> None:
    screen.type("tr '\\0' '\\n' < /proc/1/environ; echo end-$((1))\r")
    shown = await screen.until("end-1")
    assert "DJANGO" not in shown
    assert "MAIA" not in shown
