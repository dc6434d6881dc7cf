"""`manage.py check_rules`: a file of cases, decided and reported."""

from __future__ import annotations

import json
from io import BytesIO, StringIO, TextIOWrapper
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from agents.models.permission import Rule

ALLOWED = {
    "id": "one", "rules": {"allow": ["Bash(ls *)"]}, "tool": "Bash",
    "input": {"command": "ls -l"}, "expect": "allow",
}  # fmt: skip
WRONG = {**ALLOWED, "id": "two", "input": {"command": "rm x"}}


def _run(tmp_path: Path, cases: list[Any], *options: str) -> tuple[str, int]:
    file = tmp_path / "cases.jsonl"
    file.write_text("\n".join(json.dumps(case) for case in cases) + "\n\n", encoding="utf-8")
    out = StringIO()
    try:
        call_command("check_rules", str(file), *options, stdout=out, stderr=StringIO())
    except SystemExit as stop:
        return out.getvalue(), int(stop.code or 0)
    return out.getvalue(), 0


def test_cases_that_hold_end_with_success(tmp_path: Path) -> None:
    assert _run(tmp_path, [ALLOWED]) == ("1 cases, 0 differ\n", 0)


def test_a_case_that_differs_is_printed_and_fails(tmp_path: Path) -> None:
    out, status = _run(tmp_path, [ALLOWED, WRONG])
    assert out == "two: ask, expected allow. No rule covers rm x\n2 cases, 1 differ\n"
    assert status == 1


def test_also_ok_is_accepted(tmp_path: Path) -> None:
    assert _run(tmp_path, [{**WRONG, "also_ok": ["ask"]}])[1] == 0


def test_json_prints_a_line_a_case(tmp_path: Path) -> None:
    out, status = _run(tmp_path, [ALLOWED, WRONG], "--json")
    assert [json.loads(line) for line in out.splitlines()] == [
        {"id": "one", "verdict": "allow", "rule": "Bash(ls *)", "part": "ls -l"},
        {"id": "two", "verdict": "ask", "rule": None, "part": "rm x"},
    ]
    assert status == 1


@pytest.mark.django_db
def test_without_rules_the_sites_own_decide(tmp_path: Path) -> None:
    Rule.objects.create(scope="site", family="deny", text="Bash(rm *)")
    Rule.objects.create(scope="site", family="deny", text="Bash(ls *)", enabled=False)
    Rule.objects.create(scope="site", family="allow", text="Read(/ws/alice/a)")
    cases = [
        {"tool": "Bash", "input": {"command": "ls; rm x"}, "expect": "deny"},
        {"tool": "Bash", "input": {"command": "ls"}, "expect": "ask"},
        {"tool": "Read", "input": {"path": "a"}, "expect": "allow"},
    ]
    assert _run(tmp_path, cases) == ("3 cases, 0 differ\n", 0)


@pytest.mark.parametrize("text", ["not json", "[]", '{"tool": "Bash"}', "[" * 100_000])
def test_a_broken_file_names_the_line(tmp_path: Path, text: str) -> None:
    file = tmp_path / "cases.jsonl"
    file.write_text(json.dumps(ALLOWED) + "\n" + text, encoding="utf-8")
    with pytest.raises(CommandError, match="line 2"):
        call_command("check_rules", str(file), stdout=StringIO())


def test_malformed_cases_are_decided_not_raised(tmp_path: Path) -> None:
    cases = [
        {"rules": {"allow": ["Bash(", 7, None]}, "tool": "Bash", "input": 3, "expect": "ask"},
        {"rules": [], "tool": None, "input": {"command": "\ud800"}, "expect": "ask"},
        {"rules": {"allow": "Bash"}, "tool": "Bash", "input": {"command": "a"}, "expect": "ask"},
    ]
    assert _run(tmp_path, cases)[1] == 0


def test_a_broken_line_does_not_keep_the_others_from_being_checked(tmp_path: Path) -> None:
    file = tmp_path / "cases.jsonl"
    lines = ["{", json.dumps(ALLOWED), "", "7", json.dumps(WRONG)]
    file.write_text("\ufeff" + "\r\n".join(lines), encoding="utf-8")
    out, err = StringIO(), StringIO()
    with pytest.raises(CommandError) as stop:
        call_command("check_rules", str(file), "--json", stdout=out, stderr=err)
    assert [json.loads(line)["verdict"] for line in out.getvalue().splitlines()] == ["allow", "ask"]
    assert err.getvalue() == "2 cases, 1 differ\n"
    assert "line 1: not JSON" in str(stop.value)
    assert "line 4: a case is an object" in str(stop.value)


def test_the_standard_input_may_hold_bytes_that_are_no_text(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    line = json.dumps({**ALLOWED, "input": {"command": "ls X"}, "expect": "ask", "id": "\ud800"})
    content = b"\xef\xbb\xbf" + line.encode().replace(b"X", b"\xff") + b"\r\n"
    monkeypatch.setattr("sys.stdin", TextIOWrapper(BytesIO(content)))
    out = StringIO()
    call_command("check_rules", "-", "--json", stdout=out, stderr=StringIO())
    found = json.loads(out.getvalue())
    assert (found["verdict"], found["id"]) == ("ask", "\ud800")


def test_what_is_printed_can_be_printed(tmp_path: Path) -> None:
    strange = {**WRONG, "id": "\ud800\x1b", "input": {"command": "rm \ud800\n\x07"}}
    out, status = _run(tmp_path, [strange])
    assert status == 1
    assert all(char.isprintable() for line in out.splitlines() for char in line)
