"""Files with rules: whose count, from when, and what a change of the file does."""

from __future__ import annotations

import hashlib
import json
import shutil
from pathlib import Path

import pytest

from agents.domain.rules.files import HOME_FILE, WORKSPACE_FILE
from agents.library.rule_files import workspace_rules
from agents.models import AuditEntry, PermissionRequest
from agents.selectors.permissions.trusted_files import is_trusted
from agents.services.permissions.trust import trust_file, withdraw_trust
from maia_web.accounts.models import User
from maia_web.lib.errors import Conflict, NotAllowed, NotFound
from tests.agents.services.permissions.asked import ask, start_turn
from tests.cast import Cast
from tests.support.rules import rules_for
from workspaces.files.local import LocalFiles
from workspaces.sandboxes.folders import folders_of


@pytest.fixture(autouse=True)
def _empty_homes(cast: Cast) -> None:
    """Homes are named after keys, which another test may have had."""
    for person in (cast.alice, cast.bob, cast.vera):
        shutil.rmtree(folders_of(cast.access(person).place).settings)


def write(cast: Cast, user: User, path: str, **lists: object) -> str:
    text = json.dumps({"permissions": lists})
    LocalFiles(cast.access(user).place).write(path, text)
    return hashlib.sha256(text.encode()).hexdigest()


def verdict(cast: Cast, user: User, command: str) -> tuple[str, str | None, str | None]:
    found = rules_for(cast.access(user).place, "maia").policy.evaluate("Bash", {"command": command})
    return found.family, found.scope, found.origin


def test_the_own_file_counts_at_once_and_for_oneself_alone(cast: Cast) -> None:
    write(cast, cast.bob, HOME_FILE, allow=["Bash(make *)"], deny=["Bash(rm *)"])

    assert verdict(cast, cast.bob, "make") == ("allow", "person", HOME_FILE)
    assert verdict(cast, cast.bob, "rm x") == ("deny", "person", HOME_FILE)
    assert verdict(cast, cast.alice, "make")[0] == "ask"


def test_the_file_of_a_workspace_denies_at_once_and_allows_once_trusted(cast: Cast) -> None:
    digest = write(cast, cast.alice, WORKSPACE_FILE, allow=["Bash"], deny=["Bash(rm *)"])
    for person in (cast.alice, cast.bob):
        assert verdict(cast, person, "rm x") == ("deny", "workspace", WORKSPACE_FILE)
        assert verdict(cast, person, "make")[0] == "ask"

    trust_file(cast.bob.pk, cast.atelier.id, digest)

    assert verdict(cast, cast.bob, "make") == ("allow", "workspace", WORKSPACE_FILE)
    assert verdict(cast, cast.alice, "make")[0] == "ask"  # each trusts for themselves
    line = AuditEntry.objects.get(kind="trust")
    assert (line.who, line.input["sha256"], line.input["allow"]) == ("bob", digest, ["Bash"])


def test_the_lists_of_both_files_add_up(cast: Cast) -> None:
    write(cast, cast.bob, HOME_FILE, allow=["Bash(ls *)"], ask=["Bash(make *)"])
    digest = write(cast, cast.alice, WORKSPACE_FILE, allow=["Bash(make *)", "Bash(cat *)"])
    trust_file(cast.bob.pk, cast.atelier.id, digest)

    families = [verdict(cast, cast.bob, command)[0] for command in ("ls", "cat a", "make", "rm")]
    assert families == ["allow", "allow", "ask", "ask"]
    assert verdict(cast, cast.bob, "make")[2] == HOME_FILE  # an ask, though the other allows


def test_a_changed_file_asks_again_and_its_old_content_too(cast: Cast) -> None:
    first = write(cast, cast.alice, WORKSPACE_FILE, allow=["Bash(make *)"])
    trust_file(cast.bob.pk, cast.atelier.id, first)
    second = write(cast, cast.alice, WORKSPACE_FILE, allow=["Bash(make *)", "Bash"])
    assert verdict(cast, cast.bob, "make")[0] == "ask"
    assert verdict(cast, cast.bob, "curl x")[0] == "ask"

    with pytest.raises(Conflict) as refused:
        trust_file(cast.bob.pk, cast.atelier.id, first)
    assert refused.value.code == "changed"
    trust_file(cast.bob.pk, cast.atelier.id, second)
    assert verdict(cast, cast.bob, "curl x")[0] == "allow"

    write(cast, cast.alice, WORKSPACE_FILE, allow=["Bash(make *)"])
    assert verdict(cast, cast.bob, "make")[0] == "ask"


