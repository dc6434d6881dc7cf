"""Requests: what the demo model makes of a sentence, by keywords in English and French."""

from __future__ import annotations

import re

from agents.domain.memory.compaction import PROMPT
from agents.providers.demo.texts import named_in, words

_FILE = re.compile(r"(?<![\w/.~-])((?:[\w-]+/)*[\w-]+\.[a-zA-Z]\w{0,5})(?![\w/])")
_QUOTED = re.compile(r"\"([^\"]+)\"|`([^`]+)`|«\s*([^»]+?)\s*»|“([^”]+)”|(?<!\w)'([^']+)'(?!\w)")


def wish_of(asked: str) -> str:
    """Returns what was probably asked for; "help" when no keyword is known."""
    if any(asked.endswith(prompt) for prompt in PROMPT["summary"]):
        return "summary"
    if words("command-alone").match(asked):
        return "run"
    found = named_in("wishes", asked)
    if "write" in found and (file_in(asked) or words("known-program").search(asked)):
        return "edit" if found[0] == "edit" else "write"
    return found[0] if found else "help"


def file_in(asked: str) -> str:
    """Returns the first file name in the sentence, or ""."""
    unquoted = _QUOTED.sub(lambda found: found[0] if _FILE.fullmatch(_in(found)) else "", asked)
    match = _FILE.search(re.sub(r"[\"`«»“”]", " ", unquoted))
    return match[1] if match else ""


def quoted(asked: str) -> list[str]:
    """Returns the quoted pieces that are no file names, in order."""
    return [one for one in map(_in, _QUOTED.finditer(asked)) if not _FILE.fullmatch(one)]


def searched(asked: str) -> str:
    """Returns what to search for."""
    match = words("searched").search(asked)
    return next(iter(quoted(asked)), match[1].rstrip(".") if match else "TODO")


def command_in(asked: str, last_file: str) -> str:
    """Returns the command to run."""
    match, pieces = words("command").search(asked), quoted(asked)
    if match and (not pieces or words("command-alone").match(asked)):
        return re.sub(r"(?<=\w)\.$", "", match[1].strip())  # the sentence's, not the command's
    if pieces:
        return pieces[0]
    if words("tests").search(asked):
        return "python3 -m unittest discover -v"
    path = file_in(asked) or last_file
    return f"python3 {path}" if path.endswith(".py") else "ls -la"


def _in(found: re.Match[str]) -> str:
    return found[found.lastindex or 0]
