"""Workspaces in the browser: made, shared, left and deleted, and by whom."""

import re
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from asgiref.sync import sync_to_async
from django.conf import settings
from django.test import AsyncClient, Client

from agents.models import Agent, Channel, Rule, Turn
from agents.services.channels.channels import create_channel, open_direct
from maia_web.accounts.models import User
from tests.cast import Cast, make_cast
from tests.support.response import Response
from workspaces.models import Membership, Workspace
from workspaces.sandboxes import base
from workspaces.sandboxes.status import Probed
from workspaces.selectors import members_of
from workspaces.services import add_member, change_role, create_workspace, personal_workspace
from workspaces.terminals.host import terminals
from workspaces.terminals.terminal import Terminal

FORBIDDEN, MISSING, REFUSED, DONE = 403, 404, 422, 302
HTML = "<img src=x onerror=alert(1)>"


@pytest.fixture
def cast(db: None) -> Cast:
    return make_cast()


def as_(user: User) -> Client:
    client = Client()
    client.force_login(user)
    return client


def url(cast: Cast, rest: str) -> str:
    return f"/w/{cast.atelier.id}/{rest}"


def roles(workspace: str) -> dict[str, str]:
    return {username: role for _id, username, _name, role in members_of(workspace)}


def says(answer: Response) -> str:
    return re.sub(r"\s+", " ", answer.content.decode())


# what is asked, with what, and the answer to owner, editor and viewer
ACTIONS = [
    ("name", {"name": "studio"}, DONE, FORBIDDEN, FORBIDDEN),
    ("members", {"username": "charlie", "role": "viewer"}, DONE, FORBIDDEN, FORBIDDEN),
    ("members/{vera}/role", {"role": "editor"}, DONE, FORBIDDEN, FORBIDDEN),
    ("members/{vera}/remove", {}, DONE, FORBIDDEN, FORBIDDEN),
    ("leave", {"sure": "on"}, DONE, DONE, DONE),
    ("leave", {}, REFUSED, REFUSED, REFUSED),
    ("delete", {"typed": "atelier"}, DONE, FORBIDDEN, FORBIDDEN),
    ("delete", {"typed": "another"}, REFUSED, FORBIDDEN, FORBIDDEN),
    ("terminals/nothing/close", {}, MISSING, MISSING, MISSING),
]


@pytest.mark.parametrize(("rest", "data", "owner", "editor", "viewer"), ACTIONS)
@pytest.mark.parametrize("who", ["alice", "bob", "vera", "charlie", "admin", "nobody"])
def test_every_action_for_every_role(
    cast: Cast, who: str, rest: str, data: Path, owner: int, editor: int, viewer: int
) -> None:
    address = url(cast, rest.format(vera=cast.vera.pk))
    wanted = {"alice": owner, "bob": editor, "vera": viewer}.get(who, MISSING)
    before = roles(cast.atelier.id)
    if who == "nobody":
        answer = Client().post(address, data)
        assert answer["Location"].startswith("/sign-in?")
    else:
        answer = as_(User.objects.get(username=who)).post(address, data)
        assert answer.status_code == wanted
    if who == "nobody" or wanted != DONE:
        assert roles(cast.atelier.id) == before
        assert Workspace.objects.get(pk=cast.atelier.id).name == "atelier"


@pytest.mark.parametrize("rest", ["settings", *(row[0] for row in ACTIONS)])
def test_a_stranger_gets_the_answer_of_nothing(cast: Cast, rest: str) -> None:
    path = rest.format(vera=cast.vera.pk)
    ask = as_(cast.charlie).get if rest == "settings" else as_(cast.charlie).post
    hidden, missing = ask(url(cast, path)), ask(f"/w/nothing/{path}")
    assert hidden.status_code == missing.status_code == MISSING
    plain = [re.sub(r'(value|nonce)="[^"]*"', "", says(one)) for one in (hidden, missing)]
    assert plain[0] == plain[1]


def test_the_settings_are_for_members_and_only_owners_get_forms(cast: Cast) -> None:
    assert Client().get(url(cast, "settings"))["Location"].startswith("/sign-in?")
    changes = ("/name", "/members", "/role", "/remove", "/delete")
    for user, status in [(cast.alice, 200), (cast.bob, 200), (cast.vera, 200)]:
        answer = as_(user).get(url(cast, "settings"))
        assert answer.status_code == status
        page = says(answer)
        found = [end for end in changes if re.search(rf'action="/w/[^"]+{end}"', page)]
        assert found == (list(changes) if user == cast.alice else [])
        assert "Alice" in page
        assert "/home/agent" in page or "no working sandbox" in page
        assert "charlie" not in page or user == cast.alice
        assert ("Your terminals here" in page) == (user != cast.vera)
    for user in (cast.charlie, cast.administrator):
        assert as_(user).get(url(cast, "settings")).status_code == MISSING


