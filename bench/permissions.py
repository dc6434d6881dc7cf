"""Permission verdicts: a 300-character compound command against 500 rules, beside parsing alone.

Run with `python -m bench.permissions`. Prints microseconds and the ratio to parsing.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable

from agents.domain.rules.policy import Policy
from agents.domain.shell.bash import read_script
from agents.domain.shell.opinion import seen_by_tree_sitter
from bench.report import Row

COMMAND = (
    "git status --short && cd src && ls -la | grep -v cache > /dev/null; uv run pytest -q tests/a "
    "tests/b 2>&1 | tail -n 20 && echo 'done; ok' || echo \"failed $X\"; find . -name '*.py' -newer"
    " x | sort -n | head -5; python -c 'print(1)' && git diff --stat HEAD~1 -- "
    "src tests docs README.md pyproject.toml"
)
ROUNDS = 400
TARGET_US = 1_000
TARGET_RATIO = 3


def policy() -> Policy:
    """500 rules as a team may keep them: many exact, many with a prefix, some in the way."""
    programs = ["git", "cd", "ls", "grep", "uv", "tail", "echo", "find", "sort", "head", "python"]
    allow = [f"Bash({program} *)" for program in programs]
    allow += [f"Bash(tool{number} run *)" for number in range(250)]
    allow += [f"Bash(make target-{number})" for number in range(100)]
    deny = [f"Bash(danger{number} *)" for number in range(100)]
    ask = [f"Bash(git remote-{number} *)" for number in range(39)]
    return Policy.of(allow, ask, deny)


def median_us(call: Callable[[], object]) -> float:
    """Median duration of one call, in microseconds."""
    times = []
    for _ in range(ROUNDS):
        start = time.perf_counter()
        call()
        times.append(time.perf_counter() - start)
    return statistics.median(times) * 1e6


async def permissions(rounds: int) -> list[Row]:
    """For the table of `make bench`: each round is a median of its own."""
    rules = policy()
    verdict = Row("g  permission verdict, 500 rules", "us", TARGET_RATIO, "parsing", most=TARGET_US)
    for _ in range(rounds):
        verdict.add(
            median_us(lambda: rules.evaluate("Bash", {"command": COMMAND})),
            median_us(lambda: (read_script(COMMAND), seen_by_tree_sitter(COMMAND.encode()))),
        )
    return [verdict]


def main() -> dict[str, float]:
    """Measures, prints and returns the figures."""
    rules = policy()
    assert len(rules.rules) == 500
    assert rules.evaluate("Bash", {"command": COMMAND}).family == "allow"
    figures = {
        "tree-sitter alone": median_us(lambda: seen_by_tree_sitter(COMMAND.encode())),
        "parsing (our reader and tree-sitter)": median_us(
            lambda: (read_script(COMMAND), seen_by_tree_sitter(COMMAND.encode()))
        ),
        "verdict, 500 rules": median_us(lambda: rules.evaluate("Bash", {"command": COMMAND})),
    }
    for name, value in figures.items():
        print(f"{name:40} {value:8.0f} us")
    ratio = figures["verdict, 500 rules"] / figures["parsing (our reader and tree-sitter)"]
    print(f"{'verdict / parsing':40} {ratio:8.2f}    (target <= {TARGET_RATIO})")
    print(f"{'verdict':40} {figures['verdict, 500 rules'] / 1e3:8.3f} ms (target < 1)")
    return figures


if __name__ == "__main__":
    main()
