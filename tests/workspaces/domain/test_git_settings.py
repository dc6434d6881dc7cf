"""What git is told in a sandbox: harmless values above those of a repository."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from workspaces.domain.git_settings import FOR_AGENTS, FOR_ALL, git_environment, gitconfig


def _told(own: bool) -> dict[str, str]:
    variables = git_environment(own=own)
    return {
        variables[f"GIT_CONFIG_KEY_{at}"]: variables[f"GIT_CONFIG_VALUE_{at}"]
        for at in range(int(variables["GIT_CONFIG_COUNT"]))
    }


@pytest.mark.parametrize(("own", "told"), [(True, FOR_ALL), (False, FOR_AGENTS)])
def test_every_setting_is_in_the_environment(own: bool, told: dict[str, str]) -> None:
    assert _told(own) == dict(told)
    assert _told(own)["core.fsmonitor"] == "false"
    assert ("core.hooksPath" in _told(own)) is not own


def test_git_reads_back_exactly_the_folders_it_may_use(tmp_path: Path) -> None:
    strange = ['/workspace/a"b\\c;d#e', "/workspace/ x "]
    file = tmp_path / "gitconfig"
    file.write_text(gitconfig(strange))
    said = subprocess.run(
        ["git", "config", "--file", str(file), "-z", "--get-all", "safe.directory"],
        capture_output=True, text=True, check=True,
    ).stdout  # fmt: skip
    expected = ["/workspace", "/workspace/.git", "/workspace/*"]
    expected += [path for one in strange for path in (one, f"{one}/.git")]
    assert said.split("\0")[:-1] == expected
