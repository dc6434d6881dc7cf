"""Pieces: what the demo model writes into files and shows of them."""

from __future__ import annotations

import re
from pathlib import PurePosixPath

from agents.providers.demo.requests import quoted
from agents.providers.demo.situation import Situation
from agents.providers.demo.texts import named_in, text_file

MOST_LINES = 12
_REMARKS = {
    "# {}": (".py", ".sh", ".toml", ".yml", ".yaml"),
    "// {}": (".js", ".ts", ".c", ".go", ".rs"),
    "<!-- {} -->": (".html", ".md", ".xml"),
}


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
    """Returns what to replace by what: as quoted in the request, else a line to add.

    What stands more than once in the file is widened to a whole line that does not.
    """
    shown = lines(numbered)
    whole, pieces = "\n".join(shown), quoted(now.asked)
    unique = [line for line in shown if line.strip() and whole.count(line) == 1]
    if len(pieces) < 2:
        return (unique[0], f"{unique[0]}\n{_remark(now, path)}") if unique else None
    old, new = pieces[:2]
    if whole.count(old) == 1:
        return old, new
    return next(((line, line.replace(old, new)) for line in unique if old in line), None)


def _remark(now: Situation, path: str) -> str:
    ending = PurePosixPath(path).suffix
    form = next((form for form, endings in _REMARKS.items() if ending in endings), "{}")
    return form.format(now.say("edit-remark"))


def content(now: Situation, path: str) -> str:
    """Returns what to write into a file."""
    if pieces := quoted(now.asked):
        return pieces[-1] + "\n"
    if path.endswith(".py"):
        return text_file(f"{named_in('by-heart', f'{path} {now.asked}')[0]}.py.txt")
    title, text = PurePosixPath(path).stem, now.say("by-demo")
    if path.endswith(".html"):
        page = text_file("page.html.txt")
        return page.format(language=now.language, title=title, text=text)
    return f"# {title}\n\n{text}\n"
