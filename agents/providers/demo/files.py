"""Files: what the demo model writes into them, changes in them and reads of them."""

from __future__ import annotations

import re
from pathlib import PurePosixPath

from agents.providers.demo.requests import quoted
from agents.providers.demo.situation import Situation
from agents.providers.demo.texts import named_in, text_file


def lines(numbered: str) -> list[str]:
    """Returns the lines of a file as Read shows it, without numbers and what is said of it."""
    every = numbered.rstrip("\n").split("\n")
    found = [match[1] for line in every if (match := re.match(r" *\d+\t(.*)", line, re.S))]
    return found or every


def change(now: Situation, path: str, numbered: str) -> tuple[str, str] | None:
    """Returns what to replace by what: as quoted in the request, else a line to add.

    What stands more than once in the file is widened to a whole line that does not.
    """
    shown = lines(numbered)
    whole, pieces = "\n".join(shown), quoted(now.asked)
    unique = [line for line in shown if line.strip() and whole.count(line) == 1]
    if len(pieces) < 2:
        remark = named_in("remarks", path)[0].format(now.say("edit-remark"))
        return (unique[0], f"{unique[0]}\n{remark}") if unique else None
    old, new = pieces[:2]
    if whole.count(old) == 1:
        return old, new
    return next(((line, line.replace(old, new)) for line in unique if old in line), None)


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
