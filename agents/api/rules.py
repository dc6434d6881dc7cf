"""REST: permission rules, the files that hold some, and the cases that try them."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from django.http import HttpRequest
from ninja import Router, Schema, Status
from pydantic import Field

from agents.library.rule_files import rule_files
from agents.selectors.permissions.known_rules import known_rules
from agents.selectors.permissions.rules import home_of, rules_in
from agents.selectors.permissions.trusted_files import file_wire, is_trusted
from agents.services.permissions import cases as policy_cases
from agents.services.permissions import rules
from agents.services.permissions.known_rules import look_at_gone
from agents.services.permissions.request_settings import change_request_settings
from agents.services.permissions.trust import trust_file, withdraw_trust
from workspaces.selectors import request_settings, workspace_for

router = Router(tags=["rules"])
Text = Annotated[str, Field(max_length=200_000)]


class HomeIn(Schema):
    """Where rules live; `workspace` and `agent` as the scope needs."""

    scope: Literal["site", "workspace", "person", "agent"]
    workspace: Annotated[str, Field(max_length=64)] = ""
    agent: Annotated[str, Field(max_length=64)] = ""


class NewRuleIn(HomeIn):
    """Rules to add, one a line. `confirmed`: although kept cases come out otherwise."""

    family: Literal["deny", "ask", "allow"]
    text: Text
    confirmed: bool = False


class RuleIn(Schema):
    """What changes of a rule."""

    family: Literal["deny", "ask", "allow"] | None = None
    text: Text | None = None
    enabled: bool | None = None
    confirmed: bool = False


class ImportIn(HomeIn):
    """Rules in the format of settings.json: lists `allow`, `ask`, `deny` under `permissions`."""

    rules: dict[str, Any]
    confirmed: bool = False


class CasesIn(Schema):
    """Cases as JSON lines: tool, input, expect, also_ok; without `rules` the site's own decide."""

    cases: Annotated[str, Field(max_length=1_048_576)]


class TrustIn(Schema):
    """The digest of the content that was shown."""

    sha256: Annotated[str, Field(max_length=64)]


class LookedIn(Schema):
    """The ids of the rules that were seen. `forAll`: for every member, which owners decide."""

    ids: Annotated[list[int], Field(max_length=10_000)]
    forAll: bool = False


class RequestsIn(Schema):
    """Who may answer the requests of a workspace, and how long they wait."""

    editorsAnswer: bool
    hours: int


def _user(request: HttpRequest) -> int:
    return int(request.user.pk or 0)


@router.get("", summary="Rules of one scope")
def list_rules(
    request: HttpRequest, scope: str, workspace: str = "", agent: str = ""
) -> list[dict[str, Any]]:
    """Deny first, then ask, then allow; the order has no effect on verdicts."""
    home = home_of(_user(request), scope, workspace, agent)
    return [rule.wire() for rule in rules_in(home)]


@router.post("", summary="Add rules", response={201: dict[str, list[int]]})
def add(request: HttpRequest, body: NewRuleIn) -> Status[dict[str, list[int]]]:
    """Administrators add for the site and for agents, owners for workspaces, each for oneself."""
    home = home_of(_user(request), body.scope, body.workspace, body.agent)
    ids = rules.add_rules(_user(request), home, body.family, body.text, confirmed=body.confirmed)
    return Status(201, {"ids": list(ids)})


@router.get("/export", summary="Export")
def export(
    request: HttpRequest, scope: str, workspace: str = "", agent: str = ""
) -> dict[str, Any]:
    """The enabled rules of a scope in the format of settings.json."""
    home = home_of(_user(request), scope, workspace, agent)
    return rules.export_rules(_user(request), home)


@router.post("/import", summary="Import")
def import_rules(request: HttpRequest, body: ImportIn) -> dict[str, Any]:
    """Adds the rules of a settings.json; `problems` names the entries that are none."""
    home = home_of(_user(request), body.scope, body.workspace, body.agent)
    done = rules.import_rules(_user(request), home, body.rules, confirmed=body.confirmed)
    return {"added": done.added, "known": done.known, "problems": list(done.problems)}


