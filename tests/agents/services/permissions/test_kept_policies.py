"""Kept rules: whatever anybody writes, by whatever way, counts at the next call."""

from __future__ import annotations

import json
import os
import random
from collections.abc import Callable
from contextlib import suppress
from itertools import count
from pathlib import Path

import pytest
from django.db import connection, models, transaction
from django.db.models import F
from django.test.utils import CaptureQueriesContext

from agents.domain.rules.files import RuleFiles
from agents.library.rule_files import rule_files
from agents.models import Agent, KnownRule, Rule, RulesStamp, TrustedFile
from agents.selectors.agents import agent_key
from agents.selectors.permissions.kept_policies import KeptPolicies, stamp_now
from agents.selectors.permissions.policies import read_rules, rules_for
from agents.selectors.permissions.rules import home_of
from agents.services.permissions import trust
from agents.services.permissions.known_rules import look_at_gone, rules_in_force
from agents.services.permissions.rules import add_rules, change_rule, delete_rule, import_rules
from tests.cast import Cast
from tests.support.database import Undone, elsewhere
from workspaces.models import Membership
from workspaces.sandboxes.folders import folders_of

pytestmark = pytest.mark.django_db(transaction=True)
FAMILIES = ("deny", "ask", "allow")


def key(agent: str) -> int:
    return agent_key(agent) or 0


