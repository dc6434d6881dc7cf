"""Scenes: the next move of the demo model, from what was asked and what the tools answered."""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from agents.providers.demo.pieces import block, change, content, lines
from agents.providers.demo.requests import command_in, file_in, searched, wish_of
from agents.providers.demo.situation import Call, Situation
from agents.providers.demo.texts import named_in, words

ToolCall = tuple[str, dict[str, Any]]


@dataclass(frozen=True, slots=True)
class Move:
    """One answer of the model: what it thinks, says and calls."""

    text: str = ""
    thought: str = ""
    calls: tuple[ToolCall, ...] = ()


def next_move(now: Situation) -> Move:
    """Returns what to do now; a refused or failed call ends the scene with an explanation."""
    failed = [call for call in now.calls if call.failed and call.name != "Bash"]
    if now.calls and now.calls[-1].failed and not _ran(now.calls[-1]):
        failed.append(now.calls[-1])
    if failed:
        told = now.say("stopped", tool=failed[0].name) + block(failed[0].output)
        return Move(told + now.say("stopped-rest"))
    move = _SCENES[wish_of(now.asked)](now)
    missing = [name for name, _ in move.calls if name not in now.tools]
    if set(missing) - {"TodoWrite"}:
        return Move(now.say("no-tool", tool=missing[0]))
    return move


def _ran(call: Call) -> bool:
    """Whether a failed command did run: its output ends with a note of how it ended."""
    return call.name == "Bash" and bool(re.search(r"\[[^\]\n]+\]\s*\Z", call.output))


def _todos(steps: list[str], done: int) -> ToolCall:
    """Returns a TodoWrite call: `done` steps are finished, the next one is in progress."""
    states = ["completed"] * done + ["in_progress"] + ["pending"] * len(steps)
    pairs = zip(steps, states, strict=False)
    todos = [{"content": step, "status": state, "activeForm": step} for step, state in pairs]
    return "TodoWrite", {"todos": todos}


def _write(now: Situation) -> Move:
    path = file_in(now.asked) or named_in("files", now.asked)[0]
    run = path.endswith(".py") and bool(words("also-run").search(now.asked))
    steps = now.say("write-steps", path=path).split("\n")
    planned, ran, has_todos = now.done("TodoWrite"), now.done("Bash"), "TodoWrite" in now.tools
    if run and not planned and has_todos:
        thought = now.say("write-thought", path=path)
        return Move(now.say("write-plan"), thought, (_todos(steps, 0),))
    if not now.done("Write"):
        given = {"path": path, "content": content(now, path)}
        return Move(now.say("write", path=path), calls=(("Write", given),))
    if run and not ran:
        command = ("Bash", {"command": f"python3 {shlex.quote(path)}"})
        progress = (_todos(steps, 1),) if has_todos else ()
        return Move(now.say("write-run"), calls=(*progress, command))
    if run and len(planned) == 2:
        return Move(calls=(_todos(steps, 2),))
    says = now.say("written-says") + block(ran[-1].output) if ran else ""
    return Move(now.say("written", path=path) + says + now.say("written-next"))


def _edit(now: Situation) -> Move:
    path = file_in(now.asked) or now.last_file or "hello.py"
    read = now.done("Read")
    if not read:
        text, thought = now.say("edit-read", path=path), now.say("edit-thought")
        return Move(text, thought, (("Read", {"path": path}),))
    if now.done("Edit"):
        return Move(now.say("edited", path=path))
    found = change(now, path, read[-1].output)
    if found is None:
        return Move(now.say("edit-nothing", path=path))
    given = {"path": path, "old_string": found[0], "new_string": found[1]}
    return Move(now.say("edit"), calls=(("Edit", given),))


def _once(
    now: Situation, wish: str, tool: str, given: dict[str, Any], thought: str = "", **said: str
) -> Move:
    """Calls one tool, then shows what it gave."""
    if found := now.done(tool):
        return Move(now.say(f"{wish}-shown", **said) + block(found[-1].output))
    return Move(now.say(wish, **said), thought, ((tool, given),))


def _list(now: Situation) -> Move:
    return _once(now, "list", "Glob", {"pattern": "**/*"})


def _search(now: Situation) -> Move:
    wanted = searched(now.asked)
    given = {"pattern": re.escape(wanted), "output_mode": "content", "-n": True}
    return _once(now, "search", "Grep", given, wanted=wanted)


def _run(now: Situation) -> Move:
    command = command_in(now.asked, now.last_file)
    thought = now.say("run-thought")
    return _once(now, "run", "Bash", {"command": command}, thought, command=command)


def _read(now: Situation) -> Move:
    path = file_in(now.asked) or now.last_file or "README.md"
    if not (read := now.done("Read")):
        return Move(now.say("read", path=path), calls=(("Read", {"path": path}),))
    shown = lines(read[-1].output)
    return Move(now.say("read-shown", path=path, count=len(shown)) + block("\n".join(shown)))


def _plan(now: Situation) -> Move:
    steps, done = now.say("plan-steps").split("\n"), len(now.done("TodoWrite"))
    if "TodoWrite" not in now.tools:
        return Move("\n".join(f"- [ ] {step}" for step in steps))
    if done < 3:
        return Move(now.say("plan").split("\n")[done], calls=(_todos(steps, done),))
    return Move(now.say("planned"))


_SCENES: dict[str, Callable[[Situation], Move]] = {
    "write": _write,
    "edit": _edit,
    "list": _list,
    "search": _search,
    "read": _read,
    "run": _run,
    "plan": _plan,
    "showcase": lambda now: Move(now.prose("showcase")),
    "think": lambda now: Move(now.prose("why-blue"), now.prose("thinking")),
    "help": lambda now: Move(now.prose("help")),
}