def test_a_new_workspace_opens_and_is_owned(cast: Cast) -> None:
    client = as_(cast.bob)
    assert "<h1>New workspace</h1>" in says(client.get("/w/new"))
    answer = client.post("/w/new", {"name": "  Build   lab "})
    made = Workspace.objects.get(name="Build lab")
    assert answer["Location"] == f"/w/{made.id}"
    assert client.get(answer["Location"]).status_code == 200
    assert roles(made.id) == {"bob": "owner"}


@pytest.mark.parametrize("name", ["", "   ", "x" * 65, "a\x1bb"])
def test_a_bad_name_is_refused_at_its_field(cast: Cast, name: str) -> None:
    for address, field in [("/w/new", "form"), (url(cast, "name"), "name_form")]:
        answer = as_(cast.alice).post(address, {"name": name})
        assert answer.status_code == REFUSED
        assert set(answer.context[field].errors) == {"name"}
    assert not Workspace.objects.exclude(pk=cast.atelier.id).filter(personal_of=None).exists()


def test_somebody_is_added_whatever_the_case_and_the_page_offers_active_people(cast: Cast) -> None:
    cast.administrator.is_active = False
    cast.administrator.save()
    client = as_(cast.alice)
    offered = re.findall(
        r'<option value="(\w+)">\w+</option>', says(client.get(url(cast, "settings")))
    )
    assert [name for name in offered if name not in ("owner", "editor", "viewer")] == ["charlie"]
    client.post(url(cast, "members"), {"username": " Charlie ", "role": "editor"})
    assert roles(cast.atelier.id)["charlie"] == "editor"
    assert as_(cast.charlie).get(url(cast, "settings")).status_code == 200


@pytest.mark.parametrize(
    ("data", "field"),
    [
        ({"username": "nobody", "role": "editor"}, "username"),
        ({"username": HTML, "role": "editor"}, "username"),
        ({"username": "charlie", "role": "king"}, "role"),
        ({"username": "admin", "role": "editor"}, "username"),
        ({}, "username"),
    ],
)
def test_who_cannot_be_added_is_said_at_the_field(cast: Cast, data: Path, field: str) -> None:
    User.objects.filter(username="admin").update(is_active=False)
    answer = as_(cast.alice).post(url(cast, "members"), data)
    assert answer.status_code == REFUSED
    assert field in answer.context["member_form"].errors
    assert HTML not in says(answer)


def test_the_last_owner_stays(cast: Cast) -> None:
    client = as_(cast.alice)
    page = says(client.get(url(cast, "settings")))
    assert "You are its only owner" in page
    assert f'action="{url(cast, "leave")}"' not in page
    tries = [("leave", {"sure": "on"}), (f"members/{cast.alice.pk}/role", {"role": "viewer"})]
    for rest, data in tries:
        assert "A workspace needs an owner." in says(
            client.post(url(cast, rest), data, follow=True)
        )
    assert client.post(url(cast, f"members/{cast.alice.pk}/remove")).status_code == MISSING
    assert roles(cast.atelier.id)["alice"] == "owner"


def test_an_owner_who_is_not_the_last_may_step_back_and_leave(cast: Cast) -> None:
    change_role(cast.alice.pk, cast.atelier.id, cast.bob.pk, "owner")
    client = as_(cast.alice)
    client.post(url(cast, f"members/{cast.alice.pk}/role"), {"role": "viewer"})
    assert "You are a viewer" in says(client.get(url(cast, "settings")))
    assert client.post(url(cast, "leave"), {"sure": "on"})["Location"] == "/"
    assert client.get(url(cast, "settings")).status_code == MISSING


def test_an_unknown_role_or_member_changes_nothing(cast: Cast) -> None:
    client = as_(cast.alice)
    answer = client.post(url(cast, f"members/{cast.bob.pk}/role"), {"role": "king"}, follow=True)
    assert "A role is owner, editor or viewer." in says(answer)
    for rest in (f"members/{cast.charlie.pk}/role", f"members/{cast.charlie.pk}/remove"):
        assert client.post(url(cast, rest), {"role": "editor"}).status_code == MISSING


