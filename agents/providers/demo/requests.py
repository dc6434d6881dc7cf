"""Requests: what the demo model makes of a sentence, by keywords in English and French."""

from __future__ import annotations

import re
from typing import Literal

Wish = Literal[
    "write", "edit", "list", "search", "read", "run", "plan", "showcase", "think", "help"
]

_WISHES: tuple[tuple[Wish, str], ...] = (
    ("plan", r"to-?dos?\b|\bplan\b|\bplanifie|\btâches?\b|\bétapes?\b|\bsteps\b"),
    (
        "edit",
        r"\b(?:edit|change|replace|modify|fix|improve|rename|update|add)\b"
        r"|\b(?:modifie|remplace|corrige|change|améliore|renomme|ajoute)",
    ),
    ("showcase", r"\bmarkdown\b|\btables?\b|\btableaux?\b|\bformatting\b|\bmise en forme\b"),
    (
        "write",
        r"\b(?:write|create|make|generate|build)\b|\b(?:écri[st]?|ecris|crée|cree|fais|génère)",
    ),
    ("think", r"\b(?:think|reason|why|ponder)|\b(?:réfléchi|reflechi|pense|raisonne|pourquoi)"),
    ("search", r"\b(?:search|find|grep|look for|where)\b|\b(?:cherche|recherche|trouve|où)\b"),
    ("run", r"\b(?:run|execute|launch|tests?)\b|\b(?:lance|exécute|execute|teste)"),
    (
        "read",
        r"\b(?:read|show|open|print|cat|explain)\b.*\.\w|\b(?:lis|montre|affiche|ouvre|explique)\b.*\.\w",
    ),
    ("list", r"\b(?:list|ls|files|folder|directory|look around)\b|\b(?:liste|fichiers|dossier)"),
)
_PATTERNS = tuple((wish, re.compile(pattern, re.I | re.S)) for wish, pattern in _WISHES)
_RUN = re.compile(r"\b(?:run|execute|launch|test)|\b(?:lance|exécute|execute|teste)", re.I)
_FILE = re.compile(r"(?<![\w/.~-])((?:[\w-]+/)*[\w-]+\.[a-zA-Z]\w{0,5})(?![\w/])")
_QUOTED = re.compile(r"\"([^\"]+)\"|`([^`]+)`|«\s*([^»]+?)\s*»|“([^”]+)”|(?<!\w)'([^']+)'(?!\w)")
_AFTER_VERB = re.compile(
    r"\b(?:search|find|grep|look|cherche|recherche|trouve)\s+"
    r"(?:for\s+|the word\s+|le mot\s+)?([\w.-]+)",
    re.I,
)
_PROGRAMS = (
    "ls|pwd|echo|printf|cat|git|python3?|pytest|pip|uv|node|npm|make|cargo|go|date|whoami|uname|df"
    "|du|head|tail|wc|find|grep|rg|sed|awk|sort|diff|env|id|ps|sleep|seq|bash|sh|mkdir|touch|cp|mv"
    "|rm|chmod|tar|curl|wget"
)
_COMMAND = re.compile(
    r"\b(?:run|execute|launch|lance|exécute)\s+(?:the command\s+|la commande\s+)?"
    rf"((?:{_PROGRAMS})(?:\s.*)?$)",
    re.I | re.S,
)
_QUOTED_COMMAND = re.compile(
    r"\s*(?:@\S+\s+)*(?:run|execute|launch|lance|exécute)\s+(?:the command\s+|la commande\s+)?"
    r"`[^`]+`\W*$",
    re.I,
)


def wish_of(asked: str) -> Wish:
    """Returns what was probably asked for; "help" when no keyword is known."""
    if _begins_with_command(asked) or _QUOTED_COMMAND.match(asked):
        return "run"
    found = [wish for wish, pattern in _PATTERNS if pattern.search(asked)]
    if "write" in found and (file_in(asked) or names_program(asked)):
        return "edit" if found[0] == "edit" else "write"
    return found[0] if found else "help"


def wants_run(asked: str) -> bool:
    """Returns whether what is written shall also run."""
    return bool(_RUN.search(asked))


def file_in(asked: str) -> str:
    """Returns the first file name in the sentence, or ""."""
    unquoted = _QUOTED.sub(lambda match: match[0] if _FILE.fullmatch(_inside(match)) else "", asked)
    match = _FILE.search(re.sub(r"[\"`«»“”]", " ", unquoted))
    return match[1] if match else ""


def quoted(asked: str) -> list[str]:
    """Returns the quoted pieces that are no file names, in order."""
    pieces = [_inside(match) for match in _QUOTED.finditer(asked)]
    return [piece for piece in pieces if not _FILE.fullmatch(piece)]


def searched(asked: str) -> str:
    """Returns what to search for."""
    pieces = quoted(asked)
    if pieces:
        return pieces[0]
    match = _AFTER_VERB.search(asked)
    return match[1].rstrip(".") if match else "TODO"


def command_in(asked: str, last_file: str) -> str:
    """Returns the command to run."""
    match = _COMMAND.search(asked)
    if match and _begins_with_command(asked):
        return re.sub(r"(?<=\w)\.$", "", match[1].strip())  # the sentence's, not the command's
    pieces = quoted(asked)
    if pieces:
        return pieces[0]
    if match:
        return match[1].strip().rstrip(".")
    if re.search(r"\btests?\b", asked, re.I):
        return "python3 -m unittest discover -v"
    path = file_in(asked) or last_file
    return f"python3 {path}" if path.endswith(".py") else "ls -la"


def names_program(asked: str) -> bool:
    """Returns whether a program the model knows by heart is meant."""
    return bool(
        re.search(r"hello|bonjour|python|script|program|fibonacci|prime|premiers", asked, re.I)
    )


def _begins_with_command(asked: str) -> bool:
    """Returns whether the sentence is "run" and a command, whatever words are in that."""
    match = _COMMAND.search(asked)
    return match is not None and not re.sub(r"@\S+", "", asked[: match.start()]).strip()


def _inside(match: re.Match[str]) -> str:
    return next(group for group in match.groups() if group is not None)
