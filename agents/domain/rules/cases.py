"""PolicyCase: a call and the verdict that is expected for it, one a line of JSON."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from agents.domain.rules.policy import Policy
from agents.domain.rules.verdict import PolicyContext, Verdict

CONTEXT = PolicyContext(root="/ws/alice", home="/home/alice")
"""The start folder and the home that cases are written for."""


class CaseError(Exception):
    """A line that is no case; `line` counts from 1, `why` is "json" or "shape"."""

    def __init__(self, line: int, why: str, details: str = "") -> None:
        super().__init__(f"line {line}: {why} {details}".strip())
        self.line = line
        self.why = why
        self.details = details


@dataclass(frozen=True, slots=True)
class CaseResult:
    """How a case went: its name, what was expected and what came out."""

    id: str
    expect: str
    verdict: Verdict
    differs: bool
    tool: str = ""


def read_cases(text: str) -> Iterator[dict[str, Any]]:
    """Yields the cases of a JSON-lines text; raises `CaseError` naming the line that is none."""
    for found in read_lines(text):
        if isinstance(found, CaseError):
            raise found
        yield found


def read_lines(text: str) -> Iterator[dict[str, Any] | CaseError]:
    """Yields the case of each line, or what is wrong with it; empty lines count only as lines."""
    for number, line in enumerate(text.removeprefix("\ufeff").split("\n"), start=1):
        if line.strip():
            yield _read_line(number, line)


def _read_line(number: int, line: str) -> dict[str, Any] | CaseError:
    try:
        case = json.loads(line)
    except (ValueError, RecursionError) as error:
        return CaseError(number, "json", str(error))
    is_case = isinstance(case, dict) and "expect" in case
    return case if is_case else CaseError(number, "shape")


def decide(case: dict[str, Any], site: Policy | None) -> Verdict:
    """Evaluates one case; without `rules`, `site` decides."""
    rules = case.get("rules")
    if rules is None:
        policy = site or Policy([])
    else:
        lists = rules if isinstance(rules, dict) else {}
        allow, ask, deny = (_texts(lists, family) for family in ("allow", "ask", "deny"))
        policy = Policy.of(allow, ask, deny)
    return policy.evaluate(case.get("tool"), case.get("input"), CONTEXT)


def differs(case: dict[str, Any], verdict: Verdict) -> bool:
    """Returns whether a verdict is not what the case accepts."""
    also = case.get("also_ok")
    accepted = [case.get("expect"), *(also if isinstance(also, list) else [])]
    return verdict.family not in accepted


def run_cases(cases: Iterable[dict[str, Any]], site: Policy) -> tuple[CaseResult, ...]:
    """Evaluates all cases."""
    results = []
    for number, case in enumerate(cases, start=1):
        verdict = decide(case, site)
        name, expect = str(case.get("id", number)), str(case.get("expect"))
        wrong = differs(case, verdict)
        results.append(CaseResult(name, expect, verdict, wrong, str(case.get("tool", ""))))
    return tuple(results)


def _texts(lists: dict[str, Any], family: str) -> list[Any]:
    texts = lists.get(family)
    return texts if isinstance(texts, list) else []
