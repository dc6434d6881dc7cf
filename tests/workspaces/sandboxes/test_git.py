"""git in a sandbox: what a repository's own configuration names is not run by itself."""

from __future__ import annotations

from dataclasses import replace

import pytest
from pytest_django import Settings

from maia_web.accounts.models import User
from maia_web.lib.db import in_db
from workspaces.domain.argv import terminal_command
from workspaces.domain.commands import Run
from workspaces.domain.identity import Identity
from workspaces.domain.places import Place
from workspaces.files.local import LocalFiles
from workspaces.sandboxes import base, open_sandbox
from workspaces.sandboxes.folders import folders_of
from workspaces.sandboxes.repositories import folders_with_repositories
from workspaces.sandboxes.status import Probed

pytestmark = pytest.mark.usefixtures("sandboxed")
ME = "-c user.name=a -c user.email=a@example.org"
TRAP = '#!/bin/sh\necho "$0 ran" >> /workspace/ran\n'


async def ran(place: Place, script: str, *, own: bool) -> str:
    command = Run(("bash", "-c", script), timeout=60, max_output=9_999)
    return (await open_sandbox(place, own=own).run(command)).output


@pytest.fixture
async def repository(place: Place) -> Place:
    """A repository with a change; `trap` says that it ran in the file `ran`."""
    LocalFiles(place).write("trap", TRAP)
    make = f"git init -q . && echo 1 > f && git add f && git {ME} commit -qm 1; "
    await ran(place, make + "chmod +x trap; touch -d yesterday f", own=True)
    return place


def those_that_ran(place: Place) -> set[str]:
    """The traps that went off, by the names under which they were called."""
    file = folders_of(place).workspace / "ran"
    lines = file.read_text().splitlines() if file.exists() else []
    return {line.removesuffix(" ran").rpartition("/")[2] for line in lines}


COMMIT = "git init -q . && git commit -q --allow-empty -m 1 && git log -1 --format='%an %ae %cn'"


@pytest.mark.parametrize("own", [True, False])
@pytest.mark.django_db(transaction=True)
async def test_commits_are_the_persons_at_once(place: Place, own: bool) -> None:
    def account() -> int:
        person = User.objects.create_user("alice", display_name="Alice Önal")
        return person.pk

    alice = replace(place, user=await in_db(account)())
    told = await ran(alice, COMMIT, own=own)
    assert told == "Alice Önal alice@users.noreply.maia.invalid Alice Önal\n"
    mail = "git config --global user.email me@example.org; "
    assert "me@example.org" in await ran(alice, mail + COMMIT, own=own)


@pytest.mark.django_db(transaction=True)
async def test_without_a_sandbox_commits_are_the_persons_too(
    place: Place, monkeypatch: pytest.MonkeyPatch, settings: Settings
) -> None:
    monkeypatch.setitem(base._answers, settings.DATA, Probed(None, problem="No sandbox here."))
    monkeypatch.setenv("MAIA_UNCONFINED", "1")

    def account() -> int:
        return User.objects.create_user("alice", display_name="Alice Önal").pk

    alice = replace(place, user=await in_db(account)())
    trusted = "git config --global safe.directory '*'; "  # members have uids of their own there
    told = await ran(alice, trusted + COMMIT + "; git config core.quotePath", own=False)
    assert told == "Alice Önal alice@users.noreply.maia.invalid Alice Önal\nfalse\n"
    name = "git config --global user.name X; "
    assert (await ran(alice, name + COMMIT, own=True)).startswith("X alice@")
    await in_db(User.objects.filter(username="alice").update)(email="a@example.org")
    assert "a@example.org" in await ran(alice, COMMIT, own=False)
    kept = folders_of(alice).settings / "gitconfig"
    assert kept.stat().st_mode & 0o777 == 0o644


async def test_another_committer_is_asked_for_at_each_command(place: Place) -> None:
    named: list[Identity | None] = [Identity("bot", "bot@example.org"), None]

    async def committer() -> Identity | None:
        return named.pop(0)

    sandbox = open_sandbox(place, committer=committer)
    told = COMMIT.replace("%cn", "%cn %ce")
    run = Run(("bash", "-c", told), timeout=60, max_output=999)
    first, second = [(await sandbox.run(run)).output.split() for _ in range(2)]
    assert first[2:] == ["bot", "bot@example.org"]
    assert first[:2] == second[:2] == second[2:]
    own = replace(run, env={"GIT_COMMITTER_NAME": "mine"})
    named.append(Identity("bot", "bot@example.org"))
    assert "mine" in (await sandbox.run(own)).output


async def test_who_has_no_account_commits_too(place: Place) -> None:
    assert f"user-{place.user} " in await ran(place, COMMIT, own=False)


async def test_names_are_told_as_they_are(place: Place) -> None:
    script = "git init -q . && mkdir données && echo x > données/été.txt && git add -A && "
    assert await ran(place, script + "git status --short", own=False) == "A  données/été.txt\n"


