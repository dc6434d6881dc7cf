"""offers: the rules "allow always" may write for a call, narrowest first."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from agents.domain.rules.calls import NAME_KEYS
from agents.domain.rules.commands import BLANKS, means_one_line
from agents.domain.rules.later import obeyed_places
from agents.domain.rules.paths import PlacedPath, place, search_base
from agents.domain.rules.policy import ALIASES, Policy
from agents.domain.rules.powers import powers
from agents.domain.rules.real_paths import named
from agents.domain.rules.requests import RuleOffer
from agents.domain.rules.text import PATH_TOOLS
from agents.domain.rules.values import mcp_names, plain_host, text_values
from agents.domain.rules.verdict import PolicyContext, gettext_noop
from agents.domain.shell.bash import BashLine, Part, analyse
from agents.domain.tools.parameters import named_input
from workspaces.domain.real_paths import everywhere
from workspaces.domain.spelling import SPELLED_BYTE, spelled

COVERS: dict[str, str] = {
    "exact": "",
    "begins": gettext_noop("Every command that begins with: %(names)s"),
    "search": gettext_noop("Every search in %(names)s, whatever it looks for"),
    "folder": gettext_noop("Every file in the folder %(names)s, none in folders below it"),
    "root": gettext_noop("Every file in the workspace’s root folder, none in folders below it"),
    "home": gettext_noop("Every file in the home folder itself, none in folders below it"),
    "tree": gettext_noop("Every file in the folder %(names)s and in all folders below it"),
    "root-tree": gettext_noop("Every file of the workspace"),
    "home-tree": gettext_noop("Every file of the home folder"),
    "host": gettext_noop("Every address on %(names)s"),
    "value": gettext_noop("Every call in which one of the values is %(names)s"),
    "tool": gettext_noop("Every call of %(names)s, whatever its input"),
    "server": gettext_noop("Every tool of the MCP server %(names)s"),
}
MAX_WIDER = 2
_PLAIN_WORD = re.compile(r"[A-Za-z][A-Za-z0-9_-]*")
_PATH_SPECIAL = re.compile(rf"(?!{SPELLED_BYTE.pattern})[*?\[{{\\]")
_POWERFUL = frozenset(
    ["rm", "dd", "chmod", "chown", "kill", "mv", "cp", "ln", "tee", "curl", "wget", "git"]
)
_DEFAULT = PolicyContext()


def offers(
    tool: str,
    input: Mapping[str, Any],
    context: PolicyContext = _DEFAULT,
) -> tuple[RuleOffer, ...]:
    """Returns the exact rule first, if one exists, then at most two wider ones.

    Each offer, added to no other rule, allows the call. What begins with a program that can run
    others is never offered: such a rule a person writes, knowing what it allows.
    """
    name, input = ALIASES.get(tool, tool), named_input(tool, input)
    found: list[RuleOffer] = []
    for rules, code, names in _candidates(name, tool, input, context):
        covers = COVERS[code] % {"names": names}
        wide = {"code": code, "names": names} if covers else {}
        offer = RuleOffer(
            rule=rules[0], also=tuple(rules[1:]), covers=covers, runs=powers(rules), **wide
        )
        is_new = all((offer.rule, offer.also) != (known.rule, known.also) for known in found)
        if is_new and _allows(rules, tool, input, context):
            found.append(offer)
    wider = [offer for offer in found if offer.covers][:MAX_WIDER]
    return tuple([offer for offer in found if not offer.covers] + wider)


Candidate = tuple[list[str], str, str]


def _allows(rules: list[str], tool: str, input: Mapping[str, Any], context: PolicyContext) -> bool:
    policy = Policy.of(allow=rules)
    return not policy.invalid and policy.evaluate(tool, input, context).family == "allow"


def _candidates(
    name: str, tool: str, input: Mapping[str, Any], context: PolicyContext
) -> Iterator[Candidate]:
    if name == "Bash":
        command = input.get("command")
        if isinstance(command, str):
            yield from _for_bash(command, context)
    elif name in PATH_TOOLS:
        yield from _for_path(name, input, context)
    elif name == "WebFetch":
        host = plain_host(str(input.get("url")))
        if host is not None:
            yield [f"WebFetch(domain:{host})"], "host", host
    elif name in NAME_KEYS:
        given = input.get(NAME_KEYS[name])
        if isinstance(given, str):
            yield [_exactly(name, given.removeprefix("§"))], "exact", ""
    else:
        yield from _for_values(tool, input)


def _for_bash(command: str, context: PolicyContext) -> Iterator[Candidate]:
    line = analyse(command)
    redirects = list(dict.fromkeys(_redirect_rules(line, context)))
    yield [_exactly("Bash", command.strip(BLANKS)), *redirects], "exact", ""
    for length in (2, 1):
        starts = list(dict.fromkeys(_start(part, length) for part in line.parts))
        rules = [f"Bash({start} *)" for start in starts]
        if starts and all(starts) and not powers(rules):
            yield [*rules, *redirects], "begins", ", ".join(starts)


def _exactly(tool: str, text: str) -> str:
    """The rule about this text and no other."""
    return f"{tool}({text})" if means_one_line(text) else f"{tool}=({text})"


def _start(part: Part, length: int) -> str:
    """The first words of a command, if they are plain; "" where that would be too wide."""
    words = part.written.split(" ")[:length]
    if part.special or not _PLAIN_WORD.fullmatch(words[0]):
        return ""
    if len(words) == 2 and _PLAIN_WORD.fullmatch(words[1]):
        return " ".join(words)
    return "" if words[0] in _POWERFUL else words[0]


def _redirect_rules(line: BashLine, context: PolicyContext) -> Iterator[str]:
    for target in line.targets:
        if target.text != "/dev/null":
            text = spelled(target.text)
            path = place(text, context)
            yield f"Redirect({_escaped(_written(path, text))})"
            leads = path and named(path, text, everywhere, context).leads
            if leads:
                yield f"Redirect({_escaped(_written(leads, ''))})"


def _written(path: PlacedPath | None, text: str) -> str:
    """The form in which a rule names `path`."""
    if path is None:
        return text
    if path.relative is not None:
        return path.relative
    return f"~/{path.in_home}" if path.in_home is not None else path.absolute


def _escaped(path: str) -> str:
    return _PATH_SPECIAL.sub(r"\\\g<0>", path)


def _for_path(tool: str, input: Mapping[str, Any], context: PolicyContext) -> Iterator[Candidate]:
    is_search = tool in ("Glob", "Grep")
    text = input.get("path")
    path = (
        search_base(tool, dict(input), context)
        if is_search
        else (place(text, context) if isinstance(text, str) else None)
    )
    if path is None:
        return
    written = _escaped(_written(path, ""))
    leads = named(path, path.absolute, everywhere, context).leads
    if leads is not None:  # the rule for the link alone would not allow its file
        yield [f"{tool}({written})", f"{tool}({_escaped(_written(leads, ''))})"], "exact", ""
        return
    yield [f"{tool}({written})"], "search" if is_search else "exact", written
    folder = written.rpartition("/")[0]
    obeyed = tool in ("Write", "Edit") and any(obeyed_places(path))  # nobody means all of .git
    if not is_search and not obeyed and (folder or not written.startswith("/")):
        start = f"{folder}/" if folder else ""
        code = {"": "root", "~": "home"}.get(folder, "")
        yield [f"{tool}({start}*)"], code or "folder", folder
        yield [f"{tool}({start}**)"], f"{code}-tree" if code else "tree", folder


def _for_values(tool: str, input: Mapping[str, Any]) -> Iterator[Candidate]:
    for server, name in mcp_names(tool)[:1]:
        yield [f"Mcp({server},{name})"], "tool", tool
        yield [f"Mcp({server})"], "server", server
        return
    value = next(filter(None, text_values(input, nested=False)), "")
    if value:
        yield [_exactly(tool, value)], "value", value
    yield [tool], "tool", tool
