"""The kept cases (permission_cases.jsonl, harder_cases.jsonl), read once."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from agents.domain.rules.policy import Policy, PolicyContext, Verdict

CONTEXT = PolicyContext(root="/ws/alice", home="/home/alice")
FILES = [
    Path(__file__).with_name(name) for name in ("permission_cases.jsonl", "harder_cases.jsonl")
]
CASES: list[dict[str, Any]] = [
    json.loads(line) for file in FILES for line in file.read_text(encoding="utf-8").splitlines()
]


def verdict_of(case: dict[str, Any]) -> Verdict:
    return Policy.of(**case["rules"]).evaluate(case["tool"], case["input"], CONTEXT)
