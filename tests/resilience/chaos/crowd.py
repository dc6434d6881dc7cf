"""Five people who talk while blows fall, and what must hold when all is quiet again."""

from __future__ import annotations

import asyncio
import json
import os
from collections import Counter
from collections.abc import AsyncIterator, Callable
from contextlib import ExitStack, asynccontextmanager, suppress
from pathlib import Path
from random import Random
from typing import Any

import httpx

from agents.domain.content.messages import Message
from agents.domain.content.parts import ToolPart
from tests.resilience.chaos.blows import BLOWS
from tests.resilience.chaos.people import Person
from tests.resilience.chaos.scripted import RAN, choose
from tests.resilience.chaos.stacks import Stack, children
from tests.resilience.story import eventually
from tests.support.openai_server import ScriptedServer
from tests.support.reader import essence, fresh, pending, said, tools

NAMES = ("alice", "bob", "carol", "dave", "erin")
CHANNELS = 3
QUIET_SECONDS = 180.0
RULES = (
    ("allow", "Bash"),
    ("allow", f"Redirect({RAN})"),
    ("ask", "Bash(true)"),
    ("ask", "Bash(true *)"),
)


class Crowd:
    """The people of a stack, each in one of three channels, at one of its web processes."""

    def __init__(self, stack: Stack, workspace: str, people: list[Person]) -> None:
        self.stack = stack
        self.people = people
        self.workspace = workspace
        self._news = asyncio.Event()
        for person in people:
            person.changed = self._news.set

    async def strike(self, kind: str, random: Random) -> None:
        """Lets one blow fall among them; returns when all holds again, or fails."""
        await self.speak()
        async with BLOWS[self.stack.name][kind](self.stack, random):
            await self.speak()
        await self.quiet()
        await asyncio.to_thread(self.check)

    def check(self) -> None:
        """Fails unless what was acknowledged is there once, and what ran has run once."""
        wrong = [one for person in self.people for one in person.wrong]
        assert not wrong, wrong
        ran = self.ran()
        doubled = {name: times for name, times in ran.items() if times > 1}
        assert not doubled, f"ran more than once: {doubled}"
        for channel in {person.channel for person in self.people}:
            history = _history(self.people[0].client, channel)
            self._all_said_once(channel, history)
            _all_answered(history, ran)
        eventually(lambda: not self.orphans(), "no process is left over", 30)

    def orphans(self) -> list[str]:
        """Processes of this stack that nobody answers for any more, and commands that run on."""
        living = _below([process.program.process.pid for process in self.stack.processes])
        found = []
        for pid, line, environment in _processes():
            mine = str(self.stack.data) in line or str(self.stack.data) in environment
            runs = f">> {RAN}" in line and self.workspace in _root_of(pid)
            if (mine and pid not in living and pid != os.getpid()) or runs:
                found.append(f"{pid}: {line}")
        return found

    async def speak(self) -> None:
        """Lets everybody say one thing more; returns when they have tried."""
        wanted = {person: person.tried + 1 for person in self.people}
        for person in self.people:
            person.wants.release()
        await self._until(
            lambda: all(person.tried >= least for person, least in wanted.items()), "all spoke"
        )

    async def quiet(self) -> None:
        """Waits until all is answered and every tab shows what a new one would."""
        await self._until(lambda: all(person.settled for person in self.people), "all is answered")
        for person in self.people:
            async with asyncio.timeout(QUIET_SECONDS):
                await self._fresh(person)

    async def _fresh(self, person: Person) -> None:
        while True:
            self._news.clear()
            state = await asyncio.to_thread(fresh, person.client, person.channel)
            if person.state is not None and essence(person.state) == essence(state):
                return
            try:
                await self._news.wait()
            except asyncio.CancelledError:
                raise AssertionError(_differences(person, essence(state))) from None

    async def _until(self, true: Callable[[], bool], what: str) -> None:
        try:
            async with asyncio.timeout(QUIET_SECONDS):
                while not true():
                    self._news.clear()
                    await self._news.wait()
        except TimeoutError:
            told = "\n".join(_told(person) for person in self.people)
            raise AssertionError(f"not within {QUIET_SECONDS} s: {what}\n{told}") from None

    @property
    def ran_file(self) -> Path:
        """Where each command leaves its line."""
        return self.stack.data / "workspaces" / self.workspace / RAN

    def ran(self) -> Counter[str]:
        """How often each command ran."""
        return Counter(self.ran_file.read_text().split() if self.ran_file.exists() else ())

    def _all_said_once(self, channel: str, history: list[Message]) -> None:
        there = Counter((one.id, said(one)) for one in history if one.role == "user")
        wanted = Counter(
            (message, person.said[identity])
            for person in self.people
            if person.channel == channel
            for identity, message in person.acknowledged.items()
        )
        assert there == wanted, f"lost: {wanted - there}; doubled or unknown: {there - wanted}"