def test_trust_can_be_withdrawn(cast: Cast) -> None:
    digest = write(cast, cast.alice, WORKSPACE_FILE, allow=["Bash"])
    trust_file(cast.bob.pk, cast.atelier.id, digest)
    withdraw_trust(cast.bob.pk, cast.atelier.id)
    withdraw_trust(cast.bob.pk, cast.atelier.id)

    assert verdict(cast, cast.bob, "make")[0] == "ask"
    lines = AuditEntry.objects.filter(kind="trust").order_by("id")
    assert [line.outcome for line in lines] == ["trusted", "withdrawn"]


def test_viewers_strangers_and_administrators_trust_nothing(cast: Cast) -> None:
    digest = write(cast, cast.alice, WORKSPACE_FILE, allow=["Bash"])
    for person, refusal in (
        (cast.vera, NotAllowed),
        (cast.charlie, NotFound),
        (cast.administrator, NotFound),
    ):
        with pytest.raises(refusal):
            trust_file(person.pk, cast.atelier.id, digest)


def test_nothing_is_trusted_where_there_is_no_file(cast: Cast) -> None:
    for digest in ("", "0" * 64):
        with pytest.raises(Conflict):
            trust_file(cast.bob.pk, cast.atelier.id, digest)
    place = cast.access(cast.bob).place
    assert not is_trusted(place, workspace_rules(place))


def test_trust_releases_what_waits_for_it(cast: Cast, channel: str) -> None:
    digest = write(cast, cast.alice, WORKSPACE_FILE, allow=["Bash(make *)"])
    request = ask(cast, start_turn(cast.bob.pk, channel))
    assert request.reason.untrusted
    assert not ask(
        cast, PermissionRequest.objects.get(id=request.id).turn_id, "ls"
    ).reason.untrusted

    trust_file(cast.bob.pk, cast.atelier.id, digest)

    assert PermissionRequest.objects.get(id=request.id).option == "rule"


@pytest.mark.parametrize(
    ("content", "rules", "problems"),
    [
        (b"{", 0, 1),
        (b"\xff\xfe", 0, 1),
        (b"[]", 0, 1),
        (b'{"permissions": 7}', 0, 1),
        (b"{}", 0, 0),
        (b"[" * 100_000, 0, 1),
        # the deny that is no rule makes its tool ask
        (b'{"permissions": {"deny": ["Bash", "Bash("], "allow": {"a": 1}}}', 2, 2),
        (b'\xef\xbb\xbf{"permissions": {"deny": ["Bash"]}}', 1, 0),
    ],
)
def test_a_broken_file_warns_and_the_rest_stays(
    cast: Cast, content: bytes, rules: int, problems: int
) -> None:
    write(cast, cast.bob, HOME_FILE, deny=["Bash(rm *)"])
    place = cast.access(cast.bob).place
    LocalFiles(place).attach("settings.json", [b"x"])  # makes the folders
    path = folders_of(place).workspace / WORKSPACE_FILE
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(content)

    found = rules_for(place, "maia")

    here = [entry for entry in found.entries if entry.origin == WORKSPACE_FILE]
    assert (len(here), len(found.problems)) == (rules, problems)
    assert all(file == WORKSPACE_FILE and problem.sentence() for file, problem in found.problems)
    assert found.policy.evaluate("Bash", {"command": "rm x"}).family == "deny"


def test_a_link_that_leads_outside_is_not_followed(cast: Cast, tmp_path: Path) -> None:
    outside = tmp_path / "settings.json"
    outside.write_text('{"permissions": {"allow": ["Bash"]}}')
    place = cast.access(cast.bob).place
    path = folders_of(place).under("settings") / "settings.json"
    path.symlink_to(outside)

    found = rules_for(place, "maia")

    assert not [entry for entry in found.entries if entry.origin == HOME_FILE]
    assert [file for file, _problem in found.problems] == [HOME_FILE]
