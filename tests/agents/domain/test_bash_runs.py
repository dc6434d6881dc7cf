"""The policy beside bash itself: nothing runs that no rule covers.

Lines are generated, those the policy allows are run by the real bash, whose PATH holds only stubs
that record their name; inside bubblewrap where there is one.
"""

from __future__ import annotations

import random
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

import pytest

from agents.domain.rules import Policy

STUBS = ("good", "fine", "evil")
FRAGMENTS = [
    "good", "fine", "evil", " ", " ", "\t", "\n", ";", "&&", "||", "|", "|&", "&", "(", ")", "{ ",
    "; }", "'", '"', "\\", "\\\n", "$", "`", "$(", "<(", ">(", "${", "$((", "((", "))", "[[ ",
    " ]]", "<<E\n", "\nE\n", "<<'E'\n", "<<<", ">", "> out/a", ">>", ">&", "2>&1", "&>", "<",
    "if ", "then ", "fi", "else ", "while ", "do ", "done", "for x in a", "; do ", "case a in a)",
    ";;", "esac", "function f ", "f()", "! ", "time ", "coproc ", "A=1 ", "a[0]=", "#", " #", "$'",
    "\\'", '$"', "\x0b", "\r", "\xa0", "é", "*", "?", "[", "{good,evil}", "~", "=", "-x", "--",
    "eval ", "exec ", "command ", "declare ", "test -v ", "[ ", "printf -v ", "let ", "}", "in ",
    ":", "@(", "a[$(evil)]", "'a[$(evil)]'", "$[", "E\n", "{fd}>", "\\$", "\\`", "${x:-", "${x@P}",
    ">&'$(evil)'", "<<<'$(evil)'", "trap ", "read ", "local ", "select ", "until ", "&>>", ">|",
]  # fmt: skip
STARTS = ["good ", "fine; ", "good | ", "good \\\n", "good '", 'good "', "good && ", "good #", ""]
ENDS = [" evil", "; evil", "\nevil", "'; evil", "\nE\nevil", "|evil", "`evil`", "$(evil)", "", ""]


@dataclass(frozen=True)
class Box:
    """A folder in which bash finds nothing but the stubs."""

    folder: Path

    def run(self, line: str) -> tuple[set[str], set[str]]:
        """Runs `line`; returns the stubs that ran and the files that appeared."""
        work, log = self.folder / "work", self.folder / "log"
        shutil.rmtree(work, ignore_errors=True)
        (work / "out").mkdir(parents=True)
        log.write_text("")
        subprocess.run(
            [*self._wrapper(), "/bin/bash", "-c", line],
            cwd=work, stdin=subprocess.DEVNULL, capture_output=True, timeout=10, check=False,
            env={"PATH": str(self.folder / "bin"), "LC_ALL": "C.UTF-8"},
        )  # fmt: skip
        files = {str(path.relative_to(work)) for path in work.rglob("*") if path.is_file()}
        return set(log.read_text().split()), files

    def _wrapper(self) -> list[str]:
        bwrap = shutil.which("bwrap")
        probe = [bwrap or "", "--ro-bind", "/", "/", "--unshare-net", "true"]
        if bwrap is None or subprocess.run(probe, capture_output=True, check=False).returncode:
            return []
        folder = str(self.folder)
        return [
            bwrap, "--ro-bind", "/", "/", "--dev", "/dev", "--bind", folder, folder,
            "--unshare-net", "--unshare-pid", "--die-with-parent",
        ]  # fmt: skip


@pytest.fixture
def box(tmp_path: Path) -> Box:
    stubs = tmp_path / "bin"
    stubs.mkdir()
    for name in STUBS:
        stub = stubs / name
        stub.write_text(f"#!/bin/bash\nbuiltin echo {name} >> {tmp_path}/log\n")
        stub.chmod(0o755)
    return Box(tmp_path)


def _lines(seed: int, count: int) -> list[str]:
    chance = random.Random(seed)
    return [
        chance.choice(STARTS)
        + "".join(chance.choices(FRAGMENTS, k=chance.randint(1, 7)))
        + chance.choice(ENDS)
        for _ in range(count)
    ]


@pytest.mark.parametrize("seed", range(4))
def test_what_an_allow_lets_through_runs_only_what_it_covers(box: Box, seed: int) -> None:
    policy = Policy.of(allow=["Bash(good *)", "Bash(fine *)", "Redirect(out/*)"])
    allowed = [
        line
        for line in _lines(seed, 1_500)
        if policy.evaluate("Bash", {"command": line}).family == "allow"
    ]
    assert len(allowed) > 15, "the generator makes too few lines that are allowed"
    for line in allowed[:60]:
        ran, files = box.run(line)
        assert ran <= {"good", "fine"}, line
        assert all(file.startswith("out/") for file in files), line


@pytest.mark.parametrize("seed", range(4))
def test_what_a_deny_forbids_does_not_run_under_a_bare_allow(box: Box, seed: int) -> None:
    policy = Policy.of(allow=["Bash", "Redirect"], deny=["Bash(evil *)"])
    allowed = [
        line
        for line in _lines(100 + seed, 1_500)
        if "evil" in line and policy.evaluate("Bash", {"command": line}).family == "allow"
    ]
    for line in allowed[:60]:
        ran, _ = box.run(line)
        assert "evil" not in ran, line


@pytest.mark.parametrize(
    "line",
    ["good >& '$(evil)'", "good >&'a[`evil`]'", "test -v 'a[$(evil)]'", "printf -v 'a[$(evil)]' x",
     "[[ 'a[$(evil)]' -eq 1 ]]", "e\\\nvil", "good <<E\n$(evil)\nE", "$'\\x65vil'", "{evil,x}"],
)  # fmt: skip
def test_what_bash_runs_out_of_hiding_is_never_allowed(box: Box, line: str) -> None:
    ran, _ = box.run(line)
    assert "evil" in ran, "bash no longer runs this: the case can go"
    policy = Policy.of(allow=["Bash", "Redirect"], deny=["Bash(evil *)"])
    assert policy.evaluate("Bash", {"command": line}).family == "deny"