def test_a_personal_workspace_has_members_but_keeps_its_person(cast: Cast) -> None:
    own = personal_workspace(cast.alice)
    client = as_(cast.alice)
    client.post(f"/w/{own.id}/members", {"username": "bob", "role": "owner"})
    assert roles(own.id) == {"alice": "owner", "bob": "owner"}
    page = says(client.get(f"/w/{own.id}/settings"))
    assert "Your personal workspace." in page
    assert "/leave" not in page
    bob = as_(cast.bob)
    assert "/delete" not in says(bob.get(f"/w/{own.id}/settings"))
    for who, rest, data in [
        (bob, f"members/{cast.alice.pk}/remove", {}),
        (bob, f"members/{cast.alice.pk}/role", {"role": "viewer"}),
        (client, "leave", {"sure": "on"}),
    ]:
        answer = who.post(f"/w/{own.id}/{rest}", data, follow=True)
        assert "keeps its person as owner" in says(answer)
    answer = bob.post(f"/w/{own.id}/delete", {"typed": own.name}, follow=True)
    assert "A personal workspace stays" in says(answer)
    assert personal_workspace(cast.alice).id == own.id
    assert bob.post(f"/w/{own.id}/leave", {"sure": "on"}).status_code == DONE


@pytest.mark.django_db(transaction=True)
def test_deleting_takes_channels_and_rules_and_keeps_the_files_in_the_trash() -> None:
    cast = make_cast()
    other = create_workspace(cast.alice, "other")
    create_channel(cast.alice.pk, cast.atelier.id, "release", members=("maia",))
    kept = create_channel(cast.alice.pk, other.id, "release")
    for workspace in (cast.atelier.id, other.id):
        Rule.objects.create(
            scope="workspace", workspace_id=workspace, family="allow", text="Bash(ls)"
        )
    folder = settings.DATA / "workspaces" / cast.atelier.id
    (folder / "plan.md").write_text("keep me")
    answer = as_(cast.alice).post(url(cast, "delete"), {"typed": " atelier "})
    assert answer["Location"] == "/"
    assert list(Channel.objects.values_list("id", flat=True)) == [kept]
    assert list(Rule.objects.exclude(workspace=None).values_list("workspace", flat=True)) == [
        other.id
    ]
    assert not Membership.objects.filter(workspace=cast.atelier.id).exists()
    assert not folder.exists()
    (moved,) = (settings.DATA / "trash").glob(f"*Z-{cast.atelier.id}")
    assert (moved / "plan.md").read_text() == "keep me"
    assert (settings.DATA / "trash").stat().st_mode & 0o077 == 0
    assert as_(cast.bob).get(url(cast, "settings")).status_code == MISSING


@pytest.mark.parametrize("state", ["queued", "running"])
@pytest.mark.parametrize("direct", [False, True])
def test_nothing_is_deleted_while_an_agent_answers(cast: Cast, state: str, direct: bool) -> None:
    if direct:  # in another member's own conversation, which the owner does not even see
        channel = open_direct(cast.bob.pk, cast.atelier.id, "maia")
    else:
        channel = create_channel(cast.alice.pk, cast.atelier.id, "release", members=("maia",))
    agent = Agent.objects.get(name="maia")
    turn = Turn.objects.create(channel_id=channel, agent=agent, starter=cast.bob, state=state)
    client = as_(cast.alice)
    answer = client.post(url(cast, "delete"), {"typed": "atelier"}, follow=True)
    assert "An agent is answering in this workspace." in says(answer)
    assert Channel.objects.filter(pk=channel).exists()
    turn.state = "ended"
    turn.save()
    assert client.post(url(cast, "delete"), {"typed": "atelier"})["Location"] == "/"
    assert not Channel.objects.filter(pk=channel).exists()


def test_names_are_text_everywhere(cast: Cast) -> None:
    for user in (cast.alice, cast.bob, cast.charlie):
        user.display_name = HTML
        user.save()
    client = as_(cast.alice)
    client.post(url(cast, "name"), {"name": HTML})
    for path in ("settings",):
        assert HTML not in says(client.get(url(cast, path)))
    assert "&lt;img src=x" in says(client.get(url(cast, "settings")))
    answer = client.post(url(cast, f"members/{cast.bob.pk}/remove"), follow=True)
    assert "is no longer a member." in says(answer)
    assert HTML not in says(answer)
    assert HTML not in says(client.get(f"/w/{cast.atelier.id}"))
    assert client.post(url(cast, "delete"), {"typed": HTML})["Location"] == "/"


def test_the_pages_keep_the_look(cast: Cast) -> None:
    client = as_(cast.alice)
    add_member(cast.alice.pk, cast.atelier.id, "charlie", "owner")
    pages = [
        client.get("/w/new"),
        client.post("/w/new", {"name": ""}),
        client.get(url(cast, "settings")),
        client.post(url(cast, "leave")),
        client.post(url(cast, "delete"), {"typed": "x"}),
        client.post(url(cast, "members"), {"username": "x"}),
        as_(cast.vera).get(url(cast, "settings")),
    ]
    for answer in pages:
        page = answer.content.decode()
        assert "no-store" in answer["Cache-Control"]
        assert "unsafe" not in answer["Content-Security-Policy"]
        assert not re.search(r"<[^>]+\s(style|on\w+)=", page)
        assert len(re.findall(r"<h1\b", page)) == len(re.findall(r"<main\b", page)) == 1
        ids = re.findall(r'\sid="([^"]+)"', page)
        assert len(ids) == len(set(ids))
        named = re.findall(
            r'(?:<label for|aria-labelledby|aria-describedby|\slist)="([^"]+)"', page
        )
        assert {name for names in named for name in names.split()} <= set(ids)