def _all_answered(history: list[Message], ran: Counter[str]) -> None:
    for message in history:
        assert message.error is None, message.error
        for card in tools(message):
            assert card.status in ("completed", "failed"), card
            if card.status == "completed":
                assert ran[_identity(card)] == 1, f"{card.title}: ran {ran[_identity(card)]} times"


def _identity(card: ToolPart) -> str:
    return str(json.loads(card.input)["command"]).partition("echo ")[2].partition(" ")[0]


def _history(client: httpx.Client, channel: str) -> list[Message]:
    state = fresh(client, channel)
    shown, more = list(state.messages), state.more
    while more:
        answer = client.get(
            f"/api/channels/{channel}/messages", params={"before": shown[0].position}
        )
        page = answer.raise_for_status().json()
        shown[:0] = [Message.model_validate(one) for one in page["messages"]]
        more = page["more"]
    return shown


def _differences(person: Person, wanted: dict[str, Any]) -> str:
    if person.state is None:
        return f"{person.name}'s tab shows nothing"
    shown = essence(person.state)
    differ = {key: (shown[key], wanted[key]) for key in wanted if shown[key] != wanted[key]}
    return f"{person.name}'s tab differs from a new one: {differ}"


def _told(person: Person) -> str:
    state = person.state
    shown = "nothing"
    if state is not None:
        waiting = [one.id for one in pending(state)]
        last = f"{state.messages[-1]!r:.300}" if state.messages else ""
        shown = f"busy {state.busy}, queued {state.queued}, requests {waiting}, last {last}"
    return f"{person.name}: waits to be sent {list(person.outbox)}, tab shows {shown}"


def _processes() -> list[tuple[int, str, str]]:
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            line = (folder / "cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
            environment = (folder / "environ").read_bytes().decode(errors="replace")
            if line:
                found.append((int(folder.name), line, environment))
    return found


def _root_of(pid: int) -> str:
    """What a process sees mounted: a sandbox holds its workspace's folder."""
    with suppress(OSError):
        return Path(f"/proc/{pid}/mountinfo").read_text()
    return ""


def _below(pids: list[int]) -> set[int]:
    found: set[int] = set()
    while pids:
        pid = pids.pop()
        if pid not in found:
            found.add(pid)
            pids += children(pid)
    return found


@asynccontextmanager
async def crowd(
    stack: Stack, model: ScriptedServer, random: Random, workspace: str = ""
) -> AsyncIterator[Crowd]:
    """Brings five people together in three new channels, in a new workspace unless one is given."""
    model.chooser = choose
    with ExitStack() as clients:
        people = await asyncio.to_thread(_seat, stack, clients, random, workspace)
        async with asyncio.TaskGroup() as there:
            living = [there.create_task(person.live()) for person in people[1]]
            try:
                yield Crowd(stack, *people)
            finally:
                for task in living:
                    task.cancel()


def prepare(stack: Stack, model: ScriptedServer) -> None:
    """Makes the people of a stack, and their rules: commands run, `true` asks first."""
    stack.site.prepare(
        *NAMES,
        model={"kind": "openai", "url": model.url, "model": "m", "context_size": 10_000_000},
    )
    for name in NAMES:
        with stack.site.sign_in(name) as client:
            for family, text in RULES:
                rule = {"scope": "person", "family": family, "text": text, "confirmed": True}
                client.post("/api/rules", json=rule).raise_for_status()


def shared(alice: httpx.Client) -> str:
    """Makes a workspace of the five; returns its id."""
    workspace = _made(alice, "/api/workspaces", name="storm")
    for name in NAMES[1:]:
        member = {"username": name, "role": "editor"}
        alice.post(f"/api/workspaces/{workspace}/members", json=member).raise_for_status()
    return workspace


def _seat(
    stack: Stack, clients: ExitStack, random: Random, workspace: str
) -> tuple[str, list[Person]]:
    signed_in = {name: clients.enter_context(stack.site.sign_in(name)) for name in NAMES}
    alice = signed_in["alice"]
    workspace = workspace or shared(alice)
    channels = [
        _made(alice, "/api/channels", workspace=workspace, name=f"c{number}", members=["maia"])
        for number in range(CHANNELS)
    ]
    people = []
    for number, (name, client) in enumerate(signed_in.items()):
        web = stack.webs[number % len(stack.webs)].site
        there = clients.enter_context(web.http())
        there.timeout = httpx.Timeout(60)
        there.cookies.update(client.cookies)
        there.headers.update({"X-CSRFToken": client.cookies["maia-csrf"], "Origin": web.url})
        channel = channels[number % CHANNELS]
        people.append(Person(name, web, there, channel, Random(random.random())))
    return workspace, people


def _made(client: httpx.Client, path: str, **wanted: object) -> str:
    answer = client.post(path, json=wanted)
    answer.raise_for_status()
    return str(answer.json()["id"])
