"""check_rules: runs a file of permission cases against their rules, or the site's own."""

from __future__ import annotations

import json
import sys
from argparse import ArgumentParser
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from agents.domain.rules import Policy, PolicyContext, RuleEntry, Verdict
from agents.models.permission import Rule

CONTEXT = PolicyContext(root="/ws/alice", home="/home/alice")
"""The start folder and the home that cases are written for."""


class Command(BaseCommand):
    help = (
        "Runs the cases of FILE.jsonl (rules, tool, input, expect, also_ok) and prints those that "
        "differ. A case without rules is decided by the site's own."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("file", metavar="FILE.jsonl", help="one case a line; - reads stdin")
        parser.add_argument("--json", action="store_true", help="one line of JSON a case")

    def handle(self, *_args: object, file: str, json: bool, **_options: object) -> None:
        site: Policy | None = None
        total = differing = 0
        for number, case in enumerate(_cases(file), start=1):
            if "rules" not in case and site is None:
                site = site_policy()
            verdict = decide(case, site)
            differs = _differs(case, verdict)
            total, differing = total + 1, differing + differs
            self._report(case, number, verdict, differs=differs, as_json=json)
        summary = f"{total} cases, {differing} differ"
        if json:
            self.stderr.write(summary)
        else:
            self.stdout.write(summary)
        if differing:
            sys.exit(1)

    def _report(
        self, case: dict[str, Any], number: int, verdict: Verdict, *, differs: bool, as_json: bool
    ) -> None:
        name = case.get("id", number)
        if as_json:
            line = {
                "id": name,
                "verdict": verdict.family,
                "rule": verdict.rule,
                "part": verdict.part,
            }
            self.stdout.write(json.dumps(line))
        elif differs:
            self.stdout.write(
                f"{name}: {verdict.family}, expected {case['expect']}. {verdict.sentence()}"
            )


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


def _texts(lists: dict[str, Any], family: str) -> list[Any]:
    texts = lists.get(family)
    return texts if isinstance(texts, list) else []


def site_policy() -> Policy:
    """Compiles the enabled rules of the site's scope."""
    rows = Rule.objects.filter(scope="site", enabled=True).order_by("pk")
    return Policy(RuleEntry(row.family, row.text, "site", str(row.pk)) for row in rows)  # type: ignore[arg-type]  # a CharField with choices is a str


def _differs(case: dict[str, Any], verdict: Verdict) -> bool:
    accepted = [case.get("expect"), *(case.get("also_ok") or [])]
    return verdict.family not in accepted


def _cases(file: str) -> Iterator[dict[str, Any]]:
    """Yields the cases; raises `CommandError` naming the line that is none."""
    try:
        text = sys.stdin.read() if file == "-" else Path(file).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise CommandError(f"{file} cannot be read: {error}") from error
    for number, line in enumerate(text.split("\n"), start=1):
        if not line.strip():
            continue
        try:
            case = json.loads(line)
        except (json.JSONDecodeError, RecursionError) as error:
            raise CommandError(f"{file}, line {number}: not JSON ({error})") from error
        if not isinstance(case, dict) or "expect" not in case:
            raise CommandError(f"{file}, line {number}: a case is an object with `expect`")
        yield case
