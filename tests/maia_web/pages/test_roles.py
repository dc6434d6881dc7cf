"""Every form, sent by each role: who may not is told 403, who may not even see it 404."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import pytest
from django.db import models
from django.test import Client
from django.urls import reverse

from agents.domain.content.model_messages import user_text
from agents.models import Agent, AgentSession, AuditEntry, ModelServer, Rule
from agents.selectors.permissions.rules import home_of
from agents.services.channels.channels import create_channel
from agents.services.memory.messages import append_message
from agents.services.memory.named_sessions import new_session
from agents.services.permissions.rules import add_rules
from maia_web.pages.urls import urlpatterns
from tests.cast import Cast, make_cast
from workspaces.models import Membership, Workspace

NO, NONE = 403, 404


@dataclass(frozen=True)
class Form:
    """A form: its page's name, its arguments, what is sent, and what each role is told."""

    name: str
    arguments: tuple[str, ...] = ()
    data: tuple[tuple[str, str], ...] = ()
    editor: int = NO
    viewer: int = NO
    stranger: int = NO

    def __str__(self) -> str:
        return " ".join((self.name, *(value[:9] for _name, value in self.data)))


def within(name: str, /, *more: str, editor: int = NO, viewer: int = NO, **data: str) -> Form:
    """A form of the workspace "atelier"."""
    return Form(name, ("workspace", *more), tuple(data.items()), editor, viewer, NONE)


def talk(name: str, /, *more: str, **data: str) -> Form:
    """A form of a channel of it, which editors may send (tests/maia_web/pages/test_sessions.py)."""
    return Form(name, ("workspace", "channel", *more), tuple(data.items()), 0, NO, NONE)


def rules(name: str, /, *more: str, page: str = "workspace", **data: str) -> Form:
    """A form of a rules page."""
    stranger = NONE if page == "workspace" else NO
    return Form(name, (page, *more), tuple(data.items()), stranger=stranger)


RULE = {"home": "workspace", "family": "allow", "text": "Bash(ls)"}
FOR_ALL: dict[str, Any] = {"for": "all"}  # `for` is a word of Python
FORMS = [
    within("rename-workspace"),
    within("rename-workspace", name="new"),
    within("workspace-git"),
    within("workspace-git", agents_commit="on"),
    within("delete-workspace"),
    within("delete-workspace", typed="atelier"),
    within("add-member"),
    within("add-member", username="charlie", role="owner"),
    within("change-role", "bob", role="owner"),
    within("change-role", "bob", role="king"),
    within("remove-member", "alice"),
    within("trust-rules", editor=302),
    within("trust-rules", editor=302, sha256="0" * 64),
    within("look-at-gone", editor=302),
    within("look-at-gone", editor=302, rule="1"),
    within("look-at-gone", **FOR_ALL),
    within("request-settings"),
    within("request-settings", hours="x"),
    within("request-settings", hours="5", editors_answer="on"),
    talk("new-session"),
    talk("delete-sessions"),
    talk("delete-sessions", session="session"),
    talk("delete-sessions", session="session", sure="1"),
    talk("import-session"),
    talk("load-session", "session"),
    talk("rename-session", "session"),
    talk("rename-session", "session", name="new"),
    rules("add-rule"),
    rules("add-rule", **RULE),
    rules("add-rule", home="person", family="allow", text="Bash(ls)"),
    rules("preview-rule"),
    rules("preview-rule", **RULE),
    rules("import-rules"),
    rules("import-rules", json="no"),
    rules("import-rules", home="workspace", json='{"allow": ["Bash(ls)"]}'),
    rules("change-rule", "rule"),
    rules("change-rule", "rule", family="deny", text="Bash"),
    rules("switch-rule", "rule", enabled="0"),
    rules("delete-rule", "rule"),
    rules("add-rule", page="site"),
    rules("add-rule", page="site", home="site", family="allow", text="Bash"),
    rules("preview-rule", page="site", home="site", family="allow", text="Bash"),
    rules("import-rules", page="site"),
    rules("change-rule", "server-rule", page="site", text="Bash"),
    rules("switch-rule", "server-rule", page="site"),
    rules("delete-rule", "server-rule", page="site"),
    Form("people"),
    Form("people", data=(("note", "x"),)),
    Form("change-person", ("bob", "make-administrator")),
    Form("withdraw-invitation", ("bob",)),
    Form("models"),
    Form("models", data=(("kind", "demo"),)),
    Form("models-test"),
    Form("known-model"),
    Form("known-model", data=(("model", "m"), ("context_size", "8000"))),
    Form("known-model", data=(("model", "m"), ("forget", "1"))),
    Form("change-agent", ("maia",), (("toolset", "mm"),)),
    Form("rules", data=(("do", "try"), ("call", "ls"))),
    Form("rule-cases", data=(("cases", ""),)),
    Form("keep-audit", data=(("days", "30"),)),
]
OTHERS = {
    # one's own, for everybody: tests/maia_web/pages/accounts/test_account.py, test_access.py
    *("sign-in", "sign-out", "account", "password", "end-sessions", "language", "theme"),
    *("own-files", "own-file"),  # test_own_files.py
    *("own-rules", "new-workspace", "leave-workspace", "close-terminal", "workspace-rules"),
    # nobody's but of who holds the link: test_first_start.py, test_people.py
    *("setup", "setup-model", "setup-test", "setup-sandbox", "invite"),
}
READ = {
    *("setup-found", "models-found", "workspace-settings", "sessions", "export-session"),
    *("inbox", "agents", "audit", "audit-file", "export-rules"),
}


