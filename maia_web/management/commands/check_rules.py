"""check_rules: runs a file of permission cases against their rules, or the site's own."""

from __future__ import annotations

import json
import sys
from argparse import ArgumentParser
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from agents.domain.policy_cases import CaseError, decide, read_cases
from agents.domain.policy_cases import differs as is_other
from agents.domain.rules import Policy, Verdict
from agents.selectors.permissions import site_policy


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
            differs = is_other(case, verdict)
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


def _cases(file: str) -> Iterator[dict[str, Any]]:
    """Yields the cases; raises `CommandError` naming the line that is none."""
    try:
        text = sys.stdin.read() if file == "-" else Path(file).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise CommandError(f"{file} cannot be read: {error}") from error
    try:
        yield from read_cases(text)
    except CaseError as error:
        if error.why == "json":
            raise CommandError(f"{file}, line {error.line}: not JSON ({error.details})") from error
        raise CommandError(
            f"{file}, line {error.line}: a case is an object with `expect`"
        ) from error
