"""Scenes: what the demo model does for each wish, one move after the other.

A scene is a generator: it yields moves that call tools, is sent their outputs, and returns its last
move. The model keeps nothing between moves: each is found by playing its scene up to there.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable, Generator
from dataclasses import dataclass
from typing import Any, cast

from agents.providers.demo.files import change, content, lines
from agents.providers.demo.requests import command_in, file_in, searched, wish_of
from agents.providers.demo.situation import Situation
from agents.providers.demo.texts import named_in, words

MOST_LINES = 12
MOST_LISTED = 8
LONGEST_LINE = 120
_HOW_IT_ENDED = re.compile(r"\[[^\]\n]+\]\s*\Z")
Call = tuple[str, dict[str, Any]]


@dataclass(frozen=True, slots=True)
class Move:
    """One answer of the model: what it thinks, says and calls."""

    text: str = ""
    thought: str = ""
    calls: tuple[Call, ...] = ()


Scene = Generator[Move, list[str], Move]


def next_move(now: Situation) -> Move:
    """Returns what to do now; a refused or failed call ends the scene with an explanation."""
    scene = _SCENES[wish_of(now.asked)](now)
    try:
        move = next(scene)
        for results in now.results:
            for (tool, _), result in zip(move.calls, results, strict=False):
                ran = tool == "Bash" and _HOW_IT_ENDED.search(result.content)
                if result.is_error and not ran:
                    told = now.say("stopped", tool=tool) + _block(result.content)
                    return Move(told + now.say("stopped-rest"))
            move = scene.send([one.content for one in results])
    except StopIteration as end:
        return cast("Move", end.value)
    missing = next((tool for tool, _ in move.calls if tool not in now.tools), None)
    return move if missing is None else Move(now.say("no-tool", tool=missing))


def _block(output: str) -> str:
    """Returns the first lines of an output as a code block."""
    shown = output.rstrip().split("\n")
    kept = shown[:MOST_LINES] + (["…"] if len(shown) > MOST_LINES else [])
    fence = "```" if "```" not in output else "````"
    return "\n\n" + "\n".join([f"{fence}text", *kept, fence])


def _todos(now: Situation, steps: list[str], done: int) -> tuple[Call, ...]:
    """Returns a TodoWrite call, if there is that tool: `done` steps are finished, one goes on."""
    states = ["completed"] * done + ["in_progress"] + ["pending"] * len(steps)
    pairs = zip(steps, states, strict=False)
    todos = [{"content": step, "status": state, "activeForm": step} for step, state in pairs]
    return (("TodoWrite", {"todos": todos}),) if "TodoWrite" in now.tools else ()


def _write(now: Situation) -> Scene:
    path, says = file_in(now.asked) or named_in("files", now.asked)[0], ""
    runs = path.endswith(".py") and words("also-run").search(now.asked)
    steps = now.say("write-steps", path=path).split("\n")
    if runs and (planned := _todos(now, steps, 0)):
        yield Move(now.say("write-plan"), now.say("write-thought", path=path), planned)
    write = {"path": path, "content": content(now, path)}
    yield Move(now.say("write", path=path), calls=(("Write", write),))
    if runs:
        run = ("Bash", {"command": f"python3 {shlex.quote(path)}"})
        *_, output = yield Move(now.say("write-run"), calls=(*_todos(now, steps, 1), run))
        says = now.say("written-says") + _block(output)
    if runs and (finished := _todos(now, steps, 2)):
        yield Move(calls=finished)
    return Move(now.say("written", path=path) + says + now.say("written-next"))


def _edit(now: Situation) -> Scene:
    path = file_in(now.asked) or now.last_file or "hello.py"
    read = ("Read", {"path": path})
    [numbered] = yield Move(now.say("edit-read", path=path), now.say("edit-thought"), (read,))
    if (found := change(now, path, numbered)) is None:
        return Move(now.say("edit-nothing", path=path))
    edit = {"path": path, "old_string": found[0], "new_string": found[1]}
    yield Move(now.say("edit"), calls=(("Edit", edit),))
    return Move(now.say("edited", path=path))


def _read(now: Situation) -> Scene:
    path = file_in(now.asked) or now.last_file or "README.md"
    [numbered] = yield Move(now.say("read", path=path), calls=(("Read", {"path": path}),))
    shown = lines(numbered)
    return Move(now.say("read-shown", path=path, count=len(shown)) + _block("\n".join(shown)))


def _list(now: Situation) -> Scene:
    [found] = yield Move(now.say("list"), calls=(("Glob", {"pattern": "**/*"}),))
    return Move(now.say("list-shown") + _block(found))


def _search(now: Situation) -> Scene:
    wanted = searched(now.asked)
    grep = {"pattern": re.escape(wanted), "output_mode": "content", "-n": True}
    [found] = yield Move(now.say("search", wanted=wanted), calls=(("Grep", grep),))
    return Move(now.say("search-shown", wanted=wanted) + _block(found))


def _run(now: Situation) -> Scene:
    bash = {"command": command_in(now.asked, now.last_file)}
    [output] = yield Move(now.say("run", **bash), now.say("run-thought"), (("Bash", bash),))
    return Move(now.say("run-shown") + _block(output))


def _plan(now: Situation) -> Scene:
    steps = now.say("plan-steps").split("\n")
    for done, text in enumerate(now.say("plan").split("\n")):
        if not (todos := _todos(now, steps, done)):
            return Move("\n".join(f"- [ ] {step}" for step in steps))
        yield Move(text, calls=todos)
    return Move(now.say("planned"))


def _summary(now: Situation) -> Scene:
    """What a compaction asks for, under the titles that its prompt names."""
    titles = [line[3:] for line in now.asked.split("\n") if line.startswith("## ")][-5:]
    firsts = [text.partition("\n")[0] for text in now.before]
    asked = [line if len(line) <= LONGEST_LINE else f"{line[:LONGEST_LINE]}…" for line in firsts]
    files = [f"`{path}`" for path in dict.fromkeys(path for _, path in now.paths)]
    sections = [[now.say("summary")], asked[-1:], files[:MOST_LISTED], asked[-MOST_LISTED:], []]
    told = ("\n".join(f"- {line}" for line in one or [now.say("nothing")]) for one in sections)
    pairs = zip(titles, told, strict=True)
    return _told("\n".join(f"## {title}\n{lines}" for title, lines in pairs))


def _told(text: str, thought: str = "") -> Scene:
    """A scene without calls."""
    yield from ()
    return Move(text, thought)


_SCENES: dict[str, Callable[[Situation], Scene]] = {
    "write": _write,
    "edit": _edit,
    "read": _read,
    "list": _list,
    "search": _search,
    "run": _run,
    "plan": _plan,
    "showcase": lambda now: _told(now.prose("showcase")),
    "think": lambda now: _told(now.prose("why-blue"), now.prose("thinking")),
    "summary": _summary,
    "help": lambda now: _told(now.prose("help")),
}