def test_the_table_holds_every_form() -> None:
    assert {form.name for form in FORMS} | OTHERS | READ == {one.name for one in urlpatterns}


@pytest.fixture
def known(db: None) -> dict[str, Any]:
    """What the arguments of the forms stand for."""
    Agent.objects.get_or_create(name="maia", defaults={"kind": "maia"})
    ModelServer.objects.create(kind="demo")
    cast = make_cast()
    channel = create_channel(cast.alice.pk, cast.atelier.id, "release", members=("maia",))
    session = new_session(cast.alice.pk, channel).session
    append_message(session, None, user_text("hi"))
    new_session(cast.alice.pk, channel)
    here = home_of(cast.alice.pk, "workspace", cast.atelier.id)
    site = home_of(cast.administrator.pk, "site")
    return {
        "cast": cast,
        "workspace": cast.atelier.id,
        "channel": channel,
        "session": str(session.pk),
        "rule": add_rules(cast.alice.pk, here, "ask", "Bash(make *)")[0],
        "server-rule": add_rules(cast.administrator.pk, site, "ask", "Bash(curl *)")[0],
        "alice": cast.alice.pk,
        "bob": cast.bob.pk,
    }


@pytest.mark.parametrize("form", FORMS, ids=str)
def test_who_may_not_is_told_so_and_nothing_changes(known: dict[str, Any], form: Form) -> None:
    url = reverse(form.name, args=[known.get(one, one) for one in form.arguments])
    data = {name: known.get(value, value) for name, value in form.data}
    cast: Cast = known["cast"]
    before = _everything()
    for person, status in [
        (cast.vera, form.viewer),
        (cast.bob, form.editor),
        (cast.charlie, form.stranger),
    ]:
        client = Client()
        client.force_login(person)
        if status:
            assert client.post(url, data).status_code == status, person.username
            assert _everything() == before
    assert Client().post(url, data)["Location"].startswith("/sign-in?next=")


def _everything() -> list[list[dict[str, Any]]]:
    kept: list[type[models.Model]] = [Rule, AgentSession, Membership, Workspace, AuditEntry]
    return [list(model._default_manager.order_by("pk").values()) for model in kept]