class World:
    """A workspace with two people and two agents, and all that writes rules there."""

    def __init__(self, cast: Cast, choice: random.Random) -> None:
        self.cast, self.random = cast, choice
        self.numbers = count(1)
        self.people = (cast.alice, cast.bob)
        self.agents = [Agent.objects.get_or_create(name=name)[0] for name in ("maia", "other")]
        self.places = [cast.access(person).place for person in self.people]

    def settings(self) -> Path:
        """One of the files with rules, of a person's home or of the workspace."""
        folders = folders_of(self.random.choice(self.places))
        below = self.random.choice((folders.settings / "files", folders.workspace / ".maia"))
        below.mkdir(exist_ok=True)
        return below / "settings.json"

    def rule(self) -> str:
        return f"Bash(tool{next(self.numbers) % 40:02} *)"

    def text(self) -> str:
        lists = {family: [self.rule()] for family in FAMILIES if self.random.random() < 0.7}
        return json.dumps({"permissions": lists})

    def add(self) -> None:
        admin, alice, bob = self.cast.administrator.pk, *(one.pk for one in self.people)
        agent = self.random.choice(self.agents).name
        home, user = self.random.choice(
            (
                (home_of(admin, "site"), admin),
                (home_of(admin, "agent", agent=agent), admin),
                (home_of(alice, "workspace", self.cast.atelier.id), alice),
                (home_of(alice, "person"), alice),
                (home_of(bob, "person"), bob),
            )
        )
        add_rules(user, home, self.random.choice(FAMILIES), self.rule())

    def some(self) -> Rule | None:
        return Rule.objects.exclude(scope="person").order_by("?").first()

    def change(self) -> None:
        row = self.some()
        if row is not None:
            admin = self.cast.administrator.pk
            user = self.cast.alice.pk if row.scope == "workspace" else admin
            change = self.random.choice(
                ({"enabled": not row.enabled}, {"family": "deny"}, {"text": self.rule()})
            )
            change_rule(user, row.pk, **change)

    def delete(self) -> None:
        row = self.some()
        if row is not None:
            user = self.cast.alice.pk if row.scope == "workspace" else self.cast.administrator.pk
            delete_rule(user, row.pk)

    def take_in(self) -> None:
        home = home_of(self.cast.alice.pk, "workspace", self.cast.atelier.id)
        import_rules(self.cast.alice.pk, home, {"allow": [self.rule()], "deny": [self.rule()]})

    def bound(self) -> None:
        Rule.objects.create(scope="site", family="allow", text=self.rule(), definition="d")

    def by_hand(self) -> None:
        """Somebody with the database's own program."""
        with connection.cursor() as cursor:
            cursor.execute("UPDATE agents_rule SET text = %s WHERE scope = 'site'", [self.rule()])

    def gone_by_hand(self) -> None:
        with connection.cursor() as cursor:
            cursor.execute("DELETE FROM agents_rule WHERE scope = 'person'")

    def in_bulk(self) -> None:
        rules = [Rule(scope="site", family="ask", text=self.rule()) for _ in range(3)]
        Rule.objects.bulk_create(rules, ignore_conflicts=True)

    def undone(self) -> None:
        with suppress(Undone), transaction.atomic():
            Rule.objects.create(scope="site", family="allow", text="Bash(never *)")
            for place in self.places:
                rules_for(place, key("maia"), rule_files(place))
            raise Undone

    def rename_agent(self) -> None:
        agent = self.agents[1]
        agent.name = self.random.choice(("other", "another"))
        agent.save()

    def change_role(self) -> None:
        rows = Membership.objects.filter(user=self.cast.bob.pk)
        rows.update(role=self.random.choice(("editor", "owner")))

    def trust(self) -> None:
        for person, place in zip(self.people, self.places, strict=True):
            sha256 = rule_files(place).workspace.sha256
            if sha256 and self.random.random() < 0.5:
                trust.trust_file(person.pk, place.workspace, sha256)

    def withdraw(self) -> None:
        trust.withdraw_trust(self.cast.bob.pk, self.cast.atelier.id)

    def look(self) -> None:
        ids = list(KnownRule.objects.values_list("pk", flat=True))
        for_all = self.random.random() < 0.5
        look_at_gone(self.cast.alice.pk, self.cast.atelier.id, ids, for_all=for_all)

    def used(self) -> None:
        place = self.random.choice(self.places)
        rules_in_force(place, key("maia"), rule_files(place))

    def write_file(self) -> None:
        self.settings().write_text(self.text())

    def replace_file(self) -> None:
        """By an editor: written beside, then renamed over."""
        file = self.settings()
        beside = file.with_name("beside")
        beside.write_text(self.text())
        beside.replace(file)

    def set_back(self) -> None:
        """As long as before, in place, and its modification time as it was."""
        file = self.settings()
        if file.is_file() and not file.is_symlink():
            before = file.stat()
            with file.open("r+") as opened:
                opened.write(file.read_text().replace("tool1", "tool3").replace("deny", "deny"))
            os.utime(file, ns=(before.st_atime_ns, before.st_mtime_ns))

    def link_file(self) -> None:
        file = self.settings()
        target = file.with_name(f"target{next(self.numbers) % 3}")
        target.write_text(self.text())
        file.unlink(missing_ok=True)
        if self.random.random() < 0.5:
            file.symlink_to(target.name)
        else:
            file.hardlink_to(target)

    def write_target(self) -> None:
        """Through the other name of what is linked."""
        for target in self.settings().parent.glob("target*"):
            target.write_text(self.text())

    def remove_file(self) -> None:
        self.settings().unlink(missing_ok=True)

    def assert_true(self) -> None:
        names = ("maia", "other", "another")
        for place in self.places:
            files = rule_files(place)
            for agent, definition in (
                (names[0], ""),
                (names[0], "d"),
                (names[1], ""),
                (names[2], ""),
            ):
                kept = rules_for(place, key(agent), files, definition)
                fresh = read_rules(place, key(agent), files, definition)
                assert kept == fresh
                assert kept.policy.rules == fresh.policy.rules


OTHERS = {"settings", "rule", "text", "some", "assert_true"}
ACTIONS = sorted(name for name in vars(World) if not name.startswith("_") and name not in OTHERS)


@pytest.mark.parametrize("seed", range(8))
def test_what_is_kept_is_what_stands_there(cast: Cast, seed: int) -> None:
    choice = random.Random(seed)
    world = World(cast, choice)
    for name in choice.choices(ACTIONS, k=70):
        act: Callable[[], None] = getattr(world, name)
        if choice.random() < 0.3:
            elsewhere(act)
        else:
            act()
        if choice.random() < 0.8:
            world.assert_true()
    world.assert_true()


@pytest.mark.parametrize("name", ACTIONS)
def test_each_way_of_writing_counts_at_the_next_call(cast: Cast, name: str) -> None:
    world = World(cast, random.Random(5))
    for before in (
        "add",
        "add",
        "in_bulk",
        "bound",
        "write_file",
        "write_file",
        "link_file",
        "used",
    ):
        getattr(world, before)()
    for _ in range(4):
        world.assert_true()
        elsewhere(getattr(world, name))
        world.assert_true()