@router.get("/cases", summary="Kept cases")
def cases(request: HttpRequest) -> dict[str, Any]:
    """The cases that are tried before a rule of the site changes, and how they go now."""
    results = policy_cases.run_kept_cases(_user(request))
    return {
        "cases": policy_cases.kept_cases(),
        "results": [policy_cases.case_wire(one) for one in results],
    }


@router.put("/cases", summary="Keep cases")
def keep_cases(request: HttpRequest, body: CasesIn) -> dict[str, Any]:
    """Keeps cases and returns how they go."""
    results = policy_cases.save_cases(_user(request), body.cases)
    return {"results": [policy_cases.case_wire(one) for one in results]}


@router.get("/files/{workspace}", summary="Rules in files")
def files(request: HttpRequest, workspace: str) -> list[dict[str, Any]]:
    """The rules of ~/.maia/settings.json and of the workspace's, and whether they count.

    `gone`: deny and ask that went from the workspace's, and count until one has looked.
    """
    place = workspace_for(_user(request), workspace).place
    found = rule_files(place)
    here = found.workspace
    gone = known_rules(workspace).gone(here, _user(request))
    return [
        file_wire(found.home, trusted=True),
        {
            **file_wire(here, trusted=is_trusted(place, here)),
            "gone": [{"id": one.id, "family": one.entry.family, "rule": one.entry.text}
                     for one in gone],
        },
    ]  # fmt: skip


@router.post("/files/{workspace}/looked", summary="Look at what went")
def looked(request: HttpRequest, workspace: str, body: LookedIn) -> dict[str, int]:
    """Rules that went from the workspace's file count no longer; `looked`: how many of them."""
    done = look_at_gone(_user(request), workspace, body.ids, for_all=body.forAll)
    return {"looked": done}


@router.put("/files/{workspace}/trust", summary="Trust a file", response={204: None})
def trust(request: HttpRequest, workspace: str, body: TrustIn) -> Status[None]:
    """Lets the `allow` rules of exactly this content count for oneself."""
    trust_file(_user(request), workspace, body.sha256)
    return Status(204, None)


@router.delete("/files/{workspace}/trust", summary="Withdraw trust", response={204: None})
def withdraw(request: HttpRequest, workspace: str) -> Status[None]:
    """They no longer count."""
    withdraw_trust(_user(request), workspace)
    return Status(204, None)


@router.get("/requests/{workspace}", summary="How requests are answered")
def requests(request: HttpRequest, workspace: str) -> dict[str, Any]:
    """Whether editors answer too, and after how many hours requests expire."""
    return _requests(workspace_for(_user(request), workspace).id)


@router.put("/requests/{workspace}", summary="Change it")
def change_requests(request: HttpRequest, workspace: str, body: RequestsIn) -> dict[str, Any]:
    """Owners only."""
    change_request_settings(
        _user(request), workspace, editors_answer=body.editorsAnswer, hours=body.hours
    )
    return _requests(workspace)


def _requests(workspace: str) -> dict[str, Any]:
    editors_answer, hours = request_settings(workspace)
    return {"editorsAnswer": editors_answer, "hours": hours}


@router.patch("/{rule}", summary="Change a rule", response={204: None})
def change(request: HttpRequest, rule: int, body: RuleIn) -> Status[None]:
    """Changes it, or switches it on or off."""
    rules.change_rule(
        _user(request),
        rule,
        family=body.family,
        text=body.text,
        enabled=body.enabled,
        confirmed=body.confirmed,
    )
    return Status(204, None)


@router.delete("/{rule}", summary="Delete a rule", response={204: None})
def delete(request: HttpRequest, rule: int, confirmed: bool = False) -> Status[None]:
    """Deletes it."""
    rules.delete_rule(_user(request), rule, confirmed=confirmed)
    return Status(204, None)