CONFIGURED = {
    "core.fsmonitor": "git status; git diff",
    "core.pager": "script -qc 'git log' /dev/null",
    "pager.status": "script -qc 'git status' /dev/null",
    "core.sshCommand": "timeout 5 git fetch ssh://h/x",
    "core.askPass": "printf 'protocol=https\\nhost=h\\n\\n' | git credential fill",
    "credential.helper": "printf 'protocol=https\\nhost=i\\n\\n' | git credential fill",
    "gpg.program": "git show --show-signature PGP",
    "gpg.ssh.program": "git show --show-signature SSH",
}
_SIGNED = "".join(
    f"(git cat-file commit HEAD | sed '/^$/,$d'; echo 'gpgsig -----BEGIN {kind} SIGNATURE-----'; "
    f"echo ' x'; echo ' -----END {kind} SIGNATURE-----'; echo; echo {kind}) > c; "
    f"git tag {kind} $(git hash-object -t commit -w --literally c); "
    for kind in ("PGP", "SSH")
)


@pytest.mark.parametrize("own", [True, False])
async def test_what_the_configuration_names_is_not_run(repository: Place, own: bool) -> None:
    told = (f"ln trap {key}; git config {key} /workspace/{key}; " for key in CONFIGURED)
    await ran(repository, _SIGNED + "".join(told), own=own)
    await ran(repository, "git config gpg.ssh.allowedSignersFile /workspace/f", own=own)
    script = "; ".join(CONFIGURED.values())
    await ran(repository, script, own=own)
    assert not those_that_ran(repository)
    await ran(repository, "unset GIT_PAGER; export GIT_CONFIG_COUNT=0; " + script, own=own)
    assert those_that_ran(repository) == set(CONFIGURED), "these traps do not work"


async def test_an_address_that_is_a_command_is_not_fetched(repository: Place) -> None:
    fetch = "git -c protocol.ext.allow=always config protocol.ext.allow always; "
    fetch += "timeout 5 git fetch 'ext::/workspace/trap x'"
    assert "not allowed" in await ran(repository, fetch, own=True)
    assert not those_that_ran(repository)


async def test_looking_at_the_state_runs_no_hook(repository: Place) -> None:
    hook = "cp trap .git/hooks/post-index-change; touch f; git status"
    for own in (True, False):
        await ran(repository, hook, own=own)
    assert not those_that_ran(repository)


@pytest.mark.parametrize("own", [True, False])
async def test_hooks_run_for_people_who_commit_not_for_agents(repository: Place, own: bool) -> None:
    commit = f"cp trap .git/hooks/pre-commit; echo 2 > f; git {ME} commit -qam 2"
    await ran(repository, commit, own=own)
    assert bool(those_that_ran(repository)) is own
    assert (await ran(repository, "git log --format=%s", own=own)).split() == ["2", "1"]


async def test_a_folder_that_looks_like_a_repository_is_none(repository: Place) -> None:
    made = "git init -q --bare docs && git -C docs config core.fsmonitor /workspace/trap; cd docs; "
    said = await ran(repository, made + "git log; git fetch .", own=True)
    assert "safe.bareRepository" in said
    clone = "git clone -q docs c 2>&1; cd c && git status -s | head; git --git-dir=../docs branch"
    assert "fatal" not in await ran(repository, clone, own=True)


async def test_a_terminal_is_told_the_same(repository: Place) -> None:
    await ran(repository, "git config core.fsmonitor /workspace/trap", own=True)
    shell = " ".join(terminal_command()[3:])
    await ran(repository, f"echo 'git status' | {shell}", own=True)
    assert not those_that_ran(repository)


async def test_members_use_each_others_repositories_and_nobody_elses(place: Place) -> None:
    other = replace(place, user=place.user + 1)
    make = "for r in . r sub/deep/r; do git init -q $r; touch $r/f; git -C $r add f; "
    make += f"git -C $r {ME} commit -qm 1; done"
    await ran(place, make, own=False)
    use = "for r in . r sub/deep/r; do git -C $r log --format=%s; done; git clone -q r copy; "
    use += "ls copy; git config --get-all safe.directory"
    said = (await ran(other, use, own=False)).split()
    assert said[:4] == ["1", "1", "1", "f"]
    assert "*" not in said


@pytest.mark.parametrize("name", [r"donn\xe9es", r"a\u202fb\u00a0\"c\""])
async def test_a_repository_of_another_member_is_used_whatever_its_name(
    place: Place, name: str
) -> None:
    other = replace(place, user=place.user + 1)
    await ran(
        place, f"git init -q $'{name}'; git -C * {ME} commit -q --allow-empty -m 1", own=False
    )
    assert (await ran(other, "git -C * log --format=%s", own=False)) == "1\n"


def test_repositories_are_found_without_following_links(place: Place) -> None:
    folders = folders_of(place)
    elsewhere = folders.home / "elsewhere"
    for path in ("a/.git", "b/c/.git", "node_modules/x/.git", ".x/y/.git", "1/2/3/4/.git"):
        (folders.workspace / path).mkdir(parents=True)
    (folders.workspace / "1/2/3/4/5/.git").mkdir(parents=True)
    (elsewhere / ".git").mkdir(parents=True)
    (folders.workspace / "link").symlink_to(elsewhere)
    (folders.workspace / "tree").mkdir()
    (folders.workspace / "tree/.git").write_text("gitdir: ../a/.git/worktrees/tree\n")
    found = folders_with_repositories(place).repositories
    if folders.owner is None:
        assert found == ()
    else:
        assert sorted(found) == [
            "/workspace/1/2/3/4", "/workspace/a", "/workspace/b/c", "/workspace/tree",
        ]  # fmt: skip