def test_the_language_switch_comes_back_to_a_page_that_can_be_asked_for(cast: Cast) -> None:
    page = says(as_(cast.alice).post(url(cast, "name"), {"name": ""}))
    assert re.findall(r'name="next" value="([^"]+)"', page) == [url(cast, "settings")] * 2


def test_french(cast: Cast) -> None:
    client = as_(cast.alice)
    cast.alice.language = "fr"
    cast.alice.save()
    page = says(client.get(url(cast, "settings")))
    assert "Vous en êtes le seul propriétaire" in page
    assert "Nouvel espace de travail" in says(client.get("/w/new"))


@pytest.mark.parametrize("switched_on", [False, True])
@pytest.mark.parametrize("works", [False, True])
def test_every_page_warns_while_commands_run_without_isolation(
    cast: Cast, monkeypatch: pytest.MonkeyPatch, switched_on: bool, works: bool
) -> None:
    found = Probed("/usr/bin/bwrap") if works else Probed(None, problem="No <b>sandbox</b> here.")
    monkeypatch.setitem(base._answers, settings.DATA, found)
    monkeypatch.setenv("MAIA_UNCONFINED", "1" if switched_on else "")
    client = as_(cast.alice)
    pages = [client.get(path) for path in ("/", "/account", url(cast, "settings"), "/nothing")]
    pages += [as_(cast.administrator).get("/admin/people"), Client().get("/sign-in")]
    for answer in pages:
        assert ('class="banner unconfined"' in says(answer)) == (switched_on and not works)
    shown = {(True, True): "isolated", (True, False): "isolated", (False, True): "not isolated"}
    page = says(client.get(url(cast, "settings")))
    assert f">{shown.get((works, switched_on), 'off')}</span>" in page
    assert ("No &lt;b&gt;sandbox" in page) == (not works)
    assert ("open: commands reach" in page) == (switched_on and not works)
    client.cookies["maia-language"] = "fr"
    french = "Sur ce serveur, les commandes s’exécutent sans isolation"
    assert (french in says(client.get("/account"))) == (switched_on and not works)


@pytest.fixture
async def opened() -> AsyncIterator[tuple[Cast, list[Terminal]]]:
    """The cast, and two terminals of Bob's in the workspace."""
    if (await base.probed()).bwrap is None:
        pytest.skip("this machine has no working sandbox")
    cast = await sync_to_async(make_cast)()
    place = cast.atelier.place
    bobs = type(place)(place.workspace, place.workspace_number, cast.bob.pk)

    async def allowed() -> bool:
        return True

    made = [await terminals.open(bobs, 80, 24, allowed, name) for name in ("one <b>", "two")]
    yield cast, made
    await terminals.close_all()


@pytest.mark.django_db(transaction=True)
async def test_a_person_sees_and_closes_only_their_own_terminals(
    opened: tuple[Cast, list[Terminal]],
) -> None:
    cast, (one, two) = opened
    bob, alice = AsyncClient(), AsyncClient()
    await bob.aforce_login(cast.bob)
    await alice.aforce_login(cast.alice)
    assert "one &lt;b&gt;" in says(await bob.get(url(cast, "settings")))
    assert "None is open." in says(await alice.get(url(cast, "settings")))
    close = url(cast, f"terminals/{one.id}/close")
    assert (await alice.post(close)).status_code == MISSING
    assert (await bob.post(close)).status_code == DONE
    assert terminals.of(cast.bob.pk, cast.atelier.id) == (two,)


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize(
    ("who", "rest", "data"),
    [
        ("bob", "leave", {"sure": "on"}),
        ("alice", "members/{bob}/remove", {}),
        ("alice", "delete", {"typed": "atelier"}),
    ],
)
async def test_who_is_out_has_no_terminal_any_more(
    opened: tuple[Cast, list[Terminal]], who: str, rest: str, data: Path
) -> None:
    cast, _made = opened
    client = AsyncClient()
    await client.aforce_login(getattr(cast, who))
    answer = await client.post(url(cast, rest.format(bob=cast.bob.pk)), data)
    assert answer.status_code == DONE
    assert terminals.of(cast.bob.pk, cast.atelier.id) == ()
