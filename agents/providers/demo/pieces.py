"""Pieces: what the demo model's scenes are made of."""

from __future__ import annotations

import re
from functools import cache
from importlib.resources import files
from pathlib import PurePosixPath
from typing import Any

from agents.providers.demo import programs
from agents.providers.demo.requests import names_program, quoted
from agents.providers.demo.situation import Situation

MOST_LINES = 12
ToolCall = tuple[str, dict[str, Any]]


def todos(now: Situation, steps: list[str], done: int) -> ToolCall:
    """Returns a TodoWrite call: `done` steps are finished, the next one is in progress."""
    states = ["completed"] * done + ["in_progress"] + ["pending"] * len(steps)
    todos = [
        {"content": step, "status": state, "activeForm": step}
        for step, state in zip(steps, states, strict=False)
    ]
    return "TodoWrite", {"todos": todos}


def progress(now: Situation, steps: list[str], done: int) -> tuple[ToolCall, ...]:
    """Returns the todos as a call to go with another, where the tool is offered."""
    return (todos(now, steps, done),) if "TodoWrite" in now.tools else ()


def block(output: str) -> str:
    """Returns the first lines of an output as a code block."""
    lines = output.rstrip().split("\n")
    kept = lines[:MOST_LINES] + (["…"] if len(lines) > MOST_LINES else [])
    fence = "```" if "```" not in output else "````"
    return "\n\n" + "\n".join([f"{fence}text", *kept, fence])


def lines(numbered: str) -> list[str]:
    """Returns the lines of a file as Read shows it, without their numbers."""
    return [re.sub(r"^ *\d+\t", "", line) for line in numbered.rstrip("\n").split("\n")]


def change(now: Situation, path: str, numbered: str) -> tuple[str, str] | None:
    """Returns what to replace by what: as quoted in the request, else a line to add."""
    shown = lines(numbered)
    whole = "\n".join(shown)
    pieces = quoted(now.asked)
    if len(pieces) >= 2:
        return _once(shown, whole, pieces[0], pieces[1])
    unique = next((line for line in shown if line.strip() and whole.count(line) == 1), None)
    if unique is None:
        return None
    return unique, f"{unique}\n{_remark(now, path)}"


def _once(lines: list[str], content: str, old: str, new: str) -> tuple[str, str] | None:
    """Widens `old` to a whole line where it stands more than once in the file."""
    if content.count(old) == 1:
        return old, new
    line = next((one for one in lines if old in one and content.count(one) == 1), None)
    return (line, line.replace(old, new)) if line is not None else None


def _remark(now: Situation, path: str) -> str:
    text = now.say("Changed by the demo model.", "Modifié par le modèle de démonstration.")
    ending = PurePosixPath(path).suffix
    if ending in {".py", ".sh", ".toml", ".yml", ".yaml"}:
        return f"# {text}"
    if ending in {".js", ".ts", ".c", ".go", ".rs"}:
        return f"// {text}"
    return f"<!-- {text} -->" if ending in {".html", ".md", ".xml"} else text


def prose(now: Situation, name: str) -> str:
    """Returns one of the prepared texts in the language of the request."""
    return _text_file(f"{name}.{now.language}.md")


@cache
def _text_file(name: str) -> str:
    return (files(__package__) / "texts" / name).read_text(encoding="utf-8")


def default_file(asked: str) -> str:
    """Returns the file to write when none was named."""
    if re.search(r"fibonacci", asked, re.I):
        return "fibonacci.py"
    if re.search(r"\bprimes?\b|nombres? premiers?", asked, re.I):
        return "primes.py"
    if re.search(r"\bweb|\bhtml\b|\bpage\b|\bsite\b", asked, re.I):
        return "index.html"
    return "hello.py" if names_program(asked) else "notes.md"


def content(now: Situation, path: str) -> str:
    """Returns what to write into a file."""
    pieces = quoted(now.asked)
    if pieces:
        return pieces[-1] + "\n"
    if path.endswith(".py"):
        known = (("fibonacci", programs.FIBONACCI), ("prim|premier", programs.PRIMES))
        found = [text for word, text in known if re.search(word, f"{path} {now.asked}", re.I)]
        return found[0] if found else programs.HELLO
    title = PurePosixPath(path).stem
    text = now.say("Written by MAIA’s demo model.", "Écrit par le modèle de démonstration de MAIA.")
    if path.endswith(".html"):
        return programs.PAGE.format(language=now.language, title=title, text=text)
    return f"# {title}\n\n{text}\n"
