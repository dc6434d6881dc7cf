"""Permission verdicts on a 300-character compound command: by how many rules, and read from where.

Beside parsing the command alone, and beside the verdict itself.
"""

from __future__ import annotations

import asyncio
import statistics
import time
from collections.abc import Awaitable, Callable
from types import SimpleNamespace
from typing import Any, cast

from agents.domain.rules.policy import Policy
from agents.domain.shell.bash import read_script
from agents.domain.shell.opinion import seen_by_tree_sitter
from bench.made.django_here import django_here
from bench.report import Row
from bench.rows import row

COMMAND = (
    "git status --short && cd src && ls -la | grep -v cache > /dev/null; uv run pytest -q tests/a "
    "tests/b 2>&1 | tail -n 20 && echo 'done; ok' || echo \"failed $X\"; find . -name '*.py' -newer"
    " x | sort -n | head -5; python -c 'print(1)' && git diff --stat HEAD~1 -- "
    "src tests docs README.md pyproject.toml"
)
INPUT = {"command": COMMAND}
EACH = 400
PROGRAMS = ("git", "cd", "ls", "grep", "uv", "tail", "echo", "find", "sort", "head", "python")


async def permissions(rounds: int) -> list[Row]:
    """Each round is a median of its own."""
    verdict, reading, growth = row("g-verdict"), row("g-reading"), row("g-growth")
    rules, few, many = policy(500), policy(10), policy(5_000)
    assert rules.evaluate("Bash", INPUT).family == "allow"
    judge = await asyncio.to_thread(_reader, 500)
    for _ in range(rounds):
        alone = _median_us(lambda: rules.evaluate("Bash", INPUT))
        verdict.add(alone, _median_us(_parse))
        reading.add(await _median_us_async(judge), alone)
        more = _median_us(lambda: many.evaluate("Bash", INPUT))
        growth.add(more, _median_us(lambda: few.evaluate("Bash", INPUT)))
    return [verdict, reading, growth]


def _parse() -> object:
    return read_script(COMMAND), seen_by_tree_sitter(COMMAND.encode())


def policy(count: int) -> Policy:
    """Rules as a team may keep them: many exact, many with a prefix, some in the way."""
    families: dict[str, list[str]] = {"allow": [], "ask": [], "deny": []}
    for family, text in rule_texts(count):
        families[family].append(text)
    return Policy.of(families["allow"], families["ask"], families["deny"])


def rule_texts(count: int) -> list[tuple[str, str]]:
    """Returns family and text of `count` rules; those that allow COMMAND come first."""
    made = [("allow", f"Bash({program} *)") for program in PROGRAMS]
    for number in range(count):
        made += [
            ("allow", f"Bash(tool{number} run *)"),
            ("allow", f"Bash(make target-{number})"),
            ("deny", f"Bash(danger{number} *)"),
            ("ask", f"Bash(git remote-{number} *)"),
        ]
    return made[:count]


def _reader(count: int) -> Callable[[], Awaitable[object]]:
    """Returns what reads the rules of a person who keeps so many, and judges by them."""
    django_here()
    from agents.runtime.answering.policies import rules_of
    from agents.selectors.agents import agent_key
    from bench.made.accounts import people
    from bench.made.rules import keep_rules
    from workspaces.selectors import workspace_for

    (person,) = people(1, together=False)
    keep_rules(person["id"], rule_texts(count))
    place = workspace_for(person["id"], person["workspace"]).place
    # of a turn, this is what counts
    turn = cast(Any, SimpleNamespace(place=place, agent_key=agent_key("maia")))

    async def judge() -> object:
        return (await rules_of(turn)).policy.evaluate("Bash", INPUT)

    return judge


def _median_us(call: Callable[[], object]) -> float:
    times = []
    for _ in range(EACH):
        start = time.perf_counter()
        call()
        times.append(time.perf_counter() - start)
    return statistics.median(times) * 1e6


async def _median_us_async(call: Callable[[], Awaitable[object]]) -> float:
    times = []
    for _ in range(EACH // 4):
        start = time.perf_counter()
        await call()
        times.append(time.perf_counter() - start)
    return statistics.median(times) * 1e6