WATCHED = [
    *((Rule, column) for column in ("scope", "workspace_id", "user_id", "agent_id", "family")),
    *((Rule, column) for column in ("text", "definition", "enabled")),
    *((KnownRule, column) for column in ("workspace_id", "family", "text", "digest")),
    *((KnownRule.looked_by.through, column) for column in ("knownrule_id", "user_id")),
    *((TrustedFile, column) for column in ("user_id", "workspace_id", "sha256")),
    *((Membership, column) for column in ("user_id", "workspace_id", "role")),
    (Agent, "name"),
]


@pytest.mark.parametrize(("table", "column"), WATCHED)
def test_the_database_itself_tells_of_every_write(
    cast: Cast, table: type[models.Model], column: str
) -> None:
    person, workspace = cast.bob.pk, cast.atelier.id
    Rule.objects.create(scope="agent", agent=Agent.objects.get(name="maia"), text="Bash(a *)")
    known = KnownRule.objects.create(workspace_id=workspace, family="deny", text="A", digest="a")
    known.looked_by.add(person)
    TrustedFile.objects.create(user_id=person, workspace_id=workspace, sha256="a")
    before = stamp_now()
    with connection.cursor() as cursor:
        cursor.execute(f"UPDATE {table._meta.db_table} SET {column} = {column}")

    changed = stamp_now()
    assert "" != changed != before
    if table is not Agent:
        elsewhere(lambda: table.objects.all().delete())  # type: ignore[attr-defined]  # of a model
        assert "" != stamp_now() != changed


def test_a_second_call_asks_for_the_stamp_alone(cast: Cast) -> None:
    place = cast.access(cast.alice).place
    Rule.objects.bulk_create(
        Rule(scope="site", family="allow", text=f"Bash(x{number} *)") for number in range(300)
    )
    files, maia = rule_files(place), key("maia")
    rules = rules_in_force(place, maia, files)

    with CaptureQueriesContext(connection) as asked:
        again = rules_in_force(place, maia, rule_files(place))
    assert len(asked) == 1
    assert again is rules
    assert again.policy is rules.policy


def test_how_often_a_rule_was_of_use_is_no_change(cast: Cast) -> None:
    Rule.objects.create(scope="site", family="allow", text="Bash(ls *)")
    before = stamp_now()
    Rule.objects.update(hits=F("hits") + 1, decided=F("decided") + 1)

    assert before
    assert stamp_now() == before


def test_what_is_kept_of_one_person_is_nobody_elses(cast: Cast) -> None:
    alice, bob = cast.access(cast.alice).place, cast.access(cast.bob).place
    Rule.objects.create(scope="person", user=cast.alice, family="allow", text="Bash(make *)")
    for place, family in ((alice, "allow"), (bob, "ask"), (alice, "allow"), (bob, "ask")):
        rules = rules_for(place, key("maia"), rule_files(place))
        assert rules.policy.evaluate("Bash", {"command": "make x"}).family == family


def test_within_a_transaction_nothing_is_kept(cast: Cast) -> None:
    place = cast.access(cast.alice).place
    with suppress(Undone), transaction.atomic():
        assert stamp_now() == ""
        Rule.objects.create(scope="site", family="allow", text="Bash(never *)")
        rules = rules_for(place, key("maia"), rule_files(place))
        assert rules.policy.evaluate("Bash", {"command": "never x"}).family == "allow"
        raise Undone

    rules = rules_for(place, key("maia"), rule_files(place))
    assert rules.policy.evaluate("Bash", {"command": "never x"}).family == "ask"


def test_without_a_stamp_nothing_is_kept(cast: Cast) -> None:
    RulesStamp.objects.all().delete()
    place = cast.access(cast.alice).place
    files = rule_files(place)

    assert rules_for(place, key("maia"), files) is not rules_for(place, key("maia"), files)


def test_what_was_not_asked_for_longest_is_forgotten_first() -> None:
    kept: KeptPolicies[str] = KeptPolicies(most=10)
    files = RuleFiles()
    for key in ("a", "b"):
        kept.keep(key, "s", files, key, 4)
    assert kept.of("a", "s", files) == "a"
    assert kept.of("a", "t", files) is None
    kept.keep("c", "s", files, "c", 4)
    assert [kept.of(key, "s", files) for key in "abc"] == ["a", None, "c"]
    kept.keep("d", "s", files, "d", 11)
    assert [kept.of(key, "s", files) for key in "acd"] == [None, None, None]
