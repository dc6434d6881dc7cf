"""Identity: whatever an account is called, git takes its name and mail address."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from workspaces.domain.git_settings import committer_environment, gitconfig
from workspaces.domain.identity import Identity, agent_identity, identity_of


@pytest.mark.parametrize(
    ("account", "expected"),
    [
        (("alice", "Alice Önal", "a@example.org"), Identity("Alice Önal", "a@example.org")),
        (("bob",), Identity("bob", "bob@users.noreply.maia.invalid")),
        (("b@x.org", "..."), Identity("b@x.org", "b-x.org@users.noreply.maia.invalid")),
        (("...", "<>"), Identity("somebody", "somebody@users.noreply.maia.invalid")),
        (
            ("x", "A <evil@x>\n[core]"),
            Identity("A  evil@x [core]", "x@users.noreply.maia.invalid"),
        ),
    ],
)
def test_an_account_has_an_identity(account: tuple[str, ...], expected: Identity) -> None:
    assert identity_of(*account) == expected


@settings(
    max_examples=15, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None
)
@given(st.text(st.characters(codec="utf-8", exclude_characters="\0"), min_size=1, max_size=20))
def test_git_commits_under_any_name(tmp_path: Path, name: str) -> None:
    identity = identity_of("user", name)
    config = tmp_path / "gitconfig"
    config.write_text(gitconfig(identity=identity))
    env = {"GIT_CONFIG_SYSTEM": str(config), "HOME": str(tmp_path), "PATH": os.environ["PATH"]}
    ident = subprocess.run(
        ["git", "var", "GIT_AUTHOR_IDENT"], env=env, check=True, capture_output=True
    ).stdout.decode()
    assert ident.rpartition(" <")[0] == identity.name
    assert f"<{identity.mail}>" in ident


def test_no_agent_has_the_address_of_a_person() -> None:
    found = agent_identity("alice")
    assert found == Identity("alice", "alice@agents.noreply.maia.invalid")
    assert committer_environment(None) == {}
    assert committer_environment(found) == {
        "GIT_COMMITTER_NAME": "alice", "GIT_COMMITTER_EMAIL": found.mail,
    }  # fmt: skip
