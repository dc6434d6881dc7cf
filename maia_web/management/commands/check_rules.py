"""check_rules: runs a file of permission cases against their rules, or the site's own."""

from __future__ import annotations

import json
import sys
from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from agents.domain.rules.cases import CaseError, decide, read_lines
from agents.domain.rules.cases import differs as is_other
from agents.domain.rules.policy import Policy, Verdict
from agents.domain.rules.verdict import shown
from agents.selectors.permissions.policies import site_policy


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
        broken: list[CaseError] = []
        for case in read_lines(_text(file)):
            if isinstance(case, CaseError):
                broken.append(case)
                continue
            if case.get("rules") is None and site is None:
                site = site_policy()
            verdict = decide(case, site)
            differs = is_other(case, verdict)
            total, differing = total + 1, differing + differs
            self._report(case, total, verdict, differs=differs, as_json=json)
        (self.stderr if json else self.stdout).write(f"{total} cases, {differing} differ")
        if broken:
            raise CommandError("\n".join(f"{file}, {_problem(error)}" for error in broken))
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
                f"{shown(str(name))}: {verdict.family}, expected {shown(str(case['expect']))}. "
                f"{verdict.sentence()}"
            )


def _text(file: str) -> str:
    """Reads a file or the standard input; a byte that is no UTF-8 stays for the rules to judge."""
    try:
        content = sys.stdin.buffer.read() if file == "-" else Path(file).read_bytes()
    except OSError as error:
        raise CommandError(f"{file} cannot be read: {error}") from error
    return content.decode("utf-8", errors="surrogateescape")


def _problem(error: CaseError) -> str:
    if error.why == "json":
        return f"line {error.line}: not JSON ({error.details})"
    return f"line {error.line}: a case is an object with `expect`"
